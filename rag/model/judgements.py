"""What a model judged of an abstract, remembered in the library's folder by model, rules, condition and abstract."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

Verdict = Literal["yes", "no", "unsure"]
FILE = "judgements.jsonl"


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a condition holds of an abstract, and where the words stand that show it (offsets; 0, 0 for none)."""

    outcome: Verdict
    start: int = 0
    end: int = 0


class Judgements:
    """The judgements of one library: a file that only grows, a line each; a line that can't be read is passed over."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._guard = threading.Lock()
        self._rows: dict[str, Judgement] | None = None

    def get(self, key: tuple[str, ...]) -> Judgement | None:
        """Return what is remembered for a key, or None."""
        with self._guard:
            return self._read().get(_digest(key))

    def keep(self, key: tuple[str, ...], judgement: Judgement) -> None:
        """Remember a judgement, readable by the owner alone: the condition may be private."""
        digest = _digest(key)
        with self._guard:
            self._read()[digest] = judgement
            line = json.dumps([digest, judgement.outcome, judgement.start, judgement.end])
            with open(self._file, "a", encoding="utf-8", opener=lambda p, f: os.open(p, f, 0o600)) as file:
                file.write(line + "\n")

    def _read(self) -> dict[str, Judgement]:
        if self._rows is None:
            self._rows = {}
            if self._file.exists():
                for line in self._file.read_text(encoding="utf-8", errors="replace").splitlines():
                    self._take(line, self._rows)
        return self._rows

    @staticmethod
    def _take(line: str, rows: dict[str, Judgement]) -> None:
        try:
            digest, outcome, start, end = json.loads(line)
        except (ValueError, TypeError):
            return
        if outcome in get_args(Verdict) and isinstance(start, int) and isinstance(end, int):
            rows[str(digest)] = Judgement(outcome, start, end)


def _digest(key: tuple[str, ...]) -> str:
    return hashlib.sha256("\x1f".join(key).encode("utf-8", "surrogatepass")).hexdigest()
