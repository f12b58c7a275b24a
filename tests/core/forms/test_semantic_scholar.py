"""Semantic Scholar: searches, batches, citations and the lines of its data sets."""

from __future__ import annotations

import json
from typing import Any

from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, rows, skips
from tests.fakes import read_text


def paper(identity: str = "649def", **fields: Any) -> dict[str, Any]:
    return {
        "paperId": identity,
        "externalIds": {"DOI": "10.1/ab", "CorpusId": 12, "DBLP": "conf/harbour/Reed31"},
        "url": f"https://www.semanticscholar.org/paper/{identity}",
        "title": "Mills",
        "abstract": MILL,
        "venue": "HARBOUR",
        "publicationVenue": {"id": "x", "name": "Harbour Conference", "alternate_names": ["HARBOUR"]},
        "year": 2031,
        "authors": [{"authorId": "1", "name": "A. Reed"}, {"authorId": None, "name": "B. Holt"}],
        "fieldsOfStudy": ["Computer Science"],
        "tldr": {"model": "tldr@v2", "text": "Mills turn."},
        "openAccessPdf": None,
        **fields,
    }


def test_a_page_of_a_search_is_read() -> None:
    text = json.dumps(
        {"total": 2, "offset": 0, "next": 2, "data": [paper(), paper("77", title="No text", abstract=None)]}
    )
    reading = read_text(text)

    assert rows(reading) == [("649def", "Mills", MILL)]
    assert reading.papers[0].metadata == {
        "venue": "HARBOUR",
        "url": "https://www.semanticscholar.org/paper/649def",
        "doi": "10.1/ab",
        "tldr": "Mills turn.",
        "authors": ["A. Reed", "B. Holt"],
        "keywords": ["Computer Science"],
        "year": 2031,
    }
    assert skips(reading) == {"record 2 (77)": "it has no abstract"}


def test_nulls_and_empty_fields_become_no_metadata() -> None:
    empty = paper(
        externalIds=None, venue="", publicationVenue=None, year=None, fieldsOfStudy=None, tldr=None, authors=[]
    )
    empty |= {"url": None, "openAccessPdf": {"url": "", "status": None}, "journal": None, "publicationDate": None}

    assert read_text(json.dumps([empty])).papers[0].metadata == {}


def test_what_one_field_lacks_another_gives() -> None:
    row = paper(year=None, publicationDate="2030-05-01", venue="", url=None, fieldsOfStudy=None)
    row |= {"openAccessPdf": {"url": "https://example.org/m.pdf", "status": "GREEN"}}
    row |= {"s2FieldsOfStudy": [{"category": "Biology", "source": "x"}, {"category": "Biology", "source": "y"}]}
    metadata = read_text(json.dumps([row])).papers[0].metadata

    assert (metadata["year"], metadata["venue"]) == (2030, "Harbour Conference")
    assert (metadata["url"], metadata["keywords"]) == ("https://example.org/m.pdf", ["Biology"])


def test_a_batch_with_ids_that_are_not_known_is_read() -> None:
    reading = read_text(json.dumps([paper(), None, paper("b", abstract=FERRY)]))

    assert [p.id for p in reading.papers] == ["649def", "b"]
    assert (skips(reading), reading.partial) == ({"record 2": "it is empty"}, "")


def test_citations_and_recommendations_are_unwrapped() -> None:
    cited = {
        "offset": 0,
        "data": [{"contexts": [], "citingPaper": paper()}, {"citingPaper": paper("b", abstract=FERRY)}],
    }

    assert abstracts(read_text(json.dumps(cited))) == [MILL, FERRY]
    assert abstracts(read_text(json.dumps({"recommendedPapers": [paper(abstract=DIALECT)]}))) == [DIALECT]


def test_lines_of_the_data_sets_are_read() -> None:
    lines = [
        {"corpusid": 12, "openaccessinfo": {"externalids": {"DOI": "10.1/ab"}, "license": None}, "abstract": MILL},
        {"corpusid": 13, "externalids": {"DOI": None, "ACL": None}, "title": "Ferries", "abstract": FERRY,
         "authors": [{"authorId": "1", "name": "A. Reed"}], "journal": {"name": "Quay", "pages": None}, "year": 2030.0},
    ]  # fmt: skip
    first, second = read_text("\n".join(map(json.dumps, lines))).papers

    assert (first.id, first.title_derived, second.id) == ("12", True, "13")
    assert second.metadata == {"venue": "Quay", "authors": ["A. Reed"], "year": 2030}


def test_references_inside_a_paper_are_not_papers_of_the_file() -> None:
    reading = read_text(json.dumps({"data": [paper(references=[paper("r1", abstract=FERRY)])]}))

    assert [p.id for p in reading.papers] == ["649def"]


def test_one_paper_alone_is_read() -> None:
    assert rows(read_text(json.dumps(paper()))) == [("649def", "Mills", MILL)]
