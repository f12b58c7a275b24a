"""arXiv: the metadata snapshot's lines, what its client writes, Atom feeds and harvested records."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rag.errors import InputError
from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, rows, skips
from tests.fakes import read_text


def line(identity: str = "3101.00042", **fields: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "submitter": "Anna Reed",
        "authors": "C. Bal\\'azs, E. L. Berger and P. Nadolsky",
        "title": "Mills\n  in Harbours",
        "comments": "12 pages, 3 figures; v2: typos",
        "journal-ref": None,
        "doi": None,
        "report-no": None,
        "categories": "cs.LG stat.ML",
        "license": None,
        "abstract": "  MILLNET models tidal mills in har-\nbours. It gains\n4.2 points.\n",
        "versions": [
            {"version": "v1", "created": "Mon, 2 Apr 2031 19:18:42 GMT"},
            {"version": "v2", "created": "2033"},
        ],
        "update_date": "2033-11-26",
        "authors_parsed": [["Balázs", "C.", ""], ["Berger", "E. L.", ""], ["Nadolsky", "P.", "Jr."]],
        **fields,
    }


def test_a_line_of_the_snapshot_gives_all_that_is_known() -> None:
    (paper,) = read_text(json.dumps(line()) + "\n").papers

    assert (paper.id, paper.title, paper.abstract) == ("3101.00042", "Mills in Harbours", MILL)
    assert paper.metadata == {
        "authors": ["C. Balázs", "E. L. Berger", "P. Nadolsky Jr."],
        "keywords": ["cs.LG", "stat.ML"],
        "year": 2031,
    }


def test_authors_in_one_text_with_tex_and_affiliations_are_told_apart() -> None:
    row = line(authors="C. Bal\\'azs (1), E. L. Berger (1 and 2) ((1) Quay Lab, (2) Mill House)", authors_parsed=None)

    assert read_text(json.dumps(row)).papers[0].metadata["authors"] == ["C. Balázs", "E. L. Berger"]


@pytest.mark.parametrize(
    "identity",
    [
        "3101.00042",
        "3101.00042v2",
        "arXiv:3101.00042v1",
        "http://arxiv.org/abs/3101.00042v3",
        "oai:arXiv.org:3101.00042",
    ],
)
def test_an_id_is_the_papers_however_it_is_written(identity: str) -> None:
    assert read_text(json.dumps(line(identity))).papers[0].id == "3101.00042"


def test_an_old_id_keeps_its_archive() -> None:
    assert read_text(json.dumps(line("http://arxiv.org/abs/hep-ph/0701001v1"))).papers[0].id == "hep-ph/0701001"


@pytest.mark.parametrize("order", [("v1", "v2"), ("v2", "v1")])
def test_of_two_versions_the_later_one_is_stored(order: tuple[str, str]) -> None:
    texts = {"v1": MILL, "v2": MILL.replace("4.2", "4.4")}
    reading = read_text("\n".join(json.dumps(line(f"3101.00042{v}", abstract=texts[v])) for v in order))

    assert abstracts(reading) == [texts["v2"]]
    assert [("later version" in reason) for reason in skips(reading).values()] == [True]


def test_a_notice_of_withdrawal_is_no_abstract_and_an_abstract_that_speaks_of_one_is() -> None:
    notice = "This paper has been withdrawn by the author due to a crucial sign error in equation 1."
    speaks = f"{MILL} This paper has been withdrawn from another harbour."
    reading = read_text("\n".join(json.dumps(line(i, abstract=a)) for i, a in (("3101.1", notice), ("3101.2", speaks))))

    assert abstracts(reading) == [speaks]
    assert skips(reading) == {"line 1 (3101.1)": "it only says that the paper was withdrawn"}
    assert reading.partial == ""


def test_formulas_and_dollars_stay_what_they_are() -> None:
    (paper,) = read_text(
        json.dumps(line(abstract='  Costs fall from \\$3 to $O(N\\log N)$, a $12\\%$ gain for K\\"ahler mills.\n'))
    ).papers

    assert paper.abstract == "Costs fall from $3 to $O(N\\log N)$, a 12% gain for Kähler mills."


def test_what_a_client_writes_is_read() -> None:
    row = {
        "entry_id": "http://arxiv.org/abs/3101.00042v1",
        "title": "Mills",
        "summary": MILL,
        "authors": [{"name": "A. Reed"}],
        "published": "2031-01-02T00:00:00Z",
        "primary_category": "cs.LG",
        "categories": ["cs.LG", "stat.ML"],
        "pdf_url": "http://arxiv.org/pdf/3101.00042v1",
    }
    (paper,) = read_text(json.dumps([row])).papers

    assert (paper.id, paper.abstract) == ("3101.00042", MILL)
    assert paper.metadata == {
        "url": "http://arxiv.org/pdf/3101.00042v1",
        "authors": ["A. Reed"],
        "keywords": ["cs.LG", "stat.ML"],
        "year": 2031,
    }


# XML

ATOM = f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title>
<entry><id>http://arxiv.org/abs/3101.00042v2</id><published>2031-01-02T00:00:00Z</published><title>Mills
  in Harbours</title><summary>  {MILL.replace(" tidal", chr(10) + "tidal")}
</summary><author><name>A. Reed</name></author><category term="cs.LG"/></entry>
<entry><id>http://arxiv.org/abs/3101.00043v1</id><title>Empty</title><summary/></entry></feed>
"""
OAI = f"""<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><ListRecords>
<record><header><identifier>oai:arXiv.org:3101.00042</identifier></header><metadata>
<arXiv xmlns="http://arxiv.org/OAI/arXiv/"><id>3101.00042</id><created>2031-01-02</created><authors><author>
<keyname>Reed</keyname><forenames>Anna</forenames></author></authors><title>Mills</title><categories>cs.LG stat.ML</categories>
<abstract>  {MILL}
</abstract></arXiv></metadata></record>
<record><header><identifier>oai:arXiv.org:3101.00043</identifier></header><metadata>
<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>Ferries</dc:title><dc:creator>Holt, Bert</dc:creator><dc:subject>Tides</dc:subject>
<dc:description>{FERRY}</dc:description><dc:date>2030-05-01</dc:date></oai_dc:dc></metadata></record>
<record><header status="deleted"><identifier>oai:arXiv.org:3101.00044</identifier></header></record>
</ListRecords></OAI-PMH>
"""


def test_a_saved_feed_is_read() -> None:
    reading = read_text(ATOM)

    assert rows(reading) == [("3101.00042", "Mills in Harbours", MILL)]
    assert reading.papers[0].metadata["authors"] == ["A. Reed"]
    assert skips(reading) == {"record 2 (3101.00043)": "it has no abstract"}


def test_harvested_records_of_both_formats_are_read() -> None:
    reading = read_text(OAI)

    assert rows(reading) == [("3101.00042", "Mills", MILL), ("3101.00043", "Ferries", FERRY)]
    assert reading.papers[0].metadata == {"authors": ["Anna Reed"], "keywords": ["cs.LG", "stat.ML"], "year": 2031}
    assert reading.papers[1].metadata == {"authors": ["Bert Holt"], "keywords": ["Tides"], "year": 2030}
    assert skips(reading) == {"record 3 (3101.00044)": "its source has marked it as deleted"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ATOM[:400], "is XML that can't be read"),
        ('<?xml version="1.0"?><!DOCTYPE f [<!ENTITY a "aaaa">]><feed>&a;</feed>', "declares entities"),
        ("<!DOCTYPE html><html><body>Too many requests</body></html>", "is a web page; save the abstracts as text"),
        ("<html><p>" + DIALECT, "is a web page"),
        ('<?xml version="1.0"?><mills><mill/></mills>', "neither arXiv's nor PubMed's"),
    ],
)
def test_other_xml_is_refused_in_a_sentence(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_text(text)
