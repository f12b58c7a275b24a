"""Plain text -> records: abstracts between blank lines, or one a line, below a heading that gives the venue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from rag.library.json_form import from_line
from rag.library.records import Record

_HEADING = re.compile(r"(?P<venue>[^\W\d_][\w&/. -]*?)\s+(?P<year>(?:19|20)\d\d)\b")


def plain_records(text: str) -> Iterator[Record]:
    """Yield plain abstracts, blank lines between them or one a line, below a heading such as "ICML 2026 Papers"."""
    lines = text.split("\n")
    blocks: list[tuple[int, list[str]]] = []
    open_block = False
    for number, line in enumerate(lines, 1):
        if not line.strip():
            open_block = False
        elif open_block:
            blocks[-1][1].append(line)
        else:
            blocks.append((number, [line]))
            open_block = True
    metadata: dict[str, Any] = {}
    if blocks and _is_heading(blocks[0][1]):
        number, first = blocks.pop(0)
        heading = _HEADING.search(first[0])
        if heading:
            metadata = {"venue": heading["venue"].strip(), "year": int(heading["year"])}
        if first[1:]:
            blocks.insert(0, (number + 1, first[1:]))
    for number, block in blocks:
        if len(block) > 1 and _one_a_line(block):
            yield from (_plain_record(line, number + i, metadata) for i, line in enumerate(block))
        else:
            yield _plain_record("\n".join(block), number, metadata)


def _plain_record(text: str, number: int, metadata: Mapping[str, Any]) -> Record:
    if text.lstrip().startswith("{"):
        return from_line(text, f"line {number}")
    return Record(f"line {number}", text.strip(), metadata=metadata)


def _is_heading(block: list[str]) -> bool:
    """Tell whether a block begins with a heading; the first line of an abstract that is wrapped short is none."""
    first = block[0].strip()
    if len(first.split()) > 10 or first[-1:] in ".!?" or first.startswith("{"):
        return False
    return len(block) == 1 or (_HEADING.search(first) is not None and _one_a_line(block[1:]))


def _one_a_line(block: list[str]) -> bool:
    complete = sum(line.rstrip()[-1:] in '.!?)”"}' or line.lstrip().startswith("{") for line in block)
    return complete >= 0.9 * len(block)
