"""Pool scores into figures: a value with its n, its 95 % interval, and the counts of what was not scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eval.calibration import calibration_error
from eval.card import CARD_METRICS
from eval.measures import METRICS, Metric, Score
from eval.metrics import f1
from eval.recorded_faults import RECORDED_METRICS
from eval.run import Report, Row
from eval.stats import Interval, auroc, bootstrap, bootstrap_mean, wilson
from rag.types import OUTCOMES, REFUSALS

# Judged over a whole set of questions, not one by one.
SET_METRICS = ("refusal_precision", "refusal_recall", "refusal_f1", "auroc", "calibration")
ALL_METRICS: tuple[str, ...] = (*(metric.key for metric in METRICS), *SET_METRICS)
# What a floor can be set for: also the marks of the checker and of the metrics, both taken over planted faults.
GATED_METRICS: tuple[str, ...] = (*ALL_METRICS, *CARD_METRICS, *RECORDED_METRICS)


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the report.

    `n` counts what `value` is a share of: questions, or items (numbers, citations, facts) of `questions` questions.
    `crashed` and `not_scored` are in the value as zeros; `refused` and `not_applicable` are left out of it.
    """

    metric: str
    value: float | None
    interval: Interval | None
    n: int
    questions: int
    not_applicable: int = 0
    refused: int = 0
    crashed: int = 0
    not_scored: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as plain JSON values, rounded to what can be meant."""
        interval = self.interval
        return {
            "metric": self.metric,
            "value": None if self.value is None else round(self.value, 4),
            "low": None if interval is None else round(interval.low, 4),
            "high": None if interval is None else round(interval.high, 4),
            "interval": None if interval is None else interval.method,
            "n": self.n,
            "questions": self.questions,
            "not_applicable": self.not_applicable,
            "refused": self.refused,
            "crashed": self.crashed,
            "not_scored": self.not_scored,
        }


def cell(got: Figure) -> str:
    """Return a figure as a table shows it: the value and its interval."""
    if got.value is None:
        return "–"
    bounds = f" [{got.interval.low:.2f}, {got.interval.high:.2f}]" if got.interval else ""
    return f"{got.value:.3f}{bounds}"


def figure(metric: str, rows: Sequence[Row]) -> Figure:
    """Pool the scores of one metric over some rows."""
    if metric in SET_METRICS:
        return _set_figure(metric, rows)
    how = next(m for m in METRICS if m.key == metric)
    scores = [row.score(metric) for row in rows]
    states = Counter(score.state for score in scores)
    judged = [score for score in scores if score.total > 0]
    value, interval, n = _pool(how, judged)
    return Figure(
        metric,
        value,
        interval,
        n,
        len(judged),
        states["not_applicable"],
        states["refused"],
        states["crashed"],
        states["not_scored"],
    )


def _pool(metric: Metric, scores: Sequence[Score]) -> tuple[float | None, Interval | None, int]:
    if not scores:
        return None, None, 0
    if metric.pooling == "mean":
        values = [score.hits / score.total for score in scores]
        return sum(values) / len(values), bootstrap_mean(values), len(values)
    hits, total = sum(score.hits for score in scores), sum(score.total for score in scores)
    return hits / total, wilson(hits, total), int(total)


def figures(rows: Sequence[Row], metrics: Sequence[str] = ALL_METRICS) -> tuple[Figure, ...]:
    """Return the figures of several metrics over the same rows."""
    return tuple(figure(metric, rows) for metric in metrics)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Whether a refusal was right for a question, and whether one was given."""

    wanted: bool
    given: bool


def _refusals(rows: Sequence[Row]) -> list[_Refusal]:
    # Smalltalk is scored for its outcome only: it is neither an answer nor a refusal.
    return [
        _Refusal(row.question.outcome in REFUSALS, row.outcome in REFUSALS)
        for row in rows
        if row.question.outcome != "smalltalk"
    ]


def _refusal_f1(cases: Sequence[_Refusal]) -> float | None:
    wanted, given = sum(c.wanted for c in cases), sum(c.given for c in cases)
    both = sum(c.wanted and c.given for c in cases)
    if not wanted:
        return None
    return f1(both / given if given else 0.0, both / wanted)


# The bands of fewer answers are all chance.
_LEAST_CALIBRATED = 30


def _calibration(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Return one minus the expected calibration error, so that higher is better as everywhere."""
    error = calibration_error(pairs) if len(pairs) >= _LEAST_CALIBRATED else None
    return None if error is None else 1 - error


def mark_figure(metric: str, report: Report) -> Figure:
    """Return a mark that was taken over planted faults, the checker's or the metrics', as a figure."""
    of_checker = metric in CARD_METRICS
    mark = report.card.mark(metric.removeprefix("checker_")) if of_checker else report.faults.mark(metric)
    return Figure(metric, mark.share, mark.interval, mark.n, mark.n)


def _set_figure(metric: str, rows: Sequence[Row]) -> Figure:
    states = Counter(row.score("outcome").state for row in rows)
    crashed, not_scored = states["crashed"], states["not_scored"]
    if metric in ("auroc", "calibration"):
        pairs = [(row.confidence, row.score("right").hits > 0) for row in rows]
        measure = auroc if metric == "auroc" else _calibration
        value = measure(pairs)
        interval = bootstrap(pairs, measure) if value is not None else None
        n = len(pairs) if value is not None else 0
        return Figure(metric, value, interval, n, n, len(rows) - n, 0, crashed, not_scored)
    cases = _refusals(rows)
    if not any(c.wanted for c in cases):
        return Figure(metric, None, None, 0, 0, len(rows))
    both = sum(c.wanted and c.given for c in cases)
    total = sum(c.given if metric == "refusal_precision" else c.wanted for c in cases)
    if metric == "refusal_f1":
        value, interval, total = _refusal_f1(cases), bootstrap(cases, _refusal_f1), len(cases)
    else:
        # A precision of no refusal at all is zero, not undefined: a wanted refusal never came.
        value = both / total if total else 0.0
        interval = wilson(both, total) if total else None
    return Figure(metric, value, interval, total, len(cases), len(rows) - len(cases), 0, crashed, not_scored)


def confusion(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    """Return how often each outcome was wanted (outer) and given (inner); `crashed` is a column of its own."""
    table: dict[str, dict[str, int]] = {wanted: dict.fromkeys((*OUTCOMES, "crashed"), 0) for wanted in OUTCOMES}
    for row in rows:
        table[row.question.outcome][row.outcome] += 1
    return table
