"""Ask a conference's abstracts; every quote in an answer stands word for word in the paper's abstract.

import rag
answer = rag.ask("How much faster does PBS-Attn make prefilling?")
print(answer.text, answer.outcome, answer.citations[0].quote)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import environ as _environ
from typing import TYPE_CHECKING, Any

from rag.errors import RagError
from rag.types import Answer, Checked, Citation, Hit, IndexReport, Paper, TextPiece, Turn

if TYPE_CHECKING:
    from rag.pipeline import Library

# From 1.29 ONNX Runtime reports each process to its maker's servers unless this is set before its first import.
_environ["ORT_DISABLE_TELEMETRY"] = "1"

__all__ = [
    "Answer",
    "Checked",
    "Citation",
    "Hit",
    "IndexReport",
    "Paper",
    "RagError",
    "TextPiece",
    "Turn",
    "ask",
    "check",
    "open",
]


def open(name: str | None = None, **options: Any) -> Library:
    """Open a library by name, or `store=FOLDER`; without either the default one (see `rag.opening.open_library`)."""
    from rag.opening import open_library

    return open_library(name, **options)


def ask(
    question: str, history: Sequence[Any] | None = None, *, mode: str | None = None, library: str | None = None
) -> Answer:
    """Answer a question from the default library, or from a named one; its index is built if missing."""
    with open(library, mode=mode) as opened:
        return opened.ask(question, history)


def check(text: str, papers: Iterable[Paper]) -> list[Checked]:
    """Judge a pasted paragraph sentence by sentence against the abstracts of these papers."""
    from rag.checking.checker import check as check_text

    return check_text(text, papers)
