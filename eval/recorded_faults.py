"""Do the metrics notice? Recorded answers with one known fault each, beside the same answers without it.

An extractive answer is supported by construction, so metrics 4 to 10 would never fall on today's answers. A folder
`recorded` beside the gold holds answers as a model writes them: `honest.jsonl`, and in `faulty.jsonl` the same answers
with one fault, named in `fault`. Both are records as `rag eval record` writes them, so `--answers` judges them too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.card import Mark
from eval.gold import GoldQuestion
from eval.measures import Score
from eval.records import RecordedAnswer, read_record
from eval.scoring import score_answer
from eval.support import Check
from rag.errors import InputError
from rag.types import Paper

# The metrics that a fault can be seen in, in the order of the table.
WATCHED = (
    "must_all",
    "support",
    "numbers",
    "names",
    "polarity",
    "citation_validity",
    "citation_recall",
    "citation_precision",
    "outcome",
)
# The metric that has to fall for each fault.
OWN: Mapping[str, str] = {
    "wrong_number": "numbers",
    "other_paper_number": "numbers",
    "swapped_name": "names",
    "negation": "polarity",
    "antonym": "polarity",
    "reversed_direction": "polarity",
    "invented_marker": "citation_validity",
    "altered_quote": "citation_validity",
    "unretrieved_paper": "citation_validity",
    "shifted_marker": "citation_recall",
    "missing_marker": "citation_recall",
    "stray_citation": "citation_precision",
    "padded_citation": "citation_precision",
    "from_memory": "support",
    "half_true": "support",
    "missing_fact": "must_all",
    "refused_wrongly": "outcome",
    "should_have_refused": "outcome",
    "premise_accepted": "outcome",
}
# What falls with it by definition: a wrong number is also unsupported and not the fact that was asked for; a marker on
# the wrong paper holds neither number nor name; nothing cited can hold nothing.
FOLLOWS: Mapping[str, frozenset[str]] = {
    "wrong_number": frozenset({"support", "must_all"}),
    "other_paper_number": frozenset({"support", "must_all"}),
    "swapped_name": frozenset({"support", "must_all", "citation_recall", "citation_precision"}),
    "negation": frozenset({"support", "must_all"}),
    "antonym": frozenset({"support", "must_all"}),
    "reversed_direction": frozenset({"support", "must_all"}),
    "shifted_marker": frozenset({"support", "numbers", "names", "citation_precision"}),
    "missing_marker": frozenset({"support", "numbers", "names", "citation_precision"}),
    "from_memory": frozenset({"citation_recall", "citation_precision"}),
    "half_true": frozenset({"citation_recall", "citation_precision"}),
    "refused_wrongly": frozenset({"must_all"}),
    "premise_accepted": frozenset({"must_all"}),
}
CAUGHT, SPARED, QUIET = "recorded_caught", "recorded_spared", "recorded_quiet"
RECORDED_METRICS = (CAUGHT, SPARED, QUIET)


@dataclass(frozen=True, slots=True)
class FaultRow:
    """One kind of fault: how many answers have it, and on how many of them each metric fell."""

    fault: str
    n: int
    fell: Mapping[str, int]
    missed: tuple[str, ...]
    strayed: tuple[str, ...]

    @property
    def own(self) -> str:
        """Return the metric that has to fall."""
        return OWN[self.fault]

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain JSON values."""
        return {
            "fault": self.fault,
            "own": self.own,
            "n": self.n,
            "fell": dict(self.fell),
            "missed": list(self.missed),
            "strayed": list(self.strayed),
        }


@dataclass(frozen=True, slots=True)
class FaultTable:
    """What the metrics made of recorded answers with known faults: a row a fault, and three marks over all.

    `recorded_caught`: faults for which their own metric fell. `recorded_quiet`: faults for which no metric fell that
    has nothing to do with them. `recorded_spared`: honest twins that no metric faults.
    """

    rows: tuple[FaultRow, ...] = ()
    marks: tuple[Mark, ...] = ()

    def mark(self, kind: str) -> Mark:
        """Return one of the marks."""
        return next((mark for mark in self.marks if mark.kind == kind), Mark(kind, 0, 0))

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain JSON values."""
        return {"rows": [row.to_dict() for row in self.rows], "marks": [mark.to_dict() for mark in self.marks]}


def fault_table(
    folder: Path, gold: Iterable[GoldQuestion], papers: Mapping[str, Paper], check: Check | None
) -> FaultTable:
    """Judge the recorded answers of a folder to these gold questions; an empty table where there is no such folder."""
    if not folder.is_dir():
        return FaultTable()
    questions = {question.id: question for question in gold}
    judged = {name: _judged(folder / f"{name}.jsonl", questions, papers, check) for name in ("honest", "faulty")}
    honest = {case.id: case for case in judged["honest"]}
    pairs = [(honest[case.id], case) for case in judged["faulty"] if case.id in honest]
    if not pairs:
        return FaultTable()
    rows = [_row(fault, [p for p in pairs if p[1].fault == fault]) for fault in OWN]
    rows = [row for row in rows if row.n]
    faulted = tuple(case.id for case in honest.values() if case.faulted)
    marks = (
        _mark(CAUGHT, len(pairs), [i for row in rows for i in row.missed]),
        _mark(QUIET, len(pairs), [i for row in rows for i in row.strayed]),
        _mark(SPARED, len(honest), faulted),
    )
    return FaultTable(tuple(rows), marks)


@dataclass(frozen=True, slots=True)
class _Case:
    """A recorded answer, its fault if it has one, and the share that each watched metric gives it."""

    id: str
    fault: str
    shares: Mapping[str, float]

    @property
    def faulted(self) -> bool:
        return any(share < 1 for share in self.shares.values())


def _judged(
    file: Path, questions: Mapping[str, GoldQuestion], papers: Mapping[str, Paper], check: Check | None
) -> list[_Case]:
    cases = []
    for row in read_record(file, papers):
        if row.fault and row.fault not in OWN:
            raise InputError(f"{file}: the fault {row.fault!r} is unknown; known are {', '.join(OWN)}.")
        if row.id in questions and row.answer is not None:
            cases.append(_case(row, score_answer(questions[row.id], row.answer, papers, None, check)))
    return cases


def _case(row: RecordedAnswer, scores: Iterable[Score]) -> _Case:
    shares = {s.metric: s.hits / s.total for s in scores if s.metric in WATCHED and s.total > 0}
    return _Case(row.id, row.fault, shares)


def _row(fault: str, pairs: Sequence[tuple[_Case, _Case]]) -> FaultRow:
    fell = {case.id: [m for m in WATCHED if _fell(m, honest, case)] for honest, case in pairs}
    strange = set(WATCHED) - {OWN[fault]} - FOLLOWS.get(fault, frozenset())
    return FaultRow(
        fault,
        len(pairs),
        {metric: sum(metric in metrics for metrics in fell.values()) for metric in WATCHED},
        tuple(key for key, metrics in fell.items() if OWN[fault] not in metrics),
        tuple(key for key, metrics in fell.items() if strange & set(metrics)),
    )


def _fell(metric: str, honest: _Case, faulty: _Case) -> bool:
    """Tell whether a metric gives the faulty answer less; one that says nothing of an answer has not fallen."""
    return faulty.shares.get(metric, 1.0) < honest.shares.get(metric, 1.0)


def _mark(kind: str, n: int, wrong: Sequence[str]) -> Mark:
    return Mark(kind, n - len(wrong), n, tuple(wrong))
