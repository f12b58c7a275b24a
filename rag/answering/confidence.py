"""State a confidence that has been measured: the share of answers like this one that an evaluation found right.

`calibration.json` beside this module counts, by form of answer and raw score, how many answers of the packaged gold's
dev half were right; `rag eval calibrate` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Level:
    """Raw scores from `least` up: so many of `n` such answers were right."""

    least: float
    right: int
    n: int


@dataclass(frozen=True, slots=True)
class Confidence:
    """A confidence from 0 to 1 and what it rests on, in words."""

    value: float
    note: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """Levels by form of answer, lowest first; a form without any keeps its raw score."""

    forms: Mapping[str, tuple[Level, ...]]

    def confidence(self, form: str, raw: float, measured_apart: bool = False) -> Confidence:
        """Return the confidence of an answer of one form (an outcome, or `census`) with a raw score.

        `measured_apart` says that the answer was not written the way that was measured (a model wrote it).
        """
        levels = self.forms.get(form, ())
        if not levels:
            return Confidence(raw, "")
        level = next((one for one in reversed(levels) if raw >= one.least), levels[0])
        where = " when quoted without a model" if measured_apart else ""
        note = f"answers like this were right in {level.right} of {level.n} development questions{where}"
        # Laplace's rule: a few answers, all right, are no certainty.
        return Confidence((level.right + 1) / (level.n + 2), note)


class Uncalibrated:
    """Give the raw score, and as note the form of answer: what the measuring itself needs."""

    def confidence(self, form: str, raw: float, measured_apart: bool = False) -> Confidence:
        """Return the raw score and the form."""
        return Confidence(raw, form)


@lru_cache(maxsize=1)
def packaged_calibration() -> Calibration:
    """Return the calibration that travels with the package."""
    table = json.loads(Path(__file__).with_name("calibration.json").read_text(encoding="utf-8"))
    return Calibration(
        {
            form: tuple(Level(float(row["least"]), int(row["right"]), int(row["n"])) for row in rows)
            for form, rows in table["forms"].items()
        }
    )
