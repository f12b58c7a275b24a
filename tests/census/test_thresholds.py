import pytest

from rag.census.judging import judge_all
from rag.census.thresholds import take_threshold
from rag.types import Paper

PAPERS = [
    Paper(f"p{i}", f"Paper {i}", False, text, text)
    for i, text in enumerate(
        (
            "We make decoding faster. Our method gives a speedup of 6.5× over greedy search.",
            "We make training faster. Our kernels give a 1.8x speedup on long inputs.",
            "We release a benchmark of 1,200 tasks for planning in kitchens.",
            "We release a benchmark of 80 tasks for planning in offices.",
            "We study how memory fades in long dialogues.",
        )
    )
]


def yes(question):
    return {f.paper.id for f in judge_all(question, PAPERS).having("yes")}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which papers report a speedup of more than 5x?", {"p0"}),
        ("Which papers report a speedup of at least 1.8×?", {"p0", "p1"}),
        ("Which papers report a speedup of less than 5x?", {"p1"}),
        ("Which papers release a benchmark with over 1,000 tasks?", {"p2"}),
        ("Which papers release a benchmark with at most 80 tasks?", {"p3"}),
    ],
)
def test_a_figure_in_the_question_is_held_to(question, expected):
    assert yes(question) == expected


def test_a_question_without_a_figure_is_left_as_it_is():
    assert take_threshold("Which papers use more than text?") == (None, "Which papers use more than text?")


def test_a_fitting_figure_beside_the_condition_leaves_it_open():
    paper = Paper("p", "P", False, "Accuracy is what we study. It gains 30% in accuracy of labels.", "")
    census = judge_all("Which papers boost calibration accuracy by more than 20%?", [paper])
    assert census.having("no") == ()


def test_the_condition_is_shown_with_its_figure():
    assert str(judge_all("Which papers report a speedup of more than 5x?", PAPERS).threshold) == "more than 5×"


@pytest.mark.parametrize(
    ("question", "relation", "value"),
    [
        ("Which papers test on more than three datasets?", "more than", 3),
        ("Which papers test on exactly two tasks?", "exactly", 2),
        ("Which papers report a speedup of 5x or more?", "at least", 5),
        ("Which papers lose 2% or less?", "at most", 2),
    ],
)
def test_a_figure_may_be_a_word_or_stand_before_its_relation(question, relation, value):
    threshold, _ = take_threshold(question)
    assert threshold is not None and (threshold.relation, threshold.value) == (relation, value)


def test_a_figure_written_as_a_word_counts_in_an_abstract():
    assert take_threshold("papers on at least 4 harbours")[0].met("We test in seven busy northern harbours.")
    assert not take_threshold("papers on at least 4 harbours")[0].met("We test in three harbours.")
