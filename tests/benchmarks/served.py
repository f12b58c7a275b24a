"""What the served search holds among thousands of abstracts: exact places, mistyped names, questions of two papers.

Run it with `python -m tests.benchmarks.served FOLDER [--cache FOLDER]`; FOLDER holds `ml_abstracts_5k.jsonl.gz`. The
packaged abstracts are mixed into the public ones for the names and the questions.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from eval.gold import GoldQuestion, load_gold
from eval.stats import wilson
from rag.library.corpus import read_file
from rag.pipeline import Library
from rag.resources import resource
from tests.benchmarks.kept import KeptEmbedder, library_of
from tests.benchmarks.public import conference
from tests.exact import agreement
from tests.slips import owned_names, slips

_QUERIES, _SLIPS = 500, 200
_SHARES = (None, 0.01, 0.1, 0.5)
_FORMS = ("{}", "what is {}?")


def needed(gold: Sequence[GoldQuestion]) -> list[GoldQuestion]:
    """Return the questions that need two or three papers, whole-library questions apart."""
    return [g for g in gold if len(g.papers) in (2, 3) and g.kind != "census"]


def gathered(library: Library, question: GoldQuestion) -> bool:
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
    tried = slips(sorted(papers), _SLIPS)
    for form in _FORMS:
        right = sum(library.search(form.format(s.typed), 1)[0].paper_id in papers[s.name] for s in tried)
        yield f"mistyped names of the packaged abstracts, asked as “{form}”: {_share(right, len(tried))}"


def _pairs(name: str, library: Library, gold: Sequence[GoldQuestion]) -> str:
    return f"questions of two or three papers, {name}: {_share(sum(gathered(library, g) for g in gold), len(gold))}"


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
        alone = stack.enter_context(library_of(packaged, cache / "packaged", embedder))
        gold = needed(load_gold([resource("eval", "gold", "seeds.jsonl")], {paper.id: paper for paper in packaged}))
        mixed = stack.enter_context(library_of((*public.papers, *packaged), cache / "mixed", embedder))
        for line in (*_names(alone, owned_names(alone)), _pairs("alone", alone, gold)):
            print(line, flush=True)
        print(f"\nmixed into {len(public.papers)} abstracts", flush=True)
        for line in _exactness(mixed, embedder, [query.text for query in public.queries]):
            print(line, flush=True)
        for line in (*_names(mixed, owned_names(alone)), _pairs("mixed", mixed, gold)):
            print(line, flush=True)
        embedder.save()


if __name__ == "__main__":
    main()
