"""A map of the library: topics named by their own terms, papers that stand for them, places in a plane, years.

Deterministic: topics are spherical k-means on the stored vectors, started from the papers that lie farthest apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rag.errors import InputError, LibraryError
from rag.survey.naming import topic_terms
from rag.types import Paper

MOST_TOPICS = 40
_ROUNDS = 40
_REPRESENTATIVES = 3
_SHARPNESS = 14.0  # how strongly a paper is drawn to its nearest topics in the picture
_SPREAD = 0.35  # how far papers of one topic lie apart, as a share of the picture


@dataclass(frozen=True, slots=True)
class Topic:
    """A cluster of papers: its terms, its papers (the most central first) and how many a year."""

    number: int
    terms: tuple[str, ...]
    papers: tuple[Paper, ...]
    years: Mapping[int, int]

    @property
    def name(self) -> str:
        """Return the topic's terms as its name."""
        return ", ".join(self.terms) or f"topic {self.number}"

    @property
    def representatives(self) -> tuple[Paper, ...]:
        """Return the papers nearest to the topic's centre."""
        return self.papers[:_REPRESENTATIVES]


@dataclass(frozen=True, slots=True)
class Point:
    """Where a paper lies in the picture, 0 to 1 in both directions, and its topic."""

    paper: Paper
    x: float
    y: float
    topic: int


@dataclass(frozen=True, slots=True)
class Map:
    """The topics of a library, largest first, a point a paper, and the papers a year where years are known."""

    topics: tuple[Topic, ...]
    points: tuple[Point, ...]
    years: Mapping[int, int]
    unplaced: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the map as plain JSON values."""
        return {
            "papers": len(self.points),
            "not_placed": self.unplaced,
            "years": {str(year): count for year, count in self.years.items()},
            "topics": [_topic_dict(topic) for topic in self.topics],
            "points": [
                {"paper_id": p.paper.id, "title": p.paper.title, "x": p.x, "y": p.y, "topic": p.topic}
                for p in self.points
            ],
        }


def _topic_dict(topic: Topic) -> dict[str, Any]:
    return {
        "topic": topic.number,
        "name": topic.name,
        "terms": list(topic.terms),
        "size": len(topic.papers),
        "representatives": [{"paper_id": p.id, "title": p.title} for p in topic.representatives],
        "years": {str(year): count for year, count in topic.years.items()},
    }


def draw_map(papers: Sequence[Paper], vectors: Mapping[str, Any], topics: int | None = None) -> Map:
    """Return the map of papers from one vector each (of length 1); papers without a vector are counted, not placed.

    `topics` is how many to make; without it the square root of half the papers, at most 24.
    """
    placed = [paper for paper in papers if paper.id in vectors]
    if not placed:
        raise LibraryError("No paper of this library has a vector yet, so there is no map; index it with the weights.")
    if topics is not None and not 1 <= topics <= min(MOST_TOPICS, len(placed)):
        raise InputError(f"{topics} topics were asked for, but 1 to {min(MOST_TOPICS, len(placed))} can be made.")
    matrix = np.stack([np.asarray(vectors[paper.id], dtype=np.float64) for paper in placed])
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
    wanted = topics or max(1, min(24, round((len(placed) / 2) ** 0.5)))
    # What all papers of a library share does not tell its topics apart.
    centred = matrix - matrix.mean(axis=0) if len(placed) > 1 else matrix
    centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12)
    labels, centres = _clusters(centred, wanted)
    order = sorted(range(len(centres)), key=lambda c: (-int((labels == c).sum()), int(np.argmax(labels == c))))
    renamed = {old: new for new, old in enumerate(order, 1)}
    nearness = centred @ centres.T
    names = topic_terms(placed, [renamed[int(label)] for label in labels])
    made = tuple(_topic(renamed[c], c, placed, labels, nearness, names) for c in order)
    places = _places(centred, centres, nearness)
    points = tuple(
        Point(paper, round(float(x), 4), round(float(y), 4), renamed[int(label)])
        for paper, (x, y), label in zip(placed, places, labels, strict=True)
    )
    return Map(made, points, _years(placed), len(papers) - len(placed))


def _clusters(matrix: Any, wanted: int) -> tuple[Any, Any]:
    """Return each row's cluster and the clusters' centres: spherical k-means from the rows that lie farthest apart."""
    seeds = [int(np.argmax(matrix @ matrix.sum(axis=0)))]
    nearest = matrix @ matrix[seeds[0]]
    while len(seeds) < wanted and nearest.min() < 1 - 1e-9:
        seeds.append(_next_seed(matrix, nearest))
        nearest = np.maximum(nearest, matrix @ matrix[seeds[-1]])
    centres = matrix[seeds]
    labels = np.full(len(matrix), -1)
    for _ in range(_ROUNDS):
        found = np.argmax(matrix @ centres.T, axis=1)
        if (found == labels).all():
            break
        labels = found
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, matrix)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        # A topic that lost all its papers keeps its old centre.
        centres = np.where(lengths > 1e-12, sums / np.maximum(lengths, 1e-12), centres)
    kept = [c for c in range(len(centres)) if (labels == c).any()]
    renumbered = np.searchsorted(kept, labels)
    return renumbered, centres[kept]


def _next_seed(matrix: Any, nearest: Any) -> int:
    """Return the row that most others would be nearer to, among the tenth that lies farthest from the seeds.

    The farthest row alone is often an outlier that no other paper is like.
    """
    far = np.argsort(nearest, kind="stable")[: max(1, min(64, len(nearest) // 10))]
    gain = np.maximum(matrix @ matrix[far].T - nearest[:, None], 0).sum(axis=0)
    return int(far[int(np.argmax(gain))])


def _topic(number: int, cluster: int, papers: Sequence[Paper], labels: Any, nearness: Any, names: Any) -> Topic:
    members = [i for i in range(len(papers)) if labels[i] == cluster]
    # A text embedded anew, in another batch, differs in the last digits: those must not decide what comes first.
    members.sort(key=lambda i: (-round(float(nearness[i, cluster]), 2), i))
    chosen = tuple(papers[i] for i in members)
    return Topic(number, names.get(number, ()), chosen, _years(chosen))


def _years(papers: Sequence[Paper]) -> dict[int, int]:
    counts = Counter(year for paper in papers if (year := year_of(paper)) is not None)
    return dict(sorted(counts.items()))


def year_of(paper: Paper) -> int | None:
    """Return the year of a paper's record, or None."""
    match = re.search(r"\b(?:19|20)\d\d\b", str(paper.metadata.get("year") or ""))
    return int(match.group()) if match else None


# Places


def _places(matrix: Any, centres: Any, nearness: Any) -> Any:
    """Return a place in the unit square for each row: between the topics it is near to, and apart from its like."""
    anchors = _plane(centres)
    if len(centres) > 1:
        anchors = _pushed_apart(anchors)
    # Few papers lie farther from their topics' centres than many do, and would fall into tight heaps.
    sharpness = _SHARPNESS * min(1.0, 0.2 + len(matrix) / 500)
    weights = np.exp(sharpness * (nearness - nearness.max(axis=1, keepdims=True)))
    weights /= weights.sum(axis=1, keepdims=True)
    spread = _plane(matrix - weights @ centres)
    scale = _SPREAD * (1 + 5 / len(centres)) if len(centres) > 1 else 1.0
    places = weights @ anchors + scale * spread / max(1.0, len(centres) ** 0.5)
    low, high = places.min(axis=0), places.max(axis=0)
    return (places - low) / np.maximum(high - low, 1e-12)


def _plane(rows: Any) -> Any:
    """Return rows in their two main directions (principal components), largest entry positive, scaled to [-1, 1]."""
    centred = rows - rows.mean(axis=0)
    covariance = centred.T @ centred
    _, vectors = np.linalg.eigh(covariance)
    axes = vectors[:, ::-1][:, :2]
    # An eigenvector's sign is arbitrary; fix it, or the picture would flip between machines.
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    flat = centred @ axes
    return flat / max(1e-12, float(np.abs(flat).max()))


def _pushed_apart(anchors: Any) -> Any:
    """Return the topics' places with a distance between any two, so that their papers do not lie on each other."""
    places, least = anchors.copy(), 1.6 / len(anchors) ** 0.5
    for _ in range(60):
        apart = places[:, None, :] - places[None, :, :]
        distance = np.linalg.norm(apart, axis=2)
        np.fill_diagonal(distance, np.inf)
        close = np.maximum(least - distance, 0) / np.maximum(distance, 1e-9)
        places = places + 0.25 * (apart * close[:, :, None]).sum(axis=1)
    return places
