"""Ask: the chat, what a reader does with an answer, and the conversations kept in the browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import gradio as gr

from rag.survey.export import of_answer
from ui import cards, feedback, render
from ui.chat import Step
from ui.conversation import Conversation, Exchange
from ui.desk import AT_ONCE, LOOKING, QUIET, Desk, delimiters, forget_copies, session
from ui.examples import example_questions
from ui.feedback import LONGEST_NOTE
from ui.keeping import read_keeping
from ui.library import Library
from ui.suggest import short_name
from ui.work import handed_out

ASK = "ask"
# A model's server answers several at a time; extractive answers are short and share this machine's cores.
_ANSWERS_AT_ONCE = {"llm": 16, "extractive": 4}
_LONGEST_QUESTION = 4000  # characters; longer input is a pasted document, not a question
_SECONDS_A_LEFT_SESSION_IS_KEPT = 3600
_REPLIES_REMEMBERED = 512  # of some kilobytes each, with their answers


@dataclass(frozen=True)
class AskParts:
    """What other tabs change on this one."""

    conversation: gr.State
    messages: gr.Chatbot
    box: gr.Textbox


def ask_tab(desk: Desk, page: gr.Blocks) -> AskParts:
    """Lay out the chat and wire it."""
    first = desk.shelf.first
    conversation = gr.State(Conversation(), time_to_live=_SECONDS_A_LEFT_SESSION_IS_KEPT)
    voted = gr.State(("", ""), time_to_live=_SECONDS_A_LEFT_SESSION_IS_KEPT)
    with gr.Column(elem_id="ask"):
        messages = gr.Chatbot(
            label="Conversation",
            show_label=False,
            elem_id="chat",
            layout="panel",
            buttons=[],
            autoscroll=False,  # the page's script keeps the newest question in view instead
            latex_delimiters=delimiters(),
            placeholder=render.welcome_html(first.name, first.count),
            examples=[{"text": question} for question in example_questions(first.papers())],
            group_consecutive_messages=False,
            feedback_options=None,
        )
        note = gr.Textbox(
            label="A note on this answer (optional)",
            elem_id="note",
            max_lines=3,
            max_length=LONGEST_NOTE,
            submit_btn="Keep note",
            visible=False,
        )
        box = gr.Textbox(
            label="Your question",
            show_label=False,
            container=False,
            placeholder="Ask about these papers",
            elem_id="question",
            max_lines=6,
            max_length=_LONGEST_QUESTION,
            submit_btn=True,
            autofocus=True,
        )
    parts = AskParts(conversation, messages, box)
    _wire_answers(desk, page, parts)
    _wire_reading(desk, parts)
    _wire_votes(desk, parts, voted, note)
    return parts


def messages_of(conversation: Conversation) -> list[dict[str, str]]:
    """Return a conversation as the chatbot shows it."""
    last = conversation.exchanges[-1].id if conversation.exchanges else 0
    return [
        message
        for exchange in conversation.exchanges
        for message in (
            {"role": "user", "content": render.question_html(exchange)},
            {"role": "assistant", "content": _reply_html(exchange, exchange.id == last)},
        )
    ]


def _reply_html(exchange: Exchange, last: bool) -> str:
    return _ended_html(exchange, last) if exchange.answer else render.exchange_html(exchange, last=last)


# Each step of an answer shows all that went before it: what has ended is made once.
@lru_cache(maxsize=_REPLIES_REMEMBERED)
def _ended_html(exchange: Exchange, last: bool) -> str:
    return render.exchange_html(exchange, last=last)


def chat_of(conversation: Conversation, library: Library) -> Any:
    """Return the chatbot with a conversation in it and, where it is empty, the invitation of its library."""
    return gr.update(
        value=messages_of(conversation),
        placeholder=render.welcome_html(library.name, library.count),
        examples=[{"text": question} for question in example_questions(library.papers())],
    )


def question_box(*, busy: bool = False, text: str | None = None) -> Any:
    """Return the change of the question box: a stop button while an answer is written, else a send button."""
    change: dict[str, Any] = {"submit_btn": not busy, "stop_btn": busy}
    return gr.update(**change) if text is None else gr.update(**change, value=text)


def _updates(steps: Iterator[Step], desk: Desk, parts: AskParts) -> Iterator[dict[Any, Any]]:
    """Turn steps into updates; the conversation is saved and the box changed only where that matters."""
    started = False
    for step in steps:
        update: dict[Any, Any] = {parts.messages: messages_of(step.conversation)}
        if step.panel is not None:
            update[desk.panel] = step.panel
        if not started or not step.busy:
            update[parts.conversation] = step.conversation
            update[parts.box] = question_box(busy=step.busy, text=None if started else "")
        started = True
        yield update
    if not started:
        yield {parts.conversation: gr.skip()}


def _wire_answers(desk: Desk, page: gr.Blocks, parts: AskParts) -> None:
    """Wire what makes answers: asking, an example, what to ask next, asking again, stopping."""
    conversation, messages, box = parts.conversation, parts.messages, parts.box

    def ask(question: str, where: str, before: Conversation, request: gr.Request) -> Iterator[dict[Any, Any]]:
        yield from _updates(desk.chat(where).ask(question, before, session(request)), desk, parts)

    def ask_example(
        where: str, before: Conversation, chosen: gr.SelectData, request: gr.Request
    ) -> Iterator[dict[Any, Any]]:
        yield from ask(chosen.value["text"], where, before, request)

    def ask_next(
        where: str, before: Conversation, button: gr.EventData, request: gr.Request
    ) -> Iterator[dict[Any, Any]]:
        yield from ask(str(button.value), where, before, request)

    def ask_again(
        where: str, before: Conversation, button: gr.EventData, request: gr.Request
    ) -> Iterator[dict[Any, Any]]:
        yield from _updates(desk.chat(where).retry(int(button.value), before, session(request)), desk, parts)

    def keep(where: str, now: Conversation, kept: Any, request: gr.Request) -> Any:
        forget_copies(page, session(request))
        return read_keeping(kept).saved(now, desk.library(where).name).written()

    def stop(where: str, request: gr.Request) -> None:
        desk.chat(where).stop(session(request))

    shown = [conversation, messages, desk.panel, box]
    answers: dict[str, Any] = {
        **QUIET,
        "concurrency_limit": _ANSWERS_AT_ONCE.get(desk.mode, 4),
        "concurrency_id": "answers",
    }
    for event in (
        box.submit(ask, [box, desk.where, conversation], shown, **answers),
        messages.example_select(ask_example, [desk.where, conversation], shown, **answers),
        desk.pressed.ask(ask_next, [desk.where, conversation], shown, **answers),
        desk.pressed.retry(ask_again, [desk.where, conversation], shown, **answers),
    ):
        event.then(keep, [desk.where, conversation, desk.kept], [desk.kept], **AT_ONCE)
    box.stop(stop, [desk.where], None, **AT_ONCE)
    page.unload(desk.leave)


def _wire_reading(desk: Desk, parts: AskParts) -> None:
    """Wire what a reader does with an answer: open a source, edit the question, link to it."""
    conversation, messages, box = parts.conversation, parts.messages, parts.box

    def open_source(where: str, now: Conversation, button: gr.EventData) -> str:
        return desk.chat(where).source_html(str(button.value), now)

    def edit(now: Conversation, button: gr.EventData) -> dict[Any, Any]:
        exchange = now.find(int(button.value))
        if not exchange:
            return {conversation: gr.skip()}
        earlier = now.before(exchange.id)
        return {
            conversation: earlier,
            messages: messages_of(earlier),
            box: question_box(text=exchange.question),
            desk.panel: cards.empty_panel_html(),
        }

    def link(where: str, now: Conversation, button: gr.EventData) -> Any:
        exchange = now.find(int(button.value))
        if not exchange or not exchange.answer:
            return gr.skip()
        return render.link_html(desk.links().store(exchange, desk.library(where).name))

    def take(where: str, now: Conversation, button: gr.EventData) -> Any:
        form, _, number = str(button.value).partition(":")
        exchange, library = now.find(int(number)), desk.library(where)
        answer = exchange.answer if exchange else None
        if not answer:
            return gr.skip()
        cited = {c.paper_id: library.paper(c.paper_id) for c in answer.citations}
        papers = {key: paper for key, paper in cited.items() if paper}
        return handed_out(lambda: of_answer(answer, papers), "answer", form)

    def about(where: str, button: gr.EventData) -> dict[Any, Any]:
        paper = desk.library(where).paper(str(button.value))
        text = f"What does {short_name(paper)} do?" if paper else ""
        return {desk.tabs: gr.Tabs(selected=ASK), box: question_box(text=text)}

    desk.pressed.cite(open_source, [desk.where, conversation], [desk.panel], **AT_ONCE)
    desk.pressed.close(cards.empty_panel_html, None, [desk.panel], **AT_ONCE)
    desk.pressed.edit(edit, [conversation], [conversation, messages, box, desk.panel], **AT_ONCE)
    desk.pressed.link(link, [desk.where, conversation], [desk.panel], **AT_ONCE)
    desk.pressed.export_answer(take, [desk.where, conversation], [desk.outbox], **LOOKING)
    desk.pressed.about(about, [desk.where], [desk.tabs, box], **AT_ONCE)


def _wire_votes(desk: Desk, parts: AskParts, voted: gr.State, note: gr.Textbox) -> None:
    """Wire the thumbs: a vote is stored at once, a note is added to it."""

    def store(where: str, now: Conversation, vote: tuple[str, str], words: str) -> None:
        exchange = now.find(int(vote[0])) if vote[0].isdecimal() else None
        if exchange and exchange.answer:
            history = now.before(exchange.id).history()
            row = feedback.candidate(exchange.answer, history, "up" if vote[1] == "up" else "down", words)
            feedback.store(desk.library(where).folder, row)

    def vote(where: str, now: Conversation, button: gr.EventData) -> tuple[tuple[str, str], Any]:
        exchange_id, _, word = str(button.value).partition(":")
        store(where, now, (exchange_id, word), "")
        return (exchange_id, word), gr.update(visible=True, value="")

    def keep_note(where: str, now: Conversation, choice: tuple[str, str], words: str) -> Any:
        store(where, now, choice, words)
        return gr.update(visible=False, value="")

    desk.pressed.vote(vote, [desk.where, parts.conversation], [voted, note], **AT_ONCE)
    note.submit(keep_note, [desk.where, parts.conversation, voted, note], [note], **AT_ONCE)
