"""What the page needs of a library, and the shelf that a visitor chooses one from."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from rag.census.judging import Census
from rag.library.corpus import Reading
from rag.survey.mapping import Map
from rag.survey.nearness import Near
from rag.survey.tables import Comparison, Table
from rag.types import Answer, Hit, IndexReport, Paper, TextPiece, Turn

Progress = Callable[[int, int], None]


class Library(Protocol):
    """A set of abstracts that can be asked, searched, judged and added to."""

    @property
    def name(self) -> str:
        """Return the library's name."""
        ...

    @property
    def folder(self) -> Path:
        """Return where it lies; what the page keeps for it lies there too."""
        ...

    @property
    def count(self) -> int:
        """Return how many papers it holds."""
        ...

    def stream(
        self, question: str, history: Sequence[Turn] = (), mode: str | None = None
    ) -> Iterator[TextPiece | Answer]:
        """Yield verified text, then the `Answer`; closing the iterator stops the model."""
        ...

    def paper(self, paper_id: str) -> Paper | None:
        """Return one paper, or None where the library does not hold it."""
        ...

    def papers(self) -> Iterator[Paper]:
        """Yield every paper."""
        ...

    def search(self, query: str, k: int = 10, filters: Mapping[str, Any] | None = None) -> list[Hit]:
        """Return the best papers for a query, best first."""
        ...

    def census(self, question: str, *, progress: Progress | None = None) -> Census:
        """Judge every abstract by the condition in a question; `progress(read, all)` is told of the abstracts."""
        ...

    def table(self, columns: str, ids: Sequence[str] | None = None) -> Table:
        """Read the named columns from papers by id, or from all of them."""
        ...

    def compare(self, ids: Sequence[str]) -> Comparison:
        """Lay two to five papers side by side, by aspect."""
        ...

    def near(self, draft: str) -> Near:
        """Return the papers near a draft, by what they share with it."""
        ...

    def map(self) -> Map:
        """Return the topics of the library and a place in a plane for each paper."""
        ...

    def prepare(self, wanted: Callable[[], bool]) -> int:
        """Do ahead, while `wanted` and nobody asks, what makes answers cheaper; return for how many papers."""
        ...

    def health(self) -> Mapping[str, Any]:
        """Return the counts on both sides and what is missing."""
        ...

    def settings(self) -> Mapping[str, Any]:
        """Return the settings in force, secrets masked."""
        ...

    def add(
        self, reading: Reading, source: str, *, keep: bool = False, progress: Progress | None = None
    ) -> IndexReport:
        """Store a reading under a source name."""
        ...


class Shelf:
    """The libraries that visitors may choose from; each is opened once."""

    def __init__(
        self,
        first: Library,
        open_named: Callable[[str], Library] | None = None,
        others: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self.first = first
        self._open, self._others = open_named, others
        self._opened: dict[str, Library] = {first.name: first}
        self._guard = threading.Lock()

    @property
    def can_add(self) -> bool:
        """Tell whether a library can be made by name."""
        return self._open is not None

    def names(self) -> list[str]:
        """Return the names, the one that the page was started with first."""
        known = {*self._opened, *(self._others() if self._open else ())}
        return [self.first.name, *sorted(known - {self.first.name})]

    def get(self, name: str) -> Library:
        """Return a library by name, the first one where there is none of that name; raises `RagError`."""
        return self.make(name) if name in self.names() else self.first

    def make(self, name: str) -> Library:
        """Return a library by name, made where it is missing; raises `RagError`."""
        with self._guard:
            if name not in self._opened and self._open:
                self._opened[name] = self._open(name)
            return self._opened.get(name, self.first)
