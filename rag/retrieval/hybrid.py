"""Question -> scored chunks: dense and lexical candidates, fused, ranked by paper.

Fusion: a weighted sum of both sides' scores, each divided by the best of its side in this query. A passage that one
side did not bring up still gets that side's score: BM25 is known for every passage, and a cosine below the candidates'
is taken as their least. The sum is scaled so that the best on both sides is 1 and what neither side supports 0.
`docs/retrieval.md` has the figures, and what lost.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from rag.library.catalog import Catalog
from rag.retrieval.lexical import LexicalIndex
from rag.types import Embedder, Hit, ScoredChunk, Source

Near = Callable[[Any, int, Sequence[str] | None], list[tuple[str, float]]]  # vector, k, ids -> (chunk id, cosine)
DEPTH = 100  # candidates a side; fixed, so that a larger k only appends
DENSE_WEIGHT = 0.6
CROWD, _COPY = 30, 0.8  # papers looked at for copies; share of their words that two copies have in common


@dataclass(frozen=True, slots=True)
class Candidates:
    """What one query found: fused chunks best first, and the raw scores that the decision to answer needs."""

    chunks: tuple[ScoredChunk, ...]
    cosine: Mapping[str, float]  # chunk id -> cosine similarity
    bm25: Mapping[str, float]  # chunk id -> BM25 score
    reach: float = 0.0  # BM25 score of a passage with every word of the query

    def by_paper(self) -> list[ScoredChunk]:
        """Return the best chunk of each paper, best first."""
        best: dict[str, ScoredChunk] = {}
        for scored in self.chunks:
            best.setdefault(scored.paper.id, scored)
        return list(best.values())


class Retriever:
    """Hybrid search over one library; without an embedder it is lexical only."""

    def __init__(
        self,
        catalog: Catalog,
        near: Near,
        embedder: Embedder | None,
        lexical: Callable[[], LexicalIndex],
    ) -> None:
        self._catalog, self._near, self._embedder, self._lexical = catalog, near, embedder, lexical

    def candidates(
        self,
        query: str,
        paper_ids: Sequence[str] | None = None,
        *,
        dense: bool = True,
        first: int | None = None,
        also: Collection[str] = (),
    ) -> Candidates:
        """Return the fused candidates for a query, of all papers or of those named; `dense=False` goes by words alone.

        Scores are 0-1 and compare within one query only. With `first`, the passages of so many papers are read, and of
        those with the ids `also`; the raw scores are of all.
        """
        allowed = None if paper_ids is None else self._catalog.chunk_ids(paper_ids)
        near = self._dense(query, allowed) if dense else {}
        index = self._lexical()
        scores = index.scores(query)
        matched = index.top(scores, DEPTH, None if allowed is None else index.rows(allowed))
        fused = fuse(near, matched | index.of(scores, near.keys() - matched.keys()))
        wanted = fused if first is None else _of_papers(fused, first, also)
        return replace(self._resolve(wanted, near, matched), reach=index.reach(query))

    @property
    def passages(self) -> int:
        """Return the number of passages."""
        return len(self._lexical())

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many passages each term occurs, 0 where it does not."""
        index = self._lexical()
        return {term: index.count(term) for term in terms}

    def has_phrase(self, terms: Sequence[str]) -> bool:
        """Tell whether any passage holds these terms side by side."""
        return self._lexical().has_phrase(terms)

    def _dense(self, query: str, allowed: Sequence[str] | None) -> dict[str, float]:
        if self._embedder is None or not query.strip():
            return {}
        return dict(self._near(self._embedder.embed([query])[0], DEPTH, allowed))

    def _resolve(
        self, fused: Sequence[tuple[str, float, Source]], dense: Mapping[str, float], lexical: Mapping[str, float]
    ) -> Candidates:
        passages = self._catalog.passages([identity for identity, _, _ in fused])
        # A vector whose chunk is gone from the catalog is a withdrawal that Chroma has not forgotten yet.
        scored = tuple(
            ScoredChunk(passages[identity][1], passages[identity][0], score, source)
            for identity, score, source in fused
            if identity in passages
        )
        return Candidates(scored, dense, lexical)


def paper_of(chunk_id: str) -> str:
    """Return the id of the paper that a chunk is of."""
    return chunk_id.rpartition(":")[0]


def _of_papers(
    fused: Sequence[tuple[str, float, Source]], first: int, also: Collection[str]
) -> list[tuple[str, float, Source]]:
    """Return the candidates of the first papers, and of those with the ids `also`."""
    papers = dict.fromkeys(paper_of(identity) for identity, _, _ in fused)
    wanted = {*islice(papers, first), *also}
    return [row for row in fused if paper_of(row[0]) in wanted]


def fuse(
    dense: Mapping[str, float], lexical: Mapping[str, float], dense_weight: float = DENSE_WEIGHT
) -> list[tuple[str, float, Source]]:
    """Return (id, score, source) of both sides' candidates, best first, ties by id.

    A lexical score of 0 is no candidate of that side.
    """
    if not any(lexical.values()):
        dense_weight = 1.0
    elif not dense:
        dense_weight = 0.0
    best_dense, best_lexical = max(dense.values(), default=0.0), max(lexical.values(), default=0.0)
    least = min(dense.values(), default=0.0) if len(dense) > 1 else 0.0
    low = dense_weight * _share(least, best_dense)
    rows = []
    for identity in dense.keys() | lexical.keys():
        words = lexical.get(identity, 0.0)
        score = dense_weight * _share(dense.get(identity, least), best_dense)
        score += (1 - dense_weight) * _share(words, best_lexical)
        source: Source = "lexical" if identity not in dense else "both" if words > 0 else "dense"
        rows.append((identity, min(1.0, max(0.0, (score - low) / (1 - low))) if low < 1 else 1.0, source))
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def _share(score: float, best: float) -> float:
    """Return a score as a share of the best; 0 where even the best is none."""
    return max(0.0, score) / best if best > 0 else 0.0


def without_crowding(found: Sequence[ScoredChunk]) -> list[ScoredChunk]:
    """Put near-copies of a better paper (a preprint and its final version) behind the other papers near the top.

    Looks at the first few only, however many are wanted, so that a larger k only appends.
    """
    near = found[:CROWD]
    apart = set(first_of_copies({scored.chunk.id: scored.chunk.text for scored in near}))
    first = [scored for scored in near if scored.chunk.id in apart]
    copies = [scored for scored in near if scored.chunk.id not in apart]
    return [*first, *copies, *found[CROWD:]]


def first_of_copies(texts: Mapping[str, str]) -> list[str]:
    """Return the ids of the texts that are no near-copy of an earlier one."""
    seen: dict[str, frozenset[str]] = {}
    for identity, text in texts.items():
        words = words_of(text)
        if not any(are_copies(words, other) for other in seen.values()):
            seen[identity] = words
    return list(seen)


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as they are compared for copies."""
    return frozenset(text.split())


def are_copies(a: frozenset[str], b: frozenset[str]) -> bool:
    """Tell whether two texts share most of their words; their lengths alone tell most pairs apart."""
    if min(len(a), len(b)) < _COPY * max(len(a), len(b)):
        return False
    common = len(a & b)
    return common >= _COPY * (len(a) + len(b) - common)


def hits(found: Sequence[ScoredChunk], k: int) -> list[Hit]:
    """Return the first k papers that were found, one row a paper."""
    return [Hit(s.paper.id, s.paper.title, s.score, s.source, s.chunk.text, s.paper) for s in found[:k]]
