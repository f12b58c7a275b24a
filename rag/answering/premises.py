"""Does a question take for granted what the abstract contradicts? Finds the contradiction, and the sentence that shows it.

Four kinds, each by a rule that needs the contradicting words in the abstract; a claim that is merely not there is left to
the verdict "silent".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.retrieval.evidence import Evidence, PaperEvidence, Searcher
from rag.retrieval.mentions import Mention
from rag.retrieval.ranking import Ranked, asked_thing
from rag.text.matching import match_strength
from rag.text.words import NUMBER_WORDS, Token, content_stems, stem, tokens


@dataclass(frozen=True, slots=True)
class Premise:
    """A false premise: what is said instead, and the sentences (of these papers) that say it."""

    correction: str
    shown: tuple[tuple[PaperEvidence, Ranked], ...]


_ASKS_WHETHER = re.compile(
    r"^\W*(?:(?:and|so|but|or)\W+)?(?:is|are|does|do|did|can|could|was|were|has|have|will|would)\b|\bwhether\b",
    re.IGNORECASE,
)
_PRESUMES = re.compile(r"\b(?:why|how|what|which|when|where|if|since|given|as|because|explain)\b", re.IGNORECASE)
_NEGATES = re.compile(
    r"\b(?:not|no|never|without|instead|rather|avoid\w*|free|unlike|existing|prior|previous|earlier|others?|older|usual|baselines?|"
    r"challenge[sd]?|problem|limits?|limitations?|wrong|fail\w*|issue|weakness\w*|shortcoming\w*|instead of|hard|difficult|competitors?|"
    r"drawback|against|compared|than|lack\w*|current|today|common|standard|conventional|typical|bad|neglect\w*|overlook\w*)\b|n't\b",
    re.IGNORECASE,
)
# Words of an abstract that deny, or that put a thing on others than the authors.
_DENIED = re.compile(
    r"(?:\bwithout|\brather than|\binstead of(?: relying on)?|\bunlike|\bneither|\b(?:need|require|use|involve|contain|assume|report|have|has|is|are)s? no(?!t)|"
    r"\bno need for|\bnot (?:need|require|use|involve|rely on)|\beliminat\w+(?: the)?(?: need for)?|\bavoid\w*|\bremov\w+ the need for)\s+(?P<what>[^,.;:—()]{3,80})"
    r"|(?:^|[,;:]\s|\b(?:and|but|with|there is)\s)no (?P<none>[^,.;:—()]{3,60})"
    r"|\b(?P<free>[\w-]+?)-free\b|\bchallenge the (?:intuition|assumption|belief|view) that (?P<belief>[^,.;]+)",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"\b(?:existing|prior|previous|current|conventional|prevailing|most|recent|traditional|standard|other|earlier)\b[^.]{0,40}"
    r"\b(?:methods?|approach(?:es)?|works?|stud(?:y|ies)|agents?|defenses?|systems?|models?|VLAs|techniques?|strategies|benchmarks)\b|\bits reliance on\b",
    re.IGNORECASE,
)
_OPPOSITES = tuple(
    (frozenset(stem(w) for w in left.split()), frozenset(stem(w) for w in right.split()))
    for left, right in (
        (
            "increase increases raise raises grow grows more higher larger enlarge inflate lengthen",
            "reduce reduces reducing decrease decreases lower shrink cut fewer less smaller shorten compress compresses suppress suppresses",
        ),
        ("slow slower slowdown slows decelerate", "fast faster speed speedup accelerate accelerates quicker"),
        (
            "degrade degrades worse worsen hurt hurts harm harms deteriorate lose loses drop lowered lowers",
            "improve improves improving outperform outperforms better gain gains enhance enhances preserve preserving surpass boost boosts help helps",
        ),
        ("over-confident overconfident", "under-confident underconfident"),
    )
)
_SUPERLATIVE = re.compile(
    r"\s*(?:is|was|be|being|become|became|as)?\s*(?:the|an? first)\s+(?P<word>first|only|most \w+|best|worst|[a-z]{2,}est)\b",
    re.IGNORECASE,
)
_FORM = 0.85  # the word or a form of it, no synonym
_UNIT = re.compile(r"\s*(%|percent\b|×|x\b|times\b|-?fold\b)", re.IGNORECASE)
_UNITS = {"%": "%", "percent": "%", "×": "×", "x": "×", "times": "×", "fold": "×", "-fold": "×"}


def broken_premise(evidence: Evidence, searcher: Searcher) -> Premise | None:
    """Return what a question wrongly takes for granted about its best paper, or None.

    Only a question that names its paper, and presumes rather than asks whether, can have one.
    """
    top, text = evidence.best, evidence.question.text
    if top is None or not evidence.names_paper:
        return None
    wrong = _wrong_number(text, evidence, top)
    if wrong is not None:
        return wrong
    if _ASKS_WHETHER.search(text) or not _PRESUMES.search(text):
        return None
    return (
        _superlative(evidence, top)
        or _anothers_part(evidence, top, searcher)
        or _denied(text, evidence, top)
        or _reversed(text, evidence, top)
    )


def _wrong_number(text: str, evidence: Evidence, top: PaperEvidence) -> Premise | None:
    """Find a figure of the question that the abstract gives otherwise: the same unit or counted noun, another number."""
    told = [(figure, r) for r in top.ranked for figure in _figures(r.facts.sentence.text, ())]
    for asked in _figures(text, evidence.mentions):
        same = [(f, r) for f, r in told if asked.counts_the_same(f)]
        if not same or any(f.value == asked.value for f, _ in same):
            continue
        if not asked.unit and any(asked.value in r.facts.numbers for r in top.ranked):
            continue
        best = max((r for _, r in same), key=lambda r: (r.probability, -r.index))
        return Premise(f"The abstract does not give {asked.typed}{asked.unit}. It says:", ((top, best),))
    return None


@dataclass(frozen=True, slots=True)
class _Figure:
    """A number with what it counts: a unit (% or ×), else the stem of a noun."""

    value: str
    typed: str
    unit: str
    noun: str

    def counts_the_same(self, other: _Figure) -> bool:
        if self.unit or other.unit:
            return self.unit == other.unit
        return bool(self.noun and other.noun) and match_strength(self.noun, frozenset([other.noun])) >= _FORM


def _figures(text: str, names: Sequence[Mention]) -> list[_Figure]:
    """Return the figures in a text that are not part of a name."""
    words = list(tokens(text))
    found = []
    for i, token in enumerate(words):
        value = token.text if token.is_number else NUMBER_WORDS.get(token.text, "")
        if not value or any(m.start <= token.start < m.end for m in names) or _inside_name(text, token):
            continue
        unit = _UNIT.match(text, token.end)
        noun = next((stem(w.text) for w in words[i + 1 : i + 3] if not w.is_number and len(w.text) > 3), "")
        if unit or noun:
            mark = _UNITS[unit.group(1).lower()] if unit else ""
            found.append(_Figure(value, text[token.start : token.end], mark, "" if unit else noun))
    return found


def _inside_name(text: str, token: Token) -> bool:
    before, after = text[token.start - 1 : token.start], text[token.end : token.end + 1]
    preceding = re.search(r"([A-Z][\w+]*)\s$", text[: token.start])
    return (
        before in ("-", "_", ".", "@", "$")
        or (after == "-" and text[token.end + 1 : token.end + 2].isupper())
        or preceding is not None
    )


def _superlative(evidence: Evidence, top: PaperEvidence) -> Premise | None:
    """Find a superlative that the question gives to the paper itself and the abstract never claims."""
    text = evidence.question.text
    for mention in (m for m in top.names if m.tells):
        claim = _SUPERLATIVE.match(text, mention.end)
        if claim and stem(claim["word"].lower()) not in frozenset().union(*(r.facts.stems for r in top.ranked)):
            best = [r for r in top.ranked if r.probability > 0.15][:2] or [top.ranked[0]]
            return Premise(f"The abstract does not claim “{claim['word']}”. It says:", tuple((top, r) for r in best))
    return None


def _anothers_part(evidence: Evidence, top: PaperEvidence, searcher: Searcher) -> Premise | None:
    """Find a named part that the question gives to the paper and the library knows from another paper alone."""
    own = [m for m in top.names if m.tells]
    foreign = [
        m for m in evidence.mentions if m.tells and m.certain and len(m.papers) == 1 and top.paper.id not in m.papers
    ]
    if not own or len(foreign) != 1:
        return None
    other = searcher.read(evidence, foreign[0].papers).get(foreign[0].papers[0])
    titles = [searcher.is_name_of(m, top.paper.id) for m in own]
    if other is None or searcher.is_name_of(foreign[0], other.paper.id) == any(titles):
        return None
    owner, part = (top, foreign[0]) if any(titles) else (other, own[0])
    source = other if owner is top else top
    shown = next(
        (r for r in source.ranked if part.key in r.facts.names or part.name in r.facts.sentence.text), source.ranked[0]
    )
    said = [r for r in owner.ranked if r.probability > 0.15][:2] or [owner.ranked[0]]
    correction = f"The abstract of “{owner.paper.title}” does not mention {part.name}, which is in “{source.paper.title}”. They say:"
    return Premise(correction, (*((owner, r) for r in said), (source, shown)))


def _denied(text: str, evidence: Evidence, top: PaperEvidence) -> Premise | None:
    """Find what the question takes the paper to do and the abstract denies, or says of other methods only."""
    if _NEGATES.search(text):
        return None
    focus = [t for t in evidence.question.focus if len(t) > 3]
    asked = asked_thing(text)
    for ranked in top.ranked:
        rest = frozenset().union(*(r.facts.stems for r in top.ranked if r is not ranked))
        for match in _DENIED.finditer(ranked.facts.sentence.text):
            what = match["what"] or match["none"] or match["belief"] or match["free"].replace("-", " ")
            denied = frozenset(content_stems(what))
            hit = [t for t in focus if match_strength(t, denied) >= _FORM]
            head = match_strength(asked, denied) >= _FORM if asked else False
            subject = bool(match["belief"]) and any(match_strength(t, frozenset(content_stems(what)[:1])) for t in hit)
            enough = len(hit) >= 2 or bool(hit and match["free"]) or head or subject
            if enough and not all(match_strength(t, rest) == 1.0 for t in hit or [asked]):
                return Premise("That is not what the abstract says. It says:", _with_own(top, ranked))
    others = [r for r in top.ranked if _OF_OTHERS.search(r.facts.sentence.text)]
    own = " ".join(f" {' '.join(content_stems(r.facts.sentence.text))} " for r in top.ranked if r not in others)
    for ranked in others:
        theirs = f" {' '.join(content_stems(ranked.facts.sentence.text))} "
        phrases = [f" {a} {b} " for a, b in pairwise(content_stems(text))]
        if any(p in theirs and p not in own for p in phrases):
            return Premise(
                "The abstract says that of other methods, not of this paper's. It says:", _with_own(top, ranked)
            )
    return None


def _with_own(top: PaperEvidence, ranked: Ranked) -> tuple[tuple[PaperEvidence, Ranked], ...]:
    """Return the denying sentence with the likeliest ones that say what the paper does instead."""
    own = [
        r
        for r in top.ranked
        if r is not ranked and re.search(r"\b(?:we|our|this paper|this work)\b", r.facts.sentence.text, re.I)
    ]
    return ((top, ranked), *((top, r) for r in own[:2]))


def _reversed(text: str, evidence: Evidence, top: PaperEvidence) -> Premise | None:
    """Find a direction that the question has one way and the abstract's sentence on it the other way."""
    if _NEGATES.search(text):
        return None
    asked = {stem(t.text) for t in tokens(text)}
    rest = [t for t in evidence.question.focus if not any(t in a or t in b for a, b in _OPPOSITES)]
    for left, right in [*_OPPOSITES, *((b, a) for a, b in _OPPOSITES)]:
        if not asked & left or asked & right:
            continue
        for ranked in top.ranked[:4]:
            stems = ranked.facts.stems
            about = sum(match_strength(t, stems) >= _FORM for t in rest)
            if stems & right and not stems & left and about >= min(2, len(rest)) and about:
                return Premise("The abstract says the opposite. It says:", ((top, ranked),))
    return None
