"""Tables with tabs: mostly without quotes, so that a quotation mark is only a character."""

from __future__ import annotations

from rag.library.corpus import read_bytes
from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, skips

HEAD = "id\ttitle\tabstract\tyear\n"


def test_a_table_with_tabs_is_read() -> None:
    (paper,) = read_bytes(f"{HEAD}m1\tMills\t{MILL}\t2031\n".encode(), "a.tsv").papers

    assert (paper.id, paper.title, paper.abstract, paper.metadata) == ("m1", "Mills", MILL, {"year": 2031})


def test_quotation_marks_are_only_characters() -> None:
    first, second, third = 'Mills "turn, at night', '"Deep" mills turn at night', 'Mills 5" wide turn at night'
    text = "".join(f"m{n}\tMills\t{cell}\t2031\n" for n, cell in enumerate((first, second, third)))
    reading = read_bytes((HEAD + text).encode(), "a.tsv")

    assert abstracts(reading) == [first, second, third]
    assert {p.metadata["year"] for p in reading.papers} == {2031}


def test_a_quoted_field_with_tabs_and_line_ends_is_one_field() -> None:
    reading = read_bytes(
        (HEAD + f'm1\tMills\t"MILLNET\tturns\nat ""night"" again"\t2031\nm2\tF\t{FERRY}\t2031\n').encode(), "a"
    )

    assert abstracts(reading) == ['MILLNET turns at "night" again', FERRY]


def test_what_excel_saves_as_unicode_text_is_read() -> None:
    data = b"\xff\xfe" + f"{HEAD}m1\tMühlen\t{MILL}\t2031\n".replace("\n", "\r\n").encode("utf-16-le")

    assert [p.title for p in read_bytes(data, "a.txt").papers] == ["Mühlen"]


def test_empty_lines_and_empty_cells_are_passed_over() -> None:
    reading = read_bytes((HEAD + f"\n\t\t\t\nm1\t\t{MILL}\t\n\nm2\tF\t\t\n").encode(), "a.tsv")

    assert (abstracts(reading), skips(reading)) == ([MILL], {"line 6 (m2)": "it has no abstract"})
    assert reading.papers[0].title_derived


def test_a_tab_too_many_is_named() -> None:
    reading = read_bytes((HEAD + f"m1\tMills\tMills turn\tat night\t2031\nm2\tD\t{DIALECT}\t2030\n").encode(), "a.tsv")

    assert [p.id for p in reading.papers] == ["m2"]
    assert list(skips(reading)) == ["line 2"]
