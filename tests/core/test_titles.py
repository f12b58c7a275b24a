"""Titles for abstracts that came without one, in the abstract's own words."""

from __future__ import annotations

import pytest

from rag.text.names import name_key
from rag.text.titles import derive_title
from rag.text.words import fold, tokens
from rag.types import Paper

# What each seed abstract coins for its own contribution, by a phrase of it; two coin nothing.
COINED = {
    "AutoTool": "adaptively decides whether to invoke tools",
    "SciPredict": "predict experimental outcomes",
    "PBS-Attn": "permutation properties of attention",
    "ASASR": "Sobolev-induced Riemannian geometry",
    "SOMA": "Out-of-Vision Manipulation",
    "SkeletonLLM": "human skeletons",
    "WASH": "Watermark Attenuation",
    "T3": "4K video generation",
    "DeepHA": "heterogeneous action spaces",
    "LaViD": "Language-to-Visual Knowledge Distillation",
    "GEMQ": "Mixed-precision quantization mitigates",
    "UI2Codeᴺ": "UI-to-code aims",
    "DREAM-R": "Speculative Alignment Policy Optimization",
    "GPZ": "collaborative inference",
    "SeProD": "self-prophetic decoding",
    "DE": "Symbolic regression",
    "LDPVR": "Interleaved Latent Grounding",
}


@pytest.mark.parametrize(("name", "phrase"), COINED.items())
def test_the_title_of_a_seed_names_what_its_abstract_coins(
    name: str, phrase: str, seed_papers: tuple[Paper, ...]
) -> None:
    (paper,) = [p for p in seed_papers if phrase in p.abstract]

    assert paper.title_derived
    assert name_key(paper.title.split(":")[0]) == name_key(name)


def test_every_derived_title_is_short_and_in_the_words_of_its_abstract(seed_papers: tuple[Paper, ...]) -> None:
    for paper in seed_papers:
        words = [t.text for t in tokens(paper.title)]
        assert 1 <= len(words) <= 16
        assert set(words) <= {t.text for t in tokens(fold(paper.abstract))}
    assert len({p.title for p in seed_papers}) == len(seed_papers)


def test_a_name_in_brackets_gets_its_long_form() -> None:
    abstract = "Tides are hard. In this work, we propose Quiet Tide Forecasting (QTF), a method for harbours."

    assert derive_title(abstract) == "QTF: Quiet Tide Forecasting"


def test_an_abstract_that_names_nothing_is_called_by_its_first_sentence() -> None:
    assert derive_title("Tidal mills turn slowly at night. It rains.") == "Tidal mills turn slowly at night"


@pytest.mark.parametrize("abstract", ["Mills.", "…", "we propose", "This paper presents", "(((", "We introduce A (B)."])
def test_any_abstract_gets_a_title_of_its_own_characters(abstract: str) -> None:
    assert fold(derive_title(abstract)) in fold(abstract)
