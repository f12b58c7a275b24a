"""BibTeX and RIS -> records, entry by entry, so that a broken one costs only itself. Parsers: pybtex and rispy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rag.library.people import author_names, turned
from rag.library.records import Record, from_row

_ENTRIES = (
    "article book booklet collection conference dataset electronic inbook incollection inproceedings manual "
    "mastersthesis misc online patent phdthesis proceedings report software techreport thesis unpublished www "
    "string preamble comment"
)
# An entry opens a line, or follows the last one on its line. A kind that is not known counts where a key follows: a
# line of an abstract may happen to begin with "@k (see".
_BIBTEX_START = re.compile(
    rf"(?:^|(?<=\}})|(?<=\)))[ \t]*@[ \t]*(?:(?P<known>{'|'.join(_ENTRIES.split())})[ \t]*[{{(]"
    r"|(?P<kind>[a-z]+)[ \t]*[{(][ \t]*[^\s,{}()=\"]+[ \t]*,)",
    re.MULTILINE | re.IGNORECASE,
)
_KEY = re.compile(r"(?P<start>\s*@\s*(?P<kind>\w+)\s*[{(]\s*)(?:(?P<key>[^,{}=\"\n]*),|(?=\w+\s*=))")
_EXPORTED = re.compile(r"(?i)\bbibtex\b|automatically generated|\bexported\b")
_COMMENT = 12  # words: a shorter text between entries says who made the file
_NO_KEY = "_"
_NO_COMMA = re.compile(r"([}\"\d])(\s+[A-Za-z][\w-]*\s*=\s*[{\"\d])")
_RIS_START = re.compile(r"^\s*TY\s{1,2}- ?\s*[A-Z]{3,}", re.MULTILINE)
_RIS_LINE = re.compile(r"^\s?([A-Z][A-Z0-9])(\s{1,2})-\s?(.*)$")
# A brace that only keeps capitals, as in {BERT}: not a macro's argument, not an exponent's, not inside a formula.
_GROUP = re.compile(
    r"\{(?P<macro>\\[A-Za-z]{2,}\{[^{}]*\})\}|(?P<keep>\$[^$]*\$|(?:\\[A-Za-z]+\s*|\\\W|[\^_])\{[^{}]*\})|\{(?P<inner>[^{}\\$]*)\}"
)


def is_bibtex(text: str) -> bool:
    """Tell whether a text is BibTeX: an entry such as `@article{` opens a line."""
    return any(_command(match) != "comment" for match in _BIBTEX_START.finditer(text[:200_000]))


def bibtex_starts(text: str) -> list[int]:
    """Return where the entries of a BibTeX text begin."""
    return [match.start() for match in _BIBTEX_START.finditer(text) if _command(match) != "comment"]


def _command(match: re.Match[str]) -> str:
    return (match["known"] or match["kind"]).casefold()


def is_ris(text: str) -> bool:
    """Tell whether a text is RIS: its first line with a tag gives the type of a reference."""
    head = re.search(r"^[ \t]*[A-Z][A-Z0-9]\s{1,2}- ?.*$", text[:20_000], re.MULTILINE)
    return head is not None and _RIS_START.match(head.group().strip("\n")) is not None


def bibtex_records(text: str) -> Iterator[Record]:
    """Yield the entries of a BibTeX text; what a paper takes from the volume that it refers to is filled in."""
    macros = _Macros()
    found: list[tuple[str, dict[str, Any] | Record]] = []
    matches = list(_BIBTEX_START.finditer(text))
    ends = [match.start() for match in matches[1:]]
    commented = line = place = read = 0
    for match, end in zip(matches, [*ends, len(text)], strict=True):
        start = match.start()
        line, place = line + text.count("\n", place, start), start
        if start < commented:
            continue
        if _command(match) in ("comment", "preamble"):
            read = commented = _closing(text, match.end() - 1)
            continue
        found += _beside(text, read, start)
        entry = _bibtex_entry(text[start:end], f"line {line + 1}", macros)
        if entry is not None:
            found.append((f"line {line + 1}", entry))
        read = max(read, end if text[match.end() - 1 : match.end()] == "(" else _closing(text, text.find("{", start)))
    found += _beside(text, read, len(text))
    volumes = {str(entry["id"]).casefold(): entry for _, entry in found if isinstance(entry, dict)}
    for label, entry in found:
        yield entry if isinstance(entry, Record) else from_row(_inherited(entry, volumes), label)


def _beside(text: str, start: int, end: int) -> list[tuple[str, Record]]:
    """Return the record of a text between entries, which BibTeX takes for a comment; none where it says little."""
    between = text[start:end].strip()
    if len(between.split(None, _COMMENT)) < _COMMENT or between.startswith("%") or _EXPORTED.search(between):
        return []
    label = f"line {text.count(chr(10), 0, text.find(between, start)) + 1}"
    return [
        (label, Record(label, "", excluded="it stands outside of the BibTeX entries: give it in a file of its own"))
    ]


def _closing(text: str, place: int) -> int:
    """Return where the brace that opens at a place is closed; the place itself where it never is."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, place):
        depth += 1 if match.group() == "{" else -1
        if depth <= 0:
            return match.end()
    return place


def _inherited(entry: dict[str, Any], volumes: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    volume = volumes.get(str(entry.get("crossref", "")).casefold())
    if volume is None:
        return entry
    taken = {"booktitle": volume.get("booktitle") or volume.get("title"), "year": volume.get("year")}
    return {**{key: value for key, value in taken.items() if value}, **entry}


class _Macros(dict[str, str]):
    """The abbreviations of a file; one that is not defined stands for its own name."""

    def __missing__(self, name: str) -> str:
        return name


def _bibtex_entry(block: str, label: str, macros: _Macros) -> dict[str, Any] | Record | None:
    from pybtex.exceptions import PybtexError

    try:
        command, content = _parsed(_one_key(block), macros)
    except (PybtexError, StopIteration, RecursionError) as error:
        named = re.match(r"\s*@\s*\w+\s*[{(]\s*([^\s,{}]+)", block)
        where = f"{label} ({named[1]})" if named else label
        return Record(where, "", broken=f"its BibTeX is broken ({(str(error).splitlines() or ['it ends early'])[0]})")
    if command.casefold() == "string":
        return None
    key, fields = content
    row: dict[str, Any] = {}
    for name, parts in fields:
        row.setdefault(name.casefold(), _without_groups("".join(map(str, parts))))
    if row.get("author"):
        row["author"] = _authors(row["author"])
    return {**row, "id": "" if key in (None, _NO_KEY) else key}


def _parsed(block: str, macros: _Macros) -> Any:
    """Return the command and content of an entry; one that fails is tried again with the commas that it may lack."""
    from pybtex.database.input.bibtex import LowLevelParser
    from pybtex.exceptions import PybtexError

    try:
        return next(iter(LowLevelParser(block, macros=macros)))
    except PybtexError:
        mended = _NO_COMMA.sub(r"\1,\2", block)
        if mended == block:
            raise
        return next(iter(LowLevelParser(mended, macros=macros)))


def _one_key(block: str) -> str:
    """Return an entry with a key that the parser takes: managers write keys with spaces, and leave some out."""
    match = _KEY.match(block)
    if not match or match["kind"].casefold() in ("string", "preamble", "comment"):
        return block
    key = "-".join((match["key"] or "").split()) or _NO_KEY
    return f"{match['start']}{key},{block[match.end() :]}"


def _authors(text: str) -> list[str]:
    names = [" ".join(name.split()) for name in re.split(r"\s+and\s+", text)]
    if len(names) == 1:
        return author_names(text)
    return [turned(name) for name in names if name.casefold() != "others"]


def _without_groups(text: str) -> str:
    for _ in range(4):
        bare = _GROUP.sub(lambda m: m["macro"] or m["keep"] or m["inner"] or "", text)
        if bare == text:
            break
        text = bare
    return text


def ris_records(text: str) -> Iterator[Record]:
    """Yield the references of a RIS text; one without its end tag ends where the next begins."""
    lines: list[str] = []
    start = 0
    for number, line in enumerate([*text.split("\n"), "TY  - END"], 1):
        tag = _ris_tag(line)
        if tag and tag[1] in ("TY", "ER") and lines:
            yield _ris_record(lines, f"line {start}")
            lines = []
        if tag and tag[1] == "TY":
            start, lines = number, [f"TY  - {tag[3].strip()}"]
        elif lines and (tag is None or tag[1] != "ER") and line.strip():
            lines.append(f"{tag[1]}  - {tag[3].strip()}" if tag else line.strip())


def _ris_tag(line: str) -> re.Match[str] | None:
    """Return the tag that a line begins with; a wrapped abstract may begin a line with "AI - ", which is none."""
    from rispy import TAG_KEY_MAPPING

    tag = _RIS_LINE.match(line.rstrip())
    return tag if tag and (tag[1] in TAG_KEY_MAPPING or tag[2] == "  ") else None


def _ris_record(lines: list[str], label: str) -> Record:
    import rispy

    try:
        (entry,) = rispy.loads("\n".join([*lines, "ER  - "])) or [{}]
    except (rispy.parser.ParseError, ValueError, KeyError, IndexError) as error:
        return Record(label, "", broken=f"its RIS is broken ({error})")
    return from_row(_ris_row(entry), label)


def _ris_row(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reference's fields under the keys of other forms."""
    people = [*entry.get("first_authors", ()), *entry.get("authors", ())] or entry.get("secondary_authors", [])
    venue = next((entry[k] for k in _RIS_VENUES if entry.get(k)), None)
    return {
        "id": entry.get("id") or entry.get("accession_number") or "",
        "title": entry.get("title") or entry.get("primary_title") or entry.get("short_title") or "",
        "abstract": entry.get("abstract") or entry.get("notes_abstract") or "",
        "authors": [turned(name) for name in people],
        "keywords": [part for word in entry.get("keywords", ()) for part in re.split(r"\s*[;\n]\s*", word)],
        "venue": venue,
        "year": entry.get("year") or entry.get("publication_year") or entry.get("date") or "",
        "doi": entry.get("doi"),
        "url": (entry.get("urls") or [None])[0],
    }


_RIS_VENUES = (
    "secondary_title",
    "journal_name",
    "alternate_title3",
    "alternate_title2",
    "alternate_title1",
    "tertiary_title",
    "custom3",
)
