"""Questions that presume, where no single rule shows what is wrong; and slots that an abstract does not fill."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag.answering.presumption import AGAINST, PRESUMES, against_features, question_features
from rag.pipeline import Library

HARROW = (
    "HARROW plans harvest routes for teams of tractors. The planner does not improve fuel use on hilly ground. "
    "It cuts the time for a harvest by 12% on flat ground. Routes are found by a tabu search over field strips. "
    "The planner was tried on nine farms."
)
BROOMLET = (
    "BROOMLET sorts street litter from camera pictures. It recognises 31 kinds of litter. "
    "Sorting takes less time than with the older machine."
)


@pytest.fixture(scope="module")
def library(invented: Callable[..., Library]) -> Library:
    return invented(HARROW, BROOMLET)


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("Why is HARROW always the best planner for fuel use on hilly ground?", {"presumes", "absolute", "named"}),
        ("HARROW is a tabu search, isn't it?", {"tag", "named"}),
        ("BROOMLET handles glass; how does it sort it", {"before", "how", "named"}),
        ("Is HARROW fast?", {"named"}),
        ("We run BROOMLET; how does it sort glass", {"how", "named"}),
        ("Please, why does HARROW use a tabu search?", {"presumes", "named"}),
        ("Why does HARROW fail on flat ground?", {"presumes", "unflattering", "denies", "named"}),
        ("How does HARROW avoid slow routes?", {"how", "denies", "named"}),
        ("How many farms was HARROW tried on?", {"much", "named"}),
    ],
)
def test_the_signs_of_a_presumption_are_read_off_the_question(library: Library, question: str, shown: set[str]) -> None:
    evidence = library.searcher().gather(question)
    assert evidence.best is not None

    found = question_features(evidence, evidence.best)

    assert found.keys() == PRESUMES.keys()
    assert {name for name, value in found.items() if value} == shown


def test_the_sentence_that_denies_stands_against_a_question_more_than_any_other(library: Library) -> None:
    evidence = library.searcher().gather("Why does HARROW improve fuel use on hilly ground?")
    assert evidence.best is not None
    asked = question_features(evidence, evidence.best)

    found = {r.index: against_features(evidence, evidence.best, r, asked) for r in evidence.best.ranked}

    assert all(features.keys() == AGAINST.keys() for features in found.values())
    assert max(found, key=lambda index: found[index]["presumed"]) == 1
    assert found[1]["denied"] > 0.5


def test_a_question_that_presumes_what_is_denied_gets_what_the_abstract_says(library: Library) -> None:
    answer = library.ask("Why is HARROW always the best planner for fuel use on hilly ground?")

    assert answer.outcome == "false_premise"
    assert any("does not improve fuel use" in citation.quote for citation in answer.citations)


def test_a_plain_question_is_answered(library: Library) -> None:
    assert library.ask("By how much does HARROW cut the time for a harvest on flat ground?").outcome == "answered"


@pytest.mark.parametrize(
    "question",
    [
        "which camera model is inside BROOMLET",
        "learning rate of HARROW?",
        "price of the camera of BROOMLET",
    ],
)
def test_a_thing_that_the_abstract_has_no_word_of_is_not_answered(library: Library, question: str) -> None:
    assert library.ask(question).outcome == "abstract_silent"


def test_another_version_of_a_name_is_another_name(library: Library) -> None:
    assert [m.name for m in library.searcher().mentions("What does HARROW plan?")] == ["HARROW"]
    assert library.searcher().mentions("What does HARROW-3 plan?") == []


def test_a_topic_that_no_paper_has_is_not_in_the_library_and_a_count_of_none_is_an_answer(library: Library) -> None:
    assert library.ask("Are there any papers on bird song?").outcome == "not_in_corpus"
    assert library.ask("How many papers are about bird song?").outcome == "answered"
    assert library.ask("Does any paper report its licence?").outcome == "answered"
