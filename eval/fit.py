"""Fit the answerer's weights on the dev half of the gold: `python -m eval.fit [--gold FILE ...]`.

Prints the constants for `rag/ranking.py` and `rag/judgement.py`, with the score on both halves; writes nothing.
Logistic regression with an L2 penalty, by Newton's method (Hastie, Tibshirani, Friedman 2009, section 4.4).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import rag
from eval.gold import GoldQuestion, load_gold
from eval.matching import occurs
from rag.judgement import described_features, judge, named_features
from rag.ranking import WEIGHTS
from rag.resources import resource

_PENALTY = 1.0
_SKIPPED = {"census", "smalltalk", "compare", "other_language", "injection", "follow_up", "too_vague"}


def fit(x: Any, y: Any, balanced: bool, penalty: float = _PENALTY) -> tuple[Any, float]:
    """Return the weights and the intercept of a logistic model of labels `y` (0, 1) on rows `x`."""
    share = y.mean()
    weight = np.where(y == 1, 0.5 / share, 0.5 / (1 - share)) if balanced else np.ones(len(y))
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


def main() -> None:
    """Fit the three models and print them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gold", nargs="+", type=Path, default=sorted(resource("eval", "gold").glob("*.jsonl")))
    args = parser.parse_args()
    library = rag.open()
    papers = {p.id: p for p in library.papers()}
    gold = [g for g in load_gold(args.gold, papers) if g.kind not in _SKIPPED and not g.history]
    searcher = library._searcher()
    evidence = {g.id: searcher.gather(g.question) for g in gold}
    _fit_sentences(gold, searcher, evidence)
    answerable = {g.id: float(g.outcome in ("answered", "false_premise")) for g in gold}
    named = [g for g in gold if evidence[g.id].names_paper]
    described = [g for g in gold if not evidence[g.id].names_paper]
    _report("NAMED", named, lambda g: named_features(evidence[g.id], evidence[g.id].best), answerable)
    _report("DESCRIBED", described, lambda g: described_features(evidence[g.id], evidence[g.id].best), answerable)
    wrong = sum(judge(evidence[g.id]).outcome in ("not_in_corpus", "abstract_silent", "too_vague") for g in gold if answerable[g.id])
    print(f"with the weights in force {wrong} of {int(sum(answerable.values()))} answerable questions are refused")


def _report(
    name: str,
    gold: Sequence[GoldQuestion],
    row: Callable[[GoldQuestion], dict[str, float]],
    label: dict[str, float],
) -> None:
    keys = list(row(gold[0]))
    x = np.array([[row(g)[k] for k in keys] for g in gold])
    y = np.array([label[g.id] for g in gold])
    dev = np.array([g.split == "dev" for g in gold])
    beta, intercept = fit(x[dev], y[dev], balanced=True)
    print(f"{name} = {({k: round(float(b), 2) for k, b in zip(keys, beta, strict=True)})}; intercept {intercept:.2f}")
    for half, chosen in (("dev", dev), ("test", ~dev)):
        right = ((x @ beta + intercept) > 0) == y
        yes, no = right[chosen & (y == 1)], right[chosen & (y == 0)]
        print(f"  {half}: answerable kept {yes.mean():.3f} of {len(yes)}, unanswerable refused {no.mean():.3f} of {len(no)}")


def _fit_sentences(gold: Sequence[GoldQuestion], searcher: Any, evidence: Any) -> None:
    usable = [g for g in gold if len(g.papers) == 1 and g.must and g.outcome in ("answered", "false_premise")]
    groups = {g.id: list(_sentence_rows(g, searcher, evidence)) for g in usable}
    dev = [row for g in usable if g.split == "dev" for row in groups[g.id]]
    x = np.array([[row[k] for k in WEIGHTS] for row, _ in dev])
    y = np.array([float(any(hit)) for _, hit in dev])
    beta, intercept = fit(x, y, balanced=False)
    print(f"WEIGHTS = {({k: round(float(b), 2) for k, b in zip(WEIGHTS, beta, strict=True)})}; INTERCEPT {intercept:.2f}")
    for half in ("dev", "test"):
        chosen = [groups[g.id] for g in usable if g.split == half]
        shares = [np.mean([_whole(rows, beta, k) for rows in chosen]) for k in (1, 2, 3, 4)]
        print(f"  all facts within 1, 2, 3, 4 sentences of the right paper, {half}: {np.round(shares, 3)} of {len(chosen)}")


def _sentence_rows(g: GoldQuestion, searcher: Any, evidence: Any) -> Iterator[tuple[dict[str, float], list[bool]]]:
    read = searcher.read(evidence[g.id], list(g.papers))[g.papers[0]]
    for ranked in read.ranked:
        text = ranked.facts.sentence.text
        yield dict(ranked.values), [any(occurs(a, text) for a in group) for group in g.must]


def _whole(rows: Sequence[tuple[dict[str, float], list[bool]]], beta: Any, k: int) -> bool:
    scores = [sum(row[name] * b for name, b in zip(WEIGHTS, beta, strict=True)) for row, _ in rows]
    best = sorted(range(len(rows)), key=lambda i: (-scores[i], i))[:k]
    return bool(np.any([rows[i][1] for i in best], axis=0).all())


if __name__ == "__main__":
    main()
