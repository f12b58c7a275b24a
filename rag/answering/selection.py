"""Which sentences of a paper an answer shows, in which order, and from where on. Pure.

The fewest sentences among which the wanted fact very likely is, one at least for each thing that is asked; the one that
answers first. Words that only tie a sentence to the one before it ("Building on these insights,") are not quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.answering.asking import asked, asks_for_figure
from rag.retrieval.evidence import PaperEvidence
from rag.retrieval.question import Question
from rag.retrieval.ranking import Ranked, introduces, speaks_of_code, tells_how, tells_result, tells_why
from rag.retrieval.requests import is_order
from rag.text.matching import match_strength
from rag.text.words import content_stems

MAX_SENTENCES = 4
SUFFICIENT = 0.9  # probability that the wanted fact is among the sentences shown, at which they are enough
_ASKED_FOR = 0.5  # share of a question's words in a sentence that orders the reader about, which it then asks for
_LEAST, _CLAUSE = 4, 8  # words that are left of a sentence behind its opening, and before its outlook
_CLEAR = 0.5  # probability of a sentence from which on it is read first
_POINTING = r"(?:this|these|that|those|such|it)(?: [\w-]+){0,3}?"
_OPENING = re.compile(
    r"(?:however|moreover|furthermore|additionally|in addition|besides|also|finally|lastly|specifically|in particular"
    r"|concretely|more (?:specifically|precisely|concretely)|notably|importantly|consequently|therefore|thus|hence"
    r"|accordingly|as a result|to (?:this|that) end|towards? this (?:end|goal)|in response|meanwhile|on the other hand"
    r"|in contrast|by contrast|conversely|similarly|likewise|then|next|first(?:ly)?|second(?:ly)?|third(?:ly)?"
    r"|(?:to|in order to) (?:address|bridge|fill|close|overcome|tackle|mitigate|alleviate|solve|remedy|meet|resolve"
    rf"|answer|study|investigate) {_POINTING}|(?:building (?:up)?on|based on|motivated by|inspired by|guided by"
    rf"|driven by|given|in (?:light|view) of|on top of|beyond|with) {_POINTING}"
    r"|(?:here|in this (?:paper|work|study|article)))"
    r"(?: (?:also|here))?, +",
    re.IGNORECASE,
)
# What the authors make of it, at the end of a sentence; a figure or a condition in it is no outlook.
_OUTLOOK = re.compile(
    r", (?:thereby |thus |hence |further |ultimately )?(?:highlight|underscor|underlin|offer|pav|open|shed|provid|lay"
    r"|foster|establish|showcas|emphasi[sz]|contribut|advanc|aspir|facilitat|reinforc|confirm|demonstrat|illustrat)ing\b"
    r"(?![^.;]*\d)(?![^.;]*\b(?:not|no|only|if|unless|when|but|although|however|provided)\b)[^.;:]*\.$"
)
# A subject that the sentence before names, where the paper itself is no reading of it.
_DANGLING = re.compile(
    r"(?:this|these|those|such|both|that|the (?:former|latter|resulting|same))\b(?! (?:paper|work|study|article)\b)",
    re.IGNORECASE,
)


_QUANTITY = re.compile(
    r"\b(?:half|twice|double[sd]?|thirds?|quarters?|orders? of magnitude|linear\w*|quadratic\w*|sublinear\w*|constant|"
    r"logarithmic\w*|polynomial\w*|exponential\w*|several|many|few|no|zero|all|every|single)\b|[$\\]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Shown:
    """The part of a sentence that is shown, by offsets of the abstract, and what stands where words are left out."""

    start: int
    end: int
    before: str = ""
    after: str = ""


def chosen(evidence: PaperEvidence, most: int = MAX_SENTENCES, *, overview: bool = False) -> list[Ranked]:
    """Return the sentences that answer, in the order in which they are read."""
    if overview:
        return _overview(evidence, most)
    found = _enough(evidence, most)
    first = found[0]
    rest = sorted(found[1:], key=lambda r: r.index)
    before = next((r for r in evidence.ranked if r.index == first.index - 1), None)
    if before is not None and _dangles(first) and (before in rest or len(found) < min(most, 2)):
        return [before, first, *(r for r in rest if r is not before)]
    if first.probability < _CLEAR or any(_dangles(r) for r in rest):
        return sorted(found, key=lambda r: r.index)  # what "this" is stands right before it
    return [first, *rest]


def probability(evidence: PaperEvidence, most: int = MAX_SENTENCES) -> float:
    """Return how likely every wanted fact is among the sentences that are shown, 0-1."""
    found = {r.index for r in _enough(evidence, most)}
    return min(sum(r.probability for r in part if r.index in found) for part in evidence.parts)


def shown(ranked: Ranked, question: Question) -> Shown:
    """Return the part of a sentence that is quoted: without its opening, and without an outlook nobody asked for."""
    sentence = ranked.facts.sentence
    start, end = _opening(sentence.text), len(sentence.text)
    outlook = _OUTLOOK.search(sentence.text, start)
    if outlook and len(sentence.text[start : outlook.start()].split()) >= _CLAUSE:
        left_out = frozenset(content_stems(outlook.group()))
        if not any(match_strength(term, left_out) for term in question.focus):
            end = outlook.start()
    return Shown(
        sentence.start + start, sentence.start + end, "… " if start else "", " …" if end < len(sentence.text) else ""
    )


def _opening(text: str) -> int:
    """Return where the words end that only tie a sentence to the one before it."""
    match = _OPENING.match(text)
    return match.end() if match and len(text[match.end() :].split()) >= _LEAST else 0


def _enough(evidence: PaperEvidence, most: int) -> list[Ranked]:
    """Return the likeliest sentences of each thing asked, until each is likely enough among them."""
    parts = [_usable(part) for part in evidence.parts]
    if len(parts) == 1:
        parts = [_fitting(evidence.question, parts[0])]
    whole = [sum(r.probability for r in part) for part in parts]
    found: dict[int, Ranked] = {}
    while len(found) < most:
        held = [
            sum(r.probability for r in part if r.index in found) / all_of_it
            for part, all_of_it in zip(parts, whole, strict=True)
        ]
        least = min(range(len(parts)), key=lambda n: (held[n], n))
        more = next((r for r in parts[least] if r.index not in found), None)
        if more is None or (found and held[least] >= SUFFICIENT):
            break
        found[more.index] = more
    return list(found.values())


def _usable(ranked: Sequence[Ranked]) -> Sequence[Ranked]:
    """Return sentences without those that order the reader about, unless the question has their words."""
    return [r for r in ranked if not is_order(r.facts.sentence.text) or r.values["covers"] > _ASKED_FOR] or ranked


def _fitting(question: Question, ranked: Sequence[Ranked]) -> Sequence[Ranked]:
    """Return the sentences that can hold what is asked: a figure, or where the code is; all where none can."""
    if question.expects == "address":
        return [r for r in ranked if speaks_of_code(r.facts.sentence.text)] or ranked
    if question.expects == "number" and asks_for_figure(question.text, asked(question.text)):
        return [r for r in ranked if r.facts.numbers or _QUANTITY.search(r.facts.sentence.text)] or ranked
    return ranked


def _overview(evidence: PaperEvidence, most: int) -> list[Ranked]:
    """Return what a paper does, why, how and with what result, as far as its abstract tells, in this order."""
    ranked = _usable(evidence.ranked)
    inside = sorted(ranked, key=lambda r: r.index)
    what = next((r for r in inside if introduces(r.facts.sentence.text)), None)
    after = [r for r in inside if what is None or r.index > what.index]
    why = [r for r in inside if what is None or r.index < what.index]
    steps = [
        what,
        next((r for r in reversed(why) if tells_why(r.facts.sentence.text)), None),
        next((r for r in after if r is not what and tells_how(r.facts.sentence.text)), None),
        next((r for r in reversed(after) if r is not what and tells_result(r.facts.sentence.text)), None),
    ]
    found = list({r.index: r for r in steps if r is not None}.values())
    if what is None or len(found) < 2:
        return sorted(ranked[:most], key=lambda r: r.index)
    return found[:most]


def _dangles(ranked: Ranked) -> bool:
    return bool(_DANGLING.match(ranked.facts.sentence.text, _opening(ranked.facts.sentence.text)))
