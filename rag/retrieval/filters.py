"""Filters by venue, year, author and keyword: set by the user, or understood from the question. Pure.

Values compare without case, accents and punctuation; the usual names of one venue are the same, and an author is found
by any part of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rapidfuzz import fuzz, process

from rag.errors import InputError
from rag.text.words import fold

_FIELDS = {
    "venue": "venue",
    "year": "year",
    "author": "authors",
    "authors": "authors",
    "keyword": "keywords",
    "keywords": "keywords",
}
# The first of each line is what the others are taken for.
_VENUES = """
neurips = nips = neural information processing systems = advances in neural information processing systems
    = conference on neural information processing systems
icml = international conference on machine learning
iclr = international conference on learning representations
aistats = artificial intelligence and statistics = international conference on artificial intelligence and statistics
colm = conference on language modeling
acl = annual meeting of the association for computational linguistics = association for computational linguistics
naacl = north american chapter of the association for computational linguistics = naacl hlt
emnlp = empirical methods in natural language processing
cvpr = computer vision and pattern recognition
iccv = international conference on computer vision
eccv = european conference on computer vision
uai = uncertainty in artificial intelligence
aaai = association for the advancement of artificial intelligence
jmlr = journal of machine learning research
tmlr = transactions on machine learning research
kdd = knowledge discovery and data mining
"""
_CALLED = {
    name.strip(): names[0].strip()
    for line in re.sub(r"\n\s+=", " =", _VENUES).strip().splitlines()
    for names in [line.split("=")]
    for name in names
}
_LEAST_ALIKE = 60  # of 100: a value less alike than this is not named as one that may have been meant
_PREPOSITION = r"\b(?:at|in|from|published (?:at|in)|accepted (?:at|to|by))\s+(?:the\s+)?"
_AT = r"\b(?:at|published (?:at|in)|accepted (?:at|to|by))\s+(?:the\s+)?"  # "in" may be anything: "in ACL surgery"
_YEAR = re.compile(rf"(?:{_PREPOSITION})(?:the\s+year\s+)?((?:19|20)\d\d)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Understood:
    """What a question says about the papers wanted: filters, the words that said so, and the question without them.

    `nowhere` says that no paper has the venue that a question names, and which come nearest; else it is "".
    """

    filters: Mapping[str, Any]
    words: str
    rest: str
    nowhere: str = ""


class FilterTable:
    """Which papers of a library have which venue, year, authors and keywords."""

    def __init__(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        self._papers: dict[str, dict[str, list[str]]] = {field: {} for field in set(_FIELDS.values())}
        self._written: dict[str, dict[str, str]] = {field: {} for field in self._papers}
        for identity, metadata in rows:
            for field, table in self._papers.items():
                for value in _values(metadata.get(field)):
                    key = comparable(field, value)
                    if key:
                        table.setdefault(key, []).append(identity)
                        self._written[field].setdefault(key, str(value))

    def papers(self, filters: Mapping[str, Any]) -> list[str]:
        """Return the ids of the papers that pass every filter; a filter with several values passes any of them.

        Raises `InputError` for a filter that there is not, and for a value that no paper has, with the nearest ones.
        """
        allowed: set[str] | None = None
        for name, wanted in filters.items():
            field = _FIELDS.get(name)
            if field is None:
                raise InputError(f"{name!r} is no filter; filters are venue, year, author and keyword.")
            found = {identity for value in _values(wanted) for identity in self._having(name, field, value)}
            allowed = found if allowed is None else allowed & found
        return sorted(allowed or ())

    def _having(self, name: str, field: str, value: Any) -> list[str]:
        key = comparable(field, value)
        if field == "authors":
            papers = [identity for person in self._people(key) for identity in self._papers[field][person]]
        else:
            papers = self._papers[field].get(key, [])
        if papers:
            return papers
        raise InputError(f"No paper here has the {name} {str(value)!r}; {self._instead(field, key)}")

    def _people(self, name: str) -> list[str]:
        """Return the authors that a name, or a part of one, means; initials count for names where nobody else fits."""
        wanted = name.split()
        whole = [part for part in wanted if len(part) > 1]  # initials alone mean nobody
        near = [person for person in self._papers["authors"] if any(part in person for part in whole)]
        return [p for p in near if _is_named(p, wanted)] or [p for p in near if _is_named(p, wanted, initials=True)]

    def _instead(self, field: str, key: str) -> str:
        written = self._written[field]
        if not written:
            return f"none has {field} at all; search without this filter."
        if field == "year" or len(written) <= 3:
            return f"there are {_listed(sorted(written.values())[-5:])}."
        near = process.extract(key, written.keys(), scorer=fuzz.WRatio, limit=3, score_cutoff=_LEAST_ALIKE)
        if not near:
            return f"there are {len(written)} others, such as {_listed(sorted(written.values())[:3])}."
        return f"the nearest {'are' if len(near) > 1 else 'is'} {_listed([written[match[0]] for match in near])}."

    def understood(self, question: str) -> Understood:
        """Return the venue and year that a question names ("at AISTATS 2025"), where papers have them."""
        filters: dict[str, Any] = {}
        spans: list[tuple[int, int]] = []
        venue = self._venue(question)
        if venue is not None:
            filters["venue"], start, end = venue[0], venue[1], venue[2]
            year = re.compile(r"[\s,'’]*((?:19|20)\d\d)\b").match(question, end)
            if year and year.group(1) in self._papers["year"]:
                filters["year"], end = int(year.group(1)), year.end()
            spans.append((start, end))
        match = _YEAR.search(question)
        if "year" not in filters and match and match.group(1) in self._papers["year"]:
            filters["year"] = int(match.group(1))
            spans.append(match.span())
        words = " ".join(question[a:b].strip() for a, b in spans)
        rest = question
        for start, end in sorted(spans, reverse=True):
            rest = rest[:start] + rest[end:]
        found = Understood(filters, words, _tidy(rest) if spans else question)
        return found if venue else self._without_unknown_venue(found)

    def _without_unknown_venue(self, found: Understood) -> Understood:
        """Take a venue that we know, and no paper here has, out of a question, and say so."""
        known = self._papers["venue"]
        names = sorted((name for name, called in _CALLED.items() if called not in known), key=len, reverse=True)
        for name in names if known else ():
            match = re.search(rf"{_AT}({_written_as(name)})(?![\w-])", found.rest, re.IGNORECASE)
            if match:
                said = f"No paper here is of {match.group(1)}; {self._instead('venue', name)}"
                rest = _tidy(found.rest[: match.start()] + found.rest[match.end() :])
                return replace(found, rest=rest, nowhere=said)
        return found

    def _venue(self, question: str) -> tuple[str, int, int] | None:
        known = self._papers["venue"]
        names = sorted({*known, *(name for name, called in _CALLED.items() if called in known)}, key=len, reverse=True)
        for name in names:
            match = re.search(rf"{_PREPOSITION}({_written_as(name)})(?![\w-])", question, re.IGNORECASE)
            if match:
                return self._written["venue"][comparable("venue", name)], match.start(), match.end()
        return None


def _is_named(person: str, wanted: Sequence[str], *, initials: bool = False) -> bool:
    """Tell whether a person has all parts of a name, in any order; an initial stands for any name that begins so.

    With `initials` those of the person may stand for the names wanted.
    """
    left = person.split()
    for part in sorted(wanted, key=len, reverse=True):
        fits = (p for p in left if p == part or (len(part) == 1 and p[0] == part) or (initials and p == part[0]))
        found = next(iter(sorted(fits, key=len, reverse=True)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def _tidy(question: str) -> str:
    """Return a question without the gaps that words taken out of it have left."""
    return re.sub(r"\s+([?.!,])", r"\1", re.sub(r"\s{2,}", " ", question)).strip()


def _written_as(name: str) -> str:
    """Return a pattern for a venue's name, whatever stands between its words."""
    return r"[\s\-/.]+".join(re.escape(word) for word in name.split())


def comparable(field: str, value: Any) -> str:
    """Return a value as it is compared: "NIPS 2018" and "neurips" are one venue, "Reed, A." and "reed a" one author."""
    plain = re.sub(r"[\W_]+", " ", fold(str(value))).strip()
    if field != "venue":
        return plain
    plain = re.sub(r"\b(?:19|20)\d\d\b|\bproceedings of (?:the )?|\b\d+(?:st|nd|rd|th)\b", " ", plain)
    plain = re.sub(r"\s+", " ", plain).strip()
    return _CALLED.get(plain, plain)


def _values(value: Any) -> Sequence[Any]:
    if value is None:
        return ()
    return tuple(value) if isinstance(value, (list, tuple, set, frozenset)) else (value,)


def _listed(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
