"""Tables without a header that names an abstract column: the columns are told by what stands in them."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from statistics import median

from rag.library.records import WORDS_OF_ABSTRACT

_LOOKED_AT = 60  # rows
_LEAST_ROWS = {"\t": 2, ";": 2, "|": 2, ",": 2}
_ABSTRACT_WORDS, _SHORT_WORDS = 15, 30  # of the middle row: an abstract's, and at most those of any other column
_COLUMNS = 40
_YEAR = re.compile(r"(?:19|20)\d\d(?:\.0)?")
_ADDRESS = re.compile(r"https?://\S+")
_DOI = re.compile(r"(?i)(?:https?://(?:dx\.)?doi\.org/|doi:\s*)?10\.\d{4,9}/\S+")
_ID = re.compile(r"(?=\S*[^\W\d_])[\w.:/-]{2,60}")  # a bare number is a row's, and changes with the rows
_PERSON = r"(?:[^\W\d_][\w.'’-]*\.?\s?){1,5}"
_PEOPLE = re.compile(rf"{_PERSON}(?:[;,&]\s*(?:and\s+)?{_PERSON}|\s+and\s+{_PERSON})+")
_TOLD = (("year", _YEAR), ("doi", _DOI), ("url", _ADDRESS), ("id", _ID))


def columns_of(text: str) -> tuple[str, tuple[str, ...], bool] | None:
    """Return the sign between columns, what each is ("" where unknown), and whether the first row is a header.

    Nothing where the text is no table: the rows differ in length, or not exactly one column holds abstracts.
    """
    head = text.lstrip("\n").split("\n", _LOOKED_AT)
    lines = [line for line in head[:_LOOKED_AT] if line.strip()]
    for sign in ("\t", ";", "|", ","):
        rows = _rows(lines, sign) if any(sign in line for line in lines[:2]) else []
        if len(head) > _LOOKED_AT:  # the last one may go on below
            del rows[-1:]
        columns = _told(rows, sign, "\n".join(lines))
        if columns:
            return sign, columns, len(rows[0][columns.index("abstract")].split()) < WORDS_OF_ABSTRACT
    return None


def _rows(lines: Sequence[str], sign: str) -> list[list[str]]:
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=sign)]
    except csv.Error:
        return []


def _told(rows: Sequence[Sequence[str]], sign: str, text: str) -> tuple[str, ...]:
    """Return what the columns are; nothing where these rows are no table of abstracts."""
    count = len(rows[0]) if rows else 0
    if len(rows) < _LEAST_ROWS[sign] or not 2 <= count <= _COLUMNS or any(len(row) != count for row in rows):
        return ()
    middle = [median(len(row[place].split()) for row in rows[-max(2, len(rows) - 1) :]) for place in range(count)]
    long = [place for place, words in enumerate(middle) if words >= _ABSTRACT_WORDS]
    others = [words for place, words in enumerate(middle) if place not in long]
    # Sentences have commas and semicolons too: where these separate columns, what holds them is quoted.
    quoted = sum(f'"{row[long[0]][:20]}' in text for row in rows) if long else 0
    if len(long) != 1 or max(others) > _SHORT_WORDS or (sign in ",;" and quoted * 2 < len(rows)):
        return ()
    found = [""] * count
    found[long[0]] = "abstract"
    below = rows[1:] if len(rows) > 2 else rows
    for place in range(count):
        cells = [row[place] for row in below if row[place]]
        kind = next((name for name, form in _TOLD if cells and all(form.fullmatch(cell) for cell in cells)), "")
        if kind and not found[place] and kind not in found and (kind != "id" or len(set(cells)) == len(below)):
            found[place] = kind
    for place in range(count):
        cells = [row[place] for row in below if row[place]]
        people = sum(_PEOPLE.fullmatch(cell) is not None for cell in cells)
        if not found[place] and "authors" not in found and people * 2 > len(cells) and _is_listed(cells):
            found[place] = "authors"
    titles = [place for place in range(count) if not found[place] and len({r[place] for r in below}) == len(below)]
    if titles:
        found[max(titles, key=lambda place: (middle[place], -place))] = "title"
    return tuple(found)


def _is_listed(cells: Sequence[str]) -> bool:
    """Tell whether cells list people: every word of most begins with a capital, as those of a title need not."""
    words = [word for cell in cells for word in re.findall(r"[^\W\d_]{2,}", cell) if word not in ("and", "et", "al")]
    return bool(words) and sum(word[0].isupper() for word in words) >= 0.9 * len(words)
