"""What `rag eval` takes on its command line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from eval.gold import KINDS
from rag.types import OUTCOMES

# How many files an action takes: at least, at most.
FILES: Mapping[str, tuple[int, int]] = {
    "run": (0, 0),
    "record": (1, 1),
    "rescore": (1, 1),
    "baseline": (0, 1),
    "compare": (2, 2),
    "new": (1, 1),
    "propose": (1, 1),
    "export": (1, 1),
    "import": (2, 2),
    "score": (2, 2),
    "calibrate": (1, 1),
}
_ACTIONS = """
actions:
  run                   measure and hold the floors (what `rag eval` alone does)
  record FILE           keep the answers with their evidence
  rescore FILE          judge a record again, without asking a model
  baseline [FILE]       write this run's scores as the baseline to compare with (baseline.jsonl beside the floors)
  compare A B           two baselines or JSON records: wins, losses, and which questions flipped
  new GOLD              add a question to a gold file after checking it against the library
  propose FILE          draft gold questions from a library's abstracts, marked unreviewed
  export FOLDER         qrels, run and corpus for BEIR and TREC tools, and a flat JSONL of the answers
  import FOLDER GOLD    a BEIR folder (queries.jsonl, qrels/*.tsv) as gold questions
  score QRELS RUN       judge any retriever's run (TREC) against judgements (TREC or BEIR)
  calibrate FILE        (maintainers) make the table of stated confidences, rag/answering/calibration.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `rag eval` takes to a parser."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _ACTIONS
    parser.add_argument("action", nargs="?", choices=tuple(FILES), default="run", help="what to do (run)")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="what the action reads or writes")
    _add_system(parser)
    _add_judging(parser)
    _add_output(parser)
    _add_authoring(parser)


def _add_system(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is asked")
    group.add_argument(
        "--gold", nargs="+", type=Path, metavar="FILE", help="gold questions; the packaged ones if not given"
    )
    group.add_argument("--library", metavar="NAME", help="the library to ask; the packaged abstracts if not given")
    group.add_argument("--store", metavar="FOLDER", help="a library in a folder of yours")
    group.add_argument("--papers", type=Path, metavar="FILE", help="abstracts to index into a temporary library")
    group.add_argument("--mode", choices=("extractive", "llm"), default="extractive", help="how to answer")
    group.add_argument("--answers", type=Path, metavar="FILE", help="judge recorded answers instead of asking")
    group.add_argument("--kind", choices=KINDS, help="only the questions of one kind")
    group.add_argument("--split", choices=("dev", "test"), help="only one half of the gold")


def _add_judging(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how it is judged")
    gate = group.add_mutually_exclusive_group()
    gate.add_argument("--gate", type=Path, metavar="FILE", help="floors; by default gate.toml beside the gold")
    gate.add_argument("--no-gate", action="store_true", help="report only, whatever the figures")
    group.add_argument("--baseline", type=Path, metavar="FILE", help="an earlier run that must not be fallen behind")
    group.add_argument("--labelled", type=Path, metavar="FILE", help="pairs that people judged, to try the checker on")
    group.add_argument("--judge", metavar="MODEL", help="a model that gives a second opinion; it never decides")


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is written")
    group.add_argument("--show-failures", action="store_true", help="print every question that was not wholly right")
    group.add_argument("--json", type=Path, metavar="FILE", help="write the whole record as JSON")
    group.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML, a test case a question")
    group.add_argument("--html", type=Path, metavar="FILE", help="write a page to look at, complete in itself")
    group.add_argument("--markdown", type=Path, metavar="FILE", help="write a summary for a pull request")


def _add_authoring(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("a new gold question (action `new`)")
    group.add_argument("--question", metavar="TEXT", help="what is asked")
    group.add_argument("--from-answer", type=Path, metavar="FILE", help="take the question from `rag ask --json`")
    group.add_argument("--outcome", choices=OUTCOMES, default="answered", help="the right outcome (answered)")
    group.add_argument("--paper", action="append", default=[], metavar="ID", help="a paper that must be cited")
    group.add_argument("--must", action="append", default=[], metavar="A|B", help="a fact, its wordings parted by |")
    group.add_argument("--answer", action="append", default=[], metavar="TEXT", help="a right answer in prose")
