"""Parts of the page: a table, and what tells how far the figures can be trusted (confidence, checker, metrics)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from eval.calibration import Band, curve
from eval.figures import Figure, figure
from eval.recorded_faults import WATCHED
from eval.run import Report


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are HTML, or a whole `<td …>` element."""
    lines = ["<tr>" + "".join(f"<th>{title}</th>" for title in head) + "</tr>"]
    for row in rows:
        lines.append("<tr>" + "".join(c if c.startswith("<td") else f"<td>{c}</td>" for c in row) + "</tr>")
    return '<div class="scroll"><table>' + "\n".join(lines) + "</table></div>"


def calibration(report: Report) -> str:
    """Return the calibration curve with its error and the area under the ROC curve of the confidence."""
    error, area = figure("calibration", report.rows), figure("auroc", report.rows)
    told = "; ".join(
        line
        for line in (
            _stated("expected calibration error", error, reverse=True),
            _stated("AUROC of the confidence", area),
        )
        if line
    )
    caption = (
        "Stated confidence against the share that was right; the size of a point is its number of answers. "
        f"{told[:1].upper() + told[1:] or 'Too few answers for an error or an area'}; n = {len(report.rows)}."
    )
    plot = _plot(curve(report.rows))
    return f"<h2>Calibration</h2><figure>{plot}<figcaption>{caption}</figcaption></figure>"


def _stated(name: str, got: Figure, reverse: bool = False) -> str:
    """Return a figure and its bootstrap interval in words; `reverse` turns one minus an error back into the error."""
    if got.value is None or got.interval is None:
        return ""
    value, low, high = got.value, got.interval.low, got.interval.high
    if reverse:
        value, low, high = 1 - value, 1 - high, 1 - low
    return f"{name} {value:.3f} [{low:.3f}, {high:.3f}]"


def _plot(found: Sequence[Band]) -> str:
    size, edge = 260, 36
    most = max((band.n for band in found), default=1)

    def x(value: float) -> float:
        return edge + value * size

    def y(value: float) -> float:
        return edge / 2 + (1 - value) * size

    lines = [
        f'<svg viewBox="0 0 {size + 2 * edge} {size + 2 * edge}" width="360" role="img" '
        'aria-label="calibration curve">',
        f'<rect x="{edge}" y="{edge / 2}" width="{size}" height="{size}" fill="none" stroke="var(--line)"/>',
        f'<line x1="{x(0)}" y1="{y(0)}" x2="{x(1)}" y2="{y(1)}" stroke="var(--soft)" stroke-dasharray="4 4"/>',
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        lines.append(f'<text x="{x(tick):.1f}" y="{y(0) + 15:.1f}" text-anchor="middle">{tick:g}</text>')
        lines.append(f'<text x="{edge - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>')
    lines.append(f'<text x="{x(0.5):.1f}" y="{y(0) + 31:.1f}" text-anchor="middle">stated confidence</text>')
    path = " ".join(f"{x(band.stated):.1f},{y(band.observed):.1f}" for band in found)
    lines.append(f'<polyline points="{path}" fill="none" stroke="var(--blue)" stroke-width="1.5"/>')
    for band in found:
        radius = 3 + 9 * (band.n / most) ** 0.5
        lines.append(
            f'<circle cx="{x(band.stated):.1f}" cy="{y(band.observed):.1f}" r="{radius:.1f}" fill="var(--blue)" '
            f'fill-opacity=".6"><title>{band.right} of {band.n} right, stated {band.stated:.2f}</title></circle>'
        )
    return "\n".join([*lines, "</svg>"])


def checker(report: Report) -> str:
    """Return the checker's report card."""
    if not report.card.marks:
        return ""
    rows = []
    for mark in report.card.marks:
        interval = mark.interval
        bounds = f"[{interval.low:.2f}, {interval.high:.2f}]" if interval else ""
        what = "honest paraphrase let through" if mark.kind == "honest" else f"planted fault: {mark.kind}"
        rows.append([what.replace("_", " "), f"{mark.right} of {mark.n}", f"{mark.share or 0:.3f} {bounds}"])
    return "<h2>How good the checker is</h2>" + table(["case", "judged rightly", "share [95 %]"], rows)


def faults(report: Report) -> str:
    """Return how often each metric fell on recorded answers with a known fault, its own metric in colour."""
    if not report.faults.rows:
        return ""
    rows = []
    for row in report.faults.rows:
        own = "hit" if row.fell[row.own] == row.n else "miss"
        counts = [
            f'<td class="{own}">{row.fell[m]} of {row.n}</td>' if m == row.own else str(row.fell[m] or "·")
            for m in WATCHED
        ]
        rows.append([row.fault.replace("_", " "), str(row.n), *counts])
    marks = "; ".join(escape(f"{mark.kind} {mark.right} of {mark.n}") for mark in report.faults.marks)
    head = table(["recorded fault", "answers", *WATCHED], rows)
    return f'<h2>Recorded answers with a known fault: which metrics fell</h2>{head}<p class="head">{marks}</p>'
