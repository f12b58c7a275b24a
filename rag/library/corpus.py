"""Sources of abstracts -> `Paper`, whatever the form they came in; the form is told by content, not by name."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from rag.errors import InputError
from rag.library.bibliographies import bibtex_records, is_bibtex, is_ris, ris_records
from rag.library.json_form import json_records
from rag.library.plain import plain_records
from rag.library.records import Record
from rag.library.tables import delimiter_of, table_records
from rag.text.tex import readable
from rag.text.titles import derive_title
from rag.text.words import fold, tokens, words
from rag.types import Paper, Skipped

STANDARD_INPUT = "-"
_MIN_WORDS = 4  # fewer words than this are a heading or a stub, not an abstract
_LARGEST = 4 * 2**30  # bytes that one packed file may unpack to: more is a trap, or needs splitting anyway
_NESTING = 3  # how deep packed files may lie in packed files
_ABOUT = re.compile(r"(?i)(?:readme|licen[cs]e|copying|changelog|citation|contributing)(?:\.[a-z]+)?$")
_BINARY = (b"%PDF", b"\x89PNG", b"\xff\xd8\xff", b"SQLite format 3", b"PK\x05\x06", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf")


@dataclass(frozen=True, slots=True)
class Reading:
    """What one source gave: papers in order, the records that are none, remarks on some that are.

    `partial` says why some of the source could not be read: nothing may be taken for withdrawn then.
    """

    papers: tuple[Paper, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[Skipped, ...] = ()
    partial: str = ""


def read_file(path: Path) -> Reading:
    """Read the abstracts of one file, of every file in a folder, or, for `-`, of standard input.

    Raises `InputError` where there is no such file or it can't be read as text.
    """
    if str(path) == STANDARD_INPUT:
        return read_bytes(sys.stdin.buffer.read(), "standard input")
    if path.is_dir():
        return papers_of(_folder(path))
    if not path.is_file():
        raise InputError(f"There is no file {str(path)!r}; give the path of a file with abstracts.")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{str(path)!r} can't be read ({error.strerror}); check its rights.") from error
    return read_bytes(data, str(path))


def read_bytes(data: bytes, name: str) -> Reading:
    """Read the abstracts of a file's content; `name` stands in messages."""
    return papers_of(unpacked(data, name))


def unpacked(data: bytes, name: str, depth: int = 0) -> Iterator[Record]:
    """Yield the records of a file's content, unpacking gzip and zip."""
    if depth > _NESTING:
        raise InputError(f"{name} is packed more than {_NESTING} times over; unpack it first.")
    if data.startswith(b"\x1f\x8b"):
        yield from unpacked(_gunzip(data, name), name, depth + 1)
    elif data.startswith(b"PK\x03\x04"):
        yield from _zipped(data, name, depth)
    else:
        yield from records(decode(data, name))


def _gunzip(data: bytes, name: str) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            plain = file.read(_LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name} is a damaged gzip file ({error}); fetch it again.") from error
    if len(plain) > _LARGEST:
        raise InputError(f"{name} unpacks to more than {_LARGEST // 2**30} GB; split it.")
    return plain


def _zipped(data: bytes, name: str, depth: int) -> Iterator[Record]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(f"{name} is a damaged zip file ({error}); fetch it again.") from error
    with archive:
        for member in sorted(archive.infolist(), key=lambda m: m.filename):
            if member.is_dir() or _is_beside(PurePosixPath(member.filename)):
                continue
            if member.flag_bits & 1:
                yield Record(member.filename, "", broken="it is encrypted")
            elif member.file_size > _LARGEST:
                yield Record(member.filename, "", broken=f"it unpacks to more than {_LARGEST // 2**30} GB")
            else:
                yield from _member(archive, member, depth)


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, depth: int) -> Iterator[Record]:
    try:
        content = archive.read(member)
    except (zipfile.BadZipFile, OSError, EOFError, zlib.error, NotImplementedError) as error:
        yield Record(member.filename, "", broken=f"it is damaged ({error})")
        return
    yield from _named(content, member.filename, depth + 1)


def _folder(folder: Path) -> Iterator[Record]:
    """Yield the records of every file below a folder, by name; hidden files and files about the folder are left out."""
    found = False
    for path in sorted(folder.rglob("*")):
        inner = PurePosixPath(path.relative_to(folder).as_posix())
        if not path.is_file() or _is_beside(inner):
            continue
        found = True
        try:
            data = path.read_bytes()
        except OSError as error:
            yield Record(str(inner), "", broken=f"it can't be read ({error.strerror})")
            continue
        yield from _named(data, str(inner), 0)
    if not found:
        raise InputError(f"The folder {str(folder)!r} holds no file; give one with files of abstracts.")


def _is_beside(path: PurePosixPath) -> bool:
    """Tell whether a file is none of abstracts by its name: hidden, a system's own, or about the files beside it."""
    return any(p.startswith(".") or p == "__MACOSX" for p in path.parts) or _ABOUT.match(path.name) is not None


def _named(data: bytes, name: str, depth: int) -> Iterator[Record]:
    """Yield a file's records with its name in their labels; a file that can't be read is one broken record."""
    try:
        for row in unpacked(data, name, depth):
            yield replace(row, label=f"{name}, {row.label}")
    except InputError as error:
        yield Record(name, "", broken=str(error).rstrip("."))


def decode(data: bytes, name: str) -> str:
    """Return a file's text: UTF-8 or UTF-16 by its mark, else UTF-8, else UTF-16 by its zeros, else Windows-1252."""
    if data.startswith(_BINARY):
        raise InputError(f"{name} is no text; save the abstracts as text, JSON, CSV, BibTeX or RIS.")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif data[:200].count(b"\x00") > len(data[:200]) // 4:
        encodings = ["utf-16-le" if data[1:2] == b"\x00" else "utf-16-be"]
    else:
        encodings = ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            return data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
        except UnicodeDecodeError:
            continue
    raise InputError(f"{name} is neither UTF-8, UTF-16 nor Windows-1252 text; save it as UTF-8.")


def records(text: str) -> Iterator[Record]:
    """Yield the entries of a text in whichever form it is written."""
    start = text.lstrip("\ufeff \t\n\x00")
    if start.startswith(("[{", "[\n", "[ ", "[]", '["', "[[")) or start.startswith("{"):
        return json_records(text.lstrip("\ufeff\x00"))
    if is_ris(start):
        return ris_records(text)
    if is_bibtex(start):
        return bibtex_records(text)
    sign = delimiter_of(start)
    return table_records(text.replace("\x00", ""), sign) if sign else plain_records(text)


def papers_of(rows: Iterable[Record]) -> Reading:
    """Turn records into papers; blank, short, broken and repeated ones are skipped with their reason."""
    gathered = _Gathering()
    for row in rows:
        gathered.take(row)
    return gathered.reading()


class _Gathering:
    """The papers of a source while it is read, and which texts and ids it has given."""

    def __init__(self) -> None:
        self._papers: list[Paper] = []
        self._skipped: list[Skipped] = []
        self._notes: list[Skipped] = []
        self._texts: dict[tuple[str, str], list[Record]] = {}
        self._ids: dict[str, str] = {}
        self._broken = 0

    def take(self, row: Record) -> None:
        """Take a record in as a paper, or skip it and say why."""
        abstract = readable(row.abstract)
        self._broken += bool(row.broken)
        reason = row.broken or _unusable(abstract)
        if reason:
            self._skipped.append(Skipped(row.label, reason))
            return
        # Words are looked at closely only where they make the id: records with ids of their own come by the thousand.
        mark = " ".join(abstract.casefold().split()) if row.id else _digest(abstract)
        same = self._texts.setdefault((row.title.casefold(), mark), [])
        twin = next((other for other in same if not _apart(row, other)), None)
        identity = row.id or self._derived(mark)
        if twin is not None:
            reason = f"it repeats {twin.label}"
        elif identity in self._ids:
            reason = f"its id {identity!r} is that of {self._ids[identity]}, with another text"
        if reason:
            self._skipped.append(Skipped(row.label, reason))
            return
        if same:
            self._notes.append(Skipped(row.label, f"it repeats {same[0].label} in another venue or year, and is kept"))
        if "\n" in row.abstract.strip():
            self._notes.append(Skipped(row.label, "its broken lines were joined"))
        same.append(row)
        self._ids[identity] = row.label
        title = row.title or derive_title(abstract)
        self._papers.append(Paper(identity, title, not row.title, abstract, row.abstract, dict(row.metadata)))

    def _derived(self, mark: str) -> str:
        """Return the id of a text; another paper with the very same text gets a number behind it."""
        identity = f"p{mark[:12]}"
        number = 2
        while identity in self._ids:
            identity, number = f"p{mark[:12]}-{number}", number + 1
        return identity

    def reading(self) -> Reading:
        """Return what was taken in so far."""
        partial = f"{self._broken} of its records could not be read" if self._broken else ""
        return Reading(tuple(self._papers), tuple(self._skipped), tuple(self._notes), partial)


def _apart(row: Record, other: Record) -> bool:
    """Tell whether a text under two ids is two papers: two venues, or years, list it under ids of their own."""
    if not (row.id and other.id) or row.id == other.id:
        return False
    return any(row.metadata.get(k) != other.metadata.get(k) for k in ("venue", "year"))


def _unusable(abstract: str) -> str:
    if not abstract:
        return "it has no abstract"
    if len(abstract) < 100 and len(list(tokens(abstract))) < _MIN_WORDS:
        return f"its abstract is too short ({abstract!r})"
    return ""


def derived_id(abstract: str) -> str:
    """Return the id of a paper whose form gives none."""
    return f"p{_digest(abstract)[:12]}"


def _digest(text: str) -> str:
    """Return a hash of a text's words, so that line breaks, spaces and case do not change an id."""
    return hashlib.sha256(_words(text).encode()).hexdigest()


def _words(text: str) -> str:
    return " ".join(words(fold(text)))
