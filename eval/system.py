"""The system under test: a library behind the front door that every user has."""

from __future__ import annotations

import argparse
import importlib
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.run import Ask, Search
from eval.support import Check
from rag.config import load_config
from rag.errors import InputError
from rag.types import Answer, Paper


def _nothing() -> None:
    return None


@dataclass(frozen=True, slots=True)
class System:
    """How to ask a system, what it holds, how to search it, its checker, and how to put it away."""

    ask: Ask
    papers: Mapping[str, Paper]
    search: Search | None = None
    check: Check | None = None
    close: Callable[[], None] = _nothing


Opener = Callable[[argparse.Namespace], System]


def open_library(args: argparse.Namespace) -> System:
    """Open the library that the arguments name, or one in a temporary folder that holds the papers of a file."""
    # A mode that can't be had is one sentence at the start, not a failure of every question.
    load_config().resolve_mode(args.mode)
    # Imported here, so that `rag eval --help` stays light.
    rag: Any = importlib.import_module("rag")
    stack = ExitStack()
    try:
        library = stack.enter_context(_opened(rag, args, stack))
        papers = {paper.id: paper for paper in library.papers()}
        if not papers:
            raise InputError("The library holds no papers, so nothing can be asked; fill it with `rag index FILE`.")
    except BaseException:
        stack.close()
        raise

    def ask(question: str, history: list[str]) -> Answer:
        answer: Answer = library.ask(question, history=history, mode=args.mode)
        return answer

    def search(question: str, k: int) -> list[str]:
        return [hit.paper_id for hit in library.search(question, k)]

    return System(ask, papers, search, rag.check, stack.close)


def _opened(rag: Any, args: argparse.Namespace, stack: ExitStack) -> Any:
    calibrated = getattr(args, "action", "run") != "calibrate"
    papers: Path | None = getattr(args, "papers", None)
    if args.store and not Path(args.store).is_dir():
        raise InputError(f"There is no folder {str(args.store)!r}; name one that `rag index --store` has filled.")
    if papers is None:
        return rag.open(args.library, store=args.store, calibrated=calibrated)
    if args.library or args.store:
        raise InputError("Both --papers and a library were given; --papers makes a library of its own, so name one.")
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="rag-eval-", ignore_cleanup_errors=True))
    library = rag.open(store=folder, calibrated=calibrated)
    library.index(papers)
    return library
