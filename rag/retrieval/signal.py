"""Evidence -> the probability that something in the library is about the question. Pure.

A logistic model of what both sides of the search say. Its features don't grow with the library: cosines are taken
against those of the next papers, words against what a passage that holds all of them would score. It is fitted over
libraries of 20 to 5,453 abstracts (`python -m tests.benchmarks.abstention`; `docs/retrieval.md` has the figures).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from rag.retrieval.evidence import Evidence, PaperEvidence

# The model is fitted with yes and no weighing the same; here a yes is taken to be seven times as frequent as a no.
_PRIOR = math.log(7)
_NEIGHBOURS = 10  # papers after the best whose cosines tell how near anything of this field is
_TELLING = 3  # digits of a number that tells one paper from another
_LONG = 10  # content words of a question, from which on more make no difference


@dataclass(frozen=True, slots=True)
class _Model:
    """Weights of features and their intercept."""

    weights: Mapping[str, float]
    intercept: float

    def probability(self, values: Mapping[str, float]) -> float:
        """Return the probability that the weighed features give."""
        total = self.intercept + _PRIOR + sum(weight * values[name] for name, weight in self.weights.items())
        return 1 / (1 + math.exp(-total))


BOTH = _Model(
    {
        "cosine": 0.80,  # of the best paper
        "lift": 3.30,  # and above the mean of the next ones
        "sentence": 1.88,  # cosine of its nearest sentence
        "words": -0.81,  # its BM25 as a share of what a passage with all the question's words would have
        "words_lead": 1.38,  # and above the next one's
        "standing_out": 4.39,  # its BM25 share, times its fused score above the mean of the next ones
        "covered": 1.37,  # share of the question's words that its abstract speaks of in any form, by rarity
        "number": 2.10,  # it has a number of the question, of three digits or more
        "named": 2.24,  # the question has one of its names
        "unknown": -1.34,  # names that the library does not know (at most 2 count)
        "strange": -0.84,  # a lower-case word that neither the library nor the dictionary has
        "length": 1.88,  # content words of the question: of long ones a paper holds a smaller share
    },
    -4.60,
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
    return (BOTH if evidence.cosine else LEXICAL).probability(features(evidence, evidence.best))


def features(evidence: Evidence, best: PaperEvidence) -> dict[str, float]:
    """Return what tells whether a paper is about a question, by the names of `BOTH`."""
    rest = sorted((value for paper, value in evidence.cosine.items() if paper != best.paper.id), reverse=True)
    nearest = rest[:_NEIGHBOURS]
    words = evidence.words.get(best.paper.id, 0.0)
    others = max((share for paper, share in evidence.words.items() if paper != best.paper.id), default=0.0)
    numbers = {number for number in evidence.question.numbers if len(number) >= _TELLING}
    return {
        "cosine": best.cosine,
        "lift": best.cosine - (sum(nearest) / len(nearest) if nearest else 0.0),
        "sentence": best.sentence_cosine,
        "words": words,
        "words_lead": words - others,
        "standing_out": words * evidence.lead,
        "covered": best.covered,
        "named": float(evidence.names_paper),
        "unknown": float(min(2, len(evidence.unknown_names))),
        "strange": float(bool(evidence.strange)),
        "number": float(any(numbers & ranked.facts.numbers for ranked in best.ranked)),
        "length": min(_LONG, len(evidence.question.focus)) / _LONG,
    }
