"""Libraries by name or folder: found, made on first use, listed, moved and deleted."""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rag.config import Config, load_config
from rag.errors import InputError, LibraryError
from rag.library.catalog import CATALOG_FILE, Catalog
from rag.library.corpus import FILE_TYPES, read_file
from rag.library.embedding import MiniLM
from rag.library.keeping import Keeper, Progress, held
from rag.pipeline import Library
from rag.resources import resource
from rag.types import Embedder

DEFAULT_LIBRARY = "seeds"
_NAME = re.compile(r"[\w][\w.-]{0,63}")
_LOCK_PATIENCE = 300.0  # seconds a reader waits while another process fills the default library


def library_folder(config: Config, name: str) -> Path:
    """Return where a named library lies; raises `InputError` for a name that is no plain file name."""
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is no library name; use letters, digits, '.', '-' and '_'.")
    return config.home / name


def store_folder(store: str | Path) -> Path:
    """Return the folder of a library of yours; raises `InputError` for a name that no folder can have."""
    if not str(store).strip() or "\0" in str(store):
        raise InputError(f"{str(store)!r} is no folder; name one, such as . for the working folder.")
    return Path(store)


def open_library(
    name: str | None = None,
    *,
    store: str | Path | None = None,
    chroma: str | None = None,
    mode: str | None = None,
    model: Any = None,
    config: Config | None = None,
    embedder: Embedder | None = None,
    progress: Progress | None = None,
    create: bool = True,
    calibrated: bool = True,
) -> Library:
    """Open a library by name, or in a folder of yours; without either the default one, indexed on first use.

    `model` is the name of a chat model, or a `ChatModel` of yours. Not `calibrated`, answers state their raw score as
    confidence and their form as its note, which is what `rag eval calibrate` measures. Raises `LibraryError` where it
    can't be opened.
    """
    settings = config or load_config(model=model if isinstance(model, str) else None)
    if name is not None and store is not None:
        raise InputError("Both a name and a store were given; a library is opened by one of them.")
    if store is not None:
        folder, title = store_folder(store), Path(store).resolve().name
    else:
        title = DEFAULT_LIBRARY if name is None else name
        folder = library_folder(settings, title)
    default = store is None and title == DEFAULT_LIBRARY
    if not create and not default and not (folder / CATALOG_FILE).is_file():
        raise InputError(_missing(settings, folder, title, named=store is None))
    library = Library(
        folder,
        title,
        settings,
        chroma=chroma,
        embedder=embedder,
        mode=mode,
        model=None if isinstance(model, str) else model,
        calibrated=calibrated,
    )
    if default:
        _fill_default(library.keeper, progress)
    elif library.keeper.catalog.is_stale or not library.keeper.catalog.is_named:
        _refresh(library.keeper)
    return library


def name_after(file: str) -> str:
    """Return the library's name for a file or folder: its name without endings, never the packaged library's."""
    stem = file
    while Path(stem).suffix.lower() in FILE_TYPES:
        stem = Path(stem).stem
    if stem == file and Path(file).suffix[1:].isalpha():
        stem = Path(file).stem
    name = "".join(c if c.isalnum() or c in "._-" else "-" for c in stem).strip(".-_")[:60] or "library"
    return f"{name}-library" if name == DEFAULT_LIBRARY else name


def _missing(config: Config, folder: Path, title: str, *, named: bool) -> str:
    if not named:
        return f"There is no library in {str(folder)!r}; make it with: rag index FILE --store {folder}"
    near = get_close_matches(title, [found.name for found in libraries(config)], n=1)
    meant = f" (is {near[0]!r} meant?)" if near else ""
    return f"There is no library {title!r}{meant}; make it with: rag index FILE --library {title}"


def _refresh(keeper: Keeper) -> None:
    """Bring what other code derived up to date, unless a writer is at it already."""
    try:
        with keeper.writing():
            keeper.refresh()
    except LibraryError:
        return  # the writer that holds the library does the same


def _fill_default(keeper: Keeper, progress: Progress | None) -> None:
    """Index the seeds where the default library has not got them, or an interrupted run left it incomplete."""
    path = resource("seeds", "icml-2026.txt")
    mark = hashlib.sha256(path.read_bytes()).hexdigest()
    catalog = keeper.catalog

    def is_outdated() -> bool:
        made = catalog.meta("embedder") or ""
        embedder = keeper.embedder
        return isinstance(embedder, MiniLM) and made.startswith(f"{embedder.name}/") and made != embedder.fingerprint

    def is_complete() -> bool:
        embedded = keeper.embedder is None or catalog.pending_count() == 0
        return catalog.meta("seeds") == mark and embedded and not catalog.is_stale and not is_outdated()

    if is_complete():
        return
    with keeper.writing(_LOCK_PATIENCE):
        if is_complete():
            return
        keeper.refresh()
        if is_outdated():  # an earlier version of this package embedded it, and nobody chose how
            keeper.make_vectors_anew(progress)
        if catalog.meta("seeds") != mark:
            catalog.sync(f"seeds/{path.name}", read_file(path).papers, remove_missing=True)
        keeper.finish(progress)
        catalog.set_meta("seeds", mark)


@dataclass(frozen=True, slots=True)
class Found:
    """A library of the home folder: its name, how many papers it holds and where they came from."""

    name: str
    papers: int
    pending: int
    megabytes: float
    sources: tuple[str, ...]


def libraries(config: Config) -> list[Found]:
    """Return the libraries of the home folder by name."""
    found = []
    for path in sorted(config.home.glob(f"*/{CATALOG_FILE}")):
        size = sum(p.stat().st_size for p in path.parent.rglob("*") if p.is_file()) / 1e6
        try:
            catalog = Catalog(path.parent)
        except LibraryError:
            found.append(Found(path.parent.name, 0, 0, round(size, 1), ("it can't be read by this version",)))
            continue
        found.append(
            Found(
                path.parent.name,
                catalog.count(),
                catalog.pending_count(),
                round(size, 1),
                tuple(catalog.sources()),
            )
        )
        catalog.close()
    return found


def delete_library(config: Config, name: str) -> str:
    """Delete a library of the home folder, unless it is being written, and its vectors on a server.

    Returns what could not be deleted there, and why, as a sentence; else nothing.
    """
    folder, left = _existing(config, name), ""
    with held(folder, name):
        try:
            keeper = Keeper(folder, name, None, None, config.chroma_token)
        except LibraryError:
            pass  # of another format: where its vectors lie is not known
        else:
            left = keeper.forget_server()
            keeper.close()
        # The catalog goes first: what an interruption leaves behind is no library any more.
        for path in sorted(folder.glob(f"{CATALOG_FILE}*")):
            path.unlink()
    shutil.rmtree(folder)
    return left


def move_library(config: Config, name: str, to: str) -> None:
    """Give a library of the home folder another name, unless it is being written or the name is taken."""
    folder, target = _existing(config, name), library_folder(config, to)
    if target.exists():
        raise InputError(f"There is already a library {to!r}; choose another name, or delete it first.")
    if DEFAULT_LIBRARY in (name, to):
        raise InputError(f"{DEFAULT_LIBRARY!r} is the packaged library and keeps its name; choose another.")
    with held(folder, name):
        folder.rename(target)


def set_aside(store: str | Path | None, name: str | None, config: Config | None = None) -> None:
    """Move away a catalog that this version can't read, so that its source can be indexed anew beside it."""
    folder = Path(store) if store is not None else library_folder(config or load_config(), name or DEFAULT_LIBRARY)
    for path in sorted(folder.glob(f"{CATALOG_FILE}*")):
        path.rename(path.with_name(f"before-rebuild-{path.name}"))
    if (folder / "chroma").exists():
        shutil.rmtree(folder / "chroma-before-rebuild", ignore_errors=True)
        (folder / "chroma").rename(folder / "chroma-before-rebuild")


def _existing(config: Config, name: str) -> Path:
    folder = library_folder(config, name)
    if not (folder / CATALOG_FILE).is_file():
        raise InputError(_missing(config, folder, name, named=True))
    return folder
