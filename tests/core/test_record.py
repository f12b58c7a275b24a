"""Questions about a paper's record: told as of the record, and said to be missing where it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rag
from rag.pipeline import Library

ABSTRACT = "We present FROSTBELL, a sensor that rings in orchards before the frost falls."


@pytest.fixture
def library(tmp_path: Path):
    row = {"id": "f1", "title": "FROSTBELL: Orchards That Ring", "authors": ["Ada Moor", "Bo Lind"], "year": 2024}
    source = tmp_path / "papers.jsonl"
    source.write_text(json.dumps(row | {"abstract": ABSTRACT}), encoding="utf-8")
    with rag.open(store=tmp_path / "store", mode="extractive") as opened:
        opened.index(source)
        yield opened


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Who wrote FROSTBELL?", "Ada Moor, Bo Lind"),
        ("when was the FROSTBELL paper published", "2024"),
        ("bibtex for FROSTBELL please", "author = {Ada Moor and Bo Lind}"),
        ("What is the full title of FROSTBELL?", "Orchards That Ring"),
    ],
)
def test_what_the_record_has_is_told_as_its_own_and_quotes_nothing(library: Library, question: str, told: str) -> None:
    answer = library.ask(question)

    assert answer.outcome == "answered"
    assert answer.text.startswith("By its record, not its abstract,") and told in answer.text
    assert answer.citations == () and answer.evidence[0].paper.id == "f1"


def test_what_the_record_lacks_is_said_to_be_lacking(library: Library) -> None:
    answer = library.ask("Which venue was FROSTBELL in?")

    assert answer.outcome == "abstract_silent"
    assert answer.text == "The record of “FROSTBELL: Orchards That Ring” has no venue, and its abstract does not say."


def test_a_question_that_asks_for_more_is_no_question_of_the_record(library: Library) -> None:
    assert "record" not in library.ask("Who wrote the orchard diary that FROSTBELL reads?").text
