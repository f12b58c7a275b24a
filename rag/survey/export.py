"""Out again: answers, lists and tables as Markdown, CSV, JSON, BibTeX and RIS, with the quotes as notes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from rag.census.judging import Census
from rag.census.rendering import statements, to_dict
from rag.errors import InputError
from rag.survey.bibliography import Entry, bibtex, ris
from rag.survey.columns import Cell
from rag.survey.nearness import SAMENESS, Near, Neighbour
from rag.survey.tables import Comparison, Table
from rag.text.sheets import csv_text, markdown_table, markdown_text
from rag.types import Answer, Hit, Paper, Quote

Format = Literal["md", "csv", "json", "bibtex", "ris"]
FORMATS: tuple[Format, ...] = ("md", "csv", "json", "bibtex", "ris")
_QUOTE_COLUMNS = ("paper_id", "title", "authors", "year", "venue", "url", "quote", "start", "end")


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is to be written: its papers with their quotes, and its own Markdown, CSV rows and JSON."""

    entries: tuple[Entry, ...]
    markdown: str
    rows: tuple[tuple[object, ...], ...]
    value: Any


def write(sheet: Sheet, form: str) -> str:
    """Return a sheet in one of `FORMATS`."""
    if form == "md":
        return sheet.markdown
    if form == "csv":
        return csv_text(sheet.rows)
    if form == "json":
        return json.dumps(sheet.value, ensure_ascii=False, indent=2) + "\n"
    if form == "bibtex":
        return bibtex(sheet.entries)
    if form == "ris":
        return ris(sheet.entries)
    raise InputError(f"{form!r} is no format; formats are {', '.join(FORMATS)}.")


def of_answer(answer: Answer, papers: Mapping[str, Paper]) -> Sheet:
    """Return an answer as a sheet; `papers` are those that it cites, by id."""
    quotes: dict[str, list[Quote]] = {}
    for c in answer.citations:
        if c.paper_id in papers:
            quotes.setdefault(c.paper_id, []).append(Quote(papers[c.paper_id], c.chunk_id, c.start, c.end))
    entries = tuple(Entry(papers[identity], tuple(rows)) for identity, rows in quotes.items())
    sources = [
        f"{c.marker}. “{markdown_text(c.quote)}” — {markdown_text(c.title)} ({c.paper_id}, {c.start}–{c.end})"
        for c in answer.citations
    ]
    lines = [f"# {markdown_text(answer.question)}", "", _written(answer.text), "", f"*{answer.outcome}, {answer.mode}*"]
    markdown = "\n".join([*lines, *(["", "## Sources", "", *sources] if sources else []), ""])
    return Sheet(entries, markdown, _quote_rows(entries), answer.to_dict())


def _written(text: str) -> str:
    """Return an answer's text as Markdown in which only its lists are markup; the rest shows as it is."""
    lines = text.split("\n")
    return "\n".join(f"- {markdown_text(line[2:])}" if line.startswith("- ") else markdown_text(line) for line in lines)


def of_papers(papers: Iterable[Paper], notes: Mapping[str, str] | None = None) -> Sheet:
    """Return a list of papers as a sheet; `notes` are a reader's own words on them, by id."""
    noted = notes or {}
    entries = tuple(Entry(paper, note=noted.get(paper.id, "")) for paper in papers)
    rows, values = _quote_rows(entries), [e.paper.to_dict() for e in entries]
    if any(e.note for e in entries):
        (*head,), *body = rows
        rows = ((*head, "note"), *((*row, e.note) for row, e in zip(body, entries, strict=True)))
        values = [value | {"note": e.note} for value, e in zip(values, entries, strict=True)]
    return Sheet(entries, _list_markdown(entries), rows, values)


def of_hits(hits: Sequence[Hit]) -> Sheet:
    """Return what a search found as a sheet, best first."""
    entries = tuple(Entry(hit.paper) for hit in hits)
    return Sheet(entries, _list_markdown(entries), _quote_rows(entries), [hit.to_dict() for hit in hits])


def of_census(census: Census) -> Sheet:
    """Return a census as a sheet: the papers that are surely in it, and its full table as CSV."""
    from rag.answering.assembly import Assembly
    from rag.census.rendering import to_rows

    entries = tuple(Entry(f.paper, f.quotes) for f in census.having("yes"))
    assembly = Assembly()
    assembly.extend(statements(census))
    return Sheet(entries, f"{_written(assembly.text)}\n", tuple(to_rows(census)), to_dict(census))


def of_table(table: Table) -> Sheet:
    """Return an extraction table as a sheet; the number, unit and baseline of a figure get columns of their own."""
    entries = tuple(
        Entry(paper, _once(q for cell in row for q in cell.quotes))
        for paper, row in zip(table.papers, table.rows, strict=True)
    )
    head = ["Paper", *(markdown_text(c.name) for c in table.columns)]
    body = [
        [markdown_text(paper.title), *(_cell_markdown(cell) for cell in row)]
        for paper, row in zip(table.papers, table.rows, strict=True)
    ]
    named: list[object] = ["paper_id", "title"]
    for column in table.columns:
        named.append(column.name)
        named += [f"{column.name}: {part}" for part in ("number", "unit", "baseline")] if column.figures else []
        named.append(f"{column.name}: place")
    rows = [
        (paper.id, paper.title, *(value for c, cell in _paired(table, row) for value in _cell_row(c, cell)))
        for paper, row in zip(table.papers, table.rows, strict=True)
    ]
    return Sheet(entries, markdown_table([head, *body]), (tuple(named), *rows), table.to_dict())


def _paired(table: Table, row: Sequence[Cell]) -> Iterable[tuple[bool, Cell]]:
    return ((column.figures, cell) for column, cell in zip(table.columns, row, strict=True))


def _cell_row(figures: bool, cell: Cell) -> list[object]:
    values: list[object] = [cell.text]
    if figures:
        figure = cell.figure
        baseline = figure.baseline.text if figure and figure.baseline else ""
        values += [figure.number.text, figure.unit, baseline] if figure else ["", "", ""]
    return [*values, "; ".join(f"{q.start}–{q.end}" for q in cell.quotes)]


def _cell_markdown(cell: Cell) -> str:
    if cell.record:
        return markdown_text(cell.record)
    shown = " … ".join(f"“{markdown_text(q.text)}”" for q in cell.quotes)
    if cell.figure:
        baseline = cell.figure.baseline
        against = f"against “{markdown_text(baseline.text)}”" if baseline else "baseline not said"
        shown += f" (**{markdown_text(cell.figure.number.text)}**, {against})"
    return shown


def of_comparison(comparison: Comparison) -> Sheet:
    """Return a comparison as a sheet: aspects down, papers across, and below them what can't be compared."""
    head = ["", *(markdown_text(paper.title) for paper in comparison.papers)]
    body = [[aspect, *(_cell_markdown(cell) for cell in cells)] for aspect, cells in comparison.rows.items()]
    limits = "".join(f"- {markdown_text(limit)}\n" for limit in comparison.limits)
    markdown = markdown_table([head, *body]) + (f"\nWhat can't be compared:\n\n{limits}" if limits else "")
    entries = tuple(
        Entry(paper, _once(q for cells in comparison.rows.values() for q in cells[place].quotes))
        for place, paper in enumerate(comparison.papers)
    )
    rows = [("aspect", "paper_id", "title", "quote", "start", "end")] + [
        (aspect, paper.id, paper.title, q.text, q.start, q.end)
        for aspect, cells in comparison.rows.items()
        for paper, cell in zip(comparison.papers, cells, strict=True)
        for q in cell.quotes
    ]
    rows += [("not comparable", "", "", limit, "", "") for limit in comparison.limits]
    return Sheet(entries, markdown, tuple(rows), comparison.to_dict())


def of_near(near: Near) -> Sheet:
    """Return the neighbours of a draft as a sheet: a list for each thing shared, then the nearest of the rest."""
    quotes: dict[str, list[Quote]] = {}
    papers: dict[str, Paper] = {}
    rows: list[tuple[object, ...]] = [
        ("same", "paper_id", "title", "nearness", "draft", "draft_start", "draft_end", "quote", "start", "end")
    ]
    lines = [f"Same text in the library: {markdown_text(p.title)} ({p.id})\n" for p in near.same]
    lists: list[tuple[str, str, Sequence[Neighbour]]] = [(kind, f"Same {kind}", near.groups[kind]) for kind in SAMENESS]
    for kind, heading, neighbours in (*lists, ("", "Nearest of the rest", near.nearest)):
        lines.append(f"## {heading}\n")
        lines += [] if neighbours else ["Nothing near.\n"]
        for row in neighbours:
            papers[row.paper.id] = row.paper
            lines.append(f"- {markdown_text(row.paper.title)} ({row.paper.id}), nearness {row.nearness:.2f}")
            for o in row.overlaps:
                quotes.setdefault(row.paper.id, []).append(o.paper)
                place = (o.draft.text, o.draft.start, o.draft.end, o.paper.text, o.paper.start, o.paper.end)
                rows.append((kind, row.paper.id, row.paper.title, round(o.nearness, 4), *place))
                lines.append(f"  - yours: “{markdown_text(o.draft.text)}”")
                lines.append(f"    theirs: “{markdown_text(o.paper.text)}”")
        lines.append("")
    entries = tuple(Entry(papers[identity], _once(found)) for identity, found in quotes.items())
    return Sheet(entries, "\n".join(lines), tuple(rows), near.to_dict())


def _once(quotes: Iterable[Quote]) -> tuple[Quote, ...]:
    """Return the quotes of one paper in order, each place once."""
    return tuple({(q.start, q.end): q for q in quotes}.values())


def _list_markdown(entries: Sequence[Entry]) -> str:
    return "".join(
        f"{n}. {markdown_text(e.paper.title)} ({e.paper.id})\n" + (f"   {markdown_text(e.note)}\n" if e.note else "")
        for n, e in enumerate(entries, 1)
    )


def _quote_rows(entries: Sequence[Entry]) -> tuple[tuple[object, ...], ...]:
    """Return a row a quote; a paper without any has one row all the same."""
    rows: list[tuple[object, ...]] = [_QUOTE_COLUMNS]
    for entry in entries:
        paper, known = entry.paper, entry.paper.metadata
        authors = "; ".join(map(str, known.get("authors") or ()))
        record = (
            paper.id,
            paper.title,
            authors,
            known.get("year") or "",
            known.get("venue") or "",
            known.get("url") or "",
        )
        places: list[tuple[object, ...]] = [(q.text, q.start, q.end) for q in entry.quotes] or [("", "", "")]
        rows += [(*record, *place) for place in places]
    return tuple(rows)
