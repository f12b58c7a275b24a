import random

import ir_measures
import pytest
from ir_measures import RR, R, Success, nDCG

from eval import metrics


def test_retrieval_measures_agree_with_ir_measures():
    rng = random.Random(7)
    papers = [f"p{i:02}" for i in range(30)]
    for case in range(40):
        ranked = rng.sample(papers, rng.randint(1, 20))
        gold = rng.sample(papers, rng.randint(1, 8))
        qrels = [ir_measures.Qrel("q", paper, 1) for paper in gold]
        run = [ir_measures.ScoredDoc("q", paper, 100.0 - i) for i, paper in enumerate(ranked)]
        want = {str(m.measure): m.value for m in ir_measures.iter_calc([Success @ 1, R @ 5, RR, nDCG @ 10], qrels, run)}
        got = {
            "Success@1": metrics.hit_at_1(ranked, gold),
            "R@5": metrics.recall_at(5, ranked, gold),
            "RR": metrics.reciprocal_rank(ranked, gold),
            "nDCG@10": metrics.ndcg_at(10, ranked, gold),
        }
        assert got == pytest.approx(want), case


def test_retrieval_measures_of_an_empty_ranking_are_zero():
    values = [metrics.hit_at_1([], ["a"]), metrics.recall_at(5, [], ["a"]), metrics.ndcg_at(10, [], ["a"])]
    assert [*values, metrics.reciprocal_rank([], ["a"])] == [0, 0, 0, 0]


def test_passages_of_one_paper_count_once():
    assert metrics.first_of_each(["a", "a", "b", "a", "c"]) == ("a", "b", "c")


def test_missing_and_forbidden_facts():
    text = "It gains 2.75× on POPE."
    assert metrics.missing_facts(text, [["2.75x", "3x"], ["MMLU"]]) == (["MMLU"],)
    assert metrics.forbidden_facts(text, ["2.49", "POPE"]) == ("POPE",)


def test_word_f1_by_hand():
    # content words: {tarnlex, score, 71.4} against {tarnlex, score, 71.4, f1}: P = 1, R = 3/4
    value = metrics.word_f1("TARNLEX scores 71.4.", ["Something else.", "TARNLEX scored 71.4 F1"])
    assert value == pytest.approx(2 * 1 * 0.75 / 1.75)
    assert metrics.word_f1("nothing shared", ["TARNLEX"]) == 0


def test_set_measures_by_hand():
    assert metrics.set_precision(["a", "b", "c"], ["a", "b", "d", "e"]) == pytest.approx(2 / 3)
    assert metrics.set_recall(["a", "b", "c"], ["a", "b", "d", "e"]) == pytest.approx(1 / 2)
    assert metrics.f1(2 / 3, 1 / 2) == pytest.approx(4 / 7)
    assert metrics.set_precision([], ["a"]) == 0
    assert metrics.f1(0, 0) == 0


def test_covered_is_the_share_of_words_that_the_sources_hold():
    assert metrics.covered("TARNLEX parses legal poems", ["TARNLEX parses legal text"]) == pytest.approx(3 / 4)
