"""What is written into a catalog, and deleted from it, inside of a transaction: papers, their chunks, their words."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rag.library.chunking import chunk
from rag.library.rows import digest, embedded_text
from rag.text.words import index_terms
from rag.types import Paper

STEP = 1000  # papers written, or named, at a time: bounds the memory
Entry = tuple[str, int, Paper, str]  # source, position, paper, its digest


def kind_of(identity: str, mark: str, stored: Mapping[str, str], mine: set[str]) -> str:
    """Return what becomes of a paper: added, unchanged, updated, or foreign where another source gave it."""
    if identity not in stored:
        return "added"
    if stored[identity] == mark:
        return "unchanged"
    return "updated" if identity in mine else "foreign"


def count_change(db: sqlite3.Connection, what: str = "revision") -> None:
    """Count that something has changed, so that every reader notices."""
    db.execute(
        "INSERT INTO meta VALUES (?, 1) ON CONFLICT(key) DO UPDATE SET value = CAST(value AS INTEGER) + 1", (what,)
    )


def write(db: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    """Store papers, their chunks and words, in the place of what is stored under their ids; names follow later.

    A paper that is there keeps its position, and a chunk whose text is the same its vector.
    """
    for start in range(0, len(entries), STEP):
        part = entries[start : start + STEP]
        ids = [paper.id for _, _, paper, _ in part]
        places = dict(having(db, "SELECT id, position FROM papers WHERE id", ids))
        embedded = dict(having(db, "SELECT id, digest FROM chunks WHERE embedded = 1 AND paper_id", list(places)))
        forget(db, list(places))
        db.executemany(
            "INSERT INTO papers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
            [
                (
                    paper.id,
                    source,
                    places.get(paper.id, position),
                    paper.title,
                    int(paper.title_derived),
                    paper.abstract,
                    "" if paper.source_text == paper.abstract else paper.source_text,
                    json.dumps(dict(paper.metadata), ensure_ascii=False, sort_keys=True),
                    mark,
                )
                for source, position, paper, mark in part
            ],
        )
        _write_chunks(db, [paper for _, _, paper, _ in part], embedded)


def _write_chunks(db: sqlite3.Connection, papers: Sequence[Paper], embedded: Mapping[str, str]) -> None:
    (number,) = db.execute("SELECT coalesce(max(number), 0) + 1 FROM chunks").fetchone()
    pieces = [(piece, embedded_text(paper, piece)) for paper in papers for piece in chunk(paper)]
    rows = []
    for place, (piece, text) in enumerate(pieces, number):
        mark = digest(text)
        rows.append(
            (place, piece.id, piece.paper_id, piece.start, piece.end, mark, int(embedded.get(piece.id) == mark))
        )
    db.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    words = ((place, " ".join(index_terms(text))) for place, (_, text) in enumerate(pieces, number))
    db.executemany("INSERT INTO lexical VALUES (?, ?)", words)
    # An id that lives on with a new text, or the same one: its vector is replaced or stays, never deleted.
    db.executemany("DELETE FROM withdrawn WHERE chunk_id = ?", [(piece.id,) for piece, _ in pieces])


def forget(db: sqlite3.Connection, paper_ids: Sequence[str]) -> None:
    """Delete papers with what is derived from them; their vectors have to go as well."""
    ids = [(identity,) for identity in paper_ids]
    db.executemany("INSERT OR IGNORE INTO withdrawn SELECT id FROM chunks WHERE paper_id = ?", ids)
    db.executemany("DELETE FROM lexical WHERE number IN (SELECT number FROM chunks WHERE paper_id = ?)", ids)
    for table, column in (("chunks", "paper_id"), ("names", "paper_id"), ("papers", "id")):
        db.executemany(f"DELETE FROM {table} WHERE {column} = ?", ids)


def having(db: sqlite3.Connection, query: str, values: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query that ends with a column, where that has one of these values."""
    for batch in batches(values):
        yield from db.execute(f"{query} IN ({marks(batch)})", batch)


def batches(values: Sequence[str], size: int = 500) -> Iterator[list[str]]:
    """Yield slices below SQLite's limit on the parameters of one statement."""
    values = list(values)
    return (values[i : i + size] for i in range(0, len(values), size))


def marks(values: Sequence[str]) -> str:
    """Return the place marks of so many values in a statement."""
    return ",".join("?" * len(values))
