"""The SQLite file of a catalog: a connection for each thread, and what it could not do in a sentence."""

from __future__ import annotations

import os
import shlex
import sqlite3
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rag.errors import LibraryError


class _Held:
    """The connection of one thread, closed when the thread ends: each keeps megabytes of pages.

    A connection alone would not be: it refers to itself, and waits for the garbage collector.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        self.connection.close()


def reading_anew(folder: Path) -> str:
    """Return the command that sets a library's file aside and reads a source of it again."""
    return f"rag index FILE --rebuild --store {shlex.quote(str(folder))}"


class _Telling(sqlite3.Connection):
    """A connection that says in a sentence what SQLite could not do, and what to do about it."""

    folder = Path()  # where the library lies

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        """Run a statement; raises `LibraryError` where it fails."""
        try:
            return super().execute(*arguments)
        except sqlite3.Error as error:
            raise LibraryError(_told(error, self.folder)) from error

    def executemany(self, *arguments: Any) -> sqlite3.Cursor:
        """Run a statement for each row; raises `LibraryError` where it fails."""
        try:
            return super().executemany(*arguments)
        except sqlite3.Error as error:
            raise LibraryError(_told(error, self.folder)) from error


def _told(error: sqlite3.Error, folder: Path) -> str:
    """Return what an error of SQLite means for the library, and the remedy."""
    if isinstance(error, sqlite3.OperationalError):
        return f"The library's file can't be used ({error}); check the disk's space and the rights, and run it again."
    remedy = f"set it aside and read its sources again with: {reading_anew(folder)}"
    return f"The library's file is damaged ({error}); {remedy}"


class Database:
    """One SQLite file, read and written by several threads and processes; a file put in its place is noticed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._held: weakref.WeakSet[_Held] = weakref.WeakSet()  # the threads alone keep them
        self._lock = threading.Lock()
        self._made = False

    @property
    def connection(self) -> sqlite3.Connection:
        """Return this thread's connection."""
        held: _Held | None = getattr(self._local, "held", None)
        if held is not None and self._local.file != self._file():
            held = None  # the folder was deleted and built again: the old handle reads a file that is gone
        if held is None:
            held = _Held(self._connected())
            self._local.held, self._local.file = held, self._file()
            self._made = True
            with self._lock:
                self._held.add(held)
        return held.connection

    def _connected(self) -> sqlite3.Connection:
        """Return a new connection; a library in a folder that can't be written is only read."""
        read_only = self.path.is_file() and not os.access(self.path.parent, os.W_OK)
        waiting = self.path.with_name(f"{self.path.name}-wal").exists()
        how = "" if not read_only else "?mode=ro" if waiting else "?immutable=1"
        try:
            connection = sqlite3.connect(
                f"{self.path.absolute().as_uri()}{how}",
                uri=True,
                timeout=30,
                isolation_level=None,
                check_same_thread=False,
                factory=_Telling,
            )
        except sqlite3.Error as error:
            raise LibraryError(f"{self.path} can't be opened ({error}); check the folder and its rights.") from error
        connection.folder = self.path.parent
        if not read_only:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
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
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Run what is done with the connection as one transaction; nothing of it stays where it fails."""
        db = self.connection
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")

    @property
    def file(self) -> tuple[int, int]:
        """Return what tells the file that this thread reads from another that was put in its place."""
        place: tuple[int, int] = self._local.file
        return place

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            for held in self._held:
                held.connection.close()
            self._held.clear()
        self._local = threading.local()
