"""Files and folders -> records: gzip, zip and tar are unpacked in memory, within bounds; names are never paths here."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import IO

from rag.errors import InputError
from rag.library.decoding import NoText, decode
from rag.library.records import Record

_LARGEST = 4 * 2**30  # bytes that one source may unpack to: more needs splitting anyway
_RATIO = 100  # times its size that a packed file may unpack to; text reaches 10, the most repetitive dumps 50
_SPARED = 64 * 2**20  # bytes that are never too many, however well they were packed
_NESTING = 3  # how deep packed files may lie in packed files
_PIECE = 2**20
_ABOUT = re.compile(r"(?i)(?:readme|licen[cs]e|copying|changelog|citation|contributing)(?:\.[a-z]+)?$")
_OFFICE = ("[Content_Types].xml", "mimetype")  # a first member that only Office and OpenDocument files have
_DAMAGED = (zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, zlib.error, NotImplementedError, RuntimeError)
Read = Callable[[str], Iterator[Record]]  # a text -> its records


class TooLarge(InputError):
    """Report a packed file that unpacks to more than it may."""


@dataclass(slots=True)
class Room:
    """How many bytes one source may still unpack to, all packed files in it together."""

    left: int

    @classmethod
    def for_size(cls, size: int) -> Room:
        """Return the room of a packed file of so many bytes."""
        return cls(min(_LARGEST, max(_SPARED, size * _RATIO)))

    def take(self, stream: IO[bytes] | gzip.GzipFile, name: str) -> bytes:
        """Read a stream to its end, piece by piece; raises `TooLarge` where it does not fit."""
        pieces = []
        while piece := stream.read(_PIECE):
            self.left -= len(piece)
            if self.left < 0:
                raise TooLarge(f"{name} unpacks to far more than a file of abstracts would; unpack or split it first.")
            pieces.append(piece)
        return b"".join(pieces)


def unpacked(data: bytes, name: str, read: Read, depth: int = 0, room: Room | None = None) -> Iterator[Record]:
    """Yield the records of a file's content; `read` makes records of a text."""
    room = room or Room.for_size(len(data))
    if depth > _NESTING:
        raise InputError(f"{name} is packed more than {_NESTING} times over; unpack it first.")
    if data.startswith(b"\x1f\x8b"):
        yield from unpacked(_gunzip(data, name, room), name, read, depth + 1, room)
    elif data.startswith(b"PK\x03\x04"):
        yield from _zipped(data, name, read, depth, room)
    elif data[257:262] == b"ustar":
        yield from _tarred(data, name, read, depth, room)
    else:
        yield from read(decode(data, name))


def _gunzip(data: bytes, name: str, room: Room) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            return room.take(file, name)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name} is a damaged gzip file ({error}); fetch it again.") from error


def _zipped(data: bytes, name: str, read: Read, depth: int, room: Room) -> Iterator[Record]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _DAMAGED as error:
        raise InputError(f"{name} is a damaged zip file ({error}); fetch it again.") from error
    with archive:
        members = archive.infolist()
        if members and members[0].filename in _OFFICE:
            raise NoText(f"{name} is an Office document; save its table as CSV, or its text as plain text.")
        for member in sorted(members, key=lambda m: m.filename):
            if member.is_dir() or is_beside(PurePosixPath(member.filename)):
                continue
            label = shown(member.filename)
            if member.flag_bits & 1:
                yield Record(label, "", broken="it is encrypted")
                continue
            try:
                with archive.open(member) as stream:
                    content = room.take(stream, label)
            except _DAMAGED as error:
                yield Record(label, "", broken=f"it is damaged ({error})")
                continue
            yield from named(content, label, read, depth + 1, room)


def _tarred(data: bytes, name: str, read: Read, depth: int, room: Room) -> Iterator[Record]:
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            members = sorted((m for m in archive.getmembers() if m.isfile()), key=lambda m: m.name)
            for member in members:
                stream = archive.extractfile(member)
                if stream is not None and not is_beside(PurePosixPath(member.name)):
                    label = shown(member.name)
                    yield from named(room.take(stream, label), label, read, depth + 1, room)
    except _DAMAGED as error:
        raise InputError(f"{name} is a damaged tar file ({error}); fetch it again.") from error


def folder_records(folder: Path, read: Read) -> Iterator[Record]:
    """Yield the records of every file below a folder, by name; hidden files and files about the folder are left out."""
    found = False
    for path in sorted(folder.rglob("*")):
        inner = PurePosixPath(path.relative_to(folder).as_posix())
        if is_beside(inner) or not path.is_file():
            continue
        found, label = True, shown(str(inner))
        try:
            data = path.read_bytes()
        except OSError as error:
            yield Record(label, "", broken=f"it can't be read ({error.strerror})")
            continue
        yield from named(data, label, read, 0, None)
    if not found:
        raise InputError(f"The folder {str(folder)!r} holds no file; give one with files of abstracts.")


def is_beside(path: PurePosixPath) -> bool:
    """Tell whether a file is none of abstracts by its name: hidden, a system's own, or about the files beside it."""
    hidden = any((p.startswith(".") and p not in (".", "..")) or p == "__MACOSX" for p in path.parts)
    return hidden or _ABOUT.match(path.name) is not None


def shown(name: str) -> str:
    """Return a file's name as it may be printed: nothing in it steers a terminal or breaks an encoding."""
    return "".join(c if c.isprintable() else "\ufffd" for c in name)


def named(data: bytes, name: str, read: Read, depth: int, room: Room | None) -> Iterator[Record]:
    """Yield a file's records with its name in their labels.

    A file that can't be read is one broken record, and so is an empty one, whose records may have been lost; what is no
    text is left out.
    """
    if not data.strip():
        yield Record(name, "", broken="it is empty")
        return
    try:
        for row in unpacked(data, name, read, depth, room):
            yield replace(row, label=f"{name}, {row.label}")
    except NoText as error:
        yield Record(name, "", excluded=str(error).rstrip("."))
    except InputError as error:
        yield Record(name, "", broken=str(error).rstrip("."))
