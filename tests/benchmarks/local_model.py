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
from eval.support import own_fault
from rag.config import load_config
from rag.errors import ModelError
from rag.model.drafting import make_model
from rag.model.prompts import one_line
from rag.model.writing import write
from rag.pipeline import Library
from rag.resources import resource
from rag.retrieval.question import understand
from rag.types import ChatModel, Chunk, Paper, Rejected, ScoredChunk, Statement, Usage


class Recording:
    """A chat model that keeps the prompt and the text of its last reply."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner, self.name, self.prompt, self.calls = inner, inner.name, "", 0
        self.reply: str | None = None
        self.context_window, self.max_tokens = getattr(inner, "context_window", 0), getattr(inner, "max_tokens", 0)

    @property
    def usage(self) -> Usage:
        return self._inner.usage

    def count_tokens(self, text: str) -> int:
        return int(self._inner.count_tokens(text))  # type: ignore[attr-defined]

    def stream(self, system: str, user: str, *, max_tokens: int | None = None) -> Iterator[str]:
        self.calls += 1
        if self.calls > 1:
            raise ModelError("A draft is one call; what asks for more is not recorded.")
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
            # A question on all papers is judged abstract by abstract: that is no draft of an answer.
            if (name, g.id) in done or g.kind == "census" or understand(g.question).kind == "census":
                continue
            if time.monotonic() > end:
                return
            model.reply, model.calls = None, 0
            library.ask(g.question, history=list(g.history))
            if model.calls > 1:
                model.reply = None
            sources = given(model.prompt, list(library.papers())) if model.reply is not None else []
            row = {"library": name, "id": g.id, "question": g.question, "history": list(g.history)}
            out.write(json.dumps({**row, "sources": sources, "reply": model.reply}, ensure_ascii=False) + "\n")
            out.flush()


class Replay:
    """A chat model that repeats one recorded reply; one without an end is a reply that was cut."""

    name = "recorded"

    def __init__(self, reply: str) -> None:
        self.usage, self._reply = Usage(), reply

    def stream(self, system: str, user: str) -> Iterator[str]:
        whole = max(self._reply.rfind(mark) for mark in ".!?]\n") + 1
        yield self._reply[:whole]


def judge(file: Path) -> None:
    """Print what of each recorded draft is shown, what the evaluator's own checks say of it, and the shares."""
    with ExitStack() as stack:
        papers = {(name, p.id): p for name, library, _ in libraries(stack) for p in library.papers()}
    drafts = kept = dropped = survived = faulty = 0
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    for row in (row for row in lines if row["reply"]):
        given_papers = [papers[row["library"], i] for i in row["sources"]]
        events = list(write(Replay(row["reply"]), row["question"], (), [_source(p) for p in given_papers]))
        shown = [event for event in events if isinstance(event, Statement)]
        drafts, kept, survived = drafts + 1, kept + len(shown), survived + bool(shown)
        dropped += sum(isinstance(event, Rejected) for event in events)
        for statement in shown:
            text = "".join(part for part in statement.parts if isinstance(part, str)).strip()
            fault = own_fault(text, [quote.paper for quote in statement.quotes])
            faulty += bool(fault)
            print(f"{row['id']}: {text} {f'<- {fault}' if fault else ''}")
    print(
        f"{len(lines)} questions, {drafts} drafts; in {survived} a sentence survived; sentences kept {kept}, "
        f"sentences or marks left out {dropped}; of those kept {faulty} faulted by the evaluator's own checks"
    )


def _source(paper: Paper) -> ScoredChunk:
    return ScoredChunk(Chunk(f"{paper.id}#0", paper.id, paper.abstract, 0, len(paper.abstract)), paper, 1.0, "both")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("action", choices=["record", "judge"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    args = parser.parse_args()
    if args.action == "record":
        record(args.file, args.seconds)
    else:
        judge(args.file)


if __name__ == "__main__":
    main()
