"""The verdict over floors and comparison together: what the exit code says, and the head of every report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from eval.baseline import Comparison
from eval.gate import FloorResult, is_red

Verdict = Literal["red", "green", "reported"]


def verdict(gate: Sequence[FloorResult] | None, comparison: Comparison | None) -> Verdict:
    """Return red if a floor is missed or something got worse, green if a gate was held, else that it only reports."""
    if (gate and is_red(gate)) or (comparison and comparison.is_red):
        return "red"
    return "green" if gate else "reported"
