"""Papers to chunks: whole sentences at their places, nothing lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rag.library.chunking import MAX_CHARACTERS, chunk
from rag.text.sentences import sentences
from rag.types import Paper
from tests.fakes import make_paper

SENTENCE = st.builds(
    lambda words, end: " ".join(words).capitalize() + end,
    st.lists(st.sampled_from(["mill", "tide", "e.g.", "3.5", "(both)", "é", "語"]), min_size=1, max_size=30),
    st.sampled_from([". ", "! ", "?\n", ". . "]),
)
ABSTRACT = st.one_of(st.text(max_size=400), st.lists(SENTENCE, max_size=12).map("".join))


@given(ABSTRACT, st.integers(5, 200))
def test_a_chunk_is_the_abstract_between_its_offsets_and_nothing_is_lost(abstract: str, limit: int) -> None:
    pieces = chunk(make_paper(abstract, "m1"), limit)

    assert all(abstract[c.start : c.end] == c.text and len(c.text) <= limit for c in pieces)
    assert [c.id for c in pieces] == [f"m1:{n}" for n in range(len(pieces))]
    covered = {i for c in pieces for i in range(c.start, c.end)}
    assert len(covered) == sum(c.end - c.start for c in pieces)
    assert all(i in covered or abstract[i].isspace() for i in range(len(abstract)))


@given(ABSTRACT, st.integers(40, 200))
def test_only_a_sentence_longer_than_the_limit_is_cut_inside(abstract: str, limit: int) -> None:
    pieces = chunk(make_paper(abstract), limit)
    starts, ends = {c.start for c in pieces}, {c.end for c in pieces}

    for sentence in sentences(abstract):
        if sentence.end - sentence.start <= limit:
            inside = range(sentence.start + 1, sentence.end)
            assert not starts.intersection(inside) and not ends.intersection(inside)


def test_an_abstract_of_usual_length_is_one_chunk(seed_papers: tuple[Paper, ...]) -> None:
    short = [p for p in seed_papers if len(p.abstract) <= MAX_CHARACTERS]

    assert len(short) >= 15
    assert all(len(chunk(p)) == 1 for p in short)


def test_a_long_abstract_is_split_into_parts_of_about_equal_length() -> None:
    abstract = " ".join(f"Mill number {n} turns at night." for n in range(40))

    lengths = [len(c.text) for c in chunk(make_paper(abstract), 500)]

    assert len(lengths) == 3
    assert max(lengths) - min(lengths) < 120
