"""Misspelt words of a whole-corpus question: what neither library nor English has is read as the nearest word that is.

Without that, "unlerning" would occur nowhere, and none of the papers on unlearning would count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from rag.census.concepts import root
from rag.text.dictionary import forms
from rag.text.words import fold
from rag.types import Paper

_WORD = re.compile(r"(?<![\w-])[a-z]{5,}(?![\w-])")  # names, figures and hyphenated words are left alone
_LONG = 8  # letters from which on a second slip is allowed


def spelt(
    question: str, papers: Sequence[Paper], known: Callable[[str], bool]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a question with its slips mended, and each slip with what it was taken for.

    `known` tells whether a word is ordinary English. A word is taken for another of the library that starts alike and
    is one slip away (two where it has eight letters or more), the most frequent one.
    """
    strange = [word for word in dict.fromkeys(_WORD.findall(question)) if not any(map(known, forms(word)))]
    if not strange:
        return question, ()
    counts = Counter(word for paper in papers for word in set(re.findall(r"[a-z]{4,}", fold(paper.abstract))))
    mended = []
    for word in strange:
        meant = None if word in counts or word.rstrip("s") in counts else _nearest(word, counts)
        if meant and root(meant) != root(word):
            mended.append((word, meant))
            question = re.sub(rf"(?<![\w-]){word}(?![\w-])", meant, question)
    return question, tuple(mended)


def _nearest(word: str, counts: Counter[str]) -> str | None:
    allowed = 1 if len(word) < _LONG else 2
    alike = [other for other in counts if other[0] == word[0] and abs(len(other) - len(word)) <= allowed]
    found = process.extract(word, alike, scorer=OSA.distance, score_cutoff=allowed, limit=None)
    return min(found, key=lambda row: (row[1], -counts[row[0]], row[0]))[0] if found else None
