"""The index that serves vectors changes nothing: the first ten are those of the fusion over brute-force scores."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from rag.pipeline import Library
from tests.core.conftest import OpenAt
from tests.exact import agreement, exact_of
from tests.fakes import WordEmbedder, make_paper, make_reading

PAPERS, QUERIES = 600, 60
WORDS = [f"{a}{b}" for a in ("tid", "mar", "fen", "dal", "gor", "hul", "vik") for b in ("al", "en", "or", "ist", "um")]


@pytest.fixture
def library(open_at: OpenAt, tmp_path: Path) -> Library:
    chance = random.Random(5)
    texts = [" ".join(chance.choices(WORDS, k=25)) for _ in range(PAPERS)]
    library = open_at(tmp_path / "library", WordEmbedder(128))
    library.add(make_reading(*(make_paper(text, f"p{n:03}") for n, text in enumerate(texts))), "a.txt")
    return library


@pytest.mark.parametrize("share", [None, 0.01, 0.1, 0.5])
def test_the_first_ten_are_those_of_an_exact_search(library: Library, share: float | None) -> None:
    chance = random.Random(6)
    queries = [" ".join(chance.choices(WORDS, k=5)) for _ in range(QUERIES)]
    within = None if share is None else sorted(chance.sample([p.id for p in library.papers()], int(share * PAPERS)))

    assert agreement(library, WordEmbedder(128), queries, within) >= 0.995


def test_an_index_that_misses_a_paper_would_be_noticed(library: Library) -> None:
    exact, vector = exact_of(library), WordEmbedder(128).embed(["tidal maren fenor"])[0]
    missed = exact.near(vector, 100)[0][0]
    library.remove([missed.rpartition(":")[0]])

    assert missed not in dict(library.keeper.near(vector, 100)) and missed in dict(exact.near(vector, 100))
