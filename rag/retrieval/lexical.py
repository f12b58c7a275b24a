"""The lexical side: BM25 over stems and pairs of neighbouring stems, from an index that lies in memory.

BM25 after Robertson and Zaragoza (2009) with Lucene's idf; pairs after Metzler and Croft's ordered windows (2005), at
half weight. `docs/retrieval.md` has what was measured. The index is derived: it is built from the terms that the
catalog stores (0.3 s of processor for 5,560 passages, measured) and thrown away when they change.
"""

from __future__ import annotations

import itertools
import math
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from rag.text.words import FORMS, content_stems, name_forms

K1, B = 0.9, 0.4
PAIR_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class Weighting:
    """The settings of BM25: saturation, length normalisation, and what a pair of neighbours counts beside its words."""

    k1: float = K1
    b: float = B
    pairs: float = PAIR_WEIGHT


class LexicalIndex:
    """Scores every passage of a library by the words of a query; never changes once it is built."""

    def __init__(self, passages: Iterable[tuple[str, str]], weighting: Weighting | None = None) -> None:
        """Take (chunk id, terms joined by spaces), in the order of the ids, as `Catalog.terms` gives them."""
        weighting = weighting or Weighting()
        self.ids: list[str] = []
        # A word's number is how many were known before it; counting it in C is what makes building quick.
        known: defaultdict[str, int] = defaultdict(itertools.count().__next__)
        words, sizes, lengths = array("i"), array("i"), array("i")
        for identity, terms in passages:
            self.ids.append(identity)
            text, _, forms = terms.partition(f" {FORMS} ")
            stems, extra = text.split(), forms.split()
            words.extend(map(known.__getitem__, stems))
            words.extend(map(known.__getitem__, extra))
            sizes.append(len(stems) + len(extra))
            lengths.append(len(stems))
        self._know(dict(known))
        term, length = np.array(words), np.array(lengths, dtype=np.int64)
        ends = np.cumsum(sizes, dtype=np.int64)
        owner = np.repeat(np.arange(len(ends), dtype=np.int32), sizes)
        norm = weighting.k1 * (1 - weighting.b + weighting.b * length / max(1.0, length.mean() if lengths else 1.0))
        # Pairs are of the text's own stems, not of the other forms behind them.
        last = np.repeat((ends - sizes + length - 1).astype(np.int32), sizes)
        first = np.flatnonzero(np.arange(len(term), dtype=np.int32) < last)
        del words, last
        pairs = term[first].astype(np.int64) * self._size + term[first + 1]
        self._pairs = _postings(pairs, owner[first], norm, weighting.k1, weighting.pairs)
        del pairs, first
        self._words = _postings(term.astype(np.int64), owner, norm, weighting.k1, 1.0)

    def _know(self, vocabulary: dict[str, int]) -> None:
        self._vocabulary = vocabulary
        self._size = len(vocabulary) + 1
        self._rows = {identity: row for row, identity in enumerate(self.ids)}

    def parts(self) -> tuple[list[str], list[str], dict[str, Any]]:
        """Return the ids, the words in the order of their numbers, and the arrays by name: all that the index is."""
        arrays = {f"{side}_{name}": getattr(of, name) for side, of in self._sides() for name in _ARRAYS}
        return self.ids, list(self._vocabulary), arrays

    @classmethod
    def of_parts(cls, ids: list[str], words: list[str], arrays: Mapping[str, Any]) -> LexicalIndex:
        """Return the index that was taken apart; raises `KeyError` where an array is missing."""
        index = cls(())
        index.ids = ids
        index._know({word: number for number, word in enumerate(words)})
        index._words, index._pairs = (
            _Postings(*(arrays[f"{side}_{name}"] for name in _ARRAYS)) for side, _ in index._sides()
        )
        return index

    def _sides(self) -> tuple[tuple[str, _Postings], tuple[str, _Postings]]:
        return ("words", self._words), ("pairs", self._pairs)

    def __len__(self) -> int:
        """Return the number of passages."""
        return len(self.ids)

    def scores(self, query: str) -> Any:
        """Return the score of every passage, in the order of `ids`; 0 where none of the words occurs."""
        total = np.zeros(len(self.ids), dtype=np.float32)
        terms = [self._vocabulary.get(term) for term in self._query_terms(query)]
        stems = [self._vocabulary.get(stem) for stem in content_stems(query)]
        for term in dict.fromkeys(t for t in terms if t is not None):
            self._words.add(term, total)
        for pair in dict.fromkeys(
            a * self._size + b for a, b in itertools.pairwise(stems) if a is not None and b is not None
        ):
            self._pairs.add(pair, total)
        return total

    def reach(self, query: str) -> float:
        """Return what a passage of mean length would score for holding each word of a query once, pairs apart.

        A word that no passage holds weighs as if one more passage had come with it alone.
        """
        known = (self._vocabulary.get(stem) for stem in dict.fromkeys(content_stems(query)))
        counts = [0 if term is None else self._words.count(term) for term in known]
        # Of mean length, the norm is k1, so that one occurrence gives the idf whatever k1 and b are.
        return sum(math.log1p((len(self.ids) - n + 0.5) / (n + 0.5)) for n in counts)

    def top(self, scores: Any, depth: int, within: Any | None = None) -> dict[str, float]:
        """Return the best passages that any word matches, best first, ties by id; `within` are the rows allowed."""
        rows = np.flatnonzero(scores > 0) if within is None else within[scores[within] > 0]
        values = scores[rows]
        if len(rows) > depth:
            edge = np.partition(values, len(values) - depth)[len(values) - depth]
            rows = rows[values >= edge]
        best = sorted((-float(scores[row]), self.ids[row]) for row in rows.tolist())[:depth]
        return {identity: -negative for negative, identity in best}

    def of(self, scores: Any, ids: Collection[str]) -> dict[str, float]:
        """Return the scores of the passages with these ids, 0 for one that is not in the index."""
        rows = self._rows
        return {identity: float(scores[rows[identity]]) if identity in rows else 0.0 for identity in ids}

    def rows(self, ids: Iterable[str]) -> Any:
        """Return the rows of these passages, in order."""
        return np.array(sorted(self._rows[i] for i in ids if i in self._rows), dtype=np.int64)

    def holding(self, name: str) -> int:
        """Return about how many passages hold a name: its words side by side in any form, or its other spellings.

        A name of common words only ("through") counts as held by all.
        """
        stems = content_stems(name)
        if not stems:
            return len(self.ids)
        forms = {form for whole, parts in name_forms(name).items() for form in ((whole,) if len(parts) > 1 else parts)}
        return max([self._holding(stems), *(self._holding([form]) for form in forms)])

    def count(self, term: str) -> int:
        """Return how many passages hold a term."""
        number = self._vocabulary.get(term)
        return 0 if number is None else self._words.count(number)

    def has_phrase(self, terms: Sequence[str]) -> bool:
        """Tell whether any passage holds every two neighbours of these terms side by side."""
        numbers = [self._vocabulary.get(term, -1) for term in terms]
        if len(numbers) < 2 or -1 in numbers:
            return len(numbers) == 1 and -1 not in numbers
        holders = [self._pairs.held(a * self._size + b) for a, b in itertools.pairwise(numbers)]
        return len(reduce(np.intersect1d, holders)) > 0

    def _holding(self, stems: Sequence[str]) -> int:
        terms = [self._vocabulary.get(stem) for stem in stems]
        known = [term for term in terms if term is not None]
        if len(known) < len(terms):
            return 0
        if len(known) == 1:
            return self._words.count(known[0])
        return min(self._pairs.count(a * self._size + b) for a, b in itertools.pairwise(known))

    def _query_terms(self, query: str) -> Sequence[str]:
        """Return the words of a query; the parts of a camel-cased name only where the name itself is unknown."""
        terms = content_stems(query)
        for whole, forms in name_forms(query).items():
            if whole not in self._vocabulary or len(forms) == 1:
                terms.extend(forms)
        return terms


_ARRAYS = ("keys", "ends", "owners", "added")


@dataclass(frozen=True, slots=True)
class _Postings:
    """For each key, the passages that hold it and what it adds to their scores."""

    keys: Any  # sorted
    ends: Any  # where the passages of each key begin, and the end of the last
    owners: Any  # rows of passages
    added: Any

    def count(self, key: int) -> int:
        """Return how many passages hold a key."""
        return len(self.held(key))

    def held(self, key: int) -> Any:
        """Return the rows of the passages that hold a key, in order."""
        return self.owners[self._part(key)]

    def add(self, key: int, total: Any) -> None:
        """Add what a key gives to the passages that hold it."""
        part = self._part(key)
        total[self.owners[part]] += self.added[part]

    def _part(self, key: int) -> slice:
        place = int(np.searchsorted(self.keys, key))
        there = place < len(self.keys) and self.keys[place] == key
        return slice(self.ends[place], self.ends[place + 1]) if there else slice(0, 0)


def _postings(keys: Any, owners: Any, norm: Any, k1: float, weight: float) -> _Postings:
    """Take a key and a row for each occurrence; `keys` is int64 and overwritten, for there are millions."""
    passages = max(1, len(norm))
    # One number for (key, passage): sorting it groups the occurrences, and counting its runs gives frequencies.
    keys *= passages
    keys += owners
    keys.sort()
    starts = _runs(keys)
    frequency = np.diff(starts, append=len(keys)).astype(np.int32)
    together = keys[starts]
    key = together // passages
    rows = (together - key * passages).astype(np.int32)
    firsts = _runs(key)
    ends = np.append(firsts, len(key))
    counts = np.diff(ends)
    added = frequency * (k1 + 1)
    added /= frequency + norm[rows]
    added *= np.repeat(weight * np.log1p((passages - counts + 0.5) / (counts + 0.5)), counts)
    return _Postings(key[firsts], ends, rows, added.astype(np.float32))


def _runs(values: Any) -> Any:
    """Return where runs of equal values begin in a sorted array."""
    begins = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=begins[1:])
    return np.flatnonzero(begins)
