"""A summary in Markdown, short enough for a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eval.baseline import Comparison
from eval.figures import Figure, figure
from eval.gate import FloorResult, is_red
from eval.report import failures, rows_of
from eval.run import Report

_SHOWN = (
    "right",
    "hit@1",
    "recall@5",
    "must_all",
    "support",
    "numbers",
    "names",
    "citation_validity",
    "citation_recall",
    "citation_precision",
    "outcome",
    "refusal_f1",
    "census_f1",
    "auroc",
    "calibration",
)
_FAILURES = 10
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|!~$&@])")


def to_markdown(report: Report, gate: Sequence[FloorResult] | None = None, comparison: Comparison | None = None) -> str:
    """Return the verdict, the figures of both halves, what changed, and the first questions that went wrong."""
    parts = [f"### Answers: {_verdict(gate, comparison)}", literal(report.header.line()), _figures(report)]
    red = [result.line for result in gate or () if result.status == "red"]
    if red:
        parts.append("\n".join(f"- red: {literal(line)}" for line in red))
    if comparison:
        worse = [change for change in comparison.changes if change.status != "green"]
        lines = [f"- {change.status}: {literal(change.line)}" for change in worse]
        lines += [f"- red: {literal(key)} went without a score" for key in comparison.newly_unscored]
        parts.append(
            f"Against the baseline ({comparison.common} questions in common):\n\n"
            + ("\n".join(lines) or "- nothing got worse")
        )
    wrong = failures(report)
    if wrong:
        rows = [f"- {literal(r.question.id)}: {literal(r.score('right').why or r.error)}" for r in wrong[:_FAILURES]]
        rest = f"\n- and {len(wrong) - _FAILURES} more" if len(wrong) > _FAILURES else ""
        parts.append(f"{len(wrong)} of {len(report.rows)} questions not wholly right:\n\n" + "\n".join(rows) + rest)
    return "\n\n".join(parts) + "\n"


def _verdict(gate: Sequence[FloorResult] | None, comparison: Comparison | None) -> str:
    if (gate and is_red(gate)) or (comparison and comparison.is_red):
        return "RED"
    return "green" if gate else "reported only"


def _figures(report: Report) -> str:
    lines = ["| metric | dev | test | all | n |", "|---|---|---|---|---|"]
    for metric in _SHOWN:
        dev, test, whole = (figure(metric, rows_of(report, split)) for split in ("dev", "test", "all"))
        if whole.value is not None:
            lines.append(f"| {metric} | {_cell(dev)} | {_cell(test)} | {_cell(whole)} | {whole.n} |")
    return "\n".join(lines)


def _cell(got: Figure) -> str:
    if got.value is None:
        return "–"
    bounds = f" ({got.interval.low:.2f}–{got.interval.high:.2f})" if got.interval else ""
    return f"{got.value:.3f}{bounds}"


def literal(text: str) -> str:
    """Return a text as it is to be read: no markup, no mention, one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
