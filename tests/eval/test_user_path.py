"""A new user's path: own abstracts, drafts, a review, the gate in a checkout of theirs, and their own pytest run."""

import json
import subprocess
import sys

import pytest

ABSTRACTS = [
    {
        "id": "a1",
        "title": "HERONET: Wading Birds in Radar Images",
        "abstract": "Radar stations see birds as noise. HERONET finds wading birds in raw radar images. On 4,200 scans "
        "from 12 stations it reaches 83.5 F1, against 71.0 for the best threshold. It runs at 30 frames per second.",
    },
    {
        "id": "a2",
        "title": "Tides from Gravel: Reading Old Shorelines",
        "abstract": "Old shorelines tell past tides. We date gravel bars by luminescence and infer the tidal range to "
        "0.4 metres. The record spans 6,100 years. Storm deposits are the main source of error.",
    },
]
PLUGIN_TEST = "def test_answer(gold_row):\n    gold_row.check()\n"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("user")
    (folder / "birds.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ABSTRACTS), encoding="utf-8")
    return folder


def review(file):
    """Do what a person does: keep what holds, reword, and take the mark away."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    kept = [row for row in rows if row["kind"] == "abstract_silent" or "83.5" in str(row) or "4200" in str(row)]
    for row in kept:
        row["note"] = ""
        if row["kind"] == "single_fact":
            row["question"], row["must"] = "What F1 does HERONET reach?", [["83.5"]]
    file.write_text("".join(json.dumps(row) + "\n" for row in kept[:2]), encoding="utf-8")
    return len(kept[:2])


def test_index_propose_review_gate(run_rag, work):
    assert run_rag("index", "birds.jsonl", cwd=work).returncode == 0
    done = run_rag("eval", "propose", "gold.jsonl", "--library", "birds", cwd=work)
    assert done.returncode == 0, done.stderr
    refused = run_rag("eval", "--library", "birds", "--gold", "gold.jsonl", cwd=work)
    assert refused.returncode == 2 and "nobody has reviewed" in refused.stderr
    count = review(work / "gold.jsonl")
    (work / "gate.toml").write_text("[[floor]]\nmetric = 'right'\nfloor = 0.9\n", encoding="utf-8")
    argv = ["--library", "birds", "--gold", "gold.jsonl", "--junit", "r.xml", "--html", "r.html", "--markdown", "r.md"]
    green = run_rag("eval", *argv, cwd=work)
    assert green.returncode == 0, green.stdout + green.stderr
    assert f"{count} questions, 2 papers" in green.stdout and "gate: green" in green.stdout
    assert all((work / name).stat().st_size for name in ("r.xml", "r.html", "r.md"))


def test_a_fresh_checkout_needs_one_command(run_rag, work):
    argv = ["--papers", "birds.jsonl", "--gold", "gold.jsonl", "--gate", "gate.toml"]
    done = run_rag("eval", *argv, cwd=work)
    assert done.returncode == 0, done.stdout + done.stderr


def test_their_own_pytest_has_a_test_a_question(environ, work):
    (work / "conftest.py").write_text('pytest_plugins = ["eval.pytest_plugin"]\n', encoding="utf-8")
    (work / "test_answers.py").write_text(PLUGIN_TEST, encoding="utf-8")
    lines = (work / "gold.jsonl").read_text(encoding="utf-8").splitlines()
    wrong = json.loads(next(line for line in lines if "83.5" in line)) | {"id": "wrong", "must_not": ["83.5"]}
    (work / "more.jsonl").write_text(json.dumps(wrong) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--gold-papers", "birds.jsonl"]
    command += ["--gold", "gold.jsonl", "--gold", "more.jsonl"]
    done = subprocess.run(command, cwd=work, env=environ, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"1 failed, {len(lines)} passed" in done.stdout
    assert "expected: answered" in done.stdout and "holds the forbidden 83.5" in done.stdout
