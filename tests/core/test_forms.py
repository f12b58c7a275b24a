"""Small invented files in each form's real shape, and the ugliest things that each form does in practice."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from rag.errors import InputError
from rag.library.corpus import Reading, read_bytes, read_file
from tests.fakes import read_text

MILL = "MILLNET models tidal mills in harbours. It gains 4.2 points."
FERRY = "FERRYQ plans ferry routes by night. It saves 7 minutes a trip."
DIALECT = "We record nine dialects of one valley. The corpus holds 300 hours."


def rows(reading: Reading) -> list[tuple[str, str, str]]:
    return [(p.id, p.title, p.abstract) for p in reading.papers]


def reasons(reading: Reading) -> list[str]:
    return [row.reason for row in reading.skipped]


# OpenReview


def note(identity: str = "n1", **content: object) -> dict[str, object]:
    values = {"title": "Mills", "abstract": MILL, **content}
    return {"id": identity, "forum": identity, "content": {key: {"value": value} for key, value in values.items()}}


def test_openreview_notes_give_all_that_is_known() -> None:
    text = json.dumps(
        {
            "notes": [
                note(
                    authors=["A. Reed", "B. Holt"],
                    keywords=["tides", "mills"],
                    venue="HARBOUR 2031 Poster",
                    pdf="/pdf/ab12.pdf",
                    **{"TL;DR": "Mills turn."},
                )
            ],
            "count": 1,
        },
        indent=1,
    )
    (paper,) = read_text(text).papers

    assert paper.metadata == {
        "venue": "HARBOUR 2031 Poster",
        "url": "https://openreview.net/pdf/ab12.pdf",
        "tldr": "Mills turn.",
        "authors": ["A. Reed", "B. Holt"],
        "keywords": ["tides", "mills"],
        "year": 2031,
    }


def test_openreview_plain_content_of_the_first_interface_is_read() -> None:
    text = json.dumps([{"id": "n1", "content": {"title": "Mills", "abstract": MILL, "authors": ["A. Reed"]}}])

    assert rows(read_text(text)) == [("n1", "Mills", MILL)]


def test_openreview_a_deleted_note_is_skipped_by_name() -> None:
    reading = read_text(json.dumps({"notes": [{**note(), "ddate": 1}, note("n2", abstract=FERRY)]}))

    assert (rows(reading), reasons(reading)) == (
        [("n2", "Mills", FERRY)],
        ["its source has marked it as deleted"],
    )


def test_openreview_an_empty_value_and_anonymous_authors_break_nothing() -> None:
    reading = read_text(json.dumps([note(authors=None, keywords=None, venue=None, pdf=None)]))

    assert reading.papers[0].metadata == {}


def test_openreview_a_moment_in_milliseconds_gives_the_year() -> None:
    reading = read_text(json.dumps([{**note(), "pdate": 1_935_000_000_000}]))

    assert reading.papers[0].metadata == {"year": 2031}


# Semantic Scholar


def test_semantic_scholar_pages_are_read() -> None:
    row = {
        "paperId": "649def",
        "externalIds": {"DOI": "10.1/ab", "CorpusId": 12},
        "title": "Mills",
        "abstract": MILL,
        "venue": "HARBOUR",
        "publicationVenue": {"id": "x", "name": "Harbour Conference"},
        "year": 2031,
        "authors": [{"authorId": "1", "name": "A. Reed"}, {"authorId": None, "name": "B. Holt"}],
        "fieldsOfStudy": ["Computer Science"],
        "tldr": {"model": "tldr@v2", "text": "Mills turn."},
        "openAccessPdf": None,
    }
    text = json.dumps({"total": 2, "offset": 0, "data": [row, {"paperId": "77", "title": "No text", "abstract": None}]})
    reading = read_text(text)

    assert rows(reading) == [("649def", "Mills", MILL)]
    assert reading.papers[0].metadata == {
        "venue": "HARBOUR",
        "doi": "10.1/ab",
        "tldr": "Mills turn.",
        "authors": ["A. Reed", "B. Holt"],
        "keywords": ["Computer Science"],
        "year": 2031,
    }
    assert reasons(reading) == ["it has no abstract"]


# arXiv metadata


def test_arxiv_metadata_lines_are_read() -> None:
    row = {
        "id": "3101.00042",
        "authors": "C. Bal\\'azs, E. L. Berger and P. Nadolsky",
        "title": "Mills\n  in Harbours",
        "categories": "cs.LG stat.ML",
        "abstract": "  MILLNET models tidal mills in har-\nbours. It gains\n4.2 points.\n",
        "versions": [{"version": "v1", "created": "Mon, 2 Apr 2031 19:18:42 GMT"}],
        "journal-ref": None,
        "doi": None,
    }
    (paper,) = read_text(json.dumps(row) + "\n").papers

    assert (paper.id, paper.title, paper.abstract) == ("3101.00042", "Mills in Harbours", MILL)
    assert paper.metadata == {
        "authors": ["C. Balázs", "E. L. Berger", "P. Nadolsky"],
        "keywords": ["cs.LG", "stat.ML"],
        "year": 2031,
    }


# JSON of other layouts


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"a": {"abstract": MILL}, "b": {"abstract": FERRY}}),
        json.dumps({"meta": {"n": 2}, "papers": [{"id": "a", "abstract": MILL}, {"id": "b", "abstract": FERRY}]}),
        json.dumps({"id": ["a", "b"], "abstract": [MILL, FERRY]}),
        json.dumps({"id": {"0": "a", "1": "b"}, "abstract": {"0": MILL, "1": FERRY}}),
        json.dumps({"id": "a", "abstract": MILL}, indent=2)
        + "\n"
        + json.dumps({"id": "b", "abstract": FERRY}, indent=2),
        f'{{"id": "a", "abstract": "{MILL}"}},\n{{"id": "b", "abstract": "{FERRY}"}},\n',
        f'[{{"ID": "a", "Abstract": "{MILL}", "n": NaN}},\n{{"Paper ID": "b", "ABSTRACT": "{FERRY}"}}]',
    ],
    ids=["by id", "wrapped", "columns", "pandas", "one after another", "trailing commas", "odd keys and NaN"],
)
def test_json_of_every_layout_gives_the_same_papers(text: str) -> None:
    assert [(p.id, p.abstract) for p in read_text(text).papers] == [("a", MILL), ("b", FERRY)]


# Tables


def table(text: str) -> Reading:
    return read_bytes(text.encode(), "a.csv")


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_tables_with_any_separator_are_read(sign: str) -> None:
    lines = [
        ["Paper ID", "Title", "Abstract", "Authors", "Year"],
        ["m1", "Mills", f'"{MILL}"', "Reed, A.; Holt, B." if sign == "|" else "A. Reed & B. Holt", "2031"],
    ]
    (paper,) = table("\n".join(sign.join(line) for line in lines) + "\n").papers

    assert (paper.id, paper.title, paper.abstract) == ("m1", "Mills", MILL)
    assert paper.metadata == {"authors": ["A. Reed", "B. Holt"], "year": 2031}


def test_table_an_abstract_with_line_ends_and_doubled_quotes_is_one_field() -> None:
    reading = table('id,abstract\r\nm1,"MILLNET ""turns"" tidal\r\nmills, in har-\r\nbours."\r\nm2,"' + FERRY + '"\r\n')

    assert [p.abstract for p in reading.papers] == ['MILLNET "turns" tidal mills, in harbours.', FERRY]
    assert [row.reason for row in reading.notes] == ["its broken lines were joined"]


def test_table_a_quote_that_is_never_closed_costs_only_its_row() -> None:
    reading = table(f'id,abstract,year\nm1,"{MILL},2031\nm2,"{FERRY}",2031\nm3,{DIALECT},2031\n')

    assert [p.id for p in reading.papers] == ["m2", "m3"]
    assert [(r.record, r.reason) for r in reading.skipped] == [("line 2", "a quotation mark in it is never closed")]


def test_table_a_last_quote_that_is_never_closed_is_named() -> None:
    reading = table(f'id,abstract\nm1,"{MILL}"\nm2,"{FERRY}\n')

    assert ([p.id for p in reading.papers], [r.record for r in reading.skipped]) == (["m1"], ["line 3"])


def test_table_a_quote_inside_a_field_that_was_not_doubled_does_no_harm() -> None:
    (paper,) = table('id,abstract\nm1,Mills that "turn" at night gain points\n').papers

    assert paper.abstract == 'Mills that "turn" at night gain points'


def test_table_a_row_with_more_columns_than_the_header_is_named() -> None:
    reading = table(f"id,abstract\nm1,Mills turn, and turn, at night\nm2,{FERRY}\n")

    assert [p.id for p in reading.papers] == ["m2"]
    assert reasons(reading) == ["it has 4 columns, the header 2: quote what holds ','"]
    assert reading.partial == "1 of its records could not be read"


def test_table_what_excel_and_pandas_write_is_understood() -> None:
    text = f"\ufeffsep=;\nid;abstract;authors;keywords;year\nm1;{MILL};['A. Reed', 'B. Holt'];NaN;2031.0\n;;;;\n"
    (paper,) = table(text).papers

    assert paper.metadata == {"authors": ["A. Reed", "B. Holt"], "year": 2031}


def test_table_a_field_longer_than_the_csv_module_likes_is_read() -> None:
    long = "Mills turn at night. " * 10_000
    (paper,) = table(f'id,abstract\nm1,"{long}"\n').papers

    assert len(paper.abstract) > 200_000


def test_table_a_sentence_that_names_an_abstract_is_no_header() -> None:
    text = "This abstract, which is short, has a title and no table in it.\n\n" + MILL

    assert [p.abstract for p in read_text(text).papers][-1] == MILL
    assert len(read_text(text).papers) == 2


# BibTeX

BIB = r"""
% a comment before the first entry
@string{harbour = "Proc. HARBOUR"}
@comment{nothing}
@inproceedings{reed31,
  title = {{MILLNET}: Mills at K{\"u}sten},
  author = {Reed, Anna and Bert Holt and {The Mill Group}},
  booktitle = harbour # " 2031",
  year = 2031, month = jan,
  abstract = {MILLNET models {tidal} mills in
     har-
     bours. It gains 12\% in $\mathcal{O}(n^{2})$ steps.},
  keywords = {tides, mills},
  doi = {10.1/ab}
}
"""


def test_bibtex_gives_all_that_is_known() -> None:
    (paper,) = read_text(BIB).papers

    assert (paper.id, paper.title) == ("reed31", "MILLNET: Mills at Küsten")
    assert paper.abstract.startswith("MILLNET models tidal mills in harbours. It gains 12% in $")
    assert paper.metadata == {
        "venue": "Proc. HARBOUR 2031",
        "doi": "10.1/ab",
        "authors": ["Anna Reed", "Bert Holt", "The Mill Group"],
        "keywords": ["tides", "mills"],
        "year": 2031,
    }


@pytest.mark.parametrize(
    ("broken", "word"),
    [
        ("@article{x1, title = {never closed, abstract = {Words without end", "x1"),
        ("@article{x2, title = {fine} abstract = {a comma is missing here}}", "x2"),
        ('@article{x3, abstract = "a quote " too many" }', "x3"),
    ],
)
def test_bibtex_a_broken_entry_costs_only_itself(broken: str, word: str) -> None:
    reading = read_text(f"@article{{a, abstract={{{MILL}}}}}\n{broken}\n@misc{{b, abstract={{{FERRY}}}}}\n")

    assert [p.id for p in reading.papers] == ["a", "b"]
    assert (reading.skipped[0].record, len(reading.skipped)) == (f"line 2 ({word})", 1)
    assert reading.skipped[0].reason.startswith("its BibTeX is broken")


def test_bibtex_a_key_given_twice_and_an_unknown_abbreviation_are_told_and_survived() -> None:
    text = (
        f"@article{{a, abstract={{{MILL}}}, journal = nosuch}}\n@article{{a, abstract={{{FERRY}}}}}\n"
        f"@ARTICLE(c, Abstract = {{{DIALECT}}})\n@article{{d, title={{No abstract}}}}\n"
    )
    reading = read_text(text)

    assert [(p.id, p.metadata.get("venue")) for p in reading.papers] == [("a", "nosuch"), ("c", None)]
    assert reasons(reading) == ["its id 'a' is that of line 1 (a), with another text", "it has no abstract"]


# RIS

RIS = f"""\ufeffTY  - CONF
ID  - reed31
AU  - Reed, Anna
AU  - Holt, Bert
TI  - Mills
T2  - HARBOUR
PY  - 2031/05/01/
AB  - MILLNET models tidal mills
in harbours. It gains 4.2 points.
KW  - tides
KW  - mills
DO  - 10.1/ab
UR  - https://example.org/a_b
ER  -

TY  - JOUR
T1  - Ferries
N2  - {FERRY}
TY  - JOUR
TI  - Dialects
AB - {DIALECT}
UNKNOWN LINE
ER  -
"""


def test_ris_gives_all_that_is_known_and_forgives_what_exporters_leave_out() -> None:
    reading = read_bytes(RIS.encode(), "a.ris")

    assert [(p.title, p.abstract.removesuffix(" UNKNOWN LINE")) for p in reading.papers] == [
        ("Mills", MILL),
        ("Ferries", FERRY),
        ("Dialects", DIALECT),
    ]
    assert (reading.papers[0].id, reading.papers[0].metadata) == (
        "reed31",
        {
            "venue": "HARBOUR",
            "url": "https://example.org/a_b",
            "doi": "10.1/ab",
            "authors": ["Anna Reed", "Bert Holt"],
            "keywords": ["tides", "mills"],
            "year": 2031,
        },
    )


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_ris_any_line_end_will_do(ends: str) -> None:
    assert len(read_bytes(RIS.replace("\n", ends).encode(), "a.ris").papers) == 3


def test_ris_a_reference_without_abstract_or_cut_off_is_read_as_far_as_it_goes() -> None:
    reading = read_text(f"TY  - JOUR\nTI  - Nothing\nER  - \nTY  - JOUR\nAB  - {MILL}")

    assert (len(reading.papers), reasons(reading)) == (1, ["it has no abstract"])


# Packed files, folders, standard input


def packed(members: Sequence[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def test_a_zip_of_many_forms_is_one_source_and_what_is_no_text_is_named() -> None:
    data = packed(
        [
            ("a/one.jsonl", json.dumps({"id": "m1", "abstract": MILL}).encode()),
            ("a/two.csv.gz", gzip.compress(f"id,abstract\nm2,{FERRY}\n".encode())),
            ("b/three.txt", DIALECT.encode("utf-16")),
            ("__MACOSX/._one.jsonl", b"\x00\x05\x16\x07"),
            ("README.md", b"This says what the other files are about."),
            ("paper.pdf", b"%PDF-1.7 ..."),
            ("inner.zip", packed([("four.json", json.dumps([{"id": "m4", "abstract": MILL + " Twice."}]).encode())])),
        ]
    )
    reading = read_bytes(data, "all.zip")

    assert [p.abstract for p in reading.papers] == [MILL, FERRY, DIALECT, MILL + " Twice."]
    assert [(row.record, row.reason) for row in reading.skipped] == [
        ("paper.pdf", "paper.pdf is no text; save the abstracts as text, JSON, CSV, BibTeX or RIS")
    ]


def test_a_damaged_zip_is_named_and_a_damaged_member_costs_only_itself() -> None:
    data = bytearray(packed([("a.txt", MILL.encode() * 3), ("b.txt", FERRY.encode())]))
    with pytest.raises(InputError, match=r"all\.zip is a damaged zip file"):
        read_bytes(bytes(data[:60]), "all.zip")
    data[40:44] = b"\xff\xff\xff\xff"

    reading = read_bytes(bytes(data), "all.zip")

    assert [p.abstract for p in reading.papers] == [FERRY]
    assert (reading.skipped[0].record, bool(reading.partial)) == ("a.txt", True)


def test_files_packed_without_end_are_refused() -> None:
    data = MILL.encode()
    for _ in range(6):
        data = gzip.compress(data)

    with pytest.raises(InputError, match=r"is packed more than 3 times over; unpack it first"):
        read_bytes(data, "deep.gz")


def test_a_folder_is_read_by_name_without_what_is_hidden(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.txt").write_text(FERRY, encoding="utf-8")
    (tmp_path / "sub" / "a.json").write_text(json.dumps([{"id": "m1", "abstract": MILL}]), encoding="utf-8")
    (tmp_path / ".hidden").write_text(DIALECT, encoding="utf-8")
    (tmp_path / "LICENSE").write_text("You may use these files as you like.", encoding="utf-8")
    (tmp_path / "c.json").write_text("[{", encoding="utf-8")

    reading = read_file(tmp_path)

    assert [p.abstract for p in reading.papers] == [FERRY, MILL]
    assert [row.record for row in reading.skipped] == ["c.json"]
    assert "breaks at line 1" in reading.skipped[0].reason


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no file; give one with files of abstracts"):
        read_file(tmp_path)


def test_standard_input_is_read_in_any_form(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(gzip.compress(BIB.encode())), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", stream)

    assert [p.id for p in read_file(Path("-")).papers] == ["reed31"]


# One abstract under two ids


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
