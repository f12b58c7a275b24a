"""Tell how likely a question takes for granted what its paper does not say, where no rule shows the contradiction.

A logistic model over how the question presumes ("why", "isn't it?", "always") and how one sentence of the abstract
stands against it (`rag.answering.conflicts`); that sentence is then shown. The rules of `rag.answering.premises`, which
can name what is wrong, come first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from rag.answering.conflicts import conflict, denies, without_tag
from rag.answering.denials import NEGATED
from rag.answering.supposing import is_unflattering, supposed_of
from rag.retrieval.evidence import Evidence, PaperEvidence
from rag.retrieval.ranking import Ranked, asked_thing
from rag.text.words import stem

PRESUMES: Mapping[str, float] = {
    "presumes": 2.97,  # it asks why, or gives a reason
    "tag": 3.82,  # "isn't it?"
    "how": 1.84,  # it asks how something was done
    "before": 1.32,  # a statement before the question
    "much": 0.31,  # it asks how much, by how far
    "denies": -0.65,  # it denies something itself: what an abstract denies is then the answer
    "named": 0.99,  # it names its paper
    "absolute": 1.04,  # a superlative or an "always" that the abstract does not have
    "unflattering": 2.77,  # it supposes that the paper's own work fails or is worse, and the abstract has no such word
    "unknown": 1.37,  # a name that the library does not have
}
# Of the sentence that stands against the question most.
AGAINST: Mapping[str, float] = {
    "cosine": 0.17,  # how near it is
    "share": 1.17,  # of the question's words
    "denied": 1.93,  # words of the question that a denial reaches
    "equal": 1.02,  # no difference where the question has one
    "turned": 1.64,  # a rise where it has a fall
    "asked": 0.67,  # a denial reaches the thing that is asked for
    "presumed": 1.61,  # the strongest way, as far as the question presumes
}
PRESUMES_INTERCEPT = -5.18
DOUBTED = 0.55  # probability from which a correction is right often enough: of questions whose paper took no part in
# the fit, 38 of 41 were
CONCRETE = 0.4  # how strongly a sentence stands against a question that only describes its paper
_HOW_PRESUMES, _MUCH_PRESUMES = 0.7, 0.5  # how far such questions presume, beside a "why"
_ABSOLUTE = re.compile(
    r"(?<!what's the )(?<!what is the )(?<!which )\b(?:always|never|best|worst|only|first(?! place)|ever|simply|"
    r"prove[nd]?|entirely|completely|fully|guarantee\w*|(?!interest|request|suggest|latest)[a-z]{4,}est)\b",
    re.IGNORECASE,
)
_PRESUMING = re.compile(
    r"\b(?:why|how come|since|given|because|explain|reason|as the|(?<!of )what (?:makes|made))\b", re.IGNORECASE
)
_HOW = re.compile(r"\bhow (?:did|do|does|is|are|was|were)\b", re.IGNORECASE)
_MUCH = re.compile(r"\b(?:how|by how) (?:much|many|far|big|large|strongly|fast|often|long)\b", re.IGNORECASE)
_TAG = re.compile(
    r"\b(?:is|does|do|are|was|did)n['’]?t (?:it|they|that|he|she|we)\b|[,-] (?:right|correct)\s*\?|\bno\s*\?",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"^\W*(?!(?:i|i['’]d|i['’]m|we|my|our|you|hi|hey|please)\b)(?:(?!\b(?:how|why|which|what|who|where|when)\b).)+"
    r"[;,.-]\s*(?:how|why|which|what)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Presumption:
    """How likely a question presumes what its paper does not say, and the sentence that stands against it most."""

    probability: float
    strength: float
    against: Ranked


def presumption(evidence: Evidence, top: PaperEvidence) -> Presumption:
    """Weigh how a question presumes and how each sentence of its paper stands against it."""
    values = question_features(evidence, top)
    score = PRESUMES_INTERCEPT + sum(weight * values[key] for key, weight in PRESUMES.items())
    found = [(against_features(evidence, top, ranked, values), ranked) for ranked in top.ranked]
    scored = [(sum(weight * f[key] for key, weight in AGAINST.items()), f, ranked) for f, ranked in found]
    most, features, against = max(scored, key=lambda row: (row[0], -row[2].index))
    return Presumption(1 / (1 + math.exp(-(score + most))), features["presumed"], against)


def question_features(evidence: Evidence, top: PaperEvidence) -> dict[str, float]:
    """Return how a question presumes, by the names of `PRESUMES`."""
    text = evidence.question.text
    stems = frozenset[str]().union(*(r.facts.stems for r in top.ranked))
    return {
        "presumes": float(bool(_PRESUMING.search(text))),
        "tag": float(bool(_TAG.search(text))),
        "how": float(bool(_HOW.search(text))),
        "before": float(bool(_STATEMENT.search(text))),
        "much": float(bool(_MUCH.search(text))),
        "denies": float(bool(NEGATED.search(without_tag(text)))),
        "named": float(evidence.names_paper),
        "absolute": float(any(stem(m.group().lower()) not in stems for m in _ABSOLUTE.finditer(text))),
        "unflattering": float(
            any(is_unflattering(s, top.paper) and _names(s, top) for s in supposed_of(evidence, top))
        ),
        "unknown": float(bool(evidence.unknown_names)),
    }


def against_features(
    evidence: Evidence, top: PaperEvidence, ranked: Ranked, asked: Mapping[str, float]
) -> dict[str, float]:
    """Return how a sentence stands against a question whose own features are known, by the names of `AGAINST`."""
    text, said = evidence.question.text, ranked.facts.sentence.text
    found = conflict(text, [(m.start, m.end) for m in evidence.mentions if m.tells], said, top.paper.abstract)
    spoken, thing = min(1.0, 0.3 + found.share), asked_thing(text)
    presumes = max(
        asked["presumes"], asked["tag"], asked["before"], _HOW_PRESUMES * asked["how"], _MUCH_PRESUMES * asked["much"]
    )
    return {
        "cosine": ranked.values["cosine"],
        "share": found.share,
        "denied": found.denied * spoken,
        "equal": found.equal,
        "turned": found.turned * spoken,
        "asked": float(bool(thing) and denies(thing, said)),
        "presumed": presumes * found.strength,
    }


def _names(said: str, top: PaperEvidence) -> bool:
    return any(m.typed in said for m in top.names)
