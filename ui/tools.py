"""What programs and assistants may call over HTTP and MCP: `ask`, `search`, `census` and `paper`, plain JSON each."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import gradio as gr

from rag.census.rendering import to_dict
from rag.errors import InputError, RagError
from rag.types import Answer, Turn
from ui.library import Library

_MOST_HITS = 100
_MOST_LISTED = 100


def make_tools(library: Library, mode: str | None) -> dict[str, Callable[..., Any]]:
    """Return the four tools over one library, by name; their docstrings are what an assistant reads."""

    def ask(question: str, history: list[str] = []) -> dict[str, Any]:  # noqa: B006 - Gradio reads it
        """Answer a question from the abstracts, every statement backed by a verbatim quote.

        Args:
            question: A question about the papers, in English.
            history: The earlier questions of the same conversation, oldest first.

        Returns:
            text with markers [1], outcome (answered, not_in_corpus, abstract_silent, false_premise, too_vague or
            smalltalk), citations with marker, paper_id, title and the exact quote, confidence, and more.

        """
        if not question.strip():
            raise InputError("The question is blank; ask one such as: Which papers release their code?")
        turns = tuple(Turn(earlier) for earlier in history)
        for item in library.stream(question, turns, mode):
            if isinstance(item, Answer):
                return item.to_dict()
        raise InputError("The answer broke off before it was complete; ask again.")

    def search(query: str, k: int = 10, venue: str = "", year: str = "") -> list[dict[str, Any]]:
        """Find the papers that fit some words best, by words and by meaning.

        Args:
            query: Words, a name or a figure.
            k: How many papers, 1 to 100.
            venue: Only papers of this venue; empty for all.
            year: Only papers of this year; empty for all.

        Returns:
            one row a paper, best first: paper_id, title, score, the best passage, and the paper itself.

        """
        filters = {key: value for key, value in (("venue", venue), ("year", year)) if value}
        return [hit.to_dict() for hit in library.search(query, min(int(k), _MOST_HITS), filters or None)]

    def census(question: str) -> dict[str, Any]:
        """Judge every abstract of the library by a question, such as "papers that release their code".

        Args:
            question: A condition that an abstract meets or does not meet.

        Returns:
            how many abstracts were read, how many are yes, unsure and no, and the first 100 findings of yes and unsure
            with their verbatim quotes.

        """
        if not question.strip():
            raise InputError("The question is blank; ask one such as: Which papers release their code?")
        row = to_dict(library.census(question))
        listed = [finding for finding in row["findings"] if finding["outcome"] != "no"]
        return {**row, "findings": listed[:_MOST_LISTED], "left_off": max(0, len(listed) - _MOST_LISTED)}

    def paper(paper_id: str) -> dict[str, Any]:
        """Return one paper: its title, abstract and what is known of it.

        Args:
            paper_id: The id that a citation, a search or a census gave.

        Returns:
            id, title, abstract and metadata.

        """
        found = library.paper(paper_id)
        if not found:
            raise InputError(f"There is no paper {paper_id!r} in this library; find its id with search.")
        return found.to_dict()

    return {tool.__name__: _told(tool) for tool in (ask, search, census, paper)}


def _told(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return the tool with its errors for people sent to the caller; of a bug only the log hears."""

    @wraps(tool)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return tool(*args, **kwargs)
        except RagError as error:
            raise gr.Error(str(error), print_exception=False) from error

    return call
