import json
import random
from dataclasses import replace
from xml.etree import ElementTree

import pytest
import scripted_eval as scripted
from scripted_eval import GOLD, PAPERS, make_answer, make_gold

from eval.figures import confusion, figure, figures
from eval.junit import to_junit
from eval.report import explain, failures, to_json
from eval.run import evaluate, nothing_reached
from eval.text import to_text
from rag.errors import ModelError


def by_metric(ask, gold=GOLD):
    return {f.metric: f for f in figures(evaluate(ask, gold, PAPERS).rows)}


def test_a_good_answerer_is_right_throughout():
    got = by_metric(scripted.good)
    assert got["right"].value == 1
    assert got["refusal_f1"].value == 1
    assert (got["must_all"].n, got["must_share"].n) == (6, 7)
    assert got["numbers"].value == 1 and got["numbers"].n > 10
    assert got["auroc"].value is None  # all right: no area, and no NaN


def test_every_figure_has_an_interval_its_method_and_its_counts():
    got = by_metric(scripted.never_refuses)
    assert got["outcome"].interval.method == "wilson"
    assert got["mrr"].interval.method == "bootstrap"
    assert got["refusal_f1"].interval.method == "bootstrap"
    assert got["must_all"].not_applicable == len(GOLD) - 6
    assert got["outcome"].interval.low < got["outcome"].value < got["outcome"].interval.high


def test_refusal_measures_by_hand():
    # wanted: 4 refusals, 7 answers, 1 smalltalk (left out); refuses everything: P = 4/11, R = 1
    got = by_metric(scripted.always_refuses)
    assert got["refusal_precision"].value == pytest.approx(4 / 11)
    assert got["refusal_recall"].value == 1
    assert got["refusal_f1"].value == pytest.approx(2 * (4 / 11) / (4 / 11 + 1))
    assert got["refusal_f1"].n == 11
    assert got["numbers"].value is None and got["numbers"].refused == 7
    never = by_metric(scripted.never_refuses)
    assert (never["refusal_precision"].value, never["refusal_recall"].value, never["refusal_f1"].value) == (0, 0, 0)


def test_auroc_is_of_confidence_for_being_right():
    def ask(question, history):
        answer = scripted.drops_facts(question, history)
        sure = scripted.BY_QUESTION[question].kind in ("smalltalk", "too_vague", "which_paper")
        return replace(answer, confidence=0.9 if sure else 0.2)

    assert by_metric(ask)["auroc"].value > 0.5


def test_a_crash_counts_zero_and_never_vanishes():
    def ask(question, history):
        if "Breton" in question:
            raise RuntimeError("out of memory")
        return scripted.good(question, history)

    report = evaluate(ask, GOLD, PAPERS)
    got = {f.metric: f for f in figures(report.rows)}
    assert got["hit@1"].value == pytest.approx(6 / 7)
    assert got["must_all"].value == pytest.approx(5 / 6)
    assert got["outcome"].value == pytest.approx(11 / 12)
    assert got["numbers"].crashed == got["gold_f1"].crashed == 1
    assert got["numbers"].value < 1
    assert confusion(report.rows)["answered"]["crashed"] == 1
    assert "RuntimeError: out of memory" in explain(failures(report)[0])


def test_an_answer_of_the_wrong_type_is_a_crash():
    report = evaluate(lambda question, history: "TARNLEX", GOLD, PAPERS)  # type: ignore[arg-type]
    assert {row.outcome for row in report.rows} == {"crashed"}
    assert "not an Answer" in report.rows[0].error


def test_only_an_unreachable_model_on_every_question_is_no_evaluation():
    def unreachable(question, history):
        raise ModelError("401 from the server")

    def half(question, history):
        return unreachable(question, history) if "TARNLEX" in question else scripted.good(question, history)

    assert "401" in nothing_reached(evaluate(unreachable, GOLD, PAPERS))
    assert nothing_reached(evaluate(half, GOLD, PAPERS)) is None
    assert nothing_reached(evaluate(scripted.crashes, GOLD, PAPERS)) is None


def test_history_and_the_standalone_question_reach_the_system():
    asked, searched = [], []

    def ask(question, history):
        asked.append((question, history))
        return replace(make_answer("?", outcome="too_vague"), standalone_question="the whole question")

    def search(question, k):
        searched.append((question, k))
        return ["tarn", "tarn", "wexle"]

    report = evaluate(ask, [make_gold(question="and it?", history=("TARNLEX?",))], PAPERS, search)
    assert asked == [("and it?", ["TARNLEX?"])]
    assert searched == [("the whole question", 10)]
    assert figure("search_hit@1", report.rows).value == 1


def test_the_order_of_the_gold_changes_nothing():
    shuffled = list(GOLD)
    random.Random(3).shuffle(shuffled)
    first, second = evaluate(scripted.never_refuses, GOLD, PAPERS), evaluate(scripted.never_refuses, shuffled, PAPERS)
    assert first == second
    assert without_timings(to_json(first)) == without_timings(to_json(second))


def without_timings(text):
    record = json.loads(text)
    assert record.pop("timings")
    return json.dumps(record)


def test_time_is_kept_apart():
    slow = evaluate(lambda q, h: replace(scripted.good(q, h), seconds=1.5), GOLD, PAPERS)
    assert slow == evaluate(scripted.good, GOLD, PAPERS)
    assert set(slow.seconds) == {gold.id for gold in GOLD}


def test_progress_is_reported():
    seen = []
    evaluate(scripted.good, GOLD, PAPERS, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i, len(GOLD)) for i in range(1, len(GOLD) + 1)]


@pytest.mark.parametrize("ask", [scripted.good, scripted.crashes, scripted.always_refuses])
def test_the_first_line_says_what_was_measured_and_how_well(ask):
    report = evaluate(ask, GOLD, PAPERS)
    first = to_text(report).splitlines()[0]
    assert first.startswith("answerer: ")
    assert "model: none" in first and "judge: none took part" in first
    assert first.endswith("checker: not measured")
    assert json.loads(to_json(report))["summary"] == first


def test_a_model_is_named_in_the_first_line():
    report = evaluate(lambda q, h: replace(scripted.good(q, h), mode="llm", model="tiny-1"), GOLD, PAPERS)
    assert "answerer: llm · model: tiny-1" in to_text(report)


def test_the_text_shows_halves_kinds_and_confusion():
    text = to_text(evaluate(scripted.never_refuses, GOLD, PAPERS))
    assert "dev [95 %]" in text and "test [95 %]" in text and "all [95 %]" in text
    assert "citation_validity" in text and "abstract_silent" in text
    assert "wanted \\ got" in text
    assert "nan" not in text.lower().replace("not answered", "")


@pytest.mark.parametrize("ask", [scripted.good, scripted.crashes, scripted.never_refuses])
def test_json_holds_no_nan_and_every_verdict(ask):
    record = json.loads(to_json(evaluate(ask, GOLD, PAPERS)), parse_constant=lambda c: pytest.fail(c))
    assert len(record["questions"]) == len(GOLD)
    assert set(record["figures"]) == {"dev", "test", "all"}
    assert all(len(q["scores"]) == len(record["questions"][0]["scores"]) for q in record["questions"])


def test_junit_has_a_case_a_question_and_a_readable_failure():
    def ask(question, history):
        if "Breton" in question:
            raise RuntimeError("bad\x00byte")
        return scripted.drops_facts(question, history)

    root = ElementTree.fromstring(to_junit(evaluate(ask, GOLD, PAPERS)))
    suite = root.find("testsuite")
    assert suite.get("tests") == str(len(GOLD)) and suite.get("errors") == "1"
    failed = {case.get("name"): case.find("failure") for case in suite if case.find("failure") is not None}
    text = failed["sf-tarn"].text
    assert suite.get("failures") == str(len(failed))
    for part in (
        "question: What does TARNLEX score?",
        "expected: answered; papers tarn",
        "got: answered",
        "evidence 1:",
    ):
        assert part in text
    assert "missing 71.4" in failed["sf-tarn"].get("message")
