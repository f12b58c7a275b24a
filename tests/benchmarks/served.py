"""What the served search holds among thousands of abstracts: exact places, mistyped names, questions of two papers.

Run it with `python -m tests.benchmarks.served FOLDER [--cache FOLDER]`; FOLDER holds `ml_abstracts_5k.jsonl.gz`. The
packaged abstracts are mixed into the public ones for the names and the questions. Questions of two or three papers are
those of the packaged golds, and those of `pairs.jsonl`, most of which describe papers instead of naming them.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from eval.gold import load_gold
from eval.stats import wilson
from rag.library.corpus import read_file
from rag.pipeline import Library
from rag.resources import resource
from rag.text.names import name_key
from rag.types import Paper
from tests.benchmarks.kept import KeptEmbedder, library_of
from tests.benchmarks.public import conference
from tests.exact import agreement
from tests.slips import owned_names, slips

_QUERIES, _SLIPS = 500, 200
_SHARES = (None, 0.01, 0.1, 0.5)
_FORMS = ("{}", "what is {}?")
PAIRS = resource("tests", "benchmarks", "pairs.jsonl")
_INVENTED = resource("eval", "gold", "invented")


@dataclass(frozen=True)
class Needing:
    """A question that needs two or three papers, and what was asked before it."""

    question: str
    papers: tuple[str, ...]
    history: tuple[str, ...] = ()


def needing(library: str, gold: Path, papers: Sequence[Paper]) -> dict[str, list[Needing]]:
    """Return the questions that need two or three papers, by where they are from; whole-library questions apart."""
    known = {paper.id: paper for paper in papers}
    questions = [g for g in load_gold([gold], known) if len(g.papers) in (2, 3) and g.kind != "census"]
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    return {
        "of the gold": [Needing(g.question, tuple(g.papers), tuple(g.history)) for g in questions],
        "of pairs.jsonl": [Needing(r["question"], tuple(r["papers"])) for r in rows if r["library"] == library],
    }


def gathered(library: Library, question: Needing) -> bool:
    """Tell whether the first papers of the evidence are all that a question needs: four for two papers, else five."""
    answer = library.ask(question.question, history=list(question.history))
    first = list(dict.fromkeys(scored.paper.id for scored in answer.evidence))[: 4 if len(question.papers) == 2 else 5]
    return set(question.papers) <= set(first)


def _exactness(library: Library, embedder: KeptEmbedder, queries: Sequence[str]) -> Iterator[str]:
    chance, ids = random.Random(1), [paper.id for paper in library.papers()]
    chosen = chance.sample(list(queries), min(_QUERIES, len(queries)))
    for share in _SHARES:
        within = None if share is None else sorted(chance.sample(ids, int(share * len(ids))))
        same = agreement(library, embedder, chosen, within)
        kept = "all papers" if share is None else f"a filter that leaves {share:.0%}"
        yield f"first ten as over exact scores, {kept}: {same:.3f} of {len(chosen)} queries"


def _names(library: Library, papers: dict[str, set[str]]) -> Iterator[str]:
    # A name that papers of the other library call their own as well is right for these too.
    owners = {name_key(name): users for name, users in owned_names(library).items()}
    own = {name: users | owners.get(name_key(name), set()) for name, users in papers.items()}
    tried = slips(sorted(papers), _SLIPS)
    for form in _FORMS:
        right = sum(library.search(form.format(s.typed), 1)[0].paper_id in own[s.name] for s in tried)
        yield f"mistyped names of the packaged abstracts, asked as “{form}”: {_share(right, len(tried))}"


def _pairs(name: str, library: Library, asked: Mapping[str, Sequence[Needing]]) -> Iterator[str]:
    for source, questions in asked.items():
        right = sum(gathered(library, question) for question in questions)
        yield f"questions of two or three {name} papers {source}: {_share(right, len(questions))}"


def _share(right: int, n: int) -> str:
    bounds = wilson(right, n)
    return f"{right / n:.3f} [{bounds.low:.3f}, {bounds.high:.3f}] of {n}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Print what the served search holds among thousands of abstracts.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, help="where to keep vectors and libraries (a temporary folder)")
    chosen = parser.parse_args(arguments)
    with ExitStack() as stack:
        cache = chosen.cache or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        embedder, public = KeptEmbedder(cache), conference(chosen.folder)
        packaged = read_file(resource("seeds", "icml-2026.txt")).papers
        others = read_file(_INVENTED / "papers.jsonl").papers
        seeds = needing("seeds", resource("eval", "gold", "seeds.jsonl"), packaged)
        invented = needing("invented", _INVENTED / "questions.jsonl", others)
        alone = stack.enter_context(library_of(packaged, cache / "packaged", embedder))
        apart = stack.enter_context(library_of(others, cache / "invented", embedder))
        for line in (
            *_names(alone, owned_names(alone)),
            *_pairs("packaged", alone, seeds),
            *_pairs("invented", apart, invented),
        ):
            print(line, flush=True)
        mixed = stack.enter_context(library_of((*public.papers, *packaged, *others), cache / "mixed", embedder))
        print(f"\nmixed into {len(public.papers)} abstracts", flush=True)
        for line in (
            *_pairs("packaged", mixed, seeds),
            *_pairs("invented", mixed, invented),
            *_names(mixed, owned_names(alone)),
            *_exactness(mixed, embedder, [query.text for query in public.queries]),
        ):
            print(line, flush=True)
        embedder.save()


if __name__ == "__main__":
    main()
