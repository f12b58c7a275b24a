"""What `rag ask` on an existing index costs beside importing its two engines.

Run it with `python -m tests.benchmarks.startup [PAIRS]`. Both run in fresh
processes, in alternating pairs, so that what else the machine does meets both alike. Target: 1.5.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "Which method averages several models to wash out watermarks?"
ASK = [sys.executable, "-m", "rag.cli", "ask", QUESTION]
IMPORTS = [sys.executable, "-c", "import chromadb, onnxruntime"]
_PAIRS = 5


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock and seconds of processor time of one process."""

    clock: float
    processor: float


def cost(command: list[str], environ: dict[str, str]) -> Cost:
    """Run a command and return what it cost."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=ROOT, env=environ, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after, stopped = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    return Cost(stopped - started, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main(pairs: int = _PAIRS) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "RAG_HOME": home}
        for command in (ASK, IMPORTS):  # the first run embeds the abstracts and writes bytecode
            cost(command, environ)
        rows = [(cost(ASK, environ), cost(IMPORTS, environ)) for _ in range(pairs)]
    for ask, imports in rows:
        print(f"rag ask {ask.clock:.2f} s, imports alone {imports.clock:.2f} s, ratio {ask.clock / imports.clock:.2f}")
    clock = statistics.median(ask.clock / imports.clock for ask, imports in rows)
    processor = statistics.median(ask.processor / imports.processor for ask, imports in rows)
    print(f"median of {pairs} pairs: ratio {clock:.2f} by the clock, {processor:.2f} in processor time")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
