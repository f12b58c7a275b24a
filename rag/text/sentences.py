"""Split a text into sentences that keep their offsets, so that a sentence can be quoted."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ABBREVIATIONS = re.compile(
    r"(?:^|[\s(\[])(?:e\.g|i\.e|et al|etc|cf|vs|resp|approx|Fig|Figs|Eq|Eqs|Sec|Tab|Ref|"
    r"Refs|No|Dr|Prof|St|Mr|Mrs|Ms|v|ver|"
    r"a\.k\.a|w\.r\.t|[A-Z])\.$"
)
# An end mark, what closes with it, then space, then something that can begin a sentence.
_END = re.compile(r"[.!?…]+[\"'”’)\]*]*(?=\s+[\"'“‘(\[$*]*[^\W_])|[。！？]")
_LOWER_START = re.compile(r"\s+[\"'“‘(\[*]*[a-z][a-z]*[\s,.;:]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and its place: `text == whole[start:end]`."""

    text: str
    start: int
    end: int


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a text in order; together they cover every character that is not white space.

    Abbreviations, initials, decimals and a lower-case word after the point do not end a sentence.
    """
    cuts: list[int] = []
    for match in _END.finditer(text):
        if _ABBREVIATIONS.search(text[max(0, match.start() - 12) : match.start() + 1]) and match.group() == ".":
            continue
        if _LOWER_START.match(text, match.end()):
            continue
        cuts.append(match.end())
    spans = zip([0, *cuts], [*cuts, len(text)], strict=True)
    return [Sentence(text[a:b], a, b) for a, b in (_trim(text, a, b) for a, b in spans) if a < b]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
