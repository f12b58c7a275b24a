"""What a user hands in as text: fit to be searched and shown, or refused in one sentence."""

from __future__ import annotations

import pytest

from rag.errors import InputError
from rag.retrieval.history import turns
from rag.text.given import LONGEST, given_text
from rag.types import Turn

MILLS = (
    "We present a tidal mill that grinds twelve sacks of rye an hour in the harbour of Olhao.",
    "This paper studies a windmill whose sails fold in storms and which saved nine villages from hunger.",
)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ("What is the tidal mill?\n\tAnd why?", "What is the tidal mill?\n\tAnd why?"),
        ("das Mühlrad und 水車 🙂", "das Mühlrad und 水車 🙂"),
        ("a \x1b[1;31mred\x1b[0m mill", "a red mill"),
        ("a \x1b]0;a window's title\x07mill", "a mill"),
        ("a \u202egnp.llim\u202c mill", "a gnp.llim mill"),
        ("a\x00mill\x07 \x9bturns\x1b", "a mill   turns"),
        ("M\udcc3\udcbchlrad", "Mühlrad"),  # bytes of an argument that the locale could not read
        ("\udcff mill", "\ufffd mill"),
        ("half \ud83d a character", "half \ufffd a character"),
        ("two halves \ud83d\ude42", "two halves 🙂"),
    ],
)
def test_control_characters_and_half_characters_are_left_out(given, text):
    assert given_text(given) == text
    assert turns([given, {"question": given, "answer": given}]) == (Turn(text), Turn(text, text))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "The query is of type NoneType, but text is wanted"),
        (b"mill", "The query is of type bytes, but text is wanted"),
        ("m" * (LONGEST + 1), "The query has 20,001 characters, but at most 20,000 are read"),
    ],
)
def test_what_is_no_text_or_too_long_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        given_text(given, "query")
    assert given_text("m" * LONGEST) == "m" * LONGEST


def test_a_question_that_no_file_could_store_is_answered_and_can_be_written(invented):
    answer = invented(*MILLS).ask("What is \ud800 this about?\x1b[2J", history=["Which mill \ud800?"])
    assert "\x1b" not in answer.text + answer.question
    assert str(answer.to_dict()).encode("utf-8")


def test_one_id_is_not_taken_for_a_list_of_letters(invented):
    library = invented(*MILLS)
    kept = [paper.id for paper in library.papers()]
    with pytest.raises(InputError, match="ids is one text, but it must be a list of ids"):
        library.remove(kept[0])
    assert [paper.id for paper in library.papers()] == kept
