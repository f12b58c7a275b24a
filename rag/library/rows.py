"""What a catalog stores of a paper: its row, the text that both indexes read, its names. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rag.text.names import coined_names, long_names, name_key, owns, title_names
from rag.types import Chunk, Paper


def embedded_text(paper: Paper, chunk: Chunk) -> str:
    """Return what both indexes read for a chunk: the title, then the passage; a derived title adds nothing."""
    return chunk.text if paper.title_derived else f"{paper.title}. {chunk.text}"


def digest(text: str) -> str:
    """Return a short hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def paper_digest(paper: Paper) -> str:
    """Return a short hash of what a reader sees of a paper."""
    return digest(json.dumps([paper.title, paper.abstract, dict(paper.metadata)], sort_keys=True, ensure_ascii=False))


def to_paper(row: Sequence[Any]) -> Paper:
    """Return the paper of a row: id, title, whether that is derived, abstract, source text, metadata as JSON.

    A source text that reads as the abstract does is not stored twice.
    """
    identity, title, derived, abstract, source_text, metadata = row
    return Paper(identity, title, bool(derived), abstract, source_text or abstract, json.loads(metadata))


@dataclass(frozen=True, slots=True)
class NameUse:
    """A coined name in one paper: how often, and whether it is the paper's own or another's that it mentions."""

    key: str
    text: str
    paper_id: str
    count: int
    owned: bool


def name_rows(paper: Paper) -> list[tuple[str, str, str, int, int]]:
    """Return the fields of each `NameUse` of a paper, in its title and abstract."""
    title = "" if paper.title_derived else paper.title
    counts: dict[str, tuple[str, int]] = {}
    # In a title set in capitals every word looks coined.
    for name in [
        *(() if title.isupper() else coined_names(title)),
        *coined_names(paper.abstract),
        *long_names(paper.abstract),
    ]:
        text, count = counts.get(name.key, (name.text, 0))
        counts[name.key] = (text, count + 1)
    rows = {
        key: (key, text, paper.id, count, int(owns(text, title, paper.abstract)))
        for key, (text, count) in counts.items()
        if key
    }
    for heading in title_names(title):
        rows[name_key(heading)] = (name_key(heading), heading, paper.id, 1, 1)
    return list(rows.values())
