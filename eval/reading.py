"""Read an answer's text: its markers, its sentences, and which of them claim something.

A sentence is *framing* when it has no marker and either leads up to something (it ends in a colon), is a bare heading,
or speaks of the search itself (papers, abstracts, the library, the reader). Every other sentence is *factual*. A quoted
passage is never cut, and a bracket inside one ("Extending [3], we ...") belongs to the paper and is no marker.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.types import Citation

_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!~$<>|&])")
_MARKER = re.compile(r"(?<!\\)\[(\d{1,3})\](?!\()")
_BREAK = re.compile(r"[.!?…][\"”’'»)*_]*(?=\s)|\n+")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|al|Fig|Eq|Sec|No|approx)|\b[A-Z])\.$")
# "1." at the start of a list item counts nothing.
_NUMERAL = re.compile(r"\d{1,3}[.)](?:\s+|$)")
_LEADING_NUMERAL = re.compile(r"\A\d{1,3}[.)](?:\s+|$)")
_LIST_NUMERAL = re.compile(r"^\s*\d{1,3}[.)]\s+", re.MULTILINE)
_TRAILING = re.compile(r"\s*(?:\[\d{1,3}\]\s*)+[.!?]?")
_SEARCH = re.compile(
    r"\b(?:abstracts?|papers?|library|collection|corpus|sources?|quot(?:e|es|ed|ing)|question|passages?|i|you|your)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer without its markers, the markers it carries, and whether it claims something."""

    text: str
    markers: tuple[int, ...]
    factual: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer's text taken apart: words without markers, words outside quotes, markers in order, sentences."""

    words: str
    own_words: str
    markers: tuple[int, ...]
    sentences: tuple[Sentence, ...]


def unescape(text: str) -> str:
    """Return Markdown text without its backslash escapes."""
    return _ESCAPE.sub(r"\1", text)


def read_answer(text: str, citations: Sequence[Citation]) -> Reading:
    """Take an answer's text apart."""
    spans = _quote_spans(text, citations)
    marks = [m for m in _MARKER.finditer(text) if not _inside(m.start(), spans)]
    own = "".join(" " if _inside(i, spans) else c for i, c in enumerate(text))
    return Reading(
        words=_without_marks(text, 0, len(text), marks),
        own_words=unescape(_MARKER.sub(" ", _LIST_NUMERAL.sub("", own))),
        markers=tuple(int(m[1]) for m in marks),
        sentences=tuple(_sentences(text, spans, marks)),
    )


def _quote_spans(text: str, citations: Sequence[Citation]) -> list[tuple[int, int]]:
    spans = []
    for quote in {c.quote for c in citations if c.quote.strip()}:
        # A page-safe answer may escape any punctuation of the quote, so an optional backslash is allowed before each.
        pattern = "".join(r"\s+" if c.isspace() else ("" if c.isalnum() else r"\\?") + re.escape(c) for c in quote)
        spans += [m.span() for m in re.finditer(pattern, text)]
    return sorted(spans)


def _inside(position: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(start <= position < end for start, end in spans)


def _without_marks(text: str, start: int, end: int, marks: Sequence[re.Match[str]]) -> str:
    pieces, at = [], start
    for mark in marks:
        if start <= mark.start() < end:
            pieces.append(text[at : mark.start()])
            at = mark.end()
    return unescape(" ".join([*pieces, text[at:end]])).strip()


def _sentences(text: str, spans: list[tuple[int, int]], marks: list[re.Match[str]]) -> list[Sentence]:
    found = []
    for start, end in _bounds(text, spans):
        words = _LEADING_NUMERAL.sub("", _without_marks(text, start, end, marks).strip(" \n\t-*#>•"))
        if not re.search(r"\w", words):
            continue
        markers = tuple(int(m[1]) for m in marks if start <= m.start() < end)
        found.append(Sentence(words, markers, bool(markers) or not _framing(words)))
    return found


def _bounds(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    bounds, start = [], 0
    for match in _BREAK.finditer(text):
        # The break may be the last character of a quote, but not one inside it.
        if any(a <= match.start() < b - 1 for a, b in spans) or match.end() <= start:
            continue
        before = text[start : match.end()]
        if _ABBREVIATION.search(before) or _NUMERAL.fullmatch(before.lstrip()):
            continue
        trailing = _TRAILING.match(text, match.end()) if "\n" not in match.group() else None
        end = trailing.end() if trailing else match.end()
        bounds.append((start, end))
        start = end
    return [*bounds, (start, len(text))]


def _framing(words: str) -> bool:
    heading = re.fullmatch(r"[^.!?]{0,200}", words) is not None and len(words.split()) <= 3
    return words.endswith(":") or heading or _SEARCH.search(words) is not None
