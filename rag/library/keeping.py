"""One library kept in step: the catalog is the truth, the vectors follow; one writer at a time, told who holds it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from rag.errors import LibraryError, ModelError, NothingIndexed, VectorsAway
from rag.library import indexing, proving
from rag.library.catalog import Catalog
from rag.library.corpus import STANDARD_INPUT, Reading
from rag.library.embedding import WEIGHTS_COMMAND
from rag.types import Embedder, IndexReport, Skipped

PIPED = "standard input"
NO_WEIGHTS = f"Only words are searched: the embedding weights are not installed; add them with: {WEIGHTS_COMMAND}"
Progress = Callable[[int, int], None]
Approve = Callable[[int, int, float | None], bool]  # passages, tokens, their price -> whether to go on
_LARGE = 500  # passages: a run at a paid service that is worth asking about first


def source_name(source: str | Path) -> str:
    """Return the name under which a library remembers a source."""
    return PIPED if str(source) == STANDARD_INPUT else str(Path(source).resolve())


def rebuilding(folder: Path, name: str, home: Path | None) -> str:
    """Return the command that makes both indexes of a library anew, whether it is known by name or by its folder."""
    named = home is not None and folder.resolve() == (home / name).resolve()
    where = f"--library {shlex.quote(name)}" if named else f"--store {shlex.quote(str(folder))}"
    return f"rag index --rebuild {where}"


class Keeper:
    """The texts of a library and what is derived from them; safe to use from several threads."""

    def __init__(
        self,
        folder: Path,
        name: str,
        embedder: Embedder | None,
        chroma: str | None = None,
        token: str = "",
        *,
        home: Path | None = None,
    ) -> None:
        self.folder, self.name, self.embedder = folder, name, embedder
        self.rebuilding = rebuilding(folder, name, home)  # the command, for those who are told to run it
        self.catalog = Catalog(folder)
        # The address is remembered: asked without it, the library must not look for its vectors in an empty folder.
        self._chroma, self._token = chroma or self.catalog.meta("server") or None, token
        self._guard = threading.RLock()
        self._store: Any = None
        self._seen = ""
        self.trouble = ""  # why the last search did without vectors, or without some of them
        self.misses = 0  # searches that found no vectors where there should be some

    def close(self) -> None:
        """Release the files."""
        self.catalog.close()
        with self._guard:
            self._drop_store()

    def health(self) -> dict[str, Any]:
        """Return the counts on both sides and what is missing."""
        count = self._vector_count()
        return {
            "library": self.name,
            "folder": str(self.folder),
            "papers": self.catalog.count(),
            "chunks": self.catalog.chunk_count(),
            "vectors": count,
            "pending": self.catalog.pending_count(),
            "embedder": self.embedder.name if self.embedder is not None else None,
            "sources": self.catalog.sources(),
            "vectors_in": self._chroma or str(self.folder / "chroma"),
            **({"trouble": self.trouble} if self.trouble else {}),
        }

    def _vector_count(self) -> int:
        try:
            store = self.vectors()
            count = store.count() if store is not None else 0
        except VectorsAway as error:
            self._note(error)
            return 0
        self.trouble = ""
        return int(count)

    # The vectors

    def near(self, vector: Any, k: int, ids: Sequence[str] | None = None) -> list[tuple[str, float]]:
        """Return up to k (chunk id, cosine) near a vector, best first; none, with the reason in `trouble`, while away.

        A server that was restarted, or emptied, since it was last asked is asked once more with a new client.
        """
        while True:
            known = self._store is not None
            try:
                store = self.vectors()
                found: list[tuple[str, float]] = store.query(vector, k, ids) if store is not None else []
                self.trouble = "" if found else self._missing(store)
                self.misses += bool(self.trouble)
                return found
            except VectorsAway as error:
                self._note(error)
                self._retire_store()
                if not known:
                    self.misses += 1
                    return []

    def _retire_store(self) -> None:
        """Have the next client read anew; this one is not stopped: another thread may be in the middle of a search."""
        with self._guard:
            if self._store is not None:
                self._store.retire()
            self._store = None

    def _note(self, error: VectorsAway) -> None:
        """Remember that the vectors are away; a server that they have never lain on is a mistake, and raised as one."""
        if self._chroma and self.catalog.meta("server") != self._chroma:
            raise error
        reason, _, remedy = str(error).partition(";")
        more = f";{remedy}" if remedy and not self._chroma else "."
        self.trouble = f"{reason.rstrip('.')}: for now papers are found by their words only{more}"

    def _missing(self, store: Any) -> str:
        """Say so where a store without any vector stands beside texts that were embedded."""
        embedded = self.catalog.chunk_count() - self.catalog.pending_count()
        if store is None or not embedded or store.count():
            return ""
        return (
            f"The vectors of {embedded} passages are gone from {self._chroma or self.folder / 'chroma'}: "
            f"papers are found by their words only; make them again with: {self.rebuilding}"
        )

    def vectors(self) -> Any:
        """Return the vector store, or None without an embedder; another process's changes are seen.

        Raises `LibraryError` where a newer Chroma wrote it, or it can't be opened.
        """
        with self._guard:
            if self.embedder is None:
                return None
            seen = self._vectors_version()
            if self._store is not None and seen != self._seen:
                # Chroma keeps what it has read in memory: without a new client, another process's work stays unseen.
                self._retire_store()
            if self._store is None:
                self._store, self._seen = self._open_store(), self._vectors_version()
            return self._store

    def _vectors_version(self) -> str:
        return f"{self.catalog.version()[:2]} {self.catalog.meta('vectors')}"

    def _drop_store(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = None

    def _open_store(self) -> Any:
        # Importing Chroma and loading the model take about as long; the model loads outside Python's lock.
        # Not a daemon: a process that ended in the middle of loading would abort.
        warm = getattr(self.embedder, "warm", None)
        if warm is not None:
            threading.Thread(target=warm).start()
        if not self._chroma and not os.access(self.folder, os.W_OK):
            raise VectorsAway(
                f"The vectors in {self.folder / 'chroma'} can't be opened, because Chroma writes where it reads; "
                "give yourself the right to write there, or copy the library."
            )
        self._prepare_upgrade()
        from rag.library.store import ChromaStore, folder_state

        try:
            store = ChromaStore(self.folder, self._chroma, self._collection(), self._token, self.rebuilding)
        except VectorsAway as error:
            written, now = self.catalog.meta("chroma"), _chroma_version()
            if self._chroma:
                raise
            known = f"; it was written by Chroma {written}, this is {now}" if written and written != now else ""
            raise VectorsAway(f"{str(error).rstrip('.')}{known}; build it again with: {self.rebuilding}") from error
        if self._chroma:
            self._remember("server", self._chroma)
            self._remember("collection", self._collection())
        if not self._chroma:
            self._remember("chroma", _chroma_version())
            self._remember("chroma_state", json.dumps(folder_state(self.folder / "chroma")))
        return store

    def _remember(self, key: str, value: str) -> None:
        if self.catalog.meta(key) != value:
            self.catalog.set_meta(key, value)

    def _collection(self) -> str:
        """Return the collection's name: a server holds those of many libraries, and a library may be renamed."""
        from rag.library.store import COLLECTION

        if not self._chroma:
            return COLLECTION
        kept = self.catalog.meta("collection")
        if kept:
            return kept
        plain = re.sub(r"[^A-Za-z0-9]+", "-", self.name).strip("-")[:40] or "library"
        return f"{COLLECTION}-{plain}-{self.catalog.meta('id')}"

    def _prepare_upgrade(self) -> None:
        """Refuse vectors that a newer Chroma wrote; keep a copy of those that an older one wrote before they change.

        Opening a folder brings it up to date for good: a Chroma of the version that made it can't read it any more.
        """
        from rag.library.store import folder_state

        here = self.folder / "chroma"
        if self._chroma or not here.is_dir():
            return
        written, now = self.catalog.meta("chroma"), _chroma_version()
        state, known = folder_state(here), json.loads(self.catalog.meta("chroma_state") or "{}")
        changed = any(state.get(part, 0) > step for part, step in known.items())
        if written and (_release(written) > _release(now) or (written == now and changed)):
            by, which = (written, f"chromadb=={written}") if written != now else ("a newer version", "that version")
            raise LibraryError(
                f"The vectors of library {self.name!r} were written by Chroma {by}, this is {now}: "
                f"install {which}, or build them again with: {self.rebuilding}"
            )
        older = written != now if written else self.catalog.chunk_count() > self.catalog.pending_count()
        if not (older or any(state.get(part, 0) < step for part, step in known.items())):
            return
        self._keep_copy(here, written if written and written != now else f"before-{now}")

    def _keep_copy(self, here: Path, written: str) -> None:
        copy = self.folder / f"chroma-{written}"
        if not copy.exists():
            part = self.folder / f"chroma-{written}.part"
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(here, part)
            os.replace(part, copy)

    def forget_server(self) -> str:
        """Delete the vectors that lie on a server; return what was left there, and why, as a sentence, or nothing."""
        if not self._chroma:
            return ""
        from rag.library.store import ChromaStore

        try:
            ChromaStore(self.folder, self._chroma, self._collection(), self._token).drop()
        except LibraryError as error:
            reason = str(error).partition(";")[0].rstrip(".")
            return f"Its collection {self._collection()!r} was left on {self._chroma}: {reason}."
        return ""

    # Writing

    def writing(self, patience: float = 0.0) -> Any:
        """Hold the library for writing, or say who holds it."""
        return held(self.folder, self.name, patience)

    def add(
        self,
        reading: Reading,
        source: str,
        *,
        keep: bool = False,
        progress: Progress | None = None,
        approve: Approve | None = None,
    ) -> IndexReport:
        """Store a reading under a source name and embed what is new or changed."""
        if not reading.papers:
            raise NothingIndexed(f"{source} holds no abstract{_why(reading.skipped)}; nothing was changed.")
        piped = source == PIPED
        with self.writing():
            self.check_fingerprint()
            self.refresh()
            done = self.catalog.sync(
                source,
                reading.papers,
                remove_missing=not (keep or piped or reading.partial),
                edited=not piped,
            )
            if self._is_approved(approve):
                embedded, warnings = self._finished(progress)
            else:
                self.catalog.derive_names()
                embedded, warnings = 0, (_UNEMBEDDED,)
        if reading.partial and not keep:
            warnings = (*warnings, f"Nothing of {source} was taken for withdrawn, because {reading.partial}.")
        return IndexReport(
            tuple(done["added"]),
            tuple(done["updated"]),
            tuple(done["unchanged"]),
            tuple(done["removed"]),
            (*reading.skipped, *(Skipped(identity, _FOREIGN) for identity in done["foreign"])),
            reading.notes,
            embedded,
            warnings,
        )

    def _finished(self, progress: Progress | None) -> tuple[int, tuple[str, ...]]:
        try:
            return self.finish(progress)
        except VectorsAway as error:
            self._note(error)
            if self._chroma:
                stored = "The texts are stored and found by their words; the same command goes on from there."
                raise VectorsAway(f"{error} {stored}") from error
            reason, _, remedy = str(error).partition(";")
            raise VectorsAway(f"{reason}: the texts are stored and found by their words;{remedy}") from error

    def _is_approved(self, approve: Approve | None) -> bool:
        """Ask about a large run at a service that counts tokens; anything else needs no asking."""
        estimate = getattr(self.embedder, "estimate", None)
        pending = self.catalog.pending_count()
        if approve is None or estimate is None or pending < _LARGE:
            return True
        return approve(pending, *estimate(self.catalog.pending_characters()))

    def remove(self, ids: Sequence[str]) -> list[str]:
        """Remove papers by id; return the ids that were there."""
        with self.writing():
            gone = self.catalog.remove(ids)
            self.finish(None)
        return gone

    def complete(self, progress: Progress | None = None) -> int:
        """Finish an interrupted indexing; return how many chunks were embedded."""
        with self.writing():
            return self.finish(progress)[0]

    def refresh(self) -> None:
        """Make chunks, names and words anew where another version of the code made them; the writer calls this."""
        if self.catalog.is_stale:
            self.catalog.rederive()
        self.catalog.derive_names()

    def rebuild(self, progress: Progress | None = None) -> int:
        """Make everything derived anew from the texts as read, the vectors too; return how many chunks were embedded.

        The old vectors of a folder lie aside until the new ones are complete.
        """
        with self.writing():
            self.catalog.rederive()
            return self.make_vectors_anew(progress)

    def make_vectors_anew(self, progress: Progress | None) -> int:
        """Embed all passages again, for a writer; return how many."""
        with self._guard:
            self._drop_store()
        aside = self.folder / "chroma-before-rebuild"
        if self._chroma:
            self.vectors().clear()
        elif (self.folder / "chroma").exists():
            shutil.rmtree(aside, ignore_errors=True)
            os.replace(self.folder / "chroma", aside)
        self.catalog.forget_vectors()
        for key in ("embedder", "probe", "chroma", "chroma_state"):
            self.catalog.set_meta(key, "")
        embedded = self.finish(progress)[0]
        shutil.rmtree(aside, ignore_errors=True)
        return embedded

    def prove(self, search: proving.Search) -> dict[str, Any]:
        """Search every passage by its own text through each index; mend what does not find itself."""
        with self.writing():
            self.catalog.derive_names()
            store, damage = self._mended_store()

            def again(chunks: Sequence[str]) -> None:
                self.catalog.restore(chunks=chunks)
                if store is not None:
                    store.delete(chunks)
                self.finish(None)

            def anew(papers: Sequence[str]) -> None:
                self.catalog.restore(papers=papers)
                self.finish(None)

            menders = proving.Menders(anew, again, lambda strays: store.delete(strays) if store is not None else None)
            proof = proving.prove(self.catalog, store, self.embedder, search, menders)
            return {**proof, **({"made_anew": damage} if damage else {})}

    def _mended_store(self) -> tuple[Any, str]:
        """Return the vector store, and what was wrong with its folder where all vectors had to be made anew for it.

        That is left to the reader where it costs money, and where the vectors lie on a server.
        """
        try:
            return self.vectors(), ""
        except VectorsAway as error:
            if self._chroma or hasattr(self.embedder, "estimate") or not os.access(self.folder, os.W_OK):
                raise
            self.make_vectors_anew(None)
            return self.vectors(), str(error).partition(";")[0]

    def finish(self, progress: Progress | None) -> tuple[int, tuple[str, ...]]:
        """Bring names and vectors in step with the texts, for a writer; return how many were embedded, and warnings."""
        waiting = self.catalog.pending_count()
        if progress and waiting and self.embedder is not None:
            progress(0, waiting)  # from here on the words are searched
        self.catalog.derive_names()
        store = self.vectors()
        if store is None or self.embedder is None:
            return 0, (NO_WEIGHTS,)
        if not self.catalog.meta("embedder"):
            # Written first: a run that dies half-way must not leave vectors of an embedder that nobody knows.
            self.catalog.set_meta("embedder", self.embedder.fingerprint)
        pending = self.catalog.pending_count()
        if pending:
            indexing.check_probe(self.catalog, self.embedder, self.name, self.rebuilding)
        withdrawn = bool(self.catalog.withdrawn())
        try:
            embedded = indexing.complete(self.catalog, store, self.embedder, progress)
        except ModelError as error:
            missing, total = self.catalog.pending_count(), self.catalog.chunk_count()
            raise ModelError(
                f"{error} {total - missing} of {total} passages are embedded, {missing} are missing; "
                "the same command goes on from there."
            ) from error
        finally:
            if pending or withdrawn:
                self.catalog.set_meta("vectors", str(int(self.catalog.meta("vectors") or 0) + 1))
            with self._guard:
                self._seen = self._vectors_version()  # our own work needs no new client
        return embedded, ()

    def check_fingerprint(self) -> None:
        """Raise `LibraryError` where the vectors come from another embedder than the one that is set."""
        stored = self.catalog.meta("embedder")
        if self.embedder is not None and stored and stored != self.embedder.fingerprint:
            raise LibraryError(
                f"Library {self.name!r} was embedded with {stored}, the setting is {self.embedder.fingerprint}; "
                f"restore that setting, or build the library again with: {self.rebuilding}"
            )


_UNEMBEDDED = "Nothing was embedded; until the same command runs again, new abstracts are found by their words only."
_FOREIGN = "another source gave this id with another text, and only that source changes it"


def _why(skipped: Sequence[Skipped]) -> str:
    return f" ({len(skipped)} records were skipped: {skipped[0].reason})" if skipped else ""


def _chroma_version() -> str:
    return version("chromadb")


def _release(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:3] if part.isdigit())


@contextmanager
def held(folder: Path, name: str, patience: float = 0.0) -> Iterator[None]:
    """Hold the writer's lock of a library; raise `LibraryError` that says who holds it where it is taken."""
    path, holder = folder / "writer.lock", folder / "writer.holder"
    lock = FileLock(path, timeout=patience)
    try:
        lock.acquire()
    except Timeout as error:
        who = holder.read_text(encoding="utf-8") if holder.is_file() else "another process"
        raise LibraryError(f"Library {name!r} is being written by {who}; wait until it is done.") from error
    except OSError as error:
        raise LibraryError(
            f"Library {name!r} can't be written ({error.strerror}); check the rights and the disk's space of {folder}."
        ) from error
    try:
        with suppress(OSError):  # it only tells others who writes
            holder.write_text(f"process {os.getpid()}", encoding="utf-8")
        yield
    finally:
        lock.release()
