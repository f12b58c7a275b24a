"""The reading list as the browser keeps it: pairs of library and paper id, the last kept first."""

from __future__ import annotations

from typing import Any

from rag.types import Paper
from ui.library import Library

_LONGEST = 500


def rows(listed: Any) -> list[list[str]]:
    """Return the pairs of a reading list; what a browser sends may be anything."""
    given = listed if isinstance(listed, list) else []
    sound = [r for r in given if isinstance(r, list) and len(r) == 2 and all(isinstance(part, str) for part in r)]
    return sound[:_LONGEST]


def toggled(listed: Any, where: str, paper_id: str) -> list[list[str]]:
    """Return the list with a paper put on it, or taken off where it was on."""
    given, row = rows(listed), [where, paper_id]
    return [other for other in given if other != row] if row in given else [row, *given][:_LONGEST]


def ids(listed: Any, where: str) -> list[str]:
    """Return the ids of one library's papers on the list."""
    return [paper_id for name, paper_id in rows(listed) if name == where]


def papers(listed: Any, library: Library, where: str) -> list[Paper]:
    """Return one library's papers on the list, as far as they are still in it."""
    return [paper for paper_id in ids(listed, where) if (paper := library.paper(paper_id))]
