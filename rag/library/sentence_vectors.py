"""The vectors of each abstract's sentences, kept on disk: they rank the sentences of a paper that is asked about.

Embedding an abstract's sentences takes longer than all else in an answer, and the same papers are asked about again.
The file is derived. A row is found by its sentences' own hash, so that none can be stale; with another embedder all are
made anew. Where the file can't be written, they are kept in memory alone.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from rag.types import Embedder

SENTENCES_FILE = "sentence-vectors.db"
_AT_HAND = 256  # abstracts, of some 14 KB each: one answer looks at the same ones several times
_STEP = 2  # abstracts embedded at a time ahead of questions: one core for a tenth of a second
_PATIENCE = 0.5  # seconds to wait for another process that writes; then this one's vectors stay in memory

Sentences = tuple[str, ...]  # of one abstract, in order


class SentenceVectors:
    """Vectors of abstracts' sentences, each embedded once; safe to use from several threads and processes."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._path, self._embedder = folder / SENTENCES_FILE, embedder
        self._lock = threading.Lock()
        self._at_hand: dict[bytes, Any] = {}
        self._file: sqlite3.Connection | None = None
        self._tried = False

    def of(self, abstracts: Sequence[Sentences]) -> list[Any]:
        """Return the unit vectors of the sentences of each abstract, in their order."""
        keys = [_key(sentences) for sentences in abstracts]
        with self._lock:
            found = {key: self._at_hand[key] for key in keys if key in self._at_hand}
            found |= self._read({key: len(a) for key, a in zip(keys, abstracts, strict=True) if key not in found})
        found |= self._made(
            {key: sentences for key, sentences in zip(keys, abstracts, strict=True) if key not in found}
        )
        with self._lock:
            for key in keys:
                self._at_hand.pop(key, None)
                self._at_hand[key] = found[key]
            for oldest in list(self._at_hand)[:-_AT_HAND]:
                del self._at_hand[oldest]
        return [found[key] for key in keys]

    def fill(self, abstracts: Iterable[Sentences], wanted: Callable[[], bool]) -> int:
        """Embed what is missing of a library's abstracts, and forget what it no longer has; return how many were made.

        Stops where `wanted` no longer holds, and at once where nothing can be kept.
        """
        with self._lock:
            if self._opened() is None:
                return 0
            there = self._keys()
        missing: dict[bytes, Sentences] = {}
        seen, made = set(), 0
        for sentences in abstracts:
            key = _key(sentences)
            seen.add(key)
            if key not in there:
                missing[key] = sentences
            if len(missing) == _STEP:
                if not wanted():
                    return made
                made += len(self._made(missing))
                missing = {}
        made += len(self._made(missing))
        with self._lock:
            self._forget(there - seen)
        return made

    def _made(self, missing: Mapping[bytes, Sentences]) -> dict[bytes, Any]:
        """Embed abstracts in one go, and keep their vectors."""
        if not missing:
            return {}
        vectors = self._embedder.embed([text for sentences in missing.values() for text in sentences])
        edges = np.cumsum([len(sentences) for sentences in missing.values()])[:-1]
        new = dict(zip(missing, np.split(vectors, edges), strict=True))
        with self._lock:
            self._write(new)
        return new

    def close(self) -> None:
        """Release the file; it is opened again when it is needed."""
        with self._lock:
            if self._file is not None:
                self._file.close()
            self._file, self._tried = None, False

    # The file; the lock is held

    def _opened(self) -> sqlite3.Connection | None:
        if not self._tried:
            self._tried = True
            with suppress(sqlite3.Error, OSError):
                self._file = _open(self._path, self._embedder.fingerprint)
        return self._file

    def _read(self, lengths: Mapping[bytes, int]) -> dict[bytes, Any]:
        file = self._opened() if lengths else None
        found: dict[bytes, Any] = {}
        if file is None:
            return found
        with suppress(sqlite3.Error):
            for key, length in lengths.items():
                row = file.execute("SELECT vectors FROM sentences WHERE key = ?", (key,)).fetchone()
                values = np.frombuffer(row[0] if row else b"", dtype=np.float32)
                if row and len(values) == length * self._embedder.dimensions:
                    found[key] = values.reshape(length, self._embedder.dimensions)
        return found

    def _write(self, vectors: Mapping[bytes, Any]) -> None:
        file = self._opened()
        with suppress(sqlite3.Error):
            if file is not None:
                rows = [(key, np.asarray(made, dtype=np.float32).tobytes()) for key, made in vectors.items()]
                with file:
                    file.executemany("INSERT OR REPLACE INTO sentences VALUES (?, ?)", rows)

    def _keys(self) -> set[bytes]:
        file = self._opened()
        with suppress(sqlite3.Error):
            if file is not None:
                return {row[0] for row in file.execute("SELECT key FROM sentences")}
        return set()

    def _forget(self, keys: set[bytes]) -> None:
        with suppress(sqlite3.Error):
            if keys and self._file is not None:
                with self._file:
                    self._file.executemany("DELETE FROM sentences WHERE key = ?", [(key,) for key in keys])


def _key(sentences: Sentences) -> bytes:
    hashed = hashlib.sha256()
    for text in sentences:
        hashed.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return hashed.digest()[:16]


def _open(path: Path, fingerprint: str) -> sqlite3.Connection:
    """Open the file; with vectors of another embedder in it, or damaged, it begins anew."""
    try:
        return _prepared(path, fingerprint)
    except sqlite3.OperationalError:  # locked, or not to be written: not ours to remove
        raise
    except sqlite3.DatabaseError:
        path.unlink()
        return _prepared(path, fingerprint)


def _prepared(path: Path, fingerprint: str) -> sqlite3.Connection:
    file = sqlite3.connect(path, timeout=_PATIENCE, check_same_thread=False)
    try:
        file.execute("PRAGMA journal_mode = WAL")
        file.execute("PRAGMA synchronous = NORMAL")  # a power cut takes the last rows, which are made again
        with file:
            file.execute("CREATE TABLE IF NOT EXISTS embedder(fingerprint TEXT PRIMARY KEY)")
            file.execute("CREATE TABLE IF NOT EXISTS sentences(key BLOB PRIMARY KEY, vectors BLOB NOT NULL)")
            if [row[0] for row in file.execute("SELECT fingerprint FROM embedder")] != [fingerprint]:
                file.execute("DELETE FROM sentences")
                file.execute("DELETE FROM embedder")
                file.execute("INSERT INTO embedder VALUES (?)", (fingerprint,))
    except sqlite3.Error:
        file.close()
        raise
    return file
