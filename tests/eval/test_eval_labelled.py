"""Metric 13 on pairs that people judged: balanced accuracy, and a file of pairs that does not hold."""

import json

import pytest
import scripted_eval as scripted
from scripted_eval import GOLD, PAPERS, TEXTS

import rag
from eval.labelled import Labelled, agreement, balanced_accuracy, read_labelled
from eval.report import to_json
from eval.run import evaluate
from rag.errors import InputError
from rag.types import Checked

PAIRS = (
    Labelled(TEXTS["tarn"], "TARNLEX scores 71.4 F1 on the OAKMOOR benchmark.", True),
    Labelled(TEXTS["tarn"], "TARNLEX scores 81.4 F1 on the OAKMOOR benchmark.", False),
    Labelled(TEXTS["wexle"], "WEXLE parses clinical notes.", True),
    Labelled(TEXTS["wexle"], "WEXLE parses clinical notes. TARNLEX does, too.", False),
)


def credulous(text, papers):
    return [Checked(text, "supported", "")]


def test_balanced_accuracy_of_a_worked_example():
    # 3 of 4 supported and 1 of 2 unsupported judged rightly: (3/4 + 1/2) / 2
    judged = [(True, True)] * 3 + [(True, False), (False, False), (False, True)]
    assert balanced_accuracy(judged) == pytest.approx(0.625)
    assert balanced_accuracy([(True, True)]) is None


def test_a_checker_that_says_yes_to_all_is_at_chance_and_ours_is_above():
    assert agreement(credulous, PAIRS).value == 0.5
    ours = agreement(rag.check, PAIRS)
    assert ours.value == 1.0 and ours.interval is not None
    assert agreement(rag.check, PAIRS[:1]).line() == "balanced accuracy does not exist on 1 pairs of one label"


def test_the_first_line_and_the_record_tell_it():
    report = evaluate(scripted.good, GOLD, PAPERS, check=rag.check, labelled=PAIRS)
    assert "balanced accuracy 1.00 [1.00, 1.00] on 4 pairs that people judged" in report.header.line()
    assert json.loads(to_json(report))["agreement"] == {"n": 4, "value": 1.0, "low": 1.0, "high": 1.0}
    assert json.loads(to_json(evaluate(scripted.good, GOLD, PAPERS)))["agreement"] is None


def test_a_file_of_pairs_is_read_and_its_faults_named(tmp_path):
    file = tmp_path / "pairs.jsonl"
    rows = [{"text": p.text, "claim": p.claim, "supported": p.supported} for p in PAIRS]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    assert read_labelled(file) == PAIRS
    for text, message in (
        ("", "holds no labelled pair"),
        ("{", "line 1 is no labelled pair"),
        ('{"text": "a", "claim": "b"}', "KeyError: 'supported'"),
        ('{"text": "a", "claim": "b", "supported": 1}', "supported is true or false"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=message):
            read_labelled(file)
    with pytest.raises(InputError, match="can't be read"):
        read_labelled(tmp_path / "none")
