"""Does a question go on about the paper of the turn before? `python -m tests.benchmarks.followups [FOLDER=GOLD ...]`.

Made from gold questions: one that names its paper goes on about it where "it" stands for the name, or nothing does; one
that describes another paper, or nothing here, stands alone behind a question about the first. The gold's own follow-ups
and the committed conversations are added. Prints the share that `rag.retrieval.conversation` gets right by sort, and
the weights that the dev half gives its model (`tests.benchmarks.fit` tells how). Each FOLDER=GOLD is a further library.
"""

from __future__ import annotations

import itertools
import json
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import rag
from eval.gold import GoldQuestion, load_gold
from rag.pipeline import Library
from rag.resources import resource
from rag.retrieval import conversation
from rag.retrieval.conversation import continuation_features, standalone
from rag.retrieval.searcher import Searcher
from rag.types import Paper, Turn
from tests.benchmarks.fit import fit

_STANDS = ("single_fact", "which_paper", "not_in_corpus", "abstract_silent")


@dataclass(frozen=True, slots=True)
class Case:
    """A question behind a turn about `paper`; `goes_on` tells whether it is about that paper."""

    sort: str
    before: str
    paper: Paper
    question: str
    goes_on: bool
    split: str
    searcher: Searcher


def main(further: Sequence[str]) -> None:
    """Measure, then fit on the dev half and print."""
    folder = resource("eval", "gold", "invented")
    with ExitStack() as stack:
        store = stack.enter_context(tempfile.TemporaryDirectory())
        libraries = [(stack.enter_context(rag.open()), resource("eval", "gold", "seeds.jsonl"), "seeds")]
        invented = stack.enter_context(rag.open(store=store))
        invented.index(folder / "papers.jsonl")
        libraries.append((invented, folder / "questions.jsonl", "invented"))
        for pair in further:
            place, _, gold = pair.partition("=")
            libraries.append((stack.enter_context(rag.open(store=place)), Path(gold), "further"))
        cases = [case for library, gold, name in libraries for case in _cases(library, gold, name)]
        _measure(cases)
        _fit(cases)


def _cases(library: Library, gold: Path, name: str) -> Iterator[Case]:
    rng, searcher = random.Random(7), library.searcher()
    papers = {p.id: p for p in library.papers()}
    questions = load_gold([gold], papers)
    named: dict[str, list] = {}
    for question in questions:
        if question.kind in ("single_fact", "abstract_silent") and len(question.papers) == 1 and not question.history:
            spans = [m for m in searcher.mentions(question.question) if m.tells and question.papers[0] in m.papers]
            if len(spans) == 1:
                named.setdefault(question.papers[0], []).append((question, spans[0]))
    for rows in named.values():
        for question, span in rows:
            paper, before = papers[question.papers[0]], rng.choice(rows)[0].question
            for sort, text in _without_name(question.question, span.start, span.end):
                yield Case(sort, before, paper, text, True, question.split, searcher)
    for question in questions:
        free = question.kind in _STANDS and not question.history
        if free and not any(m.tells for m in searcher.mentions(question.question)):
            other = rng.choice(sorted(set(named) - set(question.papers)))
            before = rng.choice(named[other])[0].question
            yield Case(
                f"alone, {question.kind}", before, papers[other], question.question, False, question.split, searcher
            )
        if question.kind == "follow_up" and len(question.papers) == 1 and question.history:
            yield from _follow_up(question, papers, searcher)
    for file in sorted(resource("eval", "gold", "conversations").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row["library"] == name:
                yield from _turns(row, papers, searcher)


def _without_name(question: str, start: int, end: int) -> Iterator[tuple[str, str]]:
    before, after = question[:start], question[end:]
    if re.search(r"\b(?:does|is|did|can|was|has|of|with|by|for|that|in|on|why|how|about)\s+(?:the\s+)?$", before, re.I):
        before = re.sub(r"\bthe\s+$", "", before)
        after = re.sub(r"^['’]s\b", "", after) if not after.startswith(("'s", "’s")) else after
        yield ("it", f"{before}its{after[2:]}" if after.startswith(("'s", "’s")) else f"{before}it{after}")
        yield ("the method", f"{before}the method{after}")
    bare = re.sub(r"\b(?:of|in|by|with|for|on|about|does|do|is|the)\s+$", "", before) + after
    bare = " ".join(bare.replace("'s", "").split())
    if len(bare.split()) <= 6:
        yield ("left out", f"and {bare}" if len(bare.split()) > 3 else bare)


def _follow_up(question: GoldQuestion, papers: dict[str, Paper], searcher: Searcher) -> Iterator[Case]:
    last = searcher.gather(question.history[-1]).best
    if last is not None and last.paper.id == question.papers[0]:
        yield Case("gold", question.history[-1], last.paper, question.question, True, question.split, searcher)


def _turns(row: dict, papers: dict[str, Paper], searcher: Searcher) -> Iterator[Case]:
    split = "dev" if hash_of(row["id"]) % 2 else "test"
    turns = [t for t in row["turns"] if t.get("papers")]
    for before, turn in itertools.pairwise(turns):
        if (
            len(before["papers"]) == 1
            and len(turn["papers"]) == 1
            and not any(m.tells for m in searcher.mentions(turn["ask"]))
        ):
            goes_on = before["papers"] == turn["papers"]
            yield Case(
                "talk, goes on" if goes_on else "talk, switches",
                before["ask"], papers[before["papers"][0]], turn["ask"], goes_on, split, searcher,
            )  # fmt: skip


def hash_of(text: str) -> int:
    """Return a number that stays the same from run to run."""
    return sum(text.encode())


def _measure(cases: Sequence[Case]) -> None:
    right: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for case in cases:
        found = standalone(
            case.question, [Turn(f"{case.before} ({conversation.short_name(case.paper)})")], case.searcher
        )
        carried = found.carried is not None and found.carried.id == case.paper.id
        ok = carried == case.goes_on
        right[case.sort, case.split].append(ok)
        if not ok and "-v" in sys.argv and case.split == "dev":
            print(f"{case.sort} | {case.before} | {case.question}")
    for sort in dict.fromkeys(sort for sort, _ in right):
        shown = [
            f"{split} {sum(r)}/{len(r)} = {sum(r) / len(r):.3f}"
            for split in ("dev", "test")
            if (r := right[sort, split])
        ]
        print(f"{sort:26} {'   '.join(shown)}")


def _fit(cases: Sequence[Case]) -> None:
    rows = [(continuation_features(c.question, c.searcher.gather(c.question), c.paper, c.searcher), c) for c in cases]
    names = list(rows[0][0])
    # Each sort weighs the same: the gold has many more questions of some than of others.
    count: dict[tuple[str, str], int] = defaultdict(int)
    for _, case in rows:
        count[case.sort, case.split] += 1
    x = {s: np.array([[v[n] for n in names] for v, c in rows if c.split == s]) for s in ("dev", "test")}
    y = {s: np.array([float(c.goes_on) for _, c in rows if c.split == s]) for s in ("dev", "test")}
    weight = np.array([30 / count[c.sort, "dev"] for _, c in rows if c.split == "dev"])
    weights, intercept = fit(x["dev"], y["dev"], weight)
    for name, value in zip(names, weights, strict=True):
        print(f'    "{name}": {value:.2f},')
    print(f"intercept {intercept:.2f}")
    for split in ("dev", "test"):
        p = 1 / (1 + np.exp(-(x[split] @ weights + intercept)))
        print(split, f"{((p >= 0.5) == (y[split] > 0)).mean():.3f} of {len(p)}")


if __name__ == "__main__":
    main([a for a in sys.argv[1:] if a != "-v"])
