"""The measures themselves: pure functions of rankings, texts and sets, each returning a share from 0 to 1.

Retrieval measures follow trec_eval with binary relevance, one document per paper. "Gold" is what the question's author
wrote down; "ranked" is what the system found, best first.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from eval.matching import any_occurs, content_words, occurs


def first_of_each(papers: Iterable[str]) -> tuple[str, ...]:
    """Return paper ids in order, each once: the ranking of papers that a ranking of passages implies."""
    return tuple(dict.fromkeys(papers))


def hit_at_1(ranked: Sequence[str], gold: Collection[str]) -> float:
    """Return 1 if the first paper is a gold paper (Success@1)."""
    return float(bool(ranked) and ranked[0] in gold)


def recall_at(k: int, ranked: Sequence[str], gold: Collection[str]) -> float:
    """Return the share of the gold papers among the first k (R@k of trec_eval)."""
    return len(set(ranked[:k]) & set(gold)) / len(set(gold))


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """Return one over the rank of the first gold paper, 0 if there is none (Voorhees, TREC-8, 1999)."""
    return next((1 / rank for rank, paper in enumerate(ranked, start=1) if paper in gold), 0.0)


def ndcg_at(k: int, ranked: Sequence[str], gold: Collection[str]) -> float:
    """Return the discounted gain of the first k over the best possible (Järvelin and Kekäläinen, TOIS 2002)."""
    gain = sum(1 / math.log2(rank + 1) for rank, paper in enumerate(ranked[:k], start=1) if paper in gold)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(set(gold))) + 1))
    return gain / best


def missing_facts(text: str, must: Sequence[Sequence[str]]) -> tuple[Sequence[str], ...]:
    """Return the groups of which no alternative occurs in the text."""
    return tuple(group for group in must if any_occurs(group, text) is None)


def forbidden_facts(text: str, must_not: Sequence[str]) -> tuple[str, ...]:
    """Return what occurs in the text and would make it wrong."""
    return tuple(key for key in must_not if occurs(key, text))


def word_f1(text: str, references: Sequence[str]) -> float:
    """Return the F1 of stemmed content words, best of the references (SQuAD's measure; Rajpurkar et al., 2016)."""
    return max((_bag_f1(content_words(text), content_words(reference)) for reference in references), default=0.0)


def _bag_f1(found: Sequence[str], wanted: Sequence[str]) -> float:
    common = sum((Counter(found) & Counter(wanted)).values())
    return f1(common / len(found), common / len(wanted)) if common else 0.0


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def set_precision(found: Collection[str], wanted: Collection[str]) -> float:
    """Return the share of what was found that was wanted; finding nothing scores 0, unless nothing was wanted."""
    return len(set(found) & set(wanted)) / len(set(found)) if found else float(not wanted)


def set_recall(found: Collection[str], wanted: Collection[str]) -> float:
    """Return the share of what was wanted that was found; where nothing was wanted, 1 if nothing was found."""
    return len(set(found) & set(wanted)) / len(set(wanted)) if wanted else float(not found)


def covered(sentence: str, sources: Iterable[str]) -> float:
    """Return the share of a sentence's content words that its sources hold: the plain, verbatim form of support."""
    words = content_words(sentence)
    there = {word for source in sources for word in content_words(source)}
    return sum(word in there for word in words) / len(words) if words else 1.0
