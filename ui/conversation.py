"""What one visitor's session holds: the exchanges so far, each with its own citations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from rag.types import Answer, Citation, Turn

Status = Literal["streaming", "done", "stopped", "failed"]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and what came of it; `text` is what was shown while no `answer` is there."""

    id: int
    question: str
    text: str = ""
    answer: Answer | None = None
    status: Status = "streaming"
    error: str = ""
    suggestions: tuple[str, ...] = ()

    @property
    def shown_text(self) -> str:
        """Return the words on the page, whole answer or part."""
        return self.answer.text if self.answer else self.text

    def citation(self, marker: int) -> Citation | None:
        """Return the citation behind a marker of this very exchange."""
        cited = self.answer.citations if self.answer else ()
        return next((citation for citation in cited if citation.marker == marker), None)


@dataclass(frozen=True, slots=True)
class Conversation:
    """The exchanges of one visitor, oldest first."""

    exchanges: tuple[Exchange, ...] = ()

    def asked(self, question: str) -> Conversation:
        """Return the conversation with a new question at its end."""
        number = self.exchanges[-1].id + 1 if self.exchanges else 1
        return Conversation((*self.exchanges, Exchange(number, question)))

    def with_last(
        self,
        text: str,
        status: Status,
        answer: Answer | None = None,
        error: str = "",
        suggestions: tuple[str, ...] = (),
    ) -> Conversation:
        """Return the conversation with its last exchange brought up to date."""
        last = replace(
            self.exchanges[-1], text=text, status=status, answer=answer, error=error, suggestions=suggestions
        )
        return Conversation((*self.exchanges[:-1], last))

    def settled(self) -> Conversation:
        """Return the conversation with an answer that broke off unseen marked as stopped."""
        return Conversation(
            tuple(replace(e, status="stopped") if e.status == "streaming" else e for e in self.exchanges)
        )

    def without(self, exchange_id: int) -> Conversation:
        """Return the conversation without one exchange, such as a failed one that is asked again."""
        return Conversation(tuple(e for e in self.exchanges if e.id != exchange_id))

    def before(self, exchange_id: int) -> Conversation:
        """Return the conversation up to an exchange, that one and what follows it left out."""
        return Conversation(tuple(e for e in self.exchanges if e.id < exchange_id))

    def find(self, exchange_id: int) -> Exchange | None:
        """Return an exchange by its id, which markers carry so that they never resolve against another turn."""
        return next((e for e in self.exchanges if e.id == exchange_id), None)

    def history(self) -> tuple[Turn, ...]:
        """Return the earlier turns for a follow-up; a stopped one counts with the part that was shown."""
        ended = (e for e in self.exchanges if e.status in ("done", "stopped") or e.shown_text)
        return tuple(Turn(e.question, e.shown_text) for e in ended if e.status != "streaming")
