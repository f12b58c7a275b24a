"""Run a system over the gold: system x gold -> Report. Dataset, system and scorers are three parts, all handed in."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from eval.card import Card, cases, report_card
from eval.gold import GoldQuestion
from eval.judge import Lane, Opinion, consult
from eval.labelled import Agreement, Labelled, agreement
from eval.measures import Score, State
from eval.metrics import first_of_each
from eval.reading import read_answer
from eval.recorded_faults import FaultTable
from eval.scoring import score_answer, score_failure
from eval.support import Check
from rag.errors import ConfigError, InputError, LibraryError, ModelError, ModelInterrupted
from rag.types import Answer, Paper

Ask = Callable[[str, list[str]], Answer]
Search = Callable[[str, int], Sequence[str]]
Progress = Callable[[int, int], None]

_SEARCH_DEPTH = 10
CHECKER_NOT_MEASURED = "not measured"
NO_CARD = Card(())
NO_FAULTS = FaultTable()


class MissingAnswerError(InputError):
    """Report that a record holds no answer to a question."""


@dataclass(frozen=True, slots=True)
class Row:
    """One gold question, what it got, and every verdict on it."""

    question: GoldQuestion
    answer: Answer | None
    scores: tuple[Score, ...]
    error: str = ""

    def score(self, metric: str) -> Score:
        """Return the verdict of one metric."""
        return next(score for score in self.scores if score.metric == metric)

    @property
    def outcome(self) -> str:
        """Return the outcome that the system gave, `crashed` where it gave none."""
        return self.answer.outcome if self.answer else "crashed"

    @property
    def confidence(self) -> float:
        """Return the system's confidence, 0 where it gave no answer."""
        return self.answer.confidence if self.answer else 0.0


@dataclass(frozen=True, slots=True)
class Header:
    """What was measured: answerer, model, judge, how good the checker is, and fingerprints of gold and corpus."""

    answerer: str
    model: str
    judge: str
    checker: str
    gold: str
    corpus: str
    questions: int
    papers: int

    def line(self) -> str:
        """Return the line that every report starts with."""
        return f"answerer: {self.answerer} · model: {self.model} · judge: {self.judge} · checker: {self.checker}"


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a run found; two runs are equal apart from `seconds`."""

    header: Header
    rows: tuple[Row, ...]
    card: Card = NO_CARD
    opinion: Opinion | None = None
    agreement: Agreement | None = None
    faults: FaultTable = NO_FAULTS
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)


def evaluate(
    ask: Ask,
    gold: Iterable[GoldQuestion],
    papers: Mapping[str, Paper],
    search: Search | None = None,
    progress: Progress | None = None,
    check: Check | None = None,
    lane: Lane | None = None,
    labelled: Sequence[Labelled] = (),
) -> Report:
    """Ask every gold question and judge what comes back.

    `search(question, k)` returns paper ids, best first, and adds the retrieval measures of the search itself;
    `check(text, papers)` judges sentences in a model's own words, and is itself measured on planted faults and on
    `labelled` pairs; `lane` is a judge that gives a second opinion. A question on which the system raises is scored
    zero and keeps the reason; only the caller's own interruption ends the run.
    """
    questions = sorted(gold, key=lambda question: question.id)
    rows, seconds = [], {}
    for done, question in enumerate(questions, start=1):
        began = time.perf_counter()
        row = _judge(question, ask, papers, search, check)
        seconds[question.id] = round(time.perf_counter() - began, 3)
        rows.append(row)
        if progress:
            progress(done, len(questions))
    card = report_card(check, questions, papers) if check else NO_CARD
    opinion = consult(lane, cases(questions, papers), _claims(rows, papers)) if lane else None
    agreed = agreement(check, labelled) if check and labelled else None
    header = _header(rows, papers, card if check else None, opinion, agreed)
    return Report(header, tuple(rows), card, opinion, agreed, seconds=seconds)


def _judge(
    question: GoldQuestion, ask: Ask, papers: Mapping[str, Paper], search: Search | None, check: Check | None
) -> Row:
    try:
        answer = ask(question.question, list(question.history))
        if not isinstance(answer, Answer):  # a system handed in may break its own type
            raise TypeError(f"ask() returned {type(answer)}, not an Answer")
        # A follow-up can only be searched by the question that the system made of it.
        query = answer.standalone_question or question.question
        ranked = first_of_each(search(query, _SEARCH_DEPTH)) if search and question.papers else None
    except Exception as error:  # whatever the system under test raises is a result: zero, and never lost
        state: State = "not_scored" if isinstance(error, MissingAnswerError) else "crashed"
        why = f"{type(error).__name__}: {error}"
        return Row(question, None, score_failure(question, search is not None, state, why), why)
    # Timing is kept apart, so that two runs compare equal.
    return Row(question, replace(answer, seconds=0.0), score_answer(question, answer, papers, ranked, check))


def _claims(rows: Sequence[Row], papers: Mapping[str, Paper]) -> Iterator[tuple[str, Sequence[Paper]]]:
    """Yield the factual sentences of the answers, each with the papers that it cites."""
    for row in rows:
        if row.answer is None:
            continue
        by_marker = {citation.marker: citation.paper_id for citation in row.answer.citations}
        for sentence in read_answer(row.answer.text, row.answer.citations).sentences:
            cited = dict.fromkeys(by_marker[marker] for marker in sentence.markers if marker in by_marker)
            if sentence.factual and cited:
                yield sentence.text, [papers[paper] for paper in cited if paper in papers]


def nothing_reached(report: Report) -> str | None:
    """Return the reason if every question failed for want of a model, a setting or a library: nothing was measured."""
    failed = [row.error for row in report.rows if row.error.startswith(_OUTSIDE)]
    return failed[0] if report.rows and len(failed) == len(report.rows) else None


_OUTSIDE = tuple(f"{cls.__name__}: " for cls in (ModelError, ModelInterrupted, ConfigError, LibraryError))


def _header(
    rows: Sequence[Row],
    papers: Mapping[str, Paper],
    card: Card | None,
    opinion: Opinion | None,
    agreed: Agreement | None,
) -> Header:
    answers = [row.answer for row in rows if row.answer]
    return Header(
        answerer=", ".join(sorted({answer.mode for answer in answers})) or "none (it never answered)",
        model=", ".join(sorted({answer.model for answer in answers if answer.model})) or "none",
        judge=opinion.line() if opinion else "none took part",
        checker="; ".join([card.line(), *([agreed.line()] if agreed else [])]) if card else CHECKER_NOT_MEASURED,
        gold=_fingerprint(row.question.to_dict() for row in rows),
        corpus=_fingerprint([key, papers[key].abstract] for key in sorted(papers)),
        questions=len(rows),
        papers=len(papers),
    )


def _fingerprint(values: Iterable[object]) -> str:
    text = "\n".join(json.dumps(value, ensure_ascii=False, sort_keys=True) for value in values)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:12]
