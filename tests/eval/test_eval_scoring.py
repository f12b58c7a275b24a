from dataclasses import replace

import pytest
from scripted_eval import PAPERS, TEXTS, cite, evidence_of, make_answer, make_gold, make_paper, refusal

from eval.scoring import score_answer, score_failure

QUOTE = TEXTS["tarn"]
TARN = cite(1, "tarn", QUOTE)
GOOD = make_answer(f'"{QUOTE}" [1]', TARN)


def score(metric, answer, gold=None, searched=None):
    return next(s for s in score_answer(gold or make_gold(), answer, PAPERS, searched) if s.metric == metric)


def value(metric, answer, gold=None):
    got = score(metric, answer, gold)
    assert got.state == "scored", got
    return got.hits / got.total


def test_a_good_answer_is_right_in_everything():
    for got in score_answer(make_gold(), GOOD, PAPERS):
        assert got.state == "not_applicable" or got.metric == "gold_f1" or got.hits == got.total, got


def test_retrieval_takes_the_evidence_by_paper():
    answer = replace(GOOD, evidence=evidence_of("wexle", "wexle", "tarn"))
    assert value("hit@1", answer) == 0
    assert value("mrr", answer) == pytest.approx(1 / 2)
    assert value("recall@5", answer) == 1


def test_search_is_measured_beside_the_evidence():
    got = score("search_mrr", GOOD, searched=("a", "b", "tarn"))
    assert got.hits == pytest.approx(1 / 3)
    assert score("search_mrr", GOOD).state == "not_applicable"


def test_must_have_facts_and_what_is_missing():
    gold = make_gold(must=(("71.4",), ("68.9", "MMLU")))
    assert value("must_share", GOOD, gold) == 1 / 2
    assert value("must_all", GOOD, gold) == 0
    assert "missing 68.9 | MMLU" in score("must_all", GOOD, gold).why


def test_a_forbidden_fact_fails_the_question():
    gold = make_gold(must_not=("2.75",))
    assert value("must_share", GOOD, gold) == 0
    assert score("must_all", GOOD, gold).why == "holds the forbidden 2.75"


def test_a_wrong_refusal_scores_zero_on_facts_and_is_left_out_of_text_metrics():
    answer = make_answer("71.4 is not in the library.", outcome="not_in_corpus")
    assert value("must_all", answer) == 0
    assert value("hit@1", answer) == 0
    for metric in ("numbers", "names", "gold_f1", "citation_validity"):
        assert score(metric, answer).state == "refused"


@pytest.mark.parametrize(
    ("claim", "hits", "total"),
    [
        ("It scores 71.4 F1 and is 2.75x faster [1].", 2, 2),
        ("It scores 71 F1 [1].", 1, 1),
        ("It scores 74.1 F1 [1].", 0, 1),
        ("It is 2.75% faster [1].", 0, 1),
        ("It scores seventy-one F1 [1].", 1, 1),
        ("1 of 4 abstracts answers this:\n\nIt scores 71.4 [1].", 1, 1),
        ("3 of 4 abstracts answer this:\n\nIt scores 71.4 [1].", 1, 2),
    ],
)
def test_numbers_are_those_of_the_cited_abstract_and_right_counts_of_papers_are_none(claim, hits, total):
    got = score("numbers", make_answer(claim, TARN))
    assert (got.hits, got.total) == (hits, total)


def test_a_number_stands_next_to_the_citation_that_holds_it():
    swapped = make_answer("TARNLEX scores 74.1 [1]. WEXLE scores 71.4 [2].", TARN, cite(2, "wexle", TEXTS["wexle"]))
    assert score("numbers", swapped).hits == 0
    assert score("numbers", swapped).why == "in no cited abstract: 74.1, 71.4"


def test_a_number_without_citation_is_wrong_even_if_the_question_holds_it():
    gold = make_gold(question="Does TARNLEX score 99.9?")
    assert value("numbers", make_answer("It scores 99.9 F1 [1].", TARN), gold) == 0
    assert value("numbers", make_answer("TARNLEX reaches 99.9 F1.", TARN), gold) == 0


def test_a_correction_may_repeat_the_false_number():
    gold = make_gold(kind="false_premise", outcome="false_premise", question="Why is TARNLEX 9.9× faster?")
    answer = make_answer("Not 9.9×, but 2.75× [1].", TARN, outcome="false_premise")
    assert value("numbers", answer, gold) == 1


def test_a_title_that_is_named_whole_claims_nothing_by_its_numbers():
    papers = {**PAPERS, "twelve": make_paper("twelve", "Rewire or Rest? 12 Cures. We compare them.")}

    def numbers_of(text):
        return next(s for s in score_answer(make_gold(), make_answer(text, TARN), papers) if s.metric == "numbers")

    assert numbers_of("It scores 71.4 [1].\n\nNot decided: Rewire or Rest? 12 Cures.").why == ""
    assert numbers_of("It scores 71.4 [1].\n\nNot decided: 12 Cures.").why == "in no cited abstract: 12"


def test_names_are_those_of_cited_abstracts_or_the_question():
    assert value("names", make_answer("TARNLEX scores on OAKMOOR [1].", TARN)) == 1
    got = score("names", make_answer("TARNLEX beats WEXLE and Zorblax [1].", TARN))
    assert (got.hits, got.total, got.why) == (1, 3, "in no cited abstract: WEXLE, Zorblax")
    asked = make_gold(question="Does TARNLEX beat WEXLE?")
    assert value("names", make_answer("TARNLEX does not mention WEXLE [1].", TARN), asked) == 1


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (make_answer(f"{QUOTE} [2]", TARN), "[2] has no citation; [1] does not occur in the text"),
        (make_answer(f"{QUOTE} [1]", replace(TARN, quote="TARNLEX reads")), "[1] quotes what does not stand at 0:"),
        (make_answer(f"{QUOTE} [1]", replace(TARN, start=1)), "[1] quotes what does not stand at 1:"),
        (make_answer(f"{QUOTE} [1]", replace(TARN, end=999)), "outside the abstract"),
        (make_answer(f"{QUOTE} [1]", replace(TARN, start=-1)), "outside the abstract"),
        (make_answer(f"{QUOTE} [1]", TARN, evidence=evidence_of("wexle")), "was not in the evidence"),
        (make_answer(f"{QUOTE} [1]", replace(TARN, paper_id="gone")), "is not in the library"),
        (make_answer(f"{QUOTE} [1]", TARN, replace(TARN, end=5, quote="TARNL")), "several citations"),
    ],
)
def test_citation_validity_names_its_fault(answer, why):
    got = score("citation_validity", answer)
    assert got.hits < got.total
    assert why in got.why


def test_an_answer_that_cites_nothing_is_neither_valid_nor_invalid_but_has_no_recall():
    bare = make_answer("TARNLEX scores 71.4.")
    assert score("citation_validity", bare).state == "not_applicable"
    assert (score("citation_recall", bare).hits, score("citation_recall", bare).total) == (0, 1)


def test_citation_validity_counts_citations_and_loose_markers():
    got = score("citation_validity", make_answer(f"{QUOTE} [1] and more [4].", TARN))
    assert (got.hits, got.total) == (1, 2)


def test_citation_recall_wants_a_citation_that_holds_the_sentence():
    two = cite(2, "wexle", TEXTS["wexle"])
    text = "TARNLEX parses legal text [{}]. WEXLE parses clinical notes [{}]."
    assert value("citation_recall", make_answer(text.replace("{}", "1", 1).replace("{}", "2"), TARN, two)) == 1
    bare = make_answer(f'Here is what the abstract says:\n\n"{QUOTE}" [1]\n\nIt also wins every prize.', TARN)
    assert value("citation_recall", bare) == 1 / 2
    unrelated = make_answer("Bananas ripen quickly in warm kitchens [1].", TARN)
    assert value("citation_recall", unrelated) == 0


WEXLE = cite(2, "wexle", TEXTS["wexle"])
BOTH = make_gold(papers=("tarn", "wexle"))


@pytest.mark.parametrize(
    ("text", "gold", "precision"),
    [
        # Of a gold paper, and holding its sentence alone.
        ("TARNLEX parses legal text [1]. WEXLE parses clinical notes [2].", BOTH, 1),
        # Held alone, but of no gold paper.
        ("TARNLEX parses legal text [1]. WEXLE parses clinical notes [2].", make_gold(), 1 / 2),
        # The second adds nothing to a sentence that the first holds.
        ("TARNLEX parses legal text on OAKMOOR [1][2]. WEXLE parses clinical notes [2].", BOTH, 2 / 3),
        # Neither holds the sentence alone, so each is needed.
        (
            "TARNLEX parses legal text, 2.75× faster; WEXLE parses clinical notes with 12,000 parameters [1][2].",
            BOTH,
            1,
        ),
        # What no citation holds is no use of any.
        ("Bananas ripen in warm kitchens [1][2].", BOTH, 0),
    ],
)
def test_citation_precision_of_worked_examples(text, gold, precision):
    assert value("citation_precision", make_answer(text, TARN, WEXLE), gold) == pytest.approx(precision)


def test_outcome_and_decoration_of_refusals():
    gold = refusal("nc", "How long do I cook pasta?", "not_in_corpus")
    decorated = make_answer("Nothing on that.", TARN, outcome="not_in_corpus")
    assert value("outcome", decorated, gold) == 1
    assert value("no_decoration", decorated, gold) == 0
    assert score("no_decoration", GOOD, gold).state == "not_applicable"
    silent = make_answer("The abstract does not say.", outcome="abstract_silent")
    assert score("outcome", silent, gold).why == "wanted not_in_corpus, got abstract_silent"
    assert score("numbers", silent, gold).state == "not_applicable"


def test_an_answer_where_a_refusal_was_wanted_is_still_checked():
    gold = refusal("nc", "How long do I cook pasta?", "not_in_corpus")
    assert value("numbers", make_answer("Cook it 11 minutes [1].", TARN), gold) == 0


CENSUS = make_gold("ce", "census", question="How many use OAKMOOR?", papers=("tarn", "wexle"), must=(), count=2)


def test_census_by_hand():
    answer = make_answer("TARNLEX [1], Breton [2].", TARN, cite(2, "breton", TEXTS["breton"]))
    assert value("census_precision", answer, CENSUS) == 1 / 2
    assert value("census_recall", answer, CENSUS) == 1 / 2
    assert value("census_f1", answer, CENSUS) == 1 / 2
    assert score("recall@5", answer, CENSUS).state == "not_applicable"


@pytest.mark.parametrize(
    ("frame", "exact"),
    [
        ("2 of 4 abstracts:", 1),
        ("Of 4 abstracts, two use it:", 1),
        ("3 of 4 abstracts:", 0),
        ("All 4 abstracts:", 0),
        ("These do:", 1),
    ],
)
def test_the_count_is_the_stated_one_or_that_of_the_cited_papers(frame, exact):
    second = cite(2, "wexle", TEXTS["wexle"])
    answer = make_answer(f'{frame}\n- "{QUOTE}" [1]\n- "{second.quote}" [2]', TARN, second)
    assert value("count_exact", answer, CENSUS) == exact


def test_right_takes_outcome_facts_and_papers_together():
    assert value("right", GOOD) == 1
    two = make_gold(papers=("tarn", "wexle"))
    assert score("right", GOOD, two).why == "does not cite wexle"
    assert value("right", replace(GOOD, outcome="false_premise")) == 0


def test_a_crash_is_zero_wherever_the_question_asks_for_something():
    scores = {s.metric: s for s in score_failure(make_gold(), False, "crashed", "RuntimeError: boom")}
    assert scores["numbers"].state == "crashed" and scores["numbers"].total == 1 and scores["numbers"].hits == 0
    assert scores["census_f1"].state == "not_applicable"
    assert scores["search_mrr"].state == "not_applicable"
    wanted_no = {s.metric: s.state for s in score_failure(refusal("n", "q?", "too_vague"), False, "crashed", "x")}
    assert wanted_no["outcome"] == "crashed" and wanted_no["numbers"] == "not_applicable"


@pytest.mark.parametrize(
    ("text", "exact"), [("None of the 4 abstracts does.", 1), ("0 of 4 abstracts.", 1), ("All 4 abstracts do.", 0)]
)
def test_a_census_that_finds_none_is_answered_without_citations(text, exact):
    gold = make_gold("ce", "census", question="How many use federated learning?", papers=(), must=(), count=0)
    answer = make_answer(text)
    assert value("count_exact", answer, gold) == exact
    assert value("census_f1", answer, gold) == 1
    assert score("citation_validity", answer, gold).state == "not_applicable"
    assert value("census_f1", GOOD, gold) == 0


@pytest.mark.parametrize(
    ("tally", "right"),
    [
        ("4 abstracts read: 1 yes, 1 unsure, 2 no.", True),
        ("4 abstracts read: 0 yes, 1 unsure, 3 no.", True),
        ("4 abstracts read: 0 yes, 2 unsure, 2 no.", False),
        ("4 abstracts read: 1 yes, 1 unsure, 1 no.", False),
        ("4 abstracts read: 2 yes, 2 no.", False),
        ("5 abstracts read: 1 yes, 4 no.", False),
    ],
)
def test_a_tally_of_what_was_read_has_to_add_up(tally, right):
    answer = replace(GOOD, text=f"{tally} {GOOD.text}")
    got = score("numbers", answer, make_gold(kind="census"))
    assert (got.hits == got.total) is right


def test_a_tally_of_thousands_is_read_as_it_is_written():
    many = PAPERS | {f"p{n}": PAPERS["tarn"] for n in range(1234 - len(PAPERS))}
    answer = replace(GOOD, text=f"1,234 abstracts read: 1 yes, 1,233 no. {GOOD.text}")
    got = next(s for s in score_answer(make_gold(kind="census"), answer, many, None) if s.metric == "numbers")
    assert got.hits == got.total


def test_a_tally_of_the_papers_that_a_year_leaves_counts_rightly_and_a_wrong_one_does_not():
    gold = make_gold(question="Which papers of 2026 parse legal text?", kind="census")
    told = (f"Only 2026: 17 of {len(PAPERS)} papers were looked at; leave “of 2026” out to ask all.",)
    text = "{} abstracts read: 1 yes, {} no.\n- TARNLEX: “" + TEXTS["tarn"].split(".")[0] + "” [1]"
    within, beyond = text.format(17, 16), text.format(23, 22)
    assert score("numbers", make_answer(within, TARN, warnings=told), gold).why == "the answer holds no number"
    assert value("numbers", make_answer(within, TARN), gold) < 1
    assert value("numbers", make_answer(beyond, TARN, warnings=told), gold) < 1
