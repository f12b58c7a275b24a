"""One abstract a line, with or without a heading, an end or a blank line here and there."""

from __future__ import annotations

from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, skips
from tests.fakes import read_text

LONG = (
    "Tidal mills turn at night under light load while the harbour sleeps and the gauges count each turn of the wheel "
)


def test_abstracts_stand_one_a_line() -> None:
    reading = read_text("\n".join([MILL, FERRY, DIALECT]))

    assert abstracts(reading) == [MILL, FERRY, DIALECT]
    assert (reading.notes, reading.skipped) == ((), ())


def test_a_first_line_that_heads_the_file_gives_venue_and_year() -> None:
    reading = read_text(f"Proceedings of HARBOUR 2031\n{MILL}\n{DIALECT}\n")

    assert abstracts(reading) == [MILL, DIALECT]
    assert {p.metadata["year"] for p in reading.papers} == {2031}


def test_a_blank_line_among_them_changes_nothing() -> None:
    assert abstracts(read_text(f"{MILL}\n\n{FERRY}\n{DIALECT}\n\n\n")) == [MILL, FERRY, DIALECT]


def test_long_lines_are_abstracts_of_their_own_even_where_they_end_with_an_address_or_a_formula() -> None:
    lines = [LONG * 3 + end for end in ("at https://example.org/mills", "in $O(n)$", "(see 12%)", "by $x^2$ steps")]

    assert len(read_text("\n".join(lines)).papers) == 4


def test_a_single_line_of_a_million_characters_is_read_whole() -> None:
    (paper,) = read_text(LONG * 9000).papers

    assert len(paper.abstract) == len((LONG * 9000).strip())


def test_a_line_given_twice_is_stored_once() -> None:
    assert skips(read_text(f"{MILL}\n{DIALECT}\n{MILL} \n")) == {"line 3": "it repeats line 1"}


def test_lines_of_json_among_them_are_read_as_such() -> None:
    reading = read_text(f'{MILL}\n{{"id": "f", "abstract": "{FERRY}"}}\n{DIALECT}\n')

    assert [p.abstract for p in reading.papers] == [MILL, FERRY, DIALECT]
    assert reading.papers[1].id == "f"


def test_separators_that_are_no_line_ends_break_no_abstract() -> None:
    assert abstracts(read_text(f"Tidal\u2028mills\u0085turn at night.\n{DIALECT}")) == [
        "Tidal mills turn at night.",
        DIALECT,
    ]
