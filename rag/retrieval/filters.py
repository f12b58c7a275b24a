"""Filters by venue, year, author and keyword: set by the user, or understood from the question. Pure.

Values compare without case, accents and punctuation; the usual names of one venue are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz import fuzz, process

from rag.errors import InputError
from rag.retrieval.limits import Known, limits, unknown_author, unknown_venue
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


@dataclass(frozen=True, slots=True)
class Understood:
    """What a question says about the papers wanted: filters, the words that said so, and the question without them.

    `nowhere` says that no paper has the venue or author that a question names, and what there is; else it is "".
    """

    filters: Mapping[str, Any]
    words: str
    rest: str
    nowhere: str = ""

    @property
    def shown(self) -> str:
        """Return the values of the filters as a reader reads them: "ICML or ICLR, 2018"."""
        return ", ".join(" or ".join(str(v) for v in _values(value)) for value in self.filters.values())


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
        if key in self._papers[field]:
            return self._papers[field][key]
        raise InputError(f"No paper here has the {name} {str(value)!r}; {self._instead(field, key)}")

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
        """Return the venue, years and author that a question asks for ("at AISTATS 2025"), where papers have them."""
        known = self._known()
        found = limits(question, known)
        filters: dict[str, Any] = {}
        for limit in found:
            filters |= limit.filters
        spans = [(limit.start, limit.end) for limit in found]
        words = " ".join(question[a:b].strip() for a, b in spans)
        rest = _tidy(without(question, spans)) if spans else question
        unknown = None if "venue" in filters else unknown_venue(rest, known)
        if unknown is not None:
            name, start, end = unknown
            said = f"No paper here is of {name}; {self._instead('venue', comparable('venue', name))}"
            return Understood(filters, words, _tidy(without(rest, [(start, end)])), said)
        who = "" if "author" in filters else unknown_author(question, known)
        instead = self._instead("authors", comparable("authors", who)) if who else ""
        return Understood(filters, words, rest, f"No paper here is by {who}; {instead}" if who else "")

    def _known(self) -> Known:
        written = self._written
        return Known(written["venue"], written["year"], written["authors"], _CALLED, comparable)


def without(question: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a question without the words between these places."""
    for start, end in sorted(spans, reverse=True):
        question = question[:start] + question[end:]
    return question


def _tidy(question: str) -> str:
    """Return a question without the gaps that words taken out of it have left."""
    return re.sub(r"\s+([?.!,])", r"\1", re.sub(r"\s{2,}", " ", question)).strip(" ,;:")


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
