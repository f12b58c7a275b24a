"""The reading list as the browser keeps it: library, paper id and the reader's note on it, the last kept first."""

from __future__ import annotations

from typing import Any

from rag.types import Paper
from ui.library import Library

LONGEST_NOTE = 500  # characters
_LONGEST = 500  # papers


def rows(listed: Any) -> list[list[str]]:
    """Return the rows of a reading list; what a browser sends may be anything, and older pages kept no notes."""
    given = listed if isinstance(listed, list) else []
    sound = [r for r in given if isinstance(r, list) and len(r) in (2, 3) and all(isinstance(part, str) for part in r)]
    return [[*row, ""][:3] for row in sound[:_LONGEST]]


def toggled(listed: Any, where: str, paper_id: str) -> list[list[str]]:
    """Return the list with a paper put on it, or taken off where it was on."""
    given, paper = rows(listed), [where, paper_id]
    left = [row for row in given if row[:2] != paper]
    return left if len(left) < len(given) else [[*paper, ""], *given][:_LONGEST]


def noted(listed: Any, where: str, paper_id: str, note: str) -> list[list[str]]:
    """Return the list with another note on a paper that is on it."""
    short = " ".join(note.split())[:LONGEST_NOTE]
    return [[*row[:2], short] if row[:2] == [where, paper_id] else row for row in rows(listed)]


def notes(listed: Any, where: str) -> dict[str, str]:
    """Return the reader's notes on one library's papers, by id."""
    return {paper_id: note for name, paper_id, note in rows(listed) if name == where and note}


def ids(listed: Any, where: str) -> list[str]:
    """Return the ids of one library's papers on the list."""
    return [paper_id for name, paper_id, _ in rows(listed) if name == where]


def papers(listed: Any, library: Library, where: str) -> list[Paper]:
    """Return one library's papers on the list, as far as they are still in it."""
    return [paper for paper_id in ids(listed, where) if (paper := library.paper(paper_id))]
