"""Judge any retriever's run against any judgements: metric 1 for tools that are not ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from eval import metrics
from eval.figures import Figure, cell
from eval.interop import Qrels
from eval.stats import bootstrap_mean
from rag.errors import InputError

_Measure = Callable[[Sequence[str], Mapping[str, int]], float]
_MEASURES: Mapping[str, _Measure] = {
    "hit@1": metrics.hit_at_1,
    "recall@5": lambda ranked, gold: metrics.recall_at(5, ranked, gold),
    "mrr": metrics.reciprocal_rank,
    "ndcg@10": lambda ranked, gold: metrics.ndcg_at(10, ranked, gold),
}


def run_figures(qrels: Qrels, run: Mapping[str, Sequence[str]]) -> tuple[Figure, ...]:
    """Return the retrieval measures of a run; a judged query that the run leaves out counts zero.

    Relevance is binary: whatever the judgements grade above zero is relevant.
    """
    if not set(qrels) & set(run):
        raise InputError("The run answers none of the judged queries; their ids must be the same in both files.")
    missing = sum(query not in run for query in qrels)
    figures = []
    for metric, measure in _MEASURES.items():
        values = [measure(run.get(query, ()), gold) for query, gold in qrels.items()]
        interval = bootstrap_mean(values)
        figures.append(
            Figure(metric, sum(values) / len(values), interval, len(values), len(values), not_scored=missing)
        )
    return tuple(figures)


def run_text(figures: Sequence[Figure]) -> str:
    """Return the measures for a terminal, a line each, and how many judged queries the run leaves out."""
    lines = [f"{got.metric}  {cell(got)}" for got in figures]
    missing = figures[0].not_scored
    return "\n".join([*lines, f"{figures[0].n} judged queries, {missing} of them not in the run (counted zero)"]) + "\n"
