import json

import pytest
import scripted_eval as scripted
from scripted_eval import GOLD, PAPERS

from eval.calibration import bands, calibration_error, calibration_table
from eval.run import evaluate
from rag.answering.confidence import Calibration, Level, Uncalibrated, packaged_calibration
from rag.types import OUTCOMES


def test_the_error_of_a_worked_example():
    # Two bands: .95 stated, one of two right; .55 stated, all of two right.
    pairs = [(0.95, True), (0.95, False), (0.55, True), (0.55, True)]
    assert calibration_error(pairs) == pytest.approx((2 * 0.45 + 2 * 0.45) / 4)
    assert [(band.n, band.right) for band in bands(pairs)] == [(2, 2), (2, 1)]
    assert calibration_error([]) is None
    assert calibration_error([(1.0, True), (0.0, False)]) == 0


def test_a_confidence_is_a_measured_share_and_says_so():
    table = Calibration({"answered": (Level(0.4, 6, 15), Level(0.8, 46, 50))})
    sure = table.confidence("answered", 0.85)
    assert sure.value == pytest.approx(47 / 52)
    assert sure.note == "answers like this were right in 46 of 50 development questions"
    assert table.confidence("answered", 0.1).note.endswith("6 of 15 development questions")
    assert table.confidence("answered", 0.85, measured_apart=True).note.endswith("when quoted without a model")
    assert table.confidence("census", 0.7) == Uncalibrated().confidence("", 0.7)


def test_levels_of_the_made_table_never_fall():
    def ask(question, history):
        answer = scripted.never_refuses(question, history)
        from dataclasses import replace

        return replace(answer, confidence=len(question) % 10 / 10, confidence_note=answer.outcome)

    table = json.loads(calibration_table([evaluate(ask, GOLD, PAPERS)]))
    asked = sum(row["n"] for rows in table["forms"].values() for row in rows)
    assert asked == sum(gold.split == "dev" for gold in GOLD)
    for rows in table["forms"].values():
        shares = [row["right"] / row["n"] for row in rows]
        assert shares == sorted(shares)


def test_the_packaged_table_covers_every_form_of_answer():
    forms = packaged_calibration().forms
    assert set(forms) == {*OUTCOMES, "census"}
    assert all(level.n >= level.right >= 0 and level.n for levels in forms.values() for level in levels)
