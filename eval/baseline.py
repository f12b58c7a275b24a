"""Compare two runs question by question: wins, losses, and whether the difference can be chance.

For yes-or-no metrics this is McNemar's exact test (Q. McNemar, 1947), for shares the sign test on the same pairs; both
are the two-sided binomial test of wins against losses. A baseline is a run's scores, one question a line, committed on
purpose with `rag eval baseline`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any, Literal

from eval.figures import figures
from eval.measures import HEADLINES
from eval.run import Report
from rag.errors import InputError

COMPARED: tuple[str, ...] = (*HEADLINES, "census_f1")
_SIGNIFICANT = 0.05
_TOLERATED = 0.02  # a smaller drop only warns
_ROUNDED = 1e-4  # values are written with four digits, so a smaller difference is none
_FORMAT = 1
Status = Literal["green", "warning", "red"]


@dataclass(frozen=True, slots=True)
class Judged:
    """What one run made of one question: its gold's fingerprint, the outcome, and a value a metric."""

    gold: str
    outcome: str
    values: Mapping[str, float]
    not_scored: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True)
class Scores:
    """A run reduced to what is compared; `judge` must be the same on both sides."""

    name: str
    summary: str
    judge: str
    questions: Mapping[str, Judged]


@dataclass(frozen=True, slots=True)
class Change:
    """One metric over the questions that both runs scored: means, wins, losses, and the chance of that."""

    metric: str
    n: int
    before: float
    after: float
    wins: tuple[str, ...]
    losses: tuple[str, ...]

    @property
    def p(self) -> float:
        """Return the exact two-sided probability of so uneven a split."""
        return sign_test(len(self.wins), len(self.losses))

    @property
    def status(self) -> Status:
        """Return red for a drop that is neither small nor chance, a warning for any other drop."""
        drop = self.before - self.after
        if drop <= _ROUNDED:
            return "green"
        return "red" if drop > _TOLERATED and self.p < _SIGNIFICANT else "warning"

    @property
    def line(self) -> str:
        """Return the change in one line."""
        return (
            f"{self.metric} {self.before:.3f} -> {self.after:.3f} "
            f"({len(self.wins)} won, {len(self.losses)} lost of {self.n}, exact p = {self.p:.3f})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the change as plain JSON values."""
        return {
            "metric": self.metric,
            "n": self.n,
            "before": round(self.before, 4),
            "after": round(self.after, 4),
            "wins": list(self.wins),
            "losses": list(self.losses),
            "p": round(self.p, 4),
            "status": self.status,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes between two runs, and what could not be compared."""

    changes: tuple[Change, ...]
    common: int
    left_out: int
    newly_unscored: tuple[str, ...]

    @property
    def is_red(self) -> bool:
        """Return whether anything got worse beyond chance, or went without a score."""
        return bool(self.newly_unscored) or any(change.status == "red" for change in self.changes)

    @property
    def worse(self) -> tuple[str, ...]:
        """Return a line for everything that got worse, its status first."""
        dropped = (f"{change.status}: {change.line}" for change in self.changes if change.status != "green")
        return (*dropped, *self.unscored_lines)

    @property
    def unscored_lines(self) -> tuple[str, ...]:
        """Return a line for each question that newly went without a score."""
        return tuple(f"red: {key} went without a score" for key in self.newly_unscored)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain JSON values."""
        return {
            "common": self.common,
            "left_out": self.left_out,
            "newly_unscored": list(self.newly_unscored),
            "changes": [change.to_dict() for change in self.changes],
            "red": self.is_red,
        }


def sign_test(wins: int, losses: int) -> float:
    """Return the two-sided exact binomial probability of a split at least so uneven, were both equally likely."""
    n = wins + losses
    if not n:
        return 1.0
    tail = sum(comb(n, k) for k in range(min(wins, losses) + 1))
    return min(1.0, float(2 * tail / 2**n))


def scores_of(report: Report, name: str = "this run") -> Scores:
    """Reduce a report to what is compared."""
    questions = {}
    for row in report.rows:
        values = {m: s.hits / s.total for m in COMPARED if (s := row.score(m)).total > 0}
        unscored = row.score("outcome").state == "not_scored"
        text = row.answer.text if row.answer else row.error
        questions[row.question.id] = Judged(_mark(row.question.to_dict()), row.outcome, values, unscored, text)
    return Scores(name, report.header.line(), _judge_name(report.header.judge), questions)


def _judge_name(line: str) -> str:
    return line.partition(" (")[0]


def _mark(gold: Mapping[str, Any]) -> str:
    # The note explains and decides nothing, so that rewording it keeps a question comparable.
    told = {key: value for key, value in gold.items() if key != "note"}
    return hashlib.sha256(json.dumps(told, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:12]


def baseline_lines(report: Report) -> str:
    """Return a report's baseline: a head line and one line a question, so that a renewal reads well as a diff."""
    scores = scores_of(report)
    head = {
        "format": _FORMAT,
        "summary": scores.summary,
        "judge": scores.judge,
        "questions": report.header.questions,
        "papers": report.header.papers,
        "figures": {split: _figures(report, split) for split in ("dev", "test", "all")},
        "checker": {mark.kind: [mark.right, mark.n] for mark in report.card.marks},
    }
    rows = [
        {
            "id": key,
            "gold": judged.gold,
            "outcome": judged.outcome,
            "not_scored": judged.not_scored,
            "values": {metric: round(value, 4) for metric, value in judged.values.items()},
        }
        for key, judged in scores.questions.items()
    ]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in [head, *rows])


def _figures(report: Report, split: str) -> dict[str, list[float | int | None]]:
    """Return value, interval and n of each metric, which the documentation shows."""
    rows = [row for row in report.rows if split in ("all", row.question.split)]
    found: dict[str, list[float | int | None]] = {}
    for got in figures(rows):
        if got.value is not None:
            bounds = (None, None) if got.interval is None else (got.interval.low, got.interval.high)
            found[got.metric] = [None if x is None else round(x, 4) for x in (got.value, *bounds)] + [got.n]
    return found


def load_scores(file: Path) -> Scores:
    """Read a baseline, or the JSON record of a run (`rag eval --json FILE`)."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} can't be read ({error}); name a baseline or a run's JSON record.") from error
    try:
        head, *rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        return _from_baseline(file, head, rows)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        pass
    try:
        return _from_record(file, json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{file} is neither a baseline nor a run's JSON record ({type(error).__name__}: {error}); "
            "write one with `rag eval baseline FILE` or `rag eval --json FILE`."
        ) from error


def _from_baseline(file: Path, head: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> Scores:
    questions = {
        row["id"]: Judged(
            row["gold"], row["outcome"], {k: float(v) for k, v in row["values"].items()}, bool(row["not_scored"])
        )
        for row in rows
    }
    return Scores(str(file), head["summary"], head["judge"], questions)


def _from_record(file: Path, record: Mapping[str, Any]) -> Scores:
    questions = {}
    for row in record["questions"]:
        scored = {s["metric"]: s for s in row["scores"]}
        values = {m: s["hits"] / s["total"] for m in COMPARED if (s := scored.get(m)) and s["total"] > 0}
        answer = row["answer"]
        questions[row["gold"]["id"]] = Judged(
            _mark(row["gold"]),
            answer["outcome"] if answer else "crashed",
            values,
            scored["outcome"]["state"] == "not_scored",
            answer["text"] if answer else row["error"],
        )
    return Scores(str(file), record["summary"], _judge_name(record["header"]["judge"]), questions)


def compare(before: Scores, after: Scores) -> Comparison:
    """Compare two runs over the questions whose gold is the same in both."""
    if before.judge != after.judge:
        raise InputError(
            f"The runs were judged differently ({before.judge!r} and {after.judge!r}), so their scores don't compare; "
            "run both with the same judge."
        )
    common = [
        key for key, judged in after.questions.items() if (old := before.questions.get(key)) and old.gold == judged.gold
    ]
    if not common:
        raise InputError(
            f"{before.name} and {after.name} have no question in common; compare runs over the same gold, or renew the "
            "baseline with `rag eval baseline`."
        )
    changes = []
    for metric in COMPARED:
        pairs = {
            key: (before.questions[key].values[metric], after.questions[key].values[metric])
            for key in common
            if metric in before.questions[key].values and metric in after.questions[key].values
        }
        if pairs:
            changes.append(_change(metric, pairs))
    unscored = tuple(k for k in common if after.questions[k].not_scored and not before.questions[k].not_scored)
    return Comparison(tuple(changes), len(common), len(after.questions) - len(common), unscored)


def _change(metric: str, pairs: Mapping[str, tuple[float, float]]) -> Change:
    return Change(
        metric,
        len(pairs),
        sum(old for old, _ in pairs.values()) / len(pairs),
        sum(new for _, new in pairs.values()) / len(pairs),
        tuple(key for key, (old, new) in pairs.items() if new - old > _ROUNDED),
        tuple(key for key, (old, new) in pairs.items() if old - new > _ROUNDED),
    )


def comparison_text(comparison: Comparison, before: Scores, after: Scores) -> str:
    """Return the comparison for a terminal: a line a metric, then the questions that flipped, side by side."""
    lines = [f"before: {before.name} · {before.summary}", f"after: {after.name} · {after.summary}"]
    lines.append(f"{comparison.common} questions in common, {comparison.left_out} others left out")
    lines += [f"{change.status}: {change.line}" for change in comparison.changes]
    lines += comparison.unscored_lines
    right = next((change for change in comparison.changes if change.metric == "right"), None)
    for name, keys in (("won", right.wins), ("lost", right.losses)) if right else ():
        for key in keys:
            old, new = before.questions[key], after.questions[key]
            lines.append(f"{name}: {key}: {old.outcome} -> {new.outcome}")
            lines += [f"    {side}: {_cut(one.text)}" for side, one in (("before", old), ("after", new)) if one.text]
    return "\n".join(lines) + "\n"


def _cut(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 300 else flat[:300] + " …"
