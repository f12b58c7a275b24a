from __future__ import annotations

import json
import re

import pytest

from rag.survey.asked import asked_of_collection
from rag.survey.collection import answer
from rag.types import Paper


def paper(name: str, abstract: str, **record) -> Paper:
    return Paper(name, f"{name}: a method", False, abstract, abstract, record)


BELT = paper(
    "BELT",
    "Sorting parcels is slow. We propose BELT, a controller for conveyor belts. It sorts up to 3.5× faster than "
    "a fixed schedule and improves accuracy by 4.1% on the DEPOT benchmark.",
    venue="RSS",
    year=2025,
)
CRANE = paper(
    "CRANE",
    "Earlier planners reach a 90x speedup only in simulation. We introduce CRANE, a planner with 7B parameters. "
    "Tested on two public datasets, it accelerates loading by 12×, while accuracy rises from 30% to 81%.",
    venue="RSS",
    year=2025,
)
DOCK = paper("DOCK", "We study how docks are shared. We prove a bound on waiting.", venue="ICRA", year=2024)
PAPERS = [BELT, CRANE, DOCK]


def no_map():
    raise AssertionError("no topics were asked for")


def told(question: str, papers=PAPERS) -> str:
    asked = asked_of_collection(question)
    assert asked is not None
    summary = answer(asked, papers, no_map)
    assert summary is not None
    for statement in summary.statements:
        for row in statement.quotes:
            assert row.text in "".join(part for part in statement.parts if isinstance(part, str))
            assert {row.chunk_id} <= {found.chunk.id for found in summary.evidence}
    return "".join(part for s in summary.statements for part in s.parts if isinstance(part, str))


@pytest.mark.parametrize(
    ("question", "aspect"),
    [
        ("how many papers are there?", "contents"),
        ("How many abstracts do you have?", "contents"),
        ("and how many papers are in this library", "contents"),
        ("list all papers", "contents"),
        ("what's in this corpus?", "contents"),
        ("What are the main topics of this collection?", "topics"),
        ("which topics are covered here", "topics"),
        ("give me an overview of the library", "topics"),
        ("Which paper reports the largest speedup?", "extreme"),
        ("whats the max speedup anybody reports here", "extreme"),
        ("which method is the fastest?", "extreme"),
        ("who gets the smallest accuracy gain", "extreme"),
        ("which datasets are used in the papers?", "column"),
        ("what benchmarks do these papers use", "column"),
    ],
)
def test_a_question_about_the_collection_is_recognised(question, aspect):
    asked = asked_of_collection(question)
    assert asked is not None
    assert asked.aspect == aspect


@pytest.mark.parametrize(
    "question",
    [
        "how many papers use reinforcement learning?",
        "How many papers does the survey cover?",
        "which papers are about parcel sorting",
        "What is the smallest detection z-score?",
        "which topics does the paper on docks touch?",
        "what dataset is the crane planner tested on?",
        "what is the best way to sort parcels",
        "Which paper sorts parcels?",
        "list all papers about docks",
    ],
)
def test_a_question_about_one_paper_or_one_condition_is_left_to_others(question):
    assert asked_of_collection(question) is None


def test_the_size_of_a_library_is_counted_and_parted_by_venue_and_year():
    assert told("how many papers are there?") == "The library holds 3 abstracts: RSS 2025 (2), ICRA 2024 (1)."


def test_figures_of_one_measure_are_ranked_and_other_figures_left_out():
    lines = [line for line in told("Which paper reports the largest speedup?").splitlines() if line.startswith("- ")]
    assert [re.match(r"- (\S+) in (\w+)", line).groups() for line in lines] == [("12×", "CRANE"), ("3.5×", "BELT")]


def test_the_smallest_comes_first_where_it_is_asked_for():
    shown = told("who reports the smallest speedup")
    assert shown.index("BELT") < shown.index("CRANE")


def test_a_level_that_was_reached_is_no_gain():
    shown = told("which paper has the biggest accuracy gain?")
    assert "4.1%" in shown
    assert "CRANE" not in shown


def test_sizes_of_models_are_compared_by_their_parameters():
    assert "- 7B in CRANE" in told("which model has the most parameters?")


def test_the_largest_data_set_is_the_one_with_most_items():
    sign = paper("SIGN", "We release SIGN, a dataset of 12,400 video clips. Its labels come from 31 people.")
    book = paper("BOOK", "We build a corpus of over 3 million sentences from 40 books.")
    shown = told("which paper has the largest dataset?", [sign, book])
    lines = [line for line in shown.splitlines() if "- " in line]
    found = [re.match(r"- (.+) in (\w+)", line).groups() for line in lines]
    assert found == [("3 million", "BOOK"), ("12,400", "SIGN")]


def test_without_any_figure_the_question_is_left_to_the_search():
    assert answer(asked_of_collection("which paper reports the largest speedup?"), [DOCK], no_map) is None


def test_a_column_lists_only_the_papers_that_say_something():
    shown = told("what datasets are used in the papers?")
    assert shown.startswith("2 of the 3 abstracts say something of “datasets”")
    assert "DOCK" not in shown


def test_the_library_answers_such_questions_with_quotes_that_stand(run_rag):
    done = run_rag("ask", "Which paper reports the largest speedup?", "--json")
    found = json.loads(done.stdout)
    assert found["outcome"] == "answered"
    assert found["citations"][0]["title"].startswith("T3")
    assert "10×" in found["citations"][0]["quote"]
    assert len(found["citations"]) == 4
    assert "19" in json.loads(run_rag("ask", "how many papers are there?", "--json").stdout)["text"]
    assert "topics" in json.loads(run_rag("ask", "what are the main topics here?", "--json").stdout)["text"]
