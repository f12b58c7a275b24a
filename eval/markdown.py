"""A summary in Markdown, short enough for a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Sequence

from eval.baseline import Comparison
from eval.figures import cell, figure
from eval.gate import FloorResult
from eval.measures import HEADLINES
from eval.report import failures, rows_of
from eval.run import Report
from eval.verdict import verdict

_SHOWN = (*HEADLINES, "refusal_f1", "census_f1", "auroc", "calibration")
VERDICTS = {"red": "RED", "green": "green", "reported": "reported only"}
_FAILURES = 10
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|!~$&@])")


def to_markdown(report: Report, gate: Sequence[FloorResult] | None = None, comparison: Comparison | None = None) -> str:
    """Return the verdict, the figures of both halves, what changed, and the first questions that went wrong."""
    parts = [f"### Answers: {VERDICTS[verdict(gate, comparison)]}", literal(report.header.line()), _figures(report)]
    red = [result.line for result in gate or () if result.status == "red"]
    if red:
        parts.append("\n".join(f"- red: {literal(line)}" for line in red))
    if comparison:
        lines = [f"- {literal(line)}" for line in comparison.worse]
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


def _figures(report: Report) -> str:
    lines = ["| metric | dev | test | all | n |", "|---|---|---|---|---|"]
    for metric in _SHOWN:
        dev, test, whole = (figure(metric, rows_of(report, split)) for split in ("dev", "test", "all"))
        if whole.value is not None:
            lines.append(f"| {metric} | {cell(dev)} | {cell(test)} | {cell(whole)} | {whole.n} |")
    return "\n".join(lines)


def literal(text: str) -> str:
    """Return a text as it is to be read: no markup, no mention, one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
