"""JSON lines, as they are cut off, concatenated, commented and mended by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rag.library.corpus import read_file
from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, skips
from tests.fakes import read_text, write_lines

A, B = json.dumps({"id": "a", "abstract": MILL}), json.dumps({"id": "b", "abstract": FERRY})


@pytest.mark.parametrize(
    "text",
    [
        f"{A}\n{B}",
        f"{A}\r\n{B}\r\n".replace("\r", ""),
        f"{A}\n\n\n{B}\n",
        f"{A},\n{B},\n",
        f"{A}{B}",
        f"{A} {B}\n",
        f"\x1e{A}\n\x1e{B}\n",
    ],
    ids=["plain", "ends", "blank lines", "trailing commas", "side by side", "one line", "record separators"],
)
def test_each_object_is_a_record_however_they_are_separated(text: str) -> None:
    reading = read_text(text)

    assert [(p.id, p.abstract) for p in reading.papers] == [("a", MILL), ("b", FERRY)]
    assert reading.skipped == ()


def test_blank_short_broken_and_foreign_records_are_skipped_by_name_and_reason(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a.jsonl",
        {"id": "m1", "abstract": MILL},
        "",
        {"id": "m2", "abstract": "   "},
        '{"id": "m3", "abstract": "cut off he',
        {"id": "m4", "abstract": "Too short."},
        {"id": "m5", "title": "Only a title"},
        "[1, 2]",
        "null",
        {"id": "m6", "abstract": DIALECT},
    )
    reading = read_file(path)

    assert [p.id for p in reading.papers] == ["m1", "m6"]
    assert skips(reading) == {
        "line 3 (m2)": "it has no abstract",
        "line 4": "the JSON is broken or cut off",
        "line 5 (m4)": "its abstract is too short ('Too short.')",
        "line 6 (m5)": "it has no abstract",
        "line 7": "it is not an object with an abstract",
        "line 8": "it is empty",
    }
    assert reading.partial == "2 of its records could not be read"


def test_the_last_record_needs_no_line_end_and_a_cut_off_one_costs_only_itself() -> None:
    assert abstracts(read_text(f"{A}\n{B}")) == [MILL, FERRY]
    assert skips(read_text(f'{A}\n{B}\n{{"id": "c", "abstr')) == {"line 3": "the JSON is broken or cut off"}


def test_a_string_with_a_bare_line_end_goes_on_in_the_next_line() -> None:
    reading = read_text(
        f'{{"id": "m", "abstract": "MILLNET models tidal\nmills in harbours.\n\nIt gains 4.2 points."}}\n{B}'
    )

    assert [(p.id, p.abstract) for p in reading.papers] == [("m", MILL), ("b", FERRY)]
    assert reading.skipped == ()


def test_a_broken_line_swallows_none_of_those_below_it() -> None:
    reading = read_text(f'{A}\n{{"id": "x", "abstract": "never closed\nand more of it\n{B}')

    assert [p.id for p in reading.papers] == ["a", "b"]
    assert list(skips(reading)) == ["line 2"]


def test_a_page_of_a_service_a_line_gives_the_papers_of_each_page() -> None:
    pages = [json.dumps({"offset": n, "data": [row]}) for n, row in enumerate(map(json.loads, (A, B)))]

    assert [(p.id, p.abstract) for p in read_text("\n".join(pages)).papers] == [("a", MILL), ("b", FERRY)]


def test_separators_that_are_no_line_ends_do_not_break_a_line() -> None:
    text = json.dumps({"id": "m1", "abstract": "Tidal\u2028mills\u0085turn at night."}, ensure_ascii=False)

    assert abstracts(read_text(text + "\n" + B)) == ["Tidal mills turn at night.", FERRY]


def test_half_a_character_is_no_text() -> None:
    reading = read_text('{"id": "m1", "abstract": "Tidal mills \\ud83d turn at night."}\n' + B)

    assert [p.id for p in reading.papers] == ["b"]
    assert list(skips(reading)) == ["line 1"]


def test_ten_thousand_broken_lines_are_told_in_no_time() -> None:
    reading = read_text(A + "\n" + '{"id": "x", "abstract": "cut\n' * 5000 + "no object\n" * 5000)

    assert (len(reading.papers), len(reading.skipped) > 4000) == (1, True)
