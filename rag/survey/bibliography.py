"""Papers with their quotes -> BibTeX and RIS; the quotes stand as notes, with their places in the abstract."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote as percent

from rag.survey.mapping import year_of
from rag.types import Paper, Quote

# Braces count for BibTeX even behind a backslash, so they are written as commands.
_LATEX = str.maketrans(
    {
        "\\": "\\textbackslash{}", "{": "\\textbraceleft{}", "}": "\\textbraceright{}", "~": "\\textasciitilde{}",
        "^": "\\textasciicircum{}", "&": "\\&", "%": "\\%", "$": "\\$", "#": "\\#", "_": "\\_",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """A paper to be listed, the quotes that it is listed for, and what its reader noted on it."""

    paper: Paper
    quotes: tuple[Quote, ...] = ()
    note: str = ""


def bibtex(entries: Sequence[Entry]) -> str:
    """Return papers as BibTeX in UTF-8, one entry a paper; quotes are its note."""
    keys = _keys([entry.paper for entry in entries])
    return "\n".join(_bibtex_entry(key, entry) for key, entry in zip(keys, entries, strict=True))


def _bibtex_entry(key: str, entry: Entry) -> str:
    known = entry.paper.metadata
    year = year_of(entry.paper)
    values = {
        "title": f"{{{_latex(entry.paper.title)}}}",  # the inner braces keep its capitals
        "author": " and ".join(_latex(name) for name in authors(entry.paper)),
        "booktitle": _latex(_named(known.get("venue"))),
        "year": str(year or ""),
        "doi": _latex(str(known.get("doi") or "")),
        "url": address(str(known.get("url") or "")),
        "note": _latex("; ".join(noted(entry))),
    }
    kind = "inproceedings" if values["booktitle"] else "misc"
    rows = [f"  {name} = {{{value}}}" for name, value in values.items() if value]
    return f"@{kind}{{{key},\n" + ",\n".join(rows) + "\n}\n"


def ris(entries: Sequence[Entry]) -> str:
    """Return papers as RIS; each quote is a note (N1) of its own, and lines end as the format asks (CR LF)."""
    return "".join(f"{tag}  - {value}\r\n" for entry in entries for tag, value in _ris_lines(entry))


def _ris_lines(entry: Entry) -> Iterator[tuple[str, str]]:
    known, year = entry.paper.metadata, year_of(entry.paper)
    yield "TY", "CPAPER" if known.get("venue") else "GEN"
    yield "ID", _one_line(entry.paper.id)
    yield "TI", _one_line(entry.paper.title)
    for name in authors(entry.paper):
        yield "AU", _one_line(name)
    for tag, value in (
        ("PY", str(year or "")),
        ("T2", _named(known.get("venue"))),
        ("DO", str(known.get("doi") or "")),
        ("UR", address(str(known.get("url") or ""))),
    ):
        if value:
            yield tag, _one_line(value)
    for note in noted(entry):
        yield "N1", note
    yield "ER", ""


def authors(paper: Paper) -> list[str]:
    """Return the authors of a paper's record, one a name."""
    stored = paper.metadata.get("authors") or ()
    return [_named(name) for name in (stored if isinstance(stored, (list, tuple)) else [stored])]


def _named(value: Any) -> str:
    """Return a name as a record holds it: plain, or beside other things that are known of it."""
    return str((value.get("name") if isinstance(value, Mapping) else value) or "")


def noted(entry: Entry) -> list[str]:
    """Return what is said of an entry: its reader's note, and its quotes, each with its place in the abstract."""
    made = ["The title was made from the abstract, which came without one."] if entry.paper.title_derived else []
    made += [_one_line(entry.note)] if entry.note else []
    return made + [f"“{_one_line(q.text)}” (characters {q.start}–{q.end} of the abstract)" for q in entry.quotes]


def address(url: str) -> str:
    """Return an address that no field can be left by: what is no plain character of an address is percent-encoded."""
    return percent(url, safe=":/?#[]@!$&'()*+,;=%~._-") if re.match(r"https?://", url) else ""


def _one_line(text: str) -> str:
    return " ".join("".join(" " if unicodedata.category(c) == "Cc" else c for c in text).split())


def _latex(text: str) -> str:
    return _one_line(text).translate(_LATEX)


def _keys(papers: Sequence[Paper]) -> list[str]:
    """Return a key a paper, made of its id with plain characters only; equal ones are told apart by a number."""
    seen: dict[str, int] = {}
    keys = []
    for paper in papers:
        key = re.sub(r"[^A-Za-z0-9_.:-]+", "-", paper.id).strip("-") or "paper"
        seen[key] = seen.get(key, 0) + 1
        keys.append(key if seen[key] == 1 else f"{key}-{seen[key]}")
    return keys
