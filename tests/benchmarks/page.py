"""How fast is the page, and does it hold forty visitors? Everything on one machine, over loopback, no model.

    python -m tests.benchmarks.page --store FOLDER                  time to the first word, one visitor
    python -m tests.benchmarks.page --store FOLDER --visitors 40    each asks again 3 s after its answer, two minutes
    python -m tests.benchmarks.page --store FOLDER --start 5        from the command to a page that can be used, 5 pairs

FOLDER is an indexed library; it is asked about its own papers. The visitors speak the page's own protocol: they join
its queue, read its event stream and keep the conversation afterwards, as a browser does. Processor time is told beside
the clock, and the load of the machine, since other work makes the clock slow.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import resource
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
_IMPORTS = [sys.executable, "-c", "import gradio, chromadb"]


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
        while not self._listens():
            if self.process.poll() is not None:
                sys.exit("the page did not start")
            time.sleep(0.02)
        httpx.get(f"{self.url}/health", timeout=30).raise_for_status()
        self.seconds, self.started = time.monotonic() - began, self.processor()

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def megabytes(self) -> float:
        """Return the memory that the process holds now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def processor(self) -> float:
        """Return the seconds of processor time that the process has taken."""
        times = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


@dataclass(frozen=True)
class Events:
    """The numbers of the page's events that a visitor sets off."""

    ask: int
    keep: int

    @classmethod
    def of(cls, config: dict[str, Any]) -> Events:
        """Find them in the page's configuration: sending a question, and what follows on it."""
        box = next(c["id"] for c in config["components"] if c["props"].get("elem_id") == "question")
        told = config["dependencies"]
        ask = next(d["id"] for d in told if [box, "submit"] in [list(t) for t in d["targets"]])
        return cls(ask, next(d["id"] for d in told if d["trigger_after"] == ask))


class Visitor:
    """One reader with a session of its own, as the page's script would be."""

    def __init__(self, client: httpx.AsyncClient, url: str, events: Events) -> None:
        self._client, self._url, self._events = client, f"{url}/gradio_api", events
        self._session = secrets.token_hex(6)
        self._kept: Any = {}

    async def ask(self, question: str, seen: Seen) -> None:
        began = time.monotonic()
        body = {"data": [question, None, None], "fn_index": self._events.ask, "session_hash": self._session}
        joined = await self._client.post(f"{self._url}/queue/join", json=body | {"event_data": None})
        joined.raise_for_status()
        first, whole = None, ""
        async for line in self._told():
            message = json.loads(line)
            # The first update holds the conversation so far; those after it what is new.
            if first is None and whole and 'class=\\"text\\"' in line:
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
        await self._keep()

    async def _told(self) -> Any:
        listening = self._client.stream("GET", f"{self._url}/queue/data", params={"session_hash": self._session})
        async with listening as events:
            async for line in events.aiter_lines():
                if line.startswith("data:"):
                    yield line[5:]

    async def _keep(self) -> None:
        body = {"data": [None, None, self._kept], "fn_index": self._events.keep, "session_hash": self._session}
        kept = await self._client.post(f"{self._url}/run/predict", json=body)
        kept.raise_for_status()
        self._kept = kept.json()["data"][0]

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
        events = Events.of((await client.get(f"{server.url}/config")).json())
        for question in asked[:3]:
            await _alone(client, server, events, question, Seen())  # the first opens the library
        server.started = server.processor()
        for question in asked[3:43]:
            await _alone(client, server, events, question, seen)
    return seen


async def _alone(client: httpx.AsyncClient, server: Server, events: Events, question: str, seen: Seen) -> None:
    visitor = Visitor(client, server.url, events)
    await visitor.ask(visitor.marked(question), seen)


async def crowd(server: Server, asked: list[str], visitors: int) -> tuple[Seen, list[float]]:
    seen = Seen()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)

    async def visit(client: httpx.AsyncClient, events: Events, number: int) -> None:
        await asyncio.sleep(_PAUSE * number / visitors)
        visitor, turn = Visitor(client, server.url, events), 0
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

    async with httpx.AsyncClient(timeout=120, limits=limits) as client:
        events = Events.of((await client.get(f"{server.url}/config")).json())
        await _alone(client, server, events, asked[0], Seen())
        server.started, ends = server.processor(), time.monotonic() + 60 * _MINUTES
        memory, *_ = await asyncio.gather(watch(), *(visit(client, events, n) for n in range(visitors)))
    return seen, memory


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def report(seen: Seen, server: Server, began: float) -> None:
    for name, values in (("first word", seen.first_words), ("whole answer", seen.answers)):
        p50 = statistics.median(values) if values else float("nan")
        print(f"{name:13} p50 {p50:.2f} s   p95 {percentile(values, 0.95):.2f} s   n {len(values)}")
    print(f"errors        {len(seen.errors)}   crossed answers {seen.crossed}")
    served = 1000 * (server.processor() - server.started) / max(1, len(seen.answers))
    asking = 1000 * (time.process_time() - began) / max(1, len(seen.answers))
    print(f"processor     {served:.0f} ms an answer in the server, {asking:.0f} ms in this script")
    for error in seen.errors[:5]:
        print(f"  {error}")


def start(store: Path, pairs: int) -> None:
    """Measure the start against the imports alone, in turns, and how soon after it a browser can be used."""
    clocks, processors, usable = [], [], []
    for _ in range(pairs):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(_IMPORTS, check=True)
        imports, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        server = Server(store)
        try:
            usable.append(until_usable(server.url))
        finally:
            server.stop()
        clocks.append(server.seconds / imports)
        processors.append(server.started / taken)
        print(
            f"start {server.seconds:.1f} s, imports {imports:.1f} s, ratio {clocks[-1]:.2f}; "
            f"processor {server.started:.1f} s, {taken:.1f} s, ratio {processors[-1]:.2f}; usable in {usable[-1]:.1f} s"
        )
    clock, processor, ready = (statistics.median(values) for values in (clocks, processors, usable))
    print(f"median of {pairs}: {clock:.2f} times the imports by the clock, {processor:.2f} in processor time")
    print(f"a browser can be used {ready:.1f} s after readiness")


def until_usable(url: str) -> float:
    """Return the seconds until a browser that opens the page can send a question."""
    from playwright.sync_api import sync_playwright

    from tests.ui.screenshots import CHROMIUM, FLAGS

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = browser.new_page()
        began = time.monotonic()
        page.goto(url)
        page.get_by_role("button", name="Select example 1").wait_for()
        page.locator("#question textarea").fill("Usable?")
        page.locator("#question .submit-button").wait_for()
        seconds = time.monotonic() - began
        browser.close()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--store", type=Path, required=True, help="the folder of an indexed library")
    parser.add_argument("--visitors", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, metavar="PAIRS")
    given = parser.parse_args()
    print(f"load          {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores before")
    if given.start:
        start(given.store.resolve(), given.start)
        return
    asked = questions(given.store)
    server, began = Server(given.store.resolve()), time.process_time()
    try:
        if given.visitors:
            seen, memory = asyncio.run(crowd(server, asked, given.visitors))
            print("memory        " + ", ".join(f"{value:.0f} MB" for value in memory) + " after each minute")
        else:
            seen = asyncio.run(one_visitor(server, asked))
        report(seen, server, began)
    finally:
        server.stop()
    print(f"load          {os.getloadavg()[0]:.1f} after")


if __name__ == "__main__":
    main()
