"""One request to a model: its whole reply, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass

from rag.model.prompts import FilledPrompt
from rag.types import ChatModel, Usage


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote, and the tokens that it took."""

    text: str
    usage: Usage


def whole_reply(model: ChatModel, prompt: FilledPrompt) -> Reply:
    """Return a model's reply to a prompt, all of it; a failure is a `ModelError`."""
    stream = model.stream(prompt.system, prompt.user)
    try:
        text = "".join(stream)
    finally:
        close = getattr(stream, "close", None)
        if close:
            close()
    used = getattr(stream, "usage", None) or model.usage
    return Reply(text, Usage(1, used.prompt_tokens, used.completion_tokens))
