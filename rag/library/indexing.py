"""Papers -> both indexes: what changed is embedded, what went is deleted, what was interrupted is completed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rag.errors import LibraryError
from rag.library.catalog import Catalog
from rag.library.rows import embedded_text
from rag.library.store import VectorStore
from rag.types import Chunk, Embedder, Paper

_BATCH = 128  # chunks embedded between two commits: what an interruption can cost, and over which lengths are sorted
_PROBE = "Sparse attention keeps 99.1% of the accuracy on long documents at half of the cost."
_SAME = 0.999  # cosine of two embeddings of the probe by one model: another batch or machine moves the sixth digit
Progress = Callable[[int, int], None]


def check_probe(catalog: Catalog, embedder: Embedder, name: str) -> None:
    """Compare what an embedder that may change behind its name makes of one sentence with what it made of it before.

    Raises `LibraryError` where it has changed; what can't change (`probed` is not set) is not asked.
    """
    if not getattr(embedder, "probed", False):
        return
    vector = np.asarray(embedder.embed([_PROBE])[0], dtype=np.float64)
    stored = catalog.meta("probe")
    if not stored:
        catalog.set_meta("probe", json.dumps([round(float(x), 7) for x in vector]))
        return
    before = np.asarray(json.loads(stored))
    if before.shape != vector.shape or float(before @ vector) < _SAME:
        raise LibraryError(
            f"{embedder.name} no longer gives library {name!r} the vectors that it gave when the library was made; "
            "restore that model, or build the library again with: rag index --rebuild"
        )


def complete(catalog: Catalog, store: VectorStore, embedder: Embedder, progress: Progress | None = None) -> int:
    """Bring the vector store in step with the catalog; return how many chunks were embedded.

    `progress(done, total)` is called after each batch. Safe to interrupt: a chunk is marked done after its vector is
    stored, and vectors that were stored before an interruption are recognised by their digest, not paid for again.
    """
    gone = catalog.withdrawn()
    if gone:
        store.delete(gone)
        catalog.mark_deleted(gone)
    if store.count() < catalog.chunk_count() - catalog.pending_count():
        # The vectors were lost, or the store is another one; those that are there are recognised below.
        catalog.forget_vectors()
    total, done, embedded = catalog.pending_count(), 0, 0
    if progress and total:
        progress(0, total)
    while rows := catalog.pending(_BATCH):
        stored = store.digests([identity for identity, _ in rows])
        missing = [(identity, mark) for identity, mark in rows if stored.get(identity) != mark]
        _embed(catalog, store, embedder, missing, [i for i, _ in missing if i in stored])
        catalog.mark_embedded(rows)
        embedded += len(missing)
        done += len(rows)
        if progress:
            progress(min(done, total), total)
    return embedded


def _embed(
    catalog: Catalog, store: VectorStore, embedder: Embedder, rows: list[tuple[str, str]], stale: Sequence[str]
) -> None:
    if not rows:
        return
    passages = catalog.passages([identity for identity, _ in rows])
    batch: list[tuple[Paper, Chunk, str]] = [(*passages[i], mark) for i, mark in rows if i in passages]
    vectors = embedder.embed([embedded_text(paper, chunk) for paper, chunk, _ in batch])
    # Chroma merges what it is given with what it has; an edited passage must keep nothing of the old one.
    store.delete(stale)
    store.upsert(batch, vectors)


def paper_vectors(catalog: Catalog, store: VectorStore, ids: Sequence[str]) -> dict[str, Any]:
    """Return the mean of each paper's stored vectors; papers without one are left out."""
    chunks = catalog.chunks_of(ids)
    stored = store.vectors([chunk.id for chunk in chunks])
    found: dict[str, list[Any]] = {}
    for chunk in chunks:
        if chunk.id in stored:
            found.setdefault(chunk.paper_id, []).append(stored[chunk.id])
    return {identity: sum(rows) / len(rows) for identity, rows in found.items()}
