"""OpenReview: notes of both interfaces, with all that hangs on them."""

from __future__ import annotations

import json

from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, reasons, rows, skips
from tests.fakes import read_text


def note(identity: str = "n1", **content: object) -> dict[str, object]:
    """Return a note of the second interface, in which each value of the content is an object."""
    values = {"title": "Mills", "abstract": MILL, **content}
    return {
        "id": identity,
        "forum": identity,
        "replyto": None,
        "domain": "HARBOUR.cc/2031/Conference",
        "invitations": ["HARBOUR.cc/2031/Conference/-/Submission"],
        "readers": ["everyone"],
        "content": {key: {"value": value} for key, value in values.items()},
    }


def test_notes_give_all_that_is_known() -> None:
    text = json.dumps(
        {
            "notes": [
                note(
                    authors=["A. Reed", "B. Holt"],
                    authorids=["~A_Reed1", "~B_Holt2"],
                    keywords=["tides", "mills"],
                    venue="HARBOUR 2031 Poster",
                    venueid="HARBOUR.cc/2031/Conference",
                    pdf="/pdf/ab12.pdf",
                    _bibtex="@inproceedings{\nreed2031mills,\ntitle={Mills}\n}",
                    **{"TL;DR": "Mills turn."},
                )
            ],
            "count": 1,
        },
        indent=1,
    )
    (paper,) = read_text(text).papers

    assert rows(read_text(text)) == [("n1", "Mills", MILL)]
    assert paper.metadata == {
        "venue": "HARBOUR 2031 Poster",
        "url": "https://openreview.net/pdf/ab12.pdf",
        "tldr": "Mills turn.",
        "authors": ["A. Reed", "B. Holt"],
        "keywords": ["tides", "mills"],
        "year": 2031,
    }


def test_plain_content_of_the_first_interface_is_read() -> None:
    text = json.dumps([{"id": "n1", "content": {"title": "Mills", "abstract": MILL, "authors": ["A. Reed"]}}])

    assert rows(read_text(text)) == [("n1", "Mills", MILL)]


def test_a_deleted_note_is_skipped_by_name_and_is_no_damage() -> None:
    reading = read_text(json.dumps({"notes": [{**note(), "ddate": 1}, note("n2", abstract=FERRY)]}))

    assert rows(reading) == [("n2", "Mills", FERRY)]
    assert skips(reading) == {"record 1 (n1)": "its source has marked it as deleted"}
    assert reading.partial == ""


def test_reviews_and_comments_among_the_notes_are_no_papers() -> None:
    review = {
        "id": "r1",
        "forum": "n1",
        "replyto": "n1",
        "content": {
            "summary": {"value": "The paper models tidal mills and gains some points over other models."},
            "rating": {"value": "6: weak accept"},
        },
    }
    comment = {"id": "c1", "forum": "n1", "replyto": "n1", "content": {"comment": {"value": "Thanks for the mills."}}}
    reading = read_text(json.dumps({"notes": [{**note(), "details": {"replies": [review]}}, review, comment]}))

    assert abstracts(reading) == [MILL]
    assert reasons(reading) == ["it is a review, not a paper", "it has no abstract"]


def test_an_empty_value_and_anonymous_authors_break_nothing() -> None:
    reading = read_text(
        json.dumps([note(authors=None, keywords=None, venue=None, pdf=None), note("n2", abstract=None)])
    )

    assert reading.papers[0].metadata == {}
    assert skips(reading) == {"record 2 (n2)": "it has no abstract"}


def test_a_moment_in_milliseconds_or_the_venues_id_gives_the_year() -> None:
    moment = read_text(json.dumps([{**note(), "pdate": 1_935_000_000_000, "cdate": 1_900_000_000_000}]))
    venue = read_text(json.dumps([note(venueid="HARBOUR.cc/2031/Conference/Withdrawn_Submission")]))

    assert moment.papers[0].metadata == {"year": 2031}
    assert venue.papers[0].metadata == {"venue": "HARBOUR", "year": 2031}


def test_keywords_in_one_text_and_authors_as_objects_are_told_apart() -> None:
    people = [{"fullname": "A. Reed", "username": "~A_Reed1"}, {"fullname": "B. Holt", "institutions": []}]
    (paper,) = read_text(json.dumps([note(authors=people, keywords="tides; mills, harbours")])).papers

    assert paper.metadata == {"authors": ["A. Reed", "B. Holt"], "keywords": ["tides", "mills", "harbours"]}


def test_an_abstract_of_several_paragraphs_with_tex_is_one_readable_text() -> None:
    (paper,) = read_text(
        json.dumps([note(abstract="We gain $4\\%$ on\n\n\\textbf{tidal} mills.\n\n- first\n- second")])
    ).papers

    assert paper.abstract == "We gain 4% on tidal mills. - first - second"


def test_notes_a_line_as_a_script_saves_them_and_pages_one_after_another() -> None:
    lines = "\n".join(json.dumps(note(f"n{n}", abstract=text)) for n, text in enumerate((MILL, FERRY, DIALECT)))
    pages = "\n".join(
        json.dumps({"notes": [note(f"n{n}", abstract=t)], "count": 2}, indent=2) for n, t in enumerate((MILL, FERRY))
    )

    assert len(read_text(lines).papers) == 3
    assert abstracts(read_text(pages)) == [MILL, FERRY]
