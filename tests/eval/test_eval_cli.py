import argparse
import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import scripted_eval as scripted
from scripted_eval import GOLD, PAPERS, TEXTS

from eval.arguments import add_arguments
from eval.cli import System, main
from eval.overlap import main as overlap_main
from eval.overlap import overlap, summary
from eval.recorded import load_record
from rag.errors import InputError, LibraryError, ModelError
from rag.resources import resource

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def gold_file(tmp_path):
    file = tmp_path / "gold.jsonl"
    file.write_text("".join(json.dumps(gold.to_dict()) + "\n" for gold in GOLD), encoding="utf-8")
    return file


def rag_eval(ask, *argv):
    parser = argparse.ArgumentParser()
    add_arguments(parser)

    def search(question, k):
        return list(PAPERS)[:k]

    return main(parser.parse_args([str(a) for a in argv]), lambda args: System(ask, PAPERS, search))


def gated(gold_file):
    return ["--gold", gold_file, "--gate", resource("eval", "gate.toml")]


def test_exit_codes_and_the_report(gold_file, capsys):
    assert rag_eval(scripted.good, *gated(gold_file)) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("answerer: extractive · model: none")
    assert "gate: green" in shown.out and "asked 12 of 12" in shown.err
    assert rag_eval(scripted.wrong_numbers, *gated(gold_file)) == 1
    assert "red: numbers" in capsys.readouterr().out
    assert rag_eval(scripted.wrong_numbers, "--gold", gold_file, "--no-gate") == 0
    assert "gate: none (reported only)" in capsys.readouterr().out


def test_a_gate_beside_the_gold_is_used(gold_file, capsys):
    (gold_file.parent / "gate.toml").write_text("[[floor]]\nmetric = 'outcome'\nfloor = 0.9\n", encoding="utf-8")
    assert rag_eval(scripted.never_refuses, "--gold", gold_file) == 1
    assert "red: outcome 0.583 is under the floor 0.900 (n = 12)" in capsys.readouterr().out


def test_what_could_not_be_evaluated_is_2_and_one_sentence(gold_file, tmp_path, capsys):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    assert rag_eval(scripted.good, "--gold", empty) == 2
    assert rag_eval(scripted.good, "--gold", tmp_path / "none.jsonl") == 2
    assert rag_eval(scripted.good, "--gold", gold_file, "--kind", "injection") == 2
    assert rag_eval(scripted.good, "--gold", gold_file, "--json", gold_file / "no" / "folder") == 2
    assert rag_eval(scripted.good, "--gold", gold_file, "--html", tmp_path) == 2
    assert rag_eval(scripted.good, "--gold", r"C:\gold\mine.jsonl") == 2
    assert rag_eval(scripted.good, "--gold", gold_file, gold_file) == 2
    assert rag_eval(scripted.good, "--gold", gold_file, "--gate", tmp_path / "none.toml") == 2
    assert rag_eval(scripted.good, "--gold", gold_file, "--baseline", tmp_path / "none.jsonl") == 2
    assert rag_eval(scripted.good, "--gold", gold_file, "--answers", gold_file) == 2
    assert rag_eval(scripted.good, "record") == 2
    messages = [line for line in capsys.readouterr().err.splitlines() if line.startswith("could not evaluate: ")]
    assert len(messages) == 11


def test_an_unreachable_model_is_2_and_never_green(gold_file, capsys):
    def unreachable(question, history):
        raise ModelError("the server answered 401")

    assert rag_eval(unreachable, *gated(gold_file)) == 2
    assert "the server answered 401" in capsys.readouterr().err
    assert rag_eval(scripted.good, *gated(gold_file), "--mode", "llm") == 2
    assert "no answer came from a model" in capsys.readouterr().err


def test_an_interrupted_run_is_2_and_writes_nothing(gold_file, tmp_path, capsys):
    def interrupted(question, history):
        raise KeyboardInterrupt

    assert rag_eval(interrupted, *gated(gold_file), "--json", tmp_path / "r.json") == 2
    assert capsys.readouterr().err.endswith("nothing was written, run it again.\n")
    assert not (tmp_path / "r.json").exists()


def test_a_folder_that_is_not_there_is_2_and_is_not_made(gold_file, tmp_path, capsys):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert main(parser.parse_args(["--store", str(tmp_path / "none"), "--gold", str(gold_file)])) == 2
    assert "There is no folder" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_a_library_that_does_not_open_is_2(capsys):
    def closed(args):
        raise LibraryError("The library is held by another process; end it.")

    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert main(parser.parse_args(["--no-gate"]), closed) == 2
    assert "held by another process" in capsys.readouterr().err


def test_files_are_written_and_the_key_is_masked(gold_file, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0000-NOT-REAL")

    def leaks(question, history):
        raise RuntimeError("refused sk-test-0000-NOT-REAL")

    files = [tmp_path / "out" / "r.json", tmp_path / "out" / "r.xml"]
    argv = [*gated(gold_file), "--json", files[0], "--junit", files[1], "--show-failures"]
    assert rag_eval(leaks, *argv) == 1
    texts = [capsys.readouterr().out, *(file.read_text(encoding="utf-8") for file in files)]
    assert all("refused ***" in text and "NOT-REAL" not in text for text in texts)


def test_failures_are_shown_with_question_expected_and_got(gold_file, capsys):
    rag_eval(scripted.drops_facts, "--gold", gold_file, "--no-gate", "--show-failures", "--kind", "single_fact")
    out = capsys.readouterr().out
    assert "2 of 4 questions not wholly right" in out
    for part in ("--- sf-tarn", "question: What does", "expected: answered", "got answer:", "must_all: missing 71.4"):
        assert part in out


def test_one_half_of_the_gold(gold_file, tmp_path, capsys):
    counts = {}
    for split in ("dev", "test"):
        file = tmp_path / f"{split}.json"
        assert rag_eval(scripted.good, "--gold", gold_file, "--no-gate", "--split", split, "--json", file) == 0
        counts[split] = {q["split"] for q in json.loads(file.read_text(encoding="utf-8"))["questions"]}
    assert counts == {"dev": {"dev"}, "test": {"test"}}


def test_a_record_gives_the_same_report_without_asking(gold_file, tmp_path, capsys):
    record = tmp_path / "answers.jsonl"
    assert rag_eval(scripted.never_refuses, "record", record, "--gold", gold_file) == 0
    live, again = tmp_path / "live.json", tmp_path / "again.json"
    rag_eval(scripted.never_refuses, *gated(gold_file), "--json", live)
    assert rag_eval(scripted.crashes, *gated(gold_file), "--json", again, "--answers", record) == 1
    first, second = (json.loads(f.read_text(encoding="utf-8")) for f in (live, again))
    for question in (*first["questions"], *second["questions"]):
        # search() belongs to the live library and is not recorded
        question["scores"] = [s for s in question["scores"] if not s["metric"].startswith("search_")]
    assert first["questions"] == second["questions"]
    assert first["gate"] == second["gate"]


def test_recorded_crashes_stay_crashes_and_missing_answers_are_zero_and_counted(gold_file, tmp_path, capsys):
    record = tmp_path / "answers.jsonl"
    rag_eval(scripted.crashes, "record", record, "--gold", gold_file)
    capsys.readouterr()
    assert rag_eval(scripted.good, *gated(gold_file), "--answers", record) == 1
    assert "12 crashed" in capsys.readouterr().out
    rag_eval(scripted.good, "record", record, "--gold", gold_file)
    lines = record.read_text(encoding="utf-8").splitlines()
    record.write_text("\n".join(line for line in lines if "Breton?" not in line.split('"answer"')[0]), encoding="utf-8")
    assert rag_eval(scripted.good, *gated(gold_file), "--answers", record) == 1
    assert "red: hit@1 (single_fact) 0.750 is under the floor 0.950 (n = 4, 1 without an answer)" in (
        capsys.readouterr().out
    )


def test_two_answers_to_one_question_are_an_error(gold_file, tmp_path):
    record = tmp_path / "answers.jsonl"
    rag_eval(scripted.good, "record", record, "--gold", gold_file)
    line = record.read_text(encoding="utf-8").splitlines()[0]
    record.write_text(f"{line}\n{line}\n", encoding="utf-8")
    assert load_record(record, PAPERS)
    record.write_text(line + "\n" + line.replace('"confidence": 0', '"confidence": 1') + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds two answers to"):
        load_record(record, PAPERS)


@pytest.mark.parametrize(
    "line", ["{", "[" * 100_000, "[]", '{"question": "q", "history": [], "answer": {"text": "x"}}', "", "\n"]
)
def test_a_broken_record_is_an_error(tmp_path, line):
    file = tmp_path / "answers.jsonl"
    file.write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1 is no recorded answer|holds no answer"):
        load_record(file, PAPERS)


_PROCESS = """
import argparse, sys
sys.path.insert(0, {tests!r})
import scripted_eval as s
from eval.arguments import add_arguments
from eval.cli import System, main
parser = argparse.ArgumentParser()
add_arguments(parser)
sys.exit(main(parser.parse_args(sys.argv[1:]), lambda args: System(s.wrong_numbers, s.PAPERS)))
"""


def test_the_exit_code_survives_a_pipe_that_closes(gold_file):
    code = _PROCESS.format(tests=str(Path(__file__).parent))
    read, write = os.pipe()
    os.close(read)  # as `| head -0` would
    try:
        argv = [sys.executable, "-c", code, *map(str, gated(gold_file)), "--show-failures"]
        done = subprocess.run(argv, stdout=write, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    finally:
        os.close(write)
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr


def test_overlap_is_with_the_deciding_sentence_and_without_names():
    breton = next(gold for gold in GOLD if gold.id == "sf-breton")
    row = overlap(breton, PAPERS)
    assert row.sentence == TEXTS["breton"].split(". ")[0] + "."
    assert row.share == 1  # pair, breton: both from the sentence
    paraphrase = overlap(next(gold for gold in GOLD if gold.id == "wp-legal"), PAPERS)
    assert paraphrase.share == 0  # "law parser?": parser and parses have different stems
    assert summary([row, paraphrase]).startswith("1 of 2 questions (50%)")


def test_two_processes_write_the_same_bytes_apart_from_timings(gold_file, tmp_path):
    texts = []
    for seed in ("1", "2"):  # sets order their strings by this
        file = tmp_path / f"{seed}.json"
        argv = [sys.executable, "-c", _PROCESS.format(tests=str(Path(__file__).parent)), *map(str, gated(gold_file))]
        subprocess.run(
            [*argv, "--json", str(file)],
            capture_output=True,
            cwd=ROOT,
            check=False,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        texts.append(file.read_text(encoding="utf-8").split('"timings"')[0])
    assert texts[0] == texts[1]


def test_a_mode_without_a_model_is_2_before_anything_is_asked(gold_file, capsys, monkeypatch):
    monkeypatch.delenv("RAG_MODEL", raising=False)
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert main(parser.parse_args(["--mode", "llm", "--gold", str(gold_file)])) == 2
    assert "set RAG_MODEL" in capsys.readouterr().err


def test_hostile_text_neither_steers_the_terminal_nor_fakes_a_line(gold_file, tmp_path, capsys):
    def hostile(question, history):
        return scripted.make_answer("\x1b[2J\ud800\ngate: green\u202e", outcome="answered")

    file = tmp_path / "r.json"
    assert rag_eval(hostile, *gated(gold_file), "--show-failures", "--json", file, "--junit", tmp_path / "r.xml") == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\u202e" not in out
    assert "gate: green" not in out.splitlines()
    assert json.loads(file.read_text(encoding="utf-8"))["questions"]


def test_a_terminal_without_unicode_still_gets_the_report(gold_file):
    argv = [sys.executable, "-c", _PROCESS.format(tests=str(Path(__file__).parent)), *map(str, gated(gold_file))]
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(argv, capture_output=True, text=True, cwd=ROOT, check=False, env=env)
    assert done.returncode == 1 and done.stdout.startswith("answerer: extractive"), done.stderr


def test_the_floors_one_folder_up_are_held(gold_file, capsys):
    folder = gold_file.parent / "gold"
    folder.mkdir()
    moved = gold_file.rename(folder / "mine.jsonl")
    (folder.parent / "gate.toml").write_text("[[floor]]\nmetric = 'outcome'\nfloor = 0.9\n", encoding="utf-8")
    assert rag_eval(scripted.never_refuses, "--gold", moved) == 1
    assert f"floors: {folder.parent / 'gate.toml'}" in capsys.readouterr().out


def test_an_evaluator_shares_no_code_with_what_it_judges():
    allowed = {"rag.types", "rag.errors", "rag.config", "rag.resources"}
    for file in (ROOT / "eval").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("rag", "ui")):
                assert node.module in allowed, f"{file.name} imports {node.module}"
            if isinstance(node, ast.Import):
                assert not any(name.name.split(".")[0] in ("rag", "ui") for name in node.names), file.name


def test_overlap_prints_a_line_a_question_and_the_count(tmp_path, capsys):
    none = scripted.make_gold("ce-none", "census", question="How many use X?", papers=(), must=(), count=0)
    file = tmp_path / "gold.jsonl"
    file.write_text("".join(json.dumps(g.to_dict()) + "\n" for g in (*GOLD, none)), encoding="utf-8")
    assert overlap_main(["--gold", str(file)], lambda args: System(scripted.good, PAPERS)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 7 + 1 and lines[-1].split()[2] == "7"
    assert overlap_main(["--gold", str(tmp_path / "no")], lambda args: System(scripted.good, PAPERS)) == 2
    assert "could not measure" in capsys.readouterr().err
