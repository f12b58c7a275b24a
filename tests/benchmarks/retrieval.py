"""What each choice of retrieval is worth, on public abstracts that are not part of the project.

Run it with `python -m tests.benchmarks.retrieval FOLDER [--cache FOLDER] [--only NAME]`. FOLDER holds
`ml_abstracts_5k.jsonl.gz` (TLDRs as queries for their own papers), `scitldr_train.jsonl.gz` and `scitldr_dev.jsonl.gz`
(every reviewer's TLDR of dev among the papers of both) and `pubmedqa_dev.jsonl.gz` (questions).

Choices were made on the papers whose id hashes even (SHA-256), the odd half is printed beside it. Every row is the
product's own code with one setting changed; dense scores are exact here, `tests.benchmarks.latency` measures the index.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eval.stats import wilson
from rag.library.chunking import chunk
from rag.library.corpus import papers_of, records
from rag.library.embedding import packaged_embedder
from rag.library.rows import embedded_text
from rag.retrieval.hybrid import DENSE_WEIGHT, DEPTH, fuse
from rag.retrieval.lexical import LexicalIndex, Weighting
from rag.text.words import index_terms
from rag.types import Paper

_LEAST_TLDR = 31
_SERVED, _PLAIN = Weighting(), Weighting(1.2, 0.75, 0.0)


@dataclass(frozen=True)
class Query:
    text: str
    paper_id: str

    @property
    def even(self) -> bool:
        return int(hashlib.sha256(self.paper_id.encode()).hexdigest(), 16) % 2 == 0


@dataclass(frozen=True)
class Corpus:
    """Passages, queries, and the cosine of each query to each passage."""

    name: str
    ids: Sequence[str]
    terms: Sequence[str]
    queries: Sequence[Query]
    cosines: Any


@dataclass(frozen=True)
class Setting:
    """One row of the table."""

    name: str
    weighting: Weighting = _SERVED
    rank: str = "shares"  # or "min-max", "rrf", "dense", "lexical"
    depth: int = DEPTH
    dense_weight: float = DENSE_WEIGHT


PLAIN = Setting(
    "plain fusion: min-max, equal weights, k1 1.2, b .75", weighting=_PLAIN, rank="min-max", dense_weight=0.5
)
CHOSEN = Setting("as served")
SETTINGS = (
    Setting("dense only", rank="dense"),
    Setting("BM25 only, k1 1.2, b .75", weighting=_PLAIN, rank="lexical"),
    Setting("BM25 only, as served", rank="lexical"),
    PLAIN,
    Setting("reciprocal ranks", rank="rrf"),
    CHOSEN,
    Setting("min-max instead of shares of the best", rank="min-max", dense_weight=0.5),
    Setting("dense weight .4", dense_weight=0.4),
    Setting("dense weight .5", dense_weight=0.5),
    Setting("dense weight .7", dense_weight=0.7),
    Setting("without pairs", weighting=Weighting(pairs=0.0)),
    Setting("pairs at .3", weighting=Weighting(pairs=0.3)),
    Setting("pairs at 1", weighting=Weighting(pairs=1.0)),
    Setting("k1 1.2, b .75", weighting=Weighting(1.2, 0.75)),
    Setting("k1 .6, b .3", weighting=Weighting(0.6, 0.3)),
    Setting("50 candidates a side", depth=50),
    Setting("400 candidates a side", depth=400),
)


def rows_of(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def paper(identity: str, title: str, abstract: str) -> Paper:
    return Paper(identity, title, not title, abstract, abstract, {})


def conference(folder: Path) -> tuple[list[Paper], list[Query]]:
    rows = rows_of(folder / "ml_abstracts_5k.jsonl.gz")
    queries = [Query(row["tldr"], row["id"]) for row in rows if len(row["tldr"] or "") >= _LEAST_TLDR]
    lines = (json.dumps({key: row[key] for key in ("id", "title", "abstract")}) for row in rows)
    return list(papers_of(records("\n".join(lines))).papers), queries


def scitldr(folder: Path) -> tuple[list[Paper], list[Query]]:
    papers, queries = [], []
    for part in ("train", "dev"):
        for number, row in enumerate(rows_of(folder / f"scitldr_{part}.jsonl.gz")):
            identity = f"{part}-{number}"
            papers.append(paper(identity, row["title"], " ".join(row["source"])))
            queries += [Query(text, identity) for text in row["target"] if part == "dev" and text.strip()]
    return papers, queries


def pubmedqa(folder: Path) -> tuple[list[Paper], list[Query]]:
    rows = rows_of(folder / "pubmedqa_dev.jsonl.gz")
    papers = [paper(str(row["id"]), "", row["abstract"]) for row in rows]
    return papers, [Query(row["question"], str(row["id"])) for row in rows]


CORPORA: dict[str, Callable[[Path], tuple[list[Paper], list[Query]]]] = {
    "conference": conference,
    "scitldr": scitldr,
    "pubmedqa": pubmedqa,
}


def prepare(name: str, papers: Sequence[Paper], queries: Sequence[Query], cache: Path, *, title: bool = True) -> Corpus:
    """Cut and embed a corpus; vectors are kept in `cache` under the digest of what was embedded."""
    passages = sorted((c.id, embedded_text(p, c) if title else c.text) for p in papers for c in chunk(p))
    ids, texts = [identity for identity, _ in passages], [text for _, text in passages]
    vectors, asked = embedded(texts, cache), embedded([query.text for query in queries], cache)
    return Corpus(name, ids, [" ".join(index_terms(text)) for text in texts], queries, asked @ vectors.T)


def embedded(texts: Sequence[str], cache: Path) -> Any:
    mark = hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
    path = cache / f"{mark}.npy"
    if not path.is_file():
        embedder = packaged_embedder()
        assert embedder is not None, "the embedding weights are not installed"
        np.save(path, embedder.embed(texts))
    return np.load(path)


def ranks(corpus: Corpus, setting: Setting) -> Any:
    """Return the place of each query's paper, infinite where it was not found."""
    index = LexicalIndex(zip(corpus.ids, corpus.terms, strict=True), setting.weighting)
    found = []
    for number, query in enumerate(corpus.queries):
        order = _order(corpus, setting, index, corpus.cosines[number], query.text)
        papers = list(dict.fromkeys(identity.rpartition(":")[0] for identity in order))
        found.append(papers.index(query.paper_id) + 1 if query.paper_id in papers else math.inf)
    return np.array(found)


def _order(corpus: Corpus, setting: Setting, index: LexicalIndex, cosines: Any, text: str) -> Sequence[str]:
    scores = index.scores(text)
    nearest = np.argsort(-cosines, kind="stable")[: setting.depth]
    dense = {corpus.ids[i]: float(cosines[i]) for i in nearest}
    lexical = index.top(scores, setting.depth)
    if setting.rank == "dense":
        return list(dense)
    if setting.rank == "lexical":
        return list(lexical)
    if setting.rank == "shares":
        fused = fuse(dense, lexical | index.of(scores, dense.keys() - lexical.keys()), setting.dense_weight)
        return [identity for identity, _, _ in fused]
    sides = ((setting.dense_weight, dense), (1 - setting.dense_weight, lexical))
    total: dict[str, float] = {}
    for weight, side in sides:
        for identity, share in (_reciprocal(side) if setting.rank == "rrf" else _min_max(side)).items():
            total[identity] = total.get(identity, 0.0) + weight * share
    return sorted(total, key=lambda identity: (-total[identity], identity))


def _reciprocal(side: Mapping[str, float]) -> dict[str, float]:
    return {identity: 1 / (60 + place) for place, identity in enumerate(side, start=1)}


def _min_max(side: Mapping[str, float]) -> dict[str, float]:
    low, high = min(side.values(), default=0.0), max(side.values(), default=0.0)
    return {identity: (score - low) / (high - low) if high > low else 1.0 for identity, score in side.items()}


def paired(ours: Any, theirs: Any) -> float:
    """Return the two-sided p of McNemar's exact test on first places (McNemar, 1947)."""
    won, lost = int(((ours == 1) & (theirs != 1)).sum()), int(((ours != 1) & (theirs == 1)).sum())
    n = won + lost
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(min(won, lost) + 1)) / 2**n) if n else 1.0


def figures(place: Any) -> str:
    first, n = int((place == 1).sum()), len(place)
    interval = wilson(first, n)
    shares = f"{(place <= 5).mean():.3f} | {(1 / place).mean():.3f}"
    return f"{first / n:.3f} [{interval.low:.3f}, {interval.high:.3f}] | {shares}"


def table(corpus: Corpus, settings: Sequence[Setting], others: Mapping[str, Corpus]) -> Iterator[str]:
    even = np.array([query.even for query in corpus.queries])
    yield f"\n{corpus.name}: {len(corpus.ids)} passages, {len(even)} queries ({even.sum()} even)"
    yield "| setting | even: hit@1 | recall@5 | MRR | odd: hit@1 | recall@5 | MRR | all: hit@1 | recall@5 | MRR | p |"
    yield "|" + "---|" * 11
    plain = ranks(corpus, PLAIN)
    measured = [(setting.name, ranks(corpus, setting)) for setting in settings]
    measured += [(name, ranks(other, CHOSEN)) for name, other in others.items()]
    for name, place in measured:
        halves = " | ".join(figures(place[part]) for part in (even, ~even, np.ones_like(even)))
        yield f"| {name} | {halves} | {paired(place, plain):.3f} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Print what each choice of retrieval is worth.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, help="where to keep vectors (a temporary folder)")
    parser.add_argument("--only", choices=sorted(CORPORA))
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        cache = chosen.cache or Path(temporary)
        cache.mkdir(parents=True, exist_ok=True)
        for name, read in CORPORA.items():
            if chosen.only in (None, name):
                papers, queries = read(chosen.folder)
                corpus = prepare(name, papers, queries, cache)
                whole = name == "conference"
                others = {"without titles": prepare(name, papers, queries, cache, title=False)} if whole else {}
                for line in table(corpus, SETTINGS if whole else SETTINGS[:6], others):
                    print(line, flush=True)


if __name__ == "__main__":
    main()
