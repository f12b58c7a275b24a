"""Calibration: a stated confidence of .8 should mean that four of five such answers are right.

The curve groups answers by stated confidence in ten bands of equal width; the expected calibration error is the mean
distance between stated and observed, weighted by the bands' sizes (Naeini, Cooper and Hauskrecht, AAAI 2015).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eval.run import Report, Row

_BANDS = 10
# A level of the committed table rests on at least so many answers; fewer are joined to a neighbour.
_LEAST_ANSWERS = 15


@dataclass(frozen=True, slots=True)
class Band:
    """Answers of like confidence: how many, what they stated on average, and how many were right."""

    low: float
    high: float
    n: int
    stated: float
    right: int

    @property
    def observed(self) -> float:
        """Return the share that was right."""
        return self.right / self.n

    def to_dict(self) -> dict[str, Any]:
        """Return the band as plain JSON values."""
        return {"low": self.low, "high": self.high, "n": self.n, "stated": round(self.stated, 4), "right": self.right}


def bands(pairs: Iterable[tuple[float, bool]]) -> tuple[Band, ...]:
    """Group (stated confidence, was right) into bands; empty ones are left out."""
    groups: dict[int, list[tuple[float, bool]]] = {}
    for stated, right in pairs:
        groups.setdefault(min(int(stated * _BANDS), _BANDS - 1), []).append((stated, right))
    return tuple(
        Band(
            place / _BANDS,
            (place + 1) / _BANDS,
            len(group),
            sum(stated for stated, _ in group) / len(group),
            sum(right for _, right in group),
        )
        for place, group in sorted(groups.items())
    )


def calibration_error(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Return the expected calibration error, None where there is no answer."""
    if not pairs:
        return None
    return sum(abs(band.stated - band.observed) * band.n for band in bands(pairs)) / len(pairs)


def curve(rows: Iterable[Row]) -> tuple[Band, ...]:
    """Return the calibration curve of the answers of a report."""
    return bands((row.confidence, row.score("right").hits > 0) for row in rows)


def calibration_table(reports: Iterable[Report]) -> str:
    """Return the table by which `rag` states its confidence, made from the dev half of uncalibrated runs.

    An uncalibrated answer carries its raw score as confidence and its form (such as `census`) as note. Levels rise with
    the raw score: neighbours that do not are joined (pool adjacent violators; Ayer et al., 1955).
    """
    forms: dict[str, list[tuple[float, bool]]] = {}
    fingerprints = []
    for report in reports:
        fingerprints.append(report.header.gold)
        for row in report.rows:
            if row.answer and row.question.split == "dev":
                case = (row.answer.confidence, row.score("right").hits > 0)
                forms.setdefault(row.answer.confidence_note, []).append(case)
    table = {
        "made_by": "rag eval calibrate",
        "gold": fingerprints,
        "forms": {form: [level.to_dict() for level in _levels(pairs)] for form, pairs in sorted(forms.items())},
    }
    return json.dumps(table, indent=1) + "\n"


@dataclass(frozen=True, slots=True)
class Level:
    """Raw scores from `least` up to the next level, and how many such answers were right."""

    least: float
    right: int
    n: int

    def to_dict(self) -> dict[str, Any]:
        """Return the level as plain JSON values."""
        return {"least": self.least, "right": self.right, "n": self.n}


def _levels(pairs: Sequence[tuple[float, bool]]) -> list[Level]:
    levels: list[Level] = []
    for raw, right in sorted(pairs):
        least = int(raw * 100) / 100
        if levels and (levels[-1].n < _LEAST_ANSWERS or levels[-1].least == least):
            last = levels.pop()
            levels.append(Level(last.least, last.right + right, last.n + 1))
        else:
            levels.append(Level(least, int(right), 1))
        while len(levels) > 1 and levels[-1].n >= _LEAST_ANSWERS and not _rises(levels[-2], levels[-1]):
            levels = [*levels[:-2], _joined(levels[-2], levels[-1])]
    if len(levels) > 1 and (levels[-1].n < _LEAST_ANSWERS or not _rises(levels[-2], levels[-1])):
        levels = [*levels[:-2], _joined(levels[-2], levels[-1])]
    return levels


def _rises(lower: Level, upper: Level) -> bool:
    return lower.right / lower.n < upper.right / upper.n


def _joined(lower: Level, upper: Level) -> Level:
    return Level(lower.least, lower.right + upper.right, lower.n + upper.n)
