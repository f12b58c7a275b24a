"""Statements -> Answer: numbers the markers without gaps in order of first use, and writes down what was cited."""

from __future__ import annotations

from collections.abc import Iterable

from rag.types import Citation, Quote, Rejected, Statement, TextPiece


class Assembly:
    """An answer in the making; the one place where markers get their numbers."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._length = 0
        self._marks: list[int] = []
        self._markers: dict[tuple[str, int, int], int] = {}
        self._citations: list[Citation] = []
        self.rejected: list[Rejected] = []
        self.model: str | None = None

    def add(self, statement: Statement) -> TextPiece:
        """Add a statement; return its text with markers, beginning with the space or line break that joins it on."""
        text, marks = "", []
        for part in statement.parts:
            if isinstance(part, Quote):
                text += "" if text.endswith((" ", "]")) else " "
                marks.append(len(text))
                text += f"[{self._number(part)}]"
            else:
                text += part
        if self._texts and not text.startswith("\n") and not self._texts[-1].endswith(("\n", " ")):
            text, marks = f" {text}", [mark + 1 for mark in marks]
        self._texts.append(text)
        self._marks += [self._length + mark for mark in marks]
        self._length += len(text)
        return TextPiece(text, tuple(marks))

    def extend(self, statements: Iterable[Statement]) -> list[TextPiece]:
        """Add statements; return their pieces."""
        return [self.add(statement) for statement in statements]

    @property
    def text(self) -> str:
        """Return the whole text; the pieces, joined, are the same."""
        return "".join(self._texts)

    @property
    def marks(self) -> tuple[int, ...]:
        """Return where our own markers begin in the text."""
        return tuple(self._marks)

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Return the citations in the order of their markers."""
        return tuple(self._citations)

    def _number(self, quote: Quote) -> int:
        key = (quote.paper.id, quote.start, quote.end)
        if key not in self._markers:
            self._markers[key] = len(self._markers) + 1
            self._citations.append(
                Citation(
                    self._markers[key],
                    quote.paper.id,
                    quote.chunk_id,
                    quote.paper.title,
                    quote.text,
                    quote.start,
                    quote.end,
                )
            )
        return self._markers[key]
