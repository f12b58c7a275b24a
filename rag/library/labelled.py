"""Texts whose lines say what they are (`Title: …`, `Abstract: …`, also simple YAML) -> records."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.library.records import KNOWN, WANTED, Record, from_row, key_name

_LABEL = re.compile(
    r"(?P<indent>\s*(?:[-*]\s+)?)\**(?P<name>[A-Za-z][A-Za-z _-]{1,24}?)\**\s*:\**(?:\s+(?P<text>.*)|$)"
)
_FOLDED = re.compile(r"[>|][+-]?")  # YAML: the text follows on the lines below


def is_labelled(text: str) -> bool:
    """Tell whether a text begins with a label of a paper, and labels an abstract and something else."""
    names = [name for line in text.split("\n", 60)[:60] if (name := _name(line))]
    first = next((line for line in text.split("\n") if line.strip()), "")
    return bool(_name(first)) and len({*names}) > 1 and any(name in WANTED for name in names)


def _name(line: str) -> str:
    """Return the label of a line as it is looked up; nothing where it has none that a paper has."""
    match = _LABEL.match(line)
    name = key_name(match["name"]) if match else ""
    return name if name in KNOWN or name in WANTED else ""


def labelled_records(text: str) -> Iterator[Record]:
    """Yield the records of a text; one begins where the label that began the first is met again."""
    row: dict[str, list[str]] = {}
    first, name, start = "", "", 0
    for number, line in enumerate(text.split("\n"), 1):
        label = _name(line)
        if label:
            first = first or label
            if label == first and row:
                yield _record(row, start)
                row = {}
            start = start if row else number
            match = _LABEL.match(line)
            name = label
            row.setdefault(name, []).append((match["text"] if match else "") or "")
        elif name:
            row[name].append(line)
    if row:
        yield _record(row, start)


def _record(row: dict[str, list[str]], start: int) -> Record:
    return from_row({name: _joined(lines) for name, lines in row.items()}, f"line {start}")


def _joined(lines: list[str]) -> str:
    """Return the text of a label; what stands below a blank line after an abstract goes on with it."""
    first = "" if _FOLDED.fullmatch(lines[0].strip()) else lines[0].strip()
    text = "\n".join([first, *(line.strip() for line in lines[1:])]).strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" and text.count(text[0]) == 2
    return text[1:-1] if quoted else text
