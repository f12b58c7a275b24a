"""Fusing both sides of a search, and taking the best papers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.retrieval.hybrid import Candidates, fuse, hits, without_crowding
from rag.retrieval.matched import marked, matched_spans
from rag.types import ScoredChunk
from tests.core.conftest import OpenAt
from tests.core.crashes import invented, write
from tests.fakes import WordEmbedder, make_chunk, make_paper, make_scored

SCORES = st.dictionaries(
    st.sampled_from("abcdefgh"), st.floats(-1, 30, allow_nan=False, allow_subnormal=False), max_size=8
)


def test_each_side_is_a_share_of_its_best_and_both_are_weighed() -> None:
    dense = {"a": 0.8, "b": 0.6, "c": 0.4}
    lexical = {"a": 0.0, "b": 20.0, "c": 15.0, "d": 10.0}

    rows = {identity: (score, source) for identity, score, source in fuse(dense, lexical, 0.5)}

    # What a candidate of the dense side adds begins at the least of them: 0.5 * 0.4 / 0.8 = 0.25 is nothing, 1 is all.
    assert rows["a"] == (pytest.approx(0.25 / 0.75), "dense")
    assert rows["b"] == (pytest.approx((0.375 + 0.5 - 0.25) / 0.75), "both")
    assert rows["c"] == (pytest.approx(0.375 / 0.75), "both")
    assert rows["d"] == (pytest.approx(0.25 / 0.75), "lexical")


def test_the_best_on_both_sides_gets_all_and_the_least_nothing() -> None:
    scores = {identity: score for identity, score, _ in fuse({"a": 0.9, "b": 0.5, "c": 0.2}, {"a": 9.0, "b": 4.0})}

    assert scores["a"] == pytest.approx(1.0)
    assert scores["c"] == pytest.approx(0.0)


def test_one_side_alone_counts_in_full() -> None:
    assert fuse({}, {"a": 3.0, "b": 1.0}) == [("a", 1.0, "lexical"), ("b", pytest.approx(1 / 3), "lexical")]
    assert fuse({"a": 0.2}, {}) == [("a", 1.0, "dense")]
    assert fuse({}, {}) == []


def test_equal_scores_are_ordered_by_id() -> None:
    assert [row[0] for row in fuse({"c": 0.5, "a": 0.5, "b": 0.5}, {})] == ["a", "b", "c"]


@given(SCORES, SCORES)
def test_fused_scores_are_shares_in_falling_order(dense: dict[str, float], lexical: dict[str, float]) -> None:
    rows = fuse(dense, lexical)

    assert {row[0] for row in rows} == dense.keys() | lexical.keys()
    assert all(-1e-9 <= score <= 1 + 1e-9 for _, score, _ in rows)
    assert rows == sorted(rows, key=lambda row: (-row[1], row[0]))


@given(SCORES, SCORES, st.floats(0.1, 10))
def test_the_unit_of_the_words_side_does_not_matter(
    dense: dict[str, float], lexical: dict[str, float], scale: float
) -> None:
    lexical = {identity: abs(score) for identity, score in lexical.items()}
    moved = {identity: score * scale for identity, score in lexical.items()}

    assert dict(_shares(fuse(dense, moved))) == pytest.approx(dict(_shares(fuse(dense, lexical))), abs=1e-6)


def _shares(rows: list) -> list[tuple[str, float]]:
    return [(identity, score) for identity, score, _ in rows]


def test_a_larger_k_only_appends_papers() -> None:
    found = Candidates(tuple(make_scored(f"p{n % 7}", 1 - n / 20) for n in range(20)), {}, {}).by_paper()
    full = hits(found, 20)

    assert [h.paper_id for h in full] == [f"p{n}" for n in range(7)]
    assert all(hits(found, k) == full[:k] for k in range(1, 9))


def test_near_copies_stand_behind_other_papers_and_nothing_is_lost() -> None:
    base = "mills turn under a light load at night in every harbour of the quiet northern coast"
    texts = [base, f"{base} today", f"{base} again", "Ferries cross the sound in eleven minutes.", "Choirs drift."]
    rows = [
        ScoredChunk(make_chunk(text, f"p{n}"), make_paper(text, f"p{n}"), 1 - n / 10, "both")
        for n, text in enumerate(texts)
    ]

    assert [row.paper.id for row in without_crowding(rows)] == ["p0", "p3", "p4", "p1", "p2"]


@pytest.mark.parametrize(
    ("query", "passage", "words"),
    [
        ("sparse attention 2.75x", "Attentions get 2.75× faster, sparsely.", ["Attentions", "2.75", "sparsely"]),
        ("autotool", "We present AutoTool.", ["AutoTool"]),
        ("auto tool", "We present AutoTool.", ["AutoTool"]),
        ("the of", "The tide of the sea.", []),
        ("", "The tide.", []),
    ],
)
def test_the_words_that_a_query_matched_are_known_by_their_places(query: str, passage: str, words: list[str]) -> None:
    assert [passage[a:b] for a, b in matched_spans(query, passage)] == words


def test_matched_words_are_marked_where_most_of_them_stand() -> None:
    passage = "Mills turn. " + "Nothing more is said of this. " * 12 + "Tidal mills of the north turn at night."

    assert marked("tidal mills turn", passage).startswith("… ")
    assert marked("tidal mills turn", passage).endswith("*Tidal* *mills* of the north *turn* at night.")
    assert marked("ferry", passage) == ""


def test_eight_threads_searching_at_once_find_what_one_finds(open_at: OpenAt, tmp_path: Path) -> None:
    rows = invented(80, seed=3)
    write(tmp_path / "a.jsonl", rows)
    embedder = WordEmbedder()
    with open_at(tmp_path / "library", embedder) as alone:
        alone.index(tmp_path / "a.jsonl")
        queries = [row["abstract"][:40] for row in rows]
        expected = [alone.search(query, 5) for query in queries]

    shared = open_at(tmp_path / "library", embedder)  # nothing is loaded yet: the threads meet while it is
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda query: shared.search(query, 5), [*queries, *queries]))

    assert found == [*expected, *expected]
    assert {hits[0].paper_id for hits in expected} == {row["id"] for row in rows}
