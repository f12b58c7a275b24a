"""An answer under way: what was asked, what the quotes say, what has been written, and how it ends."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rag.answering.assembly import Assembly
from rag.answering.confidence import Calibration, Uncalibrated
from rag.answering.extractive import Reply, compose
from rag.answering.judgement import Verdict, judge
from rag.retrieval.evidence import EVIDENCE_PAPERS, Evidence, PaperEvidence
from rag.text.language import is_english
from rag.types import Answer, Mode, ScoredChunk, TextPiece, Usage

_SURE, _SPEAKS = 0.8, 0.6  # probability of a sentence, and share of the question's words in it


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer under way: what was asked, what the quotes say, and what has been written."""

    question: str
    standalone: str
    reply: Reply
    warnings: tuple[str, ...]
    started: float
    calibration: Calibration | Uncalibrated
    usage: Usage = field(default_factory=Usage)
    assembly: Assembly = field(default_factory=Assembly)

    def answer(self, evidence: Evidence, mode: Mode) -> Answer:
        """Return the answer as it stands."""
        verdict = self.reply.verdict
        confidence = self.calibration.confidence(verdict.outcome, verdict.probability, mode == "llm")
        return Answer(
            question=self.question,
            standalone_question=self.standalone,
            text=self.assembly.text,
            outcome=verdict.outcome,
            citations=self.assembly.citations,
            rejected=tuple(self.assembly.rejected),
            evidence=() if verdict.outcome == "smalltalk" else used_first(evidence.chunks, self.reply.papers),
            confidence=confidence.value,
            confidence_note=confidence.note,
            mode=mode,
            model=self.assembly.model,
            usage=self.usage,
            seconds=time.monotonic() - self.started,
            warnings=self.warnings,
            marks=self.assembly.marks,
        )


def quoted(draft: Draft, evidence: Evidence, mode: Mode = "extractive") -> Iterator[TextPiece | Answer]:
    """Yield the answer as the quotes give it, piece by piece, last the `Answer`."""
    for statement in draft.reply.statements:
        yield draft.assembly.add(statement)
    yield draft.answer(evidence, mode)


def verdict_of(evidence: Evidence, question: str) -> Verdict:
    """Return what kind of answer the evidence allows, also for a question that is not in English."""
    verdict = judge(evidence)
    if is_english(question) or verdict.outcome == "smalltalk":
        return verdict
    # Foreign words are no sign that the abstract is silent, nor that it is not: what counts is a name, a number or a
    # word that both languages share.
    if evidence.names_paper or evidence.shares_rare_word():
        return Verdict("answered", 0.6, "language")
    return Verdict("too_vague", 0.8, "language")


def refusal(evidence: Evidence) -> Reply:
    """Return the refusal for a question to which the model found no answer in the sources."""
    verdict = Verdict("abstract_silent" if evidence.names_paper else "not_in_corpus", 0.6, "silent")
    return Reply(verdict, tuple(compose(evidence, verdict)), (evidence.best,) if evidence.best else ())


def is_sure(evidence: Evidence) -> bool:
    """Tell whether one sentence so surely answers that a model which finds no answer is not believed."""
    if evidence.best is None:
        return False
    first = evidence.best.ranked[0]  # likely among its neighbours, which says nothing of an abstract that is silent
    return first.probability >= _SURE and first.values["covers"] >= _SPEAKS


def used_first(chunks: Sequence[ScoredChunk], papers: Sequence[PaperEvidence]) -> tuple[ScoredChunk, ...]:
    """Return the evidence with the papers that the answer used at its head."""
    used = [p.chunk for p in papers]
    return (*used, *(c for c in chunks if c.paper.id not in {u.paper.id for u in used}))[
        : max(len(used), EVIDENCE_PAPERS)
    ]
