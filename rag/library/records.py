"""Rows of any origin -> `Record`: which key is the abstract, the title, the id, and what is known about the paper."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from rag.text.tex import readable

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_TITLE_KEYS = ("title", "papertitle", "primarytitle", "t1", "name")
_ABSTRACT_KEYS = ("abstract", "summary", "paperabstract", "abstracttext", "notesabstract", "abstractnote")
_ID_KEYS = ("id", "paperid", "forum", "corpusid", "eventid", "uid", "key", "number", "externalids")
_LIST_KEYS = {
    "authors": ("authors", "author", "authornames", "firstauthors", "creators"),
    "keywords": ("keywords", "keyword", "categories", "tags", "subjects", "fieldsofstudy", "topics"),
}
_TEXT_KEYS = {
    "venue": (
        "venue",
        "publicationvenue",
        "booktitle",
        "journal",
        "conference",
        "journalname",
        "secondarytitle",
        "journalref",
        "publication",
        "source",
    ),
    "url": ("url", "link", "pdf", "urls", "pdfurl", "paperurl", "openreviewurl", "virtualsiteurl"),
    "doi": ("doi", "externalids"),
    "tldr": ("tldr", "tldr;", "tl;dr"),
}
_YEAR_KEYS = ("year", "publicationyear", "py", "y1", "date", "publicationdate", "published", "updatedate", "venue")
_MOMENT_KEYS = ("pdate", "odate", "cdate", "tcdate")  # OpenReview: milliseconds since 1970
_OPENREVIEW = "https://openreview.net"
WANTED = frozenset(_ABSTRACT_KEYS)
KNOWN = frozenset(
    {*_TITLE_KEYS, *_ID_KEYS, *_YEAR_KEYS}.union(*map(set, _LIST_KEYS.values()), *map(set, _TEXT_KEYS.values()))
)


@dataclass(frozen=True, slots=True)
class Record:
    """One entry of a file before it is a paper; `label` is how people find it in their file."""

    label: str
    abstract: str
    title: str = ""
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    broken: str = ""


def key_name(key: Any) -> str:
    """Return a key as it is looked up: `Paper ID`, `paper_id` and `paperId` are one."""
    return _key_name(str(key))


@lru_cache(maxsize=1024)  # the keys of a file's rows are the same over and over
def _key_name(key: str) -> str:
    return re.sub(r"[\s_\-.\ufeff\x00]+", "", key).casefold()


def from_row(row: Any, label: str) -> Record:
    """Return the record of one JSON object, table row or bibliography entry."""
    if not isinstance(row, Mapping):
        return Record(label, "", broken="it is not an object with an abstract")
    if _has_half_character(row):
        return Record(label, "", broken="it holds half a character (a surrogate without its pair)")
    flat = _flatten(row)
    identity = _text(flat, _ID_KEYS)
    named = label if not identity else f"{label} ({identity})"
    if flat.get("ddate"):
        return Record(named, "", id=identity, broken="its source has marked it as deleted")
    return Record(named, _text(flat, _ABSTRACT_KEYS), readable(_text(flat, _TITLE_KEYS)), identity, _metadata(flat))


def _has_half_character(row: Mapping[Any, Any]) -> bool:
    """Tell whether a row holds a surrogate without its pair: JSON can escape one, no file can store it."""
    try:
        json.dumps(row, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return True
    return False


def _flatten(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a row's values by looked-up key; what OpenReview nests in `content` and `value` is brought up."""
    content = row.get("content")
    merged = {**row, **content} if isinstance(content, Mapping) else row
    flat: dict[str, Any] = {}
    for key, value in merged.items():
        plain = value.get("value") if isinstance(value, Mapping) and "value" in value else value
        if _filled(plain) or key_name(key) not in flat:
            flat[key_name(key)] = plain
    return flat


def _filled(value: Any) -> bool:
    return value is not None and value != "" and value == value  # a NaN is no value


def _metadata(flat: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, names in _TEXT_KEYS.items():
        value = _text(flat, names, inner=("doi", "DOI") if key == "doi" else ("name", "text", "raw"))
        if value:
            found[key] = readable(f"{_OPENREVIEW}{value}" if key == "url" and value.startswith("/pdf") else value)
    for key, names in _LIST_KEYS.items():
        listed = next((flat[n] for n in names if _filled(flat.get(n))), None)
        values = _categories(listed) if key == "keywords" else author_names(listed)
        if values:
            found[key] = values
    year = year_of(flat)
    if year:
        found["year"] = year
    return found


def year_of(flat: Mapping[str, Any]) -> int | None:
    """Return the first year that a row tells, by its year, a date, a version, a venue or a moment."""
    for key in _YEAR_KEYS:
        match = _YEAR.search(str(flat.get(key) or ""))
        if match:
            return int(match.group())
    versions = flat.get("versions")
    if isinstance(versions, list) and versions and isinstance(versions[0], Mapping):
        match = _YEAR.search(str(versions[0].get("created") or ""))
        if match:
            return int(match.group())
    for key in _MOMENT_KEYS:
        moment = flat.get(key)
        if isinstance(moment, (int, float)) and not isinstance(moment, bool) and 0 < moment < 4e12:
            return datetime.fromtimestamp(moment / 1000, UTC).year
    return None


def _text(row: Mapping[str, Any], names: Iterable[str], inner: Iterable[str] = ("name", "text", "raw")) -> str:
    for name in names:
        value = row.get(name)
        if isinstance(value, list) and value and name != "externalids":
            value = value[0]
        if isinstance(value, Mapping):
            value = next((value[i] for i in inner if value.get(i)), None)
        elif isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
            return str(value).replace("\ufeff", "").strip()
    return ""


def _listed(value: str) -> list[Any] | None:
    """Return the list that a table wrote out as text, such as `['A. Reed', 'B. Holt']`."""
    if not (value.startswith("[") and value.endswith("]")) or len(value) > 100_000:
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return found if isinstance(found, list) else None
    return None


def _categories(value: Any) -> list[str]:
    if isinstance(value, str):
        listed = _listed(value.strip())
        value = listed if listed is not None else re.split(r"\s*[;,\n]\s*", str(value))
        if len(value) == 1 and re.fullmatch(
            r"(?:[a-z-]+\.[A-Za-z-]{2,}|[a-z-]+)(?:\s[a-z-]+(?:\.[A-Za-z-]{2,})?)+", value[0]
        ):
            # arXiv: "cs.LG stat.ML"
            value = value[0].split() if "." in value[0] else value
    return _strings(value)


def author_names(value: Any) -> list[str]:
    """Return people's names in reading order from a list, or from one text in any of the usual punctuations."""
    if isinstance(value, str):
        listed = _listed(value.strip())
        value = listed if listed is not None else _split_names(value)
    if isinstance(value, list):
        value = [" ".join(reversed([str(p) for p in n[:2] if p])) if isinstance(n, list) else n for n in value]
    return _strings(value)


def _split_names(text: str) -> list[str]:
    text = re.sub(r"\s+", " ", text).strip()
    parts = [p for p in re.split(r"\s*;\s*|,?\s+and\s+|\s+&\s+", text) if p]
    if ";" in text or (len(parts) > 1 and all(re.fullmatch(r"[^,]+,[^,]+", p) for p in parts)) or _inverted(text):
        return [turned(p) for p in parts]
    return [name for part in parts for name in re.split(r"\s*,\s*", part) if name]


def _inverted(name: str) -> bool:
    """Tell whether a text with one comma is one person, family name first: `Reed, A. B.`."""
    return re.fullmatch(r"[^,]+,\s*(?:[^\W\d_]\.[\s-]?)+", name) is not None


def turned(name: str) -> str:
    """Return a name in reading order: `Reed, Anna` is Anna Reed."""
    family, comma, given = name.partition(",")
    return f"{given.strip()} {family.strip()}" if comma and "," not in given else name


def _strings(value: Any) -> list[str]:
    if not isinstance(value, list):
        return []
    names = ((item.get("name") or item.get("fullname")) if isinstance(item, Mapping) else item for item in value)
    cleaned = (readable(name) for name in names if isinstance(name, str))
    return [name for name in cleaned if name]
