"""Sentences keep their places and cover the text."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.text.sentences import sentences
from rag.types import Paper


def split(text: str) -> list[str]:
    return [s.text for s in sentences(text)]


def test_sentences_end_at_their_marks() -> None:
    assert split("Does it turn? It does! The mill stops. 12 of them do.") == [
        "Does it turn?",
        "It does!",
        "The mill stops.",
        "12 of them do.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "We follow Reed et al. Their mill is larger.",
        "See Fig. 3 for details.",
        "Dr. Holt and J. Reed built it.",
        "It holds approx. 40 litres.",
        "Some mills, e.g. Tidal ones, stop.",
        "It turns 3.5 times, i.e. Slowly.",
        "It was good vs. Bad ones.",
        "Use version v. 2 of it.",
        "the text ends... then goes on",
    ],
)
def test_a_point_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert split(text) == [text]


def test_closing_quotes_and_brackets_belong_to_the_sentence_they_close() -> None:
    assert split('He said "stop." Then (as planned.) It stopped.') == [
        'He said "stop."',
        "Then (as planned.)",
        "It stopped.",
    ]


def test_marks_of_scripts_without_spaces_end_sentences() -> None:
    assert split("水車は回る。止まる。") == ["水車は回る。", "止まる。"]


def test_a_blank_text_has_no_sentences() -> None:
    assert split("") == split(" \n ") == []


PIECES = st.lists(
    st.sampled_from(["A", "mill", " ", ". ", "! ", "e.g. ", "3.5", "。", "\n", "(", ')" ', "…", "“Go.” ", "$x. Y$"]),
    max_size=30,
)


@given(st.one_of(st.text(max_size=120), PIECES.map("".join)))
def test_sentences_stand_where_they_say_and_cover_all_that_is_not_space(text: str) -> None:
    found = sentences(text)

    assert all(text[s.start : s.end] == s.text and s.text.strip() == s.text != "" for s in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
    assert "".join("".join(s.text.split()) for s in found) == "".join(text.split())


def test_every_sentence_of_the_seeds_begins_like_one(seed_papers: tuple[Paper, ...]) -> None:
    first_letters = [s.text.lstrip('(“"')[0] for p in seed_papers for s in sentences(p.abstract)]

    assert len(first_letters) > 140
    assert all(c.isupper() or c.isdigit() for c in first_letters)
