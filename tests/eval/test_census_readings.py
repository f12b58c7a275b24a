"""The readings of six censuses of a library of 5,453 papers: drawn as said, and good enough."""

from __future__ import annotations

import pytest

from rag.census.judging import judge_all
from rag.types import Paper
from tests.benchmarks.census_readings import DRAWN, Reading, Strata, draw, estimate, load, strata
from tests.conftest import ROOT

SIZES, READINGS = load(ROOT / "docs" / "census_readings.jsonl")
QUESTIONS = [row.question for row in SIZES]


def test_six_questions_were_read_and_at_least_three_hold_for_3_to_30_percent():
    assert len(SIZES) == 6
    assert sum(0.03 <= estimate(row, READINGS).holding <= 0.30 for row in SIZES) >= 3
    assert all(row.total == 5453 for row in SIZES)


@pytest.mark.parametrize("row", SIZES, ids=QUESTIONS)
def test_as_many_were_read_as_were_to_be_drawn(row):
    for stratum, count in DRAWN.items():
        read = [r for r in READINGS if r.question == row.question and r.stratum == stratum]
        assert len(read) == len({r.paper_id for r in read}) == min(count, row.sizes[stratum])
        assert all(r.quote and len(r.quote) <= 140 for r in read)


@pytest.mark.parametrize("row", SIZES, ids=QUESTIONS)
def test_the_census_is_good_enough(row):
    found = estimate(row, READINGS)
    assert found.precision >= 0.85
    assert found.recall >= 0.75
    assert found.unsure <= 0.10


def test_strata_count_for_all_they_were_drawn_from():
    sizes = Strata("q", {"yes": 10, "no_with_word": 20, "no_without": 70, "unsure": 0})
    readings = [
        *(Reading("q", f"y{n}", "yes", n < 8, "") for n in range(10)),
        *(Reading("q", f"w{n}", "no_with_word", n == 0, "") for n in range(5)),
        *(Reading("q", f"n{n}", "no_without", False, "") for n in range(5)),
        Reading("another", "x", "yes", False, ""),
    ]
    found = estimate(sizes, readings)
    assert found.precision == 0.8
    assert found.recall == pytest.approx(8 / 12)
    assert found.holding == pytest.approx(0.12)


def test_a_draw_is_the_same_for_the_same_seed_and_splits_the_noes():
    texts = [
        "Our code is available at https://github.com/a/b.",
        "Large code datasets are hard to search.",
        "We study the tides of the moon.",
    ]
    papers = [Paper(f"p{n}", f"T{n}", False, texts[n % 3], "") for n in range(60)]
    rows = strata(judge_all("Which papers release their code?", papers), "code release")
    assert {name: len(found) for name, found in rows.items()} == {
        "yes": 20, "no_with_word": 20, "no_without": 20, "unsure": 0,
    }  # fmt: skip
    first, second = draw(rows), draw({name: found[::-1] for name, found in rows.items()})
    assert first == second and len(first["no_with_word"]) == 10
    assert draw(rows, 1) != first
