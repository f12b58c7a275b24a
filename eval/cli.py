"""`rag eval`: measure a library's answers against gold questions and hold the floors.

Exit codes: 0 passed, 1 the gate is red, 2 could not be evaluated.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eval.gate import FloorResult, check_floors, is_red, load_floors
from eval.gold import KINDS, GoldQuestion, load_gold
from eval.recorded import load_record, record_lines
from eval.report import explain, failures, printable, to_json, to_junit, to_text
from eval.run import Ask, Report, Search, evaluate, nothing_reached
from rag.config import load_config
from rag.errors import InputError, ModelError, RagError
from rag.resources import resource
from rag.types import Answer, Paper

PASSED, RED, NOT_EVALUATED = 0, 1, 2
_PROGRESS_STEP = 20


@dataclass(frozen=True, slots=True)
class System:
    """The system under test: how to ask it, what it holds, and how to search it."""

    ask: Ask
    papers: dict[str, Paper]
    search: Search | None = None


Opener = Callable[[argparse.Namespace], System]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `rag eval` takes to a parser."""
    parser.add_argument(
        "action",
        nargs="?",
        choices=("run", "record"),
        default="run",
        help="run measures and gates; record FILE keeps the answers",
    )
    parser.add_argument("file", nargs="?", type=Path, help="where `record` writes the answers (JSON lines)")
    parser.add_argument(
        "--gold", nargs="+", type=Path, metavar="FILE", help="gold questions; the packaged ones if not given"
    )
    parser.add_argument("--library", metavar="NAME", help="the library to ask; the packaged abstracts if not given")
    parser.add_argument("--store", metavar="FOLDER", help="a library in a folder of yours")
    gate = parser.add_mutually_exclusive_group()
    gate.add_argument("--gate", type=Path, metavar="FILE", help="floors; by default gate.toml beside the gold")
    gate.add_argument("--no-gate", action="store_true", help="report only, whatever the figures")
    parser.add_argument("--answers", type=Path, metavar="FILE", help="judge recorded answers instead of asking")
    parser.add_argument("--mode", choices=("extractive", "llm"), default="extractive", help="how to answer")
    parser.add_argument("--kind", choices=KINDS, help="only the questions of one kind")
    parser.add_argument("--split", choices=("dev", "test"), help="only one half of the gold")
    parser.add_argument("--show-failures", action="store_true", help="print every question that was not wholly right")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the whole record as JSON")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit XML, a test case a question")


def main(args: argparse.Namespace, open_system: Opener | None = None) -> int:
    """Run the command and return its exit code; errors for people go to standard error in one sentence."""
    try:
        return _run(args, open_system or open_library)
    except RagError as error:
        _emit(f"could not evaluate: {_masked(str(error))}\n", sys.stderr)
        return NOT_EVALUATED


def _run(args: argparse.Namespace, open_system: Opener) -> int:
    if (args.action == "record") != (args.file is not None):
        raise InputError("`rag eval record` takes one FILE to write to, and `rag eval run` takes none.")
    floors_file = None if args.action == "record" else _floors_file(args)
    floors = load_floors(floors_file) if floors_file else None
    system = open_system(args)
    gold = _chosen(load_gold(gold_files(args), system.papers), args)
    ask = load_record(args.answers, system.papers) if args.answers else system.ask
    report = evaluate(ask, gold, system.papers, None if args.answers else system.search, _show_progress)
    _check_evaluated(report, args)
    gate = check_floors(report, floors) if floors else None
    _write(args.json, to_json(report, gate))
    _write(args.junit, to_junit(report, gate))
    _write(args.file, record_lines(report))
    _emit(_masked(_shown(report, gate, floors_file, args)), sys.stdout)
    return RED if gate and is_red(gate) else PASSED


def _shown(report: Report, gate: Sequence[FloorResult] | None, floors: Path | None, args: argparse.Namespace) -> str:
    text = to_text(report, gate)
    text += f"floors: {floors}\n" if gate is not None else "\ngate: none (reported only)\n"
    if args.show_failures:
        wrong = failures(report)
        text += f"\n{len(wrong)} of {len(report.rows)} questions not wholly right\n"
        text += "".join(f"\n--- {row.question.id}\n{explain(row)}\n" for row in wrong)
    return printable(text)


def _check_evaluated(report: Report, args: argparse.Namespace) -> None:
    """Raise if what was asked for could not be measured: an unreachable model must never pass for a score."""
    reason = nothing_reached(report)
    if reason:
        raise ModelError(f"every question failed ({reason}); mend that and run it again.")
    modes = {row.answer.mode for row in report.rows if row.answer}
    if args.mode == "llm" and not args.answers and modes == {"extractive"}:
        raise ModelError("no answer came from a model although --mode llm was asked for; check its name and address.")


def gold_files(args: argparse.Namespace) -> list[Path]:
    """Return the gold files that the arguments name, else the packaged ones."""
    if args.gold:
        return list(args.gold)
    folder = resource("eval", "gold")
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise InputError(f"{folder} holds no gold file (*.jsonl); name one with --gold FILE.")
    return files


def _floors_file(args: argparse.Namespace) -> Path | None:
    """Return the floors to hold: those asked for, else those beside the gold or one folder up; there may be none."""
    if args.no_gate:
        return None
    if args.gate:
        return Path(args.gate)
    if not args.gold:
        return resource("eval", "gate.toml")
    folder = Path(args.gold[0]).resolve().parent
    return next((file for file in (folder / "gate.toml", folder.parent / "gate.toml") if file.is_file()), None)


def _chosen(gold: Sequence[GoldQuestion], args: argparse.Namespace) -> list[GoldQuestion]:
    chosen = [g for g in gold if args.kind in (None, g.kind) and args.split in (None, g.split)]
    if not chosen:
        raise InputError(f"None of the {len(gold)} gold questions is of the kind and split asked for; choose others.")
    return chosen


def open_library(args: argparse.Namespace) -> System:
    """Open the library that the arguments name, through the front door that every user has."""
    # A mode that can't be had is one sentence at the start, not a failure of every question.
    load_config().resolve_mode(args.mode)
    # Imported here, so that `rag eval --help` stays light.
    library: Any = importlib.import_module("rag").open(args.library, store=args.store)
    papers = {paper.id: paper for paper in library.papers()}
    if not papers:
        raise InputError("The library holds no papers, so nothing can be asked; fill it with `rag index FILE`.")

    def ask(question: str, history: list[str]) -> Answer:
        answer: Answer = library.ask(question, history=history, mode=args.mode)
        return answer

    def search(question: str, k: int) -> list[str]:
        return [hit.paper_id for hit in library.search(question, k)]

    return System(ask, papers, search)


def _show_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        _emit(f"\rasked {done} of {total}{chr(10) if done == total else ''}", sys.stderr)
    elif done % _PROGRESS_STEP == 0 or done == total:
        _emit(f"asked {done} of {total}\n", sys.stderr)


def _masked(text: str) -> str:
    return load_config().masked(text)


def _write(file: Path | None, text: str) -> None:
    if file is None:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # A model's reply may hold half a surrogate pair, which UTF-8 has no bytes for.
        file.write_bytes(_masked(text).encode("utf-8", "replace"))
    except OSError as error:
        raise InputError(f"{file} can't be written ({error.strerror}); name another place.") from error


def _emit(text: str, stream: Any) -> None:
    """Write and flush; a reader that closed the pipe (`| head`) must not change the exit code."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        # Python flushes again at exit and would end with 120, hiding a red gate.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
