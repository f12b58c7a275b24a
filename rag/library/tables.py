"""Tables (CSV, TSV, semicolons) -> records: a header that names an abstract column, one row a record."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rag.library.headless import columns_of
from rag.library.records import KNOWN, WANTED, Record, from_row, key_name

_DELIMITERS = ",\t;|"
_FIELD_LIMIT = 2**31 - 1  # an abstract with its supplement is longer than the csv module's 131,072
_HEAD = 8  # lines at the top among which the header is looked for
_LONGEST_TITLE = 200  # characters of a line above the header
_KNOWN = 4  # columns of known names that make a header, however many others a database exports
_LINES_A_ROW = 2000  # lines that one quoted field may run over
_WORDS = 12  # of a line beside a table that is more than its heading
_BESIDE = "it stands beside a table and is no row of it: give it in a file of its own"
_UNKNOWN = "column "
_NOTHING = ("nan", "null", "none", "n/a", "#n/a")


def delimiter_of(text: str) -> str | None:
    """Return the sign that separates the columns where a text has a header of known columns near its top, else None."""
    header = _header_of(text.split("\n", _HEAD)[:_HEAD])
    return header[1] if header else None


def _header_of(lines: Sequence[str]) -> tuple[int, str] | None:
    """Return the place of the header and the sign between its columns; exports put a title or `sep=;` above it."""
    for place, line in enumerate(lines):
        sign = _sign_of(line)
        if sign and not (len(_header(line, sign)) == 1 and _is_prose(lines[place + 1 :], sign)):
            return place, sign
        if len(line) > _LONGEST_TITLE:  # an abstract: below it stands no header
            return None
    return None


def _is_prose(lines: Sequence[str], sign: str) -> bool:
    """Tell whether lines below the one word "abstract" are a text, and no column of cells."""
    return any(sign in line and not line.lstrip().startswith('"') for line in lines)


def _sign_of(line: str) -> str | None:
    best = max(_DELIMITERS, key=lambda sign: len(_header(line, sign)))
    names = _header(line, best)
    if not WANTED & set(names) or (len(names) < 2 and line.strip().strip('"').casefold() not in WANTED):
        return None
    # A sentence about abstracts is no header: some of the columns have names that a table of papers uses.
    known = sum(name in KNOWN or name in WANTED for name in names)
    enough = known * 3 >= len(names) or known >= _KNOWN
    return best if enough and all(len(name) <= 60 for name in names) else None


def _header(line: str, sign: str) -> list[str]:
    try:
        return [key_name(cell) for cell in next(csv.reader([line], delimiter=sign), [])]
    except csv.Error:
        return []


def table_records(text: str, sign: str) -> Iterator[Record]:
    """Yield the rows below the header; a row that a stray quote swallows is broken, the rows after it are read.

    Abstracts that stand above or below the table are named, not taken for rows of it.
    """
    csv.field_size_limit(_FIELD_LIMIT)
    lines = text.split("\n")
    found = _header_of(lines[:_HEAD])
    top = found[0] if found else 0
    header, taken = _row(lines, top, sign, 0)
    for place, line in enumerate(lines[:top]):
        if len(line.split()) >= _WORDS:
            yield Record(f"line {place + 1}", "", excluded=_BESIDE)
    yield from _rows(lines, top + taken, header, sign)


def headless_records(text: str) -> Iterator[Record] | None:
    """Return the rows of a table without a header that we know, or None where the text is none."""
    csv.field_size_limit(_FIELD_LIMIT)
    found = columns_of(text)
    if found is None:
        return None
    sign, columns, headed = found
    lines = text.split("\n")
    top = next(place for place, line in enumerate(lines) if line.strip()) + headed
    told = ", ".join(name or "not used" for name in columns)
    remark = f"the header names no abstract column, so columns were told by what they hold: {told}"
    header = [name or f"{_UNKNOWN}{place}" for place, name in enumerate(columns)]
    return (replace(row, remark="" if row.broken else remark) for row in _rows(lines, top, header, sign))


def _rows(lines: Sequence[str], place: int, header: Sequence[str], sign: str) -> Iterator[Record]:
    """Yield the rows of a table from a line on."""
    while place < len(lines):
        row, taken = _row(lines, place, sign, len(header))
        label = f"line {place + 1}"
        if place and not lines[place - 1].strip() and _is_beside(lines[place], sign, len(row) == len(header)):
            yield Record(label, "", excluded=_BESIDE)
            place += 1
            continue
        if not row and lines[place].strip():
            yield Record(label, "", broken="a quotation mark in it is never closed")
        elif any(cell.strip() for cell in row) and [c.strip() for c in row] != [c.strip() for c in header]:
            yield _record(header, row, label, sign)
        place += taken


def _is_beside(line: str, sign: str, fits: bool) -> bool:
    """Tell whether a line below a gap in a table is prose: no row that `fits`, or one whose commas are a sentence's."""
    written = '"' not in line and line.count(sign) == line.count(f"{sign} ")
    return len(line.split()) >= _WORDS and line.rstrip()[-1:] in tuple(".!?") and (written or not fits)


def _row(lines: Sequence[str], place: int, sign: str, columns: int) -> tuple[list[str], int]:
    """Return the cells of the row that begins at a line, and how many lines it takes; no cells where its quotes fail.

    A quote that is not closed must not swallow the rows below it; one that merely stands inside a field does no harm.
    """
    following = (lines[i] + "\n" for i in range(place, min(len(lines), place + _LINES_A_ROW)))
    reader = csv.reader(following, delimiter=sign, strict=True)
    try:
        row, taken = next(reader, []), max(reader.line_num, 1)
        if taken == 1 or len(row) <= columns or not columns:
            return row, taken
    except csv.Error:
        pass
    line = lines[place]
    loose = _loose(line, sign, columns)
    return (loose if line.count('"') % 2 == 0 or (sign == "\t" and len(loose) == columns) else []), 1


def _loose(line: str, sign: str, columns: int) -> list[str]:
    """Return the cells of a line whose quotes inside fields were neither doubled nor left out.

    A quotation mark opens and closes a field only beside a separator; where that leaves too many columns, a separator
    with a space behind it is taken for a comma of the text.
    """
    mark, found = re.escape(sign), []
    for beside in (rf"\s*(?:{mark}|$)", rf"(?:{mark}(?! )|$)"):
        quoted = rf'\s*"((?:[^"]|"(?!{beside}))*)"\s*(?={mark}|$)'
        cells = re.findall(rf"(?:^|{mark})(?:{quoted}|([^{mark}]*))", line)
        found = [q.replace('\\"', '"').replace('""', '"') if q else plain for q, plain in cells]
        if len(found) == columns:
            break
    return found


def _record(header: Sequence[str], row: Sequence[str], label: str, sign: str) -> Record:
    if any(cell.strip() for cell in row[len(header) :]):
        return Record(
            label, "", broken=f"it has {len(row)} columns, the header {len(header)}: quote what holds {sign!r}"
        )
    cells: dict[str, str] = {}
    for name, cell in zip(header, row, strict=False):
        filled = cell.strip()
        # Of two columns of one name the first that is filled counts.
        if name.strip() and filled and filled.casefold() not in _NOTHING:
            cells.setdefault(name.strip(), filled)
    return from_row(cells, label)
