"""Titles for abstracts that came without one, in the abstract's own words."""

from __future__ import annotations

import re

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


def test_a_short_form_is_not_explained_by_one_word_of_its_long_form() -> None:
    abstract = "We propose a transfer between harbours for RL (HTRL). It gains 4 points."

    assert derive_title(abstract) == "HTRL: Transfer between harbours for RL"


@pytest.mark.parametrize(
    ("abstract", "title"),
    [
        ("We propose a fast method for reading tides from images (see the second section for how).", "Fast method"),
        ("We study all tides of one harbour (e.g. spring tides and neap tides) by night.", "Study all tides"),
        ("We present an account of tides of rate $O(n^2 + m) and of $k$ more things.", "Account of tides of rate"),
        ("We propose to forecast tides of harbours by means of long records.", "Forecast tides of harbours"),
        ("Mills are slow in winter such as those of the north and those of the south.", "Mills are slow in winter"),
        ("We describe a set of mills -- all of them built by hand -- in one valley.", "Set of mills"),
        ('We introduce a mill called "the bidirectional mill of the northern and southern rivers" here.', "Mill"),
    ],
)
def test_a_title_ends_at_a_word_that_wants_no_other(abstract: str, title: str) -> None:
    derived = derive_title(abstract)

    assert derived.startswith(title)
    assert not re.search(r"[(,;:–—-]$|\b(?:such|as|of|and|the|called|e\.g)$", derived)
    assert derived.count("(") == derived.count(")") and derived.count("$") % 2 == 0 and derived.count('"') % 2 == 0


def test_an_abstract_that_names_nothing_is_called_by_its_first_sentence() -> None:
    assert derive_title("Tidal mills turn slowly at night. It rains.") == "Tidal mills turn slowly at night"


@pytest.mark.parametrize("abstract", ["Mills.", "…", "we propose", "This paper presents", "(((", "We introduce A (B)."])
def test_any_abstract_gets_a_title_of_its_own_characters(abstract: str) -> None:
    assert fold(derive_title(abstract)) in fold(abstract)
