"""Known faults of evaluation and CI, each as its whole kind. Where every row is held:

S33  a wrong item, nothing scored, every call refused, a pipe: test_s33_* here; a pipe that closes: test_eval_cli.py
S34  refusals count and no NaN enters a mean: test_s34_* here; what was not scored, counted apart: test_eval_run.py
S35  a judge that wanders, depends on order, says NaN or judges itself: test_eval_judge.py; no flips: test_s35_* here
S36  (a) no key: test_s36_* here; (b) skipped, not passed: test_eval_judge.py; (c) pinned lists: tests/test_packaging.py
"""

import json
import random
from dataclasses import replace

import pytest
import scripted_eval as scripted
from scripted_eval import GOLD, PAPERS, make_gold, refusal

from eval.figures import figure
from eval.gate import check_floors, load_floors
from eval.run import evaluate
from rag.resources import resource
from tests.scripted_server import scripted_server, status


def few_papers(tmp_path):
    """Write four abstracts of the invented conference, and a gold question about one of them."""
    packaged = resource("eval", "gold", "invented", "papers.jsonl").read_text(encoding="utf-8")
    papers, file = tmp_path / "papers.jsonl", tmp_path / "gold.jsonl"
    papers.write_text("\n".join(packaged.splitlines()[:4]) + "\n", encoding="utf-8")
    gold = make_gold("one", papers=("inv-03",), question="How many hospitals does FALCOR simulate?", must=(("23",),))
    gold = replace(gold, answers=("FALCOR simulates 23 hospitals with conformal scores.",))
    file.write_text(json.dumps(gold.to_dict()) + "\n", encoding="utf-8")
    return papers, file


def test_s33_one_wrong_item_is_red_and_listed_although_the_output_goes_to_a_file(run_rag, tmp_path):
    gold = make_gold(
        "wrong", papers=("inv-03",), question="How many hospitals does FALCOR simulate?", must=(("23",), ("ROC",))
    )
    file, gate = tmp_path / "g.jsonl", tmp_path / "gate.toml"
    file.write_text(json.dumps(replace(gold, must_not=("23",)).to_dict()) + "\n", encoding="utf-8")
    gate.write_text("[[floor]]\nmetric = 'right'\nfloor = 1.0\n", encoding="utf-8")
    few, _ = few_papers(tmp_path)
    done = run_rag("eval", "--papers", str(few), "--gold", str(file), "--gate", str(gate), "--show-failures")
    assert done.returncode == 1, done.stderr
    for part in (
        "red: right 0.000",
        "question: How many hospitals",
        "expected: answered",
        "got answer:",
        "evidence 1:",
    ):
        assert part in done.stdout


def test_s33_a_server_that_refuses_every_call_is_2(run_rag, tmp_path):
    few, file = few_papers(tmp_path)
    with scripted_server(status(401, "no")) as server:
        env = {"RAG_MODEL": "m", "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-test-0000-NOT-REAL"}
        argv = ["eval", "--papers", str(few), "--gold", str(file), "--mode", "llm", "--no-gate"]
        done = run_rag(*argv, env=env)
        judged = run_rag(*argv[:-3], "--no-gate", "--judge", "judge-1", env=env)
    assert done.returncode == 2, done.stdout
    assert done.stderr.splitlines()[-1].startswith("could not evaluate: ")
    assert judged.returncode == 2, judged.stdout
    assert "NOT-REAL" not in done.stderr + judged.stderr


@pytest.mark.parametrize("code", [401, 403, 429, 500])
def test_s33_a_judge_whose_every_call_fails_is_2_and_no_score(run_rag, tmp_path, code):
    papers, file = few_papers(tmp_path)
    with scripted_server(status(code, "no", **{"Retry-After": "0"})) as server:
        env = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-test-0000-NOT-REAL", "RAG_RETRIES": "0"}
        argv = ["eval", "--papers", str(papers), "--gold", str(file), "--no-gate", "--judge", "judge-1"]
        done = run_rag(*argv, env=env)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.splitlines()[-1].startswith("could not evaluate: ")
    assert "NOT-REAL" not in done.stdout + done.stderr


def test_s34_refusals_count_and_nothing_is_nan():
    right = refusal("nc-a", "How long do I cook pasta?", "not_in_corpus")
    wrong = make_gold("sf-a", question="What does TARNLEX score?")
    french = make_gold("ol-a", "other_language", question="Combien de paires pour le breton ?", papers=("breton",))
    french = replace(french, must=(("3,200",),))
    report = evaluate(scripted.always_refuses, [right, wrong, french], PAPERS)
    by_id = {row.question.id: row for row in report.rows}
    assert by_id["nc-a"].score("right").hits == 1
    assert by_id["sf-a"].score("right").hits == by_id["ol-a"].score("right").hits == 0
    assert figure("right", report.rows).value == pytest.approx(1 / 3)
    got = figure("numbers", report.rows)
    assert (got.value, got.n, got.refused, got.not_applicable) == (None, 0, 2, 1)
    values = [figure(metric, report.rows).value for metric in ("right", "outcome", "must_all", "refusal_f1")]
    assert all(value == value for value in values)


def test_s35_nothing_changed_nothing_flips():
    floors = load_floors(resource("eval", "gate.toml"))
    seen = set()
    for seed in range(3):
        gold = list(GOLD)
        random.Random(seed).shuffle(gold)
        seen.add(tuple(result.line for result in check_floors(evaluate(scripted.drops_facts, gold, PAPERS), floors)))
    assert len(seen) == 1


def test_s36_a_judge_without_a_server_is_2_with_what_to_set_and_the_gate_needs_none(run_rag):
    done = run_rag("eval", "--judge", "judge-1")
    assert done.returncode == 2
    assert "set OPENAI_BASE_URL" in done.stderr and "the gate needs no judge" in done.stderr
    gated = run_rag("eval", "--kind", "too_vague")
    assert "judge: none took part" in gated.stdout
