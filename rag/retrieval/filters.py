"""Filters by venue, year, author and keyword: which papers pass. Pure.

Values compare without case, accents and punctuation; the usual names of one venue are the same, and an author is found
by any part of the name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
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
ijcai = international joint conference on artificial intelligence
coling = international conference on computational linguistics
eacl = european chapter of the association for computational linguistics
tacl = transactions of the association for computational linguistics
colt = conference on learning theory
sigir = research and development in information retrieval
miccai = medical image computing and computer assisted intervention
interspeech
icassp = acoustics speech and signal processing
icra = international conference on robotics and automation
iros = intelligent robots and systems
corl = conference on robot learning
wacv = winter conference on applications of computer vision
"""
CALLED = {
    name.strip(): names[0].strip()
    for line in re.sub(r"\n\s+=", " =", _VENUES).strip().splitlines()
    for names in [line.split("=")]
    for name in names
}
_LEAST_ALIKE = 60  # of 100: a value less alike than this is not named as one that may have been meant


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
        raise InputError(f"No paper here has the {name} {str(value)!r}; {self.instead(field, key)}")

    def _people(self, name: str) -> list[str]:
        """Return the authors that a name, or a part of one, means; initials count for names where nobody else fits."""
        wanted = name.split()
        whole = [part for part in wanted if len(part) > 1]  # initials alone mean nobody
        near = [person for person in self._papers["authors"] if any(part in person for part in whole)]
        return [p for p in near if _is_named(p, wanted)] or [p for p in near if _is_named(p, wanted, initials=True)]

    def instead(self, field: str, key: str) -> str:
        """Return what says which values there are instead of one that no paper has."""
        written = self._written[field]
        if not written:
            return f"none has {field} at all; search without this filter."
        if field == "year" or len(written) <= 3:
            return f"there are {_listed(sorted(written.values())[-5:])}."
        near = process.extract(key, written.keys(), scorer=fuzz.WRatio, limit=3, score_cutoff=_LEAST_ALIKE)
        if not near:
            return f"there are {len(written)} others, such as {_listed(sorted(written.values())[:3])}."
        return f"the nearest {'are' if len(near) > 1 else 'is'} {_listed([written[match[0]] for match in near])}."

    def written(self, field: str) -> Mapping[str, str]:
        """Return the values of a field as they are written, by how they are compared."""
        return self._written[field]

    def has_author(self, name: str) -> bool:
        """Tell whether a name, or a part of one, means an author here."""
        return bool(self._people(comparable("authors", name)))


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


def comparable(field: str, value: Any) -> str:
    """Return a value as it is compared: "NIPS 2018" and "neurips" are one venue, "Reed, A." and "reed a" one author."""
    plain = re.sub(r"[\W_]+", " ", fold(str(value))).strip()
    if field != "venue":
        return plain
    plain = re.sub(r"\b(?:19|20)\d\d\b|\bproceedings of (?:the )?|\b\d+(?:st|nd|rd|th)\b", " ", plain)
    plain = re.sub(r"\s+", " ", plain).strip()
    return CALLED.get(plain, plain)


def _values(value: Any) -> Sequence[Any]:
    if value is None:
        return ()
    return tuple(value) if isinstance(value, (list, tuple, set, frozenset)) else (value,)


def _listed(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"
