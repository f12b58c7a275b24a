"""Vectors kept between runs of the benchmarks, and libraries filled from them: embedding is most of what they cost."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rag.library.corpus import Reading
from rag.library.embedding import packaged_embedder
from rag.opening import open_library
from rag.pipeline import Library
from rag.types import Paper

_FILE = "vectors.npz"


class KeptEmbedder:
    """The packaged embedder, with the vectors of every text it was given kept in a folder."""

    def __init__(self, folder: Path) -> None:
        inner = packaged_embedder()
        assert inner is not None, "the embedding weights are not installed"
        self._inner, self._path = inner, folder / _FILE
        self.name, self.dimensions, self.fingerprint = inner.name, inner.dimensions, inner.fingerprint
        folder.mkdir(parents=True, exist_ok=True)
        self._vectors: dict[str, Any] = {}
        if self._path.is_file():
            with np.load(self._path) as kept:
                self._vectors = dict(zip(kept["marks"].tolist(), kept["vectors"], strict=True))
        self._saved = len(self._vectors)

    def embed(self, texts: Iterable[str]) -> Any:
        """Return the vectors of texts, embedding only those that are not kept."""
        texts = list(texts)
        marked = {mark(text): text for text in texts}
        missing = [key for key in marked if key not in self._vectors]
        if missing:
            self._vectors.update(zip(missing, self._inner.embed([marked[key] for key in missing]), strict=True))
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([self._vectors[mark(text)] for text in texts])

    def save(self) -> None:
        """Write what is new to the folder."""
        if len(self._vectors) > self._saved:
            np.savez(self._path, marks=np.array(list(self._vectors)), vectors=np.stack(list(self._vectors.values())))
            self._saved = len(self._vectors)


def mark(text: str) -> str:
    """Return what a text is known by."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@contextmanager
def library_of(papers: Sequence[Paper], folder: Path, embedder: KeptEmbedder) -> Iterator[Library]:
    """Open a library of these papers in a folder; what is in it already is not stored again."""
    with open_library(store=folder, embedder=embedder) as library:
        library.add(Reading(tuple(papers), ()), "benchmark")
        embedder.save()
        yield library
