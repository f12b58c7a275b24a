"""What an abstract denies, keeps as it was, or says the other way round; and what it gives no figure of."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rag.answering.facets import is_silent
from rag.pipeline import Library

KELPNET = (
    "KELPNET counts kelp plants in drone images. Adding a thermal channel did not help and even lowered recall. "
    "Fences between plots are found without any manual annotation. The encoder, VITROX, is taken off-the-shelf and "
    "stays frozen throughout. KELPNET needs 30% fewer images than its predecessor at an unchanged false alarm rate. "
    "The second pass raises inference time by a factor of 1.4."
)
REEFMAP = (
    "REEFMAP segments corals in sonar scans. Merging neighbouring beams turned out to be worse than dropping them. "
    "Detectors built on large models are no faster than the older ones. Its outputs are "
    "under-confident in turbid water. "
    "The paper contains no experiments with divers. It was tried on 14 reefs."
)


@pytest.fixture(scope="module")
def library(invented: Callable[..., Library]) -> Library:
    return invented(KELPNET, REEFMAP)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How much did adding a thermal channel boost KELPNET?", "did not help"),
        ("Who does the manual annotation of fences for KELPNET?", "without any manual annotation"),
        ("How was VITROX fine-tuned for KELPNET?", "stays frozen"),
        ("By how much does KELPNET raise the false alarm rate?", "unchanged false alarm rate"),
        ("Why does KELPNET need more images than its predecessor?", "30% fewer images"),
        ("How does KELPNET's second pass speed up inference?", "raises inference time"),
        ("Why is merging neighbouring beams better in REEFMAP?", "worse than dropping"),
        ("Why does REEFMAP find detectors built on large models faster?", "no faster"),
        ("Why are REEFMAP's outputs over-confident in turbid water?", "under-confident"),
        ("What makes REEFMAP good on 20 reefs?", "14 reefs"),
    ],
)
def test_a_denied_or_reversed_premise_is_put_right_with_the_sentence_that_shows_it(
    library: Library, question: str, said: str
) -> None:
    answer = library.ask(question)

    assert answer.outcome == "false_premise"
    assert any(said in citation.quote for citation in answer.citations)


@pytest.mark.parametrize(
    "question",
    [
        "What happened when a thermal channel was added to KELPNET?",
        "How does KELPNET find fences without annotation?",
        "Did adding a thermal channel help KELPNET?",
        "What does KELPNET's second pass cost in inference time?",
        "On how many reefs was REEFMAP tried?",
        "What is worse than dropping beams in REEFMAP?",
        "Nobody annotated fences for KELPNET, so how are they found?",
        "The one that counts kelp without any manual annotation of fences, which was that?",
    ],
)
def test_a_question_that_takes_nothing_false_for_granted_is_answered(library: Library, question: str) -> None:
    assert library.ask(question).outcome == "answered"


@pytest.mark.parametrize(
    ("question", "silent"),
    [
        ("How many layers does the encoder have?", True),
        ("how many parameters does it have", True),
        ("How many reefs was it tried on?", False),
        ("how many sites?", False),  # the abstract may call them reefs
        ("What temperature is used in the loss?", True),
        ("What learning rate was used?", True),
        ("How long did training take?", True),
        ("By what factor does the second pass raise inference time?", False),
        ("Do real people see the same?", True),
        ("Which graphics card was it run on?", True),
        ("Which five reefs were they?", True),
        ("Who funded the dives?", True),
        ("How old were the divers?", True),
        ("What base model was fine-tuned?", True),
        ("Which languages do the divers speak?", True),
    ],
)
def test_a_typical_detail_without_a_word_or_figure_is_not_told(question: str, silent: bool) -> None:
    assert is_silent(question, f"{KELPNET} {REEFMAP}") == silent


def test_what_an_abstract_tells_in_words_of_its_own_is_no_silence() -> None:
    abstract = (
        "Experts graded 40 photographs with Qwen2-7B on two laptops, in Dutch, Frisian and German. "
        "At inference time it adds noise."
    )

    for question in (
        "how many pictures were graded",
        "which languages was it graded in",
        "what base model did they use",
        "which machine was used",
        "how does it hide the grades at inference time",
    ):
        assert not is_silent(question, abstract), question
