"""The gate: floors from one committed TOML file against a report; red says which figure, its floor and its n."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from eval.figures import ALL_METRICS, GATED_METRICS, Figure, figure, mark_figure
from eval.gold import KINDS
from eval.measures import BY_KEY
from eval.run import Report, Row
from rag.errors import InputError
from rag.types import OUTCOMES

Status = Literal["green", "red", "not_applicable"]


@dataclass(frozen=True, slots=True)
class Floor:
    """The least that a metric may come to, over all gold questions or those of one kind or wanted outcome."""

    metric: str
    floor: float
    kind: str | None = None
    outcome: str | None = None

    @property
    def name(self) -> str:
        """Return the metric and what it is taken over."""
        over = [part for part in (self.kind, self.outcome) if part]
        return f"{self.metric} ({', '.join(over)})" if over else self.metric


@dataclass(frozen=True, slots=True)
class FloorResult:
    """A floor, the figure held against it, and the verdict in one line."""

    floor: Floor
    figure: Figure
    status: Status
    line: str

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain JSON values."""
        return {
            "metric": self.floor.metric,
            "kind": self.floor.kind,
            "outcome": self.floor.outcome,
            "floor": self.floor.floor,
            "status": self.status,
            "line": self.line,
            "figure": self.figure.to_dict(),
        }


def load_floors(file: Path) -> tuple[Floor, ...]:
    """Read the floors; a name or a number that does not fit is an error, never a floor less."""
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{file} can't be read ({error.strerror}); name a gate file that exists.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} is not valid TOML ({error}); mend it.") from error
    rows = table.get("floor")
    if set(table) != {"floor"} or not isinstance(rows, list) or not rows:
        raise InputError(f"{file} must hold nothing but [[floor]] tables, at least one.")
    return tuple(_floor(row, f"{file}, floor {number}") for number, row in enumerate(rows, start=1))


def _floor(row: Mapping[str, Any], where: str) -> Floor:
    unknown = sorted(set(row) - {"metric", "floor", "kind", "outcome"})
    if unknown:
        raise InputError(f"{where} has the unknown key {unknown[0]!r}; known are metric, floor, kind, outcome.")
    for key, allowed in (("metric", GATED_METRICS), ("kind", KINDS), ("outcome", OUTCOMES)):
        if (key in row or key == "metric") and row.get(key) not in allowed:
            raise InputError(f"{where}: {key} is {row.get(key)!r}, but it must be one of {', '.join(allowed)}.")
    floor = row.get("floor")
    if isinstance(floor, bool) or not isinstance(floor, int | float) or not 0 < floor <= 1:
        raise InputError(f"{where}: floor is {floor!r}, but it must be a number above 0 and up to 1.")
    return Floor(row["metric"], float(floor), row.get("kind"), row.get("outcome"))


def check_floors(report: Report, floors: Sequence[Floor]) -> tuple[FloorResult, ...]:
    """Hold every floor against the report, over both halves of the gold."""
    if not report.rows:
        raise InputError("No question was scored, so there is nothing to gate; give gold questions.")
    results = tuple(_check(floor, report) for floor in floors)
    if all(result.status == "not_applicable" for result in results):
        raise InputError("None of the gate's floors applies to these questions; choose others or use --no-gate.")
    return results


def _rows_of(floor: Floor, rows: Sequence[Row]) -> list[Row]:
    return [
        row for row in rows if floor.kind in (None, row.question.kind) and floor.outcome in (None, row.question.outcome)
    ]


def _check(floor: Floor, report: Report) -> FloorResult:
    rows = _rows_of(floor, report.rows)
    got = figure(floor.metric, rows) if floor.metric in ALL_METRICS else mark_figure(floor.metric, report)
    if got.value is None:
        return _unscored(floor, got)
    counted = f"n = {got.n}" + (f", {got.crashed} crashed" if got.crashed else "")
    counted += f", {got.not_scored} without an answer" if got.not_scored else ""
    relation, status = ("meets", "green") if got.value >= floor.floor else ("is under", "red")
    line = f"{floor.name} {got.value:.3f} {relation} the floor {floor.floor:.3f} ({counted})"
    return FloorResult(floor, got, "green" if status == "green" else "red", line)


def _unscored(floor: Floor, got: Figure) -> FloorResult:
    """Tell a metric that no gold question asks for from one that the system left without a single judged answer."""
    if got.refused and floor.metric in BY_KEY:
        line = f"{floor.name} could not be judged against the floor {floor.floor:.3f}: {got.refused} refused (n = 0)"
        return FloorResult(floor, got, "red", line)
    return FloorResult(floor, got, "not_applicable", f"{floor.name} applies to none of these questions (n = 0)")


def is_red(results: Sequence[FloorResult]) -> bool:
    """Return whether any floor is missed."""
    return any(result.status == "red" for result in results)
