"""Filters: what passes, what is taken for the same, and what a question asks for in words."""

from __future__ import annotations

import pytest

from rag.errors import InputError
from rag.retrieval.filters import FilterTable
from rag.retrieval.limits import limits_of

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
    understood = limits_of(question, TABLE)

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
    understood = limits_of(question, TABLE)

    assert understood.nowhere.startswith(said) and bool(understood.nowhere) == bool(said)
    assert not said or ("KDD" not in understood.rest and "Conference" not in understood.rest)


@pytest.mark.parametrize(
    ("question", "filters", "rest"),
    [
        ("papers on diffusion since 2024", {"year": [2024, 2025]}, "papers on diffusion"),
        ("work on fairness from 2024 or later", {"year": [2024, 2025]}, "work on fairness"),
        ("sparse codes before 2024", {"year": 2018}, "sparse codes"),
        ("knapsacks between 2018 and 2024", {"year": [2018, 2024]}, "knapsacks"),
        (
            "what papers came up between 2018 and 2024 on tides?",
            {"year": [2018, 2024]},
            "what papers came up on tides?",
        ),
        (
            "Has the usual weight of sailors in northern ports changed from 2018 to 2024?",
            {},
            "Has the usual weight of sailors in northern ports changed from 2018 to 2024?",
        ),
        ("the most recent work on tides", {"year": 2025}, "work on tides"),
        ("NIPS 2018 papers on tides", {"venue": "NIPS 2018", "year": 2018}, "papers on tides"),
        ("posterior collapse aistats 25", {"venue": "AISTATS", "year": 2025}, "posterior collapse"),
        ("tides, ICML", {"venue": "ICML"}, "tides"),
        ("what does AISTATS 2025 have on tides?", {"venue": "AISTATS", "year": 2025}, "which papers are about tides?"),
        ("tidal agents 2025", {"year": 2025}, "tidal agents"),
        ("papers by Ada Reed on tides", {"author": "Ada Reed"}, "papers on tides"),
        ("Reed et al. 2018", {"author": "Reed", "year": 2018}, "papers"),
        ("Holt's papers on tides", {"author": "Holt"}, "papers on tides"),
        ("how is ADA trained by Reed steps?", {}, "how is ADA trained by Reed steps?"),
        (
            "papers at ICML and AISTATS 2025 on tides",
            {"venue": ["ICML", "AISTATS"], "year": 2025},
            "papers on tides",
        ),
    ],
)
def test_years_and_authors_are_understood(question: str, filters: dict, rest: str) -> None:
    limits = limits_of(question, TABLE)

    assert dict(limits.filters) == filters
    assert limits.rest == rest
    assert not filters or TABLE.papers(limits.filters)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("papers on tides since 2030", "No paper here is of these years; there are 2018, 2024 and 2025."),
        ("ICML 2030 papers", "No paper here is of 2030; there are 2018, 2024 and 2025."),
        ("papers by Jane Doe", "No paper here is by Jane Doe; there are Ada Reed and B. Holt."),
    ],
)
def test_a_limit_that_no_paper_has_is_said(question: str, said: str) -> None:
    limits = limits_of(question, TABLE)

    assert limits.nowhere == said
    assert not limits.filters


def test_a_venue_called_by_an_ordinary_word_counts_with_its_capital_only() -> None:
    table = FilterTable([("a", {"venue": "Nature"})])

    assert not limits_of("what occurs in nature?", table).filters
    assert limits_of("what was shown in Nature?", table).filters == {"venue": "Nature"}
