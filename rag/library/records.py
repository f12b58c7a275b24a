"""Rows of any origin -> `Record`: which key is the abstract, the title, the id, and what is known about the paper."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from rag.library.people import author_names, listed_text, names_of
from rag.text.markup import without_controls
from rag.text.tex import readable

_HALF_CHARACTER = re.compile(
    "[\ud800-\udfff]"
)  # JSON can escape one, bytes of no encoding leave one; no file can store it
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|(?<!\d)(?:19|20)\d\d(?=(?:0\d|1[0-2])[0-3]\d(?!\d))")
_TITLE_KEYS = (
    "title",
    "papertitle",
    "primarytitle",
    "articletitle",
    "documenttitle",
    "displayname",
    "t1",
    "ti",
    "name",
    *("titel", "titre", "título", "titolo", "название", "标题", "題名"),
)
_ABSTRACT_KEYS = (
    "abstract",
    "summary",
    "paperabstract",
    "abstracttext",
    "notesabstract",
    "abstractnote",
    "abstractinvertedindex",
    *("zusammenfassung", "kurzfassung", "résumé", "resumen", "resumo", "riassunto", "аннотация", "摘要", "要旨"),
)
_ID_KEYS = (
    "id",
    "paperid",
    "forum",
    "corpusid",
    "eventid",
    "uid",
    "eid",
    "pmid",
    "entryid",
    "key",
    "number",
    "utuniquewosid",
)
_LIST_KEYS = {
    "authors": (
        "authorsparsed",
        "authors",
        "author",
        "authornames",
        "authorfullnames",
        "authorlist",
        "authorships",
        "firstauthors",
        *("autoren", "auteurs", "autores", "autori", "авторы", "作者", "著者"),
        "creators",
        "creator",
    ),
    "keywords": (
        "keywords",
        "keyword",
        "authorkeywords",
        "categories",
        "category",
        "tags",
        "manualtags",
        "subjects",
        "fieldsofstudy",
        "s2fieldsofstudy",
        "topics",
        "topic",
        "indexkeywords",
        "ieeeterms",
    ),
}
_TEXT_KEYS = {
    "venue": (
        "venue",
        "publicationvenue",
        "booktitle",
        "eventtitle",
        "journal",
        "journaltitle",
        "conference",
        "conferencename",
        "journalname",
        "containertitle",
        "publicationtitle",
        "sourcetitle",
        "secondarytitle",
        "journalref",
        "publication",
        "source",
        "venueid",
    ),
    "url": (
        "url",
        "link",
        "paperurl",
        "pdf",
        "urls",
        "pdfurl",
        "pdflink",
        "paperpdfurl",
        "openreviewurl",
        "openaccesspdf",
        "site",
        "virtualsiteurl",
    ),
    "doi": ("doi", "externalids"),
    "tldr": ("tldr", "tldrs"),
}
_YEAR_KEYS = (
    "year",
    "publicationyear",
    "pubyear",
    *("jahr", "année", "año", "ano", "anno", "год", "年"),
    "conferenceyear",
    "py",
    "y1",
    "date",
    "publicationdate",
    "published",
    *("publishedat", "publishedon", "createdat"),
    "datepublished",
    "issued",
    "venue",
    "venueid",
    "starttime",
    "created",
    "updatedate",
)
_MOMENT_KEYS = ("pdate", "odate", "cdate", "tcdate")  # OpenReview: milliseconds since 1970
_OPENREVIEW = "https://openreview.net"
_VENUE_ID = re.compile(r"(?P<name>[^/.\s]+)[^/\s]*/(?:19|20)\d\d/\S+")  # OpenReview: ICML.cc/2026/Conference
_DOI = re.compile(r"(?i)^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)(?=10\.)")
_ARXIV = re.compile(
    r"(?i)(?:https?://(?:export\.)?arxiv\.org/(?:abs|pdf)/|(?:oai:)?arxiv(?:\.org)?:)?"
    r"(?P<id>\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v(?P<version>\d{1,3}))?(?:\.pdf)?"
)
# What stands where an abstract was, in arXiv and OpenReview exports.
_WITHDRAWN = re.compile(
    r"(?i)\W*(?:this|the|our) (?:paper|article|submission|manuscript|preprint|work|note)\b[^.]{0,40}"
    r"\b(?:withdrawn|retracted)\b"
)
_REVIEW_KEYS = ("rating", "soundness", "weaknesses", "metareview", "review")  # OpenReview's replies
_LABEL = re.compile(r"(?i)^[*_#\s]*abstract[*_]*\s*(?:[:.—–-][*_]*\s*|\n\s*)(?=\S)")
_NOTICE = 60  # words: a longer text is an abstract that also speaks of its withdrawal
WORDS_OF_ABSTRACT = 8  # words at which a text that nothing names is taken for an abstract
WANTED = frozenset(_ABSTRACT_KEYS)
KNOWN = frozenset(
    {*_TITLE_KEYS, *_ID_KEYS, *_YEAR_KEYS}.union(*map(set, _LIST_KEYS.values()), *map(set, _TEXT_KEYS.values()))
)


@dataclass(frozen=True, slots=True)
class Record:
    """One entry of a file before it is a paper; `label` is how people find it in their file.

    `broken` says why it could not be read, `excluded` why it is no paper; only the first may hide one that was there.
    `version` tells two versions of one preprint apart; `remark` is what to say of a record that is read.
    """

    label: str
    abstract: str
    title: str = ""
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    broken: str = ""
    excluded: str = ""
    version: int = 0
    remark: str = ""


def key_name(key: Any) -> str:
    """Return a key as it is looked up: `Paper ID`, `paper_id` and `paperId` are one."""
    return _key_name(str(key))


@lru_cache(maxsize=1024)  # the keys of a file's rows are the same over and over
def _key_name(key: str) -> str:
    return re.sub(r"[\W_]+", "", key).casefold()


def from_row(row: Any, label: str) -> Record:
    """Return the record of one JSON object, table row or bibliography entry; a text alone is an abstract."""
    if isinstance(row, str):
        row = {"abstract": row}
    if row is None:  # what a batch request gives for an id that is not known
        return Record(label, "", excluded="it is empty")
    if not isinstance(row, Mapping):
        return Record(label, "", broken="it is not an object with an abstract")
    if _has_half_character(row):
        return Record(label, "", broken=HALF_CHARACTER)
    flat = _flatten(row)
    identity, version = _identity(_text(flat, _ID_KEYS))
    named = label if not identity else f"{label} ({identity})"
    if flat.get("ddate"):
        return Record(named, "", id=identity, excluded="its source has marked it as deleted")
    if not flat.get("abstract") and any(flat.get(key) for key in _REVIEW_KEYS):
        return Record(named, "", id=identity, excluded="it is a review, not a paper")
    abstract = _abstract(flat)
    if _WITHDRAWN.match(abstract) and len(abstract.split()) < _NOTICE:
        return Record(named, "", id=identity, excluded="it only says that the paper was withdrawn")
    return Record(named, abstract, _title(flat), identity, _metadata(flat), version=version)


HALF_CHARACTER = "it holds half a character, or bytes that are neither UTF-8 nor Windows-1252"


def is_whole(text: str) -> bool:
    """Tell whether a text has no lone surrogate, which no file could store."""
    return text.isascii() or _HALF_CHARACTER.search(text) is None


def _identity(text: str) -> tuple[str, int]:
    """Return an id as one line, and the version that an arXiv id ends with; any address of an arXiv paper is its id."""
    text = " ".join(without_controls(text).split())
    match = _ARXIV.fullmatch(text)
    return (match["id"], int(match["version"] or 0)) if match else (text, 0)


def _title(flat: Mapping[str, Any]) -> str:
    return readable(_text(flat, _TITLE_KEYS))


def _abstract(flat: Mapping[str, Any]) -> str:
    for key in _ABSTRACT_KEYS:
        value = flat.get(key)
        text = _in_order(value) if key == "abstractinvertedindex" else _prose(value)
        if text.strip():
            return without_label(text.strip())
    return ""


def without_label(text: str) -> str:
    """Return an abstract without the word "Abstract" that sites and people put before it."""
    return _LABEL.sub("", text, count=1)


def _prose(value: Any, depth: int = 0) -> str:
    """Return the text of an abstract that may be a list of paragraphs, or an object of sections."""
    if isinstance(value, str):
        return value
    if depth > 3 or not isinstance(value, (list, Mapping)):
        return ""
    if isinstance(value, Mapping):
        inner = next((value[k] for k in ("value", "text", "raw", "#text", "_") if value.get(k)), None)
        parts: Iterable[Any] = [inner] if inner is not None else value.values()
    else:
        parts = value
    return "\n".join(filter(None, (_prose(part, depth + 1) for part in parts)))


def _in_order(value: Any) -> str:
    """Return the text of OpenAlex's inverted index: each word with the places where it stands."""
    if not isinstance(value, Mapping):
        return ""
    places = [(p, str(w)) for w, all_ in value.items() if isinstance(all_, list) for p in all_ if isinstance(p, int)]
    return " ".join(word for _, word in sorted(places))


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
        # Of two spellings of one key the first that is filled counts.
        if not _filled(flat.get(key_name(key))):
            flat[key_name(key)] = plain
    return flat


def _filled(value: Any) -> bool:
    return value is not None and value != "" and value == value  # a NaN is no value


def _metadata(flat: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    venue = readable(_text(flat, _TEXT_KEYS["venue"]))
    match = _VENUE_ID.fullmatch(venue)
    values = {
        "venue": match["name"] if match else venue,
        "url": _address(flat),
        "doi": _DOI.sub("", _text(flat, _TEXT_KEYS["doi"], inner=("doi", "DOI"))),
        "tldr": readable(_text(flat, _TEXT_KEYS["tldr"])),
    }
    found.update((key, value) for key, value in values.items() if value)
    for key, names in _LIST_KEYS.items():
        lists = (flat[n] for n in names if _filled(flat.get(n)))
        read = _categories if key == "keywords" else author_names
        names_read = next(filter(None, map(read, lists)), None)
        if names_read:
            found[key] = names_read
    year = year_of(flat)
    if year:
        found["year"] = year
    return found


def _address(flat: Mapping[str, Any]) -> str:
    """Return where a paper is to be read; a path without its host leads nowhere, but for OpenReview's."""
    for key in _TEXT_KEYS["url"]:
        text = _text(flat, (key,), inner=("url", "href", "value"))
        if text.startswith("/pdf/"):
            return f"{_OPENREVIEW}{text}"
        if text and not text.startswith("/"):
            return readable(text)
    return ""


def year_of(flat: Mapping[str, Any]) -> int | None:
    """Return the first year that a row tells, by its year, a date, its first version, a venue or a moment."""
    versions = flat.get("versions")
    first = versions[0].get("created") if isinstance(versions, list) and versions and _is_row(versions[0]) else None
    for value in (first, *(flat.get(key) for key in _YEAR_KEYS)):
        match = _YEAR.search(str(value or ""))
        if match:
            return int(match.group())
    for key in _MOMENT_KEYS:
        moment = flat.get(key)
        if isinstance(moment, (int, float)) and not isinstance(moment, bool) and 0 < moment < 4e12:
            return datetime.fromtimestamp(moment / 1000, UTC).year
    return None


def _is_row(value: Any) -> bool:
    return isinstance(value, Mapping)


def _text(row: Mapping[str, Any], names: Iterable[str], inner: Iterable[str] = ("name", "text", "raw")) -> str:
    for name in names:
        value = row.get(name)
        if isinstance(value, list):
            value = next((item for item in value if item), None)
        if isinstance(value, Mapping):
            value = next((value[i] for i in inner if value.get(i)), None)
        elif isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
            return str(value).strip()
    return ""


def _categories(value: Any) -> list[str]:
    if isinstance(value, str):
        listed = listed_text(value)
        value = listed if listed is not None else re.split(r"\s*[;,|\n]\s*", value)
    # arXiv: "cs.LG stat.ML"
    code = r"[a-z-]+(?:\.[A-Za-z-]{2,})?"
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str) and "." in value[0]:
        value = value[0].split() if re.fullmatch(rf"{code}(?:\s{code})+", value[0]) else value
    return names_of(value, ("name", "category", "displayname", "display_name", "term", "keyword", "text"))
