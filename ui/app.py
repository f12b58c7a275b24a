"""The Gradio page: `build_app` wires it, `launch` serves it, `serve` does both for the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from rag.errors import InputError
from ui import render
from ui.chat import Chat, Library, Step
from ui.conversation import Conversation
from ui.examples import example_questions
from ui.inline import LATEX_DELIMITERS
from ui.theme import BRIDGE_FILE, CSS_FILE, page_theme

_ANSWERS_AT_ONCE = 16  # a model's server answers several at a time; extractive answers are short
_LONGEST_QUESTION = 4000  # characters; longer input is a pasted document, not a question
_SECONDS_A_LEFT_SESSION_IS_KEPT = 3600


def build_app(library: Library, *, mode: str, model: str | None) -> gr.Blocks:
    """Return the page over a library; `mode` and `model` are what its answers are made with."""
    chat = Chat(library, mode)
    delimiters = [dict(delimiter) for delimiter in LATEX_DELIMITERS]

    with gr.Blocks(title=f"Ask the abstracts: {library.name}", fill_width=True, analytics_enabled=False) as page:
        conversation = gr.State(Conversation(), time_to_live=_SECONDS_A_LEFT_SESSION_IS_KEPT)
        with gr.Column(elem_id="companion"):
            with gr.Row(elem_id="top"):
                gr.HTML(render.header_html(library.name, library.count, mode, model), elem_id="masthead")
                new = gr.Button("New chat", size="sm", elem_id="new-chat")
            with gr.Column(elem_id="main"):
                messages = gr.Chatbot(
                    label="Conversation",
                    show_label=False,
                    elem_id="chat",
                    layout="panel",
                    buttons=[],
                    latex_delimiters=delimiters,
                    placeholder=render.welcome_html(library.name, library.count),
                    examples=[{"text": question} for question in example_questions(library.papers())],
                    group_consecutive_messages=False,
                    feedback_options=None,
                )
                panel = gr.Markdown(render.empty_panel_html(), latex_delimiters=delimiters, elem_id="source-panel")
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
            pressed = gr.HTML("", elem_id="bridge", js_on_load=BRIDGE_FILE.read_text(encoding="utf-8"))

        def show(steps: Iterator[Step]) -> Iterator[dict[Any, Any]]:
            """Turn steps into updates; the conversation is saved and the box changed only where that matters."""
            started = False
            for step in steps:
                update: dict[Any, Any] = {messages: _messages(step.conversation)}
                if step.panel is not None:
                    update[panel] = step.panel
                if not started or not step.busy:
                    update[conversation] = step.conversation
                    update[box] = _box(busy=step.busy, clear=not started)
                started = True
                yield update
            if not started:
                yield {conversation: gr.skip()}

        def ask(question: str, before: Conversation, request: gr.Request) -> Iterator[dict[Any, Any]]:
            yield from show(chat.ask(question, before, _session(request)))

        def ask_example(before: Conversation, chosen: gr.SelectData, request: gr.Request) -> Iterator[dict[Any, Any]]:
            yield from show(chat.ask(chosen.value["text"], before, _session(request)))

        def ask_again(before: Conversation, button: gr.EventData, request: gr.Request) -> Iterator[dict[Any, Any]]:
            yield from show(chat.retry(int(button.value), before, _session(request)))

        def open_source(now: Conversation, button: gr.EventData) -> str:
            return chat.source_html(str(button.value), now)

        def stop(request: gr.Request) -> None:
            chat.stop(_session(request))

        def start_over(request: gr.Request) -> dict[Any, Any]:
            chat.discard(_session(request))
            return {
                conversation: Conversation(),
                messages: [],
                panel: render.empty_panel_html(),
                box: _box(busy=False, clear=True),
            }

        shown = [conversation, messages, panel, box]
        hidden: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
        answers: dict[str, Any] = {**hidden, "concurrency_limit": _ANSWERS_AT_ONCE, "concurrency_id": "answers"}
        box.submit(ask, [box, conversation], shown, **answers)
        messages.example_select(ask_example, [conversation], shown, **answers)
        pressed.retry(ask_again, [conversation], shown, **answers)
        pressed.cite(open_source, [conversation], [panel], queue=False, **hidden)
        pressed.close(render.empty_panel_html, None, [panel], queue=False, **hidden)
        box.stop(stop, None, None, queue=False, **hidden)
        new.click(start_over, None, shown, queue=False, **hidden)
        page.unload(stop)
    app: gr.Blocks = page
    return app


def launch(app: gr.Blocks, host: str = "127.0.0.1", port: int | None = 7860, *, block: bool = True) -> str:
    """Serve the page and return its address; with `block`, only once the server was stopped."""
    try:
        _, url, _ = app.queue(api_open=False).launch(
            server_name=host,
            server_port=port,
            theme=page_theme(),
            css_paths=[CSS_FILE],
            share=False,
            ssr_mode=False,
            pwa=False,
            mcp_server=False,
            enable_monitoring=False,
            run_history=False,
            footer_links=[],
            inbrowser=False,
            quiet=True,
            show_error=False,
            prevent_thread_lock=True,
        )
    except (OSError, OverflowError) as error:
        raise InputError(f"The page can't be served at {host}:{port} ({error}); choose another with --port.") from error
    if block:
        app.block_thread()
    return str(url)


def serve(
    library: Library,
    *,
    host: str = "127.0.0.1",
    port: int | None = 7860,
    mode: str = "extractive",
    model: str | None = None,
    announce: Callable[[str], None] | None = None,
) -> None:
    """Build the page and serve it until interrupted; `announce` is told the address once it answers."""
    app = build_app(library, mode=mode, model=model)
    url = launch(app, host, port, block=False)
    if announce:
        announce(url)
    app.block_thread()


def _session(request: gr.Request) -> str:
    return str(request.session_hash)


def _messages(conversation: Conversation) -> list[dict[str, str]]:
    return [
        message
        for exchange in conversation.exchanges
        for message in (
            {"role": "user", "content": render.question_html(exchange)},
            {"role": "assistant", "content": render.exchange_html(exchange)},
        )
    ]


def _box(*, busy: bool, clear: bool) -> Any:
    """Return the change of the question box: a stop button while an answer is written, else a send button."""
    change: dict[str, Any] = {"submit_btn": not busy, "stop_btn": busy}
    return gr.update(**change, value="") if clear else gr.update(**change)
