"""Tagged exports other than RIS -> records: PubMed's MEDLINE, EndNote's refer (`%T`), Web of Science's plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rag.library.records import Record, from_row

_DOI = re.compile(r"(10\.\S+)\s*\[doi\]")


@dataclass(frozen=True, slots=True)
class _Form:
    """How lines with a tag look, which tag begins a reference, and what the tags mean, the better one first."""

    begins: re.Pattern[str]
    line: re.Pattern[str]
    first: str
    keys: Mapping[str, tuple[str, ...]]


_FORMS = (
    _Form(
        re.compile(r"PMID- ?\d"),
        re.compile(r"(?P<tag>[A-Z]{2,4}) {0,2}- ?(?P<text>.*)"),
        "PMID",
        {"id": ("PMID",), "title": ("TI",), "abstract": ("AB",), "authors": ("FAU", "AU"), "venue": ("JT", "TA")}
        | {"date": ("DP",), "doi": ("LID", "AID"), "keywords": ("OT", "MH")},
    ),
    _Form(
        re.compile(r"%0 \S"),
        re.compile(r"%(?P<tag>\S) (?P<text>.*)"),
        "0",
        {"id": ("M", "F"), "title": ("T",), "abstract": ("X",), "authors": ("A",), "venue": ("J", "B"), "year": ("D",)}
        | {"doi": ("R",), "keywords": ("K",), "url": ("U",)},
    ),
    _Form(
        re.compile(r"(?:FN |VR |PT [A-Z]\n)"),
        re.compile(r"(?P<tag>[A-Z][A-Z0-9])(?: (?P<text>.*)|$)"),
        "PT",
        {"id": ("UT",), "title": ("TI",), "abstract": ("AB",), "authors": ("AF", "AU"), "venue": ("SO",)}
        | {"year": ("PY",), "doi": ("DI",), "keywords": ("DE", "ID")},
    ),
)
_NAMES = frozenset({"AF", "AU"})  # Web of Science: each further line is one more person


def is_tagged(text: str) -> bool:
    """Tell whether a text begins like one of these exports."""
    return any(form.begins.match(text) for form in _FORMS)


def tagged_records(text: str) -> Iterator[Record]:
    """Yield the references of a text; one without an end ends where the next begins."""
    form = next(form for form in _FORMS if form.begins.match(text.lstrip()))
    values: dict[str, list[str]] = {}
    start, tag = 0, ""
    for number, line in enumerate(text.split("\n"), 1):
        match = form.line.fullmatch(line.rstrip())
        if match and match["tag"] == form.first:
            if start:
                yield from_row(_row(form, values), f"line {start}")
            start, values = number, {}
        if match:
            tag = match["tag"]
            values.setdefault(tag, []).append((match["text"] or "").strip())
        elif line.strip() and tag in values:
            _go_on(values[tag], line.strip(), apart=form.first == "PT" and tag in _NAMES)
    if start:
        yield from_row(_row(form, values), f"line {start}")


def _go_on(lines: list[str], line: str, *, apart: bool) -> None:
    if apart:
        lines.append(line)
    else:
        lines[-1] = f"{lines[-1]}\n{line}"


def _row(form: _Form, values: Mapping[str, list[str]]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, tags in form.keys.items():
        found = next((values[tag] for tag in tags if values.get(tag)), [])
        row[key] = found if key in ("authors", "keywords") else "\n".join(found)
    match = _DOI.search(row.get("doi", ""))
    row["doi"] = match[1] if match else row.get("doi", "") if form.first != "PMID" else ""
    if len(row["keywords"]) == 1:
        row["keywords"] = row["keywords"][0]
    return row
