"""Intervals and rank statistics: Wilson for shares, a seeded percentile bootstrap for everything else."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

_Z = 1.959963984540054  # two-sided 95 %
_RESAMPLES = 1000
_SEED = 20260101


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval and how it was made."""

    low: float
    high: float
    method: str


def wilson(hits: float, total: float) -> Interval:
    """Return the Wilson score interval of a share (E. B. Wilson, JASA 22, 1927)."""
    if total <= 0:
        raise ValueError("A share of nothing has no interval.")
    p, z2 = hits / total, _Z**2 / total
    centre = (p + z2 / 2) / (1 + z2)
    half = _Z * math.sqrt(p * (1 - p) / total + z2 / (4 * total)) / (1 + z2)
    low = 0.0 if hits <= 0 else max(0.0, centre - half)
    high = 1.0 if hits >= total else min(1.0, centre + half)
    return Interval(low, high, "wilson")


def bootstrap(rows: Sequence[Any], statistic: Callable[[Sequence[Any]], float | None]) -> Interval | None:
    """Return the percentile bootstrap interval of a statistic over rows (B. Efron, 1979); the seed is fixed.

    Resamples on which the statistic does not exist are left out; None when that leaves none.
    """
    if not rows:
        return None
    picks = np.random.default_rng(_SEED).integers(0, len(rows), size=(_RESAMPLES, len(rows)))
    values = [v for v in (statistic([rows[i] for i in pick]) for pick in picks) if v is not None]
    if not values:
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return Interval(float(low), float(high), "bootstrap")


def bootstrap_mean(values: Sequence[float]) -> Interval | None:
    """Return the percentile bootstrap interval of a mean; the seed is fixed."""
    if not values:
        return None
    array = np.asarray(values, dtype=float)
    picks = np.random.default_rng(_SEED).integers(0, len(array), size=(_RESAMPLES, len(array)))
    low, high = np.percentile(array[picks].mean(axis=1), [2.5, 97.5])
    return Interval(float(low), float(high), "bootstrap")


def auroc(pairs: Sequence[tuple[float, bool]]) -> float | None:
    """Return the chance that a right case scores above a wrong one, ties counting half (Mann-Whitney U).

    None when all cases are right, or all wrong: the area does not exist then.
    """
    scores = np.asarray([score for score, _ in pairs], dtype=float)
    right = np.asarray([ok for _, ok in pairs], dtype=bool)
    positives, negatives = int(right.sum()), int((~right).sum())
    if not positives or not negatives:
        return None
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    u = ranks[right].sum() - positives * (positives + 1) / 2
    return float(u / (positives * negatives))
