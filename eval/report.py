"""A report as a record: its rows, what went wrong in them, and the JSON that everything can be made from again."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from eval.baseline import Comparison
from eval.calibration import curve
from eval.figures import confusion, figures
from eval.gate import FloorResult
from eval.gold import KINDS
from eval.run import Report, Row

FORMAT = 1
SPLITS = ("dev", "test", "all")
_ANSWERS = ("answered", "false_premise")
_STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
# No answer reaches the top of these, so falling short explains nothing.
_TRENDS = ("gold_f1",)
_EVIDENCE_SHOWN = 5
_PASSAGE_SHOWN = 300


def rows_of(report: Report, split: str = "all", kind: str | None = None) -> list[Row]:
    """Return the rows of one half of the gold, or of one kind."""
    return [
        row
        for row in report.rows
        if split in ("all", row.question.split) and (kind is None or row.question.kind == kind)
    ]


def answer_words(rows: Sequence[Row]) -> float | None:
    """Return the mean length of what was given as an answer, to be read beside the gold-answer F1; refusals apart."""
    lengths = [len(row.answer.text.split()) for row in rows if row.answer and row.answer.outcome in _ANSWERS]
    return sum(lengths) / len(lengths) if lengths else None


def answer_quotes(rows: Sequence[Row]) -> float | None:
    """Return the mean number of quotes in what was given as an answer; refusals apart."""
    quotes = [len(row.answer.citations) for row in rows if row.answer and row.answer.outcome in _ANSWERS]
    return sum(quotes) / len(quotes) if quotes else None


def failures(report: Report) -> list[Row]:
    """Return the rows that were not wholly right."""
    return [row for row in report.rows if row.score("right").hits < 1]


def explain(row: Row) -> str:
    """Return what was asked, wanted and got, and the evidence, to be read by a person."""
    gold, answer = row.question, row.answer
    lines = [f"question: {gold.question}"]
    lines += [f"after: {earlier}" for earlier in gold.history]
    lines.append(f"expected: {gold.outcome}; papers {', '.join(gold.papers) or 'none'}; {_facts(gold.must)}")
    lines.append(f"expected answer: {gold.answers[0]}" if gold.answers else "expected answer: –")
    if answer is None:
        lines.append(f"got: {row.error}")
    else:
        cited = [f"[{c.marker}] {c.paper_id}" for c in answer.citations]
        lines.append(
            f"got: {answer.outcome}; confidence {answer.confidence:.2f}; cites {', '.join(cited) or 'nothing'}"
        )
        lines.append(f"got answer: {answer.text}")
        lines += [
            f"evidence {i}: {e.paper.id} ({e.score:.3f}) {_cut(e.chunk.text)}"
            for i, e in enumerate(answer.evidence[:_EVIDENCE_SHOWN], start=1)
        ]
    wrong = [score for score in row.scores if score.why and score.hits < score.total and score.metric not in _TRENDS]
    lines += [f"{score.metric}: {score.why}" for score in wrong]
    # Papers and models write these texts: indented, none of their lines can pass for a line of the report.
    return "\n".join(line.replace("\n", "\n    ") for line in lines)


def printable(text: str) -> str:
    """Return a text without the control characters that would steer a terminal."""
    return _STEERS.sub("\ufffd", text)


def _facts(must: Sequence[Sequence[str]]) -> str:
    return "facts " + (" and ".join(" or ".join(map(repr, group)) for group in must) or "none")


def _cut(text: str) -> str:
    return text if len(text) <= _PASSAGE_SHOWN else text[:_PASSAGE_SHOWN] + " …"


def to_json(report: Report, gate: Sequence[FloorResult] | None = None, comparison: Comparison | None = None) -> str:
    """Return the whole record as JSON; everything but `timings` is the same in two runs."""
    header = report.header
    record: dict[str, Any] = {
        "format": FORMAT,
        "summary": header.line(),
        "header": {name: getattr(header, name) for name in header.__slots__},
        "figures": {split: [f.to_dict() for f in figures(rows_of(report, split))] for split in SPLITS},
        "kinds": {kind: [f.to_dict() for f in figures(rows)] for kind in KINDS if (rows := rows_of(report, kind=kind))},
        "answer_words": answer_words(report.rows),
        "answer_quotes": answer_quotes(report.rows),
        "confusion": confusion(report.rows),
        "calibration": [level.to_dict() for level in curve(report.rows)],
        "checker": [mark.to_dict() for mark in report.card.marks],
        "agreement": None if report.agreement is None else report.agreement.to_dict(),
        "recorded_faults": report.faults.to_dict(),
        "gate": None if gate is None else [result.to_dict() for result in gate],
        "comparison": None if comparison is None else comparison.to_dict(),
        "questions": [_row_dict(row) for row in report.rows],
        "timings": dict(report.seconds),
    }
    return json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _row_dict(row: Row) -> dict[str, Any]:
    return {
        "gold": row.question.to_dict(),
        "split": row.question.split,
        "answer": row.answer.to_dict() if row.answer else None,
        "error": row.error,
        "scores": [
            {"metric": s.metric, "state": s.state, "hits": s.hits, "total": s.total, "why": s.why} for s in row.scores
        ],
    }
