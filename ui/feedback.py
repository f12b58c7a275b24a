"""Votes on answers, kept beside the library as candidates for gold questions."""

from __future__ import annotations

import hashlib
import json
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from rag.types import Answer, Turn

Vote = Literal["up", "down"]
CANDIDATES_FILE = "gold-candidates.jsonl"
LONGEST_NOTE = 2000  # characters
_MOST_BYTES = 20_000_000  # a file that strangers can add to has an end
_writing = threading.Lock()


def candidate(answer: Answer, history: tuple[Turn, ...], vote: Vote, note: str) -> dict[str, Any]:
    """Return a line in the form of a gold file, with what the visitor said of the answer; `must` is for a person."""
    key = f"{answer.question}\n{answer.text}".encode("utf-8", "replace")
    return {
        "id": f"vote-{hashlib.sha256(key).hexdigest()[:12]}",
        "kind": "",
        "question": answer.question,
        "history": [turn.question for turn in history],
        "papers": list(dict.fromkeys(citation.paper_id for citation in answer.citations)),
        "must": [],
        "must_not": [],
        "outcome": answer.outcome,
        "answers": [answer.text] if vote == "up" else [],
        "note": note.strip()[:LONGEST_NOTE],
        "vote": vote,
        "voted": datetime.now(UTC).isoformat(timespec="seconds"),
        "answer": answer.text,
    }


def store(folder: Path, row: dict[str, Any]) -> bool:
    """Add a candidate to the library's file; return False where the file is full."""
    file = folder / CANDIDATES_FILE
    with _writing:
        if file.is_file() and file.stat().st_size > _MOST_BYTES:
            return False
        with file.open("a", encoding="utf-8", errors="replace") as lines:
            lines.write(json.dumps(row, ensure_ascii=True) + "\n")
    return True


def stored(folder: Path) -> list[dict[str, Any]]:
    """Return the candidates, newest first; of several votes on one answer the last counts."""
    file = folder / CANDIDATES_FILE
    if not file.is_file():
        return []
    rows: dict[str, dict[str, Any]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:  # a line that a crash cut short
            continue
        if isinstance(row, dict) and isinstance(row.get("id"), str):
            rows.pop(row["id"], None)
            rows[row["id"]] = row
    return list(reversed(rows.values()))
