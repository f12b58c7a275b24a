"""What a question asks for, and whether an abstract has a word of it: invented questions and sentences."""

from __future__ import annotations

import pytest

from rag.answering.asking import (
    Asked,
    asked,
    asked_words,
    asks_for_figure,
    gives_name,
    is_absent,
    named_kind,
    seeks_paper,
    tells_figure,
)
from rag.text.words import content_stems, stem


@pytest.mark.parametrize(
    ("question", "noun", "form"),
    [
        ("which crop variety was it", "variety", "which"),
        ("hidden layer width in the robot paper", "width", "of"),
        ("what kind of encoder does it use", "encoder", "which"),
        ("how many annotators were there", "annotators", "count"),
        ("number of probes per site?", "probes", "count"),
        ("what is the price of the sensor", "price", "of"),
        ("how deep is it", "deep", "degree"),
    ],
)
def test_the_thing_asked_for_is_found(question: str, noun: str, form: str) -> None:
    thing = asked(question)

    assert thing is not None
    assert (thing.stems[-1], thing.form) == (stem(noun), form)


@pytest.mark.parametrize("question", ["why does it fail", "is it fast", "how does the gate open", "who wrote it"])
def test_other_forms_ask_for_no_thing(question: str) -> None:
    assert asked(question) is None


def test_a_name_is_no_part_of_the_thing() -> None:
    thing = asked("GRUNLO dropout rate in training", [(0, 6)])

    assert thing is not None
    assert thing.stems == (stem("dropout"), stem("rate"))


def test_a_concrete_thing_without_a_word_of_it_is_absent() -> None:
    told = frozenset(content_stems("Seven greenhouses were steered for a season, and gas use fell by 18%."))

    assert is_absent(_thing("which crop variety was it"), told)
    assert not is_absent(_thing("which greenhouse was it"), told)
    assert not is_absent(_thing("which trick saved the gas"), told), "a trick may go by any word"


def test_names_are_given_by_capitals_inside_a_sentence() -> None:
    assert named_kind("names of the four language models") == stem("models")
    assert named_kind("which is the best way to do it") == ""
    assert gives_name("We audit Mistral and two others.", known=())
    assert not gives_name("Four models were audited with GRUNLO.", known={"grunlo"})
    assert not gives_name("Answers are written by an LLM.", known=()), "an acronym of the field names none of them"


def test_a_size_is_told_in_figures_and_a_reason_is_not() -> None:
    assert asks_for_figure("size of the map grid", asked("size of the map grid"))
    assert asks_for_figure("how often did it slip, in percent", None)
    assert not asks_for_figure("which trick does it use", asked("which trick does it use"))


def _thing(question: str):
    thing = asked(question)
    assert thing is not None
    return thing


def test_how_many_times_counts_no_thing_and_a_paper_is_told_by_any_abstract() -> None:
    assert asked("how many times faster is it") == Asked((stem("times"),), "degree")
    assert seeks_paper("it sorts litter from pictures, which paper?")
    assert not seeks_paper("which camera does it use")


@pytest.mark.parametrize(
    "question",
    [
        "paper where litter gets sorted from pictures so an arm can grasp it",
        "I remember a study where cooks turned out to know when the soup was done. Which one was it?",
        "is there anything on frost damage in orchards",
        "the one that lets a hand squeeze before the glass slips",
        "Which method irons shirts by listening to the steam?",
    ],
)
def test_a_reader_who_describes_a_paper_seeks_it(question: str) -> None:
    assert seeks_paper(question)


@pytest.mark.parametrize(
    "question",
    [
        "the paper on frost in orchards, how many trees did it watch?",
        "which one of the nine orchards froze",
        "why frost?",
    ],
)
def test_a_question_about_a_paper_seeks_none(question: str) -> None:
    assert not seeks_paper(question)


def test_a_figure_is_told_where_what_it_measures_stands_beside_it() -> None:
    question = "what share of the shirts was burnt"
    focus, thing = content_stems("shirts burnt"), asked(question)

    assert tells_figure("The iron burnt 3 of 80 shirts.", thing, focus) == 1.0
    assert tells_figure("Two robots iron for nine hours.", thing, focus) == 0.0
    assert tells_figure("IRON-4 burnt no shirts.", thing, focus) == 0.0, "the number is part of a name"


def test_half_of_a_figure_is_the_noun_that_has_no_other_word() -> None:
    width = asked("hidden width of the iron's network")

    assert tells_figure("A network of width 512 steers the iron.", width, content_stems("hidden width network")) > 0.8
    assert tells_figure("A network with 12 layers steers it.", width, content_stems("hidden width network")) < 0.5


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which crop variety was it?", "which crop variety"),
        ("How many boats took part in it?", "how many boats"),
        ("which camera sits in the hull", "which camera"),
        ("what is the price of the hull", "the price"),
        ("Is it fast?", ""),
        ("What is the fender for?", ""),
    ],
)
def test_what_is_asked_for_is_told_in_the_reader_s_words(question: str, words: str) -> None:
    assert asked_words(question) == words


def test_a_thing_may_go_by_another_word_of_its_kind() -> None:
    told = frozenset(content_stems("We tried nine networks on 40 physicians."))

    assert not is_absent(_thing("how many chatbots were tried"), told)
    assert not is_absent(_thing("how many doctors took part"), told)
    assert is_absent(_thing("how many sailors took part"), told)


def test_how_much_bigger_names_no_thing_and_how_much_memory_does() -> None:
    assert _thing("how much bigger is the closed model").is_open
    assert _thing("how much tampering is enough").is_open
    assert not _thing("how much memory does it need").is_open
