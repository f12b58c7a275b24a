"""What each choice of retrieval is worth, on public abstracts that are not part of the project.

Run it with `python -m tests.benchmarks.retrieval FOLDER [--cache FOLDER] [--only NAME]`. FOLDER holds
`ml_abstracts_5k.jsonl.gz` (TLDRs as queries for their own papers), `scitldr_train.jsonl.gz` and `scitldr_dev.jsonl.gz`
(every TLDR of dev among the papers of both) and `pubmedqa_dev.jsonl.gz` (questions).

Choices were made on the papers whose id hashes even (SHA-256), the odd half is printed beside it. "as served" is
`Library.search` itself; the lines below it take one stage away each, or change one setting. Where a setting is that of
the index (passages, stems, weights), dense scores are exact; `tests.benchmarks.served` holds the index against them.
p: McNemar's exact test on first places against plain fusion.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import snowballstemmer

from eval.stats import wilson
from rag.library.chunking import MAX_CHARACTERS, chunk
from rag.library.rows import embedded_text
from rag.pipeline import Library
from rag.retrieval.hybrid import DENSE_WEIGHT, DEPTH, Retriever, fuse
from rag.retrieval.lexical import LexicalIndex, Weighting
from rag.retrieval.mentions import NameIndex
from rag.retrieval.searcher import Searcher
from rag.text.dictionary import Dictionary
from rag.text.words import STOPWORDS, index_terms, tokens
from rag.types import ScoredChunk
from tests.benchmarks.kept import KeptEmbedder, library_of
from tests.benchmarks.public import COLLECTIONS, Collection

_SERVED, _PLAIN = Weighting(), Weighting(1.2, 0.75, 0.0)
_PLACES = 100  # papers asked for: a paper further down counts as not found
Words = Callable[[str], str]


def _as_they_are(text: str) -> str:
    return text


def _stemmed(stem: Callable[[str], str]) -> Words:
    """Return a reading of texts with other stems; the digit keeps our own stemmer from touching them."""
    return lambda text: " ".join(f"{stem(t.text)}0" for t in tokens(text) if t.text not in STOPWORDS)


@dataclass(frozen=True)
class Setting:
    """One line of the table that is measured with exact dense scores."""

    name: str
    weighting: Weighting = _SERVED
    rank: str = "shares"  # or "min-max", "rrf", "dense", "lexical"
    depth: int = DEPTH
    dense_weight: float = DENSE_WEIGHT
    words: Words = _as_they_are
    limit: int = MAX_CHARACTERS
    titles: str = "both"  # sides that read the title: or "dense", "lexical", "none"


PLAIN = Setting(
    "plain fusion: min-max, equal weights, k1 1.2, b .75", weighting=_PLAIN, rank="min-max", dense_weight=0.5
)
SIDES = (
    Setting("dense only", rank="dense"),
    Setting("BM25 only, k1 1.2, b .75, without pairs", weighting=_PLAIN, rank="lexical"),
    Setting("BM25 only, with our settings", rank="lexical"),
    PLAIN,
    Setting("reciprocal ranks", rank="rrf"),
)
SETTINGS = (
    Setting("our fusion over exact dense scores"),
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
    Setting("Snowball, without other spellings of names", words=_stemmed(snowballstemmer.stemmer("english").stemWord)),
    Setting("Porter's stemmer instead", words=_stemmed(snowballstemmer.stemmer("porter").stemWord)),
    Setting("no stemmer", words=_stemmed(str)),
    Setting("titles on the dense side only", titles="dense"),
    Setting("titles on the words' side only", titles="lexical"),
    Setting("without titles", titles="none"),
)
# These embed the collection anew.
PASSAGES = (
    Setting("passages of 900 characters", limit=900),
    Setting("passages of 450 characters", limit=450),
    Setting("one sentence a passage", limit=1),
)


class Bench:
    """A collection with its vectors: the place of every query's paper under a setting, or as served."""

    def __init__(self, collection: Collection, embedder: KeptEmbedder) -> None:
        self._collection, self._embedder = collection, embedder
        self._asked = embedder.embed([query.text for query in collection.queries])
        self._cosines: dict[tuple[int, bool], tuple[list[str], Any]] = {}
        self._indexed: dict[tuple[int, bool, Words], list[tuple[str, str]]] = {}

    def places(self, setting: Setting) -> Any:
        """Return the place of each query's paper, infinite where it was not found."""
        dense = setting.titles in ("both", "dense")
        lexical = dense if setting.titles in ("both", "none") else not dense
        ids, cosines = self._read(setting.limit, titled=dense)
        terms = self._terms(setting.limit, setting.words, titled=lexical)
        index = LexicalIndex(terms, setting.weighting)
        return self._each(lambda number, text: _order(setting, index, ids, cosines[number], setting.words(text)))

    def served(self, find: Callable[[str], Sequence[str]]) -> Any:
        """Return the place of each query's paper among the paper ids that a search returns."""
        return self._each(lambda _, text: find(text))

    def _each(self, ranked: Callable[[int, str], Sequence[str]]) -> Any:
        found = []
        for number, query in enumerate(self._collection.queries):
            order = ranked(number, query.text)
            found.append(order.index(query.paper_id) + 1 if query.paper_id in order else math.inf)
        return np.array(found)

    def _read(self, limit: int, *, titled: bool) -> tuple[list[str], Any]:
        if (limit, titled) not in self._cosines:
            texts = self._passages(limit, titled=titled)
            self._cosines[limit, titled] = list(texts), self._asked @ self._embedder.embed(texts.values()).T
            self._embedder.save()
        return self._cosines[limit, titled]

    def _terms(self, limit: int, words: Words, *, titled: bool) -> list[tuple[str, str]]:
        if (limit, titled, words) not in self._indexed:
            texts = self._passages(limit, titled=titled)
            self._indexed[limit, titled, words] = [(i, " ".join(index_terms(words(text)))) for i, text in texts.items()]
        return self._indexed[limit, titled, words]

    def _passages(self, limit: int, *, titled: bool) -> dict[str, str]:
        rows = ((p, c) for p in self._collection.papers for c in _cut(p, limit))
        return dict(sorted((c.id, embedded_text(p, c) if titled else c.text) for p, c in rows))


def _cut(paper: Any, limit: int) -> Any:
    # At a limit of one character every sentence stands alone: sentences are cut only where they are longer than that.
    return chunk(paper, limit) if limit > 1 else _sentences(paper)


def _sentences(paper: Any) -> Any:
    from rag.text.sentences import sentences
    from rag.types import Chunk

    return [
        Chunk(f"{paper.id}:{number}", paper.id, s.text, s.start, s.end)
        for number, s in enumerate(sentences(paper.abstract))
    ]


def _order(setting: Setting, index: LexicalIndex, ids: Sequence[str], cosines: Any, text: str) -> Sequence[str]:
    scores = index.scores(text)
    nearest = np.argsort(-cosines, kind="stable")[: setting.depth]
    dense = {ids[i]: float(cosines[i]) for i in nearest}
    lexical = index.top(scores, setting.depth)
    if setting.rank == "dense":
        return _papers(dense)
    if setting.rank == "lexical":
        return _papers(lexical)
    if setting.rank == "shares":
        fused = fuse(dense, lexical | index.of(scores, dense.keys() - lexical.keys()), setting.dense_weight)
        return _papers([identity for identity, _, _ in fused])
    sides = ((setting.dense_weight, dense), (1 - setting.dense_weight, lexical))
    total: dict[str, float] = {}
    for weight, side in sides:
        for identity, share in (_reciprocal(side) if setting.rank == "rrf" else _min_max(side)).items():
            total[identity] = total.get(identity, 0.0) + weight * share
    return _papers(sorted(total, key=lambda identity: (-total[identity], identity)))


def _papers(chunks: Any) -> list[str]:
    return list(dict.fromkeys(identity.rpartition(":")[0] for identity in chunks))


def _reciprocal(side: Mapping[str, float]) -> dict[str, float]:
    return {identity: 1 / (60 + place) for place, identity in enumerate(side, start=1)}


def _min_max(side: Mapping[str, float]) -> dict[str, float]:
    low, high = min(side.values(), default=0.0), max(side.values(), default=0.0)
    return {identity: (score - low) / (high - low) if high > low else 1.0 for identity, score in side.items()}


def stages(library: Library) -> dict[str, Callable[[str], list[str]]]:
    """Return the served search, and the same without one stage after the other."""
    words = LexicalIndex(library.keeper.catalog.terms())
    retriever = Retriever(library.keeper.catalog, library.keeper.near, library.keeper.embedder, lambda: words)
    nameless = Searcher(
        library.keeper.catalog,
        retriever,
        library.keeper.embedder,
        NameIndex((), lambda word: True, lambda name: 0),
        Dictionary(()),
    )
    return {
        "**as served** (`Library.search`)": lambda text: [hit.paper_id for hit in library.search(text, _PLACES)],
        "served, without the rule on names": lambda text: _ids(nameless.find(text)),
        "served, without names and near-copies": lambda text: _ids(retriever.candidates(text).by_paper()),
        "served, without names, copies and vectors": lambda text: _ids(
            retriever.candidates(text, dense=False).by_paper()
        ),
    }


def _ids(found: Sequence[ScoredChunk]) -> list[str]:
    return [scored.paper.id for scored in found]


def paired(ours: Any, theirs: Any) -> float:
    """Return the two-sided p of McNemar's exact test on first places (McNemar, 1947)."""
    won, lost = int(((ours == 1) & (theirs != 1)).sum()), int(((ours != 1) & (theirs == 1)).sum())
    n = won + lost
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(min(won, lost) + 1)) / 2**n) if n else 1.0


def figures(place: Any, *, interval: bool = False) -> str:
    """Return hit@1, with its interval if wanted, recall@5 and MRR as cells."""
    first, n = int((place == 1).sum()), len(place)
    bounds = wilson(first, n)
    around = f" [{bounds.low:.3f}, {bounds.high:.3f}]" if interval else ""
    return f"{first / n:.3f}{around} | {(place <= 5).mean():.3f} | {(1 / place).mean():.3f}"


def table(collection: Collection, embedder: KeptEmbedder, folder: Path, settings: Sequence[Setting]) -> Iterator[str]:
    """Yield the lines of one collection's table, as they are measured."""
    bench = Bench(collection, embedder)
    even = np.array([query.even for query in collection.queries])
    yield f"\n{collection.name}: {len(collection.papers)} papers, {len(even)} queries ({even.sum()} even)\n"
    yield "| setting | even: hit@1 | recall@5 | MRR | odd: hit@1 | recall@5 | MRR | all: hit@1 | recall@5 | MRR | p |"
    yield "|" + "---|" * 11
    plain = bench.places(PLAIN)

    def line(name: str, place: Any) -> str:
        halves = f"{figures(place[even])} | {figures(place[~even])} | {figures(place, interval=True)}"
        return f"| {name} | {halves} | {paired(place, plain):.3f} |"

    for setting in SIDES:
        yield line(setting.name, bench.places(setting))
    with library_of(collection.papers, folder, embedder) as library:
        for name, find in stages(library).items():
            yield line(name, bench.served(find))
    for setting in settings:
        yield line(setting.name, bench.places(setting))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Print what each choice of retrieval is worth.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, help="where to keep vectors and libraries (a temporary folder)")
    parser.add_argument("--only", choices=sorted(COLLECTIONS))
    parser.add_argument("--settings", action="store_true", help="with the lines of every setting that was tried")
    parser.add_argument("--passages", action="store_true", help="with those of other passages (embeds everything anew)")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        cache = chosen.cache or Path(temporary)
        embedder = KeptEmbedder(cache)
        settings = (*(SETTINGS if chosen.settings else SETTINGS[:1]), *(PASSAGES if chosen.passages else ()))
        for name, read in COLLECTIONS.items():
            if chosen.only in (None, name):
                for line in table(read(chosen.folder), embedder, cache / name, settings):
                    print(line, flush=True)


if __name__ == "__main__":
    main()
