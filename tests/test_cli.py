"""The real `rag` command: what it prints, where, and what it ends with. 0 done, 1 failed, 2 could not be tried."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from rag.cli import main
from rag.types import IndexReport

QUESTION = "How much faster does PBS-Attn make prefilling?"
PAPERS = (
    '{"id": "a", "title": "SPAR", "abstract": "We present SPAR. SPAR halves the cost of training."}\n'
    '{"id": "b", "title": "TOM", "abstract": "We present TOM. TOM reads maps of forests."}\n'
)


def one_sentence(stderr: str) -> str:
    """Return the message of a failed command, after checking that it is one line and no traceback."""
    lines = [line for line in stderr.splitlines() if line.strip()]
    assert len(lines) == 1, stderr
    assert lines[0].startswith("rag: ")
    # A sentence, or one that ends in the command to type.
    assert lines[0].endswith(".") or ": rag " in lines[0]
    return lines[0]


# These run the command line in this process: a fresh one costs seconds, and what differs there is tested below.
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["ask", "   "], 2, "The question is blank; ask one"),
        (["ask", "q", "--library", "nix"], 2, "There is no library 'nix'; make it with: rag index FILE --library nix"),
        (["ask", "q", "--library", "../up"], 2, "'../up' is no library name"),
        (["ask", "q", "--mode", "llm"], 2, "Mode llm needs a model, and none is named; set RAG_MODEL"),
        (["ask", "q", "--history", "nowhere.json"], 2, "'nowhere.json' can't be read (No such file or directory)"),
        (["ask", "q", "--store", "/proc/nix"], 2, "There is no library in '/proc/nix'; make it with: rag index FILE"),
        (["index", "seeds/icml-2026.txt", "--store", "/proc/nix"], 2, "The library's folder /proc/nix can't be made"),
        (["index", "-"], 2, "Standard input has no name; say where its abstracts go"),
        (["index"], 2, "Nothing was named to read; give a file, a folder, or - for standard input."),
        (["libraries", "--delete", "nix"], 2, "There is no library 'nix'"),
        (["ask", "q", "--chroma", "localhost"], 2, "'localhost' is no Chroma address; give one such as http://"),
        (["ask", "q", "--chroma", "http://127.0.0.1:9"], 2, "The vectors in http://127.0.0.1:9 can't be opened"),
        (["ask", "q", "--store", " "], 2, "' ' is no folder; name one, such as . for the working folder."),
        (["ask", "q", "--store", "a\0b"], 2, "'a\\x00b' is no folder"),
        (["ask", "what is it " * 10_000], 2, "The question has 110,000 characters, but at most 20,000 are read"),
        (["census", "what is it " * 10_000], 2, "The question has 110,000 characters, but at most 20,000 are read"),
        (["search", "mill " * 10_000], 2, "The question has 50,000 characters, but at most 20,000 are read"),
        (["search", " "], 2, "The query is blank; give some words"),
        (["index", ""], 2, "The file to read has no name"),
        (["index", "/dev/null"], 2, "'/dev/null' is a device or pipe, not a file; read it as standard input, with -."),
        (["search", "q", "-k", "0"], 2, "k is 0, but it must be at least 1."),
        (["papers", "nope"], 2, "There is no paper 'nope' in this library; list them with: rag papers"),
        (["index", "nowhere.txt"], 2, "There is no file 'nowhere.txt'"),
        (["check", "nowhere.txt"], 2, "'nowhere.txt' can't be read"),
        (["ui", "--port", "99999"], 2, "The page can't be served at 127.0.0.1:99999"),
    ],
)
def test_what_could_not_be_tried_ends_with_2_and_one_sentence(home, capsys, arguments, code, message):
    assert main(arguments) == code
    printed = capsys.readouterr()
    assert message in one_sentence(printed.err)
    assert printed.out == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" + b"9" * 5000 + b"]", "too long a number"),
        (b'{"question": "q"}', "holds a JSON dict, but a list of earlier questions is wanted"),
        (b"[1]", "history has an entry of type int without a question"),
        (b"\xff\xfe", "is not UTF-8 text"),
    ],
)
def test_a_bad_history_is_named(home, capsys, tmp_path, content, message):
    file = tmp_path / "history.json"
    file.write_bytes(content)
    assert main(["ask", "q", "--history", str(file)]) == 2
    assert message in one_sentence(capsys.readouterr().err)


def test_a_text_to_check_gives_no_orders_to_the_terminal(home, capsys, tmp_path):
    file = tmp_path / "draft.txt"
    file.write_text("\x1b[31mPBS-Attn reaches an end-to-end speedup of up to 2.75×\x1b[0m.", encoding="utf-8")
    assert main(["check", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed and printed.split()[1] == "PBS-Attn"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("RAG_TIMEOUT", "soon", "RAG_TIMEOUT is 'soon', but it must be a number from 0.05 to 3600."),
        ("RAG_RETRIES", "1.5", "RAG_RETRIES is '1.5', but it must be a number from 0 to 10."),
        ("RAG_MODE", "magic", "RAG_MODE is 'magic', but it must be one of auto, extractive, llm."),
        ("OPENAI_BASE_URL", "host", "OPENAI_BASE_URL is 'host', but it must be an address"),
        ("RAG_CONFIG", "nowhere.toml", "RAG_CONFIG names 'nowhere.toml', but there is no such file"),
    ],
)
def test_a_bad_setting_is_named_with_its_value_and_the_remedy(home, capsys, monkeypatch, name, value, message):
    monkeypatch.setenv(name, value)
    assert main(["ask", "hello"]) == 2
    assert message in one_sentence(capsys.readouterr().err)


def test_an_unknown_key_of_the_settings_file_is_named(home, capsys, monkeypatch, tmp_path):
    (tmp_path / "rag.toml").write_text('modle = "x"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["ask", "hello"]) == 2
    message = one_sentence(capsys.readouterr().err)
    assert "has the unknown key 'modle'; known keys are home, mode, model" in message


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["ask"], ["search", "q", "-k", "many"], ["ask", "q", "--mode", "x"]]
)
def test_bad_arguments_end_with_2_and_show_the_usage(capsys, arguments):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.startswith("usage: rag")


def test_a_file_without_abstracts_ends_with_1_and_changes_nothing(home, capsys, tmp_path):
    file = tmp_path / "empty.txt"
    file.write_text("", encoding="utf-8")
    assert main(["index", str(file)]) == 1
    assert "holds no abstract; nothing was changed." in one_sentence(capsys.readouterr().err)
    assert not (home / "empty").exists()


def test_a_file_becomes_a_library_named_after_it(home, capsys, tmp_path):
    file = tmp_path / "my talks.jsonl"
    file.write_text(PAPERS, encoding="utf-8")
    assert main(["index", str(file), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report) == {"library", "papers", *IndexReport().to_dict()}
    assert (report["library"], report["papers"], report["added"]) == ("my-talks", 2, ["a", "b"])
    assert main(["index", str(file)]) == 0
    assert "'my-talks': 0 added, 0 updated, 2 unchanged, 0 removed" in capsys.readouterr().out
    assert main(["search", "forests", "--library", "my-talks", "--json"]) == 0
    hits = json.loads(capsys.readouterr().out)
    assert hits[0]["paper_id"] == "b"
    assert set(hits[0]) == {"paper_id", "title", "score", "source", "passage", "paper", "matched"}
    assert main(["papers", "--library", "my-talks", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [set(row) for row in rows] == [{"id", "title", "title_derived", "abstract", "source_text", "metadata"}] * 2
    assert main(["papers", "b", "--library", "my-talks"]) == 0
    assert capsys.readouterr().out == "TOM\n\nWe present TOM. TOM reads maps of forests.\n"


def test_a_file_named_like_the_packaged_library_does_not_touch_it(home, capsys, tmp_path):
    file = tmp_path / "seeds.jsonl"
    file.write_text(PAPERS, encoding="utf-8")
    assert main(["index", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["library"] != "seeds"
    assert main(["papers", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 19


def test_an_answer_names_its_sources_and_its_outcome(run_rag):
    done = run_rag("ask", QUESTION)
    assert (done.returncode, done.stderr) == (0, "")
    assert "2.75×" in done.stdout and "[1]" in done.stdout
    assert "\nSources\n  [1]" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("answered · confidence 0.")
    assert done.stdout.splitlines()[-1].endswith(" · extractive")


def test_a_question_may_start_with_a_dash_and_history_come_from_standard_input(run_rag):
    done = run_rag("ask", "--json", "--history", "-", "--", "- and by what trick?", input=json.dumps([QUESTION]))
    assert done.returncode == 0, done.stderr
    assert "PBS-Attn" in json.loads(done.stdout)["standalone_question"]


def test_a_key_lying_in_the_environment_changes_nothing(run_rag):
    answer = json.loads(run_rag("ask", "--json", QUESTION, env={"OPENAI_API_KEY": "sk-test-0000-NOT-REAL"}).stdout)
    assert (answer["mode"], answer["model"], answer["outcome"]) == ("extractive", None, "answered")


def test_doctor_shows_settings_with_the_key_masked(home, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0000-NOT-REAL")
    code = main(["doctor", "--json"])
    printed = capsys.readouterr().out
    found = json.loads(printed)
    assert (code, found["problems"]) == (0, [])
    assert found["settings"]["api_key"] == "***" and "sk-test" not in printed
    assert found["library"]["papers"] == 19 and found["library"]["vectors"] == found["library"]["chunks"]


def test_a_terminal_that_knows_only_ascii_still_gets_the_answer(run_rag):
    done = run_rag("ask", QUESTION, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
    assert done.returncode == 0 and "2.75" in done.stdout


def test_json_keeps_what_the_terminal_has_no_character_for(tmp_path):
    file = tmp_path / "talks.txt"
    file.write_text("We present LÖWE, which gains 3 % on “owls” at 20 °C in a quiet wood.\n", encoding="utf-8")
    plain = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "RAG_HOME": str(tmp_path)}

    def run(*words: str) -> str:
        command = [sys.executable, "-m", "rag.cli", *words]
        return subprocess.run(command, env=plain, capture_output=True, check=True, encoding="ascii").stdout

    run("index", str(file))
    (paper,) = json.loads(run("papers", "--library", "talks", "--json"))
    assert paper["abstract"] == "We present LÖWE, which gains 3 % on “owls” at 20 °C in a quiet wood."
