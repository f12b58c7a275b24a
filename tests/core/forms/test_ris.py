"""RIS as Scopus, Zotero, EndNote and publishers write it, and the tagged exports that are nearly RIS."""

from __future__ import annotations

import pytest

from rag.library.corpus import read_bytes
from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, reasons, rows
from tests.fakes import read_text

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


def test_references_give_all_that_is_known_and_what_exporters_leave_out_is_forgiven() -> None:
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


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r", "\n\r\n"])
def test_any_line_end_will_do(ends: str) -> None:
    assert len(read_bytes(RIS.replace("\n", ends).encode(), "a.ris").papers) == 3


def test_a_reference_without_abstract_or_cut_off_is_read_as_far_as_it_goes() -> None:
    reading = read_text(f"TY  - JOUR\nTI  - Nothing\nER  - \nTY  - JOUR\nAB  - {MILL}")

    assert (len(reading.papers), reasons(reading)) == (1, ["it has no abstract"])


def test_a_wrapped_line_that_looks_like_a_tag_is_the_abstracts() -> None:
    (paper,) = read_text("TY  - JOUR\nAB  - MILLNET is an\nAI - based model of\nML - driven mills.\nER  - ").papers

    assert paper.abstract == "MILLNET is an AI - based model of ML - driven mills."


def test_an_abstract_with_blank_lines_and_indented_lines_is_read_whole() -> None:
    (paper,) = read_text(
        "TY  - JOUR\nAB  - MILLNET models tidal\n\n      mills in harbours.\n\nIt gains 4.2 points.\nER  - \n"
    ).papers

    assert paper.abstract == MILL


def test_the_abstract_in_either_field_is_found_and_ab_goes_first() -> None:
    both = read_text(f"TY  - JOUR\nN2  - {FERRY}\nAB  - {MILL}\nER  - ")
    empty = read_text(f"TY  - JOUR\nAB  - \nN2  - {FERRY}\nER  - ")

    assert (abstracts(both), abstracts(empty)) == ([MILL], [FERRY])


def test_what_a_provider_writes_above_and_after_the_references_is_passed_over() -> None:
    text = (
        'Provider: Quay\nDatabase: Harbour\nContent: text/plain; charset="UTF-8"\n\n\nTY  - JOUR\nA1  - Reed, Anna, Jr.\n'
        f"Y1  - 2031///\nJF  - Quay Letters\nN2  - {MILL}\nKW  - tides; mills\nDO  - https://doi.org/10.1/ab\nER  - \nM3  - doi:10.1/ab\n"
    )
    (paper,) = read_text(text).papers

    assert paper.metadata == {
        "venue": "Quay Letters",
        "doi": "10.1/ab",
        "authors": ["Anna Reed Jr."],
        "keywords": ["tides", "mills"],
        "year": 2031,
    }


def test_a_dash_without_its_space_and_a_date_in_place_of_a_year_are_read() -> None:
    (paper,) = read_text(f"TY  -JOUR\nTI  -Mills\nAB  -{MILL}\nDA  - 2031/05/01\nER  -").papers

    assert (paper.title, paper.abstract, paper.metadata) == ("Mills", MILL, {"year": 2031})


# Tagged exports of another kind

MEDLINE = f"""PMID- 31000042
OWN - NLM
DP  - 2031 May
TI  - Mills
      in Harbours
LID - 10.1/ab [doi]
AB  - MILLNET models tidal mills
      in harbours. It gains 4.2 points.
FAU - Reed, Anna
AU  - Reed A
FAU - Holt, Bert
JT  - Quay letters
MH  - Tides

PMID- 31000043
TI  - Ferries
AB  - {FERRY}
"""
REFER = f"""%0 Journal Article
%T Mills in Harbours
%A Reed, Anna
%A Holt, Bert
%J Quay letters
%D 2031
%X {MILL.replace(" tidal", chr(10) + "tidal")}
%K Tides
%R 10.1/ab

%0 Journal Article
%T Ferries
%X {FERRY}
"""
SCIENCE = f"""FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Reed, A
   Holt, B
AF Reed, Anna
   Holt, Bert
TI Mills
   in Harbours
SO Quay letters
DE Tides
AB MILLNET models tidal mills
   in harbours. It gains 4.2 points.
PY 2031
DI 10.1/ab
UT WOS:0001
ER

PT J
TI Ferries
AB {FERRY}
ER

EF
"""


@pytest.mark.parametrize(
    ("text", "identity"), [(MEDLINE, "31000042"), (REFER, ""), (SCIENCE, "WOS:0001")], ids=["pubmed", "endnote", "wos"]
)
def test_tagged_exports_give_all_that_is_known(text: str, identity: str) -> None:
    reading = read_bytes(text.replace("\n", "\r\n").encode(), "export.txt")

    assert [(title, abstract) for _, title, abstract in rows(reading)] == [
        ("Mills in Harbours", MILL),
        ("Ferries", FERRY),
    ]
    assert not identity or reading.papers[0].id == identity
    assert reading.papers[0].metadata == {
        "venue": "Quay letters",
        "doi": "10.1/ab",
        "authors": ["Anna Reed", "Bert Holt"],
        "keywords": ["Tides"],
        "year": 2031,
    }
