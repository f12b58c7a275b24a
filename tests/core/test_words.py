"""Words for matching: folded, stemmed, with their places in the unfolded text."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.text.words import content_stems, fold, index_terms, tokens


def words(text: str) -> list[str]:
    return [token.text for token in tokens(text)]


@pytest.mark.parametrize(
    ("typed", "folded"),
    [
        ("Kärner", "karner"),
        ("CAFÉ", "cafe"),
        ("ﬁne", "fine"),
        ("soft\u00adhyphen", "softhyphen"),
        ("don’t", "don't"),
        ("ᴺ²", "n2"),
    ],
)
def test_what_readers_do_not_tell_apart_is_folded(typed: str, folded: str) -> None:
    assert fold(typed) == folded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12,000 mills", ["12000", "mills"]),
        ("2.75× faster", ["2.75", "faster"]),
        ("3.50 and 3.5", ["3.5", "and", "3.5"]),
        ("1920x1080", ["1920", "x", "1080"]),
        ("in 2021, 3 more", ["in", "2021", "3", "more"]),
        ("the mill's wheel isn’t", ["the", "mill", "wheel", "isn't"]),
        ("KLM-Net", ["klm", "net"]),
        ("水車BERT水車", ["水車", "bert", "水車"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("", []),
    ],
)
def test_texts_are_taken_apart_into_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_numbers_are_told_from_words() -> None:
    assert [(t.text, t.is_number) for t in tokens("12,000 of 4K mills at 3.5")] == [
        ("12000", True),
        ("of", False),
        ("4k", False),
        ("mills", False),
        ("at", False),
        ("3.5", True),
    ]


def test_stems_leave_out_words_that_carry_no_meaning() -> None:
    assert content_stems("How are the watermarks of the mills detected?") == ["watermark", "mill", "detect"]


@pytest.mark.parametrize("typed", ["KLM-Net", "KLMNet", "klmnet", "KLM Net"])
def test_a_hyphenated_name_shares_a_term_with_every_way_to_type_it(typed: str) -> None:
    assert set(index_terms("the KLM-Net model")) - {"model"} & set(index_terms(typed))


def test_a_name_in_camel_case_is_indexed_whole_and_in_parts() -> None:
    assert {"autotool", "auto", "tool"} <= set(index_terms("We present AutoTool."))
    assert "dpo" not in index_terms("We present DPoE."), "nobody types a letter of a name by itself"


@given(st.text(max_size=100))
def test_words_stand_in_order_at_their_places(text: str) -> None:
    found = list(tokens(text))

    assert all(0 <= t.start < t.end <= len(text) and t.text for t in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))


@given(st.text(max_size=60))
def test_folding_twice_is_folding_once_for_what_is_indexed(text: str) -> None:
    terms = index_terms(text)

    assert all(term and not term.isspace() for term in terms)
    assert index_terms(text) == terms
