"""The signal that says whether anything in a library is about a question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from rag.pipeline import Library
from rag.retrieval.signal import about, features
from tests.core.conftest import OpenAt
from tests.fakes import WordEmbedder, make_paper, make_reading

ABSTRACTS = (
    "TIDEMILL turns harbour mills at night. The wheel gains four percent over 1,375 nights.",
    "We translate between Manx and Cornish with few sentence pairs.",
    "A survey of citation errors in generated reviews of surgery.",
    "Ferries cross the northern sound in eleven minutes at low tide.",
)


@pytest.fixture
def library(open_at: OpenAt, tmp_path: Path) -> Library:
    library = open_at(tmp_path / "library", WordEmbedder(256))
    library.add(make_reading(*(make_paper(text, f"p{n}") for n, text in enumerate(ABSTRACTS))), "a.txt")
    return library


@pytest.mark.parametrize("question", ["How much does the mill wheel gain at night?", "Manx and Cornish sentence pairs"])
def test_a_paper_about_the_question_speaks_for_it(library: Library, question: str) -> None:
    assert about(library.searcher().gather(question)) > 0.5


@pytest.mark.parametrize("question", ["Who painted the ceiling of the chapel?", "GLENVOR on protein folding"])
def test_nothing_about_the_question_speaks_against_it(library: Library, question: str) -> None:
    assert about(library.searcher().gather(question)) < 0.5


def test_an_empty_library_is_about_nothing(open_at: OpenAt, tmp_path: Path) -> None:
    assert about(open_at(tmp_path / "empty", WordEmbedder()).searcher().gather("tidal mills")) == 0.0


def test_taking_the_paper_away_lowers_the_signal(library: Library) -> None:
    question = "harbour mills that turn at night"
    before = about(library.searcher().gather(question))

    library.remove(["p0"])

    assert about(library.searcher().gather(question)) < before - 0.3


def test_names_numbers_and_words_count_each_in_its_direction(library: Library) -> None:
    found = library.searcher().gather("TIDEMILL over 1375 nights")
    assert found.best is not None
    values = features(found, found.best)

    assert (values["named"], values["number"], values["unknown"]) == (1.0, 1.0, 0.0)
    assert about(found) > about(replace(found, unknown_names=("GLENVOR",)))
    assert about(found) > about(replace(found, words={}))


def test_a_library_without_vectors_goes_by_words(library: Library) -> None:
    found = replace(library.searcher().gather("mills that turn at night"), cosine={})
    other = replace(library.searcher().gather("the painted chapel ceiling"), cosine={})

    assert about(found) > 0.5 > about(other)
