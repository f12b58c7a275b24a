"""A question about the whole library: every abstract is judged yes, no or unsure, with the sentence that shows it.

Words and rules decide first. Only sentences on the border (the words of a concept occur, but apart, or most of them)
are compared by the embedding model, and no more than `MAX_COMPARED` of them. What stays open is "unsure".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from rag.census.concepts import Vocabulary, acronym_pattern, alternatives, forms_of, is_acronym, roots
from rag.census.conditions import Form, understand_census
from rag.census.forms import FACETS, Facet
from rag.census.predicates import (
    AllOf,
    AnyOf,
    Atom,
    Concept,
    Described,
    Everything,
    Has,
    Literally,
    Not,
    Predicate,
    atoms,
)
from rag.census.scope import Sighting, lines, may_hold, sightings, voice
from rag.census.spelling import spelt
from rag.census.thresholds import Threshold, take_threshold
from rag.library.chunking import chunk, quote
from rag.text.matching import match_strength, rarity
from rag.text.sentences import Sentence
from rag.text.words import content_stems
from rag.types import Paper, Quote, ScoredChunk

if TYPE_CHECKING:
    from rag.library.keeping import Progress

Outcome = Literal["yes", "no", "unsure"]
Note = Literal["", "absence", "record", "title"]
Similarity = Callable[[str, Sequence[str]], Sequence[float]]
_Read = Callable[[Sequence[Paper]], Iterator[Paper]]

MAX_COMPARED = 48  # sentences that the embedding model reads in one census
_APART_YES, _APART_UNSURE = 0.62, 0.45  # cosines for a sentence that has all words of a concept, but apart
_PARTLY_UNSURE = 0.62  # the same for one that has most of them
_PARTLY = 0.6  # share of a concept's words, by rarity, that makes a sentence worth comparing
MOST_DOUBTFUL = 5  # papers quoted that only may fit, where none surely does
_MOST_QUOTES = 3  # of one paper
_CERTAIN: Mapping[type, float] = {Has: 0.93, Literally: 0.99, Concept: 0.88, Described: 0.99, Everything: 0.99}
# "Does any paper report its training cost?" asks for a property of papers that are here.
_REPORTS = re.compile(r"\b(?:report|mention|name|state|give|release|publish)(?:s|d|ed|ing)?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Finding:
    """What one abstract got: the verdict, the sentences that show it, and how it was reached where none can."""

    paper: Paper
    outcome: Outcome
    quotes: tuple[Quote, ...] = ()
    note: Note = ""


@dataclass(frozen=True, slots=True)
class Census:
    """A whole-corpus question answered: the condition as it was understood, and one finding an abstract."""

    question: str
    form: Form
    predicate: Predicate
    findings: tuple[Finding, ...]
    threshold: Threshold | None = None
    spelt: tuple[tuple[str, str], ...] = ()  # words as typed, and what they were taken for
    cost: str = ""  # what a model took that judged too

    def having(self, outcome: Outcome) -> tuple[Finding, ...]:
        """Return the findings with one outcome, in the order of the library."""
        return tuple(f for f in self.findings if f.outcome == outcome)

    @property
    def nothing_here(self) -> bool:
        """Tell whether it asked for papers on a topic that no abstract has, rather than for a count or a property."""
        found = self.having("yes") or self.having("unsure")
        said = [atom for atom in atoms(self.predicate) if not isinstance(atom, Described)]
        topics = all(isinstance(atom, Concept) and atom.relation != "mention" for atom in said)
        return bool(said) and topics and not found and self.form != "count" and not _REPORTS.search(self.question)

    @property
    def certainty(self) -> float:
        """Return how sure the list is: by the kinds of its conditions, less where much stayed open."""
        sure = 1.0
        for atom in atoms(self.predicate):
            sure *= _CERTAIN[type(atom)]
        open_ones, listed = len(self.having("unsure")), len(self.having("yes"))
        return sure * (1 - 0.5 * open_ones / (open_ones + listed + 1))


@dataclass(frozen=True, slots=True)
class _Judged:
    """One condition on one abstract: the sentences for it, and those that speak against it."""

    outcome: Outcome
    shown: tuple[Sentence, ...] = ()
    against: tuple[Sentence, ...] = ()
    record: bool = False
    title: bool = False  # where only the title says it


_NO = _Judged("no")


@dataclass(frozen=True, slots=True)
class _Border:
    """A sentence that only its meaning can decide, and how much of the concept it has."""

    place: int
    sentence: Sentence
    share: float


def judge_all(
    question: str,
    papers: Sequence[Paper],
    similarity: Similarity | None = None,
    english: Callable[[str], bool] | None = None,
    progress: Progress | None = None,
) -> Census:
    """Judge every abstract by the condition that a question states.

    `similarity(query, texts)` returns cosines; without it, what only meaning could decide stays unsure. `english` tells
    ordinary words; without it, no slip is mended. `progress(read, all)` is told how many abstracts have been read.
    """
    mended, slips = spelt(question, papers, english) if english is not None else (question, ())
    threshold, condition = take_threshold(mended)
    asked = understand_census(condition)
    known = Vocabulary(paper.abstract for paper in papers)
    wanted = atoms(asked.predicate)
    budget = MAX_COMPARED // max(1, sum(isinstance(atom, Concept) for atom in wanted))
    read = iter if progress is None else _told(progress, len(wanted))
    judged = {atom: _judge_atom(atom, papers, known, similarity, budget, read) for atom in wanted}
    joint = isinstance(asked.predicate, AllOf)
    findings = tuple(
        _finding(
            paper,
            _limited(
                _combined(asked.predicate, {atom: judged[atom][i] for atom in wanted}), threshold, paper, condition
            ),
            joint,
        )
        for i, paper in enumerate(papers)
    )
    return Census(question, asked.form, asked.predicate, findings, threshold, slips)


def _told(progress: Progress, rounds: int) -> _Read:
    """Return a reader that tells of every abstract; each atom of a condition reads them all, which is a round."""
    done = 0

    def read(papers: Sequence[Paper]) -> Iterator[Paper]:
        nonlocal done
        for paper in papers:
            yield paper
            done += 1
            progress(done // rounds, len(papers))

    return read


def _limited(judged: _Judged, threshold: Threshold | None, paper: Paper, condition: str) -> _Judged:
    """Hold a judgement to the figure that is asked for: it must stand in a sentence that shows the condition.

    A fitting figure in another sentence that has a word of the condition leaves it open; nothing is denied unread.
    """
    if threshold is None:
        return judged
    shown = tuple(s for s in judged.shown if threshold.met(s.text))
    if shown and judged.outcome != "no":
        return _Judged(judged.outcome, shown, judged.against)
    words = content_stems(condition)
    near = [line.sentence for line in lines(paper.abstract) if threshold.met(line.sentence.text)]
    near = [s for s in near if any(match_strength(w, frozenset(content_stems(s.text))) for w in words)]
    return _Judged("unsure", tuple(near[:1])) if near else _NO


def _judge_atom(
    atom: Atom, papers: Sequence[Paper], known: Vocabulary, similarity: Similarity | None, budget: int, read: _Read
) -> list[_Judged]:
    if isinstance(atom, Has):
        return [
            _titled(FACETS[atom.key], paper, _judge_facet(FACETS[atom.key], paper.abstract)) for paper in read(papers)
        ]
    if isinstance(atom, Literally):
        pattern = _literal(atom.text)
        return [_judge_literal(pattern, paper.abstract) for paper in read(papers)]
    if isinstance(atom, Described):
        return [_judge_record(atom, paper) for paper in read(papers)]
    if isinstance(atom, Concept):
        return _judge_concept(atom, papers, known, similarity, budget, read)
    return [_Judged("yes") for _ in read(papers)]


@lru_cache(maxsize=131_072)
def _judge_facet(facet: Facet, abstract: str) -> _Judged:
    if not facet.trigger.search(abstract):
        return _NO
    shown, maybe, against = [], [], []
    for line in lines(abstract):
        text = line.sentence.text
        if not facet.trigger.search(text):
            continue
        match = facet.shows.search(text)
        voided = bool(facet.voids and facet.voids.search(text))
        spoken = voice(line, match.start(), match.end()) if match else "own"
        if match and (voided or spoken == "denied"):
            against.append(line.sentence)
        elif match and facet.own and spoken == "others" and not _COMPARES.search(text):
            maybe.append(line.sentence)
        elif match:
            shown.append(line.sentence)
        elif facet.maybe and facet.maybe.search(text):
            maybe.append(line.sentence)
    if shown:
        return _Judged("yes", tuple(shown), tuple(against))
    if maybe and not against:
        return _Judged("unsure", tuple(maybe))
    return _Judged("no", (), tuple(against))


# "Faster than existing methods" speaks of others only to say what is better.
_COMPARES = re.compile(r"\b(?:than|over|compared|versus|vs|relative to|our|its?)\b", re.IGNORECASE)


def _titled(facet: Facet, paper: Paper, judged: _Judged) -> _Judged:
    """Take a title's word for it where the abstract neither shows nor denies a facet that titles speak of."""
    if not facet.titled or judged.outcome == "yes" or judged.against or paper.title_derived:
        return judged
    if not facet.shows.search(paper.title) or (facet.voids and facet.voids.search(paper.title)):
        return judged
    return _Judged("yes", (_introduces(paper.abstract),), title=True)


def _literal(text: str) -> re.Pattern[str]:
    if is_acronym(text):
        return re.compile(acronym_pattern([text]))
    words = r"[-\s]+".join(re.escape(word) for word in re.split(r"[-\s]+", text))
    return re.compile(rf"(?<!\w){words}(?:e?s)?(?!\w)", re.IGNORECASE)


def _judge_literal(pattern: re.Pattern[str], abstract: str) -> _Judged:
    if not pattern.search(abstract):
        return _NO
    found = tuple(line.sentence for line in lines(abstract) if pattern.search(line.sentence.text))
    return _Judged("yes", found) if found else _NO


def _judge_record(atom: Described, paper: Paper) -> _Judged:
    stored = str(paper.metadata.get(atom.field) or "")
    if not stored:
        return _Judged("unsure", record=True)
    has, wanted = re.split(r"[\W_]+", stored.casefold()), atom.value.casefold()
    names = {"nips", "neurips"} if wanted in ("nips", "neurips") else {wanted}
    return _Judged("yes" if names & set(has) else "no", record=True)


def _judge_concept(
    concept: Concept,
    papers: Sequence[Paper],
    known: Vocabulary,
    similarity: Similarity | None,
    budget: int,
    read: _Read,
) -> list[_Judged]:
    forms = [forms_of(words, known, concept.deed and not place) for place, words in enumerate(concept.chunks)]
    terms = [alternatives(term) for term in dict.fromkeys(roots(concept.text))]
    weights = _weights(terms, papers) if len(terms) > 1 else []
    judged: list[_Judged] = []
    borders: list[_Border] = []
    for place, paper in enumerate(read(papers)):
        found = [sightings(paper.abstract, form) for form in forms]
        named = all(any(s.whole and s.voice != "denied" for s in sightings(paper.title, form)) for form in forms)
        title = None if paper.title_derived else named
        result, border = _weigh(concept, paper.abstract, found, title)
        if result is None and border is None and weights and _by_meaning(concept):
            border = _partly(paper.abstract, terms, weights)
        if border is not None:
            borders.append(_Border(place, *border))
        judged.append(result or _NO)
    for row, outcome in _compared(concept, borders, similarity, budget):
        judged[row.place] = _Judged(outcome, (row.sentence,) if outcome != "no" else ())
    return judged


def _weigh(
    concept: Concept, abstract: str, found: Sequence[Sequence[Sighting]], title: bool | None
) -> tuple[_Judged | None, tuple[Sentence, float] | None]:
    """Judge a concept by its sightings; where they leave it open, return the sentence to compare.

    `title` tells whether the paper's title names the concept, None where the paper came without one.
    """
    whole = [[s for s in row if s.whole] for row in found]
    text = [line.sentence for line in lines(abstract)] if any(found) else []
    if all(whole):
        joint = _joint(whole)
        if joint:
            return _by_voice(concept, joint, text, title), None
        return None, (text[whole[0][0].index], 1.0)
    if title:
        return _Judged("yes", (_introduces(abstract),), title=True), None
    apart = [s for row in found for s in row if not s.whole]
    if all(found) and apart and _by_meaning(concept):
        return None, (text[apart[0].index], 1.0)
    return None, None


def _by_meaning(concept: Concept) -> bool:
    # Who asks what is mentioned asks for words, not for what comes near them.
    return not concept.strict and concept.relation != "mention"


def _joint(whole: Sequence[Sequence[Sighting]]) -> list[Sighting]:
    """Return the sightings of the first phrase that have every other phrase in the same sentence or the next."""
    if len(whole) == 1:
        return list(whole[0])
    return [
        sighting
        for sighting in whole[0]
        if all(any(abs(sighting.index - o.index) <= 1 and o.voice != "denied" for o in row) for row in whole[1:])
    ]


def _by_voice(concept: Concept, seen: Sequence[Sighting], text: Sequence[Sentence], title: bool | None) -> _Judged:
    def said(*voices: str) -> tuple[Sentence, ...]:
        return tuple(text[s.index] for s in seen if s.voice in voices)

    if concept.relation == "mention":
        return _Judged("yes", said("own") or tuple(text[s.index] for s in seen))
    own, others, listed, denied = said("own"), said("others"), said("listed"), said("denied")
    if concept.relation == "about" and title is False and len(seen) == 1 and own and seen[0].index:
        # One of several tasks that a method was tried on is not what the paper is about, and its title would say so.
        return _Judged("yes" if _SUBJECT.search(own[0].text) else "unsure", own, denied)
    if own:
        return _Judged("yes", own, denied)
    if others and (title or len(others) > 1 or seen[0].index == 0 or listed):
        return _Judged("yes", others, denied)
    if others or listed:
        return _Judged("yes" if title else "unsure", others or listed, denied)
    return _Judged("no", (), denied)


def _weights(terms: Sequence[frozenset[str]], papers: Sequence[Paper]) -> list[float]:
    counts = [sum(may_hold(paper.abstract, term) for paper in papers) for term in terms]
    return [max(0.1, rarity(count, max(1, len(papers)))) for count in counts]


def _partly(abstract: str, terms: Sequence[frozenset[str]], weights: Sequence[float]) -> tuple[Sentence, float] | None:
    """Return the sentence that has most of a concept's words, if it has enough of them."""
    total = sum(weights)
    if sum(w for term, w in zip(terms, weights, strict=True) if may_hold(abstract, term)) < _PARTLY * total:
        return None

    def share(words: Sequence[str]) -> float:
        return sum(w for term, w in zip(terms, weights, strict=True) if not term.isdisjoint(words)) / total

    best = max(lines(abstract), key=lambda line: share(line.words))
    value = share(best.words)
    return (best.sentence, value * 0.99) if value >= _PARTLY else None


def _compared(
    concept: Concept, borders: Sequence[_Border], similarity: Similarity | None, budget: int
) -> list[tuple[_Border, Outcome]]:
    """Decide border cases by meaning, the fullest first; those beyond the budget stay unsure if they have all words."""
    order = sorted(borders, key=lambda row: (-row.share, row.place))
    chosen = order[:budget] if similarity is not None else []
    cosines = similarity(concept.text, [row.sentence.text for row in chosen]) if similarity and chosen else []
    decided = [(row, _by_cosine(row, cosine)) for row, cosine in zip(chosen, cosines, strict=True)]
    return decided + [(row, "unsure" if row.share >= 1.0 else "no") for row in order[len(chosen) :]]


def _by_cosine(row: _Border, cosine: float) -> Outcome:
    if row.share >= 1.0:
        return "yes" if cosine >= _APART_YES else "unsure" if cosine >= _APART_UNSURE else "no"
    return "unsure" if cosine >= _PARTLY_UNSURE else "no"


def _combined(predicate: Predicate, judged: Mapping[Atom, _Judged]) -> _Judged:
    """Join the judgements by Kleene's logic: what is unsure stays so unless another part decides."""
    if isinstance(predicate, Not):
        part = _combined(predicate.part, judged)
        flipped: Mapping[Outcome, Outcome] = {"yes": "no", "no": "yes", "unsure": "unsure"}
        shown = part.shown if part.outcome == "unsure" else part.against
        return _Judged(flipped[part.outcome], shown, part.shown, part.record)
    if isinstance(predicate, (AllOf, AnyOf)):
        parts = [_combined(part, judged) for part in predicate.parts]
        decides: Outcome = "no" if isinstance(predicate, AllOf) else "yes"
        otherwise: Outcome = "yes" if decides == "no" else "no"
        outcomes = {part.outcome for part in parts}
        outcome = decides if decides in outcomes else "unsure" if "unsure" in outcomes else otherwise
        chosen = parts if isinstance(predicate, AllOf) else [p for p in parts if p.outcome == outcome]
        return _Judged(
            outcome,
            tuple(dict.fromkeys(s for part in chosen for s in part.shown[:1])),
            tuple(dict.fromkeys(s for part in parts for s in part.against[:1])),
            all(part.record for part in parts),
            any(part.title and part.outcome == outcome for part in chosen),
        )
    return judged[predicate]


def _finding(paper: Paper, judged: _Judged, joint: bool) -> Finding:
    if judged.outcome == "no":
        return Finding(paper, "no")
    # A single condition is shown by its best sentence, a joint one by one sentence for each of its first conditions.
    best = judged.shown[: _MOST_QUOTES if joint else 1]
    shown = tuple(sorted(dict.fromkeys(best), key=lambda s: s.start))
    if shown:
        quotes = tuple(quote(paper, s.start, s.end) for s in shown)
        return Finding(paper, judged.outcome, quotes, "title" if judged.title else "")
    note: Note = "record" if judged.record else "absence"
    opening = _introduces(paper.abstract)
    return Finding(paper, judged.outcome, (quote(paper, opening.start, opening.end),), note)


_SUBJECT = re.compile(
    r"\b(?:we|this (?:paper|work)|our (?:work|goal|aim))\b.{0,30}"
    r"\b(?:introduc|propos|develop|stud|investigat|address|tackl|consider)",
    re.IGNORECASE,
)
_INTRODUCES = re.compile(
    r"\b(?:we|this (?:paper|work)|our)\b.{0,40}\b(?:introduc|propos|present|develop|reformulat|stud|investigat|show)",
    re.IGNORECASE,
)


def _introduces(abstract: str) -> Sentence:
    """Return the sentence that says what a paper does, else its first."""
    every = [line.sentence for line in lines(abstract)]
    return next((s for s in every if _INTRODUCES.search(s.text)), every[0])


def evidence_of(census: Census) -> tuple[ScoredChunk, ...]:
    """Return the passages that hold the quotes of every paper judged yes, or that may be it where none is."""
    rows = []
    for finding in census.having("yes") or census.having("unsure")[:MOST_DOUBTFUL]:
        cited = {row.chunk_id for row in finding.quotes}
        rows += [ScoredChunk(c, finding.paper, 1.0, "lexical") for c in chunk(finding.paper) if c.id in cited]
    return tuple(rows)
