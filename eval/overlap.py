"""Print how many gold questions are worded unlike the sentence that answers them: `python -m eval.overlap`.

For each question with an answer, the deciding sentence is the one of its gold abstracts with most must-have facts,
and among those the one that shares most words with the question: the strictest choice. Counted are the question's
content words, coined names apart, that stand in that sentence.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval.cli import gold_files
from eval.gold import GoldQuestion, load_gold
from eval.matching import any_occurs, content_words
from eval.names import coined_names
from eval.system import Opener, open_library
from rag.errors import RagError
from rag.types import Paper

SHARE = 0.25
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(])")


@dataclass(frozen=True, slots=True)
class Overlap:
    """How much of a question's wording comes from the sentence that decides it."""

    question: GoldQuestion
    share: float
    sentence: str


def overlap(question: GoldQuestion, papers: Mapping[str, Paper]) -> Overlap:
    """Return the share of a question's content words that the deciding sentence holds."""
    coined = {stem for text in (question.question, *(_texts(question, papers))) for stem in _coined_stems(text)}
    words = [word for word in content_words(question.question) if word not in coined]
    sentences = [s for text in _texts(question, papers) for s in _SENTENCE.split(text)]

    def rank(sentence: str) -> tuple[int, float]:
        return sum(any_occurs(group, sentence) is not None for group in question.must), _share(words, sentence)

    best = max(sentences, key=rank)
    return Overlap(question, _share(words, best), best)


def _texts(question: GoldQuestion, papers: Mapping[str, Paper]) -> list[str]:
    return [papers[paper].abstract for paper in question.papers]


def _coined_stems(text: str) -> set[str]:
    return {stem for name in coined_names(text) for stem in content_words(name)}


def _share(words: Sequence[str], sentence: str) -> float:
    there = set(content_words(sentence))
    return sum(word in there for word in words) / len(words) if words else 0.0


def main(argv: Sequence[str] | None = None, open_system: Opener = open_library) -> int:
    """Print one line a question, most alike first, then the count."""
    parser = argparse.ArgumentParser(prog="python -m eval.overlap", description=__doc__)
    parser.add_argument(
        "--gold", nargs="+", type=Path, metavar="FILE", help="gold questions; the packaged ones if not given"
    )
    parser.add_argument("--library", metavar="NAME", help="the library that they are about")
    parser.add_argument("--store", metavar="FOLDER", help="a library in a folder of yours")
    parser.set_defaults(mode="extractive")
    args = parser.parse_args(argv)
    try:
        papers = open_system(args).papers
        gold = load_gold(gold_files(args), papers)
    except RagError as error:
        sys.stderr.write(f"could not measure: {error}\n")
        return 2
    # A question that no paper answers ("how many use X?": none) has no deciding sentence.
    asked = [question for question in gold if question.answerable and question.papers]
    rows = sorted((overlap(question, papers) for question in asked), key=lambda row: (-row.share, row.question.id))
    for row in rows:
        sys.stdout.write(f"{row.share:.2f}  {row.question.id}\n")
    sys.stdout.write(summary(rows) + "\n")
    return 0


def summary(rows: Sequence[Overlap]) -> str:
    """Return the count that the evaluation's rules ask for, in one line."""
    few = sum(row.share <= SHARE for row in rows)
    share = f" ({few / len(rows):.0%})" if rows else ""
    return f"{few} of {len(rows)} questions{share} take at most a quarter of their content words from that sentence"


if __name__ == "__main__":
    sys.exit(main())
