"""Sources of abstracts -> `Paper`, whatever the form they came in; the form is told by content, not by name."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from rag.errors import InputError
from rag.library.records import HALF_CHARACTER, Record, is_whole
from rag.text.tex import readable
from rag.text.titles import derive_title
from rag.text.words import fold, tokens, words
from rag.types import Paper, Skipped

STANDARD_INPUT = "-"
# Endings that the forms usually have: for a page that filters what is chosen, and to name a library after its file.
FILE_TYPES = (
    *(".txt", ".md", ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".bib", ".ris", ".nbib", ".enw", ".xml", ".atom"),
    *(".gz", ".zip", ".tar", ".tgz"),
)
FORMS = "text, JSON, CSV, BibTeX, RIS or arXiv's XML, packed or not"
_MIN_WORDS = 4  # fewer words than this are a heading or a stub, not an abstract
_LONGEST = 2_000_000  # characters of an abstract with its supplement; more is a book, or data
_LONGEST_TITLE = 2_000
_UNBROKEN = re.compile(r"[!-~]{3000}")  # no word, formula or address is as long: data written as text
_LARGEST = 2 * 2**30  # bytes of a file or of standard input: more needs splitting anyway
_JSON = re.compile(r"\{|\[\s*(?:[\[{\"\]]|$)")

# What makes a script of JSON: a comment above it, a name that it is given, a function that it is handed to.
_SCRIPT = re.compile(
    r"(?:(?://[^\n]*\n|/\*.{0,2000}?\*/)\s*)*(?:(?:(?:var|let|const)\s+)?[\w.$]{1,60}\s*=\s*|[\w.$]{1,60}\()?\s*"
    r"(?<=[\s=(/])(?=[{\[]\s*[{\[\"])",
    re.DOTALL,
)
_UNQUOTED = re.compile(r"^(?:> ?)+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one source gave: papers in order, the records that are none, remarks on some that are.

    `partial` says why some of the source could not be read: nothing may be taken for withdrawn then.
    """

    papers: tuple[Paper, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[Skipped, ...] = ()
    partial: str = ""


def read_file(source: str | Path) -> Reading:
    """Read the abstracts of one file, of every file in a folder, or, for `-`, of standard input.

    Raises `InputError` where there is no such file or it can't be read as text.
    """
    if not str(source).strip():  # a path of no characters would be the working folder
        raise InputError("The file to read has no name; give the path of a file or folder with abstracts.")
    path = Path(source)
    if str(path) == STANDARD_INPUT:
        return read_bytes(_bounded(sys.stdin.buffer, "standard input"), "standard input")
    from rag.library.packed import folder_records

    if path.is_dir():
        return papers_of(folder_records(path, records))
    if path.exists() and not path.is_file():
        raise InputError(f"{str(path)!r} is a device or pipe, not a file; read it as standard input, with -.")
    if not path.is_file():
        raise InputError(f"There is no file {str(path)!r}; give the path of a file with abstracts.")
    try:
        with path.open("rb") as file:
            data = _bounded(file, str(path))
    except OSError as error:
        raise InputError(f"{str(path)!r} can't be read ({error.strerror}); check its rights.") from error
    return read_bytes(data, str(path))


def _bounded(file: IO[bytes], name: str) -> bytes:
    data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise InputError(
            f"{name} has more than {_LARGEST // 2**30} GB; give it in files of a hundred thousand abstracts."
        )
    return data


def read_bytes(data: bytes, name: str) -> Reading:
    """Read the abstracts of a file's content; `name` stands in messages."""
    from rag.library.packed import unpacked

    return papers_of(unpacked(data, name, records))


def records(text: str) -> Iterator[Record]:
    """Yield the entries of a text in whichever form, or forms, it is written."""
    # Only indexing reads files, so only indexing pays for the forms.
    from rag.library.mixed import parts

    for part in parts(text):
        yield from _records(part)


def _records(text: str) -> Iterator[Record]:
    """Yield the entries of a text in one form."""
    from rag.library.bibliographies import bibtex_records, is_bibtex, is_ris, ris_records
    from rag.library.feeds import is_xml, xml_records
    from rag.library.json_form import json_records
    from rag.library.labelled import is_labelled, labelled_records
    from rag.library.plain import plain_records
    from rag.library.tables import delimiter_of, headless_records, table_records
    from rag.library.tagged import is_tagged, tagged_records

    text = _UNQUOTED.sub("", text) if _is_quoted(text) else text
    start = text.lstrip()
    script = _SCRIPT.match(start)
    if script:
        return json_records(start[script.end() :].rstrip().rstrip(";)"))
    if _JSON.match(start):
        return json_records(text)
    if is_xml(start):
        return xml_records(start)
    if is_ris(start):
        return ris_records(text)
    if is_tagged(start):
        return tagged_records(text)
    if is_bibtex(start):
        return bibtex_records(text)
    if is_labelled(text):
        return labelled_records(text)
    sign = delimiter_of(text)
    return table_records(text, sign) if sign else headless_records(text) or plain_records(text)


def _is_quoted(text: str) -> bool:
    """Tell whether every line is quoted as in a mail."""
    return text.lstrip().startswith(">") and all(line.startswith(">") for line in text.split("\n") if line.strip())


def papers_of(rows: Iterable[Record]) -> Reading:
    """Turn records into papers; blank, short, broken and repeated ones are skipped with their reason."""
    gathered = _Gathering()
    for row in rows:
        gathered.take(row)
    return gathered.reading()


class _Gathering:
    """The papers of a source while it is read, and which texts and ids it has given."""

    def __init__(self) -> None:
        self._papers: dict[str, Paper] = {}
        self._skipped: list[Skipped] = []
        self._notes: list[Skipped] = []
        self._texts: dict[tuple[str, str], list[Record]] = {}
        self._ids: dict[str, Record] = {}
        self._broken = 0

    def take(self, row: Record) -> None:
        """Take a record in as a paper, or skip it and say why."""
        broken = row.broken or ("" if is_whole(row.abstract) else HALF_CHARACTER)
        self._broken += bool(broken)
        beyond = broken or row.excluded or _beyond(row.abstract)
        abstract = "" if beyond else readable(row.abstract)
        reason = beyond or _unusable(abstract)
        if reason:
            self._skipped.append(Skipped(row.label, reason))
            return
        # Words are looked at closely only where they make the id: records with ids of their own come by the thousand.
        mark = " ".join(abstract.casefold().split()) if row.id else _digest(abstract)
        same = self._texts.setdefault((row.title.casefold(), mark), [])
        twin = next((other for other in same if not _apart(row, other)), None)
        identity = row.id or self._derived(mark)
        known = self._ids.get(identity)
        if twin is not None:
            self._skipped.append(Skipped(row.label, f"it repeats {twin.label}"))
        elif known is not None and row.version > known.version:
            self._skipped.append(Skipped(known.label, f"{row.label} is a later version of it"))
            same.append(row)
            self._store(identity, row, abstract)
        elif known is not None:
            self._skipped.append(Skipped(row.label, _taken(row, known, identity)))
        else:
            if same:
                remark = f"it repeats {same[0].label} in another venue or year, and is kept"
                self._notes.append(Skipped(row.label, remark))
            same.append(row)
            self._store(identity, row, abstract)

    def _store(self, identity: str, row: Record, abstract: str) -> None:
        if "\n" in row.abstract.strip():
            self._notes.append(Skipped(row.label, "its broken lines were joined"))
        if row.remark:
            self._notes.append(Skipped(row.label, row.remark))
        self._ids[identity] = row
        given = row.title if len(row.title) <= _LONGEST_TITLE else ""
        if given != row.title:
            self._notes.append(Skipped(row.label, f"its title has {len(row.title):,} characters and was left out"))
        title = given or derive_title(abstract)
        self._papers[identity] = Paper(identity, title, not given, abstract, row.abstract, dict(row.metadata))

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
        return Reading(tuple(self._papers.values()), tuple(self._skipped), tuple(self._notes), partial)


def _apart(row: Record, other: Record) -> bool:
    """Tell whether a text under two ids is two papers: two venues, or years, list it under ids of their own."""
    if not (row.id and other.id) or row.id == other.id:
        return False
    return any(row.metadata.get(k) != other.metadata.get(k) for k in ("venue", "year"))


def _taken(row: Record, known: Record, identity: str) -> str:
    if row.version < known.version:
        return f"{known.label} is a later version of it"
    return f"its id {identity!r} is that of {known.label}, with another text"


def _beyond(text: str) -> str:
    """Return why a text is not looked at closely; nothing for what may be an abstract."""
    if len(text) > _LONGEST:
        return f"it has {len(text):,} characters, and no abstract has more than {_LONGEST:,}"
    if len(text) >= 3000 and _UNBROKEN.search(text):
        return "it holds thousands of characters without a space: it is data, not text"
    return ""


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
