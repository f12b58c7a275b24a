"""Dumps of conference sites: one object around all events, each paper with its sessions, authors and addresses."""

from __future__ import annotations

import json
from typing import Any

from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, rows, skips
from tests.fakes import read_text


def event(identity: int = 44001, **fields: Any) -> dict[str, Any]:
    return {
        "id": identity,
        "uid": f"u{identity}",
        "name": "Mills",
        "authors": [
            {"id": 1, "fullname": "A. Reed", "url": "https://example.org/1", "institution": "Quay Labs"},
            {"id": 2, "fullname": "B. Holt", "url": None, "institution": None},
        ],
        "abstract": MILL,
        "topic": "Tides->Mills",
        "keywords": [],
        "decision": "Accept (poster)",
        "session": "Poster Session 1",
        "eventtype": "Poster",
        "virtualsite_url": f"/virtual/2031/poster/{identity}",
        "url": None,
        "sourceurl": "https://openreview.net/group?id=HARBOUR.cc/2031/Conference",
        "starttime": "2031-07-15T11:00:00-07:00",
        "paper_url": "https://openreview.net/forum?id=ab12",
        "children": [],
        "eventmedia": [{"id": 7, "name": "Slides", "visible": True}],
        **fields,
    }


def dump(*events: dict[str, Any]) -> str:
    return json.dumps({"count": len(events), "next": None, "previous": None, "results": list(events)})


def test_an_event_gives_all_that_is_known() -> None:
    (paper,) = read_text(dump(event())).papers

    assert (paper.id, paper.title, paper.abstract) == ("44001", "Mills", MILL)
    assert paper.metadata == {
        "url": "https://openreview.net/forum?id=ab12",
        "authors": ["A. Reed", "B. Holt"],
        "keywords": ["Tides->Mills"],
        "year": 2031,
    }


def test_a_paper_that_is_an_oral_and_a_poster_is_stored_once_and_said_so() -> None:
    reading = read_text(dump(event(), event(44002, eventtype="Oral", virtualsite_url="/virtual/2031/oral/44002")))

    assert skips(reading) == {"record 2 (44002)": "it repeats record 1 (44001)"}


def test_events_without_a_paper_are_skipped_by_name() -> None:
    lunch = event(44009, name="Lunch", abstract=None, authors=[], eventtype="Break")
    reading = read_text(dump(event(), {**lunch, "abstract": ""}, lunch))

    assert len(reading.papers) == 1
    assert skips(reading) == {"record 2 (44009)": "it has no abstract", "record 3 (44009)": "it has no abstract"}


def test_an_abstract_in_paragraphs_of_html_is_read_as_text() -> None:
    text = (
        "<p>MILLNET models <em>tidal</em> mills &amp; docks.</p>\n<p>It&#39;s <b>4.2</b> points up;<br>p &lt; 0.05.</p>"
    )
    (paper,) = read_text(dump(event(abstract=text))).papers

    assert paper.abstract == "MILLNET models tidal mills & docks. It's 4.2 points up; p < 0.05."


def test_an_address_without_its_host_is_none() -> None:
    (paper,) = read_text(dump(event(paper_url=None))).papers

    assert "url" not in paper.metadata


def test_a_dump_of_a_small_conference_with_bars_between_names_is_read() -> None:
    row = {"UID": "main.7", "title": "Mills", "authors": "A. Reed|B. Holt", "abstract": MILL, "keywords": "tides|mills"}
    (paper,) = read_text(json.dumps([{**row, "sessions": "M1|M2"}])).papers

    assert (paper.id, paper.metadata) == ("main.7", {"authors": ["A. Reed", "B. Holt"], "keywords": ["tides", "mills"]})


def test_a_dump_with_content_and_one_with_status_rows_are_read() -> None:
    nested = {
        "id": "x",
        "forum": "x",
        "content": {"title": "Mills", "abstract": MILL, "authors": ["A. Reed"], "TLDR": "T."},
    }
    flat = {"title": "Ferries", "author": "A. Reed;B. Holt", "abstract": FERRY, "status": "Poster", "keywords": "a;b"}
    flat |= {"site": "https://openreview.net/forum?id=cd34", "id": "cd34", "rating": "6;6;8"}

    first, second = read_text(json.dumps([nested, flat])).papers

    assert first.metadata == {"tldr": "T.", "authors": ["A. Reed"]}
    assert second.metadata == {
        "url": "https://openreview.net/forum?id=cd34",
        "authors": ["A. Reed", "B. Holt"],
        "keywords": ["a", "b"],
    }


def test_papers_below_their_sessions_are_all_found() -> None:
    text = json.dumps(
        {"days": [{"day": 1, "sessions": [{"title": "S1", "papers": [event(1)]}, {"papers": [event(2, abstract=FERRY)]}]}],
         "workshops": {"W": {"papers": {"w1": {"title": "D", "abstract": DIALECT}}}}}
    )  # fmt: skip

    assert abstracts(read_text(text)) == [MILL, FERRY, DIALECT]
    assert rows(read_text(text))[2][0] == "w1"
