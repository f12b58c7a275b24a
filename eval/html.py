"""A page to look at: figures against the baseline, kinds, confusion, calibration, and the worst answers.

Complete in itself: no script, no font and no picture from elsewhere. Every text is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from eval.baseline import Comparison
from eval.figures import ALL_METRICS, cell, confusion, figure
from eval.gate import FloorResult
from eval.gold import KINDS
from eval.html_parts import calibration, checker, faults, table
from eval.matching import any_occurs
from eval.measures import HEADLINES
from eval.report import rows_of
from eval.run import Report, Row
from eval.verdict import verdict
from rag.types import OUTCOMES

_WORST = 20
_EVIDENCE = 3
_STYLE = """
:root{color-scheme:light dark;--ink:#1c2733;--soft:#5b6875;--line:#d9dfe5;--paper:#fff;--tint:#f4f6f8;--good:#1a7f4b;
--bad:#b3261e;--warn:#8a5a00;--mark:#fde9b0;--blue:#2a62b8}
@media (prefers-color-scheme:dark){:root{--ink:#e4e9ee;--soft:#9aa7b4;--line:#36414c;--paper:#14191f;--tint:#1c232b;
--good:#5fcf97;--bad:#ff8a80;--warn:#e7b95a;--mark:#5b4a16;--blue:#8ab4f8}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:72rem;margin:2rem auto;
padding:0 1rem}
h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}
.verdict{font-weight:700}.green{color:var(--good)}.red{color:var(--bad)}.warning{color:var(--warn)}
.head{color:var(--soft);margin:.2rem 0}.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}
th,td{padding:.25rem .7rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th{color:var(--soft);font-weight:600}th:first-child,td:first-child{text-align:left}
td.hit{font-weight:700;color:var(--good)}td.miss{font-weight:700;color:var(--bad)}
.bar{display:inline-block;height:.55rem;background:var(--blue);vertical-align:middle;border-radius:2px}
article{border:1px solid var(--line);border-radius:8px;padding:.8rem 1rem;margin:.8rem 0;background:var(--tint)}
article h3{margin:0 0 .4rem;font-size:1rem}dl{margin:0;display:grid;grid-template-columns:8rem 1fr;gap:.3rem .8rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere;white-space:pre-line}mark{background:var(--mark);color:inherit}
.fact{display:inline-block;border-radius:4px;padding:0 .4rem;margin-right:.3rem;border:1px solid currentColor}
svg text{fill:var(--soft);font-size:11px}figure{margin:0}figcaption{color:var(--soft);font-size:.9rem}
"""


def to_html(report: Report, gate: Sequence[FloorResult] | None = None, comparison: Comparison | None = None) -> str:
    """Return the page."""
    found = verdict(gate, comparison)
    told = "reported only" if found == "reported" else f"gate: {found}"
    header = report.header
    sections = [
        f'<h1>Answers, measured: <span class="verdict {"red" if found == "red" else "green"}">{told}</span></h1>',
        f'<p class="head">{escape(header.line())}</p>',
        f'<p class="head">{header.questions} questions, {header.papers} papers · gold {header.gold} · '
        f"corpus {header.corpus}</p>",
        _figures(report, comparison),
        _floors(gate),
        _kinds(report),
        _confusion(report),
        calibration(report),
        checker(report),
        faults(report),
        _worst(report),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Answers, measured: {told}</title><style>{_STYLE}</style></head><body>\n"
        + "\n".join(section for section in sections if section)
        + "\n</body></html>\n"
    )


def _figures(report: Report, comparison: Comparison | None) -> str:
    changes = {change.metric: change for change in comparison.changes} if comparison else {}
    rows = []
    for metric in ALL_METRICS:
        dev, test, whole = (figure(metric, rows_of(report, split)) for split in ("dev", "test", "all"))
        if whole.value is None:
            continue
        row = [metric, cell(dev), cell(test), cell(whole), _bar(whole.value), str(whole.n)]
        if comparison:
            change = changes.get(metric)
            row.append(
                f'<td class="{change.status}">{change.before:.3f} → {change.after:.3f} '
                f"(+{len(change.wins)} −{len(change.losses)}, p {change.p:.2f})</td>"
                if change
                else "–"
            )
        rows.append(row)
    head = ["metric", "dev", "test", "all [95 %]", "", "n", *(["against the baseline"] if comparison else [])]
    return "<h2>Figures</h2>" + table(head, rows)


def _bar(value: float) -> str:
    return f'<td style="text-align:left"><span class="bar" style="width:{value * 6:.2f}rem"></span></td>'


def _floors(gate: Sequence[FloorResult] | None) -> str:
    if not gate:
        return ""
    rows = [
        [
            f'<td class="{r.status}">{r.status.replace("_", " ")}</td>',
            f'<td style="text-align:left">{escape(r.line)}</td>',
        ]
        for r in gate
    ]
    return "<h2>Floors</h2>" + table(["", ""], rows)


def _kinds(report: Report) -> str:
    rows = []
    for kind in KINDS:
        of_kind = rows_of(report, kind=kind)
        if of_kind:
            rows.append([kind, str(len(of_kind)), *(cell(figure(metric, of_kind)) for metric in HEADLINES)])
    return "<h2>By kind</h2>" + table(["kind", "questions", *HEADLINES], rows)


def _confusion(report: Report) -> str:
    counts = confusion(report.rows)
    given = (*OUTCOMES, "crashed")
    rows = []
    for wanted in OUTCOMES:
        cells = []
        for got in given:
            count = counts[wanted][got]
            mark = "hit" if wanted == got else "miss"
            cells.append(f'<td class="{mark}">{count}</td>' if count else "·")
        rows.append([wanted, *cells])
    return "<h2>Outcomes: wanted (rows), given (columns)</h2>" + table(["", *given], rows)


def _worst(report: Report) -> str:
    wrong = sorted(
        (row for row in report.rows if row.score("right").hits < 1),
        key=lambda row: (-row.confidence, row.question.id),
    )
    if not wrong:
        return "<h2>Worst answers</h2><p>None: every question is wholly right.</p>"
    shown = "\n".join(_article(row) for row in wrong[:_WORST])
    return f"<h2>The surest of the {len(wrong)} answers that are not wholly right</h2>{shown}"


def _article(row: Row) -> str:
    gold, answer = row.question, row.answer
    text = answer.text if answer else row.error
    rows = [
        ("asked", " → ".join([*gold.history, gold.question])),
        ("wanted", f"{gold.outcome}; papers {', '.join(gold.papers) or 'none'}"),
        ("gold answer", gold.answers[0] if gold.answers else "–"),
        ("got", f"{row.outcome}, confidence {row.confidence:.2f}"),
        ("why", row.score("right").why or row.error),
    ]
    lines = [f"<dt>{name}</dt><dd>{escape(value)}</dd>" for name, value in rows]
    if gold.must:
        lines.insert(3, f"<dt>facts</dt><dd>{_facts(row, text)}</dd>")
    lines.append(f"<dt>answer</dt><dd>{escape(text)}</dd>")
    cited = {citation.paper_id for citation in answer.citations} if answer else set()
    for number, scored in enumerate(answer.evidence[:_EVIDENCE] if answer else (), start=1):
        used = "cited" if scored.paper.id in cited else "not cited"
        lines.append(
            f"<dt>evidence {number}</dt><dd>{escape(scored.paper.id)} ({used}): {_marked(scored.chunk.text, row)}</dd>"
        )
    return f"<article><h3>{escape(gold.id)} · {gold.kind} · {gold.split}</h3><dl>{''.join(lines)}</dl></article>"


def _facts(row: Row, text: str) -> str:
    chips = []
    for group in row.question.must:
        there = any_occurs(group, text) is not None
        state, word = ("green", "there") if there else ("red", "missing")
        chips.append(f'<span class="fact {state}">{escape(" or ".join(group))}: {word}</span>')
    return "".join(chips)


def _marked(text: str, row: Row) -> str:
    """Return an evidence text with the sentences marked that hold a wanted fact."""
    pieces = []
    for sentence in text.replace(". ", ".\n").split("\n"):
        wanted = any(any_occurs(group, sentence) is not None for group in row.question.must)
        pieces.append(f"<mark>{escape(sentence)}</mark>" if wanted else escape(sentence))
    return " ".join(pieces)
