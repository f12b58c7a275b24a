"""Which words are ordinary English, in forms and compounds too; which words spell an acronym."""

from __future__ import annotations

import pytest

from rag.text.dictionary import Dictionary, spellings
from rag.text.matching import stands_for

WORDS = Dictionary(["likely", "loose", "shrink", "term", "left", "over", "tamper", "map", "tide", "mill"])


@pytest.mark.parametrize(
    "word", ["likelier", "loosest", "shrinkage", "preterm", "leftover", "tampering", "mapped", "tidemill", "tides"]
)
def test_forms_and_compounds_of_words_are_ordinary(word: str) -> None:
    assert WORDS.explains(word)


@pytest.mark.parametrize("word", ["semaglutide", "tarnlex", "gullet", "overlex", "tidemills9", "xmapped"])
def test_other_words_are_not(word: str) -> None:
    assert not WORDS.explains(word)


def test_without_a_list_every_word_is_ordinary() -> None:
    assert Dictionary(()).explains("semaglutide")


def test_british_and_american_spellings_lead_to_each_other() -> None:
    assert "esophagitis" in spellings("oesophagitis")
    assert "oesophagitis" in spellings("esophagitis")
    assert "harbor" in spellings("harbour")


@pytest.mark.parametrize(
    ("acronym", "text"),
    [
        ("RL", "We use reinforcement learning."),
        ("CoT", "It writes a chain of thought."),
        ("DBEs", "After double balloon enteroscopy, six left."),
        ("PET", "Positron emission tomography was used."),
        ("MoE", "a mixture of experts"),
    ],
)
def test_an_acronym_stands_for_words_that_begin_with_its_letters(acronym: str, text: str) -> None:
    assert stands_for(acronym, text)


@pytest.mark.parametrize(
    ("acronym", "text"),
    [
        ("ER", "We erase it. Results follow."),
        ("TA", "of the analysis"),
        ("PET", "Patients ended. Then we stopped."),
        ("AI", "apples in pears"),
        ("X", "xenon"),
    ],
)
def test_letters_that_only_happen_to_follow_one_another_spell_nothing(acronym: str, text: str) -> None:
    assert not stands_for(acronym, text)
