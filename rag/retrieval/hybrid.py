"""Question -> scored chunks: dense and lexical candidates, fused, ranked by paper.

Fusion: per query, each side's top 100 scores are scaled to 0-1 (min-max) and averaged (CombSUM with min-max
normalisation; Lee, 1997); measured better here than reciprocal rank fusion (nDCG@10 0.730 against 0.714 on SciFact).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.library.catalog import Catalog
from rag.library.store import VectorStore
from rag.text.words import index_terms
from rag.types import Embedder, Hit, ScoredChunk, Source

DEPTH = 100  # candidates a side; fixed, so that a larger k only appends
_DENSE_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Candidates:
    """What one query found: fused chunks best first, and the raw scores that the decision to answer needs."""

    chunks: tuple[ScoredChunk, ...]
    cosine: Mapping[str, float]  # chunk id -> cosine similarity
    bm25: Mapping[str, float]  # chunk id -> BM25 score

    def by_paper(self) -> list[ScoredChunk]:
        """Return the best chunk of each paper, best first."""
        best: dict[str, ScoredChunk] = {}
        for scored in self.chunks:
            best.setdefault(scored.paper.id, scored)
        return list(best.values())


class Retriever:
    """Hybrid search over one library; without an embedder it is lexical only."""

    def __init__(self, catalog: Catalog, vectors: Callable[[], VectorStore | None], embedder: Embedder | None) -> None:
        self._catalog, self._vectors, self._embedder = catalog, vectors, embedder

    def candidates(self, query: str, paper_ids: Sequence[str] | None = None, *, dense: bool = True) -> Candidates:
        """Return the fused candidates for a query, of all papers or of those named; `dense=False` goes by words alone.

        Scores are 0-1 and compare within one query only.
        """
        terms = index_terms(query)
        allowed = None if paper_ids is None else [c.id for c in self._catalog.chunks_of(paper_ids)]
        lexical = self._lexical(terms, allowed)
        near = self._dense(query, allowed) if dense else {}
        return self._resolve(fuse(near, lexical), near, lexical)

    def _lexical(self, terms: Sequence[str], allowed: Sequence[str] | None) -> dict[str, float]:
        if allowed is None:
            return dict(self._catalog.match(terms, DEPTH))
        within = set(allowed)
        rows = self._catalog.match(terms, self._catalog.chunk_count())
        return dict([row for row in rows if row[0] in within][:DEPTH])

    def _dense(self, query: str, allowed: Sequence[str] | None) -> dict[str, float]:
        store = self._vectors() if self._embedder is not None and query.strip() else None
        if store is None or self._embedder is None:
            return {}
        vector = self._embedder.embed([query])[0]
        return dict(store.query(vector, DEPTH, allowed))

    def _resolve(self, fused: Sequence[tuple[str, float, Source]], dense: Any, lexical: Any) -> Candidates:
        chunks = self._catalog.chunks([identity for identity, _, _ in fused])
        papers = self._catalog.get(list({chunk.paper_id for chunk in chunks.values()}))
        # A vector whose chunk is gone from the catalog is a withdrawal that Chroma has not forgotten yet.
        scored = tuple(
            ScoredChunk(chunks[identity], papers[chunks[identity].paper_id], score, source)
            for identity, score, source in fused
            if identity in chunks
        )
        return Candidates(scored, dense, lexical)


def fuse(
    dense: Mapping[str, float], lexical: Mapping[str, float], dense_weight: float = _DENSE_WEIGHT
) -> list[tuple[str, float, Source]]:
    """Return (id, score, source) of both sides' candidates, best first, ties by id."""
    scaled_dense, scaled_lexical = _min_max(dense), _min_max(lexical)
    if not dense or not lexical:
        dense_weight = 1.0 if dense else 0.0
    rows = []
    for identity in dense.keys() | lexical.keys():
        score = dense_weight * scaled_dense.get(identity, 0.0)
        score += (1 - dense_weight) * scaled_lexical.get(identity, 0.0)
        source: Source = (
            "both" if identity in dense and identity in lexical else "dense" if identity in dense else "lexical"
        )
        rows.append((identity, score, source))
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def _min_max(scores: Mapping[str, float]) -> dict[str, float]:
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0)
    return {identity: (score - low) / (high - low) for identity, score in scores.items()}


def hits(candidates: Candidates, k: int) -> list[Hit]:
    """Return the first k papers of the candidates, one row a paper."""
    return [Hit(s.paper.id, s.paper.title, s.score, s.source, s.chunk.text, s.paper) for s in candidates.by_paper()[:k]]
