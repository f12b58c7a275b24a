"""Known faults of evaluation and CI, S33 to S36; those of the judge (S35) are in test_eval_judge.py too.

S36c, a fresh install a month later, is closed by the pinned, hashed lists (tests/test_packaging.py).
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


def test_s33_one_wrong_item_is_red_and_listed_although_the_output_goes_to_a_file(run_rag, tmp_path):
    gold = make_gold(
        "wrong", papers=("inv-03",), question="How many hospitals does FALCOR simulate?", must=(("23",), ("ROC",))
    )
    file, gate = tmp_path / "g.jsonl", tmp_path / "gate.toml"
    file.write_text(json.dumps(replace(gold, must_not=("23",)).to_dict()) + "\n", encoding="utf-8")
    gate.write_text("[[floor]]\nmetric = 'right'\nfloor = 1.0\n", encoding="utf-8")
    papers = resource("eval", "gold", "invented", "papers.jsonl")
    few = tmp_path / "papers.jsonl"
    few.write_text("\n".join(papers.read_text(encoding="utf-8").splitlines()[:4]) + "\n", encoding="utf-8")
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
    gold = make_gold("one", papers=("inv-03",), question="How many hospitals does FALCOR simulate?", must=(("23",),))
    file = tmp_path / "g.jsonl"
    file.write_text(json.dumps(gold.to_dict()) + "\n", encoding="utf-8")
    papers = resource("eval", "gold", "invented", "papers.jsonl")
    few = tmp_path / "papers.jsonl"
    few.write_text("\n".join(papers.read_text(encoding="utf-8").splitlines()[:4]) + "\n", encoding="utf-8")
    with scripted_server(status(401, "no")) as server:
        env = {"RAG_MODEL": "m", "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-test-0000-NOT-REAL"}
        argv = ["eval", "--papers", str(few), "--gold", str(file), "--mode", "llm", "--no-gate"]
        done = run_rag(*argv, env=env)
        judged = run_rag(*argv[:-3], "--no-gate", "--judge", "judge-1", env=env)
    assert done.returncode == 2, done.stdout
    assert done.stderr.splitlines()[-1].startswith("could not evaluate: ")
    assert judged.returncode == 2, judged.stdout
    assert "NOT-REAL" not in done.stderr + judged.stderr


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
