"""Tables with commas, semicolons or bars, as spreadsheets, databases and literature services write them."""

from __future__ import annotations

import pytest

from rag.library.corpus import Reading, read_bytes
from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, reasons, skips
from tests.fakes import read_text


def table(text: str) -> Reading:
    return read_bytes(text.encode(), "a.csv")


@pytest.mark.parametrize("sign", [",", ";", "|"])
def test_any_separator_will_do(sign: str) -> None:
    lines = [
        ["Paper ID", "Title", "Abstract", "Authors", "Year"],
        ["m1", "Mills", f'"{MILL}"', "Reed, A.; Holt, B." if sign == "|" else "A. Reed & B. Holt", "2031"],
    ]
    (paper,) = table("\n".join(sign.join(line) for line in lines) + "\n").papers

    assert (paper.id, paper.title, paper.abstract) == ("m1", "Mills", MILL)
    assert paper.metadata == {"authors": ["A. Reed", "B. Holt"], "year": 2031}


def test_an_abstract_with_line_ends_and_doubled_quotes_is_one_field() -> None:
    reading = table('id,abstract\r\nm1,"MILLNET ""turns"" tidal\r\nmills, in har-\r\nbours."\r\nm2,"' + FERRY + '"\r\n')

    assert abstracts(reading) == ['MILLNET "turns" tidal mills, in harbours.', FERRY]
    assert [row.reason for row in reading.notes] == ["its broken lines were joined"]


@pytest.mark.parametrize(
    "cell",
    ['"Mills "turn", and "gain" points, at night"', '"Mills \\"turn\\", and \\"gain\\" points, at night"'],
    ids=["bare", "backslashed"],
)
def test_quotes_inside_a_quoted_field_that_were_not_doubled_do_no_harm(cell: str) -> None:
    reading = table(f"id,abstract,year\nm1,{cell},2031\nm2,{FERRY},2031\n")

    assert abstracts(reading) == ['Mills "turn", and "gain" points, at night', FERRY]
    assert reading.papers[0].metadata == {"year": 2031}


def test_quotes_inside_a_field_without_quotes_do_no_harm() -> None:
    (paper,) = table('id,abstract\nm1,Mills that "turn" at night gain points\n').papers

    assert paper.abstract == 'Mills that "turn" at night gain points'


def test_a_field_that_begins_with_a_quoted_word_keeps_its_quotes() -> None:
    (paper,) = table('id,abstract\nm1,"Deep" mills turn at night and gain points\n').papers

    assert paper.abstract == '"Deep" mills turn at night and gain points'


def test_a_quote_that_is_never_closed_costs_only_its_row() -> None:
    reading = table(f'id,abstract,year\nm1,"{MILL},2031\nm2,"{FERRY}",2031\nm3,{DIALECT},2031\n')

    assert [p.id for p in reading.papers] == ["m2", "m3"]
    assert skips(reading) == {"line 2": "a quotation mark in it is never closed"}


def test_a_last_quote_that_is_never_closed_is_named() -> None:
    reading = table(f'id,abstract\nm1,"{MILL}"\nm2,"{FERRY}\n')

    assert ([p.id for p in reading.papers], list(skips(reading))) == (["m1"], ["line 3"])


def test_a_row_with_more_columns_than_the_header_is_named() -> None:
    reading = table(f"id,abstract\nm1,Mills turn, and turn, at night\nm2,{FERRY}\n")

    assert [p.id for p in reading.papers] == ["m2"]
    assert reasons(reading) == ["it has 4 columns, the header 2: quote what holds ','"]
    assert reading.partial == "1 of its records could not be read"


def test_a_row_with_fewer_columns_than_the_header_is_read_as_far_as_it_goes() -> None:
    reading = table(f"id,abstract,year\nm1,{MILL}\nm2\n")

    assert abstracts(reading) == [MILL]
    assert skips(reading) == {"line 3 (m2)": "it has no abstract"}


def test_of_two_columns_of_one_name_the_first_that_is_filled_counts() -> None:
    reading = table(f"id,Abstract,abstract,Keywords,Keywords\nm1,{MILL},,tides,mills\nm2,,{FERRY},,mills\n")

    assert abstracts(reading) == [MILL, FERRY]
    assert [p.metadata["keywords"] for p in reading.papers] == [["tides"], ["mills"]]


def test_what_excel_and_pandas_write_is_understood() -> None:
    text = f"\ufeffsep=;\nid;abstract;authors;keywords;year\nm1;{MILL};['A. Reed', 'B. Holt'];NaN;2031.0\n;;;;\n"
    (paper,) = table(text).papers

    assert paper.metadata == {"authors": ["A. Reed", "B. Holt"], "year": 2031}


def test_an_index_column_without_a_name_and_a_title_above_the_header_are_passed_over() -> None:
    (paper,) = table(f"Export of 1 December 2031\n\n,id,title,abstract\n0,m1,Mills,{MILL}\n").papers

    assert (paper.id, paper.title, paper.abstract) == ("m1", "Mills", MILL)


def test_a_header_that_is_repeated_between_joined_files_is_no_record() -> None:
    reading = table(f"id,abstract\nm1,{MILL}\nid,abstract\nm2,{FERRY}\n")

    assert (abstracts(reading), reading.skipped) == ([MILL, FERRY], ())


def test_a_field_longer_than_the_csv_module_likes_is_read() -> None:
    long = "Mills turn at night. " * 10_000
    (paper,) = table(f'id,abstract\nm1,"{long}"\n').papers

    assert len(paper.abstract) > 200_000


def test_a_sentence_that_names_an_abstract_is_no_header() -> None:
    text = "This abstract, which is short, has a title and no table in it.\n\n" + MILL

    assert [p.abstract for p in read_text(text).papers][-1] == MILL
    assert len(read_text(text).papers) == 2


# What services export

SCOPUS = (
    '"Authors","Author full names","Author(s) ID","Title","Year","Source title","Volume","Issue","Art. No.","Page start",'
    '"Page end","Page count","Cited by","DOI","Link","Abstract","Author Keywords","Index Keywords","Document Type",'
    '"Publication Stage","Open Access","Source","EID"\n'
    '"Reed A.; Holt B.","Reed, Anna (7); Holt, Bert (8)","7; 8","Mills","2031","Quay","4","2","","1","9","","3","10.1/ab",'
    f'"https://www.example.org/x","{MILL}","tides; mills","","Article","Final","","Scopus","2-s2.0-85"\n'
)
ZOTERO = (
    '"Key","Item Type","Publication Year","Author","Title","Publication Title","ISBN","DOI","Url","Abstract Note","Date",'
    '"Pages","Num Pages","Issue","Volume","Language","Manual Tags"\n'
    f'"AB12","conferencePaper","2031","Reed, Anna; Holt, Bert","Mills","Quay","","10.1/ab","","{MILL}","2031-05-01","","","",'
    '"","en","tides; mills"\n'
)
IEEE = (
    '"Document Title",Authors,"Author Affiliations","Publication Title",Date Added To Xplore,"Publication Year","Volume",'
    '"Issue","Start Page","End Page","Abstract","ISSN",ISBNs,"DOI",PDF Link,"Author Keywords","IEEE Terms","Document Identifier"\n'
    f'"Mills","A. Reed; B. Holt","Quay; Mill","Quay","1 May 2031","2031","4","2","1","9","{MILL}","","","10.1/ab",'
    '"https://www.example.org/x","tides;mills","Wheels","IEEE Conferences"\n'
)


@pytest.mark.parametrize(
    ("text", "identity"), [(SCOPUS, "2-s2.0-85"), (ZOTERO, "AB12"), (IEEE, None)], ids=["scopus", "zotero", "ieee"]
)
def test_exports_of_literature_services_give_all_that_is_known(text: str, identity: str | None) -> None:
    (paper,) = table("\ufeff" + text.replace("\n", "\r\n")).papers

    assert (paper.title, paper.abstract) == ("Mills", MILL)
    assert identity is None or paper.id == identity
    assert {key: value for key, value in paper.metadata.items() if key not in ("url", "authors")} == {
        "venue": "Quay",
        "doi": "10.1/ab",
        "keywords": ["tides", "mills"],
        "year": 2031,
    }
    assert [
        name.split()[-1] if "." not in name.split()[-1] else name.split()[0] for name in paper.metadata["authors"]
    ] == [
        "Reed",
        "Holt",
    ]
