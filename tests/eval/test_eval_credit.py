"""A fact is credited to the paper that says it: counted over what the reader sees."""

from __future__ import annotations

import pytest
from scripted_eval import make_answer, make_gold

from eval.scoring import score_answer
from rag.types import Citation, Paper

REED = Paper("reed", "Counting Reeds from Kites", False, "We count reeds from kites. The error is 4.5%.", "", {})
MOSS = Paper("moss", "Counting Moss by Night", False, "We count moss by night. The error is 7.2%.", "", {})
TIDE = Paper("tide", "Wait or Wade? Tides for Small Boats", False, "We time boats by tides.", "", {})
PAPERS = {paper.id: paper for paper in (REED, MOSS, TIDE)}


def cite(marker, paper, quote):
    start = paper.abstract.index(quote)
    return Citation(marker, paper.id, f"{paper.id}:0", paper.title, quote, start, start + len(quote))


def credit(text, *citations):
    answer = make_answer(text, *citations)
    gold = make_gold(papers=("reed",), must=())
    return next(s for s in score_answer(gold, answer, PAPERS) if s.metric == "credit")


def test_a_figure_credited_to_its_own_paper_counts():
    got = credit(
        "The abstract of “Counting Reeds from Kites” says: “The error is 4.5%.” [1]",
        cite(1, REED, "The error is 4.5%."),
    )

    assert (got.hits, got.total) == (1, 1)


@pytest.mark.parametrize(
    ("text", "paper", "why"),
    [
        (
            "The abstract of “Counting Reeds from Kites” says: “The error is 7.2%.” [1]",
            "moss",
            "credited to reed, cites moss",
        ),
        ("The error on reeds is 7.2% [1].", "reed", "in no cited abstract: 7.2%"),
    ],
)
def test_a_figure_credited_to_the_other_paper_is_found(text, paper, why):
    got = credit(text, cite(1, PAPERS[paper], PAPERS[paper].abstract))

    assert got.hits == 0
    assert got.why == why


def test_a_title_holds_until_the_next_one():
    got = credit(
        "- Counting Reeds from Kites: “The error is 4.5%.” [1]\n"
        "- Counting Moss by Night: “We count moss by night.” [2] “The error is 7.2%.” [3]",
        cite(1, REED, "The error is 4.5%."),
        cite(2, MOSS, "We count moss by night."),
        cite(3, REED, "The error is 4.5%."),
    )

    assert (got.hits, got.total) == (2, 3)
    assert "credited to moss, cites reed" in got.why


def test_an_answer_without_markers_has_nothing_to_credit():
    assert credit("No abstract says so.").state == "not_applicable"


def test_a_title_that_asks_is_one_title():
    got = credit(
        "- Counting Reeds from Kites: “The error is 4.5%.” [1]\n"
        "- Wait or Wade? Tides for Small Boats: “We time boats by tides.” [2]",
        cite(1, REED, "The error is 4.5%."),
        cite(2, TIDE, "We time boats by tides."),
    )

    assert (got.hits, got.total) == (2, 2)
