"""`rag doctor --deep`: every passage is searched by its own text through each index; what fails is mended."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rag.library.catalog import Catalog
from rag.library.rows import embedded_text
from rag.library.store import VectorStore
from rag.types import Chunk, Embedder

DEPTH = 10  # a passage may stand beside others that say the same
_BATCH = 64
_TIE = 1e-4  # how much less alike than the best a passage may be to itself, by rounding
Search = Callable[[str], Mapping[str, float]]  # a text -> the best chunks by its words, best first


def unfound(
    catalog: Catalog, store: VectorStore | None, embedder: Embedder | None, search: Search
) -> dict[str, list[str]]:
    """Return, by index, the ids of the chunks that do not find themselves."""
    lost: dict[str, list[str]] = {"lexical": [], "vectors": []}
    chunks = catalog.chunks_of([paper.id for paper in catalog.papers()])
    papers = catalog.get(sorted({chunk.paper_id for chunk in chunks}))
    texts = {chunk.id: embedded_text(papers[chunk.paper_id], chunk) for chunk in chunks}
    lost["lexical"] = [c.id for c in chunks if c.id not in search(texts[c.id])]
    if store is not None and embedder is not None:
        for start in range(0, len(chunks), _BATCH):
            part = chunks[start : start + _BATCH]
            vectors = embedder.embed([texts[c.id] for c in part])
            lost["vectors"] += [c.id for c, v in zip(part, vectors, strict=True) if not _found_by_vector(store, c, v)]
    return lost


def _found_by_vector(store: VectorStore, chunk: Chunk, vector: Any) -> bool:
    return _stands(chunk.id, store.query(vector, DEPTH))


def _stands(identity: str, found: list[tuple[str, float]]) -> bool:
    scores = dict(found)
    return identity in scores and scores[identity] >= found[0][1] * (1 - _TIE) - _TIE


def prove(
    catalog: Catalog, store: VectorStore | None, embedder: Embedder | None, search: Search, mend: Any
) -> dict[str, Any]:
    """Search every chunk by its own text; call `mend(lost)` where some are lost, and search again."""
    first = unfound(catalog, store, embedder, search)
    lost = sorted({*first["lexical"], *first["vectors"]})
    if lost:
        mend(lost)
    after = unfound(catalog, store, embedder, search) if lost else {"lexical": [], "vectors": []}
    unmended = sorted({*after["lexical"], *after["vectors"]})
    return {
        "chunks": catalog.chunk_count(),
        "lexical": first["lexical"],
        "vectors": first["vectors"],
        "mended": sorted(set(lost) - set(unmended)),
        "unmended": unmended,
    }
