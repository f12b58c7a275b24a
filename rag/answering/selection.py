"""Which sentences of a paper an answer shows, in which order, and from where on. Pure.

The fewest sentences among which the wanted fact very likely is, one at least for each thing that is asked; the one that
answers first. Words that only tie a sentence to the one before it ("Building on these insights,") are not quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.retrieval.evidence import PaperEvidence
from rag.retrieval.ranking import Ranked, introduces, tells_how, tells_result, tells_why
from rag.retrieval.requests import is_order

MAX_SENTENCES = 4
SUFFICIENT = 0.85  # probability that the wanted fact is among the sentences shown, at which they are enough
_ASKED_FOR = 0.5  # share of a question's words in a sentence that orders the reader about, which it then asks for
_LEAST = 4  # words that are left of a sentence behind its opening
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
# A subject that the sentence before names, where the paper itself is no reading of it.
_DANGLING = re.compile(
    r"(?:this|these|those|such|both|that|the (?:former|latter|resulting|same))\b(?! (?:paper|work|study|article)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Shown:
    """The part of a sentence that is shown, by offsets of the abstract; `cut` where words before it are left out."""

    start: int
    end: int
    cut: bool


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
    if any(_dangles(r) for r in rest):
        return sorted(found, key=lambda r: r.index)  # what "this" is stands right before it
    return [first, *rest]


def probability(evidence: PaperEvidence, most: int = MAX_SENTENCES) -> float:
    """Return how likely every wanted fact is among the sentences that are shown, 0-1."""
    found = {r.index for r in _enough(evidence, most)}
    return min(sum(r.probability for r in part if r.index in found) for part in evidence.parts)


def shown(ranked: Ranked) -> Shown:
    """Return the part of a sentence that is quoted: all of it, or what stands behind its opening."""
    sentence = ranked.facts.sentence
    match = _OPENING.match(sentence.text)
    cut = match.end() if match and len(sentence.text[match.end() :].split()) >= _LEAST else 0
    return Shown(sentence.start + cut, sentence.end, bool(cut))


def _enough(evidence: PaperEvidence, most: int) -> list[Ranked]:
    """Return the likeliest sentences of each thing asked, until each is likely enough among them."""
    parts = [_usable(part) for part in evidence.parts]
    found: dict[int, Ranked] = {}
    while len(found) < most:
        held = [sum(r.probability for r in part if r.index in found) for part in parts]
        least = min(range(len(parts)), key=lambda n: (held[n], n))
        more = next((r for r in parts[least] if r.index not in found), None)
        if more is None or (found and held[least] >= SUFFICIENT):
            break
        found[more.index] = more
    return list(found.values())


def _usable(ranked: Sequence[Ranked]) -> Sequence[Ranked]:
    """Return sentences without those that order the reader about, unless the question has their words."""
    return [r for r in ranked if not is_order(r.facts.sentence.text) or r.values["covers"] > _ASKED_FOR] or ranked


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
    sentence = ranked.facts.sentence
    return bool(_DANGLING.match(sentence.text[shown(ranked).start - sentence.start :]))
