"""`rag eval`: measure a library's answers against gold questions and hold the floors.

Exit codes: 0 passed, 1 the gate is red, 2 could not be evaluated.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from eval.arguments import FILES
from eval.authoring import append_question, held_out_papers, propose_lines
from eval.baseline import Comparison, baseline_lines, compare, comparison_text, load_scores, scores_of
from eval.calibration import calibration_table
from eval.gate import FloorResult, check_floors, load_floors
from eval.gold import GoldQuestion, load_gold
from eval.html import to_html
from eval.interop import export_folder, import_folder, read_qrels, read_run
from eval.judge import Lane, open_judge
from eval.junit import to_junit
from eval.labelled import Labelled, read_labelled
from eval.markdown import to_markdown
from eval.ranking import run_figures, run_text
from eval.recorded import load_record, record_lines
from eval.recorded_faults import fault_table
from eval.report import explain, failures, printable, to_json
from eval.run import Report, evaluate, nothing_reached
from eval.system import Opener, System, open_library
from eval.text import to_text
from eval.verdict import verdict
from rag.config import load_config
from rag.errors import InputError, ModelError, RagError
from rag.resources import resource

PASSED, RED, NOT_EVALUATED = 0, 1, 2
_PROGRESS_STEP = 20


def main(args: argparse.Namespace, open_system: Opener | None = None) -> int:
    """Run the command and return its exit code; errors for people go to standard error in one sentence."""
    try:
        least, most = FILES[args.action]
        if not least <= len(args.files) <= most:
            raise InputError(f"`rag eval {args.action}` takes {least} to {most} files, {len(args.files)} were given.")
        return _ACTION.get(args.action, _run)(args, open_system or open_library)
    except RagError as error:
        _emit(f"could not evaluate: {_masked(str(error))}\n", sys.stderr)
        return NOT_EVALUATED
    except KeyboardInterrupt:
        # `rag` itself would say that the command goes on from there, and a run starts over.
        _emit(
            "could not evaluate: interrupted before the last question; nothing was written, run it again.\n", sys.stderr
        )
        return NOT_EVALUATED


def _run(args: argparse.Namespace, open_system: Opener) -> int:
    recording = args.action in ("record", "export")
    floors_file = None if recording else _floors_file(args)
    floors = load_floors(floors_file) if floors_file else None
    if args.judge and args.mode == "llm" and args.judge == load_config().model:
        raise InputError(f"{args.judge!r} would judge its own answers; name another model with --judge.")
    # A model that was asked for and is not there stops the run before anything is asked.
    lane = open_judge(args.judge) if args.judge else None
    labelled = read_labelled(args.labelled) if args.labelled else ()
    try:
        report, system = _measured(args, open_system, lane, labelled)
    finally:
        if lane:
            lane.close()
    gate = check_floors(report, floors) if floors else None
    comparison = _compared(report, args, floors_file)
    _write(args.json, to_json(report, gate, comparison))
    _write(args.junit, to_junit(report, gate, comparison))
    _write(args.html, to_html(report, gate, comparison))
    _write(args.markdown, to_markdown(report, gate, comparison))
    if args.action == "record":
        _write(args.files[0], record_lines(report))
    if args.action == "export":
        for name, text in export_folder(report, system.papers).items():
            _write(args.files[0] / name, text)
    _emit(_masked(_shown(report, gate, comparison, floors_file, args)), sys.stdout)
    return RED if verdict(gate, comparison) == "red" and not args.no_gate else PASSED


def _measured(
    args: argparse.Namespace, open_system: Opener, lane: Lane | None, labelled: Sequence[Labelled] = ()
) -> tuple[Report, System]:
    if args.action == "rescore":
        args.answers = args.files[0]
    system = open_system(args)
    try:
        gold = _chosen(load_gold(gold_files(args), system.papers), args)
        ask = load_record(args.answers, system.papers) if args.answers else system.ask
        search = None if args.answers else system.search
        report = evaluate(ask, gold, system.papers, search, _show_progress, system.check, lane, labelled)
        faults = fault_table(gold_files(args)[0].parent / _RECORDED, gold, system.papers, system.check)
        report = replace(report, faults=faults)
    finally:
        system.close()
    _check_evaluated(report, args)
    return report, system


def _compared(report: Report, args: argparse.Namespace, floors: Path | None) -> Comparison | None:
    """Compare with the baseline asked for, or with the one committed beside the gold or its floors."""
    file = args.baseline
    if file is None and floors is not None and args.mode == "extractive" and not args.answers:
        folders = [gold_files(args)[0].parent, *([floors.parent] if args.gate is None else [])]
        file = next((folder / _BASELINE for folder in folders if (folder / _BASELINE).is_file()), None)
    return None if file is None else compare(load_scores(file), scores_of(report))


_BASELINE = "baseline.jsonl"
# The folder beside the gold that holds recorded answers with known faults.
_RECORDED = "recorded"


def _baseline(args: argparse.Namespace, open_system: Opener) -> int:
    floors = _floors_file(args)
    file = args.files[0] if args.files else (floors.parent / _BASELINE if floors else Path(_BASELINE))
    report, _ = _measured(args, open_system, None)
    _write(file, baseline_lines(report))
    _emit(f"{report.header.line()}\nbaseline of {len(report.rows)} questions: {file}\n", sys.stdout)
    return PASSED


def _compare(args: argparse.Namespace, open_system: Opener) -> int:
    before, after = (load_scores(file) for file in args.files)
    comparison = compare(before, after)
    _emit(printable(_masked(comparison_text(comparison, before, after))), sys.stdout)
    return RED if comparison.is_red else PASSED


def _new(args: argparse.Namespace, open_system: Opener) -> int:
    system = open_system(args)
    try:
        question = append_question(args, system.papers)
    finally:
        system.close()
    _emit(f"{question.id} ({question.kind}, {question.split} half) was added to {args.files[0]}\n", sys.stdout)
    return PASSED


def _propose(args: argparse.Namespace, open_system: Opener) -> int:
    if args.files[0].exists():
        raise InputError(f"{args.files[0]} is there already and may hold reviewed questions; name a new file.")
    system = open_system(args)
    system.close()
    lines = propose_lines(system.papers, held_out_papers(system.papers))
    _write(args.files[0], "".join(line + "\n" for line in lines))
    _emit(
        f"{len(lines)} drafts in {args.files[0]}; read each against its abstract, mend or delete it, and take out "
        '"UNREVIEWED" from its note: until then it is refused as gold.\n',
        sys.stdout,
    )
    return PASSED


def _import(args: argparse.Namespace, open_system: Opener) -> int:
    system = open_system(args)
    system.close()
    lines = import_folder(args.files[0], system.papers)
    _write(args.files[1], "".join(line + "\n" for line in lines))
    _emit(f"{len(lines)} questions in {args.files[1]}\n", sys.stdout)
    return PASSED


def _score(args: argparse.Namespace, open_system: Opener) -> int:
    figures = run_figures(read_qrels(args.files[0]), read_run(args.files[1]))
    _emit(printable(run_text(figures)), sys.stdout)
    return PASSED


def _calibrate(args: argparse.Namespace, open_system: Opener) -> int:
    """Measure uncalibrated: the packaged gold and the invented library's, or only what --papers and --gold name."""
    reports = []
    for papers, gold in _calibration_sets(args):
        chosen = argparse.Namespace(**(vars(args) | {"papers": papers, "gold": gold}))
        reports.append(_measured(chosen, open_system, None)[0])
    _write(args.files[0], calibration_table(reports))
    _emit(f"calibration of {sum(len(report.rows) for report in reports)} questions: {args.files[0]}\n", sys.stdout)
    return PASSED


def _calibration_sets(args: argparse.Namespace) -> list[tuple[Path | None, list[Path] | None]]:
    if args.gold or args.papers:
        return [(args.papers, args.gold)]
    folder = resource("eval", "gold", "invented")
    return [(None, None), (folder / "papers.jsonl", [folder / "questions.jsonl"])]


_ACTION: Mapping[str, Callable[[argparse.Namespace, Opener], int]] = {
    "baseline": _baseline,
    "compare": _compare,
    "new": _new,
    "propose": _propose,
    "import": _import,
    "score": _score,
    "calibrate": _calibrate,
}


def _shown(
    report: Report,
    gate: Sequence[FloorResult] | None,
    comparison: Comparison | None,
    floors: Path | None,
    args: argparse.Namespace,
) -> str:
    text = to_text(report, gate, comparison)
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
