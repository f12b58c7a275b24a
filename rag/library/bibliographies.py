"""BibTeX and RIS -> records, entry by entry, so that a broken one costs only itself. Parsers: pybtex and rispy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rag.library.records import Record, from_row, turned

_BIBTEX_START = re.compile(r"^[ \t]*@[ \t]*(?P<kind>[A-Za-z]+)[ \t]*[{(]", re.MULTILINE)
_RIS_START = re.compile(r"^\s*TY\s{1,2}- ?\s*[A-Z]{3,}", re.MULTILINE)
_RIS_LINE = re.compile(r"^\s?([A-Z][A-Z0-9])\s{1,2}-(?: (.*)|)$")
# A brace that only keeps capitals, as in {BERT}: not a macro's argument, not an exponent's, not inside a formula.
_GROUP = re.compile(r"(?P<keep>\$[^$]*\$|(?:\\[A-Za-z]+\s*|\\\W|[\^_])\{[^{}]*\})|\{(?P<inner>[^{}\\$]*)\}")


def is_bibtex(text: str) -> bool:
    """Tell whether a text is BibTeX: an entry such as `@article{` opens a line, and an abstract is given in one."""
    return any(match["kind"].casefold() != "comment" for match in _BIBTEX_START.finditer(text[:200_000]))


def is_ris(text: str) -> bool:
    """Tell whether a text is RIS: its first line with a tag gives the type of a reference."""
    head = re.search(r"^\s*[A-Z][A-Z0-9]\s{1,2}- ?.*$", text[:20_000], re.MULTILINE)
    return head is not None and _RIS_START.match(head.group().strip("\n")) is not None


def bibtex_records(text: str) -> Iterator[Record]:
    """Yield the entries of a BibTeX text that are papers."""
    macros = _Macros()
    starts = [match.start() for match in _BIBTEX_START.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        kind = _BIBTEX_START.match(text, start)
        label = f"line {text.count(chr(10), 0, start) + 1}"
        command = kind["kind"].casefold() if kind else ""
        if command in ("comment", "preamble"):
            continue
        record = _bibtex_entry(text[start:end], label, macros)
        if record is not None:
            yield record


class _Macros(dict[str, str]):
    """The abbreviations of a file; one that is not defined stands for its own name."""

    def __missing__(self, name: str) -> str:
        return name


def _bibtex_entry(block: str, label: str, macros: _Macros) -> Record | None:
    from pybtex.database.input.bibtex import LowLevelParser
    from pybtex.exceptions import PybtexError

    try:
        command, content = next(iter(LowLevelParser(block, macros=macros)))
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
        row["author"] = [turned(" ".join(name.split())) for name in re.split(r"\s+and\s+", row["author"])]
    return from_row({**row, "id": key or ""}, label)


def _without_groups(text: str) -> str:
    for _ in range(4):
        bare = _GROUP.sub(lambda m: m["keep"] or m["inner"] or "", text)
        if bare == text:
            break
        text = bare
    return text


def ris_records(text: str) -> Iterator[Record]:
    """Yield the references of a RIS text; one without its end tag ends where the next begins."""
    import rispy

    lines: list[str] = []
    start = 0
    for number, line in enumerate([*text.split("\n"), "TY  - END"], 1):
        tag = _RIS_LINE.match(line.rstrip())
        if tag and tag[1] in ("TY", "ER") and lines:
            (entry,) = rispy.loads("\n".join([*lines, "ER  - "])) or [{}]
            yield from_row(_ris_row(entry), f"line {start}")
            lines = []
        if tag and tag[1] == "TY":
            start, lines = number, [f"TY  - {(tag[2] or '').strip()}"]
        elif lines and (tag is None or tag[1] != "ER"):
            lines.append(f"{tag[1]}  - {(tag[2] or '').strip()}" if tag else line)


def _ris_row(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reference's fields under the keys of other forms."""
    people = [*entry.get("first_authors", ()), *entry.get("authors", ())] or entry.get("secondary_authors", [])
    venue = next((entry[k] for k in ("secondary_title", "journal_name", "alternate_title3") if entry.get(k)), None)
    return {
        "id": entry.get("id") or entry.get("accession_number") or "",
        "title": entry.get("title") or entry.get("primary_title") or "",
        "abstract": entry.get("abstract") or entry.get("notes_abstract") or "",
        "authors": "; ".join(people),
        "keywords": list(entry.get("keywords", ())),
        "venue": venue,
        "year": entry.get("year") or entry.get("publication_year") or entry.get("date") or "",
        "doi": entry.get("doi"),
        "url": (entry.get("urls") or [None])[0],
    }
