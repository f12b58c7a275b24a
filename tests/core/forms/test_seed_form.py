"""The form of the seeds: plain abstracts between blank lines, below a heading that gives the venue and the year."""

from __future__ import annotations

import random
import textwrap

import pytest

from rag.library.corpus import read_file
from rag.resources import resource
from rag.text.tex import readable
from rag.types import Paper
from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, skips
from tests.fakes import read_text


def test_the_seeds_are_nineteen_papers_of_one_venue_and_year(seed_papers: tuple[Paper, ...]) -> None:
    reading = read_file(resource("seeds", "icml-2026.txt"))

    assert len(seed_papers) == len({p.id for p in seed_papers}) == 19
    assert reading.skipped == ()
    assert all(p.metadata == {"venue": "ICML", "year": 2026} for p in seed_papers)
    assert all("ICML 2026 Papers" not in p.abstract for p in seed_papers)


def test_a_paper_keeps_its_source_beside_the_readable_text(seed_papers: tuple[Paper, ...]) -> None:
    source = resource("seeds", "icml-2026.txt").read_text(encoding="utf-8")

    assert all(p.source_text in source and readable(p.source_text) == p.abstract for p in seed_papers)


def test_ids_stay_when_abstracts_change_places_and_lines_are_wrapped_anew(seed_papers: tuple[Paper, ...]) -> None:
    blocks = resource("seeds", "icml-2026.txt").read_text(encoding="utf-8").split("\n\n")
    heading, rest = blocks[0], blocks[1:]
    random.Random(7).shuffle(rest)
    wrapped = [textwrap.fill(b, 70, break_long_words=False, break_on_hyphens=False) for b in rest]

    again = read_text("\n\n\n".join([heading, *wrapped]) + "\n\n")

    assert {p.id: p.abstract for p in again.papers} == {p.id: p.abstract for p in seed_papers}


@pytest.mark.parametrize("gap", ["\n\n", "\n \t\n", "\n\n\n\n"])
def test_plain_abstracts_are_told_apart_by_blank_lines(gap: str) -> None:
    assert abstracts(read_text(gap.join([MILL, FERRY, DIALECT]))) == [MILL, FERRY, DIALECT]


def test_an_abstract_may_run_over_several_lines_and_break_words() -> None:
    reading = read_text("MILLNET models tidal\nmills in har-\nbours. It gains 4.2 points.\n\n" + DIALECT)

    assert abstracts(reading) == [MILL, DIALECT]
    assert [(note.record, note.reason) for note in reading.notes] == [("line 1", "its broken lines were joined")]


def test_an_abstract_that_was_broken_after_each_sentence_stays_one() -> None:
    broken = [text.replace(". ", ".\n") for text in (MILL, FERRY, DIALECT)]

    assert abstracts(read_text("\n\n".join(broken))) == [MILL, FERRY, DIALECT]


@pytest.mark.parametrize(
    "heading", ["HARBOUR 2031 Papers", "# HARBOUR 2031", "HARBOUR 2031 Papers\n=====", "== HARBOUR 2031 =="]
)
def test_a_heading_in_any_dress_gives_venue_and_year(heading: str) -> None:
    reading = read_text(f"{heading}\n\n{MILL}\n\n{DIALECT}\n")

    assert abstracts(reading) == [MILL, DIALECT]
    assert [p.metadata for p in reading.papers] == [{"venue": "HARBOUR", "year": 2031}] * 2


def test_a_title_above_an_abstract_on_one_line_is_its_title() -> None:
    long = " ".join([MILL, FERRY, DIALECT])
    reading = read_text(
        f"Mills at \\textit{{Night}}\n{long}\n\n## Ferries by Day\n{long.replace('mills', 'ferries')}\n\n{DIALECT}\n"
    )

    assert [(p.title, p.title_derived) for p in reading.papers[:2]] == [
        ("Mills at Night", False),
        ("Ferries by Day", False),
    ]
    assert abstracts(reading) == [long, long.replace("mills", "ferries"), DIALECT]


def test_a_second_heading_gives_the_venue_of_what_stands_below_it() -> None:
    reading = read_text(f"HARBOUR 2031 Papers\n\n{MILL}\n\nQUAY 2032 Papers\n\n{FERRY}\n{DIALECT}\n")

    assert [(p.metadata["venue"], p.metadata["year"]) for p in reading.papers] == [
        ("HARBOUR", 2031),
        ("QUAY", 2032),
        ("QUAY", 2032),
    ]
    assert reading.skipped == ()


def test_rules_between_abstracts_are_no_abstracts() -> None:
    reading = read_text(f"{MILL}\n\n---\n\n{FERRY}\n\n* * *\n\n{DIALECT}\n\n==========\n")

    assert (abstracts(reading), reading.skipped) == ([MILL, FERRY, DIALECT], ())


def test_a_stub_is_skipped_by_its_line() -> None:
    assert skips(read_text(f"{MILL}\n\nTo be added.\n\n{FERRY}")) == {
        "line 3": "its abstract is too short ('To be added.')"
    }


def test_indented_abstracts_and_trailing_spaces_are_read_as_they_would_be_without() -> None:
    assert abstracts(read_text(f"   {MILL}   \n\t\n\t{DIALECT}\t\n")) == [MILL, DIALECT]
