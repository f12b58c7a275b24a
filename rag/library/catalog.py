"""The one source of truth of a library: papers, chunks, their state, their words and names, in one SQLite file.

A paper's words are stored with its text, so that lexical search (`rag.retrieval.lexical`) finds it at once. Its names
follow in a transaction of their own, its vectors after that: a chunk is `pending` until its vector is stored.
Ids of chunks whose vectors have to go are kept in `withdrawn` until Chroma has forgotten them. Each write is one
transaction, so a process that dies leaves the state before or after, never between.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from rag.errors import LibraryError
from rag.library.chunking import VERSION
from rag.library.database import Database, reading_anew
from rag.library.derivation import code_version, has_derived_id, reread, resembling
from rag.library.entries import STEP, Entry, batches, count_change, forget, having, kind_of, marks, write
from rag.library.rows import NameUse, name_rows, paper_digest, to_paper
from rag.library.schema import OLDER, SCHEMA, TABLES, upgraded
from rag.types import Chunk, Paper

CATALOG_FILE = "library.db"


class Catalog:
    """One library's texts on disk; safe to use from several threads and processes."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / CATALOG_FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(
                f"The library's folder {folder} can't be made ({error.strerror}); name one with --store or RAG_HOME."
            ) from error
        self._database = Database(self.path)
        if self._format() != SCHEMA:  # an open library is only read: opening waits for no writer
            self._make()

    def _format(self) -> str | None:
        """Return the format of the file, None where nothing is in it yet."""
        there = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone()
        return self.meta("schema") if there else None

    def _make(self) -> None:
        """Make the tables, or bring those of an older format up to this one."""
        with self._transaction() as db:
            found = self._format()
            if found in OLDER:
                upgraded(db, found)
            elif found not in (None, SCHEMA):
                raise LibraryError(
                    f"The library in {self.path.parent} has format {found}, this version reads {SCHEMA}; "
                    f"use the version that made it, or read its sources again with: {reading_anew(self.path.parent)}"
                )
            for statement in TABLES.split(";\n"):
                if statement.strip():
                    db.execute(statement)
            made = {"schema": SCHEMA, "chunking": VERSION, "code": code_version(), "id": uuid.uuid4().hex[:12]}
            db.executemany("INSERT OR IGNORE INTO meta VALUES (?, ?)", made.items())

    @property
    def _db(self) -> sqlite3.Connection:
        return self._database.connection

    def _transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._database.transaction()

    def close(self) -> None:
        """Close every connection."""
        self._database.close()

    # What is stored

    def meta(self, key: str) -> str | None:
        """Return a stored property of the library, or None."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def set_meta(self, key: str, value: str) -> None:
        """Store a property of the library."""
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def count(self) -> int:
        """Return the number of papers."""
        return int(self._db.execute("SELECT count(*) FROM papers").fetchone()[0])

    def version(self) -> tuple[int, int, int]:
        """Return a value that every change of a paper alters, by whichever process or thread."""
        revision = int(self.meta("revision") or 0)
        return (*self._database.file, revision)

    def mark(self) -> str:
        """Return what tells the words of this library as they stand from those of any other library, time or code."""
        return f"{self.meta('id')} {self.meta('revision')} {self.meta('code')}"

    def names_version(self) -> tuple[int, int, int, int]:
        """Return a value that every change of a paper, or of the names found in papers, alters."""
        return (*self.version(), int(self.meta("named") or 0))

    @property
    def is_stale(self) -> bool:
        """Tell whether what is derived from the texts was made by another version of the code."""
        return self.meta("code") != code_version()

    @property
    def is_named(self) -> bool:
        """Tell whether the names of every paper have been found."""
        return not self._unnamed(1)

    def pending_count(self) -> int:
        """Return the number of chunks whose vectors are not stored yet."""
        return int(self._db.execute("SELECT count(*) FROM chunks WHERE embedded = 0").fetchone()[0])

    def pending_characters(self) -> int:
        """Return how long the chunks are, together, whose vectors are not stored yet."""
        row = self._db.execute('SELECT coalesce(sum("end" - start), 0) FROM chunks WHERE embedded = 0').fetchone()
        return int(row[0])

    def chunk_count(self) -> int:
        """Return the number of chunks."""
        return int(self._db.execute("SELECT count(*) FROM chunks").fetchone()[0])

    def sources(self) -> list[str]:
        """Return the names of the sources that the papers came from."""
        return [row[0] for row in self._db.execute("SELECT DISTINCT source FROM given ORDER BY source")]

    def papers(self) -> Iterator[Paper]:
        """Yield every paper in the order it was read."""
        rows = self._db.execute(
            "SELECT id, title, title_derived, abstract, source_text, metadata FROM papers ORDER BY position, id"
        ).fetchall()
        return map(to_paper, rows)

    def metadata(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (paper id, what is known about it besides the text) of every paper."""
        rows = self._db.execute("SELECT id, metadata FROM papers").fetchall()
        return ((identity, json.loads(values)) for identity, values in rows)

    def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers with these ids; unknown ids are missing from the result."""
        found: dict[str, Paper] = {}
        for batch in batches(ids):
            rows = self._db.execute(
                "SELECT id, title, title_derived, abstract, source_text, metadata FROM papers "
                f"WHERE id IN ({marks(batch)})",
                batch,
            )
            found.update((row[0], to_paper(row)) for row in rows)
        return found

    def chunks(self, ids: Sequence[str]) -> dict[str, Chunk]:
        """Return the chunks with these ids; unknown ids are missing from the result."""
        return {chunk.id: chunk for chunk in self._chunks("c.id", ids)}

    def passages(self, ids: Sequence[str]) -> dict[str, tuple[Paper, Chunk]]:
        """Return the chunks with these ids, each with its paper; unknown ids are missing from the result."""
        columns = 'SELECT id, paper_id, start, "end" FROM chunks WHERE id'
        rows = list(having(self._db, columns, ids))
        papers = self.get(list({row[1] for row in rows}))
        return {
            identity: (paper, Chunk(identity, paper_id, paper.abstract[start:end], start, end))
            for identity, paper_id, start, end in rows
            if (paper := papers.get(paper_id)) is not None
        }

    def chunks_of(self, paper_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks of these papers, in order."""
        return sorted(self._chunks("c.paper_id", paper_ids), key=lambda c: (c.paper_id, c.start))

    def chunk_ids(self, paper_ids: Sequence[str]) -> list[str]:
        """Return the ids of the chunks of these papers, in order."""
        found: list[str] = []
        for batch in batches(paper_ids):
            found.extend(
                r[0] for r in self._db.execute(f"SELECT id FROM chunks WHERE paper_id IN ({marks(batch)})", batch)
            )
        return sorted(found)

    def _chunks(self, column: str, values: Sequence[str]) -> Iterator[Chunk]:
        for batch in batches(values):
            rows = self._db.execute(
                'SELECT c.id, c.paper_id, c.start, c."end", p.abstract FROM chunks c '
                f"JOIN papers p ON p.id = c.paper_id WHERE {column} IN ({marks(batch)})",
                batch,
            )
            for identity, paper_id, start, end, abstract in rows:
                yield Chunk(identity, paper_id, abstract[start:end], start, end)

    def names(self) -> list[NameUse]:
        """Return every use of a coined name in the library, by key, then by paper."""
        rows = self._db.execute("SELECT key, text, paper_id, count, owned FROM names ORDER BY key, paper_id")
        return [NameUse(key, text, paper_id, count, bool(owned)) for key, text, paper_id, count, owned in rows]

    # Words

    def terms(self) -> Iterator[tuple[str, str]]:
        """Yield (chunk id, indexed terms joined by spaces) of every chunk, in the order of the ids."""
        return self._db.execute(
            "SELECT c.id, l.terms FROM chunks c JOIN lexical l ON l.number = c.number ORDER BY c.id"
        )

    # Writing

    def sync(
        self, source: str, papers: Sequence[Paper], *, remove_missing: bool, edited: bool = True
    ) -> Mapping[str, list[str]]:
        """Bring one source's papers up to date in one transaction; return ids by what became of them.

        A paper whose form gives no id, and whose text was edited, keeps the id it had, unless not `edited`: then every
        such text is a paper of its own. What another source gave is `foreign`: neither changed nor removed.
        """
        done: dict[str, list[str]] = {"added": [], "updated": [], "unchanged": [], "removed": [], "foreign": []}
        with self._transaction() as db:
            stored = dict(db.execute("SELECT id, digest FROM papers"))
            mine = {row[0] for row in db.execute("SELECT paper_id FROM given WHERE source = ?", (source,))}
            papers = self._named_as_before(papers, mine, stored) if edited else papers
            (position,) = db.execute("SELECT coalesce(max(position), -1) + 1 FROM papers").fetchone()
            entries: list[Entry] = []
            for paper in papers:
                mark = paper_digest(paper)
                kind = kind_of(paper.id, mark, stored, mine)
                done[kind].append(paper.id)
                if kind in ("added", "updated"):
                    entries.append((source, position + len(entries), paper, mark))
            write(db, entries)
            given = [(source, i) for kind in ("added", "updated", "unchanged") for i in done[kind]]
            db.executemany("INSERT OR IGNORE INTO given VALUES (?, ?)", given)
            if remove_missing:
                for identity in sorted(mine - {paper.id for paper in papers}):
                    db.execute("DELETE FROM given WHERE source = ? AND paper_id = ?", (source, identity))
                    if db.execute("SELECT 1 FROM given WHERE paper_id = ?", (identity,)).fetchone() is None:
                        forget(db, [identity])
                        done["removed"].append(identity)
            if done["added"] or done["updated"] or done["removed"]:
                count_change(db)
        return done

    def _named_as_before(self, papers: Sequence[Paper], mine: set[str], stored: Mapping[str, str]) -> Sequence[Paper]:
        """Return the papers, those without an id of their own under the id of the missing record that they resemble."""
        missing = mine - {p.id for p in papers}
        new = [p for p in papers if p.id not in stored and has_derived_id(p)] if missing else []
        if not new:
            return papers
        before = resembling(new, list(self.get(sorted(missing)).values()))
        return [replace(p, id=before[p.id]) if p.id in before else p for p in papers]

    def rederive(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Make everything derived anew from the texts as read; return how many papers read differently now."""
        changed = 0
        with self._transaction() as db:
            rows = db.execute("SELECT source, position, id FROM papers ORDER BY position, id").fetchall()
            for start in range(0, len(rows), STEP):
                part = rows[start : start + STEP]
                papers = self.get([identity for _, _, identity in part])
                now = {identity: reread(paper) for identity, paper in papers.items()}
                changed += sum(now[i].abstract != papers[i].abstract for i in now)
                write(db, [(source, place, now[i], paper_digest(now[i])) for source, place, i in part])
                if progress:
                    progress(start + len(part), len(rows))
            db.execute("INSERT OR REPLACE INTO meta VALUES ('code', ?), ('chunking', ?)", (code_version(), VERSION))
            count_change(db)
        return changed

    def remove(self, ids: Sequence[str]) -> list[str]:
        """Remove papers; return the ids that were there."""
        with self._transaction() as db:
            there = [i for i in ids if db.execute("SELECT 1 FROM papers WHERE id = ?", (i,)).fetchone()]
            forget(db, there)
            db.executemany("DELETE FROM given WHERE paper_id = ?", [(i,) for i in there])
            if there:
                count_change(db)
        return there

    def derive_names(self) -> int:
        """Find the names of the papers that have none found in them yet; return how many papers that were."""
        count = 0
        while papers := self._unnamed(STEP):
            rows = [row for paper in papers for row in name_rows(paper)]
            with self._transaction() as db:
                db.executemany("INSERT INTO names VALUES (?, ?, ?, ?, ?)", rows)
                db.executemany("UPDATE papers SET named = 1 WHERE id = ?", [(paper.id,) for paper in papers])
            count += len(papers)
        if count:
            with self._transaction() as db:
                count_change(db, "named")
        return count

    def _unnamed(self, limit: int) -> list[Paper]:
        rows = self._db.execute(
            "SELECT id, title, title_derived, abstract, source_text, metadata FROM papers WHERE named = 0 "
            "ORDER BY position LIMIT ?",
            (limit,),
        )
        return [to_paper(row) for row in rows]

    def pending(self, limit: int) -> list[tuple[str, str]]:
        """Return (chunk id, digest) of chunks whose vectors are missing, oldest first."""
        rows = self._db.execute("SELECT id, digest FROM chunks WHERE embedded = 0 ORDER BY number LIMIT ?", (limit,))
        return [(identity, mark) for identity, mark in rows]

    def mark_embedded(self, done: Sequence[tuple[str, str]]) -> None:
        """Record that these (chunk id, digest) have their vectors stored; a text that changed since stays pending."""
        with self._transaction() as db:
            db.executemany("UPDATE chunks SET embedded = 1 WHERE id = ? AND digest = ?", done)

    def withdrawn(self) -> list[str]:
        """Return the ids of chunks whose vectors have to be deleted."""
        return [row[0] for row in self._db.execute("SELECT chunk_id FROM withdrawn ORDER BY chunk_id")]

    def mark_deleted(self, ids: Sequence[str]) -> None:
        """Record that the vectors of these chunks are gone."""
        with self._transaction() as db:
            db.executemany("DELETE FROM withdrawn WHERE chunk_id = ?", [(i,) for i in ids])

    def restore(self, *, papers: Sequence[str] = (), chunks: Sequence[str] = ()) -> None:
        """Write the derived rows of these papers, and of those of these chunks, anew; embed these chunks again."""
        wanted = sorted({*papers, *(chunk.paper_id for chunk in self.chunks(chunks).values())})
        with self._transaction() as db:
            db.execute("DELETE FROM lexical WHERE number NOT IN (SELECT number FROM chunks)")
            for identity, paper in self.get(wanted).items():
                (source,) = db.execute("SELECT source FROM papers WHERE id = ?", (identity,)).fetchone()
                write(db, [(source, 0, paper, paper_digest(paper))])
            db.executemany("UPDATE chunks SET embedded = 0 WHERE id = ?", [(i,) for i in chunks])
            count_change(db)

    def forget_vectors(self) -> None:
        """Mark every chunk as pending, for a vector store that was lost or is built anew."""
        with self._transaction() as db:
            db.execute("UPDATE chunks SET embedded = 0")
            db.execute("DELETE FROM withdrawn")
