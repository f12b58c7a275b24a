"""An answer in a model's words: the draft runs beside the caller, who can leave at any time."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag.checking.checker import nearness
from rag.checking.closeness import COMMONPLACE, rarity
from rag.errors import ModelError
from rag.model.drafting import HARMLESS, NEARLY_VERBATIM, LLMAnswerer
from rag.text.words import content_stems
from rag.types import ChatModel, Rejected, ScoredChunk, Statement, Turn, Usage

SOURCES = 5  # passages that the model is given: the right paper is among the first five in 99 % of the gold questions
_PROBATION = 3  # sentences that are judged before the first is shown
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
    failure, trust = answerer.error, _Trust(question)
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
            yield from trust.take(event)
        yield from trust.rest()
    finally:
        answerer.stop()
    yield Outcome(
        trust.kept, answerer.no_answer, answerer.usage, _warnings(answerer, trust.kept, failure or answerer.error)
    )


class _Trust:
    """How far a draft is believed: its first sentences wait, and one that fails costs the others their latitude.

    A model that invents one sentence invents more, some of them in words of the abstract. Once a sentence has failed,
    only those pass that keep nearly all their words to one sentence of the abstract.
    """

    def __init__(self, question: str) -> None:
        self.kept = 0
        self._question = question
        self._held: list[Statement] = []
        self._judged, self._failed = 0, False

    def take(self, event: Statement | Rejected) -> Iterator[Statement | Rejected]:
        """Yield what can be shown now, given one more event."""
        if isinstance(event, Rejected):
            # A mark that leads nowhere is dropped from a sentence that may hold; a sentence without support is none.
            if not event.reason.startswith(HARMLESS):
                self._failed = True
                self._judged += 1
            yield event
        else:
            self._held.append(event)
            self._judged += 1
        if self._judged >= _PROBATION:
            yield from self.rest()

    def rest(self) -> Iterator[Statement | Rejected]:
        """Yield what was held back, as far as it passes."""
        held, self._held = self._held, []
        for statement in held:
            fault = self._fault(statement)
            self.kept += not fault
            yield Rejected("", _words(statement), fault) if fault else statement

    def _fault(self, statement: Statement) -> str:
        if _repeats(statement, self._question):
            return "it only repeats the question"
        if not self._failed:
            return ""
        near = max(nearness(_words(statement), quote.paper) for quote in statement.quotes)
        return (
            ""
            if near >= NEARLY_VERBATIM
            else "other sentences of this draft are unsupported, and this one is not verbatim"
        )


def _words(statement: Statement) -> str:
    return "".join(part for part in statement.parts if isinstance(part, str)).strip()


def _repeats(statement: Statement, question: str) -> bool:
    """Tell whether a sentence adds to the question nothing but words that stand in every other abstract."""
    added = set(content_stems(_words(statement))) - set(content_stems(question))
    return all(rarity(word) <= COMMONPLACE for word in added)


def _warnings(answerer: LLMAnswerer, kept: int, failure: ModelError | None) -> tuple[str, ...]:
    found = []
    if failure is not None:
        found.append(f"{failure} {'What had arrived is shown.' if kept else 'These are quotes instead.'}")
    elif answerer.cut:
        found.append("The model's reply was cut off; only its whole sentences are shown.")
    elif not answerer.wrote:
        found.append("The model's reply was empty; these are quotes instead.")
    elif not kept and not answerer.no_answer:
        found.append("No sentence of the model's draft stood up to the abstracts; these are quotes instead.")
    return tuple(found)
