"""Public abstracts with queries for them, as the retrieval benchmarks read them: none is part of the project."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rag.library.corpus import papers_of, records
from rag.types import Paper

_LEAST_TLDR = 31


@dataclass(frozen=True)
class Query:
    """A query and the one paper that it is about."""

    text: str
    paper_id: str

    @property
    def even(self) -> bool:
        """Tell whether the paper is in the half on which choices were made."""
        return is_even(self.paper_id)


@dataclass(frozen=True)
class Collection:
    """Papers, and queries for some of them."""

    name: str
    papers: tuple[Paper, ...]
    queries: tuple[Query, ...]


def is_even(identity: str) -> bool:
    """Tell whether the SHA-256 of an id is even."""
    return int(hashlib.sha256(identity.encode()).hexdigest(), 16) % 2 == 0


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Read gzipped JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def conference(folder: Path) -> Collection:
    """Read the conference abstracts; a TLDR of more than 30 characters is the query for its paper."""
    rows = rows_of(folder / "ml_abstracts_5k.jsonl.gz")
    queries = tuple(Query(row["tldr"], row["id"]) for row in rows if len(row["tldr"] or "") >= _LEAST_TLDR)
    kept = ("id", "title", "abstract", "venue", "year", "keywords")
    lines = (json.dumps({key: row[key] for key in kept if row.get(key) is not None}) for row in rows)
    return Collection("conference", papers_of(records("\n".join(lines))).papers, queries)


def scitldr(folder: Path) -> Collection:
    """Read SciTLDR: every TLDR of dev, the author's and the reviewers', among the papers of train and dev."""
    papers, queries = [], []
    for part in ("train", "dev"):
        for number, row in enumerate(rows_of(folder / f"scitldr_{part}.jsonl.gz")):
            identity = f"{part}-{number}"
            papers.append(_paper(identity, row["title"], " ".join(row["source"])))
            queries += [Query(text, identity) for text in row["target"] if part == "dev" and text.strip()]
    return Collection("scitldr", tuple(papers), tuple(queries))


def pubmedqa(folder: Path) -> Collection:
    """Read PubMedQA: questions for abstracts without titles."""
    rows = rows_of(folder / "pubmedqa_dev.jsonl.gz")
    papers = tuple(_paper(str(row["id"]), "", row["abstract"]) for row in rows)
    return Collection("pubmedqa", papers, tuple(Query(row["question"], str(row["id"])) for row in rows))


COLLECTIONS: dict[str, Callable[[Path], Collection]] = {
    "conference": conference,
    "scitldr": scitldr,
    "pubmedqa": pubmedqa,
}


def _paper(identity: str, title: str, abstract: str) -> Paper:
    return Paper(identity, title, not title, abstract, abstract, {})
