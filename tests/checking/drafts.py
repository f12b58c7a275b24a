"""Play the recorded drafts of `drafts.jsonl` through the answerer and see what would be shown."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from rag.model.drafting import LLMAnswerer
from rag.model.reasoning import ReasoningFilter
from rag.resources import resource
from rag.text.tex import readable
from rag.types import Paper, Rejected, Statement
from tests.llm.builders import INJECTED, QueueModel, evidence, seeds, texts


def load() -> list[dict[str, Any]]:
    path = Path(__file__).with_name("drafts.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def play(draft: dict[str, Any]) -> list[Statement | Rejected]:
    papers = [_paper(place) for place in draft["evidence"]]
    reasoning = ReasoningFilter()
    text = reasoning.feed(draft["draft"]) + reasoning.end()
    answerer = LLMAnswerer(QueueModel(text, finish=draft.get("finish", "stop")))
    return list(answerer.statements(draft.get("question", "What do the papers say?"), (), evidence(*papers)))


def _paper(place: int | str) -> Paper:
    """Return a seed abstract by its number, one of the invented library by its id, or the one that gives orders."""
    if place == "injected":
        return INJECTED
    return seeds()[place] if isinstance(place, int) else _invented()[place]


@lru_cache(maxsize=1)
def _invented() -> dict[str, Paper]:
    lines = resource("eval", "gold", "invented", "papers.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return {r["id"]: Paper(r["id"], r["title"], False, readable(r["abstract"]), r["abstract"]) for r in rows}


def is_kept_out(draft: dict[str, Any], rows: list[Statement | Rejected]) -> bool:
    """Tell whether the planted fault is not shown as a fact."""
    shown = [row for row in rows if isinstance(row, Statement)]
    if draft.get("hidden") and any(draft["hidden"] in text for text in texts(shown)):
        return False
    if draft.get("reject") and draft["reject"] not in {row.marker for row in rows if isinstance(row, Rejected)}:
        return False
    cited = [("".join(texts([row])), quote.paper.id) for row in shown for quote in row.quotes]
    if "wrong_paper" in draft and any(paper == f"s{draft['wrong_paper']}" for _, paper in cited):
        return False
    pairs = draft.get("wrong_pairs", ())
    return not any(name in text and paper == f"s{number}" for name, number in pairs for text, paper in cited)


def is_shown(draft: dict[str, Any], rows: list[Statement | Rejected]) -> bool:
    """Tell whether an honest draft survived whole."""
    return any(isinstance(row, Statement) for row in rows) and not any(isinstance(row, Rejected) for row in rows)
