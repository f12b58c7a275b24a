"""The lexical index on disk: a copy of what lies in memory, for libraries that take seconds to build it.

The copy is derived, and only believed where it was made from the texts as they stand, by this code; any doubt, and the
index is built from the catalog.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import numpy as np

from rag.retrieval import lexical
from rag.retrieval.lexical import LexicalIndex

KEPT_FILE = "lexical-index.npz"
LEAST = 2_000  # passages: fewer are built in a tenth of a second


def kept_index(folder: Path, mark: str, build: Callable[[], LexicalIndex], least: int = LEAST) -> LexicalIndex:
    """Return the index whose copy bears this mark, else build it and, from so many passages on, keep a copy."""
    mark = f"{mark} {_code()}"
    index = _read(folder / KEPT_FILE, mark)
    if index is None:
        index = build()
        if len(index) >= least:
            _keep(folder, mark, index)
    return index


@lru_cache(maxsize=1)
def _code() -> str:
    """Return a hash of the code that builds an index: with other weights, a copy is worth nothing."""
    return hashlib.sha256(Path(lexical.__file__).read_bytes()).hexdigest()[:16]


def _read(path: Path, mark: str) -> LexicalIndex | None:
    if not path.is_file():
        return None
    with suppress(OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile), np.load(path) as arrays:
        about = json.loads(arrays["about"].tobytes())
        if about["mark"] == mark:
            return LexicalIndex.of_parts(about["ids"], about["words"], arrays)
    return None


def _keep(folder: Path, mark: str, index: LexicalIndex) -> None:
    """Write the copy beside the catalog; where that can't be done, the next process builds the index again."""
    ids, words, arrays = index.parts()
    about = np.frombuffer(json.dumps({"mark": mark, "ids": ids, "words": words}).encode(), dtype=np.uint8)
    part = folder / f"{KEPT_FILE}.{os.getpid()}"
    with suppress(OSError):
        for left in folder.glob(f"{KEPT_FILE}.*"):  # of processes that were killed while they wrote
            left.unlink()
        with part.open("wb") as file:
            np.savez(file, about=about, **arrays)
        os.replace(part, folder / KEPT_FILE)
