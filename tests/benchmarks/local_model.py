"""Ask the packaged small model gold questions: `python -m tests.benchmarks.local_model [-n 20] [--write]`.

Prints what of each draft was shown and what was left out, and the share of questions where a sentence survived. With
`--write` the drafts go to tests/llm/recorded_drafts.jsonl, which a test replays without the model; read what is
shown and add the sentences that hold to `shown` there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import rag
from eval.gold import load_gold
from rag.config import load_config
from rag.model.drafting import make_model
from rag.resources import resource
from rag.types import ChatModel, Usage

RECORDED = Path(__file__).resolve().parents[1] / "llm" / "recorded_drafts.jsonl"


class Recording:
    """A chat model that keeps the text of its last reply."""

    def __init__(self, inner: ChatModel) -> None:
        self._inner, self.name, self.reply = inner, inner.name, ""

    @property
    def usage(self) -> Usage:
        return self._inner.usage

    def stream(self, system: str, user: str) -> Iterator[str]:
        self.reply = ""
        for piece in self._inner.stream(system, user):
            self.reply += piece
            yield piece


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("-n", type=int, default=20, help="how many questions (20)")
    parser.add_argument("--write", action="store_true", help="keep the drafts for the test")
    args = parser.parse_args()
    model = Recording(make_model(load_config(model="local")))
    rows, survived, dropped = [], 0, 0
    with rag.open(model=model, mode="llm") as library:
        papers = {p.id: p for p in library.papers()}
        gold = load_gold([resource("eval", "gold", "seeds.jsonl")], papers)
        asked = [g for g in gold if g.kind in ("single_fact", "which_paper")]
        asked.sort(key=lambda g: hashlib.sha256(g.id.encode()).hexdigest())
        for g in asked[: args.n]:
            model.reply = ""
            answer = library.ask(g.question)
            shown = answer.text if answer.mode == "llm" else ""
            survived += bool(shown)
            dropped += len(answer.rejected)
            rows.append({"id": g.id, "question": g.question, "reply": model.reply, "shown": []})
            print(
                f"{g.id}: {answer.mode}, {len(answer.rejected)} left out\n  draft: {model.reply!r}\n  shown: {shown!r}",
                flush=True,
            )
    print(f"\n{survived} of {len(rows)} questions kept a sentence of the model; {dropped} sentences or marks left out")
    if args.write:
        RECORDED.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
