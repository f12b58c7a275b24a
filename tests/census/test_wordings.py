"""One condition, put in the ways that people put it: misspelt, as a deed, short or long, by the title alone."""

from __future__ import annotations

import pytest
from census_builders import census, ids, paper, papers

from rag.census.judging import judge_all
from rag.census.rendering import statements
from rag.census.spelling import spelt

ENGLISH = frozenset("which papers study salt mills and harbours about learning".split())


def test_a_misspelt_word_is_read_as_the_nearest_of_the_library_and_said():
    rows = papers("We study unlearning in mills.", "We study salt.")

    result = judge_all("Which papers are about unlerning?", rows, english=ENGLISH.__contains__)

    assert ids(result) == ["p1"]
    assert any("Taking “unlerning” as “unlearning”" in str(row.parts[0]) for row in statements(result))


@pytest.mark.parametrize("question", ["papers about tidal harbours", "papers on LEARNIG", "papers on optimisation"])
def test_english_words_names_and_other_spellings_are_left_alone(question):
    rows = papers("We optimize mills; optimization of tides in harbors helps learning.")

    assert spelt(question, rows, ENGLISH.union({"tidal"}).__contains__) == (question, ())


@pytest.mark.parametrize("word", ["tackling", "tackled", "tackles", "mapping", "boxers"])
def test_a_form_of_an_english_word_is_no_slip(word):
    rows = papers("We are taking and tackles taxing; maping boxes.")

    assert spelt(f"papers {word} tides", rows, {"tackle", "map", "box"}.__contains__)[1] == ()


def test_a_name_in_small_and_large_letters_is_found_however_they_are_mixed():
    rows = papers("On TidePlan we reach 4.", "On TIDEplan we reach 5.", "Tide plans are old.")

    result = judge_all("Which papers report results on TidePlan?", rows)

    assert ids(result) == ["p1", "p2"]


def test_what_is_optimal_is_no_optimization():
    rows = papers("We use Bayesian optimization of mills.", "In the Bayesian optimal setting mills stand.")

    assert ids(judge_all("Which papers use Bayesian optimization?", rows)) == ["p1"]


def test_what_only_the_title_says_counts_by_the_title():
    row = paper("It is full of boats. We measure them.", "p")
    titled = type(row)("p", "A Census of Harbour Traffic", False, row.abstract, row.abstract, {})

    finding = judge_all("Which papers are about harbour traffic?", [titled]).findings[0]

    assert (finding.outcome, finding.note) == ("yes", "title")
    assert finding.quotes[0].text in row.abstract


def test_a_title_that_was_made_from_the_abstract_or_denies_it_does_not_count():
    text = "It is full of boats. We measure them."
    made = paper(text)
    for title, derived in (("A Census of Harbour Traffic", True), ("Boats without Harbour Traffic", False)):
        row = type(made)("p", title, derived, text, text, {})
        assert judge_all("Which papers are about harbour traffic?", [row]).findings[0].outcome == "no"


@pytest.mark.parametrize(
    ("question", "abstract"),
    [
        ("Which papers optimise prompts?", "We study prompt optimization for mills."),
        ("Which papers use offline RL?", "We use offline reinforcement learning on logs."),
        ("Which papers use offline reinforcement learning?", "We use offline RL on logs."),
        ("Which papers have three stages?", "We train in a three-stage scheme."),
        ("Which papers are about out-of-distribution inputs?", "We detect out-of-distribution images."),
        ("Which papers are on tidal mills (TM)?", "We build tidal mills."),
        ("papers with code available", "Code is available at https://github.com/a/b."),
        ("Which papers say on how many tasks they test?", "We test on nine tasks."),
        ("how many papers speed something up by more than 3 times?", "We make decoding 4 times faster."),
        ("Which papers work on salt or that release code?", "Our code is available at https://github.com/a/b."),
    ],
)
def test_other_words_for_the_same_thing_are_understood(question, abstract):
    assert ids(census(question, abstract, "We sort stones by weight.")) == ["p1"]


@pytest.mark.parametrize(
    ("question", "abstract"),
    [
        ("Which papers are about out-of-distribution inputs?", "The output distribution of mills is flat."),
        ("Which papers prove something?", "We add a term grounded in the Riesz representation theorem."),
        ("Which papers have three stages?", "We train in two stages."),
    ],
)
def test_what_only_looks_alike_is_told_apart(question, abstract):
    assert ids(census(question, abstract)) == []


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Our kernel runs 3x faster than existing methods.", "yes"),
        ("We show that training is significantly faster with our schedule.", "yes"),
        ("We raise decoding throughput by 40%.", "yes"),
        ("Existing work accelerates decoding by pruning. We study what pruning forgets.", "unsure"),
        ("Our method does not achieve any speedup.", "no"),
        ("Humans can learn such games faster. We build a game.", "no"),
        ("We accelerate the progress of research on harbours.", "no"),
    ],
)
def test_a_speed_up_is_claimed_by_those_whose_it_is(text, outcome):
    assert census("Which papers claim a speed-up?", text).findings[0].outcome == outcome


def test_a_title_that_promises_proofs_counts_with_words_of_the_abstract():
    row = paper("We give an estimator of tides. It is simple.", "p")
    titled = type(row)("p", "Provable Guarantees for Estimating Tides", False, row.abstract, row.abstract, {})
    finding = judge_all("Which papers prove a theorem?", [titled]).findings[0]
    assert (finding.outcome, finding.note) == ("yes", "title")
    assert finding.quotes[0].text in row.abstract


def test_a_teacher_beside_it_makes_distilling_knowledge_distillation():
    question = "Which papers use knowledge distillation?"
    teacher = "We use a powerful teacher LLM, then distill these reasoning capabilities into a smaller model."
    recommendations = "We distill these insights about models into a checklist."
    assert ids(judge_all(question, papers(teacher, recommendations))) == ["p1"]
