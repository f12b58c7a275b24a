"""An extraction table, a comparison and the neighbours of a draft -> HTML; every cell a quote, or visibly empty."""

from __future__ import annotations

from collections.abc import Sequence

from rag.survey.columns import Cell
from rag.survey.nearness import SAMENESS, Near, Neighbour, Overlap
from rag.survey.tables import Comparison, Table
from rag.types import Paper
from ui.cards import blocks, export_row, metadata_html, paper_button
from ui.finding import matched_words
from ui.inline import escape, inline, with_words

ROWS_SHOWN = 50  # of a table on the page; the file has them all
_EMPTY = '<span class="empty" aria-hidden="true">–</span><span class="sr">not said</span>'
_MEANINGS = {
    "problem": "They set out to solve what you do.",
    "method": "They go about it as you do.",
    "claim": "They report what you do.",
}
_NEAREST = "Nearest as a whole, the nearest first; of each, the two sentences that come nearest. Judge them yourself."


def table_html(table: Table) -> str:
    """Return an extraction table: a row a paper, a column a thing asked for."""
    total = len(table.papers)
    filled = [sum(bool(row[i].text) for row in table.rows) for i in range(len(table.columns))]
    head = "".join(
        f'<th scope="col">{escape(column.name)}<span class="of">{count:,} of {total:,}</span></th>'
        for column, count in zip(table.columns, filled, strict=True)
    )
    body = "".join(
        f'<tr><th scope="row">{paper_button(paper)}</th>{_cells(row)}</tr>'
        for paper, row in zip(table.papers[:ROWS_SHOWN], table.rows[:ROWS_SHOWN], strict=True)
    )
    more = total - ROWS_SHOWN
    rest = f'<p class="hint">{more:,} more {"row is" if more == 1 else "rows are"} in the file.</p>' if more > 0 else ""
    return blocks(
        f'<p class="lead-line">Read {total:,} {"abstract" if total == 1 else "abstracts"}; every cell is a quote, '
        "and empty where the abstract does not say.</p>",
        export_row("table"),
        _scrolled(f'<tr><th scope="col">Paper</th>{head}</tr>', body, "Table of the papers"),
        rest,
    )


def comparison_html(comparison: Comparison) -> str:
    """Return papers side by side: a row an aspect, and below it what can't be compared."""
    head = "".join(f'<th scope="col">{paper_button(paper)}</th>' for paper in comparison.papers)
    body = "".join(
        f'<tr><th scope="row">{escape(aspect.capitalize())}</th>{_cells(cells)}</tr>'
        for aspect, cells in comparison.rows.items()
    )
    limits = "".join(f"<li>{escape(limit)}</li>" for limit in comparison.limits)
    return blocks(
        _scrolled(f'<tr><td class="corner"></td>{head}</tr>', body, "Comparison of the papers"),
        f'<h3>What can’t be compared</h3><ul class="plain">{limits}</ul>' if limits else "",
        export_row("compare"),
    )


def _scrolled(head: str, body: str, name: str) -> str:
    # A keyboard scrolls only what it can stand on.
    table = f'<table class="quotes"><thead>{head}</thead><tbody>{body}</tbody></table>'
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{name}">{table}</div>'


def _cells(cells: Sequence[Cell]) -> str:
    return "".join(f'<td dir="auto">{_cell(cell)}</td>' for cell in cells)


def _cell(cell: Cell) -> str:
    if cell.record:
        return inline(cell.record)
    if not cell.quotes:
        return _EMPTY
    figure = ""
    if cell.figure:
        baseline = cell.figure.baseline
        against = f"against “{inline(baseline.text)}”" if baseline else "baseline not said"
        figure = f'<p class="figure"><strong>{inline(cell.figure.number.text)}</strong> {against}</p>'
    return figure + "".join(f"<p>“{inline(quote.text)}”</p>" for quote in cell.quotes)


def near_html(near: Near) -> str:
    """Return the papers near a draft by what they share with it, then the nearest of the rest, with both sentences."""
    shared = any(near.groups.values())
    lead = f"Compared with the {near.read} nearest papers, sentence by sentence; words that both have are marked."
    hints = {
        "None of them can be shown to share a problem, a method or a claim with it.": near.read and not shared,
        "No paper here has a word of it.": not near.read,
    }
    return blocks(
        f'<p class="lead-line">{lead}</p>',
        *(_same_text(paper) for paper in near.same),
        *(f'<p class="hint">{words}</p>' for words, true in hints.items() if true),
        *(_neighbours(f"Same {kind}", _MEANINGS[kind], near.groups[kind]) for kind in SAMENESS),
        _neighbours("Nearest of the rest", _NEAREST, near.nearest),
        export_row("near") if shared or near.nearest else "",
    )


def _same_text(paper: Paper) -> str:
    return f'<div class="note">This is the text of {paper_button(paper)}, which is left out.</div>'


def _neighbours(heading: str, meaning: str, rows: Sequence[Neighbour]) -> str:
    if not rows:
        return ""
    items = "".join(
        f"<li>{paper_button(row.paper)}{metadata_html(row.paper)}{''.join(map(_pair, row.overlaps))}</li>"
        for row in rows
    )
    return (
        f'<details class="group" open><summary>{heading}: {len(rows)}</summary>'
        f'<p class="hint">{meaning}</p><ul class="findings">{items}</ul></details>'
    )


def _pair(overlap: Overlap) -> str:
    words = " ".join(overlap.words)
    sides = (("Yours", overlap.draft.text), ("Theirs", overlap.paper.text))
    rows = "".join(
        f'<div><p class="label">{side}</p>'
        f'<p class="passage" dir="auto">{with_words(text, matched_words(text, words))}</p></div>'
        for side, text in sides
    )
    return f'<div class="pair">{rows}</div>'
