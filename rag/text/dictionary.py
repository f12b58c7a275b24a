"""Which words are ordinary English, and how common: the whole words of the embedding model's vocabulary, read.

Where the weights are not installed there is no list: every word counts as ordinary, names are told by their capitals.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from rapidfuzz import process
from rapidfuzz.distance import OSA

from rag.text.words import stem

# A word at rank r is about one in 12 r of running text (Zipf); 100 content words make an abstract.
_WORDS, _FIRST_SHARE = 100, 0.08
_LAST_RANK = 40_000  # of a word that the list does not have
_ENDINGS = ("s", "es", "ed", "d", "ing", "ings", "er", "r", "ers", "est", "st", "ly", "able", "ness", "less", "age")
_BEGINNINGS = ("pre", "re", "un", "non", "over", "under", "inter", "multi", "anti", "post", "sub", "mis", "out", "co")
_SPELLINGS = (("oe", "e"), ("ae", "e"), ("our", "or"), ("ise", "ize"), ("isa", "iza"), ("tre", "ter"), ("ph", "f"))
_SHORTEST_PART = 3  # letters of a word inside another


class Dictionary:
    """Words, the commonest first, that also know their near misses."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words: dict[str, int] = {}
        for word in words:
            self._words.setdefault(word, len(self._words) + 1)
        self._by_letter: dict[str, list[str]] = {}
        for word in sorted(self._words):
            self._by_letter.setdefault(word[0], []).append(word)

    def __contains__(self, word: str) -> bool:
        """Tell whether a folded word is an ordinary one; without a list every word is."""
        return word in self._words or not self._words

    def share(self, forms: Iterable[str]) -> float:
        """Return the share of passages of general English that would hold a word, given in its forms."""
        rank = min((self._words[form] for form in forms if form in self._words), default=_LAST_RANK)
        return 1 - math.exp(-_WORDS * _FIRST_SHARE / rank)

    def resembles(self, word: str) -> bool:
        """Tell whether a word is an edit or two away from an ordinary one that begins alike: a slip, not a name."""
        allowed = 1 if len(word) < 8 else 2
        near = process.extractOne(word, self._by_letter.get(word[0], []), scorer=OSA.distance, score_cutoff=allowed)
        return near is not None or not self._words

    def explains(self, word: str) -> bool:
        """Tell whether a folded word is ordinary, a form of one, or made of two: "loosest", "preterm", "leftover"."""
        return any(map(self.__contains__, forms(word))) or any(
            word[:cut] in self and word[cut:] in self
            for cut in range(_SHORTEST_PART + 1, len(word) - _SHORTEST_PART + 1)
        )


def forms(word: str) -> Iterator[str]:
    """Yield a word and what it may be a form of: "likelier" of "likely", "preterm" of "term", "pruners" of "prune"."""
    yield from (word, stem(word))
    for ending in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) >= _SHORTEST_PART:
            yield from (base, f"{base}e", base[:-1])  # "splitting" is a form of "split"
            if base[-1] == "i":
                yield f"{base[:-1]}y"
    for beginning in _BEGINNINGS:
        base = word.removeprefix(beginning)
        if base != word and len(base) > _SHORTEST_PART:
            yield base


def spellings(word: str) -> Iterator[str]:
    """Yield a word in British and American spelling: "oesophagitis", "esophagitis"."""
    yield word
    for british, american in _SPELLINGS:
        for old, new in ((british, american), (american, british)):
            if old in word:
                yield word.replace(old, new, 1)
