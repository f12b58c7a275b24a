"""Fit a question into a model's window: the newest question and its sources always, the oldest turns last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag.errors import ModelError
from rag.model.prompts import FilledPrompt, answer_prompt
from rag.types import ScoredChunk, Turn

# What the chat format itself takes, a few tokens a message.
_FORMAT_TOKENS = 32
# Tokens of a window in which the long instructions would take the place of a source.
_SMALL_WINDOW = 2048
# Below this a reply can't hold a cited sentence.
_SHORTEST_REPLY = 96


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt that fits, with the sources that are in it and the room left for the reply."""

    prompt: FilledPrompt
    evidence: tuple[ScoredChunk, ...]
    turns: int
    max_tokens: int


def fit(
    question: str,
    history: Sequence[Turn],
    evidence: Sequence[ScoredChunk],
    *,
    window: int,
    max_tokens: int,
    count: Callable[[str], int],
) -> Fitted:
    """Drop the oldest turns until the rest fits; then shorten the reply; then drop the weakest sources but the best."""
    sources, brief = list(evidence), window <= _SMALL_WINDOW
    shortest = min(max_tokens, _SHORTEST_REPLY)
    while True:
        for reply in dict.fromkeys((max_tokens, max(shortest, max_tokens // 2), shortest)):
            turns = _turns_that_fit(question, history, sources, window - reply - _FORMAT_TOKENS, count, brief)
            if turns is not None:
                prompt = answer_prompt(question, history[len(history) - turns :], sources, brief=brief)
                return Fitted(prompt, tuple(sources), turns, reply)
        if len(sources) <= 1:
            break
        sources = sources[:-1]
    raise ModelError(
        f"The question and its best source do not fit into {window} tokens; "
        "shorten the question or raise RAG_CONTEXT_WINDOW."
    )


def _turns_that_fit(
    question: str,
    history: Sequence[Turn],
    sources: Sequence[ScoredChunk],
    room: int,
    count: Callable[[str], int],
    brief: bool,
) -> int | None:
    """Return how many of the newest turns fit beside the question and the sources; None if not even these fit."""

    def size(turns: int) -> int:
        prompt = answer_prompt(question, history[len(history) - turns :], sources, brief=brief)
        return count(prompt.system) + count(prompt.user)

    if size(0) > room:
        return None
    low, high = 0, len(history)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if size(middle) <= room else (low, middle - 1)
    return low
