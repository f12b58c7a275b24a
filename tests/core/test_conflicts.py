"""How one sentence stands against what a question takes for granted, each way apart."""

from __future__ import annotations

import pytest

from rag.answering.conflicts import Conflict, conflict, without_tag


def against(question: str, sentence: str, abstract: str = "") -> Conflict:
    return conflict(question, [], sentence, abstract or sentence)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (
            "Explain why the dried samples show longer drying times.",
            "Contrary to expectation, dried samples do not show increased drying times.",
        ),
        ("How much does pulse rate grow with the dose?", "The pulse rate does not scale with the dose."),
        ("Why do the mice need a training phase?", "The task works without any training phase for mice."),
        ("Is it the correct answers that help, no?", "The format, rather than correct answers, helps."),
    ],
)
def test_a_denial_that_reaches_the_questions_words_stands_against_it(question: str, sentence: str) -> None:
    assert against(question, sentence).denied >= 0.5


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Why do the mice not need a training phase?", "The mice do not need a training phase."),
        ("Why does the drug lower pulse rates?", "The drug not only lowers pulse rates but also calms."),
        ("What does only the nurse decide?", "No one decides without the nurse."),
        ("Why do mice need a training phase?", "Do mice not need a training phase?"),
    ],
)
def test_a_denial_in_the_question_itself_or_one_that_adds_or_asks_is_none(question: str, sentence: str) -> None:
    assert against(question, sentence).denied < 0.5


def test_a_rise_of_the_same_thing_stands_against_a_fall() -> None:
    assert against("How much did body weight fall in spring?", "Body weight increased in spring.").turned >= 0.5
    assert against("How much did body weight go down in spring?", "Body weight increased in spring.").turned >= 0.5
    assert against("How much did body weight fall in spring?", "Body weight dropped in spring.").turned == 0
    assert against("How much did body weight fall in spring?", "Income increased for farmers.").turned == 0


def test_no_difference_stands_against_a_question_that_compares() -> None:
    sentence = "Pain scores were similar in the two groups, but costs were not reported."

    assert against("Why were pain scores worse in the second group?", sentence).equal >= 0.5
    assert against("What do the pain scores measure?", sentence).equal == 0
    assert against("How similar were pain scores of the groups?", sentence).equal == 0


def test_an_opposite_word_counts_only_where_the_abstract_nowhere_has_the_word() -> None:
    sentence = "Detection is impossible for most drugs."

    assert against("How is detection possible for most drugs?", sentence).opposite == 1
    assert (
        against("How is detection possible for drugs?", sentence, f"{sentence} With blood, it is possible.").opposite
        == 0
    )


def test_what_is_said_of_others_alone_stands_against_a_question_about_the_paper() -> None:
    sentence = "Our nets use wire only, surpassing alternatives made of nylon rope."

    assert against("How was nylon rope used for the nets?", sentence).others > 0.5


def test_what_asks_for_assent_is_no_part_of_a_question() -> None:
    assert without_tag("The nets are steel, right?") == "The nets are steel"
    assert without_tag("The nets are steel, aren't they?") == "The nets are steel"
