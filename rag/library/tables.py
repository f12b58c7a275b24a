"""Tables (CSV, TSV, semicolons) -> records: a header that names an abstract column, one row a record."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from rag.library.records import KNOWN, WANTED, Record, from_row, key_name

_DELIMITERS = ",\t;|"
_FIELD_LIMIT = 2**31 - 1  # an abstract with its supplement is longer than the csv module's 131,072
_SEP = re.compile(r"\s*\"?sep=(?P<sign>.)\"?\s*\n")  # what Excel writes to say which sign separates the columns


def delimiter_of(text: str) -> str | None:
    """Return the sign that separates the columns where a text begins with a header of known columns, else None."""
    text = _SEP.sub("", text.lstrip("\ufeff\n "), count=1)
    first = text.split("\n", 1)[0]
    best = max(_DELIMITERS, key=lambda sign: len(_header(first, sign)))
    names = _header(first, best)
    if not WANTED & set(names) or (len(names) < 2 and first.strip().casefold() not in WANTED):
        return None
    # A sentence about abstracts is no header: half of the columns at least have names that a table of papers uses.
    known = sum(name in KNOWN or name in WANTED for name in names)
    return best if known * 3 >= len(names) and all(len(name) <= 40 for name in names) else None


def _header(line: str, sign: str) -> list[str]:
    return [key_name(cell) for cell in next(csv.reader([line], delimiter=sign), [])]


def table_records(text: str, sign: str) -> Iterator[Record]:
    """Yield the rows below the header; a row that a stray quote swallows is broken, the rows after it are read."""
    csv.field_size_limit(_FIELD_LIMIT)
    text = text.lstrip("\ufeff")
    skipped = _SEP.match(text)
    lines = text.split("\n")
    place = 1 if skipped else 0
    while place < len(lines) and not lines[place].strip():
        place += 1
    header, taken = _row(lines, place, sign)
    place += taken
    while place < len(lines):
        row, taken = _row(lines, place, sign)
        label = f"line {place + 1}"
        if not row and lines[place].strip():
            yield Record(label, "", broken="a quotation mark in it is never closed")
        elif any(cell.strip() for cell in row):
            yield _record(header, row, label, sign)
        place += taken


def _row(lines: Sequence[str], place: int, sign: str) -> tuple[list[str], int]:
    """Return the cells of the row that begins at a line, and how many lines it takes; no cells where its quotes fail.

    A quote that is not closed must not swallow the rows below it; one that merely stands inside a field does no harm.
    """
    following = (lines[i] + "\n" for i in range(place, len(lines)))
    reader = csv.reader(following, delimiter=sign, strict=True)
    try:
        return next(reader, []), max(reader.line_num, 1)
    except csv.Error:
        line = lines[place]
        alone = next(csv.reader([line], delimiter=sign), [])
        return (alone if line.count('"') % 2 == 0 else []), 1


def _record(header: Sequence[str], row: Sequence[str], label: str, sign: str) -> Record:
    if len(row) > len(header):
        surplus = [cell for cell in row[len(header) :] if cell.strip()]
        if surplus:
            return Record(
                label, "", broken=f"it has {len(row)} columns, the header {len(header)}: quote what holds {sign!r}"
            )
    cells = {name.strip(): cell.strip() for name, cell in zip(header, row, strict=False) if name.strip()}
    return from_row({k: v for k, v in cells.items() if v.casefold() not in ("nan", "null", "none", "n/a")}, label)
