"""Does a question take for granted what the abstract contradicts? Finds the contradiction, and the sentence that shows it.

Numbers, superlatives and parts of other papers here, denials and wrong directions in `rag.answering.denials`; each rule needs
the contradicting words in the abstract, and a claim that is merely not there is left to the verdict "silent".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.answering import denials
from rag.answering.asking import seeks_paper
from rag.answering.conflicts import without_tag
from rag.answering.supposing import ORDERS, asks_whether, contradicting, supposed_of
from rag.retrieval import signal
from rag.retrieval.evidence import Evidence, PaperEvidence
from rag.retrieval.mentions import Mention
from rag.retrieval.ranking import Ranked
from rag.retrieval.searcher import Searcher
from rag.text.matching import match_strength
from rag.text.names import spelt_out
from rag.text.words import NUMBER_WORDS, STOPWORDS, Token, stem, tokens


@dataclass(frozen=True, slots=True)
class Premise:
    """A false premise: what is said instead, and the sentences (of these papers) that say it."""

    correction: str
    shown: tuple[tuple[PaperEvidence, Ranked], ...]


_PRESUMES = re.compile(
    r"\b(?:why|how|what|which|who|whom|whose|when|where|if|since|given|as|because|explain)\b", re.IGNORECASE
)
_SUPERLATIVE = re.compile(
    r"\s*(?:is|was|be|being|become|became|as)?\s*(?:the|an? first)\s+(?P<word>first|only|most \w+|best|worst|[a-z]{2,}est)\b",
    re.IGNORECASE,
)
_EVER = re.compile(
    r"\b(?:as|being) the (?P<word>first|only|largest|best|fastest|smallest|biggest)\b|"
    r"\bthe (?P<ever>first|only|largest|best|fastest|smallest|biggest)\b[^,.?]{0,40}\b(?:ever|so far|to date|in the world|of all)\b",
    re.IGNORECASE,
)
_SPEAKS_OF_IT = (
    0.4  # share of the question that the sentence with another number speaks of, where the paper is not named
)
_FOUND = 0.7  # probability that a paper that is only described is the one meant
DESCRIBED = 0.6  # probability of an answer from which a paper that is only described counts as found
# Words of a question about the state of the art and its faults: what an abstract says of others is then the answer.
_WEIGHS = re.compile(
    r"\b(?:existing|prior|previous|earlier|others?|older|usual|base(?:lines?)?|challenge[sd]?|problem|limits?|limitations?|issue|"
    r"weakness\w*|shortcoming\w*|hard|difficult|competitors?|drawback|against|compared|than|current|today|common|standard|"
    r"conventional|typical|bad|neglect\w*|overlook\w*)\b",
    re.IGNORECASE,
)
_OTHERS = 4  # papers found, whose figures a question may be about as well
_ALTERNATIVE = re.compile(r"\bor\s+\|", re.IGNORECASE)  # one of two that the question offers: "V* or VBench?"
_AND_ASKS = re.compile(r"\b(?:and|or|but) (?:how|what|which|who|why|where|when)\b", re.IGNORECASE)  # of another thing
_FORM = 0.85  # the word or a form of it, no synonym
_RANGE = re.compile(r"\d-$")  # "14-26%" holds two figures
_UNIT = re.compile(r"\s*(%|percent\b|×|x\b|times\b|-?fold\b)", re.IGNORECASE)
_UNITS = {"%": "%", "percent": "%", "×": "×", "x": "×", "times": "×", "fold": "×", "-fold": "×"}


def broken_premise(evidence: Evidence, searcher: Searcher, certainty: float = 1.0) -> Premise | None:
    """Return what a question wrongly takes for granted about its best paper, or None.

    Only a question that presumes rather than asks whether can have one, and only if its paper is known: it names it, or
    `certainty`, the probability that the paper answers it, is high.
    """
    top, text = evidence.best, evidence.question.text
    if top is None:
        return None
    known = evidence.names_paper or certainty >= DESCRIBED
    wrong = (_wrong_number(text, evidence, top) if known else None) or _contradicted(evidence, top)
    if wrong is not None or not known:
        return wrong
    if asks_whether(text) or not _PRESUMES.search(text) or seeks_paper(text):
        return None
    if not evidence.names_paper:
        return None if _negated(evidence) else _denied(evidence, top) or _worse(evidence, top)
    return _superlative(evidence, top) or _anothers_part(evidence, top, searcher) or _turned(text, evidence, top)


def _negated(evidence: Evidence) -> bool:
    """Tell whether a question denies something, be it not in a name ("Curricula Do Not Help") or a tag ("isn't it?")."""
    text = evidence.question.text
    for mention in sorted((m for m in evidence.mentions if m.tells), key=lambda m: -m.start):
        text = f"{text[: mention.start]} {text[mention.end :]}"
    return denials.NEGATED.search(without_tag(text)) is not None


def kept_as_it_was(evidence: Evidence, searcher: Searcher) -> Premise | None:
    """Return the correction of a question that takes a named part to have been adapted, where the abstract left it alone.

    Such a question names two papers, the part's and the one that uses it, yet compares nothing.
    """
    text = evidence.question.text
    if not evidence.names_paper or asks_whether(text) or denials.NEGATED.search(text) or not denials.adapts(text):
        return None
    named = dict.fromkeys(paper for m in evidence.mentions if m.tells for paper in m.papers)
    for paper in searcher.read(evidence, list(named)).values():
        shown = denials.denied_change(evidence, paper)
        if shown:
            return Premise("That is not what the abstract says. It says:", ((paper, shown),))
    return None


def _turned(text: str, evidence: Evidence, top: PaperEvidence) -> Premise | None:
    """Find what the abstract denies, says of others, or says the other way round."""
    if _negated(evidence):
        return None
    found = _denied(evidence, top)
    if found:
        return found
    weighs = asks_of_others(text)
    others = None if weighs else denials.said_of_others(text, top)
    if others:
        return Premise("The abstract says that of other methods, not of this paper's. It says:", _with_own(top, others))
    turned = denials.reversed_direction(evidence, top) or (None if weighs else denials.opposite_word(evidence, top))
    return Premise("The abstract says the opposite. It says:", ((top, turned),)) if turned else None


def asks_of_others(question: str) -> bool:
    """Tell whether a question asks of the state of the art and its faults."""
    return _WEIGHS.search(question) is not None


def _contradicted(evidence: Evidence, top: PaperEvidence) -> Premise | None:
    """Find a figure, direction or order that the question supposes of its paper and the abstract has otherwise."""
    owned = any(m.tells and m.owned for m in top.names)
    if not owned and (evidence.unknown_names or (not evidence.names_paper and signal.about(evidence) < _FOUND)):
        return None
    for said in supposed_of(evidence, top):
        place = contradicting(said, top.paper)
        if place is not None and not any(name in said for name in evidence.unknown_names):
            shown = next(r for r in top.ranked if r.facts.sentence.start == place)
            return Premise("That is not what the abstract says. It says:", ((top, shown),))
    return None


def _worse(evidence: Evidence, top: PaperEvidence) -> Premise | None:
    turned = denials.reversed_order(evidence, top)
    return Premise("The abstract says the opposite. It says:", ((top, turned),)) if turned else None


def _denied(evidence: Evidence, top: PaperEvidence) -> Premise | None:
    effect = (
        denials.denied_effect(evidence, top) or denials.denied_turn(evidence, top) or denials.denied_head(evidence, top)
    )
    if effect:
        return Premise("That is not what the abstract says. It says:", ((top, effect),))
    used = denials.denied_use(evidence, top)
    return Premise("That is not what the abstract says. It says:", _with_own(top, used)) if used else None


def _wrong_number(text: str, evidence: Evidence, top: PaperEvidence) -> Premise | None:
    """Find a figure of the question that the abstract gives otherwise: the same unit or counted noun, another number."""
    told = [(figure, r) for r in top.ranked for figure in _figures(r.facts.sentence.text, ())]
    ordered = [piece.span() for piece in ORDERS.finditer(text)]
    for asked in _figures(text, evidence.mentions):
        if any(start <= asked.start < end for start, end in ordered):
            continue
        same = [(f, r) for f, r in told if asked.counts_the_same(f)]
        if not same or any(f.value == asked.value for f, _ in same):
            continue
        if not asked.unit and any(asked.value in r.facts.numbers for r in top.ranked):
            continue
        best = max((r for _, r in same), key=lambda r: (r.probability, -r.index))
        if not evidence.names_paper and (best.values["covers_here"] < _SPEAKS_OF_IT or _is_of_another(asked, evidence)):
            continue
        return Premise(f"{asked.typed}{asked.unit} is not what the abstract gives. It says:", ((top, best),))
    return None


def _is_of_another(figure: _Figure, evidence: Evidence) -> bool:
    """Tell whether another of the papers found gives a figure of the question: that paper may be meant."""
    others = [s.paper.abstract for s in evidence.chunks[1:_OTHERS] if figure.value in s.paper.abstract]
    return any(f.value == figure.value and f.counts_the_same(figure) for text in others for f in _figures(text, ()))


@dataclass(frozen=True, slots=True)
class _Figure:
    """A number with what it counts: a unit (% or ×), else the stem of a noun."""

    start: int
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
        noun = next((stem(w.text) for w in words[i + 1 : i + 3] if not w.is_number and w.text not in STOPWORDS), "")
        if unit or noun:
            mark = _UNITS[unit.group(1).lower()] if unit else ""
            found.append(_Figure(token.start, value, text[token.start : token.end], mark, "" if unit else noun))
    return found


def _inside_name(text: str, token: Token) -> bool:
    before, after = text[token.start - 1 : token.start], text[token.end : token.end + 1]
    preceding = re.search(r"([A-Z][\w+]*)\s$", text[: token.start])
    return (
        (before in ("-", "_", ".", "@", "$") and not _RANGE.search(text[: token.start]))
        or (after == "-" and text[token.end + 1 : token.end + 2].isupper())
        or (preceding is not None and not _UNIT.match(text, token.end))
    )


def _superlative(evidence: Evidence, top: PaperEvidence) -> Premise | None:
    """Find a superlative that the question gives to the paper itself and the abstract never claims."""
    text = evidence.question.text
    names = [m for m in top.names if m.tells]
    claims = [_SUPERLATIVE.match(text, m.end) for m in names] + [_EVER.search(text) if names else None]
    for claim in claims:
        word = claim and (claim["word"] or claim.groupdict().get("ever"))
        if word and stem(word.lower()) not in frozenset().union(*(r.facts.stems for r in top.ranked)):
            best = [r for r in top.ranked if r.probability > 0.15][:2] or [top.ranked[0]]
            return Premise(f"The abstract does not claim “{word}”. It says:", tuple((top, r) for r in best))
    return None


def _anothers_part(evidence: Evidence, top: PaperEvidence, searcher: Searcher) -> Premise | None:
    """Find a named part that the question gives to the paper and the library knows from another paper alone."""
    own = [m for m in top.names if m.tells]
    foreign = [
        m
        for m in evidence.mentions
        if m.tells and len(m.papers) == 1 and top.paper.id not in m.papers and not spelt_out(m.name)
    ]
    text = evidence.question.text
    foreign = [m for m in foreign if not _ALTERNATIVE.search(f"{text[: m.start]}|{text[m.end :]}")]
    if not own or len(foreign) != 1 or _AND_ASKS.search(text, *sorted((own[0].end, foreign[0].start))):
        return None
    other = searcher.read(evidence, foreign[0].papers).get(foreign[0].papers[0])
    titles = [searcher.is_name_of(m, top.paper.id) for m in own]
    if other is None or searcher.is_name_of(foreign[0], other.paper.id) == any(titles):
        return None
    owner, part = (top, foreign[0]) if any(titles) else (other, own[0])
    if owner.paper.id in part.papers:
        return None  # both have it
    source = other if owner is top else top
    shown = next(
        (r for r in source.ranked if part.key in r.facts.names or part.name in r.facts.sentence.text), source.ranked[0]
    )
    said = [r for r in owner.ranked if r.probability > 0.15][:2] or [owner.ranked[0]]
    correction = f"The abstract of “{owner.paper.title}” does not mention {part.name}, which is in “{source.paper.title}”. They say:"
    return Premise(correction, (*((owner, r) for r in said), (source, shown)))


def _with_own(top: PaperEvidence, ranked: Ranked) -> tuple[tuple[PaperEvidence, Ranked], ...]:
    """Return the denying sentence with the likeliest ones that say what the paper does instead."""
    own = [
        r
        for r in top.ranked
        if r is not ranked and re.search(r"\b(?:we|our|this paper|this work)\b", r.facts.sentence.text, re.I)
    ]
    return ((top, ranked), *((top, r) for r in own[:2]))
