"""Run an answer so that it can be stopped at any moment, and at most one a visitor at a time.

A generator can't be closed while it waits inside a model call, so the library's stream runs in a thread of its own.
Stopping frees the page at once; the stream is closed at its next piece, which ends the request to the model.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue

from rag.types import Answer, TextPiece

Item = TextPiece | Answer

_WAIT_FOR_MORE = 0.02  # seconds; pieces that come together are shown together, as each redraw costs the server its time
_LONGEST_WAIT = 2.0  # seconds; a run that was told to stop ends within milliseconds


class Workers:
    """Threads that answers run in, one after the other in each: a thread holds a warm connection to the catalog."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[SimpleQueue[Callable[[], None]]] = []

    def start(self, job: Callable[[], None]) -> None:
        """Run a job in a thread that has nothing to do, the one that was last busy first, or in a new one."""
        with self._lock:
            jobs = self._idle.pop() if self._idle else None
        if jobs is None:
            jobs = SimpleQueue()
            threading.Thread(target=self._work, args=(jobs,), daemon=True, name="answers").start()
        jobs.put(job)

    def _work(self, jobs: SimpleQueue[Callable[[], None]]) -> None:
        while True:
            jobs.get()()
            with self._lock:
                self._idle.append(jobs)


class Run:
    """One answer in the making."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._items: SimpleQueue[Item | BaseException | None] = SimpleQueue()
        self._unwanted = threading.Event()
        self.finished = threading.Event()
        self.stopped = False
        self.discarded = False

    def stop(self) -> None:
        """End the run: the reader of `items` returns at once, the stream is closed at its next piece."""
        self.stopped = True
        self._unwanted.set()
        self._items.put(None)

    def items(self, open_stream: Callable[[], Iterator[Item]]) -> Iterator[Item]:
        """Yield what the stream gives until it ends or `stop` is called; its errors are raised here.

        Text that comes in one go is one piece, and none where the answer comes with it.
        """
        self._workers.start(lambda: self._pump(open_stream))
        try:
            while (item := self._items.get()) is not None and not self.stopped:
                words = ""
                while isinstance(item, TextPiece):
                    words += item.text
                    try:
                        item = self._items.get(timeout=_WAIT_FOR_MORE)
                    except Empty:
                        break
                if words and not isinstance(item, Answer):  # an answer has the words in it
                    yield TextPiece(words)
                if item is None or self.stopped:
                    return
                if isinstance(item, BaseException):
                    raise item
                if isinstance(item, Answer):
                    yield item
        finally:
            self._unwanted.set()

    def _pump(self, open_stream: Callable[[], Iterator[Item]]) -> None:
        stream: Iterator[Item] | None = None
        try:
            stream = open_stream()
            for item in stream:
                if self._unwanted.is_set():
                    break
                self._items.put(item)
        except BaseException as error:  # handed on: it belongs to the thread that reads
            self._items.put(error)
        finally:
            close = getattr(stream, "close", None)
            if close:
                close()
            self._items.put(None)


class Runs:
    """The answers being written now, by session."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, Run] = {}
        self._workers = Workers()

    def start(self, session: str) -> Run | None:
        """Return a new run, or None while the session's last one is still going."""
        with self._lock:
            if session in self._running:
                return None
            self._running[session] = Run(self._workers)
            return self._running[session]

    def stop(self, session: str) -> None:
        """Stop the session's run, if there is one."""
        with self._lock:
            run = self._running.get(session)
        if run:
            run.stop()

    def discard(self, session: str) -> None:
        """Stop the session's run, ask that nothing more of it be shown, and wait until that holds."""
        with self._lock:
            run = self._running.get(session)
        if run:
            run.discarded = True
            run.stop()
            run.finished.wait(_LONGEST_WAIT)

    def finish(self, session: str, run: Run) -> None:
        """Forget a run that has ended."""
        run.stop()
        with self._lock:
            if self._running.get(session) is run:
                del self._running[session]
        run.finished.set()
