"""Evidence -> the probability that something in the library is about the question. Pure.

Two logistic models, whose product it is: is the question of this library's field at all, and is its paper here? Their
features don't grow with the library: cosines are taken against those of the next papers, words against what a passage
that holds all of them would score, and how often they occur here against how common they are in general English. They
are fitted over libraries of 19 to 5,453 abstracts (`python -m tests.benchmarks.abstention`; `docs/retrieval.md` has the
figures).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from rag.retrieval.evidence import Evidence, PaperEvidence
from rag.text.matching import coverage
from rag.text.words import stem, tokens

# The models are fitted with yes and no weighing the same; here a yes is taken to be so many times as frequent as a no.
_HERE, _OF_FIELD = math.log(12), math.log(9)
_NEIGHBOURS = 10  # papers after the best whose cosines tell how near anything of this field is
_TELLING = 3  # digits of a number that tells one paper from another
_FULL = 1.2  # BM25 share from which on more makes no difference
_LONG = 10  # content words of a question, from which on more make no difference


@dataclass(frozen=True, slots=True)
class _Model:
    """Weights of features and their intercept."""

    weights: Mapping[str, float]
    intercept: float
    prior: float = _HERE

    def probability(self, values: Mapping[str, float]) -> float:
        """Return the probability that the weighed features give."""
        total = self.intercept + self.prior + sum(weight * values[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-total))


BOTH = _Model(
    {
        "cosine": -1.29,  # of the best paper
        "lift": 3.69,  # and above the mean of the next ones
        "sentence": 1.59,  # cosine of its nearest sentence
        "words": -0.05,  # its BM25 as a share of what a passage with all the question's words would have
        "words_lead": 1.57,  # and above the next one's
        "standing_out": 1.44,  # its BM25 share, times its fused score above the mean of the next ones
        "near_standing_out": 3.32,  # its cosine, times the same
        "sentence_covered": 3.29,  # cosine of its nearest sentence, times the share of the question's words it has
        "covered": 0.73,  # share of the question's words that its abstract speaks of in any form, by rarity
        "number": 2.67,  # it has a number of the question, of three digits or more
        "named": 2.96,  # the question has one of its names
        "unknown": -1.20,  # names that the library does not know (at most 2 count)
        "strange": -1.20,  # a lower-case word that neither the library nor the dictionary has
        "length": 1.55,  # content words of the question: of long ones a paper holds a smaller share
    },
    -4.47,
)
# Questions with a paper here against general knowledge and questions of another field.
FIELD = _Model(
    {
        "cosine": 12.38,
        "near": 5.66,  # cosine of the next papers, their mean
        "sentence": 5.30,
        "sentence_covered": 5.01,  # cosine of the nearest sentence, times the share of words that the paper speaks of
        "words_near": 3.38,  # BM25 share of the best paper, times its cosine
        "together": 1.33,  # share of the words that one sentence speaks of, by their rarity in general English
        "foreign": 1.16,  # least of: how much more often than in general English a word occurs here, its logarithm
        "absent": 2.54,  # share of the words that no abstract has, by the same rarity
        "number": 8.70,
        "named": 6.92,
        "unknown": -0.98,
        "strange": -1.29,
        "length": 5.42,
    },
    -10.95,
    _OF_FIELD,
)
# Where there are no vectors: the weights are not installed, or nothing is embedded yet.
LEXICAL = _Model(
    {
        "words": -1.03,
        "words_lead": 1.12,
        "standing_out": 5.98,
        "covered": 1.95,
        "number": 2.01,
        "named": 1.82,
        "unknown": -1.42,
        "strange": -0.87,
        "length": 2.69,
    },
    -4.07,
)


def about(evidence: Evidence) -> float:
    """Return the probability, 0-1, that the best paper found is about the question; 0 where none was found."""
    if evidence.best is None:
        return 0.0
    values = features(evidence, evidence.best)
    if not evidence.cosine:
        return LEXICAL.probability(values)
    return FIELD.probability(values) * BOTH.probability(values)


def features(evidence: Evidence, best: PaperEvidence) -> dict[str, float]:
    """Return what tells whether a paper is about a question, by the names of `BOTH`, `LEXICAL` and `FIELD`."""
    rest = sorted((value for paper, value in evidence.cosine.items() if paper != best.paper.id), reverse=True)
    nearest = rest[:_NEIGHBOURS]
    words = evidence.words.get(best.paper.id, 0.0)
    others = max((share for paper, share in evidence.words.items() if paper != best.paper.id), default=0.0)
    near = sum(nearest) / len(nearest) if nearest else 0.0
    numbers = {number for number in evidence.question.numbers if len(number) >= _TELLING}
    return {
        "cosine": best.cosine,
        "lift": best.cosine - near,
        "sentence": best.sentence_cosine,
        "words": words,
        "words_lead": words - others,
        "standing_out": words * evidence.lead,
        "near_standing_out": best.cosine * evidence.lead,
        "covered": best.covered,
        "named": float(evidence.names_paper),
        "unknown": float(min(2, len(evidence.unknown_names))),
        "strange": float(bool(evidence.strange)),
        "number": float(any(numbers & ranked.facts.numbers for ranked in best.ranked)),
        "length": min(_LONG, len(evidence.question.focus)) / _LONG,
        "near": near,
        "words_near": min(_FULL, words) * best.cosine,
        **_of_english(evidence, best),
    }


def _of_english(evidence: Evidence, best: PaperEvidence) -> dict[str, float]:
    """Return the features that weigh a question's words by how rare they are in general English."""
    focus, share = evidence.question.focus, evidence.ordinary
    if not focus or not share:
        return dict.fromkeys(("together", "foreign", "absent", "sentence_covered"), 0.0)
    weights = {t: -math.log(share[t]) for t in focus}
    title = frozenset(stem(t.text) for t in tokens(best.paper.title))
    whole = title.union(*(r.facts.stems for r in best.ranked))
    here = {t: evidence.spread[t] * evidence.passages for t in focus}
    covered = coverage(focus, weights, whole)
    return {
        "together": max((coverage(focus, weights, r.facts.stems) for r in best.ranked), default=0.0),
        "foreign": min(math.log((here[t] + 1) / (share[t] * evidence.passages + 1)) for t in focus),
        "absent": sum(weights[t] for t in focus if not here[t]) / sum(weights.values()),
        "sentence_covered": max((r.values["cosine"] for r in best.ranked), default=0.0) * covered,
    }
