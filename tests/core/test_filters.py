"""Filters: what passes, what is taken for the same, and what a question asks for in words."""

from __future__ import annotations

import pytest

from rag.errors import InputError
from rag.retrieval.filters import FilterTable

TABLE = FilterTable(
    [
        (
            "a",
            {"venue": "NIPS 2018", "year": 2018, "authors": ["Ada Reed", "B. Holt"], "keywords": ["Sparse attention"]},
        ),
        ("b", {"venue": "NeurIPS", "year": 2024, "authors": ["Ada Reed"]}),
        ("c", {"venue": "AISTATS", "year": 2025, "keywords": ["causality"]}),
        ("d", {"venue": "ICML", "year": None, "authors": []}),
        ("e", {"venue": "Harbour Workshop", "year": "2025"}),
    ]
)


@pytest.mark.parametrize(
    ("filters", "papers"),
    [
        ({"venue": "neurips"}, ["a", "b"]),
        ({"venue": "NIPS"}, ["a", "b"]),
        ({"venue": "Advances in Neural Information Processing Systems"}, ["a", "b"]),
        ({"venue": "Proceedings of the 35th International Conference on Machine Learning"}, ["d"]),
        ({"venue": ["aistats", "icml"]}, ["c", "d"]),
        ({"year": 2025}, ["c", "e"]),
        ({"year": "2025", "venue": "harbour workshop"}, ["e"]),
        ({"author": "ada REED"}, ["a", "b"]),
        ({"author": "Ada Reed", "year": 2018}, ["a"]),
        ({"keyword": "sparse-attention"}, ["a"]),
        ({"year": 2018, "venue": "ICML"}, []),
    ],
)
def test_papers_that_pass_every_filter(filters: dict, papers: list[str]) -> None:
    assert TABLE.papers(filters) == papers


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ({"venue": "ICLM"}, "No paper here has the venue 'ICLM'; the nearest is ICML."),
        ({"year": 1999}, "No paper here has the year '1999'; there are 2018, 2024 and 2025."),
        ({"author": "Adah Reed"}, "No paper here has the author 'Adah Reed'; there are Ada Reed and B. Holt."),
        ({"editor": "x"}, "'editor' is no filter; filters are venue, year, author and keyword."),
    ],
)
def test_a_value_that_no_paper_has_is_said_with_the_nearest(filters: dict, said: str) -> None:
    with pytest.raises(InputError) as error:
        TABLE.papers(filters)

    assert str(error.value) == said


PEOPLE = FilterTable(
    (name, {"authors": [name]})
    for name in (
        "Alice Reed",
        "A. Reed",
        "Reed B",
        "Zoë O'Brien-Håkansson",
        "Wei Zhang",
        "W. Zhang",
        "Li Reedy",
        "J. K. Holt",
    )
)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("Reed", ["A. Reed", "Alice Reed", "Reed B"]),
        ("reed, a.", ["A. Reed", "Alice Reed"]),
        ("A. Reed", ["A. Reed", "Alice Reed"]),
        ("REED Alice", ["Alice Reed"]),
        ("Alice", ["Alice Reed"]),
        ("Bert Reed", ["Reed B"]),
        ("Wei Zhang", ["Wei Zhang"]),
        ("hakansson", ["Zoë O'Brien-Håkansson"]),
        ("zoe o’brien", ["Zoë O'Brien-Håkansson"]),
        ("Jane Holt", ["J. K. Holt"]),
        ("Holt, J.K.", ["J. K. Holt"]),
    ],
)
def test_an_author_is_found_by_any_part_of_the_name(typed: str, found: list[str]) -> None:
    assert PEOPLE.papers({"author": typed}) == found


@pytest.mark.parametrize("typed", ["Ree", "Carl Reed", "R.", "Alice Holt"])
def test_a_name_that_nobody_has_is_refused(typed: str) -> None:
    with pytest.raises(InputError, match="No paper here has the author"):
        PEOPLE.papers({"author": typed})


def test_a_library_without_years_says_so() -> None:
    with pytest.raises(InputError, match="none has year at all; search without this filter"):
        FilterTable([("a", {"venue": "ICML"})]).papers({"year": 2025})


@pytest.mark.parametrize(
    ("question", "filters", "rest"),
    [
        ("Which paper at AISTATS 2025 prunes?", {"venue": "AISTATS", "year": 2025}, "Which paper prunes?"),
        ("sparse attention at NeurIPS 2024", {"venue": "NIPS 2018", "year": 2024}, "sparse attention"),
        ("what was new in 2018?", {"year": 2018}, "what was new?"),
        ("papers from the Harbour-Workshop on tides", {"venue": "Harbour Workshop"}, "papers on tides"),
        ("Is ICML larger than AISTATS?", {}, "Is ICML larger than AISTATS?"),
        ("a gain of 2018 tokens in 1999", {}, "a gain of 2018 tokens in 1999"),
        ("trained at ICMLX", {}, "trained at ICMLX"),
    ],
)
def test_venue_and_year_are_understood_where_papers_have_them(question: str, filters: dict, rest: str) -> None:
    understood = TABLE.understood(question)

    assert dict(understood.filters) == filters
    assert understood.rest == rest
    assert all(word in question for word in understood.words.split())


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which paper at KDD 2030 prunes?", "No paper here is of KDD; "),
        ("what was accepted to the International Conference on Computer Vision", "No paper here is of International"),
        ("Which paper at ICML prunes?", ""),
        ("in ACL reconstruction, who prunes?", ""),
        ("Which paper prunes?", ""),
    ],
)
def test_a_venue_that_no_paper_has_is_said(question: str, said: str) -> None:
    understood = TABLE.understood(question)

    assert understood.nowhere.startswith(said) and bool(understood.nowhere) == bool(said)
    assert not said or ("KDD" not in understood.rest and "Conference" not in understood.rest)
