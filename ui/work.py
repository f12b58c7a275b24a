"""Longer work of a tab: first what is being done, then what came of it, or one sentence on why nothing did."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import gradio as gr

from rag.errors import RagError
from rag.survey.export import Sheet, write
from ui.cards import saved_html
from ui.desk import QUIET
from ui.inline import escape
from ui.library import Progress
from ui.reports import failed_html

_log = logging.getLogger(__name__)
_UNEXPECTED = "Something went wrong; the details are in the server's log."
_TICK = 0.3  # seconds between two counts
_SUFFIXES = {"md": "md", "csv": "csv", "json": "json", "bibtex": "bib", "ris": "ris"}
# Work over the whole library keeps one core busy for seconds: two leave the chat of the others its share.
OVER_ALL: dict[str, Any] = {**QUIET, "concurrency_limit": 2, "concurrency_id": "census"}


def busy_html(words: str) -> str:
    """Return the line that says what is being done."""
    return f'<p class="lead-line busy" role="status">{escape(words)}…</p>'


def told(words: str, work: Callable[[], str]) -> Iterator[str]:
    """Yield what is being done, then what the work returns."""
    yield busy_html(words)
    yield attempted(work)


def counted(words: str, work: Callable[[Progress], str]) -> Iterator[str]:
    """Yield what is being done, then how many abstracts have been read as often as it changes, then what came of it."""
    reached: list[tuple[int, int]] = []
    with ThreadPoolExecutor(1) as worker:
        running = worker.submit(attempted, lambda: work(lambda read, every: reached.append((read, every))))
        yield busy_html(words)
        while not wait([running], _TICK).done:
            if reached:
                read, every = reached[-1]
                reached.clear()
                yield busy_html(f"{words}: {read:,} of {every:,} read")
        yield running.result()


def attempted(work: Callable[[], str]) -> str:
    """Return what the work returns, or why it could not be done; of a bug the log has the traceback."""
    try:
        return work()
    except RagError as error:
        return failed_html(str(error))
    except Exception:
        _log.exception("Work of a tab failed")
        return failed_html(_UNEXPECTED)


def handed_out(make: Callable[[], Sheet], stem: str, form: str) -> Any:
    """Return the file that the page saves, in one of the formats of `rag.survey.export`."""
    try:
        text = write(make(), form)
    except RagError as error:
        gr.Warning(str(error))
        return gr.skip()
    return saved_html(f"{stem}.{_SUFFIXES[form]}", text)
