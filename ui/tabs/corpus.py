"""Whole corpus: every abstract judged by a question, with the quotes and a table to take away."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import gradio as gr

from rag.census.rendering import to_csv
from rag.errors import RagError
from ui.cards import save_button
from ui.desk import QUIET, Desk, our_html
from ui.inline import escape
from ui.reports import census_html, failed_html

_log = logging.getLogger(__name__)
_EXAMPLES = (
    "Which papers release their code?",
    "Which papers introduce a new benchmark?",
    "Which papers use reinforcement learning?",
)
_LONGEST_QUESTION = 1000
# A census keeps one core busy for seconds: two leave the chat of the others its share.
_CENSUSES: dict[str, Any] = {**QUIET, "concurrency_limit": 2, "concurrency_id": "census"}


def corpus_tab(desk: Desk) -> None:
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

    def judge(where: str, asked: str) -> Iterator[str]:
        asked = asked.strip()
        if not asked:
            yield failed_html("The question is blank; ask one such as: Which papers release their code?")
            return
        library = desk.library(where)
        yield f'<p class="lead-line busy" role="status">Judging {library.count:,} abstracts by “{escape(asked)}”…</p>'
        try:
            census = library.census(asked)
        except RagError as error:
            yield failed_html(str(error))
        except Exception:  # a bug: the visitor reads a sentence, the log has the traceback
            _log.exception("A census failed")
            yield failed_html("Something went wrong while judging; the details are in the server's log.")
        else:
            table = save_button("Download the table (CSV)", "census.csv", to_csv(census))
            yield f'<div class="actions">{table}</div>\n\n{census_html(census)}'

    question.submit(judge, [desk.where, question], [report], **_CENSUSES)
