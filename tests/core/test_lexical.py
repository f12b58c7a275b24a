"""The lexical side: what a word, a pair of words and a name add, and to which passages."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.retrieval.lexical import LexicalIndex, Weighting
from rag.text.words import index_terms

TEXTS = {
    "a": "Tidal mills grind slowly. The mills of KLM-Attn grind.",
    "b": "Quiet mills and tidal power stations.",
    "c": "AutoTool maps harbours.",
    "d": "Nothing of the kind is reported.",
}


def index(texts: dict[str, str], weighting: Weighting | None = None) -> LexicalIndex:
    return LexicalIndex(((i, " ".join(index_terms(text))) for i, text in sorted(texts.items())), weighting)


def found(query: str, texts: dict[str, str] = TEXTS) -> list[str]:
    made = index(texts)
    return list(made.top(made.scores(query), 10))


def test_a_word_adds_what_bm25_says() -> None:
    plain = index({"a": "mill mill tide", "b": "tide", "c": "sand dune"}, Weighting(k1=1.2, b=0.75, pairs=0.5))

    (a, b, c) = plain.scores("mill").tolist()

    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    assert a == pytest.approx(idf * 2 * 2.2 / (2 + 1.2 * (1 - 0.75 + 0.75 * 3 / 2)))
    assert (b, c) == (0, 0)


def test_words_side_by_side_count_more_than_apart() -> None:
    texts = {"a": "tidal mill sand dune", "b": "tidal sand mill dune"}

    assert found("tidal mill", texts) == ["a", "b"]
    without = index(texts, Weighting(pairs=0)).scores("tidal mill")
    assert without[0] == without[1] > 0


def test_a_pair_never_spans_two_passages() -> None:
    made = index({"a": "sand tidal", "b": "mill dune"})

    assert made.holding("tidal mill") == 0
    assert made.holding("mill dune") == 1


@pytest.mark.parametrize("typed", ["KLM-Attn", "KLMAttn", "klmattn", "klm attn"])
def test_a_hyphenated_name_is_found_however_it_is_typed(typed: str) -> None:
    assert found(typed) == ["a"]


@pytest.mark.parametrize("typed", ["AutoTool", "autotool", "Auto-Tool", "auto tool"])
def test_a_name_in_camel_case_is_found_however_it_is_typed(typed: str) -> None:
    assert found(typed) == ["c"]


def test_another_spelling_of_a_name_makes_a_passage_no_longer() -> None:
    texts = {"a": "KLM-Attn sand", "b": "KLM attn sand"}
    made = index(texts)

    assert made.scores("sand")[0] == made.scores("sand")[1]


def test_rows_left_out_are_never_found_and_the_rest_keep_their_scores() -> None:
    made = index(TEXTS)
    scores = made.scores("tidal mills")
    everything = made.top(scores, 10)

    assert made.top(scores, 10, made.rows(["b", "d", "unknown"])) == {"b": everything["b"]}


def test_a_name_is_held_in_any_spelling_and_common_words_by_all() -> None:
    made = index(TEXTS)

    assert made.holding("mill") == 2
    assert made.holding("KLM-Attn") == 1
    assert made.holding("harbour mill") == made.holding("unheard") == 0
    assert made.holding("through") == len(made) == 4


@pytest.mark.parametrize("query", ["", "?", "the of and", "unheard", "\ud800"])
def test_a_query_without_a_known_word_finds_nothing(query: str) -> None:
    assert found(query) == []


def test_an_empty_library_finds_nothing() -> None:
    assert found("mills", {}) == []


@given(st.lists(st.sampled_from("mill tide sand dune quay".split()), max_size=6), st.integers(1, 6))
def test_a_smaller_depth_is_the_head_of_a_larger_one(words: list[str], depth: int) -> None:
    made = index({f"p{n}": " ".join(words[n:] + words[:n]) or "none" for n in range(6)})
    scores = made.scores(" ".join(words[:3]))

    assert list(made.top(scores, depth)) == list(made.top(scores, 6))[:depth]
