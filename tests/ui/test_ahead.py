"""What is embedded ahead: begun without being asked, ended with the page, and no error of it is anybody's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from rag.errors import LibraryError
from ui.ahead import preparing


@dataclass
class Prepared:
    """A library that prepares until it is no longer wanted; the first `failing` times it can't."""

    failing: int = 0
    begun: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    def prepare(self, wanted: Callable[[], bool]) -> int:
        if self.failing:
            self.failing -= 1
            raise LibraryError("The library is being moved.")
        self.begun.set()
        while wanted():
            self.ended.wait(0.001)
        self.ended.set()
        return 1


def test_it_begins_by_itself_and_ends_with_the_page() -> None:
    library = Prepared()
    with preparing(library, after=0):
        assert library.begun.wait(10)
        assert not library.ended.is_set()

    assert library.ended.is_set()


def test_what_fails_is_tried_again() -> None:
    library = Prepared(failing=2)
    with preparing(library, after=0, again=0):
        assert library.begun.wait(10)


def test_a_page_that_ends_at_once_prepares_nothing() -> None:
    library = Prepared()
    with preparing(library, after=60):
        pass

    assert not library.begun.is_set()
