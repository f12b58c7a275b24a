"""A file that a visitor drops on the page -> a library of its own."""

from __future__ import annotations

from pathlib import Path

from rag.errors import InputError, NothingIndexed
from rag.library.corpus import FILE_TYPES, FORMS, read_file
from rag.opening import name_after
from rag.types import IndexReport, Skipped
from ui.library import Progress, Shelf

LARGEST_FILE = 50_000_000  # bytes; a conference of 20,000 abstracts is half of that


class Refused(NothingIndexed):
    """Report a file of which no record could be taken in, with the reason for each."""

    def __init__(self, message: str, skipped: tuple[Skipped, ...]) -> None:
        super().__init__(message)
        self.skipped = skipped


def take_in(shelf: Shelf, file: Path, progress: Progress | None = None) -> tuple[str, IndexReport]:
    """Read a file into the library named after it; return that name and what became of the records.

    The same file dropped again updates its library. Raises `InputError` for a type, size or text that can't be read,
    `Refused` where no record could be taken in.
    """
    if file.suffix.lower() not in FILE_TYPES:
        raise InputError(
            f"{file.name} is no file of abstracts ({FORMS}); drop one that ends with {', '.join(FILE_TYPES)}."
        )
    size = file.stat().st_size
    if size > LARGEST_FILE:
        raise InputError(
            f"{file.name} has {size / 1e6:.0f} MB, but at most {LARGEST_FILE // 10**6} MB are taken here; "
            "index it with: rag index FILE"
        )
    reading = read_file(file)
    if not reading.papers:
        raise Refused(f"{file.name} holds no abstract; nothing was changed.", reading.skipped)
    name = name_after(file.name)
    report = shelf.make(name).add(reading, f"page:{file.name}", progress=progress)
    return name, report
