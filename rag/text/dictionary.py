"""Which words are ordinary English: the whole words of the embedding model's vocabulary, read, not shipped.

Where the weights are not installed there is no list: every word counts as ordinary, names are told by their capitals.
"""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import OSA


class Dictionary:
    """A set of words that also knows near misses."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._by_letter: dict[str, list[str]] = {}
        for word in sorted(self._words):
            self._by_letter.setdefault(word[0], []).append(word)

    def __contains__(self, word: str) -> bool:
        """Tell whether a folded word is an ordinary one; without a list every word is."""
        return word in self._words or not self._words

    def resembles(self, word: str) -> bool:
        """Tell whether a word is an edit or two away from an ordinary one that begins alike: a slip, not a name."""
        allowed = 1 if len(word) < 8 else 2
        near = process.extractOne(word, self._by_letter.get(word[0], []), scorer=OSA.distance, score_cutoff=allowed)
        return near is not None or not self._words
