"""What holds in every form: which records are left out, and when one text is one paper."""

from __future__ import annotations

import json

import pytest

from rag.library.corpus import Reading
from tests.core.forms.samples import DIALECT, MILL, abstracts, skips
from tests.fakes import read_text


def test_a_record_that_repeats_another_is_skipped_and_one_with_a_taken_id_as_well() -> None:
    rows = [
        {"id": "a", "abstract": MILL},
        {"id": "b", "abstract": MILL.replace(" ", "  ") + " "},
        {"id": "a", "abstract": DIALECT},
    ]
    reading = read_text("\n".join(map(json.dumps, rows)))

    assert abstracts(reading) == [MILL]
    assert skips(reading) == {
        "line 2 (b)": "it repeats line 1 (a)",
        "line 3 (a)": "its id 'a' is that of line 1 (a), with another text",
    }


def test_a_text_that_two_venues_list_is_a_paper_of_each_and_said_so() -> None:
    listed = [{"id": f"m{year}", "title": "Mills", "abstract": MILL, "year": year} for year in (2030, 2031)]
    reading = read_text("\n".join(map(json.dumps, listed)))

    assert [p.id for p in reading.papers] == ["m2030", "m2031"]
    assert [(n.record, n.reason) for n in reading.notes] == [
        ("line 2 (m2031)", "it repeats line 1 (m2030) in another venue or year, and is kept")
    ]


def test_two_titles_over_one_text_without_ids_are_two_papers() -> None:
    reading = read_text(json.dumps([{"title": "Mills", "abstract": MILL}, {"title": "Tides", "abstract": MILL}]))

    first, second = reading.papers
    assert second.id == f"{first.id}-2"


@pytest.mark.parametrize("text", ["", "\n\n", "[]", "   "])
def test_an_empty_file_gives_nothing(text: str) -> None:
    assert read_text(text) == Reading((), ())
