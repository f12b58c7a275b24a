"""Follow-ups: what "it" is, the other one, a change of topic, and the shapes that a history may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from rag.errors import InputError
from rag.pipeline import Library
from rag.retrieval.conversation import short_name
from rag.retrieval.history import turns
from rag.types import Turn
from tests.core import harbour
from tests.fakes import make_paper


@pytest.fixture(scope="module")
def library(invented: Callable[..., Library]) -> Library:
    return invented(*harbour.ALL)


def first_cited(library: Library, question: str, history: list[Any]) -> str:
    """Return the abstract that the answer quotes first; "" where it quotes none."""
    answer = library.ask(question, history)
    paper = library.paper(answer.citations[0].paper_id) if answer.citations else None
    return paper.abstract if paper else ""


@pytest.mark.parametrize(
    ("history", "question", "abstract"),
    [
        (["What is TIDEWEAVE?"], "How many gauges does it need?", harbour.TIDEWEAVE),
        (["What is TIDEWEAVE?", "How many gauges does it need?"], "Is its code public?", harbour.TIDEWEAVE),
        (["What is TIDEWEAVE?"], "by how much?", harbour.TIDEWEAVE),
        (["What is HIVEPLAN?"], "why do central planners fail?", harbour.HIVEPLAN),
        (["How many hours of speech are in the valley corpus?"], "From how many speakers?", harbour.DIALECTS),
        (["What is TIDEWEAVE?"], "And GRAINLOC?", harbour.GRAINLOC),
        (["How much faster is GRAINLOC?"], "And HIVEPLAN?", harbour.HIVEPLAN),
        (["What is GRAINLOC?", "What is HIVEPLAN?"], "How much faster is the other one?", harbour.GRAINLOC),
        (["What is GRAINLOC?", "What is HIVEPLAN?"], "And the other one?", harbour.GRAINLOC),
        (["What is TIDEWEAVE?"], "New topic: how many choirs were measured?", harbour.CHOIRS),
        (["What is TIDEWEAVE?"], "How many choirs were measured?", harbour.CHOIRS),
        (["hello", "What is TIDEWEAVE?", "thanks!"], "and where is its code?", harbour.TIDEWEAVE),
        (["What is TIDEWEAVE?", *["How many gauges does it need?"] * 9], "and where is its code?", harbour.TIDEWEAVE),
        (["What is TIDEWEAVE?", "What is HIVEPLAN?"], "back to the gauges: how many?", harbour.TIDEWEAVE),
        (["What is TIDEWEAVE?", "What is HIVEPLAN?"], "No, I meant the one about water levels.", harbour.TIDEWEAVE),
        (["What is TIDEWEAVE?", "What is HIVEPLAN?"], "how many gauges does the tide one need?", harbour.TIDEWEAVE),
        (["What is TIDEWEAVE?", "What is HIVEPLAN?"], "and the first one, is its code public?", harbour.TIDEWEAVE),
        (["What is TIDEWEAVE?", "thanks, that helps"], "drawbacks?", harbour.TIDEWEAVE),
        (["What is TIDEWEAVE?"], "Quick question: how many choirs were measured?", harbour.CHOIRS),
    ],
)
def test_a_follow_up_is_answered_from_the_paper_it_means(
    library: Library, history: list[str], question: str, abstract: str
) -> None:
    assert first_cited(library, question, history) == abstract


def test_and_another_name_asks_the_same_of_it(library: Library) -> None:
    answer = library.ask("And HIVEPLAN?", ["How much faster is GRAINLOC?"])

    assert answer.standalone_question == "How much faster is HIVEPLAN?"
    assert "2.3 times faster" in answer.text


def test_a_changed_topic_carries_nothing_over(library: Library) -> None:
    answer = library.ask("New topic: how many choirs were measured?", ["What is TIDEWEAVE?"])

    assert "TIDEWEAVE" not in answer.standalone_question
    assert "TIDEWEAVE" not in answer.text


def test_a_name_that_the_paper_shares_with_another_does_not_lead_away_from_it(invented: Callable[..., Library]) -> None:
    library = invented(
        "SALTPARSE parses port ledgers. On the QUAYBENCH benchmark it reaches 63.8 F1.",
        "ROPEPARSE parses ship logs. On the QUAYBENCH benchmark it reaches 66.5 F1.",
    )
    answer = library.ask("What is its F1?", ["Tell me about ROPEPARSE."])

    assert "66.5" in answer.text and "63.8" not in answer.text


@pytest.mark.parametrize(
    "question", ["Who painted the Mona Lisa?", "And who painted the Mona Lisa?", "capital of Norway"]
)
def test_a_question_about_nothing_here_stays_one_in_a_conversation(library: Library, question: str) -> None:
    answer = library.ask(question, ["What is TIDEWEAVE?"])

    assert answer.outcome == "not_in_corpus"
    assert answer.citations == ()


def test_a_follow_up_to_nothing_is_asked_back(library: Library) -> None:
    for history in ([], ["hello"], ["Who painted the Mona Lisa?"]):
        assert library.ask("How does it work?", history).outcome == "too_vague"


def test_a_question_that_can_stand_alone_is_left_as_it_is(library: Library) -> None:
    question = "How much does TIDEWEAVE lower the error?"

    assert library.ask(question, ["What is HIVEPLAN?"]).standalone_question == question


def test_what_earlier_answers_said_is_no_evidence(library: Library) -> None:
    made_up = {
        "question": "What is TIDEWEAVE?",
        "answer": "It lowers the error by 77% [1] and won the Harbour Prize [9].",
    }
    answer = library.ask("By how much does it lower the error?", [made_up])

    assert "18.4%" in answer.text
    assert "77" not in answer.text and "Prize" not in answer.text
    assert [c.marker for c in answer.citations] == list(range(1, len(answer.citations) + 1))


# The shapes of a history


@dataclass
class Exchange:
    question: str
    answer: Any = None


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        (None, ()),
        ([], ()),
        (["one?", "two?"], (Turn("one?"), Turn("two?"))),
        ([Turn("one?", "yes")], (Turn("one?", "yes"),)),
        ([{"question": "one?", "answer": "yes"}, {"question": "two?"}], (Turn("one?", "yes"), Turn("two?"))),
        ([Exchange("one?", "yes"), Exchange("two?")], (Turn("one?", "yes"), Turn("two?"))),
        (
            [
                {"role": "user", "content": "one?"},
                {"role": "assistant", "content": "yes"},
                {"role": "user", "content": "two?"},
            ],
            (Turn("one?", "yes"), Turn("two?")),
        ),
        ([{"role": "assistant", "content": "welcome"}, {"role": "user", "content": "one?"}], (Turn("one?"),)),
        (["  ", "one?"], (Turn("one?"),)),
    ],
)
def test_a_history_may_be_questions_turns_objects_or_chat_messages(history: Any, expected: tuple[Turn, ...]) -> None:
    assert turns(history) == expected


def test_an_answer_of_ours_is_a_turn(library: Library) -> None:
    answer = library.ask("What is TIDEWEAVE?")

    assert turns([answer]) == turns([answer.to_dict()]) == (Turn("What is TIDEWEAVE?", answer.text),)


@pytest.mark.parametrize(
    ("history", "message"),
    [
        ("one?", "history is one text, but it must be a list of earlier questions; wrap it in a list"),
        ([7], "history has an entry of type int without a question; give strings or objects"),
        ([{"answer": "yes"}], "history has an entry of type dict without a question"),
    ],
)
def test_another_history_is_refused_in_a_sentence(history: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        turns(history)


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("MILLNET: A Net of Mills", "MILLNET"),
        ("A Net of Mills", "A Net of Mills"),
        ("On the long way home again: mills", "On the long way home again: mills"),
    ],
)
def test_a_paper_is_called_by_the_name_before_the_colon(title: str, name: str) -> None:
    assert short_name(make_paper(title=title)) == name
