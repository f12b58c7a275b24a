"""What a question asks for, and whether an abstract has a word of it: invented questions and sentences."""

from __future__ import annotations

import pytest

from rag.answering.asking import Asked, asked, asks_for_figure, asks_for_paper, gives_name, is_absent, named_kind
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
    assert gives_name("We audit Mistral and two others.", own=())
    assert not gives_name("Four models were audited with GRUNLO.", own={"grunlo"})


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
    assert asks_for_paper(asked("it sorts litter from pictures, which paper?"))
    assert not asks_for_paper(asked("which camera does it use"))
