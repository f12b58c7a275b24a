"""As many abstracts as a measurement needs: the real ones, then texts made of the sentences of two of them.

The vector of a made one stands between those of the two that it was made of, with noise: no embedding is paid for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rag.text.sentences import sentences
from rag.types import Paper

_NOISE = 0.4  # length of what is added to a unit vector: two made of the same papers are about .85 alike


def varied(papers: Sequence[Paper], count: int) -> Iterator[Paper]:
    """Yield so many papers: as they are, and again with half of their sentences exchanged for another paper's."""
    for n in range(count):
        paper, again = papers[n % len(papers)], n // len(papers)
        yield _mixed(paper, papers[partner(n, len(papers))], n) if again else paper


def partner(number: int, size: int) -> int:
    """Return which of so many papers gives half of a made one; another for each time that a paper is used again."""
    return (number * 7919 + number // size * 104729) % size


def _mixed(one: Paper, other: Paper, number: int) -> Paper:
    first, second = ([s.text for s in sentences(p.source_text)] for p in (one, other))
    text = " ".join([*first[: (len(first) + 1) // 2], *second[(len(second) + 1) // 2 :]])
    words, more = one.title.split(), other.title.split()
    title = " ".join([*words[: (len(words) + 1) // 2], *more[(len(more) + 1) // 2 :]])
    return Paper(f"{one.id}-{number}", title, False, text, text, one.metadata)


def write_varied(papers: Sequence[Paper], count: int, target: Path) -> None:
    """Write so many papers as JSON lines."""
    with target.open("w", encoding="utf-8") as file:
        for paper in varied(papers, count):
            row = {"id": paper.id, "title": paper.title, **paper.metadata, "abstract": paper.source_text}
            file.write(json.dumps(row) + "\n")


class StandIn:
    """Stands in for embedding: a unit vector drawn from the text, near the one that is known for its beginning."""

    def __init__(self, known: Mapping[str, Any] | None = None, fingerprint: str = "unit-vectors/384") -> None:
        self.name = self.fingerprint = fingerprint
        self.dimensions = 384
        self._known = known or {}

    def embed(self, texts: Iterable[str]) -> Any:
        """Return the vectors; a text's beginning is what it has before its first ". "."""
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Any:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        noise = np.random.default_rng(seed).standard_normal(self.dimensions, dtype=np.float32)
        noise /= np.linalg.norm(noise)
        base = self._known.get(text.split(". ")[0])
        vector = noise if base is None else base + _NOISE * noise
        return vector / np.linalg.norm(vector)
