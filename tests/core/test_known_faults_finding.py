"""Faults that users of such tools have reported: what is found (S06 d, S14, S17, S24 b)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rag.pipeline import Library
from tests.core.conftest import OpenAt
from tests.fakes import WordEmbedder, make_paper, make_reading

OAKEN = "OAKENET parses tax forms. On the HARROWDEN benchmark it reaches 63.8 F1, against 60.1 for the best parser."
ORBEX = "ORBEX parses lab notes. On the HARROWDEN benchmark it reaches 66.5 F1 with a third of OAKENET's parameters."
MANX = "We translate between Manx and Cornish with 4,700 sentence pairs. Data cleaning adds 3.1 BLEU."
RECIPES = "We release a corpus of 15,000 annotated recipes in Maltese, collected from 310 volunteers."
FRENCH = "Nous mesurons la marée dans douze ports. Les phrases du journal de bord sont courtes."
GERMAN = "Wir messen den Tidenhub in zwölf Häfen. Die Sätze der Logbücher sind kurz."


# S06 (d): near-copies fill every place


@pytest.mark.parametrize("word", ["exactly", "finally", "about", "nearly", "reportedly"])
def test_s06_versions_of_one_paper_do_not_crowd_out_another(invented: Callable[..., Library], word: str) -> None:
    versions = [OAKEN.replace("reaches", f"{adverb} reaches") for adverb in (word, "now", "still", "thus", "also")]
    library = invented(*versions, ORBEX, RECIPES)

    found = library.search("parsers tested on HARROWDEN", 4)
    answer = library.ask("Which parsers are tested on HARROWDEN?")

    assert any("ORBEX" in hit.passage for hit in found)
    assert "OAKENET" in answer.text and "ORBEX" in answer.text
    assert any("ORBEX" in scored.chunk.text for scored in answer.evidence[:4])


def test_s06_all_versions_are_still_found_further_down(invented: Callable[..., Library]) -> None:
    versions = [OAKEN.replace("reaches", f"{adverb} reaches") for adverb in ("now", "still", "thus")]

    assert len(invented(*versions, ORBEX).search("HARROWDEN", 10)) == 4


# S14: the side of words is empty after a restart


@pytest.mark.parametrize("query", ["HARROWDEN", "sentence pairs", "15,000"])
def test_s14_words_find_the_same_after_a_restart(open_at: OpenAt, tmp_path: Path, query: str) -> None:
    papers = [make_paper(text, f"p{n}") for n, text in enumerate((OAKEN, ORBEX, MANX, RECIPES))]
    first = open_at(tmp_path / "library", WordEmbedder())
    first.add(make_reading(*papers), "a.txt")
    before = [(hit.paper_id, hit.score, hit.source) for hit in first.search(query)]
    first.close()

    again = open_at(tmp_path / "library", WordEmbedder())

    assert [(hit.paper_id, hit.score, hit.source) for hit in again.search(query)] == before
    assert any(source in ("lexical", "both") for _, _, source in before)
    assert set(again.by_words(query)) == {f"{paper}:0" for paper, _, source in before if source != "dense"}


def test_s14_an_empty_library_finds_nothing_by_words_and_says_so(open_at: OpenAt, tmp_path: Path) -> None:
    library = open_at(tmp_path / "library", WordEmbedder())

    assert library.search("HARROWDEN") == [] and library.by_words("HARROWDEN") == {}
    assert library.ask("HARROWDEN").text.startswith("This library holds no abstracts")


def test_s14_doctor_tells_how_many_passages_words_find(open_at: OpenAt, tmp_path: Path) -> None:
    library = open_at(tmp_path / "library", WordEmbedder())
    library.add(make_reading(make_paper(OAKEN, "a"), make_paper(MANX, "b")), "a.txt")

    assert library.health()["chunks"] == 2 == len(library.by_words("HARROWDEN Manx"))


# S17: questions in other languages


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("Combien de paires de phrases pour le manx et le cornish (BLEU) ?", "4,700"),
        ("¿Cuántos pares de frases hay para Manx y Cornish?", "4,700"),
        ("Wie viele Satzpaare gibt es für Manx und Cornish?", "4,700"),
        ("Manx と Cornish の文対はいくつですか", "4,700"),
        ("Combien de recettes en maltais, avec 310 volontaires ?", "15,000"),
        ("Welchen F1-Wert erreicht ORBEX auf HARROWDEN?", "66.5"),
        ("¿Qué F1 alcanza OAKENET en HARROWDEN?", "63.8"),
    ],
)
@pytest.mark.parametrize("others", [(), (FRENCH,), (FRENCH, GERMAN)])
def test_s17_names_and_numbers_find_the_english_paper_whatever_else_is_there(
    invented: Callable[..., Library], question: str, number: str, others: tuple[str, ...]
) -> None:
    answer = invented(OAKEN, ORBEX, MANX, RECIPES, *others).ask(question)

    assert answer.outcome == "answered"
    assert any(number in citation.quote for citation in answer.citations)
    assert any("reads English" in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    "question",
    [
        "Combien de marins traversent le détroit chaque hiver ?",
        "¿Cuántos marineros cruzan el estrecho cada invierno?",
        "Wie viele Seeleute überqueren jeden Winter die Meerenge?",
        "毎年冬に何人の船員が海峡を渡りますか",
        "Сколько моряков пересекает пролив каждую зиму?",
    ],
)
def test_s17_where_nothing_matches_english_is_asked_for(invented: Callable[..., Library], question: str) -> None:
    answer = invented(OAKEN, ORBEX, MANX, RECIPES).ask(question)

    assert answer.outcome == "too_vague"
    assert "reads English" in answer.text
    assert answer.citations == ()


# S24 (b): a filter that leaves nothing


@pytest.fixture
def dated(open_at: OpenAt, tmp_path: Path) -> Library:
    library = open_at(tmp_path / "library", WordEmbedder())
    library.add(
        make_reading(
            make_paper(OAKEN, "a", year=2031, venue="ICML"),
            make_paper(ORBEX, "b", year=2032, venue="COLM"),
            make_paper(MANX, "c", year=2032, venue="COLM"),
        ),
        "a.txt",
    )
    return library


@pytest.mark.parametrize(
    "question",
    ["What does OAKENET parse at COLM 2031?", "Which papers at ICML 2032 parse?", "How many papers at ICML 2032?"],
)
def test_s24_values_that_never_go_together_are_said_in_a_plain_sentence(dated: Library, question: str) -> None:
    answer = dated.ask(question)

    assert answer.outcome == "not_in_corpus"
    assert answer.text == "This library holds no abstracts that match; there is nothing to answer from."
    assert (answer.citations, answer.evidence) == ((), ())
    assert any("together; leave “at" in warning for warning in answer.warnings)


def test_s24_a_venue_that_no_paper_has_is_said_and_all_are_asked(dated: Library) -> None:
    answer = dated.ask("What does OAKENET parse at NeurIPS?")

    assert any(warning.startswith("No paper here is of NeurIPS; there are") for warning in answer.warnings)
    assert answer.outcome == "answered" and "tax forms" in answer.text
