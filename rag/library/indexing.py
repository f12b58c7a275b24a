"""Papers -> both indexes: what changed is embedded, what went is deleted, what was interrupted is completed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rag.errors import LibraryError
from rag.library.catalog import Catalog
from rag.library.rows import embedded_text
from rag.library.store import VectorStore
from rag.types import Chunk, Embedder, Paper

_BATCH = 64  # chunks embedded at a time
# Vectors are stored so many at a time, sooner where embedding them took so many seconds: that is what an interruption
# can cost. Chroma reads its log anew with every write: 512 at a time take a quarter less of the processor than 64.
_STORED, _HELD = 512, 2.0
_PROBE = "Sparse attention keeps 99.1% of the accuracy on long documents at half of the cost."
_UNDERWAY = "storing vectors"  # property of a library whose vectors are being stored, or were when it was interrupted
_NEAREST, _TIE = 10, 1e-4
_SAME = 0.999  # cosine of two embeddings of the probe by one model: another batch or machine moves the sixth digit
Progress = Callable[[int, int], None]
_Row = tuple[Paper, Chunk, str]  # a chunk with its paper and its digest


def check_probe(catalog: Catalog, embedder: Embedder, name: str, rebuilding: str) -> None:
    """Compare what an embedder that may change behind its name makes of one sentence with what it made of it before.

    Raises `LibraryError` where it has changed, with the command for `rebuilding` the library; what can't change
    (`probed` is not set) is not asked.
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
            f"restore that model, or build the library again with: {rebuilding}"
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
    interrupted = catalog.meta(_UNDERWAY) == "yes"
    if total and not interrupted:
        catalog.set_meta(_UNDERWAY, "yes")
    while rows := catalog.pending(_STORED):
        writing = _Writing(catalog, store)
        stored = store.digests([identity for identity, _ in rows])
        catalog.mark_embedded([(identity, mark) for identity, mark in rows if stored.get(identity) == mark])
        missing = [(identity, mark) for identity, mark in rows if stored.get(identity) != mark]
        done += len(rows) - len(missing)
        try:
            for start in range(0, len(missing), _BATCH):
                part = missing[start : start + _BATCH]
                writing.take(part, _embedded(catalog, embedder, part), [i for i, _ in part if i in stored])
                embedded, done = embedded + len(part), done + len(part)
                if progress and done < total:
                    progress(done, total)
        finally:  # what was embedded before a service failed is paid for
            writing.write()
        if progress:
            progress(min(done, total), total)
    if interrupted:
        _link_again(catalog, store)
    if total or interrupted:
        catalog.set_meta(_UNDERWAY, "")
    return embedded


def _link_again(catalog: Catalog, store: VectorStore) -> None:
    """Store those vectors again that their own neighbourhood does not lead to.

    After a crash Chroma writes the last vectors into its graph a second time, and a point may lose its links by it
    (hnswlib updates it in place). Nothing is embedded; 1,000 passages take about 2 s.
    """
    marks = store.digests(store.ids())
    ids = list(marks)
    for start in range(0, len(ids), _BATCH):
        vectors = store.vectors(ids[start : start + _BATCH])
        lost = [identity for identity, vector in vectors.items() if not _leads_to(store, identity, vector)]
        passages = catalog.passages(lost)
        rows = [(*passages[i], marks[i]) for i in lost if i in passages]
        if rows:
            store.delete([chunk.id for _, chunk, _ in rows])
            store.upsert(rows, np.stack([vectors[chunk.id] for _, chunk, _ in rows]))


def _leads_to(store: VectorStore, identity: str, vector: Any) -> bool:
    """Tell whether a vector is found among the nearest to itself, or so many others are as near."""
    found = store.query(vector, _NEAREST)
    return identity in dict(found) or (len(found) == _NEAREST and found[-1][1] >= 1 - _TIE)


def _embedded(catalog: Catalog, embedder: Embedder, rows: Sequence[tuple[str, str]]) -> tuple[list[_Row], Any]:
    """Return the passages of some (chunk id, digest), with their papers and digests, and their vectors."""
    passages = catalog.passages([identity for identity, _ in rows])
    batch: list[_Row] = [(*passages[i], mark) for i, mark in rows if i in passages]
    return batch, embedder.embed([embedded_text(paper, chunk) for paper, chunk, _ in batch]) if batch else None


class _Writing:
    """Vectors that are embedded and not stored yet; stored together."""

    def __init__(self, catalog: Catalog, store: VectorStore) -> None:
        self._catalog, self._store, self._since = catalog, store, time.monotonic()
        self._rows: list[tuple[str, str]] = []
        self._batches: list[tuple[list[_Row], Any]] = []
        self._stale: list[str] = []

    def take(self, rows: Sequence[tuple[str, str]], batch: tuple[list[_Row], Any], stale: Sequence[str]) -> None:
        """Hold a batch, and store all that is held where it has been held for long; `stale` ids are stored already."""
        self._rows += rows
        self._batches += [batch] if batch[0] else []
        self._stale += stale
        if time.monotonic() - self._since >= _HELD:
            self.write()

    def write(self) -> None:
        """Store what is held, then mark it as done."""
        rows, batches, stale = self._rows, self._batches, self._stale
        self._rows, self._batches, self._stale = [], [], []
        if batches:
            # Chroma merges what it is given with what it has; an edited passage must keep nothing of the old one.
            self._store.delete(stale)
            self._store.upsert([row for batch, _ in batches for row in batch], np.concatenate([v for _, v in batches]))
        self._catalog.mark_embedded(rows)
        self._since = time.monotonic()


def paper_vectors(catalog: Catalog, store: VectorStore, ids: Sequence[str]) -> dict[str, Any]:
    """Return the mean of each paper's stored vectors; papers without one are left out."""
    chunks = catalog.chunks_of(ids)
    stored = store.vectors([chunk.id for chunk in chunks])
    found: dict[str, list[Any]] = {}
    for chunk in chunks:
        if chunk.id in stored:
            found.setdefault(chunk.paper_id, []).append(stored[chunk.id])
    return {identity: sum(rows) / len(rows) for identity, rows in found.items()}
