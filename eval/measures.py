"""What is measured of one answer: the metrics by name, number and pooling, and the verdict that each gives.

Zero, not applicable and crashed are three things:

    scored          hits out of total
    not_applicable  the metric has nothing to say about this question (a refusal was wanted; the answer has no number)
    refused         the system declined a question that has an answer: left out of metrics 3 to 10, counted apart;
                    metrics 1, 2 and 12 and the outcome score it
    crashed         the system failed: zero on everything that the question asks for
    not_scored      there was no answer to judge, as in an incomplete record: zero too, so that it never flatters a mean
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

State = Literal["scored", "not_applicable", "refused", "crashed", "not_scored"]
Pooling = Literal["share", "items", "mean"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A measure of one answer: how its scores are pooled, and its number in the project's list of metrics.

    `share`: yes or no a question (Wilson). `items`: hits over all items of all questions, such as numbers or citations
    (Wilson, a little narrow, because the items of one answer are not independent). `mean`: mean over questions
    (bootstrap).
    """

    key: str
    number: str
    pooling: Pooling
    title: str


METRICS: tuple[Metric, ...] = (
    Metric("right", "–", "share", "outcome, facts and papers all right"),
    Metric("hit@1", "1", "share", "gold paper is first in the evidence"),
    Metric("recall@5", "1", "mean", "gold papers among the first five"),
    Metric("mrr", "1", "mean", "1 / rank of the first gold paper"),
    Metric("ndcg@10", "1", "mean", "ranking of papers, to rank 10"),
    Metric("search_hit@1", "1", "share", "the same, of search()"),
    Metric("search_recall@5", "1", "mean", "the same, of search()"),
    Metric("search_mrr", "1", "mean", "the same, of search()"),
    Metric("search_ndcg@10", "1", "mean", "the same, of search()"),
    Metric("must_share", "2", "items", "must-have facts present"),
    Metric("must_all", "2", "share", "questions with all must-have facts"),
    Metric("gold_f1", "3", "mean", "content words shared with the gold answer"),
    Metric("support", "4", "items", "sentences shown as fact that the cited abstracts support"),
    Metric("numbers", "5", "items", "numbers that a cited abstract states"),
    Metric("names", "6", "items", "names that a cited abstract or the question holds"),
    Metric("polarity", "7", "items", "model-written sentences that turn nothing of the abstract around"),
    Metric("citation_validity", "8", "items", "markers and quotes that resolve"),
    Metric("credit", "8", "items", "cited sentences credited to the paper that says them"),
    Metric("citation_recall", "9", "items", "factual sentences that their citations hold"),
    Metric("citation_precision", "10", "items", "uses of a citation: of a gold paper, and holding or needed"),
    Metric("outcome", "11", "share", "outcome right"),
    Metric("no_decoration", "11", "share", "not in corpus, too vague and smalltalk without citations"),
    Metric("census_precision", "12", "mean", "listed papers that belong"),
    Metric("census_recall", "12", "mean", "papers that belong, listed"),
    Metric("census_f1", "12", "mean", "F1 of the listed papers"),
    Metric("count_exact", "12", "share", "count right"),
)
BY_KEY: Mapping[str, Metric] = {metric.key: metric for metric in METRICS}
RETRIEVAL = ("hit@1", "recall@5", "mrr", "ndcg@10")
# What a summary shows, a table of kinds has room for, and a change must not make worse, by the question.
HEADLINES: tuple[str, ...] = (
    "right",
    "hit@1",
    "recall@5",
    "must_all",
    "support",
    "numbers",
    "names",
    "citation_validity",
    "citation_recall",
    "citation_precision",
    "outcome",
)


@dataclass(frozen=True, slots=True)
class Score:
    """One verdict on one answer: the metric, its state, hits out of total, and why."""

    metric: str
    state: State
    hits: float = 0.0
    total: float = 0.0
    why: str = ""
