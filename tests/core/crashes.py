"""Kill an indexing process at random moments, complete it, and prove that nothing was lost or paid twice.

`python -m tests.core.crashes [RUNS] [ABSTRACTS]` is the long form (25 runs of 1,000); a test runs a short one.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rag.library.proving import unfound
from tests.core.crash_worker import opened

_NOUNS = "mills ferries choirs dialects lanterns bridges orchards kilns harbours looms".split()
_ROOT = Path(__file__).resolve().parents[2]


def invented(count: int, seed: int) -> list[dict[str, str]]:
    """Return invented abstracts, each with words of its own."""
    chance = random.Random(seed)
    rows = []
    for n in range(count):
        own = "".join(chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(4))
        nouns = " and ".join(chance.sample(_NOUNS, 3))
        rows.append(
            {"id": f"c{n}", "abstract": f"We study {own} among {nouns}. The {own} method gains {n + 1} points."}
        )
    return rows


def write(path: Path, rows: list[dict[str, str]]) -> None:
    """Write rows as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def worker(folder: Path, source: Path, log: Path) -> subprocess.Popen[bytes]:
    """Start the process that indexes."""
    command = [sys.executable, "-m", "tests.core.crash_worker", str(folder), str(source), str(log)]
    return subprocess.Popen(command, cwd=_ROOT, env={**os.environ, "PYTHONPATH": str(_ROOT)})


def crash(folder: Path, count: int, seconds: float, seed: int) -> dict[str, int]:
    """Index a tenth, kill the indexing of all after so many seconds, check what is left, complete it, check again.

    `alive` in what is returned is 0 where the indexing was done before the kill, which then proved nothing.
    Raises `AssertionError` where something is lost, found no more, or paid twice.
    """
    rows, source, log = invented(count, seed), folder / "all.jsonl", folder / "log"
    before = rows[: count // 10]
    write(source, before)
    with opened(folder / "library", log) as library:
        library.index(source)
    write(source, rows)
    process = worker(folder / "library", source, log)
    time.sleep(seconds)
    alive = process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    with opened(folder / "library", log) as library:
        for row in random.Random(seed).sample(before, min(5, len(before))):
            assert library.search(row["abstract"], 1)[0].paper_id == row["id"], "the state before is not usable"
        keeper = library.keeper
        stored = keeper.vectors().digests([f"{row['id']}:0" for row in rows])
        pending = keeper.catalog.pending_count()
        paid = len(log.read_text(encoding="utf-8").splitlines())
        library.index(source)
        again = len(log.read_text(encoding="utf-8").splitlines()) - paid
        assert again == count - len(stored), f"{again} embedded, {count - len(stored)} were missing"
        health = library.health()
        assert (health["papers"], health["vectors"], health["pending"]) == (count, count, 0), health
        lost = unfound(keeper.catalog, keeper.vectors(), keeper.embedder, library.by_words)
        assert lost == {"lexical": [], "vectors": []}, lost
    return {"alive": int(alive), "stored": len(stored), "pending": pending, "embedded after": again}


def whole_run(folder: Path, count: int) -> float:
    """Return the seconds that an undisturbed run takes."""
    source = folder / "all.jsonl"
    write(source, invented(count, 0))
    started = time.monotonic()
    assert worker(folder / "library", source, folder / "log").wait() == 0
    return time.monotonic() - started


def main(runs: int = 25, count: int = 1000) -> None:
    """Crash so many runs at moments spread over a whole run, and print what each left.

    A run that was done before its kill does not count, and tells that a whole run is no longer than that.
    """
    chance = random.Random(20261201)
    with tempfile.TemporaryDirectory() as name:
        whole = Path(name) / "whole"
        whole.mkdir()
        seconds = whole_run(whole, count)
        print(f"an undisturbed run of {count} takes {seconds:.1f} s")
        killed = tried = 0
        while killed < runs:
            folder = Path(name) / str(tried)
            folder.mkdir()
            moment = chance.uniform(0.15, 1.0) * seconds
            left = crash(folder, count, moment, tried)
            print(f"run {tried}: killed after {moment:.2f} s: {left}", flush=True)
            if not left["alive"]:
                seconds = min(seconds, moment)
            killed, tried = killed + left["alive"], tried + 1
        print(f"{killed} runs killed alive, {tried - killed} done before")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
