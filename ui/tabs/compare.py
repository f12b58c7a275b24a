"""Compare: two to five papers side by side, by aspect, each cell quoted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import gradio as gr

from rag.survey.export import of_comparison
from rag.survey.tables import MOST_COMPARED
from rag.types import Paper
from ui import listing
from ui.desk import AT_ONCE, LOOKING, Desk, our_html
from ui.library import Library
from ui.surveys import comparison_html
from ui.work import OVER_ALL, handed_out, told

_OFFERED = 8  # papers to choose from at a time
_TITLE = 90  # characters of a choice


def compare_part(desk: Desk, tab: gr.Tab) -> None:
    """Lay out the choice of papers and the comparison, and wire them."""
    with gr.Column(elem_classes="sheet wide"):
        words = gr.Textbox(
            label="Find papers to compare",
            info="By words or a name; what you have chosen stays",
            submit_btn=True,
            max_lines=1,
            max_length=300,
            elem_id="compare-words",
        )
        chosen = gr.CheckboxGroup([], label=f"Papers, 2 to {MOST_COMPARED}", elem_id="compare-papers")
        make = gr.Button("Compare", size="sm", elem_id="make-comparison", elem_classes="go")
        report = our_html(elem_id="comparison")
    found, compared = gr.State([]), gr.State(())

    def find(where: str, about: str, listed: Any) -> list[str]:
        library = desk.library(where)
        return [p.id for p in _offered(library, (about or "").strip(), listing.papers(listed, library, where))]

    def offer(where: str, found: Sequence[str], picked: Sequence[str]) -> Any:
        library = desk.library(where)
        papers = {p.id: p for paper_id in (*(picked or ()), *found) if (p := library.paper(paper_id))}
        choices = [(_title(paper), paper.id) for paper in papers.values()]
        there = [paper_id for paper_id in picked or () if paper_id in papers]
        # What is ticked is the reader's: it is only set where a paper has left the library.
        return gr.update(choices=choices) if there == list(picked or ()) else gr.update(choices=choices, value=there)

    def lay_out(where: str, picked: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        ids = tuple(picked or ())
        for html in told("Comparing", lambda: comparison_html(desk.library(where).compare(ids))):
            yield html, ids

    def take(where: str, ids: tuple[str, ...], button: gr.EventData) -> Any:
        return handed_out(lambda: of_comparison(desk.library(where).compare(ids)), "comparison", str(button.value))

    # Papers may be ticked while a search is under way: what is chosen is read only when it has ended.
    gr.on([tab.select, words.submit], find, [desk.where, words, desk.listed], [found], **LOOKING).then(
        offer, [desk.where, found, chosen], [chosen], **AT_ONCE
    )
    make.click(lay_out, [desk.where, chosen], [report, compared], **OVER_ALL)
    desk.pressed.export_compare(take, [desk.where, compared], [desk.outbox], **LOOKING)


def _offered(library: Library, words: str, listed: Sequence[Paper]) -> list[Paper]:
    """Return papers to choose from: what was searched for, else the reading list and the first of the library."""
    if words:
        return [hit.paper for hit in library.search(words, _OFFERED)]
    first = islice(library.papers(), _OFFERED)
    return list({paper.id: paper for paper in (*listed, *first)}.values())[:_OFFERED]


def _title(paper: Paper) -> str:
    short = paper.title if len(paper.title) <= _TITLE else f"{paper.title[:_TITLE].rsplit(' ', 1)[0]} …"
    year = paper.metadata.get("year")
    return f"{short} ({year})" if year else short
