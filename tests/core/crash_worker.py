"""A process that indexes a file and can be killed at any moment: `python -m tests.core.crash_worker FOLDER FILE LOG`.

Each text that its embedder is given is one line of LOG, so that what was paid for is known after the kill.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rag.config import load_config
from rag.opening import open_library
from rag.pipeline import Library
from tests.fakes import WordEmbedder


class LoggingEmbedder(WordEmbedder):
    """The embedder by words that writes down each text before it embeds it."""

    def __init__(self, log: Path) -> None:
        super().__init__(128)
        self._log = log

    def embed(self, texts: Iterable[str]) -> Any:
        batch = list(texts)
        file = os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, "".join(f"{text}\n" for text in batch).encode())
        os.close(file)
        return super().embed(batch)


def opened(folder: Path, log: Path) -> Library:
    """Open the library with the embedder that keeps a log."""
    config = load_config({"RAG_HOME": str(folder)}, folder)
    return open_library(store=folder, config=config, embedder=LoggingEmbedder(log))


if __name__ == "__main__":
    with opened(Path(sys.argv[1]), Path(sys.argv[3])) as library:
        library.index(sys.argv[2])
