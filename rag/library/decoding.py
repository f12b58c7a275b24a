"""Bytes of a file -> text: UTF-8, UTF-16, UTF-32 or Windows-1252, told by marks and by what the bytes can be."""

from __future__ import annotations

from rag.errors import InputError

_BINARY = (
    *(b"%PDF", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"SQLite format 3", b"{\\rtf", b"\xd0\xcf\x11\xe0", b"\x7fELF"),
    *(b"PK\x05\x06", b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"\x28\xb5\x2f\xfd", b"Rar!"),
    *(b"PAR1", b"ARROW1", b"\x89HDF", b"\x93NUMPY"),
)
_MARKS = (
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_CONTROL = bytes(range(1, 9)) + bytes(range(14, 27)) + b"\x7f"
_LOOKED_AT = 4096  # bytes at a file's beginning that tell text from other data
_FOREIGN = 0.3  # share of letters outside ASCII at which a text is not in Windows-1252, but in an unknown encoding


class NoText(InputError):
    """Report data that is no text at all, such as a PDF among the files of a folder."""


def decode(data: bytes, name: str) -> str:
    r"""Return a file's text with `\n` as its line ends and without marks and NULs.

    A line of another encoding than its neighbours is read as Windows-1252; bytes that are neither stay behind as lone
    surrogates, which no record may hold. Raises `InputError` where nothing can be read so.
    """
    head = data[:_LOOKED_AT]
    if data.startswith(_BINARY) or head[257:262] == b"ustar":
        raise NoText(f"{name} is no text; save the abstracts as text, JSON, CSV, BibTeX or RIS.")
    encoding = next((e for mark, e in _MARKS if data.startswith(mark)), None) or _unmarked(head)
    if encoding is None and sum(head.count(c) for c in _CONTROL) > len(head) // 50:
        raise NoText(f"{name} is no text; save the abstracts as text, JSON, CSV, BibTeX or RIS.")
    try:
        text = data.decode(encoding or "utf-8")
    except UnicodeDecodeError as error:
        text = _mixed(data) if encoding is None else ""
        if not text:
            raise InputError(f"{name} is neither UTF-8, UTF-16 nor Windows-1252 text; save it as UTF-8.") from error
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "").replace("\x00", "")
    return text.removesuffix("\x1a")  # how DOS marks the end of a file


def _unmarked(head: bytes) -> str | None:
    """Return UTF-16 where every other byte is zero, as in text that was saved without its mark."""
    pairs = len(head) // 2
    for name, place in (("utf-16-le", 1), ("utf-16-be", 0)):
        if pairs and head[place::2].count(0) > pairs // 2 and head[1 - place :: 2].count(0) < pairs // 4:
            return name
    return None


def _mixed(data: bytes) -> str:
    """Return a text line by line, each as UTF-8 or else as Windows-1252; nothing where no line can be read."""
    lines, unread, foreign, letters = [], 0, 0, 0
    for line in data.split(b"\n"):
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            try:
                text = line.decode("cp1252")
                foreign += sum(not c.isascii() for c in text)
                letters += sum(not c.isspace() for c in text)
            except UnicodeDecodeError:
                text = line.decode("utf-8", "surrogateescape")
                unread += 1
        lines.append(text)
    filled = sum(bool(line.strip()) for line in lines)
    return "" if unread == filled or foreign > _FOREIGN * letters > 0 else "\n".join(lines)
