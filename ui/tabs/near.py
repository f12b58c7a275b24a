"""Near my abstract: papers that share a pasted draft's problem, method or claim, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from rag.survey.export import of_near
from rag.survey.nearness import MOST_CHARACTERS
from ui.desk import LOOKING, Desk, our_html
from ui.surveys import near_html
from ui.work import OVER_ALL, handed_out, told


def near_part(desk: Desk) -> None:
    """Lay out the place for a draft and its neighbours, and wire them."""
    with gr.Column(elem_classes="sheet"):
        draft = gr.Textbox(
            label="Your abstract",
            info="It stays on this page: nothing of it is stored or sent elsewhere",
            placeholder="Paste a draft of a few sentences",
            lines=7,
            max_lines=14,
            max_length=MOST_CHARACTERS,
            elem_id="draft",
        )
        find = gr.Button("Find what is near", size="sm", elem_id="find-near", elem_classes="go")
        report = our_html(elem_id="near")
    compared = gr.State("")

    def look(where: str, text: str) -> Iterator[tuple[str, str]]:
        for html in told("Comparing your sentences", lambda: near_html(desk.library(where).near(text))):
            yield html, text

    def take(where: str, text: str, button: gr.EventData) -> Any:
        return handed_out(lambda: of_near(desk.library(where).near(text)), "near", str(button.value))

    find.click(look, [desk.where, draft], [report, compared], **OVER_ALL)
    desk.pressed.export_near(take, [desk.where, compared], [desk.outbox], **LOOKING)
