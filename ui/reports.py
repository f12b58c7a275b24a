"""A census, a library's state, an indexing report and an evaluation -> HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag.census.judging import Census, Finding, Outcome
from rag.census.rendering import NOTES, understood
from rag.types import IndexReport, Skipped
from ui.cards import blocks, copy_button, metadata_html, paper_button
from ui.inline import escape, inline

_LISTED = 100  # findings of one outcome on the page; the table has all
_TITLES_LISTED = 200
_SKIPPED_LISTED = 50
_OUTCOMES: tuple[tuple[Outcome, str, str], ...] = (
    ("yes", "Yes", "The abstract says so."),
    ("unsure", "Unsure", "The abstract leaves it open; read these yourself."),
    ("no", "No", "Nothing in the abstract says so."),
)


def census_html(census: Census) -> str:
    """Return a census: the counts with their denominator, then one list an outcome with the quotes."""
    total = len(census.findings)
    groups = {outcome: census.having(outcome) for outcome, _, _ in _OUTCOMES}
    counts = "".join(
        f'<li class="count {outcome}"><span class="number">{len(groups[outcome]):,}</span> {words.lower()}'
        f'<span class="of">of {total:,}, {_percent(len(groups[outcome]), total)}</span></li>'
        for outcome, words, _ in _OUTCOMES
    )
    return blocks(
        f'<p class="lead-line">Read {total:,} {"abstract" if total == 1 else "abstracts"}; understood as: abstracts '
        f"that {escape(understood(census))}. The list is sure to {round(100 * census.certainty)} in 100.</p>",
        f'<ul class="counts">{counts}</ul>',
        *(_group(outcome, words, meaning, groups[outcome]) for outcome, words, meaning in _OUTCOMES),
    )


def _group(outcome: str, words: str, meaning: str, findings: Sequence[Finding]) -> str:
    if not findings:
        return ""
    most = _TITLES_LISTED if outcome == "no" else _LISTED
    rows = "".join(_finding(finding) for finding in findings[:most])
    more = len(findings) - most
    rest = f'<p class="hint">{more:,} more are in the table.</p>' if more > 0 else ""
    opened = " open" if outcome != "no" else ""
    return (
        f'<details class="group"{opened}><summary>{words}: {len(findings):,}</summary>'
        f'<p class="hint">{meaning}</p><ul class="findings">{rows}</ul>{rest}</details>'
    )


def _finding(finding: Finding) -> str:
    note = NOTES[finding.note].capitalize()
    quotes = "".join(f'<p class="passage" dir="auto">{note}“{inline(quote.text)}”</p>' for quote in finding.quotes)
    return f"<li>{paper_button(finding.paper)}{metadata_html(finding.paper)}{quotes}</li>"


def library_html(health: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """Return a library's counts, whether anything is missing, and the settings in force."""
    rows = (
        ("Abstracts", f"{int(health.get('papers', 0)):,}"),
        ("Passages", f"{int(health.get('chunks', 0)):,}"),
        ("Vectors", f"{int(health.get('vectors', 0)):,}"),
        ("Not embedded yet", f"{int(health.get('pending', 0)):,}"),
        ("Embedding model", str(health.get("embedder") or "none: only words are searched")),
    )
    table = "".join(f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>" for key, value in rows)
    shown = "".join(f"<dt>{escape(key)}</dt><dd>{escape(str(value))}</dd>" for key, value in settings.items())
    return blocks(
        f'<div class="state {"well" if _is_well(health) else "ill"}">{escape(_state(health))}</div>',
        f'<dl class="table">{table}</dl>',
        f'<details class="group"><summary>Settings in force</summary><dl class="table">{shown}</dl></details>',
    )


def _is_well(health: Mapping[str, Any]) -> bool:
    return bool(health.get("embedder")) and not health.get("pending") and health.get("vectors") == health.get("chunks")


def _state(health: Mapping[str, Any]) -> str:
    if health.get("trouble"):
        return str(health["trouble"])
    if _is_well(health):
        return "Complete: every passage can be found by its words and by its meaning."
    if not health.get("embedder"):
        return "Found by words only: the embedding weights are not installed (rag doctor names the command)."
    return "Not complete: some passages are found by their words only until the source is indexed again."


def indexed_html(name: str, report: IndexReport) -> str:
    """Return what became of a file, record by record where one was not taken in."""
    counts = (
        (len(report.added), "added"),
        (len(report.updated), "updated"),
        (len(report.unchanged), "unchanged"),
        (len(report.removed), "removed"),
        (len(report.skipped), "skipped"),
    )
    items = "".join(f'<li class="count"><span class="number">{n:,}</span> {words}</li>' for n, words in counts)
    return blocks(
        f'<p class="lead-line">The library “{escape(name)}” is up to date.</p>',
        f'<ul class="counts">{items}</ul>',
        _skipped(report.skipped),
        *(f'<div class="note">{escape(warning)}</div>' for warning in report.warnings),
    )


def failed_html(message: str, skipped: Sequence[Skipped] = ()) -> str:
    """Return why something could not be done."""
    return blocks(f'<div class="failure"><p>{escape(message)}</p></div>', _skipped(skipped))


def _skipped(skipped: Sequence[Skipped]) -> str:
    if not skipped:
        return ""
    rows = "".join(f"<li>{escape(row.record)}: {escape(row.reason)}</li>" for row in skipped[:_SKIPPED_LISTED])
    more = len(skipped) - _SKIPPED_LISTED
    rest = f"<li>and {more:,} more</li>" if more > 0 else ""
    return (
        f'<details class="group" open><summary>Skipped, and why</summary><ul class="plain">{rows}{rest}</ul></details>'
    )


def evaluation_html(record: Mapping[str, Any] | None, file: str) -> str:
    """Return the latest evaluation: its figures on both halves with n and interval, and the floors."""
    if record is None:
        command = f"rag eval --json {file}"
        hint = f'<p class="hint">No evaluation has been kept. Make one with: <code>{escape(command)}</code></p>'
        return blocks(hint, f'<div class="actions">{copy_button("Copy the command", command)}</div>')
    figures = record.get("figures")
    tables = [
        _figures(str(split), rows)
        for split, rows in (figures.items() if isinstance(figures, Mapping) else ())
        if isinstance(rows, list) and rows
    ]
    return blocks(
        f'<p class="lead-line">{escape(str(record.get("summary", "")))}</p>', _gate(record.get("gate")), *tables
    )


def _gate(gate: Any) -> str:
    rows = [row for row in gate if isinstance(row, Mapping)] if isinstance(gate, list) else []
    if not rows:
        return ""
    red = [row for row in rows if row.get("status") == "red"]
    words = f"{len(red)} of {len(rows)} floors are not held." if red else f"All {len(rows)} floors are held."
    lines = "".join(f"<li>{escape(str(row.get('line') or row.get('name') or ''))}</li>" for row in red)
    return f'<div class="state {"ill" if red else "well"}">{words}{f"<ul>{lines}</ul>" if lines else ""}</div>'


def _figures(split: str, rows: Sequence[Any]) -> str:
    body = "".join(
        f"<tr><td>{escape(_named(row))}</td><td>{_value(row)}</td><td>{_interval(row)}</td>"
        f"<td>{escape(str(row.get('n', row.get('total', ''))))}</td></tr>"
        for row in rows
        if isinstance(row, Mapping)
    )
    return (
        f'<h3>{escape(split)}</h3><div class="scroll"><table><thead><tr><th>measure</th><th>value</th>'
        f"<th>95 % interval</th><th>n</th></tr></thead><tbody>{body}</tbody></table></div>"
    )


def _named(row: Mapping[str, Any]) -> str:
    return str(row.get("name") or row.get("metric") or "").replace("_", " ")


def _value(row: Mapping[str, Any]) -> str:
    value = row.get("value")
    return f"{value:.3f}" if isinstance(value, (int, float)) else "not applicable"


def _interval(row: Mapping[str, Any]) -> str:
    low, high = row.get("low"), row.get("high")
    known = isinstance(low, (int, float)) and isinstance(high, (int, float))
    return f"{low:.3f} to {high:.3f}" if known else ""


def votes_html(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the votes kept beside the library."""
    if not rows:
        return blocks('<p class="hint">No votes yet: thumbs under an answer keep it as a candidate for the gold.</p>')
    up = sum(row.get("vote") == "up" for row in rows)
    items = "".join(
        f'<li><span class="vote">{"good" if row.get("vote") == "up" else "bad"}</span> '
        f"{escape(': '.join(str(row[key]) for key in ('question', 'note') if row.get(key)))}</li>"
        for row in rows[:_LISTED]
    )
    return blocks(
        f'<p class="lead-line">{len(rows):,} {"answer" if len(rows) == 1 else "answers"} judged: {up:,} good, '
        f"{len(rows) - up:,} bad.</p>",
        f'<ul class="plain">{items}</ul>',
    )


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "0 %"
