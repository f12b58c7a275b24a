"""Files of abstracts -> `Paper`: what a record says, in one shape, whatever the form it came in."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag.errors import InputError
from rag.text.tex import readable
from rag.text.titles import derive_title
from rag.text.words import fold, tokens
from rag.types import Paper, Skipped

_MIN_WORDS = 4  # fewer words than this are a heading or a stub, not an abstract
_HEADING = re.compile(r"(?P<venue>[^\W\d_][\w&/. -]*?)\s+(?P<year>(?:19|20)\d\d)\b")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")  # JSON can escape one; no file can store it
_TITLE_KEYS = ("title", "paper_title", "name")
_ABSTRACT_KEYS = ("abstract", "summary", "paperAbstract", "abstract_text")
_ID_KEYS = ("id", "paper_id", "paperId", "forum", "corpusId", "ID")
_LIST_KEYS = {"authors": ("authors", "author"), "keywords": ("keywords", "categories", "tags")}
_TEXT_KEYS = {
    "venue": ("venue", "booktitle", "journal", "conference"),
    "url": ("url", "link", "pdf"),
    "doi": ("doi",),
    "tldr": ("tldr", "TLDR", "TL;DR"),
}


@dataclass(frozen=True, slots=True)
class Record:
    """One entry of a file before it is a paper; `label` is how people find it in their file."""

    label: str
    abstract: str
    title: str = ""
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    broken: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one source gave: papers in order, and the records that are none."""

    papers: tuple[Paper, ...]
    skipped: tuple[Skipped, ...]


def read_file(path: Path) -> Reading:
    """Read the abstracts of one file.

    Raises `InputError` where there is no such file or it can't be read as text.
    """
    if not path.is_file():
        raise InputError(f"There is no file {str(path)!r}; give the path of a file with abstracts.")
    return read_bytes(path.read_bytes(), str(path))


def read_bytes(data: bytes, name: str) -> Reading:
    """Read the abstracts of a file's content; `name` stands in messages."""
    if data.startswith(b"\x1f\x8b"):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError) as error:
            raise InputError(f"{name} is a damaged gzip file ({error}); fetch it again.") from error
    return papers_of(records(decode(data, name)))


def decode(data: bytes, name: str) -> str:
    """Return a file's text: UTF-8 or UTF-16 by its mark, else UTF-8, else UTF-16 by its zeros, else Windows-1252."""
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
    """Yield the entries of a text: JSON, JSON lines, or plain abstracts, told apart by how it begins."""
    start = text.lstrip()
    if start.startswith("["):
        try:
            rows = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(f"The file begins like JSON but breaks at line {error.lineno}; mend it there.") from error
        except RecursionError as error:
            raise InputError("The file is JSON nested too deeply to be abstracts; give a list of objects.") from error
        yield from (_from_row(row, f"record {i}") for i, row in enumerate(rows, 1))
    elif start.startswith("{"):
        yield from _json_lines(text)
    else:
        yield from _plain(text)


def _json_lines(text: str) -> Iterator[Record]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _from_line(line, f"line {number}")


def _from_line(line: str, label: str) -> Record:
    try:
        return _from_row(json.loads(line), label)
    except (json.JSONDecodeError, RecursionError):
        return Record(label, "", broken="the JSON is broken or cut off")


def _from_row(row: Any, label: str) -> Record:
    if not isinstance(row, Mapping):
        return Record(label, "", broken="it is not an object with an abstract")
    if _HALF_CHARACTER.search(json.dumps(row, ensure_ascii=False)):
        return Record(label, "", broken="it holds half a character (a surrogate without its pair)")
    flat = {k: v.get("value") if isinstance(v, Mapping) and "value" in v else v for k, v in _flatten(row).items()}
    metadata: dict[str, Any] = {}
    for key, names in _TEXT_KEYS.items():
        value = _first(flat, names)
        if value:
            metadata[key] = readable(value)
    for key, names in _LIST_KEYS.items():
        values = _names(next((flat[n] for n in names if flat.get(n)), None))
        if values:
            metadata[key] = values
    year = re.search(r"\b(19|20)\d\d\b", str(flat.get("year") or flat.get("date") or flat.get("published") or ""))
    if year:
        metadata["year"] = int(year.group())
    identity = _first(flat, _ID_KEYS)
    return Record(
        label if not identity else f"{label} ({identity})",
        _first(flat, _ABSTRACT_KEYS),
        readable(_first(flat, _TITLE_KEYS)),
        identity,
        metadata,
    )


def _flatten(row: Mapping[str, Any]) -> dict[str, Any]:
    content = row.get("content")
    return {**row, **content} if isinstance(content, Mapping) else dict(row)


def _first(row: Mapping[str, Any], names: Iterable[str]) -> str:
    for name in names:
        value = row.get(name)
        if isinstance(value, Mapping):
            value = value.get("name")
        if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
            return str(value).replace("\ufeff", "").strip()
    return ""


def _names(value: Any) -> list[str]:
    if isinstance(value, str):
        value = re.split(r"\s*;\s*|\s+and\s+|\s*,\s*", value)
    if not isinstance(value, list):
        return []
    names = (item.get("name") if isinstance(item, Mapping) else item for item in value)
    return [readable(name) for name in names if isinstance(name, str) and name.strip()]


def _plain(text: str) -> Iterator[Record]:
    """Yield plain abstracts, blank lines between them or one a line, below a heading such as "ICML 2026 Papers"."""
    lines = text.split("\n")
    blocks: list[tuple[int, list[str]]] = []
    open_block = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            open_block = False
        elif open_block:
            blocks[-1][1].append(line)
        else:
            blocks.append((number, [line]))
            open_block = True
    metadata: dict[str, Any] = {}
    if blocks and _is_heading(blocks[0][1]):
        number, first = blocks.pop(0)
        heading = _HEADING.search(first[0])
        if heading:
            metadata = {"venue": heading["venue"].strip(), "year": int(heading["year"])}
        if first[1:]:
            blocks.insert(0, (number + 1, first[1:]))
    for number, block in blocks:
        if len(block) > 1 and _one_a_line(block):
            yield from (_plain_record(line, number + i, metadata) for i, line in enumerate(block))
        else:
            yield _plain_record("\n".join(block), number, metadata)


def _plain_record(text: str, number: int, metadata: Mapping[str, Any]) -> Record:
    if text.lstrip().startswith("{"):
        return _from_line(text, f"line {number}")
    return Record(f"line {number}", text.strip(), metadata=metadata)


def _is_heading(block: list[str]) -> bool:
    """Tell whether a block begins with a heading; the first line of an abstract that is wrapped short is none."""
    first = block[0].strip()
    if len(first.split()) > 10 or first[-1:] in ".!?" or first.startswith("{"):
        return False
    return len(block) == 1 or (_HEADING.search(first) is not None and _one_a_line(block[1:]))


def _one_a_line(block: list[str]) -> bool:
    complete = sum(line.rstrip()[-1:] in '.!?)”"}' or line.lstrip().startswith("{") for line in block)
    return complete >= 0.9 * len(block)


def papers_of(rows: Iterable[Record]) -> Reading:
    """Turn records into papers; blank, short, broken and repeated ones are skipped with their reason."""
    papers: list[Paper] = []
    skipped: list[Skipped] = []
    seen_text: dict[str, str] = {}
    seen_id: dict[str, str] = {}
    for row in rows:
        abstract = readable(row.abstract)
        reason = row.broken or _unusable(abstract)
        key = _digest(f"{row.title} {abstract}")
        if not reason and key in seen_text:
            reason = f"it repeats {seen_text[key]}"
        identity = row.id or f"p{_digest(abstract)[:12]}"
        if not reason and identity in seen_id:
            reason = f"its id {identity!r} is that of {seen_id[identity]}, with another text"
        if reason:
            skipped.append(Skipped(row.label, reason))
            continue
        seen_text[key] = seen_id[identity] = row.label
        title = row.title or derive_title(abstract)
        papers.append(Paper(identity, title, not row.title, abstract, row.abstract, dict(row.metadata)))
    return Reading(tuple(papers), tuple(skipped))


def _unusable(abstract: str) -> str:
    if not abstract:
        return "it has no abstract"
    if len(list(tokens(abstract))) < _MIN_WORDS:
        return f"its abstract is too short ({abstract!r})"
    return ""


def _digest(text: str) -> str:
    """Return a hash of a text's words, so that line breaks, spaces and case do not change an id."""
    return hashlib.sha256(" ".join(t.text for t in tokens(fold(text))).encode()).hexdigest()
