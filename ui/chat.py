"""What happens between a question and the page: plain values in, steps to show out, no Gradio."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rag.errors import RagError
from rag.types import Answer
from ui import cards
from ui.conversation import Conversation, Exchange
from ui.library import Library
from ui.streaming import Run, Runs
from ui.suggest import next_questions

_log = logging.getLogger(__name__)
_UNEXPECTED = "Something went wrong while answering; the details are in the server's log. Please try again."
_CUT = "The answer broke off before it was complete; please try again."


@dataclass(frozen=True, slots=True)
class Step:
    """A moment of an answer in the making: what to show, and whether it is still going."""

    conversation: Conversation
    busy: bool
    panel: str | None = None


class Chat:
    """Asks a library on behalf of many visitors, each with a conversation of its own."""

    def __init__(self, library: Library, mode: str | None = None) -> None:
        self._library = library
        self._mode = mode
        self._runs = Runs()

    def ask(self, question: str, before: Conversation, session: str) -> Iterator[Step]:
        """Yield the steps of an answer; none for a blank question or while the last answer is being written."""
        question = question.strip()
        run = self._runs.start(session) if question else None
        if not run:
            return
        earlier = before.settled()
        try:
            yield Step(earlier.asked(question), busy=True, panel=cards.empty_panel_html())
            for now in self._answer(run, earlier, question):
                if run.discarded:
                    return
                ended = now.exchanges[-1].status != "streaming"
                yield Step(now, busy=not ended, panel=self._first_source(now) if ended else None)
        finally:
            self._runs.finish(session, run)

    def retry(self, exchange_id: int, before: Conversation, session: str) -> Iterator[Step]:
        """Ask the question of an exchange once more: a failed one in its stead, a done one without what came after."""
        again = before.find(exchange_id)
        if again:
            rest = before.before(exchange_id) if again.status == "done" else before.without(exchange_id)
            yield from self.ask(again.question, rest, session)

    def stop(self, session: str) -> None:
        """Stop the answer that this visitor is being given."""
        self._runs.stop(session)

    def discard(self, session: str) -> None:
        """Stop the visitor's answer and show nothing more of it; returns when that is certain."""
        self._runs.discard(session)

    def source_html(self, marker: str, conversation: Conversation) -> str:
        """Return the abstract behind a marker, given as `exchange:number`."""
        exchange_id, _, number = marker.partition(":")
        if not (exchange_id.isdecimal() and number.isdecimal()):
            return cards.empty_panel_html()
        exchange = conversation.find(int(exchange_id))
        return self._source(exchange, int(number)) if exchange else cards.empty_panel_html()

    def _answer(self, run: Run, earlier: Conversation, question: str) -> Iterator[Conversation]:
        """Yield the conversation as its last exchange grows, ending with it done, stopped or failed."""
        conversation = earlier.asked(question)
        text = ""
        try:
            for item in run.items(lambda: self._library.stream(question, earlier.history(), self._mode)):
                if isinstance(item, Answer):
                    ahead = next_questions(item, self._library.paper)
                    answer = replace(item, evidence=())  # tens of abstracts, which no conversation needs to carry
                    yield conversation.with_last(item.text, "done", answer=answer, suggestions=ahead)
                    return
                text += item.text
                yield conversation.with_last(text, "streaming")
        except RagError as error:
            yield conversation.with_last(text, "failed", error=str(error))
            return
        except Exception:  # a bug: the visitor reads a sentence, the log has the traceback
            _log.exception("An answer failed")
            yield conversation.with_last(text, "failed", error=_UNEXPECTED)
            return
        if run.stopped:
            yield conversation.with_last(text, "stopped")
        else:
            yield conversation.with_last(text, "failed", error=_CUT)

    def _first_source(self, conversation: Conversation) -> str | None:
        exchange = conversation.exchanges[-1]
        cited = exchange.answer.citations if exchange.answer else ()
        return self._source(exchange, cited[0].marker, opened=False) if cited else None

    def _source(self, exchange: Exchange, number: int, *, opened: bool = True) -> str:
        citation = exchange.citation(number)
        if not citation or not exchange.answer:
            return cards.empty_panel_html()
        paper = self._library.paper(citation.paper_id)
        if not paper:
            return cards.missing_paper_html(citation)
        cited = [other for other in exchange.answer.citations if other.paper_id == paper.id]
        return cards.paper_html(paper, cited, citation, exchange_id=exchange.id, opened=opened)
