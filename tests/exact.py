"""The served search against the same fusion over brute-force scores: how many of its first ten papers are the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rag.pipeline import Library
from rag.retrieval.hybrid import Candidates, Retriever
from rag.retrieval.lexical import LexicalIndex
from rag.types import Embedder

FIRST = 10


@dataclass(frozen=True)
class Exact:
    """Every passage's vector, searched by reading all of them."""

    ids: Sequence[str]
    vectors: Any

    def near(self, vector: Any, k: int, ids: Sequence[str] | None = None) -> list[tuple[str, float]]:
        """Return the k nearest of all passages or of those with these ids, as `VectorStore.query` does."""
        allowed = None if ids is None else set(ids)
        scored = zip(self.ids, (self.vectors @ np.asarray(vector)).tolist(), strict=True)
        rows = ((identity, score) for identity, score in scored if allowed is None or identity in allowed)
        return sorted(rows, key=lambda row: (-row[1], row[0]))[:k]


def exact_of(library: Library) -> Exact:
    """Return the vectors of a library, read back once."""
    store = library.keeper.vectors()
    assert store is not None, "the library has no vectors"
    stored = store.vectors([identity for identity, _ in library.keeper.catalog.terms()])
    ids = sorted(stored)
    return Exact(ids, np.stack([np.asarray(stored[identity], dtype=np.float32) for identity in ids]))


def agreement(
    library: Library, embedder: Embedder, queries: Sequence[str], within: Sequence[str] | None = None
) -> float:
    """Return the share of queries whose first ten papers are those of the fusion over exact scores, in that order."""
    words = LexicalIndex(library.keeper.catalog.terms())
    served = Retriever(library.keeper.catalog, library.keeper.near, embedder, lambda: words)
    brute = Retriever(library.keeper.catalog, exact_of(library).near, embedder, lambda: words)
    same = [_first(served.candidates(text, within)) == _first(brute.candidates(text, within)) for text in queries]
    return sum(same) / len(same)


def _first(found: Candidates) -> list[str]:
    return [scored.paper.id for scored in found.by_paper()[:FIRST]]
