"""Files of abstracts to papers: the forms they come in, and what is left out, by name and with the reason."""

from __future__ import annotations

import gzip
import json
import random
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import InputError, RagError
from rag.library.corpus import Reading, decode, read_bytes, read_file
from rag.resources import resource
from rag.text.tex import readable
from rag.types import Paper
from tests.fakes import read_text, write_lines

MILL = "MILLNET models tidal mills in harbours. It gains 4.2 points."
FERRY = "FERRYQ plans ferry routes at a café. It’s “quick” and saves 7 minutes."
DIALECT = "We record nine dialects of one valley. The corpus holds 300 hours."


def abstracts(reading: Reading) -> list[str]:
    return [paper.abstract for paper in reading.papers]


def reasons(reading: Reading) -> dict[str, str]:
    return {row.record: row.reason for row in reading.skipped}


# The form of the seeds


def test_the_seeds_are_nineteen_papers_of_one_venue_and_year(seed_papers: tuple[Paper, ...]) -> None:
    reading = read_file(resource("seeds", "icml-2026.txt"))

    assert len(seed_papers) == len({p.id for p in seed_papers}) == 19
    assert reading.skipped == ()
    assert all(p.metadata == {"venue": "ICML", "year": 2026} for p in seed_papers)
    assert all("ICML 2026 Papers" not in p.abstract for p in seed_papers)


def test_a_paper_keeps_its_source_beside_the_readable_text(seed_papers: tuple[Paper, ...]) -> None:
    source = resource("seeds", "icml-2026.txt").read_text(encoding="utf-8")

    assert all(p.source_text in source and readable(p.source_text) == p.abstract for p in seed_papers)


def test_ids_stay_when_abstracts_change_places_and_lines_are_wrapped_anew(seed_papers: tuple[Paper, ...]) -> None:
    blocks = resource("seeds", "icml-2026.txt").read_text(encoding="utf-8").split("\n\n")
    heading, rest = blocks[0], blocks[1:]
    random.Random(7).shuffle(rest)
    wrapped = [textwrap.fill(b, 70, break_long_words=False, break_on_hyphens=False) for b in rest]

    again = read_text("\n\n\n".join([heading, *wrapped]) + "\n\n")

    assert {p.id: p.abstract for p in again.papers} == {p.id: p.abstract for p in seed_papers}


@pytest.mark.parametrize("gap", ["\n\n", "\n \t\n", "\n\n\n\n", "\n"])
def test_plain_abstracts_are_told_apart_by_blank_lines_or_stand_one_a_line(gap: str) -> None:
    assert abstracts(read_text(gap.join([MILL, FERRY, DIALECT]))) == [MILL, FERRY, DIALECT]


def test_an_abstract_may_run_over_several_lines() -> None:
    reading = read_text("MILLNET models tidal\nmills in\nharbours. It gains 4.2 points.\n\n" + DIALECT)

    assert abstracts(reading) == [MILL, DIALECT]


def test_a_first_line_that_heads_the_file_gives_venue_and_year() -> None:
    reading = read_text(f"Proceedings of HARBOUR 2031\n{MILL}\n{DIALECT}\n")

    assert abstracts(reading) == [MILL, DIALECT]
    assert {p.metadata["year"] for p in reading.papers} == {2031}


# Encodings


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-16-le", b""),
        ("cp1252", b""),
    ],
)
def test_every_common_encoding_gives_the_same_papers(encoding: str, mark: bytes) -> None:
    text = "\r\n\r\n".join([MILL, FERRY, DIALECT]) + "\r\n"

    reading = read_bytes(mark + text.encode(encoding), "saved.txt")

    assert abstracts(reading) == [MILL, FERRY, DIALECT]
    assert not any(c in p.id + p.title + p.source_text for p in reading.papers for c in "\ufeff\x00\r\ufffd")


def test_a_mark_inside_a_field_is_dropped() -> None:
    reading = read_text(
        '{"id": "\\ufeffm1", "title": "\\ufeffMills", "abstract": "\\ufeffTidal mills turn\\r\\nat night."}'
    )

    assert [(p.id, p.title, p.abstract) for p in reading.papers] == [("m1", "Mills", "Tidal mills turn at night.")]


@pytest.mark.parametrize(
    "data", [b"\xff\xfe" + "mills".encode("utf-16-le")[:-1], b"words and \x81\x8d\x8f that nothing reads"]
)
def test_bytes_that_are_no_text_are_refused_by_name(data: bytes) -> None:
    with pytest.raises(InputError, match=r"odd\.txt is neither UTF-8, UTF-16 nor Windows-1252 text; save it as UTF-8"):
        decode(data, "odd.txt")


def test_a_gzipped_file_is_read_and_a_damaged_one_is_named() -> None:
    packed = gzip.compress(f"{MILL}\n\n{DIALECT}".encode())

    assert abstracts(read_bytes(packed, "a.gz")) == [MILL, DIALECT]
    with pytest.raises(InputError, match=r"a\.gz is a damaged gzip file"):
        read_bytes(packed[:-9], "a.gz")


# JSON and JSON lines

ROW = {
    "id": "m1",
    "title": "Mills at \\textit{Night}",
    "abstract": MILL,
    "authors": ["A. Reed", {"name": "B. Holt"}],
    "year": None,
    "date": "2029-04-01",
    "keywords": [],
    "venue": {"name": "HARBOUR"},
}


@pytest.mark.parametrize("form", ["list", "lines", "plain lines between blank ones"])
def test_records_in_json_keep_id_title_and_metadata(form: str) -> None:
    rows = [ROW, {"paper_id": 12, "summary": DIALECT}]
    lines = [json.dumps(row) for row in rows]
    text = {
        "list": json.dumps(rows, indent=2),
        "lines": "\n".join(lines),
        "plain lines between blank ones": "\n\n".join(lines),
    }[form]

    first, second = read_text(text).papers

    assert (first.id, first.title, first.title_derived, first.abstract) == ("m1", "Mills at Night", False, MILL)
    assert first.metadata == {"venue": "HARBOUR", "authors": ["A. Reed", "B. Holt"], "year": 2029}
    assert (second.id, second.title_derived, second.abstract) == ("12", True, DIALECT)


def test_authors_in_one_text_are_told_apart() -> None:
    (paper,) = read_text(json.dumps({"id": "m1", "abstract": MILL, "authors": "A. Reed and B. Holt; C. Dale"})).papers

    assert paper.metadata["authors"] == ["A. Reed", "B. Holt", "C. Dale"]


def test_fields_inside_content_values_are_found() -> None:
    row = {
        "forum": "f7",
        "content": {"title": {"value": "Mills"}, "abstract": {"value": MILL}, "authors": {"value": ["A. Reed"]}},
    }
    (paper,) = read_text(json.dumps([row])).papers

    assert (paper.id, paper.title, paper.abstract, paper.metadata["authors"]) == ("f7", "Mills", MILL, ["A. Reed"])


def test_separators_that_are_no_line_ends_do_not_break_a_line() -> None:
    text = json.dumps({"id": "m1", "abstract": "Tidal\u2028mills\u0085turn at night."}, ensure_ascii=False)

    assert abstracts(read_text(text + "\n" + json.dumps({"id": "m2", "abstract": DIALECT}))) == [
        "Tidal mills turn at night.",
        DIALECT,
    ]


# What is left out


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
        {"id": "m6", "abstract": DIALECT},
    )
    reading = read_file(path)

    assert [p.id for p in reading.papers] == ["m1", "m6"]
    assert reasons(reading) == {
        "line 3 (m2)": "it has no abstract",
        "line 4": "the JSON is broken or cut off",
        "line 5 (m4)": "its abstract is too short ('Too short.')",
        "line 6 (m5)": "it has no abstract",
        "line 7": "it is not an object with an abstract",
    }


def test_a_record_that_repeats_another_is_skipped_and_one_with_a_taken_id_as_well() -> None:
    rows = [
        {"id": "a", "abstract": MILL},
        {"id": "b", "abstract": MILL.replace(" ", "  ") + " "},
        {"id": "a", "abstract": DIALECT},
    ]
    reading = read_text("\n".join(map(json.dumps, rows)))

    assert abstracts(reading) == [MILL]
    assert reasons(reading) == {
        "line 2 (b)": "it repeats line 1 (a)",
        "line 3 (a)": "its id 'a' is that of line 1 (a), with another text",
    }


def test_a_plain_abstract_given_twice_is_stored_once() -> None:
    reading = read_text(f"{MILL}\n\n{DIALECT}\n\n{MILL} \n")

    assert abstracts(reading) == [MILL, DIALECT]
    assert reasons(reading) == {"line 5": "it repeats line 1"}


@pytest.mark.parametrize("text", ["", "\n\n", "[]", "   "])
def test_an_empty_file_gives_nothing(text: str) -> None:
    assert read_text(text) == Reading((), ())


def test_broken_json_names_the_line() -> None:
    with pytest.raises(InputError, match="breaks at line 2; mend it there"):
        read_text('[{"abstract": "fine words in here"},\n{"abstract": "cut o')


@pytest.mark.parametrize("opening", ["[", '{"abstract":'])
def test_json_nested_without_end_is_refused_or_skipped(opening: str) -> None:
    try:
        reading = read_text(opening * 100_000)
    except InputError as error:
        assert "JSON" in str(error)
    else:
        assert reasons(reading) == {"line 1": "the JSON is broken or cut off"}


def test_half_a_character_is_no_text() -> None:
    reading = read_text(
        '{"id": "m1", "abstract": "Tidal mills \\ud83d turn at night."}\n'
        + json.dumps({"id": "m2", "abstract": DIALECT})
    )

    assert [p.id for p in reading.papers] == ["m2"]
    assert reasons(reading) == {"line 1": "it holds half a character (a surrogate without its pair)"}


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match=r"There is no file 'nowhere.txt'; give the path of a file with abstracts"):
        read_file(Path("nowhere.txt"))


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["id", "title", "abstract", "authors", "year", "venue", "content", "value", "name", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(
    st.one_of(
        st.binary(max_size=200),
        st.text(max_size=200).map(str.encode),
        st.lists(JSONISH, max_size=4).map(lambda v: json.dumps(v).encode()),
    )
)
def test_whatever_the_bytes_are_each_record_is_read_or_skipped_or_the_file_is_refused(data: bytes) -> None:
    try:
        reading = read_bytes(data, "any")
    except RagError:
        return
    assert len({p.id for p in reading.papers}) == len(reading.papers)
    assert all(p.id and p.title and p.abstract and "\x00" not in p.abstract for p in reading.papers)
    assert all(row.record and row.reason for row in reading.skipped)
