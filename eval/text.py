"""A report for a terminal: what was measured, the figures, kinds, outcomes, confidence, faults, and the verdicts."""

from __future__ import annotations

from collections.abc import Sequence

from eval.baseline import Comparison
from eval.calibration import curve
from eval.figures import ALL_METRICS, SET_METRICS, Figure, cell, confusion, figure
from eval.gate import FloorResult
from eval.gold import KINDS
from eval.measures import BY_KEY, HEADLINES
from eval.recorded_faults import WATCHED
from eval.report import SPLITS, answer_quotes, answer_words, rows_of
from eval.run import Report
from rag.types import OUTCOMES

_SET_NUMBERS = dict.fromkeys(SET_METRICS, "11")


def to_text(report: Report, gate: Sequence[FloorResult] | None = None, comparison: Comparison | None = None) -> str:
    """Return the report for a terminal; what was measured is always its first line."""
    parts = [_heading(report), _metric_table(report), _kind_table(report), _confusion_table(report)]
    parts += [_calibration_table(report), *([_fault_table(report)] if report.faults.rows else [])]
    if comparison is not None:
        parts.append(_comparison_text(comparison))
    if gate is not None:
        parts.append(gate_text(gate))
    return "\n\n".join(parts) + "\n"


def _heading(report: Report) -> str:
    header = report.header
    crashed = sum(row.score("outcome").state == "crashed" for row in report.rows)
    missing = sum(row.score("outcome").state == "not_scored" for row in report.rows)
    words, quotes = answer_words(report.rows), answer_quotes(report.rows)
    length = f" · answers average {words:.0f} words, {quotes:.1f} quotes" if words is not None else ""
    counts = f"{header.questions} questions, {header.papers} papers, {crashed} crashed, {missing} without an answer"
    return f"{header.line()}\n{counts} · gold {header.gold} · corpus {header.corpus}{length}"


def _metric_table(report: Report) -> str:
    lines = [["#", "metric", *(f"{split} [95 %]" for split in SPLITS), "n", "interval", "left out", "crashed"]]
    for metric in sorted(ALL_METRICS, key=_order):
        by_split = [figure(metric, rows_of(report, split)) for split in SPLITS]
        whole = by_split[-1]
        if whole.value is None and not whole.refused:
            continue
        number = _number(metric)
        method = whole.interval.method if whole.interval else "–"
        left_out = f"{whole.not_applicable} n/a, {whole.refused} refused"
        lines.append(
            [
                number,
                metric,
                *map(cell, by_split),
                str(whole.n),
                method,
                left_out,
                str(whole.crashed + whole.not_scored),
            ]
        )
    return _align(lines)


def _number(metric: str) -> str:
    return BY_KEY[metric].number if metric in BY_KEY else _SET_NUMBERS[metric]


def _order(metric: str) -> int:
    number = _number(metric)
    return int(number) if number.isdigit() else 0


def _kind_table(report: Report) -> str:
    lines = [["kind", "questions", *HEADLINES]]
    for kind in KINDS:
        rows = rows_of(report, kind=kind)
        if rows:
            lines.append([kind, str(len(rows)), *(_short(figure(metric, rows)) for metric in HEADLINES)])
    return _align(lines)


def _confusion_table(report: Report) -> str:
    table = confusion(report.rows)
    given = (*OUTCOMES, "crashed")
    lines = [["wanted \\ got", *given]]
    lines += [[wanted, *(str(table[wanted][got] or "·") for got in given)] for wanted in OUTCOMES]
    return _align(lines)


def _calibration_table(report: Report) -> str:
    """Return the calibration curve as bands: what answers stated on average, and the share that was right."""
    lines = [["stated confidence", "answers", "stated", "right"]]
    for band in curve(report.rows):
        row = [f"{band.low:.1f} to {band.high:.1f}", str(band.n), f"{band.stated:.3f}", f"{band.observed:.3f}"]
        lines.append(row)
    return _align(lines)


def _fault_table(report: Report) -> str:
    """Return how often each metric fell on recorded answers with a known fault; its own metric is in brackets."""
    lines = [["recorded fault", "answers", *WATCHED]]
    for row in report.faults.rows:
        counts = [f"[{row.fell[m]}]" if m == row.own else str(row.fell[m] or "·") for m in WATCHED]
        lines.append([row.fault, str(row.n), *counts])
    marks = [f"{mark.kind} {mark.right} of {mark.n}" for mark in report.faults.marks]
    return "\n".join([_align(lines), ", ".join(marks)])


def _comparison_text(comparison: Comparison) -> str:
    verdict = "RED" if comparison.is_red else "green"
    return "\n".join([*comparison.worse, f"against the baseline ({comparison.common} questions in common): {verdict}"])


def gate_text(gate: Sequence[FloorResult]) -> str:
    """Return one line a floor, and the verdict."""
    red = sum(result.status == "red" for result in gate)
    lines = [f"{'–' if result.status == 'not_applicable' else result.status}: {result.line}" for result in gate]
    return "\n".join([*lines, f"gate: {f'RED, {red} of {len(gate)} floors missed' if red else 'green'}"])


def _short(got: Figure) -> str:
    return "–" if got.value is None else f"{got.value:.2f}"


def _align(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(part.ljust(width) for part, width in zip(line, widths, strict=True)).rstrip() for line in lines
    )
