"""Papers in a line, for the tests of the census."""

from __future__ import annotations

from collections.abc import Sequence

from rag.census.judging import Census, judge_all
from rag.types import Paper


def paper(abstract: str, name: str = "p", **metadata: object) -> Paper:
    return Paper(name, f"Title of {name}", False, abstract, abstract, metadata)


def papers(*abstracts: str) -> list[Paper]:
    return [paper(text, f"p{number}") for number, text in enumerate(abstracts, 1)]


def census(question: str, *abstracts: str) -> Census:
    return judge_all(question, papers(*abstracts))


def ids(result: Census, outcome: str = "yes") -> list[str]:
    return [finding.paper.id for finding in result.findings if finding.outcome == outcome]


def same(query: str, texts: Sequence[str]) -> list[float]:
    """Find every sentence as near as can be."""
    return [1.0 for _ in texts]
