"""How fast is the page, and does it hold forty visitors? Everything on one machine, over loopback, no model.

    python -m tests.benchmarks.page --store FOLDER                  time to the first word, one visitor
    python -m tests.benchmarks.page --store FOLDER --visitors 40    each asks again 3 s after its answer, two minutes
    python -m tests.benchmarks.page --store FOLDER --start          from the command to an answering page

FOLDER is an indexed library; it is asked about its own papers. The visitors speak the page's own protocol: they join
its queue and read its event stream, as a browser does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import secrets
import socket
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

_PAUSE = 3.0  # seconds between an answer and the next question
_MINUTES = 2
_ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Seen:
    """What the visitors saw."""

    first_words: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    crossed: int = 0


class Server:
    """A served page in a process of its own."""

    def __init__(self, store: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "rag.cli", "ui", "--store", str(store), "--mode", "extractive"]
        began = time.monotonic()
        self.process = subprocess.Popen([*command, "--port", str(self.port)], cwd=_ROOT, stdout=subprocess.DEVNULL)
        while True:
            try:
                httpx.get(f"{self.url}/health", timeout=5).raise_for_status()
                break
            except httpx.HTTPError:
                if self.process.poll() is not None:
                    sys.exit("the page did not start")
                time.sleep(0.05)
        self.seconds = time.monotonic() - began

    def megabytes(self) -> float:
        """Return the memory that the process holds now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


def submit_index(config: dict[str, Any]) -> int:
    """Return the number of the event that sends a question."""
    box = next(c["id"] for c in config["components"] if c["props"].get("elem_id") == "question")
    return next(d["id"] for d in config["dependencies"] if [box, "submit"] in [list(t) for t in d["targets"]])


class Visitor:
    """One reader with a session of its own, as the page's script would be."""

    def __init__(self, client: httpx.AsyncClient, url: str, event: int) -> None:
        self._client, self._url, self._event = client, url, event
        self._session = secrets.token_hex(6)

    async def ask(self, question: str, seen: Seen) -> None:
        began = time.monotonic()
        body = {"data": [question, None, None], "fn_index": self._event, "session_hash": self._session}
        joined = await self._client.post(f"{self._url}/gradio_api/queue/join", json=body | {"event_data": None})
        joined.raise_for_status()
        listening = self._client.stream(
            "GET", f"{self._url}/gradio_api/queue/data", params={"session_hash": self._session}
        )
        first, whole = None, ""
        async with listening as events:
            async for line in events.aiter_lines():
                if not line.startswith("data:"):
                    continue
                message = json.loads(line[5:])
                if first is None and 'class=\\"text\\"' in line:
                    first = time.monotonic() - began
                if message["msg"] in ("process_generating", "process_completed"):
                    whole += line
                if message["msg"] == "process_completed":
                    if not message["success"]:
                        seen.errors.append(str(message["output"])[:200])
                    break
        seen.answers.append(time.monotonic() - began)
        if first is None:
            seen.errors.append(f"no words for {question!r}")
        else:
            seen.first_words.append(first)
        codes = set(re.findall(r"visitor-[0-9a-f]{12}", whole))
        seen.crossed += codes != {f"visitor-{self._session}"}

    def marked(self, question: str) -> str:
        """Return a question that only this visitor asks."""
        return f"{question} (visitor-{self._session})"


def questions(store: Path) -> list[str]:
    """Return what to ask: one question a paper, by its title."""
    import rag

    with rag.open(store=store) as library:
        titles = [paper.title for paper in library.papers()]
    random.Random(1).shuffle(titles)
    return [f"What does “{title}” find?" for title in titles[:2000]]


async def one_visitor(server: Server, asked: list[str]) -> Seen:
    seen = Seen()
    async with httpx.AsyncClient(timeout=60) as client:
        event = submit_index((await client.get(f"{server.url}/config")).json())
        for question in asked[:3]:
            await _alone(client, server, event, question, Seen())  # the first opens the library
        for question in asked[3:43]:
            await _alone(client, server, event, question, seen)
    return seen


async def _alone(client: httpx.AsyncClient, server: Server, event: int, question: str, seen: Seen) -> None:
    visitor = Visitor(client, server.url, event)
    await visitor.ask(visitor.marked(question), seen)


async def crowd(server: Server, asked: list[str], visitors: int) -> tuple[Seen, list[float]]:
    seen, ends = Seen(), time.monotonic() + 60 * _MINUTES
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)

    async def visit(client: httpx.AsyncClient, event: int, number: int) -> None:
        await asyncio.sleep(_PAUSE * number / visitors)
        visitor, turn = Visitor(client, server.url, event), 0
        while time.monotonic() < ends:
            turn += 1
            try:
                await visitor.ask(visitor.marked(asked[(number * 50 + turn) % len(asked)]), seen)
            except (httpx.HTTPError, KeyError) as error:
                seen.errors.append(repr(error)[:200])
            await asyncio.sleep(_PAUSE)

    async def watch() -> list[float]:
        memory = []
        for _ in range(_MINUTES):
            await asyncio.sleep(59)
            memory.append(server.megabytes())
        return memory

    async with httpx.AsyncClient(timeout=60, limits=limits) as client:
        event = submit_index((await client.get(f"{server.url}/config")).json())
        await _alone(client, server, event, asked[0], Seen())
        memory, *_ = await asyncio.gather(watch(), *(visit(client, event, n) for n in range(visitors)))
    return seen, memory


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def report(seen: Seen) -> None:
    for name, values in (("first word", seen.first_words), ("whole answer", seen.answers)):
        p50 = statistics.median(values) if values else float("nan")
        print(f"{name:13} p50 {p50:.2f} s   p95 {percentile(values, 0.95):.2f} s   n {len(values)}")
    print(f"errors        {len(seen.errors)}   crossed answers {seen.crossed}")
    for error in seen.errors[:5]:
        print(f"  {error}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--store", type=Path, required=True, help="the folder of an indexed library")
    parser.add_argument("--visitors", type=int, default=0)
    parser.add_argument("--start", action="store_true")
    given = parser.parse_args()
    if given.start:
        began = time.monotonic()
        subprocess.run([sys.executable, "-c", "import gradio, chromadb"], check=True)
        imports = time.monotonic() - began
        server = Server(given.store.resolve())
        server.stop()
        print(f"start {server.seconds:.1f} s, {server.seconds / imports:.2f} times the imports alone ({imports:.1f} s)")
        return
    asked = questions(given.store)
    server = Server(given.store.resolve())
    try:
        if given.visitors:
            seen, memory = asyncio.run(crowd(server, asked, given.visitors))
            print("memory        " + ", ".join(f"{value:.0f} MB" for value in memory) + " after each minute")
        else:
            seen = asyncio.run(one_visitor(server, asked))
    finally:
        server.stop()
    report(seen)


if __name__ == "__main__":
    main()
