"""As many abstracts as a measurement needs: the real ones, then texts made of the sentences of two of them.

No embedding is paid for: where the vectors of the real ones are known, that of a made one stands between those of the
two that it was made of, with noise; where not, a vector is drawn from the words of its text.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from rag.text.sentences import sentences
from rag.types import Paper

_NOISE = 0.4  # length of what is added to a unit vector: two made of the same papers are about .85 alike
# A graph over vectors costs what their neighbours make it cost: drawn at random they have none, and are the worst case.
# Vectors made so of the words have 52 directions (participation ratio; the packaged embedder's of the same texts 55),
# a mean cosine of .15 (.28), of .56 to the nearest (.69) and .40 to the hundredth (.51).
_PLACES, _DIRECTIONS = 4096, 64


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
    """Stands in for embedding: a unit vector made of a text's words, or near the one known for the text's beginning."""

    def __init__(self, known: Mapping[str, Any] | None = None, fingerprint: str = "unit-vectors/384") -> None:
        self.name = self.fingerprint = fingerprint
        self.dimensions = 384
        self._known = known or {}
        chance = np.random.default_rng(7)
        directions = chance.standard_normal((_DIRECTIONS, self.dimensions))
        self._words = (chance.standard_normal((_PLACES, _DIRECTIONS)) @ directions).astype(np.float32)

    def embed(self, texts: Iterable[str]) -> Any:
        """Return the vectors; a text's beginning is what it has before its first ". "."""
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> Any:
        base = self._known.get(text.split(". ")[0])
        if base is None:
            places = sorted({crc32(word.encode()) % _PLACES for word in text.casefold().split()})
            vector = self._words[places].sum(axis=0)
        else:
            seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
            noise = np.random.default_rng(seed).standard_normal(self.dimensions, dtype=np.float32)
            vector = base + _NOISE * noise / np.linalg.norm(noise)
        return vector / np.linalg.norm(vector)
