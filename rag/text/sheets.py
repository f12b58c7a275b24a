"""Rows -> CSV and Markdown tables in which a paper's text can neither run as a formula nor break the table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MARKUP = re.compile(r"([\\`*_\[\]|<>$#~])")


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV (RFC 4180); a cell that begins like a formula gets an apostrophe, so that none is run."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([[_inert(value) for value in row] for row in rows])
    return out.getvalue()


def _inert(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def markdown_text(text: str) -> str:
    """Return a text as Markdown that shows it as it is, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def markdown_table(rows: Iterable[Sequence[str]]) -> str:
    """Return rows of Markdown cells as a table, the first row its head; cells are escaped by the caller."""
    head, *body = rows
    lines = [head, ["---"] * len(head), *body]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"
