"""Which sentences of an abstract answer a question: features of each sentence, weighed by a conditional logit model.

The probabilities of an abstract's sentences add up to 1. The weights are fitted on the dev half of the gold
(`python -m tests.benchmarks.fit`), labels being the sentences that hold a must-have fact.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rag.retrieval.question import Question
from rag.text.counting import counted_thing, counts
from rag.text.matching import coverage, match_strength, rarity, stands_for
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
_SPAN_ASKED = re.compile(
    r"\bhow long\b|\bhow many (?:hours|days|weeks|months|years|minutes|seconds)\b|\bdurations?\b", re.I
)
_SPAN = re.compile(
    r"\d[\d.,]*[ -]?(?:ms|milliseconds?|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?)\b", re.I
)
_AGE_ASKED = re.compile(r"\bhow (?:old|young)\b|\bages?\b", re.I)
_AGE = re.compile(r"\bage[sd]?\b|\byears? old\b|\d[ -]years?\b", re.I)
_ACRONYM = 6  # letters
_HEAD = re.compile(r"\b(?:which|what|whose)\s+(?:(?:kind|type|sort|two|three|\w+ing)\s+(?:of\s+)?)?([a-z][\w-]+)", re.I)
# Where a helping verb or a preposition shows the end of the noun phrase, its last word is the thing.
_PHRASE = re.compile(
    r"\b(?:which|what|whose)\s+(?:(?:kind|type|sort)s?\s+of\s+)?(?:[a-z][\w-]+\s+){0,3}?([a-z][\w-]+)\s+"
    r"(?:does|do|did|is|are|was|were|can|could|has|have|had|will|would|should|may|must|of|in|for|on|to|with|by|from|at)\b",
    re.I,
)

# What was there before the paper, and two things set against each other.
_EARLIER_ASKED = re.compile(
    r"\b(?:previous|prior|earlier|existing|current|others?|conventional|traditional|usual\w*|so far|before|until now|old(?:er)?|"
    r"standard|customary|normal\w*|typical\w*|known)\b",
    re.I,
)
_EARLIER = re.compile(
    r"\b(?:previous\w*|prior|earlier|existing|current\w*|conventional\w*|traditional\w*|usual\w*|so far|recent\w*|old(?:er)?|"
    r"standard|customar\w+|typical\w*|most|has long|state[- ]of[- ]the[- ]art|until)\b",
    re.I,
)
_CONTRAST_ASKED = re.compile(
    r"\b(?:from what|instead|compared|versus|vs|without|before and after|against|than|rather|differ\w*)\b", re.I
)
_CONTRAST = re.compile(
    r"\bfrom\b.{0,40}\bto\b|\bfalls?\b|\brais\w+|\b(?:against|instead of|rather than|unlike|than)\b", re.I
)
# A set of things and its enumeration: "which three stages", "name the parts"; "(1) ... and (2) ...", "a, b, and c".
_SEVERAL = r"(?:modules?|components?|parts?|stages?|phases?|steps?|kinds?|types?|categor\w+|families|agents?|ingredients?|terms?|pieces?|factors?|tasks?|sorts?|tracks?|settings?|levels?|pillars?|aspects?|dimensions?|reasons?|challenges?|questions?|enhancements?|contributions?|datasets?|benchmarks?|languages?|models?)"
_LIST_ASKED = re.compile(
    rf"\b(?:what|which|name|list|give)\b.{{0,30}}\b(?:two|three|four|five|six|seven|\d|all|are|does|do)\b.{{0,40}}\b{_SEVERAL}\b"
    rf"|\b(?:what|which) (?:\w+ )?(?:modules|components|parts|stages|phases|steps|kinds|types|categories|families|agents|ingredients|"
    r"pieces|factors|tasks|sorts|settings|levels|pillars|aspects|dimensions|challenges|enhancements|datasets|benchmarks|languages)\b"
    rf"|\b(?:name|list)\b.{{0,40}}\b{_SEVERAL}\b",
    re.I,
)
_LIST = re.compile(
    r"\((?:1|a|i)\)|\b(?:i|1)\)|\bfirst\b.*\bsecond\b|\bone\b.*\b(?:other|another|two)\b|\b(?:two|three|four|five|six)\b[^.]{0,60}:|"
    r"\b(?:consist\w*|compris\w*|compos\w*|includ\w*|namely|integrat\w*|combin\w*)\b|:\s|[\w)-]+, [^,.]{3,40}, and \b|\bboth\b.*\band\b",
    re.I,
)
_LACK_ASKED = re.compile(
    r"\b(?:wrong|problems?|issues?|weak\w*|limit\w*|drawbacks?|shortcomings?|downsides?|fail\w*|suffers?|struggles?|hard|"
    r"difficult\w*|challeng\w*|bad|lacks?|lacking|missing|bottlenecks?|obstacles?|flaws?|trouble|gap|catch)\b",
    re.I,
)
_LACK = re.compile(
    r"\b(?:however|but|yet|unfortunately|challeng\w*|difficult\w*|limit\w*|bottleneck\w*|suffer\w*|fail\w*|lack\w*|"
    r"remains?|underexplored|unclear|neglect\w*|ignor\w*|overlook\w*|expensive|prohibitive|struggl\w*|hinder\w*|costly|"
    r"problems?|vulnerab\w+|brittle|poor\w*|inefficien\w*|weak\w*|unreliable|breaks? down|at the (?:price|cost)|cannot|"
    r"no longer|instab\w+|degrad\w+|loss|inherit|bias\w*)\b",
    re.I,
)
_FIGURE_ASKED = re.compile(
    r"\b(?:scores?|accurac\w+|speed-?ups?|percent\w*|rates?|f1|auc|bleu|ece|psnr|metrics?|results?|improvements?|gains?|"
    r"perform\w*|numbers?|figures?|how (?:good|well|much|many|big|large|fast|often))\b",
    re.I,
)
_FIGURE = re.compile(r"\d\s?\\?%|\d\s?[×x]\b|\b\d+\.\d+\b|\bpoints?\b|\btimes\b|\btwice\b|\bhalf\b", re.I)
_TESTS_ASKED = re.compile(
    r"\b(?:test(?:ed|s|ing|bed)?|evaluat\w+|benchmarks?|datasets?|data sets?|tried|validated|experiments?|experimented|"
    r"environments?|tasks|simulat\w+)\b",
    re.I,
)
_TESTS = re.compile(
    r"\b(?:evaluat\w+|tested|benchmarks?|datasets?|data sets?|experiments?|experimental|validat\w+|simulat\w+|"
    r"environments?|empirical\w*)\b",
    re.I,
)

WEIGHTS: Mapping[str, float] = {
    "cosine": 1.22,  # question and sentence vectors
    "cosine_rank": 0.40,  # 1 for the nearest sentence of the abstract, 0 for the farthest
    "bare": 1.22,  # the same without the paper's names
    "bare_rank": 1.25,
    "covers": 1.10,  # share of the question's words, by their rarity in the library
    "covers_here": 1.40,  # and by their rarity in this abstract
    "head": 0.80,  # the noun after "which"
    "name": 0.95,  # a name of the question that few sentences hold
    "number": 1.43,  # a number where one is asked for
    "unit": 1.36,  # and in the unit that is asked for
    "address": 1.50,  # set by hand, as too few of the gold ask it
    "reason": 1.14,
    "mechanism": 1.32,
    "first": -1.45,  # abstracts open with what is known
    "last": -0.74,
    "place": 1.59,  # 0 for the first sentence, 1 for the last: what is found stands late
    "meaning": 0.63,  # a bracket at the name whose meaning is asked
    "asked_number": 0.39,  # a number that the question has
    "spelt_out": 0.85,  # the words behind an acronym of the question
    "earlier": 1.45,  # what was there before, where it is asked for
    "contrast": 0.97,
    "list": 0.49,  # an enumeration, where several things are asked for
    "lack": 0.46,  # what is wrong or missing, where that is asked for
    "figure": 1.12,  # a measured number, where a score or a result is asked for
    "tests": 0.66,  # on what it was tried, where that is asked
    "defines": 1.57,  # a bracket with an acronym of the question
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What a sentence holds that a question may ask for."""

    sentence: Sentence
    stems: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A sentence with the probability that it, of all in its abstract, tells what was asked, and the features for it."""

    facts: Facts
    index: int
    probability: float
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Cosines:
    """Nearness of each sentence to the question, and to the question without the paper's names."""

    whole: Sequence[float]
    bare: Sequence[float]


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
    cosines: Cosines,
    weights: Mapping[str, float],
    names: Collection[str],
) -> list[Ranked]:
    """Return the sentences of one abstract, likeliest answer first.

    `weights` are the focus words' rarities in the library, `names` the keys of the names that the question mentions.
    """
    rows = features(question, facts, cosines, weights, names)
    scores = [sum(weight * row[key] for key, weight in WEIGHTS.items()) for row in rows]
    ranked = [
        Ranked(fact, i, probability, row)
        for i, (fact, row, probability) in enumerate(zip(facts, rows, _softmax(scores), strict=True))
    ]
    return sorted(ranked, key=lambda r: (-r.probability, r.index))


def features(
    question: Question,
    facts: Sequence[Facts],
    cosines: Cosines,
    weights: Mapping[str, float],
    names: Collection[str],
) -> list[dict[str, float]]:
    """Return what speaks for each sentence as the answer, by the names of `WEIGHTS`, each about 0-1."""
    local = {t: _rarity_here(t, facts) for t in question.focus}
    spread = {key: sum(key in name_key(f.sentence.text) for f in facts) for key in names}
    whole_places, bare_places = _places(cosines.whole), _places(cosines.bare)
    last = max(1, len(facts) - 1)
    rows = []
    for i, fact in enumerate(facts):
        named = [1 / spread[key] for key in names if spread[key] and key in name_key(fact.sentence.text)]
        row = {
            "cosine": cosines.whole[i],
            "cosine_rank": whole_places[i],
            "bare": cosines.bare[i],
            "bare_rank": bare_places[i],
            "covers": coverage(question.focus, weights, fact.stems),
            "covers_here": coverage(question.focus, local, fact.stems),
            "name": max(named, default=0.0),
            "first": float(i == 0),
            "last": float(i == len(facts) - 1),
            "place": i / last,
            "asked_number": float(bool(set(question.numbers) & fact.numbers)),
        }
        rows.append(row | _cues(question, fact, names))
    return rows


def _places(values: Sequence[float]) -> list[float]:
    """Return the place of each value among all, 0 for the least and 1 for the greatest."""
    order = sorted(range(len(values)), key=lambda i: (values[i], i))
    place = {i: n / max(1, len(values) - 1) for n, i in enumerate(order)}
    return [place[i] for i in range(len(values))]


def _cues(question: Question, fact: Facts, names: Collection[str]) -> dict[str, float]:
    text, expects, asks = fact.sentence.text, question.expects, question.text
    thing = asked_thing(asks)
    return {
        "head": match_strength(thing, fact.stems) if thing else 0.0,
        "number": float(expects == "number" and bool(fact.numbers)),
        "unit": _unit(asks, text) if expects == "number" and fact.numbers else 0.0,
        "address": float(expects == "address") * (1.0 if _URL.search(text) else 0.7 if _CODE.search(text) else 0.0),
        "reason": float(expects == "reason" and bool(_REASON.search(text))),
        "mechanism": float(expects in ("mechanism", "overview") and bool(_MECHANISM.search(text))),
        "meaning": float(expects == "meaning" and "(" in text and _speaks_of(asks, names, fact)),
        "spelt_out": float(any(a not in text and stands_for(a, text) for a in _acronyms(asks))),
        "earlier": float(bool(_EARLIER_ASKED.search(asks) and _EARLIER.search(text))),
        "contrast": float(bool(_CONTRAST_ASKED.search(asks) and _CONTRAST.search(text))),
        "list": float(bool(_LIST_ASKED.search(asks) and _LIST.search(text))),
        "lack": float(bool(_LACK_ASKED.search(asks) and _LACK.search(text))),
        "figure": float(bool(_FIGURE_ASKED.search(asks) and _FIGURE.search(text))),
        "tests": float(bool(_TESTS_ASKED.search(asks) and _TESTS.search(text))),
        "defines": float(any(f"({a}" in text for a in _acronyms(asks))),
    }


def _speaks_of(question: str, names: Collection[str], fact: Facts) -> bool:
    """Tell whether a sentence has a name that the question mentions, or one of its acronyms."""
    return bool(fact.names & set(names)) or any(f"({a}" in fact.sentence.text for a in _acronyms(question))


def _acronyms(question: str) -> list[str]:
    return [n.text for n in coined_names(question) if n.text.isupper() and len(n.text) <= _ACRONYM]


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
    if (_SPAN_ASKED.search(question) and _SPAN.search(text)) or (_AGE_ASKED.search(question) and _AGE.search(text)):
        return 1.0
    thing = counted_thing(question)
    if thing and counts(thing, text):
        return 1.0
    return 0.5 if _COUNT_ASKED.search(question) and _COUNTED.search(text) else 0.0


def _rarity_here(term: str, facts: Sequence[Facts]) -> float:
    count = sum(match_strength(term, f.stems) > 0 for f in facts)
    return rarity(count, len(facts)) if count else 0.0


def introduces(text: str) -> bool:
    """Tell whether a sentence says what its authors made."""
    return bool(_INTRODUCES.search(text))


def tells_why(text: str) -> bool:
    """Tell whether a sentence gives a reason or names a difficulty."""
    return bool(_REASON.search(text))


def tells_how(text: str) -> bool:
    """Tell whether a sentence says how something works."""
    return bool(_MECHANISM.search(text))


def tells_result(text: str) -> bool:
    """Tell whether a sentence says what came out."""
    return bool(_RESULT.search(text))


def speaks_of_code(text: str) -> bool:
    """Tell whether a text says where code, data or a demo are."""
    return bool(_CODE.search(text))


def _softmax(scores: Sequence[float]) -> list[float]:
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]
