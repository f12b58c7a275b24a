"""Sentence vectors on disk: made once, found by what the sentences say, never stale, and never in the way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rag
from rag.library.sentence_vectors import SENTENCES_FILE, SentenceVectors
from tests.fakes import WordEmbedder

MILL = ("The mill turns at night.", "It grinds 40 sacks.")
TIDE = ("The tide drives the wheel.",)


def test_vectors_are_those_of_the_embedder_in_order(tmp_path: Path) -> None:
    found = SentenceVectors(tmp_path, WordEmbedder()).of([MILL, TIDE])

    assert np.array_equal(found[0], WordEmbedder().embed(MILL))
    assert np.array_equal(found[1], WordEmbedder().embed(TIDE))


def test_another_process_embeds_nothing_again(tmp_path: Path) -> None:
    first = SentenceVectors(tmp_path, WordEmbedder())
    made = first.of([MILL, TIDE])
    first.close()
    embedder = WordEmbedder()
    again = SentenceVectors(tmp_path, embedder).of([TIDE, MILL])

    assert embedder.texts == []
    assert all(np.array_equal(a, b) for a, b in zip(again, reversed(made), strict=True))


def test_only_an_edited_abstract_is_embedded(tmp_path: Path) -> None:
    SentenceVectors(tmp_path, WordEmbedder()).of([MILL, TIDE])
    embedder = WordEmbedder()
    edited = (MILL[0], "It grinds 50 sacks.")
    SentenceVectors(tmp_path, embedder).of([edited, TIDE])

    assert embedder.texts == list(edited)


def test_sentences_cut_elsewhere_are_other_sentences(tmp_path: Path) -> None:
    vectors = SentenceVectors(tmp_path, WordEmbedder())
    whole, halves = vectors.of([("a mill. a tide.",), ("a mill.", " a tide.")])

    assert (len(whole), len(halves)) == (1, 2)


def test_another_embedder_makes_its_own(tmp_path: Path) -> None:
    SentenceVectors(tmp_path, WordEmbedder()).of([MILL])
    wider = WordEmbedder(dimensions=32)
    wider.fingerprint = "another"
    found = SentenceVectors(tmp_path, wider).of([MILL])

    assert found[0].shape == (2, 32)
    assert wider.texts == list(MILL)


def test_a_damaged_file_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / SENTENCES_FILE).write_bytes(b"no database, whatever it is called " * 40)
    SentenceVectors(tmp_path, WordEmbedder()).of([MILL])
    embedder = WordEmbedder()
    SentenceVectors(tmp_path, embedder).of([MILL])

    assert embedder.texts == []


def test_where_nothing_can_be_written_answers_come_all_the_same(tmp_path: Path) -> None:
    (tmp_path / SENTENCES_FILE).mkdir()
    embedder = WordEmbedder()
    vectors = SentenceVectors(tmp_path, embedder)

    assert np.array_equal(vectors.of([MILL])[0], vectors.of([MILL])[0])
    assert embedder.texts == list(MILL)
    assert vectors.fill([TIDE], lambda: True) == 0


def test_filling_embeds_what_is_missing_and_forgets_what_is_gone(tmp_path: Path) -> None:
    vectors = SentenceVectors(tmp_path, WordEmbedder())
    vectors.of([MILL])

    assert vectors.fill([TIDE, ("The weir is old.",)], lambda: True) == 2
    embedder = WordEmbedder()
    SentenceVectors(tmp_path, embedder).of([MILL, TIDE])
    assert embedder.texts == list(MILL)


def test_filling_stops_when_it_is_no_longer_wanted(tmp_path: Path) -> None:
    left = iter([True, False])
    many = [(f"Mill number {n} turns.",) for n in range(40)]

    assert 0 < SentenceVectors(tmp_path, WordEmbedder()).fill(many, lambda: next(left)) < 40


def test_an_answer_reads_kept_vectors(tmp_path: Path) -> None:
    file = tmp_path / "papers.txt"
    file.write_text("TIDEMILL turns by the tide. It grinds 1375 sacks of rye a night.\n", encoding="utf-8")
    with rag.open(store=tmp_path / "store", embedder=WordEmbedder()) as library:
        library.index(file)
        first = library.ask("How many sacks does TIDEMILL grind?")
    embedder = WordEmbedder()
    with rag.open(store=tmp_path / "store", embedder=embedder) as library:
        again = library.ask("How many sacks does TIDEMILL grind?")

    assert again.text == first.text
    assert "It grinds 1375 sacks of rye a night." not in embedder.texts


@pytest.mark.parametrize("sentences", [(), ("",), ("lone \ud800 surrogate",)])
def test_odd_sentences_are_kept_too(tmp_path: Path, sentences: tuple[str, ...]) -> None:
    SentenceVectors(tmp_path, WordEmbedder()).of([sentences])

    assert len(SentenceVectors(tmp_path, WordEmbedder()).of([sentences])[0]) == len(sentences)


def test_sentences_are_embedded_ahead_once_for_each_state_of_the_texts(tmp_path: Path) -> None:
    file = tmp_path / "papers.txt"
    file.write_text(
        "TIDEMILL turns by the tide. It grinds rye.\n\nWEIRDOG guards the weir at night.\n", encoding="utf-8"
    )
    with rag.open(store=tmp_path / "store") as library:
        if library.keeper.embedder is None:
            pytest.skip("the embedding weights are not installed")
        library.index(file)
        count = library.count
        assert [library.prepare(lambda: True), library.prepare(lambda: True)] == [count, 0]
        file.write_text("TIDEMILL turns by the tide. It grinds oats.\n\nWEIRDOG guards the weir at night.\n", "utf-8")
        library.index(file)
        assert library.prepare(lambda: True) == 1


def test_a_paid_service_is_not_asked_ahead(tmp_path: Path) -> None:
    file = tmp_path / "papers.txt"
    file.write_text("TIDEMILL turns by the tide. It grinds rye.\n", encoding="utf-8")
    embedder = WordEmbedder()
    with rag.open(store=tmp_path / "store", embedder=embedder) as library:
        library.index(file)
        before = len(embedder.calls)

        assert library.prepare(lambda: True) == 0
        assert len(embedder.calls) == before
