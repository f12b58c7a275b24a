"""The Gradio page: `build_app` puts the tabs together, `serve` builds and serves it for the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import gradio as gr
from gradio.events import api

from ui import cards, render
from ui.ahead import preparing
from ui.desk import Desk, browser_state, our_html
from ui.library import Library, Shelf
from ui.serving import giving_memory_back, is_loopback, launch, share_heaps
from ui.tabs.ask import ASK, ask_tab
from ui.tabs.corpus import corpus_tab
from ui.tabs.history import history_tab
from ui.tabs.library import library_tab
from ui.tabs.papers import papers_tab
from ui.tabs.quality import quality_tab
from ui.theme import BRIDGE_FILE
from ui.tools import make_tools

EVALUATION_FILE = Path("reports") / "evaluation.json"


def build_app(
    library: Library,
    *,
    mode: str,
    model: str | None,
    shelf: Shelf | None = None,
    uploads: bool = False,
    evaluation: Path = EVALUATION_FILE,
) -> gr.Blocks:
    """Return the page over a library; `mode` and `model` are what its answers are made with.

    `shelf` holds the libraries to choose from, `uploads` tells whether visitors may add files, `evaluation` is where
    the latest record of `rag eval --json` lies.
    """
    shelf = shelf or Shelf(library)
    with gr.Blocks(title=f"Ask the abstracts: {library.name}", fill_width=True, analytics_enabled=False) as page:
        # First, so that no event of the page takes a tool's name.
        for name, tool in make_tools(library, mode).items():
            api(tool, api_name=name, concurrency_limit=4, concurrency_id="tools")
        desk = Desk(
            shelf=shelf,
            mode=mode,
            model=model,
            uploads=uploads,
            where=gr.State(library.name),
            kept=browser_state("conversations", {}),
            listed=browser_state("reading-list", []),
            tabs=gr.Tabs(selected=ASK, elem_id="tabs", render=False),
            masthead=gr.HTML(
                render.header_html(library.name, library.count, mode, model), elem_id="masthead", render=False
            ),
            panel=our_html(cards.empty_panel_html(), elem_id="source-panel", render=False),
            outbox=gr.HTML("", elem_id="outbox", render=False),
            pressed=gr.HTML("", elem_id="bridge", js_on_load=BRIDGE_FILE.read_text(encoding="utf-8"), render=False),
        )
        with gr.Column(elem_id="companion"):
            with gr.Row(elem_id="top"):
                desk.masthead.render()  # type: ignore[no-untyped-call]
                new = gr.Button("New chat", size="sm", elem_id="new-chat")
            with gr.Column(elem_id="main"):
                _tabs(desk, page, new, evaluation)
                desk.panel.render()  # type: ignore[no-untyped-call]
            desk.pressed.render()  # type: ignore[no-untyped-call]
            desk.outbox.render()  # type: ignore[no-untyped-call]
    app: gr.Blocks = page
    return app


def _tabs(desk: Desk, page: gr.Blocks, new: gr.Button, evaluation: Path) -> None:
    desk.tabs.render()  # type: ignore[no-untyped-call]
    with desk.tabs:
        with gr.Tab("Ask", id=ASK):
            ask = ask_tab(desk, page)
        with gr.Tab("Papers", id="papers") as papers:
            papers_tab(desk, papers)
        with gr.Tab("Whole corpus", id="corpus"):
            corpus_tab(desk)
        with gr.Tab("Library", id="library") as library:
            library_tab(desk, library, ask)
        with gr.Tab("Quality", id="quality") as quality:
            quality_tab(desk, quality, evaluation)
        with gr.Tab("History", id="history") as history:
            history_tab(desk, page, history, ask, new)


def serve(
    library: Library,
    *,
    host: str = "127.0.0.1",
    port: int | None = 7860,
    mode: str = "extractive",
    model: str | None = None,
    announce: Callable[[str], None] | None = None,
    shelf: Shelf | None = None,
    auth: Mapping[str, str] | None = None,
    root_path: str | None = None,
) -> None:
    """Build the page and serve it until interrupted; `announce` is told the address once it answers.

    Visitors may add files where the page is for this machine alone, or for those with a password.
    """
    share_heaps()
    uploads = is_loopback(host) or bool(auth)
    app = build_app(library, mode=mode, model=model, shelf=shelf, uploads=uploads)
    url = launch(
        app,
        host,
        port,
        block=False,
        auth=auth,
        root_path=root_path,
        health=lambda: {"library": library.name, "papers": library.count},
    )
    if announce:
        announce(url)
    with preparing(library), giving_memory_back():
        app.block_thread()
