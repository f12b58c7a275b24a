"""An answer in a model's words: the draft runs beside the caller, who can leave at any time."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.errors import ModelError
from rag.model.drafting import LLMAnswerer
from rag.text.words import content_stems
from rag.types import ChatModel, Rejected, ScoredChunk, Statement, Turn, Usage

SOURCES = 5  # passages that the model is given: the right paper is among the first five in 99 % of the gold questions
_HEARTBEAT = 0.2  # seconds after which a waiting caller is given the chance to leave


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing new yet."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the draft ended: whether anything of it stood, what it cost, and what people should know."""

    kept: int
    no_answer: bool
    usage: Usage
    warnings: tuple[str, ...]


def write(
    model: ChatModel, question: str, history: Sequence[Turn], evidence: Sequence[ScoredChunk]
) -> Iterator[Statement | Rejected | Waiting | Outcome]:
    """Yield what a model writes, verified sentence by sentence, and `Waiting` while it is silent; last the `Outcome`.

    A failure of the model is a warning in the outcome, never an exception. Closing the iterator ends the request.
    """
    answerer = LLMAnswerer(model)
    events: queue.Queue[Statement | Rejected | ModelError | None] = queue.Queue()

    def run() -> None:
        try:
            for event in answerer.statements(question, history, evidence[:SOURCES]):
                events.put(event)
        except ModelError as error:
            events.put(error)
        finally:
            events.put(None)

    threading.Thread(target=run, daemon=True).start()
    kept, failure = 0, answerer.error
    try:
        while True:
            try:
                event = events.get(timeout=_HEARTBEAT)
            except queue.Empty:
                yield Waiting()
                continue
            if event is None:
                break
            if isinstance(event, ModelError):
                failure = event
                continue
            if isinstance(event, Statement) and _repeats(event, question):
                event = Rejected("", _words(event), "it only repeats the question")
            kept += isinstance(event, Statement)
            yield event
    finally:
        answerer.stop()
    yield Outcome(kept, answerer.no_answer, answerer.usage, _warnings(answerer, kept, failure or answerer.error))


def _words(statement: Statement) -> str:
    return "".join(part for part in statement.parts if isinstance(part, str)).strip()


def _repeats(statement: Statement, question: str) -> bool:
    """Tell whether a sentence says nothing that the question does not say already."""
    return set(content_stems(_words(statement))) <= set(content_stems(question)) | {
        "method",
        "paper",
        "model",
        "author",
    }


def _warnings(answerer: LLMAnswerer, kept: int, failure: ModelError | None) -> tuple[str, ...]:
    found = []
    if failure is not None:
        found.append(f"{failure} {'What had arrived is shown.' if kept else 'These are quotes instead.'}")
    elif answerer.cut:
        found.append("The model's reply was cut off; only its whole sentences are shown.")
    elif not kept and not answerer.no_answer:
        found.append("No sentence of the model's draft stood up to the abstracts; these are quotes instead.")
    return tuple(found)
