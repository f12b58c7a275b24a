"""Which sentences of an abstract answer a question: features of each sentence, weighed by a logistic model.

The weights are fitted on the dev half of the gold (`python -m tests.benchmarks.fit`), labels being the sentences that hold a
must-have fact.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.retrieval.question import Question
from rag.text.matching import coverage, match_strength, rarity
from rag.text.names import coined_names, name_key
from rag.text.sentences import Sentence, sentences
from rag.text.words import NUMBER_WORDS, STOPWORDS, content_stems, stem, tokens

_URL = re.compile(r"https?://")
_CODE = re.compile(
    r"\b(?:code|data|models?|weights|demo)\b.{0,60}\b(?:available|provided|released?|open)\b|https?://|\bopen-source\b",
    re.I,
)
_REASON = re.compile(
    r"\bbecause\b|\bdue to\b|\bstems?\b|\bsince\b|\blead(?:s|ing) to\b|\bconstrained by\b|\blimit|\bchallenge|\bhowever\b|"
    r"\bfails?\b|\bsuffer|\bneglect|\boverlook|\bto (?:address|avoid|prevent|bridge|overcome|mitigate)\b|\bhinder|\bas (?:they|it)\b|"
    r"\bbottleneck|\bowing\b|\bthereby\b|\bthanks to\b|\brequiring\b|\bcannot\b|\binstead of\b|\bresulting in\b|\bimpos",
    re.I,
)
_MECHANISM = re.compile(
    r"\bby \w+ing\b|\bvia\b|\bthrough\b|\bleverag|\busing\b|\bwhich \w+s\b|\bconsists? of\b|\bcomponents?\b|"
    r"\bwe (?:design|introduce|propose|develop|present|integrate|employ)\b|\bwith\b.*\bto\b|\bcombin|\bdecoupl|\bframework\b|"
    r"\bmechanism\b|\bconvert|\btransfer|\btrain(?:ed|s)?\b|\bguid",
    re.I,
)
_RESULT = re.compile(r"\b(?:experiments?|results?|outperform|achiev|improv|evaluat|demonstrat|show)\w*\b", re.I)
_INTRODUCES = re.compile(
    r"\b(?:we|this paper|this work)\b.{0,30}\b(?:introduc|propos|present|develop|reformulat|release)\w*|\btermed\b|\bwe (?:term|refer)\b",
    re.I,
)
_PERCENT_ASKED = re.compile(
    r"\bpercent|%|\bshare\b|\bfraction\b|\baccurac|\brate\b|\bproportion\b|\bcut\b|\breduc|\bgain\b|\bimprov|\bshrink|\bsave|"
    r"\bhow (?:good|well)\b|\bbudget\b",
    re.I,
)
_TIMES_ASKED = re.compile(
    r"\bfast|\bspeed|\bquick|\btimes\b|\bfactor\b|\bslow|\bacceler|\bmultiple\b|\bx\b|\bhigher\b", re.I
)
_COUNT_ASKED = re.compile(r"\bhow (?:many|mny)\b|\bnumber of\b|\bcount\b", re.I)
_PERCENT = re.compile(r"\d\s?%")
_TIMES = re.compile(r"\d\s?×|\d\s?x\b|\btimes\b|\d-fold\b")
_COUNTED = re.compile(r"(?<![\w-])\d[\d,.]*(?:[-–]\d+)?\s?(?:%|×|x\b|\+|M\b|B\b|K\b|\s|$|[.,;)])")
_HEAD = re.compile(r"\b(?:which|what|whose)\s+(?:(?:kind|type|sort|two|three|\w+ing)\s+(?:of\s+)?)?([a-z][\w-]+)", re.I)
# Where a helping verb or a preposition shows the end of the noun phrase, its last word is the thing.
_PHRASE = re.compile(
    r"\b(?:which|what|whose)\s+(?:(?:kind|type|sort)s?\s+of\s+)?(?:[a-z][\w-]+\s+){0,3}?([a-z][\w-]+)\s+"
    r"(?:does|do|did|is|are|was|were|can|could|has|have|had|will|would|should|may|must|of|in|for|on|to|with|by|from|at)\b",
    re.I,
)

WEIGHTS: Mapping[str, float] = {
    "cosine": 0.96,  # question and sentence vectors
    "cosine_rank": 0.80,  # 1 for the nearest sentence of the abstract, 0 for the farthest
    "covers": 1.43,  # share of the question's words, by their rarity in the library
    "covers_near": -1.32,  # the same of the better neighbour: then the neighbour is the answer
    "covers_here": 1.24,  # share of the question's words, by their rarity in this abstract
    "head": 0.42,  # the noun after "which"
    "name": 0.57,  # a name of the question that few sentences hold
    "number": 0.10,  # a number where one is asked for
    "unit": 1.63,  # and in the unit that is asked for
    "address": 0.89,
    "reason": 0.93,
    "mechanism": 1.03,
    "result": 0.33,
    "introduces": 0.69,
    "first": -1.68,  # abstracts open with what is known
    "last": -0.16,
    "new_name": 0.53,  # a name that the question does not have, where one is asked for
    "meaning": 2.47,  # a bracket at the name whose meaning is asked; set by hand, too few of the gold ask it
    "asked_number": 1.31,  # a number that the question has
}
INTERCEPT = -2.77


@dataclass(frozen=True, slots=True)
class Facts:
    """What a sentence holds that a question may ask for."""

    sentence: Sentence
    stems: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A sentence with the probability that it holds what was asked, and the features that say so."""

    facts: Facts
    index: int
    probability: float
    values: Mapping[str, float]


_REMEMBERED = 256  # abstracts, of some 20 KB each


@lru_cache(maxsize=_REMEMBERED)
def sentence_facts(abstract: str) -> tuple[Facts, ...]:
    """Return the sentences of an abstract with their words, numbers and names."""
    return tuple(
        Facts(s, frozenset(content_stems(s.text)), numbers_in(s.text), frozenset(n.key for n in coined_names(s.text)))
        for s in sentences(abstract)
    )


def sentence_texts(abstract: str) -> tuple[str, ...]:
    """Return the sentences of an abstract, in order."""
    return tuple(facts.sentence.text for facts in sentence_facts(abstract))


def numbers_in(text: str) -> frozenset[str]:
    """Return the numbers of a text as plain digits, number words included."""
    found = set()
    for token in tokens(text):
        match = re.match(r"\d+(?:\.\d+)?", token.text)
        if match:
            found.add(match.group())
        elif token.text in NUMBER_WORDS:
            found.add(NUMBER_WORDS[token.text])
    return frozenset(found)


def rank_sentences(
    question: Question,
    facts: Sequence[Facts],
    cosines: Sequence[float],
    weights: Mapping[str, float],
    names: Collection[str],
) -> list[Ranked]:
    """Return the sentences of one abstract, likeliest answer first.

    `weights` are the focus words' rarities in the library, `names` the keys of the names that the question mentions.
    """
    rows = features(question, facts, cosines, weights, names)
    ranked = [
        Ranked(fact, i, _logistic(INTERCEPT + sum(WEIGHTS[k] * v for k, v in row.items())), row)
        for i, (fact, row) in enumerate(zip(facts, rows, strict=True))
    ]
    return sorted(ranked, key=lambda r: (-r.probability, r.index))


def features(
    question: Question,
    facts: Sequence[Facts],
    cosines: Sequence[float],
    weights: Mapping[str, float],
    names: Collection[str],
) -> list[dict[str, float]]:
    """Return what speaks for each sentence as the answer, by the names of `WEIGHTS`, each about 0-1."""
    covers = [coverage(question.focus, weights, f.stems) for f in facts]
    local = {t: _rarity_here(t, facts) for t in question.focus}
    spread = {key: sum(key in name_key(f.sentence.text) for f in facts) for key in names}
    order = sorted(range(len(facts)), key=lambda i: (cosines[i], i))
    rank = {i: place / max(1, len(facts) - 1) for place, i in enumerate(order)}
    rows = []
    for i, fact in enumerate(facts):
        near = max((covers[j] for j in (i - 1, i + 1) if 0 <= j < len(facts)), default=0.0)
        named = [1 / spread[key] for key in names if spread[key] and key in name_key(fact.sentence.text)]
        row = {
            "cosine": cosines[i],
            "cosine_rank": rank[i],
            "covers": covers[i],
            "covers_near": near,
            "covers_here": coverage(question.focus, local, fact.stems),
            "name": max(named, default=0.0),
            "first": float(i == 0),
            "last": float(i == len(facts) - 1),
            "asked_number": float(bool(set(question.numbers) & fact.numbers)),
        }
        rows.append(row | _cues(question, fact, names))
    return rows


def _cues(question: Question, fact: Facts, names: Collection[str]) -> dict[str, float]:
    text, expects = fact.sentence.text, question.expects
    asked = asked_thing(question.text)
    return {
        "head": match_strength(asked, fact.stems) if asked else 0.0,
        "number": float(expects == "number" and bool(fact.numbers)),
        "unit": _unit(question.text, text) if expects == "number" and fact.numbers else 0.0,
        "address": float(expects == "address") * (1.0 if _URL.search(text) else 0.7 if _CODE.search(text) else 0.0),
        "reason": float(expects == "reason" and bool(_REASON.search(text))),
        "mechanism": float(expects in ("mechanism", "overview") and bool(_MECHANISM.search(text))),
        "result": float(expects in ("number", "yes_no") and bool(_RESULT.search(text))),
        "introduces": float(expects in ("overview", "mechanism", "name", "meaning") and bool(_INTRODUCES.search(text))),
        "new_name": float(expects == "name" and bool(fact.names - set(names))),
        "meaning": float(expects == "meaning" and "(" in text and bool(fact.names & set(names))),
    }


def asked_thing(question: str) -> str:
    """Return the stem of the noun behind "which" or "what": the kind of thing that is asked for; "" where there is none."""
    found = (pattern.search(question) for pattern in (_PHRASE, _HEAD))
    words = [match.group(1).lower() for match in found if match]
    return next((stem(word) for word in words if word not in STOPWORDS), "")


def _unit(question: str, text: str) -> float:
    if _TIMES_ASKED.search(question) and _TIMES.search(text):
        return 1.0
    if _PERCENT_ASKED.search(question) and _PERCENT.search(text):
        return 1.0
    return 0.5 if _COUNT_ASKED.search(question) and _COUNTED.search(text) else 0.0


def _rarity_here(term: str, facts: Sequence[Facts]) -> float:
    count = sum(match_strength(term, f.stems) > 0 for f in facts)
    return rarity(count, len(facts)) if count else 0.0


def speaks_of_code(text: str) -> bool:
    """Tell whether a text says where code, data or a demo are."""
    return bool(_CODE.search(text))


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))
