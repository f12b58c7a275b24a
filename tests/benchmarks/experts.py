"""Do our citation measures hold on people's text? Experts' answers with markers, and the same with markers shifted.

    python -m tests.benchmarks.experts --data FILE

FILE is a gzipped JSON lines file of answers: `output` with markers [n], `ctxs` with the passages, counted from 0.
A person's sentence is a paraphrase, so support is low in absolute terms: what must hold is that nearly all markers
resolve, and that a shift lowers the share of sentences that their citations hold.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from eval.gold import GoldQuestion
from eval.reading import read_answer
from eval.scoring import score_answer
from rag.types import Answer, Chunk, Citation, Paper, ScoredChunk

METRICS = ("support", "numbers", "names", "citation_validity", "citation_recall")


def answers(file: Path, shift: int) -> list[tuple[Answer, dict[str, Paper]]]:
    """Return each expert's answer over its own passages, every marker moved on by `shift` passages."""
    found = []
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            texts = [f"{c['title']}. {c['text']}" for c in row["ctxs"]]
            papers = {str(n): Paper(str(n), "", True, text, text) for n, text in enumerate(texts)}
            used = dict.fromkeys(read_answer(row["output"], ()).markers)
            cited = {m: str((m + shift) % len(texts)) for m in used if m < len(texts)}
            citations = tuple(
                Citation(m, p, p, "", papers[p].abstract, 0, len(papers[p].abstract)) for m, p in cited.items()
            )
            evidence = tuple(
                ScoredChunk(Chunk(p.id, p.id, p.abstract, 0, len(p.abstract)), p, 1.0, "both") for p in papers.values()
            )
            answer = Answer(row["input"], row["input"], row["output"], "answered", citations, evidence=evidence)
            found.append((answer, papers))
    return found


def measure(file: Path, shift: int = 0) -> dict[str, tuple[float, float]]:
    """Return hits and total of the citation metrics over all answers."""
    pooled = dict.fromkeys(METRICS, (0.0, 0.0))
    for answer, papers in answers(file, shift):
        question = GoldQuestion("q", "single_fact", answer.question, "answered", papers=("0",))
        for score in score_answer(question, answer, papers):
            if score.metric in pooled:
                hits, total = pooled[score.metric]
                pooled[score.metric] = (hits + score.hits, total + score.total)
    return pooled


def main(argv: Sequence[str] | None = None) -> int:
    """Print each metric as written and shifted."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.experts")
    parser.add_argument("--data", type=Path, required=True, help="the file of expert answers")
    file = parser.parse_args(argv).data
    plain, shifted = measure(file), measure(file, shift=1)
    for metric in METRICS:
        (hits, total), (moved, of) = plain[metric], shifted[metric]
        print(f"{metric:18} as written {hits / total:.3f} of {total:.0f}   shifted {moved / of:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
