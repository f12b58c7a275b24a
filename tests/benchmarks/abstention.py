"""Does the signal tell questions whose paper is here from those whose paper is not? And the weights that it is made of.

Run it with `python -m tests.benchmarks.abstention FOLDER [--cache FOLDER] [--gold FILE ...]`. FOLDER holds
`ml_abstracts_5k.jsonl.gz` and `pubmedqa_dev.jsonl.gz`. TLDRs are asked of libraries with their own papers in them and
without, at several sizes; the packaged gold of its own libraries; PubMedQA's questions, and general knowledge, of
libraries of another field. Weights are fitted on the halves whose id hashes even (the gold: its dev half), each kind of
question and each answer weighing what `WEIGHTS` says. AUROC and the share kept and refused are printed for both halves.
`--gold` adds questions for the 5,453 themselves. Most of the time goes into vectors: `--cache` keeps them.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from eval.gold import GoldQuestion, load_gold
from rag.library.corpus import Reading, read_file
from rag.pipeline import Library
from rag.resources import resource
from rag.retrieval.signal import BOTH, FIELD, LEXICAL, features
from rag.types import Paper
from tests.benchmarks.fit import fit
from tests.benchmarks.kept import KeptEmbedder, library_of
from tests.benchmarks.public import Query, conference, is_even, pubmedqa

# The even halves are fitted with these weights: is the paper here, and is the question of the library's field at all?
WEIGHTS = {
    "gold": 1.0,
    "asked": 1.0,
    "general": 0.5,
    "lifted": 0.5,
    "other field": 0.3,
    "tldr 5453": 1.0,
    "medical": 0.3,
}
FIELD_WEIGHTS = {"gold": 1.5, "lifted": 1.0, "asked": 1.0, "general": 1.0, "other field": 0.6}
_REST, _FIELD_REST = 0.1, 0.2
_KEPT_FROM = 0.5  # the probability from which a question counts as one whose paper is here
_OF_OTHERS = {"general", "other field"}
_SIZES = {20: 4, 60: 2, 300: 1, 1500: 1}  # papers: libraries of that size
_MEDICAL_SIZES = {20: 6, 60: 3, 150: 2, 240: 1}
_FEW_OF_OTHERS = (300, 1000)  # sizes at which general knowledge is asked, beside all abstracts and the packaged ones
_TLDRS, _MEDICAL, _LIFTED = 300, 150, 200  # questions of each kind, where not all are asked: an interval of some .03
_PARTS = 4  # in which the papers of all TLDRs are taken out of the whole
_SKIPPED = {"census", "smalltalk", "too_vague", "other_language"}
_MASS = 300.0  # what a kind of question weighs together, against the penalty of the fit
_Row = TypeVar("_Row")
GENERAL = resource("tests", "benchmarks", "general.txt")


@dataclass(frozen=True)
class Asked:
    """One question of a library: its kind, whether it is about something there, its half, what the signal sees."""

    kind: str
    about: bool
    even: bool
    values: dict[str, float]


def ask(library: Library, kind: str, rows: Iterable[tuple[str, bool, bool]]) -> Iterator[Asked]:
    """Yield what a library has for questions, each with whether it is about something there and its half."""
    searcher = library.searcher()
    for text, about, even in rows:
        evidence = searcher.gather(text)
        if evidence.best is not None:
            yield Asked(kind, about, even, features(evidence, evidence.best))


def _asked_of(queries: Sequence[Query], about: bool) -> list[tuple[str, bool, bool]]:
    return [(query.text, about, query.even) for query in queries]


class Bench:
    """The libraries that are asked, made where they are needed."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self._embedder = KeptEmbedder(cache)
        self._papers = conference(folder).papers
        self._chance = random.Random(7)
        known = {paper.id for paper in self._papers}
        self._all_tldrs = [query for query in conference(folder).queries if query.paper_id in known]
        self._tldrs = self._some(self._all_tldrs, _TLDRS)
        self._medical = pubmedqa(folder)
        lines = GENERAL.read_text(encoding="utf-8").splitlines()
        self._general = [(line, False, is_even(line)) for line in lines if line.strip()]

    def _some(self, rows: Sequence[_Row], most: int) -> list[_Row]:
        return self._chance.sample(list(rows), min(most, len(rows)))

    @contextmanager
    def _of(self, papers: Sequence[Paper]) -> Iterator[Library]:
        with (
            tempfile.TemporaryDirectory() as folder,
            library_of(papers, Path(folder) / "lib", self._embedder) as library,
        ):
            yield library
        self._embedder.save()

    def small(self) -> Iterator[Asked]:
        """Yield TLDRs asked of libraries of several sizes, half of them of papers that are there; general knowledge."""
        yield from self._sampled("tldr", self._papers, self._tldrs, _SIZES)
        queried = {query.paper_id for query in self._tldrs}
        others = [p for p in self._papers if p.id not in queried]
        for size in _FEW_OF_OTHERS:
            with self._of(self._some(others, size)) as library:
                yield from ask(library, f"general {size}", self._general)

    def _sampled(
        self, kind: str, papers: Sequence[Paper], queries: Sequence[Query], sizes: Mapping[int, int]
    ) -> Iterator[Asked]:
        by_id, queried = {p.id: p for p in papers}, {q.paper_id: q for q in queries}
        others = [p for p in papers if p.id not in queried]
        for size, count in sizes.items():
            for _ in range(count):
                inside = self._some(sorted(queried), min(size, len(queried) // 2))
                outside = self._some(sorted(queried.keys() - set(inside)), len(inside))
                with self._of([by_id[i] for i in inside] + self._some(others, size - len(inside))) as library:
                    yield from ask(library, f"{kind} {size}", _asked_of([queried[i] for i in inside], True))
                    yield from ask(library, f"{kind} {size}", _asked_of([queried[i] for i in outside], False))

    def medical(self) -> Iterator[Asked]:
        """Yield medical questions asked of their own abstracts, with their papers in them and without."""
        asked = self._some(self._medical.queries, _MEDICAL)
        with self._of(self._medical.papers) as library:
            yield from ask(library, f"medical {len(self._medical.papers)}", _asked_of(asked, True))
            library.remove([query.paper_id for query in asked])
            yield from ask(library, f"medical {len(self._medical.papers)}", _asked_of(asked, False))
        yield from self._sampled("medical", self._medical.papers, self._medical.queries, _MEDICAL_SIZES)

    def packaged(self, gold: Sequence[Path]) -> Iterator[Asked]:
        """Yield the gold of the packaged libraries, and everything that is asked of all abstracts."""
        lifted: list[tuple[str, bool, bool]] = []
        added: list[Paper] = []
        for name, source, questions in (
            ("seeds", resource("seeds", "icml-2026.txt"), resource("eval", "gold", "seeds.jsonl")),
            ("invented", *(resource("eval", "gold", "invented", f) for f in ("papers.jsonl", "questions.jsonl"))),
        ):
            papers = read_file(source).papers
            asked = load_gold([questions], {paper.id: paper for paper in papers})
            with self._of(papers) as library:
                yield from ask(library, f"gold {name}", _gold_rows(asked))
                yield from ask(library, f"general {len(papers)}", self._general)
            lifted += _gold_rows([g for g in asked if g.papers and g.kind != "injection"])
            added += papers
        with self._of((*self._papers, *added)) as library:
            yield from self._whole(library, [paper.id for paper in added], self._some(lifted, _LIFTED), gold)

    def _whole(
        self, library: Library, added: Sequence[str], lifted: Sequence[tuple[str, bool, bool]], gold: Sequence[Path]
    ) -> Iterator[Asked]:
        yield from ask(library, "lifted", lifted)
        library.remove(added)
        size, papers = len(self._papers), {paper.id: paper for paper in self._papers}
        yield from ask(library, "lifted", [(text, False, even) for text, _, even in lifted])
        yield from ask(library, f"general {size}", self._general)
        yield from ask(library, "other field", _asked_of(self._some(self._medical.queries, _MEDICAL), False))
        yield from ask(library, "asked", [row for f in gold for row in _gold_rows(load_gold([f], papers), even=True)])
        yield from ask(library, f"tldr {size}", _asked_of(self._all_tldrs, True))
        # A quarter at a time: a library without all of them would be another one.
        for start in range(_PARTS):
            gone = self._all_tldrs[start::_PARTS]
            removed = [papers[query.paper_id] for query in gone]
            library.remove([paper.id for paper in removed])
            yield from ask(library, f"tldr {size}", _asked_of(gone, False))
            library.add(Reading(tuple(removed), ()), "benchmark")


def _gold_rows(gold: Sequence[GoldQuestion], *, even: bool = False) -> list[tuple[str, bool, bool]]:
    usable = [g for g in gold if g.kind not in _SKIPPED and not g.history and g.outcome not in _SKIPPED]
    return [(g.question, g.outcome != "not_in_corpus", is_even(g.id) if even else g.split == "dev") for g in usable]


def auroc(scores: Any, labels: Any) -> float:
    """Return the share of pairs of a yes and a no in which the yes scores higher, ties counting half."""
    yes, no = scores[labels], scores[~labels]
    if not len(yes) or not len(no):
        return float("nan")
    return float(np.mean([(score > no).mean() + 0.5 * (score == no).mean() for score in yes]))


def fitted(rows: Sequence[Asked], names: Sequence[str]) -> tuple[Any, float]:
    """Fit a logistic model of these features on the even halves: is the paper here?"""
    chosen = [row for row in rows if row.even]
    return _fit(chosen, names, [row.about for row in chosen], WEIGHTS, _REST)


def fitted_field(rows: Sequence[Asked], names: Sequence[str]) -> tuple[Any, float]:
    """Fit one on the even halves for: is the question of this field? Those are whose paper is here, and TLDRs."""
    known = [row for row in rows if row.about or row.kind.startswith("tldr") or _is_of_others(row)]
    chosen = [row for row in known if row.even]
    return _fit(chosen, names, [not _is_of_others(row) for row in chosen], FIELD_WEIGHTS, _FIELD_REST)


def _is_of_others(row: Asked) -> bool:
    return row.kind in _OF_OTHERS or row.kind.split()[0] in _OF_OTHERS


def _fit(
    rows: Sequence[Asked], names: Sequence[str], labels: Sequence[bool], weights: Mapping[str, float], rest: float
) -> tuple[Any, float]:
    x = np.array([[row.values[name] for name in names] for row in rows])
    y = np.array(labels, dtype=float)
    groups = [(row.kind, row.about) for row in rows]
    weight = np.array([weights.get(k, weights.get(k.split()[0], rest)) / groups.count((k, a)) for k, a in groups])
    weight *= np.where(y == 1, weight[y == 0].sum() / weight[y == 1].sum(), 1.0)
    return fit(x, y, _MASS * weight, penalty=1.0)


def served(row: Asked) -> float:
    """Return the probability that is served: of this field, and its paper here."""
    return FIELD.probability(row.values) * BOTH.probability(row.values)


def report(rows: Sequence[Asked]) -> Iterator[str]:
    """Yield, for each kind of question and half, the AUROC of the signal in use and what it keeps and refuses."""
    yield "| questions | half | with their paper | without | AUROC | kept | refused |"
    yield "|" + "---|" * 7
    for kind in sorted({row.kind for row in rows}):
        for half in (True, False):
            here = [row for row in rows if row.kind == kind and row.even == half]
            scores = np.array([served(row) for row in here])
            labels = np.array([row.about for row in here], dtype=bool)
            kept = f"{(scores[labels] >= _KEPT_FROM).mean():.3f}" if labels.any() else "–"
            refused = f"{(scores[~labels] < _KEPT_FROM).mean():.3f}" if (~labels).any() else "–"
            counts = f"{labels.sum()} | {(~labels).sum()}"
            name = "even" if half else "odd"
            yield f"| {kind} | {name} | {counts} | {auroc(scores, labels):.3f} | {kept} | {refused} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, report, and print the weights fitted anew."""
    parser = argparse.ArgumentParser(description="Print how well the signal tells what is here from what is not.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, help="where to keep vectors (a temporary folder)")
    parser.add_argument("--gold", type=Path, nargs="*", default=[], help="gold questions for the 5,453 abstracts")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench(chosen.folder, chosen.cache or Path(temporary))
        rows = [*bench.packaged(chosen.gold), *bench.medical(), *bench.small()]
    for line in report(rows):
        print(line, flush=True)
    for name, model, made in (("BOTH", BOTH, fitted), ("FIELD", FIELD, fitted_field), ("LEXICAL", LEXICAL, fitted)):
        names = list(model.weights)
        beta, intercept = made(rows, names)
        print(f"{name} = {dict(zip(names, np.round(beta, 2).tolist(), strict=True))}; intercept {intercept:.2f}")


if __name__ == "__main__":
    main()
