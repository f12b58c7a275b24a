"""Paper -> chunks: whole sentences, offsets kept, nothing left out."""

from __future__ import annotations

import math

from rag.text.sentences import sentences
from rag.types import Chunk, Paper, Quote

# The embedding model reads 512 word pieces, about 2,000 characters of an abstract; most abstracts are one chunk.
MAX_CHARACTERS = 1800
VERSION = "sentences/1800"


def chunk(paper: Paper, limit: int = MAX_CHARACTERS) -> tuple[Chunk, ...]:
    """Split an abstract into chunks of about equal length that end with a sentence, each at most `limit` characters.

    Every character that is not white space is in exactly one chunk; only a single longer sentence is cut inside.
    """
    text = paper.abstract
    if len(text) <= limit:  # most are one chunk, whatever their sentences
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        return (Chunk(f"{paper.id}:0", paper.id, text[start:end], start, end),) if start < end else ()
    target = len(text) / max(1, math.ceil(len(text) / limit))
    spans: list[tuple[int, int]] = []
    for sentence in sentences(text):
        start, end = sentence.start, sentence.end
        if spans and end - spans[-1][0] <= limit and spans[-1][1] - spans[-1][0] < target:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.extend((a, min(a + limit, end)) for a in range(start, end, limit))
    return tuple(
        Chunk(f"{paper.id}:{number}", paper.id, text[start:end], start, end)
        for number, (start, end) in enumerate(spans)
    )


def quote(paper: Paper, start: int, end: int) -> Quote:
    """Return a span of an abstract as a quote that knows the chunk it begins in."""
    home = next((c for c in chunk(paper) if c.start <= start < c.end), None)
    return Quote(paper, home.id if home else f"{paper.id}:0", start, end)
