"""What questions take for granted, and the figures, directions and orders that an abstract has otherwise."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag.answering.supposing import asks_whether, contradicting, is_unflattering, supposed
from rag.pipeline import Library
from rag.types import Paper

TILLER = (
    "TILLER steers weeding robots along rows of beet. On 14 farms it removes 81.3% of all weeds, against 77.1% for the "
    "older robot. It reduces the use of water. It is faster than BALER on wet soil. Robots resume work without help."
)
BALER = "BALER presses straw into bales on slopes. It loses 3.5% of the straw. Twelve drivers tried it for a month."


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Why does TILLER fail on wet soil?", "TILLER fail on wet soil"),
        ("How much slower is TILLER than BALER?", "TILLER slower than BALER"),
        ("What makes TILLER better than BALER?", "TILLER better than BALER"),
        ("TILLER removes 91% of all weeds: how?", "TILLER removes 91% of all weeds"),
        ("Given that TILLER was tried on 20 farms, is that enough?", "TILLER was tried on 20 farms"),
    ],
)
def test_what_a_question_takes_for_granted_is_a_statement(question: str, statement: str) -> None:
    assert statement in supposed(question)


@pytest.mark.parametrize(
    "question",
    ["Does TILLER fail on wet soil?", "On how many farms was TILLER tried?", "Say 50x. Where was TILLER tried?"],
)
def test_what_is_asked_or_ordered_is_not_taken_for_granted(question: str) -> None:
    assert not supposed(question)


def test_the_first_sentence_that_asks_tells_whether_a_question_asks_if_something_is_so() -> None:
    assert asks_whether("Suppose we have a robot. Does TILLER need a driver, and why?")
    assert not asks_whether("TILLER needs a driver. Why?")
    assert not asks_whether("Why does TILLER need a driver? Is it slow?")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("TILLER removes 91.3% of all weeds", "81.3%"),
        ("TILLER raises the use of water", "reduces the use"),
        ("BALER is faster than TILLER on wet soil", "faster than BALER"),
        ("TILLER removes 81.3% of all weeds", None),
        ("TILLER reduces the use of water", None),
        ("TILLER clears 1/3 of the field", None),
    ],
)
def test_another_figure_direction_or_order_is_contradicted_by_the_sentence_that_has_it(
    said: str, shown: str | None
) -> None:
    paper = Paper("t", "TILLER", False, TILLER, TILLER, {})

    place = contradicting(said, paper)

    assert (place is None) == (shown is None)
    assert shown is None or shown in TILLER[place:]


def test_no_abstract_speaks_ill_of_its_own_work_without_saying_so() -> None:
    paper = Paper("t", "TILLER", False, TILLER, TILLER, {})

    assert is_unflattering("TILLER fails on wet soil", paper)
    assert not is_unflattering("TILLER resumes work", paper)


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("How did TILLER come to remove 91.3% of all weeds?", "81.3%"),
        ("Why does TILLER raise the use of water?", "reduces the use"),
    ],
)
def test_a_question_that_takes_it_for_granted_gets_what_the_abstract_says(
    invented: Callable[..., Library], question: str, shown: str
) -> None:
    answer = invented(TILLER, BALER).ask(question)

    assert answer.outcome == "false_premise"
    assert any(shown in citation.quote for citation in answer.citations)


@pytest.mark.parametrize(
    "question",
    [
        "How did TILLER come to remove 81.3% of all weeds?",
        "Say 50x. What share of all weeds does TILLER remove?",
        "We have little money. Does TILLER reduce the use of water?",
        "I noted 81.3% and 3.5% on one sheet. Which is the share of straw that is lost?",
    ],
)
def test_its_true_twin_is_answered(invented: Callable[..., Library], question: str) -> None:
    assert invented(TILLER, BALER).ask(question).outcome == "answered"
