"""What was found lately, by key: one answer, and the follow-ups to it, look for the same several times."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Memory:
    """The newest findings of one state of the texts; safe to use from several threads.

    `vectors` tells the state of the vectors, which may still be coming in; `misses` how often they were not to be
    reached so far: what was found meanwhile is not what will be found when they are back, and is not kept.
    """

    def __init__(self, size: int, vectors: Callable[[], Hashable], misses: Callable[[], int]) -> None:
        self._size, self._vectors, self._misses = size, vectors, misses
        self._kept: dict[Hashable, Any] = {}
        self._guard = threading.Lock()

    def recall(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` returns, made once for this key while the vectors stay as they are."""
        key = (key, self._vectors())
        with self._guard:
            if key in self._kept:
                known: T = self._kept.pop(key)
                self._kept[key] = known  # now the newest
                return known
        before = self._misses()
        made = make()
        if self._misses() == before:
            with self._guard:
                self._kept[key] = made
                while len(self._kept) > self._size:
                    del self._kept[next(iter(self._kept))]
        return made
