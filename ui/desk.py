"""What the tabs share: the libraries, the visitor's choice among them, the source panel and the buttons in our HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gradio as gr

from ui.chat import Chat
from ui.inline import LATEX_DELIMITERS
from ui.keeping import Links
from ui.library import Library, Shelf

# How an event of the page is set up: not offered to strangers, no overlay while it runs.
QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
AT_ONCE: dict[str, Any] = {**QUIET, "queue": False}
# Longer work goes through the queue: so many at once, the rest wait their turn.
LOOKING: dict[str, Any] = {**QUIET, "concurrency_limit": 8, "concurrency_id": "looking"}
# The two keep nothing secret from the visitor, whose own they are; a fixed key lets them outlive the server.
_BROWSER_KEY = "ask-the-abstracts"


@dataclass(frozen=True)
class Desk:
    """The parts that every tab sees; components are made here and placed by `ui.app`."""

    shelf: Shelf
    mode: str
    model: str | None
    uploads: bool
    where: gr.State
    kept: gr.BrowserState
    listed: gr.BrowserState
    tabs: gr.Tabs
    masthead: gr.HTML
    panel: gr.Markdown
    pressed: gr.HTML
    outbox: gr.HTML
    _chats: dict[str, Chat] = field(default_factory=dict)

    def library(self, name: str) -> Library:
        """Return the library that a visitor has chosen."""
        return self.shelf.get(name)

    def chat(self, name: str) -> Chat:
        """Return the chat over the library that a visitor has chosen."""
        library = self.shelf.get(name)
        return self._chats.setdefault(library.name, Chat(library, self.mode))

    def leave(self, request: gr.Request) -> None:
        """Stop whatever a visitor who is gone was being told."""
        for chat in tuple(self._chats.values()):
            chat.stop(session(request))

    def links(self) -> Links:
        """Return the linked answers; they lie with the library that the page was started with."""
        return Links(self.shelf.first.folder)


def forget_copies(page: gr.Blocks, session_hash: str) -> None:
    """Drop the components of a session that no event can meet any more.

    Gradio changes a component by a copy with a number of its own, and keeps every copy that was ever read, for good.
    """
    of_session = page.state_holder[session_hash]
    known = of_session.blocks_config.blocks
    met = {component._id for number, component in tuple(known.items()) if number in page.blocks}
    for number in tuple(known):
        if number not in page.blocks and number not in met:
            known.pop(number, None)
            of_session.config_values.pop(number, None)


def browser_state(purpose: str, empty: Any) -> gr.BrowserState:
    """Return a value that lives in the visitor's own browser."""
    return gr.BrowserState(empty, storage_key=f"{_BROWSER_KEY}-{purpose}", secret=_BROWSER_KEY[:16])


def our_html(value: str = "", **settings: Any) -> gr.Markdown:
    """Return a place for HTML of ours, with formulas set."""
    return gr.Markdown(value, latex_delimiters=delimiters(), **settings)


def delimiters() -> list[dict[str, str | bool]]:
    """Return what fences a formula."""
    return [dict(delimiter) for delimiter in LATEX_DELIMITERS]


def session(request: gr.Request) -> str:
    """Return what tells one visitor's page from another's."""
    return str(request.session_hash)
