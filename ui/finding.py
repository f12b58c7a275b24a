"""Which papers to show: a search or the whole list, narrowed by venue, year, topic and released code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rag.errors import LibraryError
from rag.text.words import content_stems, stem, tokens
from rag.types import Paper
from ui.library import Library

PAGE_SIZE = 20
_DEEPEST = 200  # papers a search is read down to; who wants more narrows it
_NEAREST = 6
_READ_FOR_NEAREST = 1000  # characters of an abstract: its first sentences say what it is about
_CODE_QUESTION = "Which papers release their code?"


@dataclass(frozen=True, slots=True)
class Filters:
    """What a reader narrows the list by; empty values narrow nothing."""

    venue: str = ""
    year: str = ""
    code: bool = False
    topic: str = ""

    def for_search(self) -> dict[str, Any] | None:
        """Return the filters that a search takes itself."""
        known = {key: value for key, value in (("venue", self.venue), ("year", self.year)) if value}
        return known or None

    def fits(self, paper: Paper) -> bool:
        """Tell whether a paper is of the venue and the year."""
        return all(
            not wanted or str(paper.metadata.get(key) or "").casefold() == wanted.casefold()
            for key, wanted in (("venue", self.venue), ("year", self.year))
        )


@dataclass(frozen=True, slots=True)
class Found:
    """A paper on a result list, and the passage that fits best; none where nothing was searched for."""

    paper: Paper
    passage: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """The head of a result list and how long the whole list is; `deep` tells that the search goes on below it."""

    query: str
    shown: tuple[Found, ...]
    total: int
    deep: bool = False


def find_papers(library: Library, query: str, filters: Filters, limit: int = PAGE_SIZE) -> Results:
    """Return the papers that fit: by the query where there is one, else in the order of the library."""
    query = query.strip()
    if query:
        hits = library.search(query, _DEEPEST, filters.for_search())
        found = [Found(hit.paper, hit.passage) for hit in hits]
    else:
        found = [Found(paper) for paper in library.papers() if filters.fits(paper)]
    deep = bool(query) and len(found) >= _DEEPEST
    if filters.code:
        with_code = {row.paper.id for row in library.census(_CODE_QUESTION).having("yes")}
        found = [row for row in found if row.paper.id in with_code]
    if filters.topic:
        in_topic = {paper.id for topic in library.map().topics if topic.name == filters.topic for paper in topic.papers}
        found = [row for row in found if row.paper.id in in_topic]
    return Results(query, tuple(found[:limit]), len(found), deep)


def nearest(library: Library, paper: Paper) -> tuple[Paper, ...]:
    """Return the papers whose abstracts come nearest to one, itself apart."""
    hits = library.search(f"{paper.title}. {paper.abstract[:_READ_FOR_NEAREST]}", _NEAREST + 1)
    return tuple(hit.paper for hit in hits if hit.paper_id != paper.id)[:_NEAREST]


def choices(papers: Iterable[Paper]) -> tuple[list[str], list[str]]:
    """Return the venues, by name, and the years, newest first, that occur."""
    venues, years = set(), set()
    for paper in papers:
        venue, year = paper.metadata.get("venue"), paper.metadata.get("year")
        if isinstance(venue, str) and venue.strip():
            venues.add(venue)
        if year:
            years.add(str(year))
    return sorted(venues, key=str.casefold), sorted(years, reverse=True)


def topic_choices(library: Library) -> list[tuple[str, str]]:
    """Return the topics of the library's map, as shown and by name; none where there is no map."""
    try:
        topics = library.map().topics
    except LibraryError:
        return []
    return [(f"{topic.name} ({len(topic.papers):,})", topic.name) for topic in topics]


def matched_words(text: str, query: str) -> list[tuple[int, int]]:
    """Return where the words of a query that carry meaning stand in a text, in whatever form."""
    wanted = set(content_stems(query))
    return [(token.start, token.end) for token in tokens(text) if stem(token.text) in wanted]
