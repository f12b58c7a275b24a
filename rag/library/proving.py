"""`rag doctor --deep`: every passage is searched by its own text through each index; what fails is mended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.library.catalog import Catalog
from rag.library.chunking import chunk as chunks_of_paper
from rag.library.rows import NameUse, embedded_text, name_rows
from rag.library.store import VectorStore
from rag.types import Chunk, Embedder, Paper

DEPTH = 10  # a passage may stand beside others that say the same
_BATCH = 64
_TIE = 1e-4  # how much less alike than the best a passage may be to itself, by rounding
Search = Callable[[str], Mapping[str, float]]  # a text -> the best chunks by its words, best first


@dataclass(frozen=True, slots=True)
class Menders:
    """What mends a library: papers whose derived rows are made anew, chunks embedded again, vectors that go."""

    papers: Callable[[Sequence[str]], None]
    chunks: Callable[[Sequence[str]], None]
    strays: Callable[[Sequence[str]], None]


def unfound(
    catalog: Catalog, store: VectorStore | None, embedder: Embedder | None, search: Search
) -> dict[str, list[str]]:
    """Return, by index, the ids of the chunks that do not find themselves."""
    lost: dict[str, list[str]] = {"lexical": [], "vectors": []}
    chunks = catalog.chunks_of([paper.id for paper in catalog.papers()])
    papers = catalog.get(sorted({chunk.paper_id for chunk in chunks}))
    texts = {chunk.id: embedded_text(papers[chunk.paper_id], chunk) for chunk in chunks}
    lost["lexical"] = [c.id for c in chunks if not _found_by_words(c.id, search(texts[c.id]), texts)]
    if store is not None and embedder is not None:
        for start in range(0, len(chunks), _BATCH):
            part = chunks[start : start + _BATCH]
            vectors = embedder.embed([texts[c.id] for c in part])
            lost["vectors"] += [c.id for c, v in zip(part, vectors, strict=True) if not _found_by_vector(store, c, v)]
    return lost


def _found_by_words(identity: str, found: Mapping[str, float], texts: Mapping[str, str]) -> bool:
    """Tell whether a passage is among those found, or has the very text that all of them have."""
    return identity in found or (len(found) >= DEPTH and all(texts.get(i) == texts[identity] for i in found))


def _found_by_vector(store: VectorStore, chunk: Chunk, vector: Any) -> bool:
    found = store.query(vector, DEPTH)
    own = dict(found).get(chunk.id)
    if own is None:  # more passages than are looked at may say the same
        own = next((score for _, score in store.query(vector, 1, [chunk.id])), None)
    return own is not None and own >= found[0][1] * (1 - _TIE) - _TIE


def misread(catalog: Catalog) -> list[str]:
    """Return the ids of the papers whose stored passages or names are not those of their text."""
    passages: dict[str, set[tuple[str, int, int]]] = defaultdict(set)
    names: dict[str, set[NameUse]] = defaultdict(set)
    papers = list(catalog.papers())
    for piece in catalog.chunks_of([paper.id for paper in papers]):
        passages[piece.paper_id].add((piece.id, piece.start, piece.end))
    for use in catalog.names():
        names[use.paper_id].add(use)
    return [paper.id for paper in papers if not _is_of(paper, passages[paper.id], names[paper.id])]


def _is_of(paper: Paper, passages: set[tuple[str, int, int]], names: set[NameUse]) -> bool:
    if passages != {(piece.id, piece.start, piece.end) for piece in chunks_of_paper(paper)}:
        return False
    made = {NameUse(key, text, owner, count, bool(owned)) for key, text, owner, count, owned in name_rows(paper)}
    return names == made


def prove(
    catalog: Catalog, store: VectorStore | None, embedder: Embedder | None, search: Search, mend: Menders
) -> dict[str, Any]:
    """Prove both indexes and what they rest on, mend what fails, and search again.

    Returns the ids that failed, by kind: `misread` papers, chunks lost to the `lexical` index or the `vectors`, and
    `strays`, vectors of chunks that the texts do not have; then what was `mended` and what was not.
    """
    wrong = misread(catalog)
    if wrong:  # first: the passages are what the indexes are proved by
        mend.papers(wrong)
    first = unfound(catalog, store, embedder, search)
    strays = _strays(catalog, store)
    lost = sorted({*first["lexical"], *first["vectors"]})
    for ids, mended in ((lost, mend.chunks), (strays, mend.strays)):
        if ids:
            mended(ids)
    after: set[str] = set()
    if wrong or lost or strays:
        again = unfound(catalog, store, embedder, search)
        after = {*misread(catalog), *again["lexical"], *again["vectors"], *_strays(catalog, store)}
    return {
        "chunks": catalog.chunk_count(),
        "misread": wrong,
        **first,
        "strays": strays,
        "mended": sorted({*wrong, *lost, *strays} - after),
        "unmended": sorted(after),
    }


def _strays(catalog: Catalog, store: VectorStore | None) -> list[str]:
    if store is None:
        return []
    known = {piece.id for piece in catalog.chunks_of([paper.id for paper in catalog.papers()])}
    return sorted(set(store.ids()) - known)
