"""`rag doctor --deep`: every passage is searched by its own text through each index; what fails is mended."""

from __future__ import annotations

from typing import Any

from rag.library.catalog import Catalog, embedded_text
from rag.library.store import VectorStore
from rag.text.words import index_terms
from rag.types import Chunk, Embedder

_DEPTH = 10  # a passage may stand behind others that say the same
_RARE_TERMS = 12  # of a passage's words, those in the fewest others: enough to tell it from all
_BATCH = 64
_TIE = 1e-4  # how much less alike than the best a passage may be to itself, by rounding


def unfound(catalog: Catalog, store: VectorStore | None, embedder: Embedder | None) -> dict[str, list[str]]:
    """Return, by index, the ids of the chunks that do not find themselves."""
    lost: dict[str, list[str]] = {"lexical": [], "vectors": []}
    chunks = catalog.chunks_of([paper.id for paper in catalog.papers()])
    papers = catalog.get(sorted({chunk.paper_id for chunk in chunks}))
    texts = {chunk.id: embedded_text(papers[chunk.paper_id], chunk) for chunk in chunks}
    lost["lexical"] = [c.id for c in chunks if not _found_by_words(catalog, c, texts[c.id])]
    if store is not None and embedder is not None:
        for start in range(0, len(chunks), _BATCH):
            part = chunks[start : start + _BATCH]
            vectors = embedder.embed([texts[c.id] for c in part])
            lost["vectors"] += [c.id for c, v in zip(part, vectors, strict=True) if not _found_by_vector(store, c, v)]
    return lost


def _found_by_words(catalog: Catalog, chunk: Chunk, text: str) -> bool:
    terms = list(dict.fromkeys(index_terms(text)))
    if not terms:
        return True
    counts = catalog.document_frequency(terms)
    rare = sorted(terms, key=lambda term: (counts[term], term))[:_RARE_TERMS]
    if any(counts[term] == 0 for term in rare):
        return False
    found = catalog.match(rare, _DEPTH)
    return _stands(chunk.id, found) or chunk.id in dict(catalog.match(terms, _DEPTH * 10))


def _found_by_vector(store: VectorStore, chunk: Chunk, vector: Any) -> bool:
    return _stands(chunk.id, store.query(vector, _DEPTH))


def _stands(identity: str, found: list[tuple[str, float]]) -> bool:
    scores = dict(found)
    return identity in scores and scores[identity] >= found[0][1] * (1 - _TIE) - _TIE


def prove(catalog: Catalog, store: VectorStore | None, embedder: Embedder | None, mend: Any) -> dict[str, Any]:
    """Search every chunk by its own text; call `mend(lost)` where some are lost, and search again."""
    first = unfound(catalog, store, embedder)
    lost = sorted({*first["lexical"], *first["vectors"]})
    if lost:
        mend(lost)
    after = unfound(catalog, store, embedder) if lost else {"lexical": [], "vectors": []}
    unmended = sorted({*after["lexical"], *after["vectors"]})
    return {
        "chunks": catalog.chunk_count(),
        "lexical": first["lexical"],
        "vectors": first["vectors"],
        "mended": sorted(set(lost) - set(unmended)),
        "unmended": unmended,
    }
