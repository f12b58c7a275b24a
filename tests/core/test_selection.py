"""Which sentences an answer shows, in which order, and what of each: on sentences with given probabilities."""

from __future__ import annotations

import pytest

from rag.answering.selection import chosen, probability, shown
from rag.library.chunking import chunk
from rag.retrieval.evidence import PaperEvidence
from rag.retrieval.question import questions_in, understand
from rag.retrieval.ranking import Ranked, sentence_facts
from rag.retrieval.reading import asked_in
from rag.retrieval.requests import without_orders
from rag.types import Paper, ScoredChunk

_ABSTRACT = (
    "Parsing old maps is slow. We present TARN, a parser of maps by vertex voting. "
    "TARN reaches 71.4 F1 on OAKMOOR. Building on this result, we label 300 maps of coastal towns by hand, "
    "paving the way for historians. "
    "This also holds for sketches."
)


def _evidence(question: str, *parts: list[float]) -> PaperEvidence:
    paper = Paper("p1", "TARN", False, _ABSTRACT, _ABSTRACT, {})
    facts = sentence_facts(_ABSTRACT)
    orders = tuple(
        tuple(
            sorted(
                (Ranked(facts[i], i, p, {"covers": 0.0}) for i, p in enumerate(shares)),
                key=lambda r: (-r.probability, r.index),
            )
        )
        for shares in parts
    )
    found = ScoredChunk(chunk(paper)[0], paper, 1.0, "both")
    return PaperEvidence(paper, understand(question), found, orders[0], (), 1.0, (), 0.5, 0.5, orders)


def _places(evidence: PaperEvidence, most: int = 4) -> list[int]:
    return [r.index for r in chosen(evidence, most)]


def test_a_sentence_that_clearly_answers_stands_alone() -> None:
    """Further sentences are shown only as far as the fact may be among them."""
    evidence = _evidence("Which F1 does TARN reach?", [0.01, 0.03, 0.93, 0.02, 0.01])
    assert _places(evidence) == [2]
    assert probability(evidence) == pytest.approx(0.93)


def test_the_sentence_that_answers_is_read_first() -> None:
    """A likely answer comes before what else is shown; where none is likely, the abstract's order stays."""
    assert _places(_evidence("What is it?", [0.02, 0.33, 0.6, 0.05, 0.0])) == [2, 1]
    assert _places(_evidence("What is it?", [0.05, 0.3, 0.25, 0.4, 0.0])) == [1, 2, 3]


def test_each_of_two_questions_gets_its_sentence() -> None:
    """The second question in one is not crowded out by further sentences for the first."""
    evidence = _evidence("How, and with what F1?", [0.02, 0.9, 0.04, 0.02, 0.02], [0.02, 0.04, 0.9, 0.02, 0.02])
    assert sorted(_places(evidence)) == [1, 2]


def test_what_points_back_is_read_behind_what_it_points_to() -> None:
    """ "This also holds ..." says nothing without the sentence before it."""
    assert _places(_evidence("For sketches?", [0.01, 0.01, 0.01, 0.01, 0.96])) == [3, 4]


def test_no_more_sentences_than_were_asked_for() -> None:
    """One sentence is one sentence, however the probability is spread."""
    assert _places(_evidence("What?", [0.2, 0.3, 0.2, 0.2, 0.1]), most=1) == [1]


def test_an_opening_and_an_outlook_are_not_quoted() -> None:
    """What ties a sentence to another, and what its authors hope for, goes; the quote is verbatim."""
    ranked = next(r for r in _evidence("How many maps?", [0.2] * 5).ranked if r.index == 3)
    span = shown(ranked, understand("How many maps does TARN label?"))
    assert _ABSTRACT[span.start : span.end] == "we label 300 maps of coastal towns by hand"
    assert (span.before, span.after) == ("… ", " …")
    whole = shown(ranked, understand("What does it mean for historians?"))
    assert _ABSTRACT[whole.start : whole.end].endswith("historians.")


@pytest.mark.parametrize(
    "sentence",
    [
        "It helps on all sets, providing no gain only if labels are noisy.",
        "It helps on all of the eight sets, confirming a gain of 3 points.",
        "However it fails on long texts.",
    ],
)
def test_negations_conditions_and_figures_are_never_cut_off(sentence: str) -> None:
    """A trimmed quote says nothing else than the whole."""
    ranked = Ranked(sentence_facts(sentence)[0], 0, 1.0, {})
    span = shown(ranked, understand("Does it help?"))
    assert sentence[span.start : span.end] == sentence


@pytest.mark.parametrize(
    ("text", "question", "most"),
    [
        ("In two sentences: what does TARN do?", "what does TARN do?", 2),
        ("What does TARN do, in one sentence?", "What does TARN do?", 1),
        ("Answer in one sentence: what does TARN do?", "what does TARN do?", 1),
        ("Just the number: F1 of TARN on OAKMOOR", "F1 of TARN on OAKMOOR", 1),
        ("Briefly, what does TARN do?", "what does TARN do?", 2),
        ("How many sentences has the corpus?", "How many sentences has the corpus?", None),
        ("How is a paper found in one word embedding?", "How is a paper found in one word embedding?", None),
    ],
)
def test_the_length_that_is_asked_for_is_read(text: str, question: str, most: int | None) -> None:
    """How long the answer may be is no part of what is asked."""
    request = without_orders(text)
    assert (request.question, request.sentences) == (question, most)


def test_two_questions_in_one_are_told_apart() -> None:
    """A question word behind "and" opens a new one; a list of things does not."""
    text = "How fast is TARN, and on what data was it trained?"
    assert questions_in(text) == [(0, "How fast is TARN"), (22, "on what data was it trained?")]
    assert len(questions_in("How many maps, towns and rivers does it hold?")) == 1


def test_a_word_of_a_name_is_no_word_to_look_for_in_a_part_of_the_question():
    text = "How does Stochastic Depth drop layers? And how many layers does it keep?"
    whole = understand(text, ((9, 25),))
    parts = asked_in(whole, [])
    assert len(parts) == 2
    assert "stochast" not in whole.focus
    assert all(set(part.focus) <= set(whole.focus) for part in parts)
