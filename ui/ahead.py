"""Work done ahead while nobody asks: the sentences of the library's abstracts are embedded before they are wanted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rag.errors import RagError

_SETTLED = 15.0  # seconds after the start: the first visitor's page and question come first
_AGAIN = 60.0  # seconds after which a library is looked at again: files may have been added


class Preparing(Protocol):
    """What can embed ahead."""

    def prepare(self, wanted: Callable[[], bool]) -> int:
        """Embed for as long as `wanted` holds; return how much was made, 0 where nothing is missing."""
        ...


@contextmanager
def preparing(library: Preparing, after: float = _SETTLED, again: float = _AGAIN) -> Iterator[None]:
    """Embed ahead in a thread of its own until the block ends, `after` seconds from now and then every `again`."""
    over = threading.Event()

    def work() -> None:
        wait = after
        while not over.wait(wait):
            wait = again
            try:
                library.prepare(lambda: not over.is_set())
            except RagError:
                continue  # whoever asks is told what is wrong with the library

    thread = threading.Thread(target=work, name="ahead")  # no daemon: it must not end in the middle of the model
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
