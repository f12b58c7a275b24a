"""Find a sentence that turns its source around: a negation, an opposite word, or a comparison told the other way.

A plain check with word lists of its own, so that it can be a second opinion on the checker of `rag`, not an echo of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from eval.matching import content_words, plain, stems_of

# The common opposites of abstracts about methods and results.
OPPOSITES = """
increase decrease; increases decreases; increased decreased; improve worsen; improves worsens; improved degraded;
improves degrades; improves hurts; better worse; higher lower; high low; faster slower; fast slow; larger smaller;
large small; more less; more fewer; with without; simple complex; efficient inefficient; stable unstable;
robust fragile; outperforms underperforms; outperform underperform; reduces increases; reduce increase;
reduced increased; lowers raises; raises reduces; rises falls; deep shallow; supervised unsupervised; first last;
strong weak; stronger weaker; strongest weakest; enables prevents; allows prevents; sparse dense; local global;
long short; accelerates slows; outperforms trails; surpasses trails; beats trails;
accurate inaccurate; best worst; all none; always never; explicit implicit; continuous discrete; similar different;
linear nonlinear; possible impossible; consistent inconsistent; above below
"""
# By their stems, so that "increases" is also found against "reducing".
_PAIRS = tuple(
    (stems_of(left)[0], stems_of(right)[0]) for left, right in (pair.split() for pair in OPPOSITES.split(";"))
)
_NEGATIONS = re.compile(
    r"\b(?:not|no|never|neither|nor|cannot|without|hardly|fails? to|unable|lacks?|none)\b|n't\b", re.IGNORECASE
)
_AHEAD = r"(?:outperforms?|beats?|surpass(?:es)?|exceeds?)"
_BEHIND = r"(?:underperforms?|trails?|lags? behind|is beaten by|are beaten by|is outperformed by)"
_COMPARED = re.compile(rf"([\w-]+)\s+(?:\w+\s+)?({_AHEAD}|{_BEHIND})\s+(?:the\s+)?([\w-]+)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(])")
# A source sentence that shares fewer of the claim's words than this says something else, which support judges.
_SAME = 0.45


def turned_around(claim: str, sources: Iterable[str]) -> str:
    """Return how a claim reverses the sentence of the sources that it is closest to, or nothing."""
    best = _closest(claim, [s for source in sources for s in _SENTENCE.split(source)])
    if best is None:
        return ""
    return _negated(claim, best) or _opposite(claim, best) or _exchanged(claim, best)


def _closest(claim: str, sentences: Sequence[str]) -> str | None:
    wanted = set(content_words(claim))
    if not wanted or not sentences:
        return None
    best = max(sentences, key=lambda sentence: len(wanted & set(content_words(sentence))))
    return best if len(wanted & set(content_words(best))) >= _SAME * len(wanted) else None


def _negated(claim: str, source: str) -> str:
    claimed, given = (len(_NEGATIONS.findall(plain(text))) for text in (claim, source))
    if claimed and not given:
        return f"denies what the abstract says: {source[:120]}"
    return ""


def _opposite(claim: str, source: str) -> str:
    said, given = (set(stems_of(text)) for text in (claim, source))
    for pair in _PAIRS:
        for ours, theirs in (pair, pair[::-1]):
            if ours in said and theirs in given and ours not in given and theirs not in said:
                return f"says {ours!r} where the abstract says {theirs!r}"
    return ""


def _exchanged(claim: str, source: str) -> str:
    for winner, loser in _ordered(claim):
        if (loser, winner) in _ordered(source):
            return f"lets {winner} beat {loser}, the abstract says the reverse"
    return ""


def _ordered(text: str) -> list[tuple[str, str]]:
    found = []
    for match in _COMPARED.finditer(plain(text)):
        left, right = match[1].casefold(), match[3].casefold()
        ahead = re.fullmatch(_AHEAD, match[2], re.IGNORECASE)
        found.append((left, right) if ahead else (right, left))
    return found
