"""Plain text -> records: abstracts between blank lines, or one a line, below a heading that gives the venue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from rag.library.json_form import from_line
from rag.library.records import Record, from_row, without_label
from rag.text.tex import readable

_HEADING = re.compile(r"(?P<venue>[^\W\d_][\w&/. -]*?)\s+(?P<year>(?:19|20)\d\d)\b")
_TITLE = re.compile(r"#{1,6}\s+(?P<title>\S.{2,300}?)\s*#*$")  # Markdown
_ENTITLED = re.compile(r"\s*(?:\*\*|__)(?P<title>[^*_\n][^\n]{2,300}?)[:.]?(?:\*\*|__)\s*[:.—–-]?\s+(?=\S)")
_NUMBERED = re.compile(r"\s*(?:(?=\d+[.):])|(?=[(\[]\d+[\])]))[(\[]?(?P<number>\d{1,5})[\].):]{1,2}\s+(?=\S)")
_BULLET = re.compile(r"\s*[-*+•‣▪]\s+(?=\S)")
_BULLETS = re.compile(r"^\s*[-*+•‣▪]\s+(?=\S)", re.MULTILINE)
_LINK = re.compile(r"(?:\W*\[[^\]\n]{1,60}\]\(\S+\)\W*)+|<?https?://\S+>?")
_ADDRESS = re.compile(r"https?://[^\s<>()\"\]]+")
_NAME = r"(?:[^\W\d_][\w.'’-]*\s?){1,5}"
_PEOPLE = re.compile(rf"(?:by\s+)?{_NAME}(?:[,;&]\s*(?:and\s+)?{_NAME}|\s*and\s+{_NAME})*", re.IGNORECASE)
_BESIDE = 12  # words: shorter lines below a title are not its abstract
_DECORATION = "#=*-_ \t\ufeff"
_RULE = re.compile(r"[-=*_#~]{3,}|(?:\*\s*){3,}")
_HEADING_WORDS, _LONGEST_HEADING = 6, 200  # words below the first block; characters
_ENDS = '.!?)”"’]}'
_TITLED = 160  # characters of an abstract below a title
_WRAPPED = 240  # characters: no text that was wrapped for reading has lines as long
_INNER_END = re.compile(r"[.!?][”\")\]]?\s+[A-Z“\"(]")


def plain_records(text: str) -> Iterator[Record]:
    """Yield plain abstracts, blank lines between them or one a line, below headings such as "ICML 2026 Papers"."""
    blocks = [
        block for block in _blocks(_without_marks(text)) if not all(_RULE.fullmatch(line.strip()) for line in block[1])
    ]
    metadata: dict[str, Any] = {}
    alone = len(blocks) <= 2  # one list, perhaps with a heading above it
    title, beside = "", dict[str, Any]()
    for place, (number, block) in enumerate(blocks):
        marked = _TITLE.match(block[0])
        if marked and not (place == 0 and _HEADING.search(block[0])):
            title, beside = readable(marked["title"]), {}
            number, block = number + 1, block[1:]
        if title and block and len(" ".join(block).split()) < _BESIDE:
            beside = {**beside, **_told_beside(block)}
            continue
        if title and block:
            row = {"title": title, "abstract": without_label("\n".join(block).strip()), **beside}
            record = from_row(row, f"line {number}")
            yield replace(record, metadata={**metadata, **record.metadata})
            title = ""
            continue
        if not block or (place and _LINK.fullmatch(" ".join(block).strip())):
            continue
        if _is_heading(block, first=place == 0):
            metadata = _metadata(block[0])
            number, block = number + 1, block[1:]
            while block and _RULE.fullmatch(block[0].strip()):
                number, block = number + 1, block[1:]
            if not block:
                continue
        if _is_titled(block):
            title = block[0].strip(_DECORATION)
            yield Record(f"line {number}", block[1].strip(), title=readable(title), metadata=metadata)
        elif len(block) > 1 and _one_a_line(block, alone):
            yield from (_plain_record(line, number + i, metadata) for i, line in enumerate(block))
        else:
            yield _plain_record("\n".join(block), number, metadata)


def _without_marks(text: str) -> str:
    """Return a text without the numbers or bullets that its abstracts are listed with, where most have one.

    Numbers count up, by one or by a few; an abstract may begin with a number of its own.
    """
    blocks = [block for _, block in _blocks(text) if not _TITLE.match(block[0])]
    lines = [line for block in blocks for line in (block if len(block) > 1 and _one_a_line(block, True) else block[:1])]
    lines = [line for line in lines if len(line.split()) >= _BESIDE]
    numbers = [int(match["number"]) for line in lines if (match := _NUMBERED.match(line))]
    bullets = sum(_BULLET.match(line) is not None for line in lines)
    counted = len(numbers) > 1 and all(0 < b - a <= 3 for a, b in pairwise(numbers))
    if counted and len(numbers) >= 0.8 * len(lines):
        return "\n".join(_NUMBERED.sub("", line) if len(line.split()) >= _BESIDE else line for line in text.split("\n"))
    return _BULLETS.sub("", text) if bullets > 1 and bullets >= 0.8 * len(lines) else text


def _told_beside(block: Sequence[str]) -> dict[str, Any]:
    """Return what short lines between a title and its abstract tell: who wrote it, where it is to be read."""
    found: dict[str, Any] = {}
    for line in block:
        address, people = _ADDRESS.search(line), line.strip(" *_")
        if address:
            found["url"] = address.group()
        elif _PEOPLE.fullmatch(people):
            found["authors"] = people
    return found


def _blocks(text: str) -> list[tuple[int, list[str]]]:
    """Return the runs of lines between blank ones, each with the number of its first line."""
    blocks: list[tuple[int, list[str]]] = []
    open_block = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and open_block:
            blocks[-1][1].append(line)
        elif line.strip():
            blocks.append((number, [line]))
        open_block = bool(line.strip())
    return blocks


def _metadata(heading: str) -> dict[str, Any]:
    match = _HEADING.search(heading.strip(_DECORATION))
    return {"venue": match["venue"].strip(), "year": int(match["year"])} if match else {}


def _plain_record(text: str, number: int, metadata: Mapping[str, Any]) -> Record:
    if text.lstrip().startswith("{"):
        return from_line(text, f"line {number}")
    entitled = _ENTITLED.match(text)
    if entitled:
        return Record(f"line {number}", text[entitled.end() :].strip(), readable(entitled["title"]), metadata=metadata)
    return Record(f"line {number}", without_label(text.strip()), metadata=metadata)


def _is_heading(block: list[str], *, first: bool) -> bool:
    """Tell whether a block begins with a heading; the first line of an abstract that is wrapped short is none.

    Below the first block only a line that names a venue and a year, such as "ICML 2026 Papers", is one.
    """
    line = block[0].strip()
    if len(line) > _LONGEST_HEADING or len(line.split()) > 10 or line[-1:] in ".!?" or line.startswith("{"):
        return False
    named = _HEADING.match(line.strip(_DECORATION)) is not None
    if len(block) == 1:
        return first or (named and len(line.split()) <= _HEADING_WORDS)
    rest = [other for other in block[1:] if not _RULE.fullmatch(other.strip())]
    return (named if not first else _HEADING.search(line) is not None) and (not rest or _one_a_line(rest, True))


def _is_titled(block: list[str]) -> bool:
    """Tell whether a block is a title above an abstract on one line, longer than any that was wrapped for reading."""
    if len(block) != 2 or block[0].lstrip().startswith("{"):
        return False
    title, abstract = block[0].strip(), block[1].strip()
    return len(title) <= _LONGEST_HEADING and title[-1:] not in ".,;:{" and len(abstract) > max(_TITLED, 2 * len(title))


def _one_a_line(block: list[str], alone: bool) -> bool:
    """Tell whether each line of a block is an abstract: most are complete, or longer than any editor wraps.

    Where blank lines separate abstracts, a text that was broken after each sentence is one of them: none of its lines
    holds two sentences.
    """
    complete = sum(line.rstrip()[-1:] in _ENDS or line.lstrip().startswith("{") for line in block)
    long = sum(len(line) > _WRAPPED for line in block)
    if long >= 0.8 * len(block):
        return True
    return complete >= 0.9 * len(block) and (alone or any(_INNER_END.search(line.strip()) for line in block))
