"""How good is the checker? Planted faults caught and honest paraphrases lost, on public data given by path.

    python -m tests.benchmarks.checker --data FOLDER              SciTLDR: people's summaries, and mutations of them
    python -m tests.benchmarks.checker --data FOLDER --labelled   SummEdits: human labels, for one look

FOLDER holds `scitldr_train.jsonl.gz`, `scitldr_dev.jsonl.gz`, `summedits_*.jsonl.gz`. Nothing of it is part of the
project. The mutations use word lists of their own, so that the checker is not measured with its own words.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.matching import number_stated, numbers
from eval.names import known, names
from rag.checking.checker import check, check_sentence
from rag.types import Paper

_SEED = 20260101
_OPPOSITES = """
increase decrease; increases decreases; improve worsen; improves worsens; improved degraded; improving
degrading; better worse; higher lower; high low; faster slower; large small; larger smaller; more less; with
without; simple complicated; efficient inefficient; stable unstable; robust fragile; outperforms underperforms;
outperform underperform; reduce increase; reduces increases; reducing increasing; deep shallow; single multiple;
supervised unsupervised; unsupervised supervised; first last; easy hard; strong weak; enables prevents; allows
forbids; sparse dense; local global; long short; accelerate slow; known unknown; accurate inaccurate; success
failure; best worst; all none; always never; explicit implicit; continuous discrete; fewer more; lower higher;
similar different; linear nonlinear; possible impossible; significantly slightly
"""
_AUXILIARIES = ["is", "are", "can", "was", "were", "has", "have", "does", "do", "will"]
_VERBS = {
    "improves": "does not improve",
    "outperforms": "does not outperform",
    "achieves": "does not achieve",
    "shows": "does not show",
    "allows": "does not allow",
    "enables": "does not enable",
    "learns": "does not learn",
    "reduces": "does not reduce",
    "uses": "does not use",
    "requires": "does not require",
    "leads": "does not lead",
    "propose": "do not propose",
    "show": "do not show",
    "improve": "do not improve",
    "achieve": "do not achieve",
    "provides": "does not provide",
    "makes": "does not make",
    "using": "without using",
    "demonstrate": "do not demonstrate",
}
_NAME = re.compile(r"\b(?:[A-Z][a-z]*[A-Z]\w*|[A-Z]{2,}(?:-\d+)?|\w*[a-z]+[A-Z]\w*)\b")
# List numerals such as "(1)" and "2)" are no figures.
_NUMBER = re.compile(r"(?<!\s\()(?<!^\()(?<![\w.,-])\d+(?:\.\d+)?(?![\w,]|\.\d|\)\s)")


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence, the paper it is judged against, and whether that paper says it."""

    kind: str
    sentence: str
    paper: Paper
    good: bool


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def load_scitldr(folder: Path, part: str) -> list[tuple[Paper, list[str], str]]:
    """Return each paper with its summaries (the author's first) and the abstract's sentence closest to them."""
    rows = []
    for row in _records(folder / f"scitldr_{part}.jsonl.gz"):
        abstract = " ".join(row["source"])
        central = next(
            (s for s, label in zip(row["source"], row["source_labels"], strict=True) if label), row["source"][0]
        )
        paper = Paper(row["paper_id"], row["title"], False, abstract, abstract)
        rows.append((paper, [t.strip() for t in row["target"]], central))
    return rows


def adds_nothing(summary: str, paper: Paper) -> bool:
    """Tell, with the evaluator's own code, whether a summary's numbers and names all occur in the abstract or title."""
    texts = [paper.title, paper.abstract]
    given = [number for text in texts for number in numbers(text)]
    return all(number_stated(n, given) for n in numbers(summary)) and all(known(n, texts) for n in names(summary))


def mutations(sentence: str, abstract: str, others: Sequence[str], rng: random.Random) -> Iterator[tuple[str, str]]:
    """Yield the kinds of fault that can be planted in a sentence, each at one place."""
    for kind, plant in _PLANTS:
        planted = plant(sentence, abstract, others, rng)
        if planted and planted != sentence:
            yield kind, planted


def _number(sentence: str, abstract: str, others: Sequence[str], rng: random.Random) -> str:
    found = list(_NUMBER.finditer(sentence))
    if not found:
        return ""
    match = rng.choice(found)
    value = match.group()
    given = set(re.findall(r"\d+(?:\.\d+)?", abstract))
    digits = len(value.partition(".")[2])
    tries = (f"{float(value) * rng.uniform(1.15, 2.9) + step:.{digits}f}" for step in range(1, 40))
    new = next((number for number in tries if number not in given), "")
    return sentence[: match.start()] + new + sentence[match.end() :] if new else ""


def _number_swap(sentence: str, abstract: str, others: Sequence[str], rng: random.Random) -> str:
    found = list(_NUMBER.finditer(sentence))
    if len(found) < 2 or found[0].group() == found[1].group():
        return ""
    a, b = found[0], found[1]
    return sentence[: a.start()] + b.group() + sentence[a.end() : b.start()] + a.group() + sentence[b.end() :]


def _name(sentence: str, abstract: str, others: Sequence[str], rng: random.Random) -> str:
    found = list(_NAME.finditer(sentence))
    fresh = [name for name in others if name.casefold() not in abstract.casefold()]
    if not found or not fresh:
        return ""
    match = rng.choice(found)
    return sentence[: match.start()] + rng.choice(fresh) + sentence[match.end() :]


def _negation(sentence: str, abstract: str, others: Sequence[str], rng: random.Random) -> str:
    if re.search(r"\b(?:not|no|never|without|n't)\b", sentence):
        return ""
    places = [m for m in re.finditer(r"\b[a-z]+\b", sentence) if m.group() in _AUXILIARIES or m.group() in _VERBS]
    if not places:
        return ""
    match = rng.choice(places)
    new = _VERBS.get(match.group(), f"{match.group()} not")
    return sentence[: match.start()] + new + sentence[match.end() :]


def _antonym(sentence: str, abstract: str, others: Sequence[str], rng: random.Random) -> str:
    pairs = dict(pair.split() for pair in _OPPOSITES.split(";"))
    places = [m for m in re.finditer(r"\b[a-z]+\b", sentence) if m.group() in pairs]
    if not places:
        return ""
    match = rng.choice(places)
    return sentence[: match.start()] + pairs[match.group()] + sentence[match.end() :]


_Plant = Callable[[str, str, Sequence[str], random.Random], str]
_PLANTS: tuple[tuple[str, _Plant], ...] = (
    ("number", _number),
    ("number swapped", _number_swap),
    ("name", _name),
    ("negation", _negation),
    ("antonym", _antonym),
)


def scitldr_cases(rows: Sequence[tuple[Paper, list[str], str]]) -> Iterator[Case]:
    """Yield honest summaries, faults planted in them and in the abstract's own sentences, and others' summaries."""
    rng = random.Random(_SEED)
    named = [sorted(set(_NAME.findall(paper.abstract))) for paper, _, _ in rows]
    for index, (paper, summaries, central) in enumerate(rows):
        others = named[(index + 17) % len(rows)]
        for place, summary in enumerate(summaries):
            who = "author" if place == 0 else "reviewer"
            clean = adds_nothing(summary, paper)
            yield Case(f"{who}'s summary" + ("" if clean else ", adds a name or number"), summary, paper, True)
            if clean:
                for kind, planted in mutations(summary, paper.abstract, others, rng):
                    yield Case(kind, planted, paper, False)
        for kind, planted in mutations(central, paper.abstract, others, rng):
            yield Case(f"{kind} (own sentence)", planted, paper, False)
        yield Case("own sentence", central, paper, True)
        yield Case("another paper's summary", rows[(index + 29) % len(rows)][1][0], paper, False)


def run(cases: Sequence[Case], judge: Callable[[str, Paper], bool]) -> dict[str, Counter[bool]]:
    """Count, by kind, how often the checker said that the paper supports the sentence."""
    table: dict[str, Counter[bool]] = defaultdict(Counter)
    for case in cases:
        table[case.kind][judge(case.sentence, case.paper)] += 1
    return table


def supported(sentence: str, paper: Paper) -> bool:
    """Tell whether the checker finds no fault with a sentence."""
    return check_sentence(sentence, [paper]).verdict != "unsupported"


def all_supported(text: str, paper: Paper) -> bool:
    """Tell whether the checker finds no fault with any sentence of a text."""
    return all(row.verdict != "unsupported" for row in check(text, [paper]))


def balanced_accuracy(folder: Path, name: str) -> tuple[float, int, dict[str, tuple[int, int]]]:
    """Return balanced accuracy on human labels, n, and per kind of edit how many were caught of how many."""
    right: Counter[int] = Counter()
    total: Counter[int] = Counter()
    kinds: dict[str, list[bool]] = defaultdict(list)
    for row in _records(folder / f"{name}.jsonl.gz"):
        paper = Paper("d", "", True, " ".join(row["doc"].split()), row["doc"])
        said = all_supported(row["summary"], paper)
        total[row["label"]] += 1
        right[row["label"]] += said == bool(row["label"])
        for kind in row.get("edit_types") or ():
            if not row["label"]:
                kinds[kind].append(not said)
    share = sum(right[label] / total[label] for label in total) / len(total)
    return share, sum(total.values()), {k: (sum(v), len(v)) for k, v in kinds.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.checker", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with the data files")
    parser.add_argument(
        "--part", default="train", choices=["train", "dev"], help="part of SciTLDR (tune on train only)"
    )
    parser.add_argument("--limit", type=int, default=600, help="papers to use")
    parser.add_argument("--labelled", action="store_true", help="measure on the human labels of SummEdits instead")
    options = parser.parse_args(argv)
    write = sys.stdout.write
    if options.labelled:
        for name in ("summedits_news", "summedits_ectsum"):
            share, n, kinds = balanced_accuracy(options.data, name)
            caught = ", ".join(f"{kind} {a}/{b}" for kind, (a, b) in sorted(kinds.items()))
            write(f"{name}: balanced accuracy {share:.3f} (n {n}); caught: {caught}\n")
        return 0
    cases = list(scitldr_cases(load_scitldr(options.data, options.part)[: options.limit]))
    good = {case.kind for case in cases if case.good}
    for kind, counts in sorted(run(cases, supported).items()):
        n = sum(counts.values())
        rate, word = (counts[False] / n, "lost") if kind in good else (counts[False] / n, "caught")
        write(f"{kind:<45} {word:<7} {rate:.3f}  (n {n})\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
