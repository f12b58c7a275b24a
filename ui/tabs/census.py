"""Census: every abstract judged by a question, with the quotes and a table to take away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gradio as gr

from rag.survey.export import of_census
from ui.cards import export_row
from ui.desk import LOOKING, Desk, our_html
from ui.library import Progress
from ui.reports import census_html, failed_html
from ui.work import OVER_ALL, counted, handed_out

_EXAMPLES = (
    "Which papers release their code?",
    "Which papers introduce a new benchmark?",
    "Which papers use reinforcement learning?",
)
_BLANK = "The question is blank; ask one such as: Which papers release their code?"
_LONGEST_QUESTION = 1000


def census_part(desk: Desk) -> None:
    """Lay out the census and wire it."""
    with gr.Column(elem_classes="sheet"):
        question = gr.Textbox(
            label="A question that every abstract is judged by",
            placeholder=_EXAMPLES[0],
            submit_btn=True,
            max_lines=3,
            max_length=_LONGEST_QUESTION,
            elem_id="census-question",
        )
        gr.Examples([[example] for example in _EXAMPLES], [question], label="For example", api_visibility="private")
        report = our_html(elem_id="census")
    judged = gr.State("")

    def judge(where: str, asked: str) -> Iterator[tuple[str, str]]:
        asked = asked.strip()
        if not asked:
            yield failed_html(_BLANK), ""
            return
        library = desk.library(where)
        words = f"Judging {library.count:,} abstracts by “{asked}”"

        def hold(progress: Progress) -> str:
            return f"{export_row('census')}\n\n{census_html(library.census(asked, progress=progress))}"

        for html in counted(words, hold):
            yield html, asked

    def take(where: str, asked: str, button: gr.EventData) -> Any:
        return handed_out(lambda: of_census(desk.library(where).census(asked)), "census", str(button.value))

    question.submit(judge, [desk.where, question], [report, judged], **OVER_ALL)
    desk.pressed.export_census(take, [desk.where, judged], [desk.outbox], **LOOKING)
