"""Library: what is in it and whether it is complete, another one, and a file of one's own."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import gradio as gr

from rag.errors import RagError
from rag.library.corpus import FILE_TYPES, FORMS
from ui import cards, render
from ui.conversation import Conversation
from ui.desk import LOOKING, QUIET, Desk, our_html
from ui.intake import LARGEST_FILE, Refused, take_in
from ui.keeping import read_keeping
from ui.reports import failed_html, indexed_html, library_html
from ui.tabs.ask import AskParts, chat_of

_BAR = gr.Progress()  # as a default value it tells Gradio to show one
_log = logging.getLogger(__name__)
_UNEXPECTED = "Something went wrong while reading the file; the details are in the server's log."


def library_tab(desk: Desk, tab: gr.Tab, ask: AskParts) -> None:
    """Lay out the library's state and wire it."""
    with gr.Column(elem_classes="sheet"):
        chosen = gr.Dropdown([desk.shelf.first.name], value=desk.shelf.first.name, label="Library")
        state = our_html(elem_id="library-state")
        dropped = gr.File(
            label=f"Add a file of abstracts: {FORMS}; at most {LARGEST_FILE // 10**6} MB",
            file_types=list(FILE_TYPES),
            height=130,
            visible=desk.uploads and desk.shelf.can_add,
            elem_id="dropped",
        )
        report = our_html(elem_id="indexed")

    def enter(where: str) -> tuple[Any, str]:
        library = desk.library(where)
        return (
            gr.update(choices=desk.shelf.names(), value=library.name),
            library_html(library.health(), library.settings()),
        )

    def switch(name: str, kept: Any) -> dict[Any, Any]:
        try:
            library = desk.library(name)
        except RagError as error:
            return {report: failed_html(str(error))}
        return _switched(library.name, kept)

    def _switched(name: str, kept: Any) -> dict[Any, Any]:
        library = desk.library(name)
        return {
            desk.where: library.name,
            chosen: gr.update(choices=desk.shelf.names(), value=library.name),
            state: library_html(library.health(), library.settings()),
            desk.masthead: render.header_html(library.name, library.count, desk.mode, desk.model),
            desk.panel: cards.empty_panel_html(),
            ask.conversation: Conversation(),
            ask.messages: chat_of(Conversation(), library),
            desk.kept: read_keeping(kept).opened("").written(),
        }

    def add(file: str | None, kept: Any, progress: gr.Progress = _BAR) -> dict[Any, Any]:
        if not file:
            return {report: gr.skip()}

        def told(done: int, total: int) -> None:
            progress((done, total), desc="Embedding", unit="passages")

        try:
            name, done = take_in(desk.shelf, Path(file), told)
        except Refused as refused:
            return {report: failed_html(str(refused), refused.skipped), dropped: None}
        except RagError as error:
            return {report: failed_html(str(error)), dropped: None}
        except Exception:  # a bug: the visitor reads a sentence, the log has the traceback
            _log.exception("A file could not be added")
            return {report: failed_html(_UNEXPECTED), dropped: None}
        return {**_switched(name, kept), report: indexed_html(name, done), dropped: None}

    changed = [desk.where, chosen, state, desk.masthead, desk.panel, ask.conversation, ask.messages, desk.kept, report]
    tab.select(enter, [desk.where], [chosen, state], **LOOKING)
    chosen.input(switch, [chosen, desk.kept], changed, **LOOKING)
    adding: dict[str, Any] = {**QUIET, "show_progress": "full", "concurrency_limit": 1, "concurrency_id": "adding"}
    dropped.upload(add, [dropped, desk.kept], [*changed, dropped], **adding)
