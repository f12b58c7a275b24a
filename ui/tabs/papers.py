"""Papers: search and browse, open an abstract with its nearest papers, keep a reading list."""

from __future__ import annotations

from typing import Any

import gradio as gr

from rag.types import Paper
from ui import cards
from ui.desk import AT_ONCE, LOOKING, Desk, our_html
from ui.finding import PAGE_SIZE, Filters, choices, find_papers, nearest

_ANY = ""
_LONGEST_LIST = 500


def papers_tab(desk: Desk, tab: gr.Tab) -> None:
    """Lay out the result list and wire it."""
    with gr.Column(elem_classes="sheet"):
        query = gr.Textbox(
            label="Search",
            placeholder="Words, a name, a figure; leave it empty to browse",
            submit_btn=True,
            max_lines=1,
        )
        with gr.Row(elem_classes="filters"):
            venue = gr.Dropdown([("Any venue", _ANY)], value=_ANY, label="Venue", min_width=120)
            year = gr.Dropdown([("Any year", _ANY)], value=_ANY, label="Year", min_width=100)
            code = gr.Checkbox(label="Releases code", min_width=120)
        with gr.Accordion("Reading list", open=False):
            listing = our_html(elem_id="reading-list")
        results = our_html(elem_id="results")
        more = gr.Button("Show more", size="sm", visible=False, elem_id="more")
    limit = gr.State(PAGE_SIZE)

    def look(
        where: str, words: str, chosen_venue: str, chosen_year: str, with_code: bool, most: int, listed: Any
    ) -> tuple[str, Any]:
        filters = Filters(chosen_venue or "", chosen_year or "", with_code)
        found = find_papers(desk.library(where), words or "", filters, most)
        ids = _ids(listed, where)
        return cards.results_html(found, ids), gr.update(visible=found.total > len(found.shown))

    def look_anew(*given: Any) -> tuple[str, Any, int]:
        where, words, chosen_venue, chosen_year, with_code, listed = given
        return (*look(where, words, chosen_venue, chosen_year, with_code, PAGE_SIZE, listed), PAGE_SIZE)

    def look_on(*given: Any) -> tuple[str, Any, int]:
        where, words, chosen_venue, chosen_year, with_code, listed, most = given
        return (*look(where, words, chosen_venue, chosen_year, with_code, most + PAGE_SIZE, listed), most + PAGE_SIZE)

    def enter(where: str, words: str, with_code: bool, listed: Any) -> tuple[Any, ...]:
        library = desk.library(where)
        venues, years = choices(library.papers())
        shown, button = look(where, words, _ANY, _ANY, with_code, PAGE_SIZE, listed)
        return (
            gr.update(choices=[("Any venue", _ANY), *((v, v) for v in venues)], value=_ANY),
            gr.update(choices=[("Any year", _ANY), *((y, y) for y in years)], value=_ANY),
            shown,
            button,
            PAGE_SIZE,
            cards.reading_list_html(_papers(desk, listed, where)),
        )

    def open_paper(where: str, button: gr.EventData) -> str:
        library = desk.library(where)
        paper = library.paper(str(button.value))
        return cards.paper_html(paper, near=nearest(library, paper)) if paper else cards.empty_panel_html()

    def keep(where: str, listed: Any, button: gr.EventData) -> tuple[Any, str]:
        rows = _toggled(listed, where, str(button.value))
        return rows, cards.reading_list_html(_papers(desk, rows, where))

    given = [desk.where, query, venue, year, code, desk.listed]
    shown = [results, more, limit]
    tab.select(enter, [desk.where, query, code, desk.listed], [venue, year, *shown, listing], **LOOKING)
    gr.on([query.submit, venue.input, year.input, code.input], look_anew, given, shown, **LOOKING)
    more.click(look_on, [*given, limit], shown, **LOOKING)
    desk.pressed.paper(open_paper, [desk.where], [desk.panel], **LOOKING)
    desk.pressed.keep(keep, [desk.where, desk.listed], [desk.listed, listing], **AT_ONCE)


def _rows(listed: Any) -> list[list[str]]:
    """Return the reading list as the browser keeps it: pairs of library and id, the last kept first."""
    rows = listed if isinstance(listed, list) else []
    sound = [r for r in rows if isinstance(r, list) and len(r) == 2 and all(isinstance(part, str) for part in r)]
    return sound[:_LONGEST_LIST]


def _toggled(listed: Any, where: str, paper_id: str) -> list[list[str]]:
    rows, row = _rows(listed), [where, paper_id]
    return [other for other in rows if other != row] if row in rows else [row, *rows][:_LONGEST_LIST]


def _ids(listed: Any, where: str) -> set[str]:
    return {paper_id for name, paper_id in _rows(listed) if name == where}


def _papers(desk: Desk, listed: Any, where: str) -> list[Paper]:
    library = desk.library(where)
    found = (library.paper(paper_id) for name, paper_id in _rows(listed) if name == where)
    return [paper for paper in found if paper]
