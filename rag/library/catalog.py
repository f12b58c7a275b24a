"""The one source of truth of a library: papers, chunks, their state, and the lexical index, in one SQLite file.

A chunk is `pending` from the moment its text is known until its vector is stored; lexical search finds it at once.
Ids of chunks whose vectors have to go are kept in `withdrawn` until Chroma has forgotten them. Each write is one
transaction, so a process that dies leaves the state before or after, never between.
SQLite's FTS5 keeps the stems of each chunk, how often they occur, and phrases; `rag.retrieval.lexical` ranks by them.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import uuid
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rag.errors import LibraryError
from rag.library.chunking import VERSION, chunk
from rag.library.derivation import code_version, has_derived_id, reread, resembling
from rag.text.names import coined_names, long_names, name_key, owns, title_names
from rag.text.words import index_terms
from rag.types import Chunk, Paper

SCHEMA = "2"
CATALOG_FILE = "library.db"
_TABLES = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS papers(
    id TEXT PRIMARY KEY, source TEXT NOT NULL, position INTEGER NOT NULL, title TEXT NOT NULL, title_derived INTEGER NOT NULL,
    abstract TEXT NOT NULL, source_text TEXT NOT NULL, metadata TEXT NOT NULL, digest TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS chunks(
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, paper_id TEXT NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
    digest TEXT NOT NULL, embedded INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS chunks_of_paper ON chunks(paper_id);
CREATE INDEX IF NOT EXISTS chunks_pending ON chunks(embedded) WHERE embedded = 0;
CREATE TABLE IF NOT EXISTS given(source TEXT NOT NULL, paper_id TEXT NOT NULL, PRIMARY KEY(paper_id, source)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS withdrawn(chunk_id TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS names(key TEXT NOT NULL, text TEXT NOT NULL, paper_id TEXT NOT NULL, count INTEGER NOT NULL, owned INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS names_of_paper ON names(paper_id);
CREATE VIRTUAL TABLE IF NOT EXISTS lexical USING fts5(terms, tokenize="unicode61 remove_diacritics 0 tokenchars '.'");
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab(lexical, 'row');
"""


def embedded_text(paper: Paper, chunk: Chunk) -> str:
    """Return what both indexes read for a chunk: the title, then the passage; a derived title adds nothing."""
    return chunk.text if paper.title_derived else f"{paper.title}. {chunk.text}"


def digest(text: str) -> str:
    """Return a short hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class NameUse:
    """A coined name in one paper: how often, and whether it is the paper's own or another's that it mentions."""

    key: str
    text: str
    paper_id: str
    count: int
    owned: bool


class _Connection(sqlite3.Connection):
    """A connection of one thread, closed with the last reference to it: each keeps megabytes of pages."""

    def __del__(self) -> None:
        self.close()


class Catalog:
    """One library's texts on disk; safe to use from several threads and processes."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / CATALOG_FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(
                f"The library's folder {folder} can't be made ({error.strerror}); name another with --store or RAG_HOME."
            ) from error
        self._local = threading.local()
        # Held by their threads alone: a thread that ends takes its connection along.
        self._connections: weakref.WeakSet[_Connection] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._made = False
        with self._transaction() as db:
            for statement in _TABLES.split(";\n"):
                if statement.strip():
                    db.execute(statement)
            values = (SCHEMA, VERSION, code_version())
            db.execute(
                "INSERT OR IGNORE INTO meta VALUES ('schema', ?), ('chunking', ?), ('code', ?)",
                values,
            )
            db.execute("INSERT OR IGNORE INTO meta VALUES ('id', ?)", (uuid.uuid4().hex[:12],))
            _upgrade(db)
        found = self.meta("schema")
        if found != SCHEMA:
            raise LibraryError(
                f"The library in {folder} has format {found}, this version reads {SCHEMA}; "
                "use the version that made it, or build it again with: rag index --rebuild"
            )

    @property
    def _db(self) -> sqlite3.Connection:
        connection: _Connection | None = getattr(self._local, "connection", None)
        if connection is not None and self._local.file != self._file():
            connection = None  # the folder was deleted and built again: the old handle reads a file that is gone
        if connection is None:
            try:
                connection = sqlite3.connect(
                    self.path, timeout=30, isolation_level=None, check_same_thread=False, factory=_Connection
                )
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA synchronous=NORMAL")
            except sqlite3.Error as error:
                raise LibraryError(
                    f"{self.path} can't be opened ({error}); check the folder and its rights."
                ) from error
            self._local.connection, self._local.file = connection, self._file()
            self._made = True
            with self._lock:
                self._connections.add(connection)
        return connection

    def _file(self) -> tuple[int, int]:
        """Return what tells this file from another that was put in its place."""
        try:
            state = os.stat(self.path)
        except FileNotFoundError as error:
            if not self._made:
                return (0, 0)
            raise LibraryError(
                f"The library in {self.path.parent} was deleted while it was open; index its source again."
            ) from error
        return state.st_dev, state.st_ino

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            for connection in self._connections:
                connection.close()
            self._connections.clear()
        self._local = threading.local()

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
        return (*self._local.file, revision)

    @property
    def is_stale(self) -> bool:
        """Tell whether what was derived from the texts comes from another version of the code that derives it."""
        return self.meta("code") != code_version()

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
        return map(_paper, rows)

    def metadata(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (paper id, what is known about it besides the text) of every paper."""
        rows = self._db.execute("SELECT id, metadata FROM papers").fetchall()
        return ((identity, json.loads(values)) for identity, values in rows)

    def get(self, ids: Sequence[str]) -> dict[str, Paper]:
        """Return the papers with these ids; unknown ids are missing from the result."""
        found: dict[str, Paper] = {}
        for batch in _batches(ids):
            rows = self._db.execute(
                "SELECT id, title, title_derived, abstract, source_text, metadata FROM papers "
                f"WHERE id IN ({_marks(batch)})",
                batch,
            )
            found.update((row[0], _paper(row)) for row in rows)
        return found

    def chunks(self, ids: Sequence[str]) -> dict[str, Chunk]:
        """Return the chunks with these ids; unknown ids are missing from the result."""
        return {chunk.id: chunk for chunk in self._chunks("c.id", ids)}

    def chunks_of(self, paper_ids: Sequence[str]) -> list[Chunk]:
        """Return the chunks of these papers, in order."""
        return sorted(self._chunks("c.paper_id", paper_ids), key=lambda c: (c.paper_id, c.start))

    def chunk_ids(self, paper_ids: Sequence[str]) -> list[str]:
        """Return the ids of the chunks of these papers, in order."""
        found: list[str] = []
        for batch in _batches(paper_ids):
            found.extend(
                r[0] for r in self._db.execute(f"SELECT id FROM chunks WHERE paper_id IN ({_marks(batch)})", batch)
            )
        return sorted(found)

    def _chunks(self, column: str, values: Sequence[str]) -> Iterator[Chunk]:
        for batch in _batches(values):
            rows = self._db.execute(
                'SELECT c.id, c.paper_id, c.start, c."end", p.abstract FROM chunks c JOIN papers p ON p.id = c.paper_id '
                f"WHERE {column} IN ({_marks(batch)})",
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
        rows = self._db.execute(
            "SELECT c.id, l.terms FROM chunks c JOIN lexical l ON l.rowid = c.number ORDER BY c.id"
        ).fetchall()
        return iter(rows)

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many chunks each term occurs, 0 where it does not."""
        wanted = list(dict.fromkeys(terms))
        counts = dict.fromkeys(wanted, 0)
        for batch in _batches(wanted):
            counts.update(self._db.execute(f"SELECT term, doc FROM vocabulary WHERE term IN ({_marks(batch)})", batch))
        return counts

    def has_phrase(self, terms: Sequence[str]) -> bool:
        """Tell whether any chunk holds these terms side by side."""
        query = '"' + " ".join(term.replace('"', "") for term in terms) + '"'
        return self._db.execute("SELECT 1 FROM lexical WHERE lexical MATCH ? LIMIT 1", (query,)).fetchone() is not None

    # Writing

    def sync(
        self, source: str, papers: Sequence[Paper], *, remove_missing: bool, edited: bool = True
    ) -> Mapping[str, list[str]]:
        """Bring one source's papers up to date in one transaction; return ids added, updated, unchanged, removed, foreign.

        A paper whose form gives no id, and whose text was edited, keeps the id it had, unless not `edited`: then every
        such text is a paper of its own. What another source gave is `foreign`: neither changed nor removed.
        """
        done: dict[str, list[str]] = {"added": [], "updated": [], "unchanged": [], "removed": [], "foreign": []}
        with self._transaction() as db:
            stored = dict(db.execute("SELECT id, digest FROM papers"))
            mine = {row[0] for row in db.execute("SELECT paper_id FROM given WHERE source = ?", (source,))}
            papers = self._named_as_before(papers, mine, stored) if edited else papers
            (position,) = db.execute("SELECT coalesce(max(position), -1) + 1 FROM papers").fetchone()
            for paper in papers:
                kind = _kind(paper, stored, mine)
                done[kind].append(paper.id)
                if kind in ("added", "updated"):
                    self._write(db, source, position, paper, _paper_digest(paper))
                    position += 1
                if kind != "foreign":
                    db.execute("INSERT OR IGNORE INTO given VALUES (?, ?)", (source, paper.id))
            if remove_missing:
                for identity in sorted(mine - {paper.id for paper in papers}):
                    db.execute("DELETE FROM given WHERE source = ? AND paper_id = ?", (source, identity))
                    if db.execute("SELECT 1 FROM given WHERE paper_id = ?", (identity,)).fetchone() is None:
                        _forget(db, identity)
                        done["removed"].append(identity)
            if done["added"] or done["updated"] or done["removed"]:
                _count_change(db)
        return done

    def _named_as_before(self, papers: Sequence[Paper], mine: set[str], stored: Mapping[str, str]) -> Sequence[Paper]:
        """Return the papers, those without an id of their own under the id of the missing record that they resemble."""
        new = [p for p in papers if p.id not in stored and has_derived_id(p)]
        missing = mine - {p.id for p in papers}
        if not new or not missing:
            return papers
        before = resembling(new, list(self.get(sorted(missing)).values()))
        return [replace(p, id=before[p.id]) if p.id in before else p for p in papers]

    def rederive(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Make everything derived anew from the texts as read; return how many papers read differently now."""
        changed = 0
        with self._transaction() as db:
            rows = db.execute("SELECT source, position, id FROM papers ORDER BY position, id").fetchall()
            papers = self.get([row[2] for row in rows])
            for number, (source, position, identity) in enumerate(rows, 1):
                paper = reread(papers[identity])
                changed += paper.abstract != papers[identity].abstract
                self._write(db, source, position, paper, _paper_digest(paper))
                if progress:
                    progress(number, len(rows))
            db.execute("INSERT OR REPLACE INTO meta VALUES ('code', ?), ('chunking', ?)", (code_version(), VERSION))
            _count_change(db)
        return changed

    def remove(self, ids: Sequence[str]) -> list[str]:
        """Remove papers; return the ids that were there."""
        with self._transaction() as db:
            there = [i for i in ids if db.execute("SELECT 1 FROM papers WHERE id = ?", (i,)).fetchone()]
            for identity in there:
                _forget(db, identity)
                db.execute("DELETE FROM given WHERE paper_id = ?", (identity,))
            if there:
                _count_change(db)
        return there

    def _write(self, db: sqlite3.Connection, source: str, position: int, paper: Paper, mark: str) -> None:
        old = dict(db.execute("SELECT id, digest FROM chunks WHERE paper_id = ? AND embedded = 1", (paper.id,)))
        row = db.execute("SELECT position FROM papers WHERE id = ?", (paper.id,)).fetchone()
        _forget(db, paper.id)
        db.execute(
            "INSERT INTO papers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                paper.id,
                source,
                row[0] if row else position,
                paper.title,
                int(paper.title_derived),
                paper.abstract,
                paper.source_text,
                json.dumps(dict(paper.metadata), ensure_ascii=False, sort_keys=True),
                mark,
            ),
        )
        for piece in chunk(paper):
            text = embedded_text(paper, piece)
            same = old.get(piece.id) == digest(text)
            cursor = db.execute(
                'INSERT INTO chunks(id, paper_id, start, "end", digest, embedded) VALUES (?, ?, ?, ?, ?, ?)',
                (piece.id, paper.id, piece.start, piece.end, digest(text), int(same)),
            )
            db.execute(
                "INSERT INTO lexical(rowid, terms) VALUES (?, ?)", (cursor.lastrowid, " ".join(index_terms(text)))
            )
            # The id lives on with a new text, or the same one: its vector is replaced or stays, never deleted.
            db.execute("DELETE FROM withdrawn WHERE chunk_id = ?", (piece.id,))
        db.executemany("INSERT INTO names VALUES (?, ?, ?, ?, ?)", _names_of(paper))

    def pending(self, limit: int) -> list[tuple[str, str]]:
        """Return (chunk id, digest) of chunks whose vectors are missing, oldest first."""
        rows = self._db.execute("SELECT id, digest FROM chunks WHERE embedded = 0 ORDER BY number LIMIT ?", (limit,))
        return [(identity, mark) for identity, mark in rows]

    def mark_embedded(self, done: Sequence[tuple[str, str]]) -> None:
        """Record that these (chunk id, digest) have their vectors stored; a text that changed meanwhile stays pending."""
        with self._transaction() as db:
            db.executemany("UPDATE chunks SET embedded = 1 WHERE id = ? AND digest = ?", done)

    def withdrawn(self) -> list[str]:
        """Return the ids of chunks whose vectors have to be deleted."""
        return [row[0] for row in self._db.execute("SELECT chunk_id FROM withdrawn ORDER BY chunk_id")]

    def mark_deleted(self, ids: Sequence[str]) -> None:
        """Record that the vectors of these chunks are gone."""
        with self._transaction() as db:
            db.executemany("DELETE FROM withdrawn WHERE chunk_id = ?", [(i,) for i in ids])

    def restore(self, chunk_ids: Sequence[str]) -> None:
        """Write the derived rows of the papers of these chunks anew and have their vectors made again."""
        wanted = sorted({chunk.paper_id for chunk in self.chunks(chunk_ids).values()})
        with self._transaction() as db:
            for identity, paper in self.get(wanted).items():
                source, position = db.execute(
                    "SELECT source, position FROM papers WHERE id = ?", (identity,)
                ).fetchone()
                self._write(db, source, position, paper, _paper_digest(paper))
            db.executemany("UPDATE chunks SET embedded = 0 WHERE id = ?", [(i,) for i in chunk_ids])
            _count_change(db)

    def forget_vectors(self) -> None:
        """Mark every chunk as pending, for a vector store that was lost or is built anew."""
        with self._transaction() as db:
            db.execute("UPDATE chunks SET embedded = 0")
            db.execute("DELETE FROM withdrawn")


def _upgrade(db: sqlite3.Connection) -> None:
    """Bring a catalog of format 1, which knew one source a paper, to format 2."""
    if db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()[0] == "1":
        db.execute("INSERT OR IGNORE INTO given SELECT source, id FROM papers")
        db.execute("UPDATE meta SET value = '2' WHERE key = 'schema'")
        db.execute("UPDATE meta SET value = '' WHERE key = 'code'")


def _kind(paper: Paper, stored: Mapping[str, str], mine: set[str]) -> str:
    if paper.id not in stored:
        return "added"
    if stored[paper.id] == _paper_digest(paper):
        return "unchanged"
    return "updated" if paper.id in mine else "foreign"


def _count_change(db: sqlite3.Connection) -> None:
    db.execute(
        "INSERT INTO meta VALUES ('revision', 1) ON CONFLICT(key) DO UPDATE SET value = CAST(value AS INTEGER) + 1"
    )


def _forget(db: sqlite3.Connection, paper_id: str) -> None:
    db.execute("INSERT OR IGNORE INTO withdrawn SELECT id FROM chunks WHERE paper_id = ?", (paper_id,))
    db.execute("DELETE FROM lexical WHERE rowid IN (SELECT number FROM chunks WHERE paper_id = ?)", (paper_id,))
    for table, column in (("chunks", "paper_id"), ("names", "paper_id"), ("papers", "id")):
        db.execute(f"DELETE FROM {table} WHERE {column} = ?", (paper_id,))


def _names_of(paper: Paper) -> list[tuple[str, str, str, int, int]]:
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


def _paper_digest(paper: Paper) -> str:
    return digest(json.dumps([paper.title, paper.abstract, dict(paper.metadata)], sort_keys=True, ensure_ascii=False))


def _paper(row: Sequence[Any]) -> Paper:
    identity, title, derived, abstract, source_text, metadata = row
    return Paper(identity, title, bool(derived), abstract, source_text, json.loads(metadata))


def _batches(values: Sequence[str], size: int = 500) -> Iterator[list[str]]:
    """Yield slices below SQLite's limit on the parameters of one statement."""
    values = list(values)
    return (values[i : i + size] for i in range(0, len(values), size))


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))
