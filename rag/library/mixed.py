"""One text in several forms, pasted or joined, -> its parts in one form each, so that none swallows another unread."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rag.library.bibliographies import bibtex_starts
from rag.library.json_form import value_at

_TAGGED = re.compile(r"^(?:(?P<ris>TY {1,2}- ?[A-Z]{3,})|(?P<medline>PMID- ?\d)|(?P<refer>%0 \S))", re.MULTILINE)
_JSON = re.compile(r"^[ \t]*(?=\{\s*\"|\[\s*\{)", re.MULTILINE)
_LAST_LINE = {  # what the last line of a reference looks like
    "ris": re.compile(r"^ER {1,2}-.*$", re.MULTILINE),
    "medline": re.compile(r"^(?:[A-Z]{2,4} {0,2}- .*|[ \t]+\S.*)$", re.MULTILINE),
    "refer": re.compile(r"^%\S .*$", re.MULTILINE),
}
_WORDS = 12  # fewer words between two forms are a heading, or what an exporter says about itself


@dataclass(frozen=True, slots=True)
class _Opening:
    """Where an entry of a form begins, and where it ends if that is known."""

    place: int
    form: str
    end: int = 0


def is_told(text: str) -> bool:
    """Tell whether a text between entries has so many words that its loss must be told."""
    return len(text.split(None, _WORDS)) >= _WORDS


def parts(text: str) -> Iterator[str]:
    """Yield the parts of a text that are in one form each, below as many line breaks as stand above them."""
    openings = _openings(text)
    if not openings:
        yield text
        return
    # What stands above BibTeX is a comment as well, and told with those between its entries.
    start = 0 if openings[0].form == "bibtex" or not is_told(text[: openings[0].place]) else openings[0].place
    if start:
        yield text[:start]
    for opening, following in zip(openings, [*openings[1:], None], strict=True):
        if following is not None and following.form == opening.form:
            continue
        stop = following.place if following else len(text)
        end = _end(opening, text, stop)
        yield _below(text, start, end)
        if is_told(text[end:stop]):
            yield _below(text, end, stop)
        start = stop


def _below(text: str, start: int, end: int) -> str:
    """Return a part below the line breaks above it, so that its lines keep their numbers."""
    return "\n" * text.count("\n", 0, start) + text[start:end]


def _end(opening: _Opening, text: str, stop: int) -> int:
    """Return where the entries of a form end before a place; BibTeX tells itself what stands between its entries."""
    if opening.end:  # behind a value, more JSON is what was cut off or broken
        return stop if text[opening.end : stop].lstrip(" \t\n,")[:1] in tuple('{[]}"') else opening.end
    ends = _LAST_LINE.get(opening.form)
    return max((m.end() for m in ends.finditer(text, opening.place, stop)), default=stop) if ends else stop


def _openings(text: str) -> list[_Opening]:
    """Return where entries of references and values of JSON begin; nothing for a text without references.

    JSON alone, and among plain text, is told apart by the forms themselves.
    """
    found = [_Opening(place, "bibtex") for place in bibtex_starts(text)]
    found += [_Opening(match.start(), match.lastgroup or "") for match in _TAGGED.finditer(text)]
    if found:
        found = _outside(found, list(_json_values(text)))
    elif _JSON.match(text.lstrip()) and text.rstrip()[-1:] not in ("]", "}"):
        found = list(_json_values(text))
    return sorted(found, key=lambda opening: opening.place)


def _outside(found: list[_Opening], values: list[_Opening]) -> list[_Opening]:
    """Return the openings without those that lie inside of a JSON value."""
    return values + [o for o in found if not any(v.place < o.place < v.end for v in values)]


def _json_values(text: str) -> Iterator[_Opening]:
    place = 0
    while match := _JSON.search(text, place):
        value, end = value_at(text, match.end())
        whole = isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(v, Mapping) for v in value))
        if end and whole:
            yield _Opening(match.start(), "json", end)
        place = end if end and whole else match.end() + 1
