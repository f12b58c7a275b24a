"""A census against a reader: which abstracts to read of a large library, and what the readings say of the census.

Drawn with a seed, per question: 30 abstracts that it said yes to, 20 no's (half of them with a word of the condition)
and 10 unsure, or all there are. Each stratum counts for all that it was drawn from, so that recall speaks of the whole
library. `python -m tests.benchmarks.census_readings` prints the figures of those in `docs/census_readings.jsonl`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rag.census.judging import Census
from rag.text.words import content_stems
from rag.types import Paper

Stratum = Literal["yes", "no_with_word", "no_without", "unsure"]
DRAWN: Mapping[Stratum, int] = {"yes": 30, "no_with_word": 10, "no_without": 10, "unsure": 10}
SEED = 2027


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found in one drawn abstract: whether the condition holds, and the words that decide it."""

    question: str
    paper_id: str
    stratum: Stratum
    holds: bool
    quote: str


@dataclass(frozen=True, slots=True)
class Strata:
    """How many abstracts of the library each stratum of one question holds."""

    question: str
    sizes: Mapping[Stratum, int]

    @property
    def total(self) -> int:
        """Return the number of abstracts of the library."""
        return sum(self.sizes.values())


@dataclass(frozen=True, slots=True)
class Estimate:
    """How good a census is by its readings: precision of its yes, recall over the library, its shares."""

    precision: float
    recall: float
    holding: float  # share of the library for which the condition holds, estimated
    said_yes: float
    unsure: float


def strata(census: Census, words: str) -> dict[Stratum, list[Paper]]:
    """Return a census's abstracts by what it said; `words` are the condition's own, to split the no's."""
    wanted = set(content_stems(words))
    rows: dict[Stratum, list[Paper]] = {name: [] for name in DRAWN}
    for finding in census.findings:
        if finding.outcome == "no":
            has = not wanted.isdisjoint(content_stems(finding.paper.abstract))
            rows["no_with_word" if has else "no_without"].append(finding.paper)
        else:
            rows[finding.outcome].append(finding.paper)
    return rows


def draw(rows: Mapping[Stratum, Sequence[Paper]], seed: int = SEED) -> dict[Stratum, list[Paper]]:
    """Return the abstracts to read, the same ones for the same seed."""
    chooser = random.Random(seed)
    return {
        name: chooser.sample(sorted(rows[name], key=lambda paper: paper.id), min(count, len(rows[name])))
        for name, count in DRAWN.items()
    }


def estimate(sizes: Strata, readings: Iterable[Reading]) -> Estimate:
    """Return the figures of one question: each stratum's share that holds, weighted by its size."""
    by_stratum: dict[Stratum, list[bool]] = {name: [] for name in DRAWN}
    for reading in readings:
        if reading.question == sizes.question:
            by_stratum[reading.stratum].append(reading.holds)
    share = {name: sum(rows) / len(rows) if rows else 0.0 for name, rows in by_stratum.items()}
    holding = {name: share[name] * sizes.sizes[name] for name in DRAWN}
    everything = sum(holding.values())
    return Estimate(
        precision=share["yes"],
        recall=holding["yes"] / everything if everything else 0.0,
        holding=everything / sizes.total,
        said_yes=sizes.sizes["yes"] / sizes.total,
        unsure=sizes.sizes["unsure"] / sizes.total,
    )


def load(path: Path) -> tuple[list[Strata], list[Reading]]:
    """Read the kept readings: a line a question with the sizes of its strata, a line an abstract that was read."""
    sizes, readings = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if "sizes" in row:
            sizes.append(Strata(row["question"], row["sizes"]))
        else:
            readings.append(
                Reading(row["question"], row["paper_id"], row["stratum"], bool(row["holds"]), str(row["quote"]))
            )
    return sizes, readings


def figures(path: Path) -> str:
    """Return the figures of the kept readings as a table in text, a question a line."""
    sizes, readings = load(path)
    lines = ["precision  recall  said yes  unsure  read  question"]
    for row in sizes:
        found = estimate(row, readings)
        read = sum(reading.question == row.question for reading in readings)
        shares = f"{found.said_yes:7.1%}  {found.unsure:6.1%}"
        lines.append(f"{found.precision:9.3f}  {found.recall:6.3f}  {shares}  {read:4}  {row.question}")
    return "\n".join(lines)


def main() -> None:
    """Print the figures of the kept readings."""
    import sys

    sys.stdout.write(figures(Path(__file__).resolve().parents[2] / "docs" / "census_readings.jsonl") + "\n")


if __name__ == "__main__":
    main()
