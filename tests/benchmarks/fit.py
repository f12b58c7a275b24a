"""Fit the answerer's weights on the dev half of the gold: `python -m tests.benchmarks.fit [FOLDER=GOLD ...]`.

Prints the constants of `rag/retrieval/ranking.py`, `rag/answering/judgement.py` and `rag/answering/presumption.py`
with the score on both halves. Each FOLDER=GOLD is a further library (the folder of `rag index --store`) with questions
over it, split like the packaged gold.
Logistic regression with an L2 penalty, by Newton's method (Hastie, Tibshirani, Friedman 2009, section 4.4);
sentences by a conditional logit model.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import rag
from eval.gold import GoldQuestion, load_gold
from eval.matching import occurs
from rag.answering.judgement import told_features
from rag.answering.premises import broken_premise
from rag.answering.presumption import against_features, presumption, question_features
from rag.pipeline import Library
from rag.resources import resource
from rag.retrieval.evidence import Evidence, PaperEvidence
from rag.retrieval.ranking import WEIGHTS
from rag.retrieval.searcher import Searcher

_PENALTY = 0.3
_CHOICE_PENALTY = 2.0
_FRESH = 3  # how often a question counts that no rule was written to, where the rules' own questions mislead
_SKIPPED = {"census", "smalltalk", "compare", "other_language", "injection", "follow_up", "too_vague"}


def fit(x: Any, y: Any, weight: Any = 1.0, penalty: float = _PENALTY) -> tuple[Any, float]:
    """Return the weights and the intercept of a logistic model of labels `y` (0, 1) on rows `x` that weigh so much."""
    weight = weight * np.ones(len(y))
    rows = np.hstack([x, np.ones((len(x), 1))])
    ridge = np.diag([penalty] * x.shape[1] + [0.0])
    beta = np.zeros(rows.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-rows @ beta))
        gradient = rows.T @ (weight * (y - p)) - ridge @ beta
        hessian = (rows * (weight * p * (1 - p))[:, None]).T @ rows + ridge
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if np.abs(step).max() < 1e-8:
            break
    return beta[:-1], float(beta[-1])


@dataclass(frozen=True, slots=True)
class Gathered:
    """A gold question with the evidence that its library has for it."""

    gold: GoldQuestion
    evidence: Evidence
    searcher: Searcher
    fresh: bool = False  # of a further library, whose questions no rule was written to


def main(further: Sequence[str]) -> None:
    """Fit the three models on all the packaged gold, and on further libraries with theirs, and print them."""
    folder = resource("eval", "gold", "invented")
    with ExitStack() as stack:
        store = stack.enter_context(tempfile.TemporaryDirectory())
        libraries = [(stack.enter_context(rag.open()), resource("eval", "gold", "seeds.jsonl"), False)]
        invented = stack.enter_context(rag.open(store=store))
        invented.index(folder / "papers.jsonl")
        libraries.append((invented, folder / "questions.jsonl", False))
        for pair in further:
            place, _, gold = pair.partition("=")
            libraries.append((stack.enter_context(rag.open(store=place)), Path(gold), True))
        fit_all([row for library, gold, fresh in libraries for row in gather(library, [gold], fresh=fresh)])


def fit_all(rows: Sequence[Gathered]) -> None:
    """Fit the three models on these questions and print them."""
    _fit_sentences(rows)
    found = [r for r in rows if r.evidence.best and r.evidence.best.paper.id in r.gold.papers]
    # A false premise may be about a thing that the abstract has no word of; it is told from the others below.
    plain = [r for r in found if r.gold.outcome != "false_premise"]
    _report("TOLD", plain, told_features, lambda g: g.outcome != "abstract_silent")
    named = [r for r in found if r.evidence.names_paper]
    unbroken = [r for r in named if broken_premise(r.evidence, r.searcher) is None]
    _report("PRESUMES and AGAINST", unbroken, _presumes, lambda g: g.outcome == "false_premise", fresh=_FRESH)


def _presumes(evidence: Evidence, top: PaperEvidence) -> dict[str, float]:
    """Return how a question presumes, and how the sentence that is most against it now stands against it."""
    asked = question_features(evidence, top)
    return asked | against_features(evidence, top, presumption(evidence, top).against, asked)


def gather(library: Library, files: list[Path], *, fresh: bool = False) -> Iterator[Gathered]:
    """Yield the questions of gold files that ask one thing of one library, each with its evidence."""
    searcher = library.searcher()
    for g in load_gold(files, {p.id: p for p in library.papers()}):
        if g.kind not in _SKIPPED and not g.history:
            yield Gathered(g, searcher.gather(g.question), searcher, fresh)


def _report(
    name: str,
    rows: Sequence[Gathered],
    features: Callable[[Evidence, Any], dict[str, float]],
    label: Callable[[GoldQuestion], bool],
    fresh: int = 1,
) -> None:
    values = [features(r.evidence, r.evidence.best) for r in rows]
    keys = list(values[0])
    x = np.array([[v[k] for k in keys] for v in values])
    y = np.array([float(label(r.gold)) for r in rows])
    dev = np.array([r.gold.split == "dev" for r in rows])
    often = np.array([fresh if r.fresh else 1 for r in rows])[dev]
    beta, intercept = fit(np.repeat(x[dev], often, axis=0), np.repeat(y[dev], often), 1.0, _PENALTY * fresh)
    print(f"{name} = {_shown(keys, beta)}; intercept {intercept:.2f}")
    for half, chosen in (("dev", dev), ("test", ~dev)):
        right = ((x @ beta + intercept) > 0) == y
        yes, no = right[chosen & (y == 1)], right[chosen & (y == 0)]
        print(f"  {half}: yes kept {yes.mean():.3f} of {len(yes)}, no refused {no.mean():.3f} of {len(no)}")


def _shown(keys: Iterable[str], beta: Any) -> str:
    return str({key: round(float(b), 2) for key, b in zip(keys, beta, strict=True)})


def fit_choice(groups: Sequence[tuple[Any, Any]], penalty: float) -> Any:
    """Return the weights of a conditional logit model: of the rows `x` of a group, one with label 1 is the choice.

    Newton steps on the expected choice among the labelled rows (McFadden 1974; the labels' shares as in EM).
    """
    beta = np.zeros(groups[0][0].shape[1])
    for _ in range(60):
        gradient, hessian = -penalty * beta, penalty * np.eye(len(beta))
        for x, y in groups:
            p = np.exp(x @ beta - (x @ beta).max())
            p /= p.sum()
            gradient = gradient + x.T @ (p * y / (p @ y) - p)
            mean = p @ x
            hessian = hessian + (x * p[:, None]).T @ x - np.outer(mean, mean)
        step = np.linalg.solve(hessian, gradient)
        beta = beta + step
        if np.abs(step).max() < 1e-6:
            break
    return beta


def _fit_sentences(rows: Sequence[Gathered]) -> None:
    usable = [r for r in rows if len(r.gold.papers) == 1 and r.gold.must and r.gold.outcome != "abstract_silent"]
    groups = {r.gold.id: list(_sentence_rows(r)) for r in usable}
    dev = [_arrays(groups[r.gold.id]) for r in usable if r.gold.split == "dev"]
    beta = fit_choice([(x, y) for x, y in dev if 0 < y.sum() < len(y)], _CHOICE_PENALTY)
    print(f"WEIGHTS = {_shown(WEIGHTS, beta)}")
    for half in ("dev", "test"):
        chosen = [groups[r.gold.id] for r in usable if r.gold.split == half]
        shares = [np.mean([_whole(g, beta, k) for g in chosen]) for k in (1, 2, 3, 4)]
        print(f"  all facts within 1 to 4 sentences of the right paper, {half}: {np.round(shares, 3)} of {len(chosen)}")


def _arrays(rows: Sequence[tuple[dict[str, float], list[bool]]]) -> tuple[Any, Any]:
    return np.array([[row[k] for k in WEIGHTS] for row, _ in rows]), np.array([float(any(hit)) for _, hit in rows])


def _sentence_rows(row: Gathered) -> Iterator[tuple[dict[str, float], list[bool]]]:
    read = row.searcher.read(row.evidence, list(row.gold.papers))[row.gold.papers[0]]
    for ranked in read.ranked:
        text = ranked.facts.sentence.text
        yield dict(ranked.values), [any(occurs(a, text) for a in group) for group in row.gold.must]


def _whole(rows: Sequence[tuple[dict[str, float], list[bool]]], beta: Any, k: int) -> bool:
    scores = [sum(row[name] * b for name, b in zip(WEIGHTS, beta, strict=True)) for row, _ in rows]
    best = sorted(range(len(rows)), key=lambda i: (-scores[i], i))[:k]
    return bool(np.any([rows[i][1] for i in best], axis=0).all())


if __name__ == "__main__":
    main(sys.argv[1:])
