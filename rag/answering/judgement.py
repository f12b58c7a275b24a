"""Evidence -> verdict: is there an answer, and if not, which of the five "no"s; with the probability that it is right.

Two logistic models: is anything here about this (`rag.retrieval.signal`, for questions that name no paper), and does
the paper's abstract tell what is asked (fitted on the dev half of the gold)? Rules decide only what the numbers can't
see: greetings, questions that point at nothing, names that occur nowhere, claims that belong to another paper.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rag.answering.asking import (
    Asked,
    asked,
    asks_for_figure,
    gives_name,
    is_absent,
    named_kind,
    seeks_paper,
    tells_figure,
)
from rag.answering.facets import is_silent
from rag.retrieval import signal
from rag.retrieval.evidence import Evidence, PaperEvidence
from rag.retrieval.question import Question
from rag.retrieval.ranking import speaks_of_code
from rag.text.matching import match_strength, stands_for
from rag.text.names import name_key
from rag.text.words import stem, tokens
from rag.types import Outcome

TOLD: Mapping[str, float] = {
    "unknown": -3.80,  # names that the library does not know, or knows from other papers (at most 2 count)
    "facet": -5.54,  # the abstract has no word of the thing that is asked for (see rag.answering.facets)
    "missing": -0.26,  # share of the question's words that the abstract does not speak of
    "absent": -1.16,  # nor of its noun (see rag.answering.asking)
    "unnamed": -3.00,  # it asks what things are called, and no name stands near them
    "figureless": -1.60,  # it asks for a figure: how little of what it asks stands beside one
    "sentence_cosine": 0.54,  # nearest sentence to the question without the paper's names
    "reason": 1.43,  # it asks why: abstracts nearly always tell
    "mechanism": 0.43,  # it asks how
    "length": 1.81,  # content words of the question: who describes much has read of it
    "unit": 2.20,  # one of the best sentences has a number in the unit that is asked for
}
TOLD_INTERCEPT = 1.99
# Probabilities below which a question is refused: a wrong refusal costs less than an answer that is none.
_ABOUT_AT_LEAST, _TOLD_AT_LEAST = 0.63, 0.72
_SOUGHT = 0.3  # where the reader describes a paper to have it named, the nearest one helps even if it may be another
_NAMELESS = 0.76  # unless the description holds a name that the library does not have
_LONG = 10  # content words of a question, from which on more make no difference
_FOUND = 0.65
_RARE = 0.055  # a general word that so small a share of the passages holds tells a paper all the same
_ATTRIBUTED = re.compile(r"\b(?:of|for|in|by|with|on|does|do|did|is|was|has)\s+(?:the\s+)?$", re.IGNORECASE)
_MEDDLES = re.compile(
    r"\b(?:system|hidden|initial|secret|developer) (?:prompts?|instructions?|messages?)\b|"
    r"\byour (?:own )?(?:prompts?|instructions?|rules|guidelines)\b",
    re.IGNORECASE,
)
_GREETS = re.compile(
    r"^\W*(?:hi|hello|hey|hiya|yo|good (?:morning|afternoon|evening|day|night)|greetings|howdy|thanks?|thank you|thx|"
    r"ty|cheers|bye|goodbye|see you|(?:great|nice|perfect|awesome|well done|wow)(?=\s*[,.!]))\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\?\s*$|\b(?:what|which|who|whose|how|why|where|when|is|are|does|do|did|can|could|tell|show|list|find|give|explain|"
    r"compare|summari[sz]e|describe|any|papers?|abstracts?)\b",
    re.IGNORECASE,
)
_TOPICAL = 0.35  # a message that is about something here with such a probability has a topic
_BRIEF = 12  # words of a message that only greets or thanks
_POINTS = re.compile(
    r"\b(?:it|its|that|this|they|them|their|those|these|he|she|"
    r"the (?:paper|model|method|framework|approach|one|part|system|other|authors|first|second|study|effect|"
    r"experiments?|results?|drop|gain|increase|decrease|improvement)|both|here)\b",
    re.I,
)
_VAGUE_WORDS = frozenset(
    stem(w)
    for w in """
        better best baseline performance performances perform performs accuracy accurate training train
        speed fast faster number data dataset datasets benchmark benchmarks code open source available
        release part reasoning memory summarise summarize summary overview good bad useful improvement
        improve compare comparison gain agent language image images quality efficiency efficient size help
        important limitations contribution contributions novelty key evaluation task tasks conclusion
        conclusions topic interesting explain metric metrics score scores parameters cost details numbers
        video llm llms vlm vlms mllm mllms large visual vision multimodal strategy need needs outperform
        state art sota impressive drop error errors effect effects hold holds bigger larger smaller study
        studies part took take participants participant result results finding findings experiment experiments
        happen happened increase decrease beat beats beaten win wins surpass exceed
    """.split()
)


@dataclass(frozen=True, slots=True)
class _Nearness:
    """How near a question has to be to its best paper, and how much nearer than to the next."""

    cosine: float
    gap: float


_DESCRIBES = _Nearness(0.42, 0.14)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to answer and how sure that is: `probability` that this outcome is right."""

    outcome: Outcome
    probability: float
    reason: Literal["", "greeting", "empty", "pointing", "unknown_name", "far", "silent", "language"] = ""


def judge(evidence: Evidence) -> Verdict:
    """Decide whether the evidence answers the question, or which kind of "no" it is."""
    question = evidence.question
    if question.kind == "smalltalk":
        return Verdict("smalltalk", 0.98, "greeting")
    if question.kind == "empty":
        return Verdict("too_vague", 0.98, "empty")
    top = evidence.best
    if top is None:
        return Verdict("not_in_corpus", 0.9, "far")
    named = evidence.names_paper
    if _MEDDLES.search(question.text) and not named:
        return Verdict("not_in_corpus", 0.9, "far")
    if _is_courtesy(evidence):
        return Verdict("smalltalk", 0.9, "greeting")
    if not named and _points_at_nothing(evidence, top):
        return Verdict("too_vague", 0.8, "pointing")
    if named and _shared_name_alone(evidence):
        return Verdict("too_vague", 0.7, "pointing")
    about = _about(evidence, top)
    if _asks_about_stranger(evidence, top) or about < _least(evidence):
        return Verdict("not_in_corpus", max(1 - about, 0.6), "unknown_name" if evidence.unknown_names else "far")
    told = told_probability(evidence, top)
    if told < _TOLD_AT_LEAST:
        return Verdict("abstract_silent", about * (1 - told), "silent")
    return Verdict("answered", about * told)


def _is_courtesy(evidence: Evidence) -> bool:
    """Tell whether a message greets or thanks and asks nothing: "good morning! thx for the help yesterday"."""
    text = evidence.question.text
    if len(text.split()) > _BRIEF or not _GREETS.match(text) or _ASKS.search(text):
        return False
    # "Hello world models" has a topic.
    return not (evidence.mentions or evidence.unknown_names) and (
        evidence.carried is not None or signal.about(evidence) < _TOPICAL
    )


def _about(evidence: Evidence, top: PaperEvidence) -> float:
    """Return the probability that the best paper is about the question."""
    named = evidence.names_paper
    # A name alone ("CoA?") is too little to measure how near the paper is.
    if evidence.carried or owns_name(top) or (named and not evidence.question.focus) or evidence.names_alone:
        return 0.95
    about = signal.about(evidence)
    described = top.cosine >= _DESCRIBES.cosine and evidence.gap >= _DESCRIBES.gap
    if not named and evidence.unknown_names and described and not _asks_about_unknown(evidence):
        about = max(about, _FOUND)  # a paper that is described well, asked about a name that it does not have
    return about


def _least(evidence: Evidence) -> float:
    """Return how surely a paper has to be about a question."""
    if evidence.names_paper or not seeks_paper(evidence.question.text):
        return _ABOUT_AT_LEAST
    return _NAMELESS if evidence.unknown_names else _SOUGHT


def _asks_about_stranger(evidence: Evidence, top: PaperEvidence) -> bool:
    """Tell whether a question is about a name that the library does not have, and names no title that it has."""
    titled = any(m.tells and m.names(top.paper.title) for m in top.names)
    return _asks_about_unknown(evidence) and not (evidence.carried or titled)


def _asks_about_unknown(evidence: Evidence) -> bool:
    """Tell whether a name that the library does not have is what the question is about, not one thing it asks for.

    "Recall on Corel of Attend?" is about Attend, if that is here.
    """
    text = evidence.question.text
    if any(m.tells and _ATTRIBUTED.search(text, 0, m.start) for m in evidence.mentions):
        return False
    return any(
        re.search(rf"(?:^\W*|\b(?:does|do|did|is|are|was|were|can|of|has)\s+(?:the\s+)?){re.escape(name)}", text)
        for name in evidence.unknown_names
    )


def told_probability(evidence: Evidence, top: PaperEvidence) -> float:
    """Return the probability that a paper's abstract tells what is asked."""
    question = evidence.question
    if question.expects == "address" and not any(speaks_of_code(r.facts.sentence.text) for r in top.ranked):
        return 0.05
    if seeks_paper(question.text):
        return 0.95
    if not question.focus and not question.numbers and not is_silent(question.text, top.paper.abstract):
        return 0.95
    return _weigh(TOLD, TOLD_INTERCEPT, told_features(evidence, top))


def _shared_name_alone(evidence: Evidence) -> bool:
    """Tell whether a question is about a name that two papers have for their own, with nothing to tell which."""
    names = [m for m in evidence.mentions if m.tells]
    shared = len(names) == 1 and names[0].owned and len(names[0].papers) > 1 and evidence.carried is None
    asks = evidence.question.expects not in ("overview", "meaning", "anything", "name")
    return shared and asks and all(t in _VAGUE_WORDS for t in evidence.question.focus)


def told_features(evidence: Evidence, top: PaperEvidence) -> dict[str, float]:
    """Return what tells whether a named paper's abstract says what is asked, by the names of `TOLD`."""
    question = evidence.question
    thing = asked(question.text, [(m.start, m.end) for m in top.names if m.tells])
    return {
        "unknown": float(min(2, len(evidence.unknown_names) + _strangers(evidence, top))),
        "facet": float(is_silent(question.text, top.paper.abstract)),
        "missing": len(top.missing) / len(question.focus) if question.focus else 0.0,
        "absent": float(_lacks_thing(thing, top)),
        "unnamed": float(_lacks_names(question.text, top)),
        "figureless": _lacks_figure(question, thing, top),
        "sentence_cosine": top.sentence_cosine,
        "reason": float(question.expects == "reason"),
        "mechanism": float(question.expects == "mechanism"),
        "length": min(_LONG, len(question.focus)) / _LONG,
        "unit": max((r.values["unit"] for r in top.ranked[:2]), default=0.0),
    }


def _strangers(evidence: Evidence, top: PaperEvidence) -> int:
    """Return how many names of the question are other papers' and do not stand in this one, not even spelt out."""
    text = f"{top.paper.title} {top.paper.abstract}"
    words = {name_key(word) for word in re.findall(r"[^\W_]+(?:-[^\W_]+)*", text)}
    words |= {
        part for word in re.findall(r"[^\W_]+", text) for part in (name_key(word), name_key(word.removesuffix("s")))
    }
    spelt = [m for m in evidence.foreign if m.name[:2].isupper() and stands_for(m.name, text)]
    return sum(not (m in spelt or m.key in words) for m in evidence.foreign)


def _lacks_thing(thing: Asked | None, top: PaperEvidence) -> bool:
    stems = frozenset(stem(t.text) for t in tokens(top.paper.title)).union(*(r.facts.stems for r in top.ranked))
    return thing is not None and is_absent(thing, stems)


def _lacks_names(text: str, top: PaperEvidence) -> bool:
    """Tell whether a question asks what things are called, and no sentence that speaks of them names any."""
    kind = named_kind(text)
    if not kind:
        return False
    known = {m.key for m in top.names} | {name_key(t.text) for t in tokens(text)}
    speaking = [r.facts for r in top.ranked if match_strength(kind, r.facts.stems) or r is top.ranked[0]]
    return not any(gives_name(facts.sentence.text, known) for facts in speaking)


def _lacks_figure(question: Question, thing: Asked | None, top: PaperEvidence) -> float:
    """Return how little of what is asked for stands beside a number, 0-1; 0 where it asks for no number."""
    if question.expects != "number" and not asks_for_figure(question.text, thing):
        return 0.0
    return 1.0 - max((tells_figure(r.facts.sentence.text, thing, question.focus) for r in top.ranked), default=0.0)


def owns_name(top: PaperEvidence) -> bool:
    """Tell whether a question has a name that its best paper has for its own."""
    return any(m.tells and (m.owned or m.names(top.paper.title)) for m in top.names)


def _weigh(weights: Mapping[str, float], intercept: float, values: Mapping[str, float]) -> float:
    return 1 / (1 + math.exp(-(intercept + sum(weights[k] * values[k] for k in weights))))


def _points_at_nothing(evidence: Evidence, top: PaperEvidence) -> bool:
    """Tell whether a question has too little in it to tell one paper from another."""
    question = evidence.question
    telling = [t for t in question.focus if t not in _VAGUE_WORDS or 0 < evidence.spread[t] <= _RARE]
    if not telling and not question.numbers:
        return not evidence.unknown_names
    if not any(evidence.spread[t] for t in telling) and not _POINTS.search(question.text):
        return False  # words that no abstract has: that is nothing here, not too little
    points = bool(_POINTS.search(question.text))
    few = len(telling) <= (2 if points else 1)
    return few and evidence.gap < 0.1 and top.sentence_cosine < 0.45 and not evidence.unknown_names
