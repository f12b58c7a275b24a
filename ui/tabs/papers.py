"""Papers: search and browse, open an abstract with its nearest papers, keep a reading list."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import gradio as gr

from rag.survey.export import Sheet, of_papers
from ui import cards, listing
from ui.desk import LOOKING, Desk, our_html, session
from ui.finding import PAGE_SIZE, Filters, choices, find_papers, nearest, topic_choices
from ui.tabs.reading import list_html, reading_list
from ui.work import OVER_ALL, handed_out

_ANY = ""
_ALL = 1_000_000  # papers of a list that is taken away whole
_MOST_VISITORS = 10_000  # whose last look is remembered


class _Looks:
    """The number of each visitor's last search: the list of a tab that was entered before it is not shown over it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: dict[str, int] = {}

    def begin(self, visitor: str) -> int:
        """Return the number of a new search."""
        with self._lock:
            number = self._newest.pop(visitor, 0) + 1
            self._newest[visitor] = number
            if len(self._newest) > _MOST_VISITORS:
                del self._newest[next(iter(self._newest))]
        return number

    def newest(self, visitor: str) -> int:
        """Return the number of the visitor's last search, 0 before the first."""
        with self._lock:
            return self._newest.get(visitor, 0)


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
            topic = gr.Dropdown([("Any topic", _ANY)], value=_ANY, label="Topic", min_width=180, visible=False)
            code = gr.Checkbox(label="Releases code", min_width=120)
        with gr.Accordion("Reading list", open=False):
            reading = reading_list(desk)
        results = our_html(elem_id="results")
        more = gr.Button("Show more", size="sm", visible=False, elem_id="more")
    limit, since, looks = gr.State(PAGE_SIZE), gr.State(0), _Looks()

    def look(most: int, *given: Any) -> tuple[str, Any, int]:
        where, words, chosen_venue, chosen_year, chosen_topic, with_code, listed = given
        filters = Filters(chosen_venue or "", chosen_year or "", with_code, chosen_topic or "")
        found = find_papers(desk.library(where), words or "", filters, most)
        shown = cards.results_html(found, listing.ids(listed, where))
        return shown, gr.update(visible=found.total > len(found.shown)), most

    def look_anew(request: gr.Request, *given: Any) -> tuple[Any, Any, Any]:
        return look_unless_searched(looks.begin(session(request)), request, *given)

    # The list of a tab that is entered has the fields as they were then, and may be made after a later search.
    def look_unless_searched(since: int, request: gr.Request, *given: Any) -> tuple[Any, Any, Any]:
        found = look(PAGE_SIZE, *given)
        return found if looks.newest(session(request)) == since else (gr.skip(), gr.skip(), gr.skip())

    def look_on(*given: Any) -> tuple[str, Any, int]:
        *rest, most = given
        return look(most + PAGE_SIZE, *rest)

    def enter(request: gr.Request, where: str, of_venue: str, of_year: str, listed: Any) -> tuple[Any, ...]:
        since, library = looks.newest(session(request)), desk.library(where)
        venues, years = choices(library.papers())
        return (
            _dropdown("Any venue", [(name, name) for name in venues], of_venue),
            _dropdown("Any year", [(name, name) for name in years], of_year),
            list_html(desk, listed, where),
            since,
        )

    def name_topics(where: str, of_topic: str) -> Any:
        named = topic_choices(desk.library(where))
        return gr.update(**_dropdown("Any topic", named, of_topic), visible=bool(named))

    def open_paper(where: str, button: gr.EventData) -> str:
        library = desk.library(where)
        paper = library.paper(str(button.value))
        return cards.paper_html(paper, near=nearest(library, paper)) if paper else cards.empty_panel_html()

    def take_found(
        where: str, words: str, of_venue: str, of_year: str, of_topic: str, with_code: bool, button: gr.EventData
    ) -> Any:
        filters = Filters(of_venue or "", of_year or "", with_code, of_topic or "")

        def found() -> Sheet:
            return of_papers(row.paper for row in find_papers(desk.library(where), words or "", filters, _ALL).shown)

        return handed_out(found, "papers", str(button.value))

    chosen = [desk.where, query, venue, year, topic, code]
    given = [*chosen, desk.listed]
    shown = [results, more, limit]
    entered = tab.select(enter, [desk.where, venue, year, desk.listed], [venue, year, reading, since], **LOOKING)
    entered.then(look_unless_searched, [since, *given], shown, **LOOKING)
    # The first map of a large library takes seconds: the list is there before it.
    entered.then(name_topics, [desk.where, topic], [topic], **OVER_ALL)
    # A filter that is changed while the list is still being made must not be lost.
    changed: dict[str, Any] = {**LOOKING, "trigger_mode": "always_last"}
    gr.on([query.submit, venue.input, year.input, topic.input, code.input], look_anew, given, shown, **changed)
    more.click(look_on, [*given, limit], shown, **LOOKING)
    desk.pressed.paper(open_paper, [desk.where], [desk.panel], **LOOKING)
    desk.pressed.export_papers(take_found, chosen, [desk.outbox], **LOOKING)


def _dropdown(any_of_them: str, named: Sequence[tuple[str, str]], chosen: str | None) -> dict[str, Any]:
    """Return the change of a filter: what can be chosen now, and what was chosen as long as it can be."""
    there = chosen in [value for _, value in named]
    change: dict[str, Any] = gr.update(choices=[(any_of_them, _ANY), *named], value=chosen if there else _ANY)
    return change
