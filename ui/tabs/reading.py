"""The reading list: the papers a visitor kept, with notes on them, to be saved in all forms."""

from __future__ import annotations

from typing import Any

import gradio as gr

from rag.survey.export import of_papers
from ui import cards, listing
from ui.desk import AT_ONCE, LOOKING, Desk, our_html
from ui.work import handed_out

_TITLE = 60  # characters of a title in a label


def list_html(desk: Desk, listed: Any, where: str) -> str:
    """Return one library's part of a reading list, with the reader's notes."""
    kept = listing.papers(listed, desk.library(where), where)
    return cards.reading_list_html(kept, listing.notes(listed, where))


def reading_list(desk: Desk) -> gr.Markdown:
    """Lay out the reading list and wire it; return the place of the list."""
    reading, about = our_html(elem_id="reading-list"), gr.State("")
    note = gr.Textbox(
        max_lines=3, max_length=listing.LONGEST_NOTE, submit_btn=True, visible=False, elem_id="paper-note"
    )

    def keep(where: str, listed: Any, button: gr.EventData) -> tuple[Any, str]:
        rows = listing.toggled(listed, where, str(button.value))
        return rows, list_html(desk, rows, where)

    def write(where: str, listed: Any, button: gr.EventData) -> tuple[str, Any]:
        paper = desk.library(where).paper(str(button.value))
        if not paper:
            return "", gr.skip()
        label = f"Your note on “{paper.title[:_TITLE]}”, kept in this browser and saved with the list"
        return paper.id, gr.update(
            label=label, value=listing.notes(listed, where).get(paper.id, ""), visible=True, autofocus=True
        )

    def keep_note(where: str, listed: Any, on: str, words: str | None) -> tuple[Any, str, Any]:
        rows = listing.noted(listed, where, on, words or "")
        return rows, list_html(desk, rows, where), gr.update(visible=False, value="")

    def take(where: str, listed: Any, button: gr.EventData) -> Any:
        kept = listing.papers(listed, desk.library(where), where)
        return handed_out(lambda: of_papers(kept, listing.notes(listed, where)), "reading-list", str(button.value))

    desk.pressed.keep(keep, [desk.where, desk.listed], [desk.listed, reading], **AT_ONCE)
    desk.pressed.write(write, [desk.where, desk.listed], [about, note], **AT_ONCE)
    note.submit(keep_note, [desk.where, desk.listed, about, note], [desk.listed, reading, note], **AT_ONCE)
    desk.pressed.export_list(take, [desk.where, desk.listed], [desk.outbox], **LOOKING)
    return reading
