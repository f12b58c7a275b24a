"""Stand-ins that are handed in, never patched in, and builders that fill in what a test does not care about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag.library.corpus import Reading, papers_of, records
from rag.text.words import content_stems
from rag.types import Chunk, Paper, ScoredChunk, Skipped

DEFAULT_ABSTRACT = "We measure how tidal mills turn under light load. The wheel gains four percent."


class GaveUpError(Exception):
    """What `WordEmbedder` raises where it is told to give up."""


class WordEmbedder:
    """An embedder computed from the words: a hashed bag of stems as a unit vector.

    `calls` are the lists of texts it was given, in order; after `fail_after` texts in all it raises instead.
    """

    def __init__(self, dimensions: int = 16, *, fail_after: int | None = None, refuses_blank: bool = False) -> None:
        self.name = f"words-{dimensions}"
        self.dimensions = dimensions
        self.fingerprint = f"words/{dimensions}"
        self.calls: list[list[str]] = []
        self._fail_after, self._refuses_blank = fail_after, refuses_blank

    @property
    def texts(self) -> list[str]:
        """Every text it embedded, in order."""
        return [text for call in self.calls for text in call]

    def embed(self, texts: Iterable[str]) -> Any:
        batch = list(texts)
        if self._refuses_blank and not all(text.strip() for text in batch):
            raise ValueError("400: the input holds a blank text")
        if self._fail_after is not None and len(self.texts) + len(batch) > self._fail_after:
            raise GaveUpError(f"gave up after {len(self.texts)} texts")
        self.calls.append(batch)
        return np.stack([self._vector(text) for text in batch]) if batch else np.zeros((0, self.dimensions), np.float32)

    def _vector(self, text: str) -> Any:
        vector = np.full(self.dimensions, 1e-3, dtype=np.float32)
        for word in content_stems(text):
            vector[hashlib.sha256(word.encode()).digest()[0] % self.dimensions] += 1.0
        return vector / np.linalg.norm(vector)


def make_paper(
    abstract: str = DEFAULT_ABSTRACT,
    identity: str = "p1",
    title: str = "",
    *,
    derived: bool = False,
    **metadata: Any,
) -> Paper:
    """Return a paper; without a title it is called by its id."""
    return Paper(identity, title or f"Paper {identity}", derived, abstract, abstract, metadata)


def make_chunk(text: str = DEFAULT_ABSTRACT, paper_id: str = "p1", start: int = 0) -> Chunk:
    """Return the first chunk of a paper."""
    return Chunk(f"{paper_id}:0", paper_id, text, start, start + len(text))


def make_scored(identity: str, score: float = 1.0) -> ScoredChunk:
    """Return a scored chunk of a paper with this id."""
    paper = make_paper(identity=identity)
    return ScoredChunk(make_chunk(paper.abstract, identity), paper, score, "both")


def make_reading(*papers: Paper, skipped: Sequence[Skipped] = ()) -> Reading:
    """Return papers as a source gives them."""
    return Reading(papers, tuple(skipped))


def read_text(text: str) -> Reading:
    """Read a text as if it were a file's."""
    return papers_of(records(text))


def write_lines(path: Path, *rows: Mapping[str, Any] | str) -> Path:
    """Write JSON lines; a string is written as it is."""
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_abstracts(path: Path, *abstracts: str) -> Path:
    """Write plain abstracts with a blank line between them."""
    path.write_text("\n\n".join(abstracts) + "\n", encoding="utf-8")
    return path
