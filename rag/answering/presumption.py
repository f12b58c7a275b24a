"""Tell how likely a question takes for granted what its paper does not say, where no rule shows the contradiction.

A logistic model over how the question presumes ("why", "isn't it?", "always") and how the sentences nearest to it deny.
The rules of `rag.answering.premises`, which can show what is wrong, come first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from rag.answering.denials import NEGATED
from rag.answering.supposing import is_unflattering, supposed_of
from rag.checking.alignment import best_match
from rag.retrieval.evidence import Evidence, PaperEvidence
from rag.retrieval.ranking import Ranked
from rag.text.matching import match_strength
from rag.text.words import stem, tokens

PRESUMES: Mapping[str, float] = {
    "denied": 2.28,  # words of the question right behind a denying word
    "presumes": 2.61,  # it asks why, or gives a reason
    "how": 2.36,  # it asks how something was done
    "tag": 2.93,  # "isn't it?"
    "absolute": 0.91,  # a superlative or an "always" that the abstract does not have
    "before": 1.17,  # a statement before the question
    "unflattering": 3.38,  # it supposes that the paper's own work fails or is worse, and the abstract has no such word
    "unknown": 0.91,  # a name that the library does not have
    "sentence_cosine": 1.12,  # the abstract has a sentence near to it
}
PRESUMES_INTERCEPT = -3.75
DOUBTED = 0.45  # probability from which a correction is right often enough: of questions whose paper took no part in
# the fit, 21 of 24 were
_FORM = 0.85  # the word or a form of it, no synonym
_NEARLY = 0.25  # of the best alignment: such sentences are as near to the question as the nearest
_BEHIND = 6  # words behind a denying word that it denies
_COSINE_SHARE = 0.5
_DENIES = re.compile(
    r"\b(?:not|no|never|without|cannot|neither|nor|none|rather than|instead of|unlike|contrary|vanish\w*|lacks?|"
    r"unchanged|off-the-shelf|untouched|challenge[sd]?|insofar|disappear\w*)\b|n't\b|\b\w+-free\b",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(
    r"(?<!what's the )(?<!what is the )(?<!which )\b(?:always|never|best|worst|only|first(?! place)|ever|simply|"
    r"prove[nd]?|entirely|completely|fully|guarantee\w*|(?!interest|request|suggest|latest)[a-z]{4,}est)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"\b(?:is|does|do|are|was|did)n['’]?t (?:it|they|that|he|she|we)\b|[,-] (?:right|correct|no)\s*\?", re.IGNORECASE
)
_PRESUMING = re.compile(
    r"\b(?:why|how come|since|given|because|explain|reason|as the|what makes|what made)\b", re.IGNORECASE
)
_HOW = re.compile(r"\bhow (?:did|do|does|is|are|was|were)\b", re.IGNORECASE)
_STATEMENT = re.compile(
    r"^\W*(?!(?:i|i['’]d|i['’]m|we|my|our|you|hi|hey)\b)(?:(?!\b(?:how|why|which|what|who|where|when)\b).)+"
    r"[;,.-]\s*(?:how|why|which|what)\b",
    re.IGNORECASE,
)


def presumption_probability(evidence: Evidence, top: PaperEvidence) -> float:
    """Return how likely a question presumes what the abstract does not say, 0-1."""
    values = presumption_features(evidence, top)
    score = PRESUMES_INTERCEPT + sum(PRESUMES[key] * value for key, value in values.items())
    return 1 / (1 + math.exp(-score))


def presumption_features(evidence: Evidence, top: PaperEvidence) -> dict[str, float]:
    """Return what tells that a question presumes something wrong, by the names of `PRESUMES`."""
    text, focus = evidence.question.text, evidence.question.focus
    nearest = _nearest(focus, top)
    denying = [] if NEGATED.search(text) else [r for r in nearest if _DENIES.search(r.facts.sentence.text)]
    stems = frozenset[str]().union(*(r.facts.stems for r in top.ranked))
    return {
        "denied": min(2, max((_denied(focus, r.facts.sentence.text) for r in denying), default=0)) / 2,
        "presumes": float(bool(_PRESUMING.search(text))),
        "how": float(bool(_HOW.search(text))),
        "tag": float(bool(_TAG.search(text))),
        "absolute": float(any(stem(m.group().lower()) not in stems for m in _ABSOLUTE.finditer(text))),
        "before": float(bool(_STATEMENT.search(text))),
        "unflattering": float(
            any(is_unflattering(s, top.paper) and _names(s, top) for s in supposed_of(evidence, top))
        ),
        "unknown": float(bool(evidence.unknown_names)),
        "sentence_cosine": top.sentence_cosine,
    }


def _names(said: str, top: PaperEvidence) -> bool:
    return any(m.typed in said for m in top.names)


def _nearest(focus: Sequence[str], top: PaperEvidence) -> list[Ranked]:
    """Return the sentences nearest to the question by words and meaning: one, or two that are about as near."""
    scored = [(_share(focus, r) + _COSINE_SHARE * r.values["cosine"], r) for r in top.ranked]
    scored.sort(key=lambda pair: (-pair[0], pair[1].index))
    return [r for score, r in scored[:2] if score >= scored[0][0] - _NEARLY]


def _share(focus: Sequence[str], ranked: Ranked) -> float:
    stems = ranked.facts.stems
    return sum(max(match_strength(t, stems), 0.6 * bool(best_match(t, stems))) for t in focus) / max(1, len(focus))


def _denied(focus: Sequence[str], sentence: str) -> int:
    """Return how many words of the question stand right behind a denying word."""
    words = [(t.start, stem(t.text)) for t in tokens(sentence)]
    most = 0
    for match in _DENIES.finditer(sentence):
        behind = frozenset([s for start, s in words if start >= match.end() - 1][:_BEHIND])
        most = max(most, sum(match_strength(t, behind) >= _FORM for t in focus))
    return most
