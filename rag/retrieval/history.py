"""What came before a question, in the shapes that callers have it -> turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rag.errors import InputError
from rag.text.given import sound_text
from rag.types import Turn


def turns(history: Sequence[Any] | None) -> tuple[Turn, ...]:
    """Return earlier turns as values: questions as strings, or objects or mappings with question and answer.

    Chat messages (`role`, `content`) are paired up. Raises `InputError` for anything else.
    """
    if isinstance(history, str):
        raise InputError("history is one text, but it must be a list of earlier questions; wrap it in a list.")
    found: list[Turn] = []
    for item in history or ():
        fields = (
            item if isinstance(item, Mapping) else {k: getattr(item, k, None) for k in ("question", "answer", "text")}
        )
        role, content = fields.get("role"), fields.get("content")
        if isinstance(item, str):
            found.append(Turn(item))
        elif role == "assistant" and isinstance(content, str):
            if found:
                found[-1] = Turn(found[-1].question, content)
        elif role == "user" and isinstance(content, str):
            found.append(Turn(content))
        elif isinstance(fields.get("question"), str):
            answer = fields.get("answer") if fields.get("answer") is not None else fields.get("text")
            answer = getattr(answer, "text", answer)
            found.append(Turn(str(fields["question"]), answer if isinstance(answer, str) else ""))
        else:
            raise InputError(
                f"history has an entry of type {type(item).__name__} without a question; "
                "give strings or objects with question and answer."
            )
    return tuple(Turn(sound_text(turn.question), sound_text(turn.answer)) for turn in found if turn.question.strip())
