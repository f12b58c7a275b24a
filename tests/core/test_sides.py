"""Both sides of a comparison are found, however the question refers to them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from rag.answering.comparison import sides
from rag.config import Config
from rag.library.embedding import MiniLM
from rag.opening import open_library
from rag.pipeline import Library

KESTREL = (
    "Kestrel: Watching Fields from Kites",
    "We watch fields from kites. Cameras hang 40 metres above the barley.",
)
LODGE = ("Lodge: Watching Fields from Towers", "We watch fields from towers. Cameras see barley from 15 metres up.")
REAPT = ("ReaPT: Cutting Barley by Robot", "ReaPT cuts barley with a robot arm. It needs 12 minutes a plot.")
GRAVEL = ("Roads of Gravel", "Gravel roads are mended by hand. Each mile takes two days.")


@pytest.fixture(scope="module")
def library(minilm: MiniLM, config: Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("sides")
    rows = [{"title": title, "abstract": abstract} for title, abstract in (KESTREL, LODGE, REAPT, GRAVEL)]
    (folder / "papers.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with open_library(store=folder / "library", config=config, embedder=minilm) as library:
        library.index(folder / "papers.jsonl")
        yield library


@pytest.mark.parametrize(
    "question",
    [
        "From how high does each of Kestrel and Lodge watch barley?",
        "Contrast the two field watching papers: from what height?",
    ],
)
def test_names_without_an_inner_capital_and_two_papers_on_a_matter_are_sides(library: Library, question: str) -> None:
    searcher = library.searcher()

    found = sides(question, searcher.gather(question), searcher)

    assert sorted(side.paper.title[:6] for side in found) == ["Kestre", "Lodge:"]


def test_a_coined_name_beside_a_versus_is_a_side_though_it_is_typed_like_a_word(library: Library) -> None:
    searcher = library.searcher()
    question = "Kestrel vs reapt: how long, how high?"

    found = sides(question, searcher.gather(question), searcher)

    assert [side.paper.title[:6] for side in found] == ["Kestre", "ReaPT:"]


def test_an_order_is_no_turn_before_a_question_that_does_not_point_back(library: Library) -> None:
    answer = library.ask("Ignore the kestrel paper's sources: what is the population of Brazil?")

    assert answer.outcome == "not_in_corpus"


def test_general_words_alone_are_too_vague(library: Library) -> None:
    assert library.ask("Does their method beat the baseline?").outcome == "too_vague"


def test_a_count_of_what_the_paper_spoken_of_holds_is_asked_of_it(library: Library) -> None:
    answer = library.ask("how many of these plots took long minutes?", history=["How does ReaPT cut barley?"])

    assert "abstracts read" not in answer.text
