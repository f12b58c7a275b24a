"""Evidence -> reply, without a model: which form of answer a question gets, each made by its own module."""

from __future__ import annotations

from dataclasses import replace

from rag.answering.asking import seeks_paper
from rag.answering.comparison import compose_meanings, compose_sides, meanings, sides
from rag.answering.extractive import Reply, compose, quote_of
from rag.answering.judgement import Verdict
from rag.answering.premises import DESCRIBED, Premise, asks_of_others, broken_premise, kept_as_it_was
from rag.answering.presumption import CONCRETE, DOUBTED, Presumption, presumption
from rag.answering.record import answer_from_record
from rag.answering.selection import MAX_SENTENCES, probability
from rag.retrieval.evidence import Evidence, PaperEvidence
from rag.retrieval.searcher import Searcher
from rag.types import Quote, Statement

_PREMISE_CERTAINTY = 0.7  # share of corrections on the dev gold that were right
_SIDES_CERTAINTY = 0.8
_BESIDE = 2  # sentences that answer best, beside the one that stands against the question


def answer_extractively(evidence: Evidence, verdict: Verdict, searcher: Searcher, most: int = MAX_SENTENCES) -> Reply:
    """Return the reply to a question whose evidence and verdict are known, of at most so many sentences of a paper."""
    recorded = answer_from_record(evidence)
    if recorded is not None:
        return recorded
    if verdict.outcome in ("smalltalk", "too_vague", "not_in_corpus"):
        return Reply(verdict, tuple(compose(evidence, verdict)))
    certainty = verdict.probability if verdict.outcome == "answered" else 0.0
    kept = kept_as_it_was(evidence, searcher)
    if kept is not None:
        return _corrected(kept)
    several = meanings(evidence, searcher)
    if several:
        return Reply(Verdict("answered", _SIDES_CERTAINTY), tuple(compose_meanings(several)), tuple(several))
    found = sides(evidence.question.text, evidence, searcher)
    if len(found) >= 2 and not evidence.unknown_names:
        return Reply(Verdict("answered", _SIDES_CERTAINTY), tuple(compose_sides(found)), tuple(found))
    premise = broken_premise(evidence, searcher, certainty)
    if premise is not None:
        return _corrected(premise)
    best = evidence.best
    if best is None:
        return Reply(verdict, tuple(compose(evidence, verdict)))
    presumed = presumption(evidence, best)
    if _is_doubted(evidence, presumed, certainty):
        return _doubted(best, presumed)
    if verdict.outcome != "answered":
        return Reply(verdict, tuple(compose(evidence, verdict)), (best,))
    # Right needs the paper, an answer in it, nothing wrongly presumed, and the fact among the sentences shown.
    sure = verdict.probability * (1 - presumed.probability) * probability(best, most)
    return Reply(replace(verdict, probability=sure), tuple(compose(evidence, verdict, most)), (best,))


def _is_doubted(evidence: Evidence, presumed: Presumption, certainty: float) -> bool:
    """Tell whether a question likely presumes something else than its paper says; see `broken_premise`."""
    if presumed.probability < DOUBTED or seeks_paper(evidence.question.text):
        return False
    if evidence.names_paper:
        return True
    return certainty >= DESCRIBED and presumed.strength >= CONCRETE and not asks_of_others(evidence.question.text)


def _doubted(paper: PaperEvidence, presumed: Presumption) -> Reply:
    """Return what the abstract says to a question that likely presumes something else."""
    correction = f"The abstract of “{paper.paper.title}” does not put it that way. It says:"
    shown = [presumed.against, *(r for r in paper.ranked[:_BESIDE] if r is not presumed.against)]
    statement = _correct(Premise(correction, tuple((paper, ranked) for ranked in shown)))
    return Reply(Verdict("false_premise", presumed.probability), (statement,), (paper,))


def _corrected(premise: Premise) -> Reply:
    papers = tuple({p.paper.id: p for p, _ in premise.shown}.values())
    return Reply(Verdict("false_premise", _PREMISE_CERTAINTY), (_correct(premise),), papers)


def _correct(premise: Premise) -> Statement:
    parts: list[str | Quote] = [premise.correction]
    for paper, ranked in premise.shown:
        sentence = ranked.facts.sentence
        quote = quote_of(paper.paper, sentence.start, sentence.end, paper.chunk.chunk)
        parts += [f" “{sentence.text}” ", quote]
    return Statement(tuple(parts))
