"""Ask the packaged small model the whole gold, and see what of its drafts is shown.

    python -m tests.benchmarks.local_model record FILE [--seconds N]   asks what FILE lacks, stops after N seconds
    python -m tests.benchmarks.local_model judge FILE                  replays FILE without the model, prints shares

Hours long on two cores, so it can be stopped and taken up again at any time. A line of FILE is one draft: `library, id,
question, history, sources` (the paper ids the model was given, in order) and `reply`, null where none was asked for.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import rag
from eval.gold import GoldQuestion, load_gold
from rag.config import load_config
from rag.model.drafting import make_model
from rag.model.prompts import one_line
from rag.pipeline import Library
from rag.resources import resource
from rag.types import ChatModel, Paper, Usage


class Recording:
    """A chat model that keeps the prompt and the text of its last reply."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner, self.name, self.prompt = inner, inner.name, ""
        self.reply: str | None = None
        self.context_window, self.max_tokens = getattr(inner, "context_window", 0), getattr(inner, "max_tokens", 0)

    @property
    def usage(self) -> Usage:
        return self._inner.usage

    def count_tokens(self, text: str) -> int:
        return int(self._inner.count_tokens(text))  # type: ignore[attr-defined]

    def stream(self, system: str, user: str, *, max_tokens: int | None = None) -> Iterator[str]:
        self.prompt, self.reply = user, ""
        pieces = self._inner.stream(system, user, max_tokens=max_tokens)  # type: ignore[call-arg]
        for piece in pieces:
            self.reply += piece
            yield piece


def libraries(
    stack: ExitStack, model: ChatModel | None = None
) -> Iterator[tuple[str, Library, tuple[GoldQuestion, ...]]]:
    """Yield both libraries of the project with their gold."""
    mode = "llm" if model else "extractive"
    seeds = stack.enter_context(rag.open(model=model, mode=mode))
    files = [resource("eval", "gold", name) for name in ("seeds.jsonl", "census.jsonl")]
    yield "seeds", seeds, load_gold(files, {p.id: p for p in seeds.papers()})
    folder = resource("eval", "gold", "invented")
    store = stack.enter_context(tempfile.TemporaryDirectory())
    invented = stack.enter_context(rag.open(store=store, model=model, mode=mode))
    invented.index(folder / "papers.jsonl")
    yield "invented", invented, load_gold([folder / "questions.jsonl"], {p.id: p for p in invented.papers()})


def given(prompt: str, papers: list[Paper]) -> list[str]:
    """Return the ids of the papers whose text a prompt holds, in its order."""
    places = {paper.id: prompt.find(one_line(paper.abstract)[:80]) for paper in papers}
    return sorted((p for p, place in places.items() if place >= 0), key=lambda p: places[p])


def record(file: Path, seconds: float) -> None:
    """Ask the questions that a file lacks, in an order that a hash fixes, and add a line for each."""
    end = time.monotonic() + seconds
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    done = {(row["library"], row["id"]) for row in map(json.loads, lines)}
    with ExitStack() as stack, file.open("a", encoding="utf-8") as out:
        model = Recording(make_model(load_config(model="local", timeout=600.0)))
        asked = [(name, library, g) for name, library, gold in libraries(stack, model) for g in gold]
        asked.sort(key=lambda row: hashlib.sha256(row[2].id.encode()).hexdigest())
        for name, library, g in asked:
            if (name, g.id) in done:
                continue
            if time.monotonic() > end:
                return
            model.reply = None
            library.ask(g.question, history=list(g.history))
            sources = given(model.prompt, list(library.papers())) if model.reply is not None else []
            row = {"library": name, "id": g.id, "question": g.question, "history": list(g.history)}
            out.write(json.dumps({**row, "sources": sources, "reply": model.reply}, ensure_ascii=False) + "\n")
            out.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("action", choices=["record", "judge"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    args = parser.parse_args()
    if args.action == "record":
        record(args.file, args.seconds)


if __name__ == "__main__":
    main()
