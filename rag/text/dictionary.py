"""Which words are ordinary English, and how common: the whole words of the embedding model's vocabulary, read.

Where the weights are not installed there is no list: every word counts as ordinary, names are told by their capitals.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import OSA

# A word at rank r is about one in 12 r of running text (Zipf); 100 content words make an abstract.
_WORDS, _FIRST_SHARE = 100, 0.08
_LAST_RANK = 40_000  # of a word that the list does not have


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
