"""Metrics 4, 7 and 13: support, polarity, and the report card of the checker."""

from dataclasses import replace

import pytest
import scripted_eval as scripted
from scripted_eval import BY_QUESTION, GOLD, PAPERS, TEXTS, cite, make_answer

import rag
from eval.card import HONEST, cases, report_card
from eval.faults import PLANTS, planted
from eval.polarity import turned_around
from eval.scoring import score_answer
from rag.types import Checked

TARN = BY_QUESTION["What does TARNLEX score?"]


def support_of(text, *citations, check=None):
    scores = score_answer(TARN, make_answer(text, *citations), PAPERS, check=check)
    return next(score for score in scores if score.metric == "support")


def test_a_verbatim_quote_is_supported_whatever_a_checker_says():
    def never(text, papers):
        return [Checked(text, "unsupported", "never")]

    quote = TEXTS["tarn"].split(". ")[0] + "."
    score = support_of(f"The abstract says: “{quote}” [1]", cite(1, "tarn", quote), check=never)
    assert (score.state, score.hits, score.total) == ("scored", 1, 1)


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("TARNLEX scores 81.4 F1 on OAKMOOR", "81.4"),
        ("BLENDEX scores 71.4 F1 on OAKMOOR", "BLENDEX"),
        ("TARNLEX was praised by several famous reviewers everywhere", "of its words"),
    ],
)
def test_a_models_sentence_must_hold_by_numbers_names_and_words(sentence, reason):
    score = support_of(f"{sentence} [1].", cite(1, "tarn", TEXTS["tarn"]))
    assert score.hits == 0 and reason in score.why


def test_what_only_the_checker_faults_counts_as_unsupported():
    def strict(text, papers):
        return [Checked(text, "unsupported", "told of another")]

    sentence = "On OAKMOOR, TARNLEX scores 71.4 F1 [1]."
    citation = cite(1, "tarn", TEXTS["tarn"])
    assert support_of(sentence, citation).hits == 1
    assert "told of another" in support_of(sentence, citation, check=strict).why


def test_a_shifted_marker_leaves_a_sentence_unsupported():
    score = support_of("On OAKMOOR, TARNLEX scores 71.4 F1 [1].", cite(1, "breton", TEXTS["breton"]))
    assert score.hits == 0


@pytest.mark.parametrize(
    ("claim", "fault"),
    [
        ("TARN outperforms OAK on long legal texts", ""),
        ("OAK outperforms TARN on long legal texts", "the reverse"),
        ("TARN underperforms OAK on long legal texts", "'underperform'"),
        ("TARN does not outperform OAK on long legal texts", "denies"),
        ("Pasta is cooked in water", ""),
    ],
)
def test_a_sentence_that_turns_its_source_around(claim, fault):
    found = turned_around(claim, ["We study parsing. TARN outperforms OAK on long legal texts."])
    assert (fault in found) if fault else not found


def test_every_kind_of_fault_is_planted_in_one_place_and_always_the_same():
    sentence = "TARNLEX is faster and scores 71.4 F1."
    broken = {kind: planted(kind, sentence, sentence, ["WEXLE"]) for kind in PLANTS}
    assert broken["name"] == "WEXLE is faster and scores 71.4 F1."
    assert broken["negation"] == "TARNLEX is not faster and scores 71.4 F1."
    assert broken["antonym"] == "TARNLEX is slower and scores 71.4 F1."
    assert "71.4" not in broken["number"]
    assert broken == {kind: planted(kind, sentence, sentence, ["WEXLE"]) for kind in PLANTS}
    assert planted("number", "It parses.", "It parses.", []) == ""


def test_the_report_card_tells_a_checker_from_one_that_says_yes_to_all():
    def credulous(text, papers):
        return [Checked(text, "supported", "")]

    def suspicious(text, papers):
        return [Checked(text, "unsupported", "")]

    told = {"breton": "They translate between Welsh and Breton with 3,200 sentence pairs."}
    told["wexle"] = "WEXLE scores 74.1 F1 on the OAKMOOR benchmark."
    gold = [replace(g, answers=(told[g.papers[0]],)) for g in GOLD if g.id in ("sf-breton", "sf-wexle")]
    good, bad, grim = (report_card(check, gold, PAPERS) for check in (rag.check, credulous, suspicious))
    assert {mark.kind for mark in good.marks} >= {"number", "name", "other_paper", HONEST}
    assert all(mark.share == (mark.kind == HONEST) for mark in bad.marks)
    assert all(mark.share == (mark.kind != HONEST) for mark in grim.marks)
    assert sum(mark.right for mark in good.marks) > sum(mark.right for mark in bad.marks)
    assert good.line().startswith("catches number ") and "false alarms 0 of" in good.line()


def test_a_card_does_not_depend_on_the_order_of_the_gold():
    assert sorted(map(str, cases(GOLD, PAPERS))) == sorted(map(str, cases(GOLD[::-1], PAPERS)))
    assert list(cases([], PAPERS)) == []
    assert report_card(rag.check, [], PAPERS).line().startswith("not measured")


def test_the_first_line_says_how_good_the_checker_is():
    from eval.run import evaluate

    report = evaluate(scripted.good, GOLD, PAPERS, check=rag.check)
    assert "checker: catches number" in report.header.line()
