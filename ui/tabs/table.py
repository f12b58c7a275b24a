"""Table: the same things read from many abstracts, each cell a quote or empty."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from rag.errors import InputError
from rag.survey.columns import columns
from rag.survey.export import of_table
from rag.survey.tables import Table
from ui import listing
from ui.desk import LOOKING, Desk, our_html
from ui.library import Library, Progress
from ui.surveys import table_html
from ui.work import OVER_ALL, busy_html, counted, handed_out

_ALL, _WORDS, _WHICH, _LISTED = "all", "words", "which", "listed"
_CHOICES = [
    ("Whole library", _ALL),
    ("Best for some words", _WORDS),
    ("Yes to a question", _WHICH),
    ("My reading list", _LISTED),
]
_FOUND = 20  # papers that words choose
_STEP = 250  # papers between two words of progress
_COLUMNS = "method, task, headline number, code link"
# What a table was made of: the columns, and how its papers were chosen.
_Recipe = tuple[str, str, str, tuple[str, ...]]


def table_part(desk: Desk) -> None:
    """Lay out the table and wire it."""
    with gr.Column(elem_classes="sheet wide"):
        wanted = gr.Textbox(
            label="Columns",
            info="By commas: method, task, problem, headline number, results, code link, venue, or words of your own",
            value=_COLUMNS,
            max_lines=2,
            max_length=600,
            elem_id="table-columns",
        )
        choice = gr.Radio(_CHOICES, value=_ALL, label="Papers", elem_id="table-papers")
        words = gr.Textbox(label="Words or question", max_lines=2, max_length=600, visible=False, elem_id="table-words")
        make = gr.Button("Make the table", size="sm", elem_id="make-table", elem_classes="go")
        report = our_html(elem_id="table")
    recipe = gr.State(None)

    def show_words(chosen: str) -> Any:
        return gr.update(visible=chosen in (_WORDS, _WHICH))

    def fill(where: str, named: str, chosen: str, about: str, listed: Any) -> Iterator[tuple[Any, Any]]:
        library, given = (
            desk.library(where),
            (named or "", chosen, (about or "").strip(), tuple(listing.ids(listed, where))),
        )
        for done in _filled(library, given):
            yield (done, gr.skip()) if isinstance(done, str) else (table_html(done), given)

    def take(where: str, made: _Recipe | None, button: gr.EventData) -> Any:
        if made is None:
            return gr.skip()
        return handed_out(lambda: of_table(_table(desk.library(where), made)), "table", str(button.value))

    choice.input(show_words, [choice], [words], **LOOKING)
    given = [desk.where, wanted, choice, words, desk.listed]
    gr.on([make.click, wanted.submit, words.submit], fill, given, [report, recipe], **OVER_ALL)
    desk.pressed.export_table(take, [desk.where, recipe], [desk.outbox], **OVER_ALL)


def _filled(library: Library, recipe: _Recipe) -> Iterator[str | Table]:
    """Yield words of progress, then the table, or why there is none."""
    chosen: list[str] = []

    def choose(progress: Progress) -> str:
        columns(recipe[0])
        chosen.extend(_chosen(library, recipe, progress))
        return ""

    told = ""
    for told in counted("Choosing the papers", choose):
        if told:
            yield told
    if told:
        return
    tables = []
    for start in range(0, len(chosen), _STEP):
        if start:
            yield busy_html(f"Read {start:,} of {len(chosen):,} abstracts")
        tables.append(library.table(recipe[0], chosen[start : start + _STEP]))
    yield _joined(tables)


def _table(library: Library, recipe: _Recipe) -> Table:
    return library.table(recipe[0], _chosen(library, recipe))


def _chosen(library: Library, recipe: _Recipe, progress: Progress | None = None) -> list[str]:
    """Return the ids of the papers that a table is of; raises `InputError` where there are none."""
    _, choice, words, listed = recipe
    if choice in (_WORDS, _WHICH) and not words:
        raise InputError("The words that choose the papers are blank; say what the papers are about.")
    if choice == _WORDS:
        ids = [hit.paper_id for hit in library.search(words, _FOUND)]
    elif choice == _WHICH:
        ids = [finding.paper.id for finding in library.census(words, progress=progress).having("yes")]
    elif choice == _LISTED:
        ids = [paper_id for paper_id in listed if library.paper(paper_id)]
    else:
        ids = [paper.id for paper in library.papers()]
    if not ids:
        raise InputError("No paper was chosen: nothing fits, or the list is empty. Choose otherwise.")
    return ids


def _joined(tables: list[Table]) -> Table:
    return Table(
        tables[0].columns, tuple(p for t in tables for p in t.papers), tuple(row for t in tables for row in t.rows)
    )
