"""Which papers a question wants by venue, year and author in its words: "ICLR'18 papers", "since 2024". Pure, by rules.

Only what the library has is taken for a filter; a venue that we know, or an author, whom no paper here has is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_PAPERS = r"(?:papers?|abstracts?|publications?|submissions?|articles?|works?|proceedings|posters?|results|research)"
_PREPOSITION = r"\b(?:at|in|from|of|published (?:at|in)|accepted (?:at|to|by|in)|presented at)\s+(?:the\s+)?"
_AT = r"\b(?:at|published (?:at|in)|accepted (?:at|to|by))\s+(?:the\s+)?"  # "in" may be anything: "in ACL surgery"
_YEAR = r"(?:19|20)\d\d"
_LED = re.compile(rf"(?P<led>{_PREPOSITION})?(?:(?P<year>{_YEAR})\s+)?$", re.IGNORECASE)
_JOINED = re.compile(r"\s*(?:,|/|&|\band\b|\bor\b)\s*(?:or\b|and\b)?\s*", re.IGNORECASE)
_SHORT_YEAR = re.compile(rf"[\s,'’`-]*(?P<year>{_YEAR}|(?<=['’`-])\d\d|(?<=\w)\d\d)(?!\w|[.,]\d)")
# What a model was fed with is of some time, too: "trained on news before 2019".
_OF_DATA = re.compile(r"\b(?:data|text|texts|news|events?|trained|collected|recorded|observations?)\s*$", re.IGNORECASE)
_BEFORE_ALL, _AFTER_ALL = 0, 9999
_RANGES = (
    rf"\b(?:between|from)\s+({_YEAR})\s+(?:and|to|until|till)\s+({_YEAR})\b",
    rf"(?<![\w.-])({_YEAR})\s?[-–—]\s?({_YEAR})\b(?![\w-])",
)
_EITHER = re.compile(rf"\b(?:in|from)\s+({_YEAR})\s+(?:or|and)\s+({_YEAR})\b", re.IGNORECASE)
_SIDES: tuple[tuple[str, int | None, int | None], ...] = (  # the year itself is moved by so much; None: no end there
    (rf"\b(?:since|starting (?:in|from)|from)\s+({_YEAR})(?:\s+(?:on(?:wards?)?|and later))?\b", 0, None),
    (rf"\b({_YEAR})\s+(?:or|and)\s+(?:later|newer|after)\b", 0, None),
    (rf"\b(?:after|later than|newer than|more recent than|past)\s+({_YEAR})\b", 1, None),
    (rf"\b(?:before|earlier than|older than|prior to)\s+({_YEAR})\b", None, -1),
    (rf"\b(?:until|till|up to|not later than)\s+({_YEAR})\b", None, 0),
    (rf"\b({_YEAR})\s+(?:or|and)\s+(?:earlier|older|before)\b", None, 0),
)
_ONE_YEAR = re.compile(
    rf"\b(?:at|in|from|published (?:at|in)|papers of)\s+(?:the\s+)?(?:year\s+)?({_YEAR})\b"
    rf"|\b({_YEAR})(?=\s+{_PAPERS}\b)",
    re.IGNORECASE,
)
_BY = re.compile(
    r"\b(?:papers?|works?|articles?|anything|something|publications?|stud(?:y|ies)|abstracts?|research)\s+"
    r"(?:(?:co-?)?(?:written|authored|published)\s+)?by\s+(?P<who>[A-Z][\w.'’-]*(?:\s+(?:(?:van|von|de|der|den|la|le|al|bin)\s+)*"
    r"[A-Z][\w.'’-]*){0,3})"
)
_OF_WHOM = re.compile(
    r"\b(?P<who>[A-Z][\w.-]+(?:\s+[A-Z][\w.-]*){0,3})['’]s?\s+(?:\w+\s+)?(?:papers?|works?|publications?)\b"
)


@dataclass(frozen=True, slots=True)
class Known:
    """What the papers of a library have: comparable value -> as it is written there, by field."""

    venues: Mapping[str, str]
    years: Mapping[str, str]
    authors: Mapping[str, str]
    called: Mapping[str, str]  # usual names of venues -> what they are taken for
    comparable: Callable[[str, Any], str]


@dataclass(frozen=True, slots=True)
class Limit:
    """Filters that some words of a question ask for, and where those stand."""

    filters: Mapping[str, Any]
    start: int
    end: int


def limits(question: str, known: Known) -> list[Limit]:
    """Return the limits that a question sets, each with its place; they don't overlap."""
    found: list[Limit] = []
    for limit in (*_venue(question, known), *_years(question, known), *_author(question, known)):
        apart = all(limit.end <= other.start or other.end <= limit.start for other in found)
        if apart and not any(limit.filters.keys() & other.filters.keys() for other in found):
            found.append(limit)
    return sorted(found, key=lambda limit: limit.start)


def unknown_venue(question: str, known: Known) -> tuple[str, int, int] | None:
    """Return a venue that we know, and no paper here has, with its place in a question."""
    names = sorted((n for n, called in known.called.items() if called not in known.venues), key=len, reverse=True)
    for name in names if known.venues else ():
        match = re.search(rf"{_AT}({_written_as(name)})(?![\w-])", question, re.IGNORECASE)
        if match:
            return match.group(1), match.start(), match.end()
    return None


def unknown_author(question: str, known: Known) -> str:
    """Return the person by whom a question wants papers, if nobody here is called that; else ""."""
    match = _BY.search(question)
    who = match["who"] if match else ""
    return who if len(who.split()) > 1 and not _called(who, known) else ""


def _venue(question: str, known: Known) -> Iterator[Limit]:
    """Yield the venues that a question wants papers of; several that are joined ("ICML or ICLR") are one limit."""
    mentioned = _mentioned(question, known)
    only = len({known.comparable("venue", match.group()) for match in mentioned}) == 1
    wanted: list[Limit] = []
    for match in mentioned:
        limit, sure = _one_venue(question, match, known, only=only)
        last = wanted[-1] if wanted else None
        if last is not None and _JOINED.fullmatch(question[last.end : limit.start]):
            wanted[-1] = Limit(_both(last.filters, limit.filters), last.start, limit.end)
        elif sure:
            wanted.append(limit)
    yield from wanted


def _mentioned(question: str, known: Known) -> list[re.Match[str]]:
    """Return the places where a venue that the library has is named, the longest name of each place."""
    names = {*known.venues, *(name for name, called in known.called.items() if called in known.venues)}
    found: list[re.Match[str]] = []
    for name in sorted(names, key=len, reverse=True):
        ending = r"(?=\d\d(?!\d)|-\d\d|(?![\w-]))"
        for match in re.finditer(rf"(?<![\w-]){_written_as(name)}{ending}", question, re.IGNORECASE):
            if all(match.end() <= other.start() or other.end() <= match.start() for other in found):
                found.append(match)
    return sorted(found, key=re.Match.start)


def _one_venue(question: str, match: re.Match[str], known: Known, *, only: bool) -> tuple[Limit, bool]:
    """Return the limit that a venue's name with the words around it is, and whether it is surely meant as one."""
    start, end, year = match.start(), match.end(), ""
    before = _LED.search(question[:start])
    behind = _SHORT_YEAR.match(question, end)
    if behind and _full(behind["year"]) in known.years:
        year, end = _full(behind["year"]), behind.end()
    elif before and before["year"] in known.years:
        year = before["year"]
    led = before is not None and before["led"] is not None
    capitals = sum(c.isupper() for c in match.group()) > 1
    alone = only and capitals and _stands_apart(question, start, end)
    filters: dict[str, Any] = {"venue": known.venues[known.comparable("venue", match.group())]}
    place = before.start() if before is not None and (led or year) else start
    return Limit(filters | ({"year": int(year)} if year else {}), place, end), bool(led or year or alone)


def _both(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return filters that pass what either passes, field by field."""
    joined: dict[str, Any] = {}
    for name in [name for name in one if name in other]:
        values = [v for of in (one, other) for v in (of[name] if isinstance(of[name], list) else [of[name]])]
        distinct = list(dict.fromkeys(values))
        joined[name] = distinct[0] if len(distinct) == 1 else distinct
    return joined


def _stands_apart(question: str, start: int, end: int) -> bool:
    """Tell whether a venue's name is set beside a query ("bandits, AISTATS"; "ICLR papers on"), not a part of it."""
    before, behind = question[:start].rstrip(), question[end:].lstrip()
    edge = not behind.strip(" ?.!") or not before
    return edge or before[-1] in ",;(" or re.match(rf"(?:\w+\s+)?{_PAPERS}\b", behind, re.IGNORECASE) is not None


def _years(question: str, known: Known) -> Iterator[Limit]:
    for pattern in _RANGES:
        for match in re.finditer(pattern, question, re.IGNORECASE):
            yield from _within(match, int(match.group(1)), int(match.group(2)), known)
    for match in _EITHER.finditer(question):
        either = sorted(int(year) for year in {*match.groups()} & known.years.keys())
        if either:
            yield Limit({"year": either[0] if len(either) == 1 else either}, *match.span())
    for pattern, first, last in _SIDES:
        for match in re.finditer(pattern, question, re.IGNORECASE):
            if match.group().lower().startswith("from") and not re.search(r"on|later", match.group()[9:]):
                continue  # "from 2024" is that year
            year = int(match.group(1))
            if not _OF_DATA.search(question[: match.start()]):
                low = _BEFORE_ALL if first is None else year + first
                yield from _within(match, low, _AFTER_ALL if last is None else year + last, known)
    for match in _ONE_YEAR.finditer(question):
        year = int(match.group(1) or match.group(2))
        yield from _within(match, year, year, known)


def _within(match: re.Match[str], first: int, last: int, known: Known) -> Iterator[Limit]:
    years = sorted(int(year) for year in known.years if year.isdigit() and first <= int(year) <= last)
    if years:
        yield Limit({"year": years[0] if len(years) == 1 else years}, *match.span())


def _author(question: str, known: Known) -> Iterator[Limit]:
    for pattern in (_BY, _OF_WHOM):
        for match in pattern.finditer(question):
            people = _called(match["who"], known)
            if people:
                start = (
                    question.rfind("by", match.start(), match.start("who")) if pattern is _BY else match.start("who")
                )
                end = match.end("who") if pattern is _BY else match.end("who") + len("'s")
                yield Limit({"author": people[0] if len(people) == 1 else people}, start, end)


def _called(who: str, known: Known) -> list[str]:
    """Return the authors with a name, or with it as their surname."""
    key = known.comparable("authors", who)
    if key in known.authors:
        return [known.authors[key]]
    return sorted(name for other, name in known.authors.items() if " " not in key and other.split()[-1] == key)


def _full(year: str) -> str:
    """Return a year in four digits: '18 is 2018, '97 is 1997."""
    return year if len(year) == 4 else f"{'20' if int(year) < 70 else '19'}{year}"


def _written_as(name: str) -> str:
    """Return a pattern for a venue's name, whatever stands between its words."""
    return r"[\s\-/.]+".join(re.escape(word) for word in name.split())
