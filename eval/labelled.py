"""The checker on pairs that people have judged: balanced accuracy, chance being one half.

A file of pairs holds one JSON object a line: `text`, what a paper says; `claim`, what is claimed of it; `supported`,
true or false, as people judged it. Planted faults are easier than people's disagreements: expect less.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.stats import Interval, bootstrap
from eval.support import Check
from rag.errors import InputError
from rag.types import Paper


@dataclass(frozen=True, slots=True)
class Labelled:
    """A claim, the text that it is about, and whether people found it supported."""

    text: str
    claim: str
    supported: bool


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a checker agrees with people: balanced accuracy with its interval, over `n` pairs."""

    n: int
    value: float | None = None
    interval: Interval | None = None

    def line(self) -> str:
        """Return the agreement for the first line of a report."""
        if self.value is None or self.interval is None:
            return f"balanced accuracy does not exist on {self.n} pairs of one label"
        bounds = f"[{self.interval.low:.2f}, {self.interval.high:.2f}]"
        return f"balanced accuracy {self.value:.2f} {bounds} on {self.n} pairs that people judged"

    def to_dict(self) -> dict[str, Any]:
        """Return the agreement as plain JSON values."""
        interval = self.interval
        return {
            "n": self.n,
            "value": None if self.value is None else round(self.value, 4),
            "low": None if interval is None else round(interval.low, 4),
            "high": None if interval is None else round(interval.high, 4),
        }


def read_labelled(file: Path) -> tuple[Labelled, ...]:
    """Read a file of pairs, every line checked."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} can't be read ({error}); name a JSON lines file of labelled pairs.") from error
    pairs = tuple(_pair(line, f"{file}, line {n}") for n, line in enumerate(lines, start=1) if line.strip())
    if not pairs:
        raise InputError(f"{file} holds no labelled pair; each line is an object with text, claim, supported.")
    return pairs


def _pair(line: str, where: str) -> Labelled:
    try:
        row = json.loads(line)
        text, claim, supported = row["text"], row["claim"], row["supported"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{where} is no labelled pair ({type(error).__name__}: {error}).") from error
    if not (isinstance(text, str) and isinstance(claim, str) and isinstance(supported, bool)):
        raise InputError(f"{where} is no labelled pair: text and claim are texts, supported is true or false.")
    return Labelled(text, claim, supported)


def agreement(check: Check, pairs: Sequence[Labelled]) -> Agreement:
    """Return how far a checker agrees with people; a claim with any unsupported sentence counts as unsupported."""
    judged = [(pair.supported, _passes(check, pair)) for pair in pairs]
    value = balanced_accuracy(judged)
    return Agreement(len(pairs), value, None if value is None else bootstrap(judged, balanced_accuracy))


def _passes(check: Check, pair: Labelled) -> bool:
    paper = Paper("pair", "", True, pair.text, pair.text)
    return all(row.verdict != "unsupported" for row in check(pair.claim, [paper]))


def balanced_accuracy(judged: Sequence[tuple[bool, bool]]) -> float | None:
    """Return the mean of the shares judged rightly among supported and unsupported; None without one of the two."""
    shares = []
    for label in (True, False):
        verdicts = [verdict == label for supported, verdict in judged if supported is label]
        if not verdicts:
            return None
        shares.append(sum(verdicts) / len(verdicts))
    return sum(shares) / 2
