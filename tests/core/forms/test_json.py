"""JSON in one piece: lists, objects around lists, objects by id, tables, and what breaks in them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import InputError, RagError
from rag.library.corpus import read_bytes
from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, reasons, rows, skips
from tests.fakes import read_text

A, B = {"id": "a", "abstract": MILL}, {"id": "b", "abstract": FERRY}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"a": {"abstract": MILL}, "b": {"abstract": FERRY}}),
        json.dumps({"a": MILL, "b": FERRY}),
        json.dumps({"meta": {"n": 2}, "papers": [A, B]}),
        json.dumps({"response": {"numFound": 2, "docs": [A, B]}}),
        json.dumps({"orals": [A], "posters": [B]}),
        json.dumps({"sessions": [{"name": "I", "papers": [A]}, {"name": "II", "papers": [B]}]}),
        json.dumps({"id": ["a", "b"], "abstract": [MILL, FERRY]}),
        json.dumps({"id": {"0": "a", "1": "b"}, "abstract": {"0": MILL, "1": FERRY}}),
        json.dumps({"columns": ["id", "abstract"], "index": [0, 1], "data": [["a", MILL], ["b", FERRY]]}),
        json.dumps(A, indent=2) + "\n" + json.dumps(B, indent=2),
        f'[{{"ID": "a", "Abstract": "{MILL}", "n": NaN}},\n{{"Paper ID": "b", "ABSTRACT": "{FERRY}"}}]',
        f"[{json.dumps(A)},\n{json.dumps(B)},\n]",
        json.dumps([A]) + "\n" + json.dumps([B]),
    ],
    ids="by-id texts-by-id wrapped deep two-lists sessions columns pandas split concatenated odd-keys comma lists".split(),
)
def test_every_layout_gives_the_same_papers(text: str) -> None:
    reading = read_text(text)

    assert [(p.id, p.abstract) for p in reading.papers] == [("a", MILL), ("b", FERRY)]
    assert reading.skipped == ()


def test_a_list_of_texts_is_a_list_of_abstracts() -> None:
    assert abstracts(read_text(json.dumps([MILL, FERRY]))) == [MILL, FERRY]


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


def test_records_keep_id_title_and_metadata() -> None:
    first, second = read_text(json.dumps([ROW, {"paper_id": 12, "summary": DIALECT}], indent=2)).papers

    assert (first.id, first.title, first.title_derived, first.abstract) == ("m1", "Mills at Night", False, MILL)
    assert first.metadata == {"venue": "HARBOUR", "authors": ["A. Reed", "B. Holt"], "year": 2029}
    assert (second.id, second.title_derived, second.abstract) == ("12", True, DIALECT)


@pytest.mark.parametrize(
    ("authors", "names"),
    [
        ("A. Reed and B. Holt; C. Dale", ["A. Reed", "B. Holt", "C. Dale"]),
        ("A. Reed|B. Holt", ["A. Reed", "B. Holt"]),
        ("A. Reed (1), B. Holt (2) ((1) Quay Labs, (2) Mill House)", ["A. Reed", "B. Holt"]),
        ([{"given": "Anna", "family": "Reed"}, {"literal": "The Mill Group"}], ["Anna Reed", "The Mill Group"]),
        ([{"first": "Anna", "middle": ["B."], "last": "Reed", "suffix": ""}], ["Anna B. Reed"]),
        ([{"author": {"id": "A1", "display_name": "Anna Reed"}, "institutions": []}], ["Anna Reed"]),
        (["Reed, Anna", "Holt, Bert"], ["Anna Reed", "Bert Holt"]),
        ([["Reed", "A.", ""], ["Holt", "B.", "Jr."]], ["A. Reed", "B. Holt Jr."]),
        ([None, "", {"name": None}, "A. Reed"], ["A. Reed"]),
    ],
)
def test_authors_are_told_apart_however_they_are_written(authors: object, names: list[str]) -> None:
    (paper,) = read_text(json.dumps([{"id": "m1", "abstract": MILL, "authors": authors}])).papers

    assert paper.metadata["authors"] == names


def test_an_abstract_in_paragraphs_or_sections_or_as_an_inverted_index_is_read_whole() -> None:
    first, second = MILL.split(". ", 1)
    index: dict[str, list[int]] = {}
    for place, word in enumerate(MILL.split()):
        index.setdefault(word, []).append(place)
    shapes = [{"abstract": [first + ".", second]}, {"abstract": {"Aim": first + ".", "Result": second}}]
    for row in [*shapes, {"abstract_inverted_index": index, "display_name": "Mills"}]:
        assert abstracts(read_text(json.dumps([row]))) == [MILL]
        assert abstracts(read_text(json.dumps({"id": "m", "title": "Mills", **row}))) == [MILL]


def test_markup_of_publishers_is_taken_off_and_entities_are_read() -> None:
    text = "<jats:title>Abstract</jats:title><jats:p>Mills <jats:italic>turn</jats:italic> at p&lt;0.05 &amp; 10<jats:sup>-3</jats:sup> m.</jats:p>"
    (paper,) = read_text(
        json.dumps([{"DOI": "https://doi.org/10.1/ab", "title": ["Mills &amp; Tides"], "abstract": text}])
    ).papers

    assert (paper.title, paper.abstract) == ("Mills & Tides", "Mills turn at p<0.05 & 10⁻³ m.")
    assert paper.metadata["doi"] == "10.1/ab"


def test_what_only_looks_like_markup_stays() -> None:
    text = "Tokens <unk> and <mask>, p<0.05, recall<p and q>r, <style>body{}</style> stay as they are."

    assert abstracts(read_text(json.dumps([{"abstract": text}]))) == [text]


def test_a_mark_and_control_characters_inside_a_field_are_dropped() -> None:
    (paper,) = read_text(
        '[{"id": "\\ufeffm\\u001b[1m1", "title": "\\ufeffMills", "abstract": "\\ufeffTidal mills\\u0000 turn\\r\\nat\\u0007 night."}]'
    ).papers

    assert (paper.id, paper.title, paper.abstract) == ("m[1m1", "Mills", "Tidal mills turn at night.")


# What breaks


def test_bare_line_ends_and_tabs_inside_strings_are_forgiven() -> None:
    assert rows(
        read_text('[{"id": "a",\n "abstract": "MILLNET models tidal\nmills in\tharbours. It gains 4.2 points."}]')
    ) == [("a", read_text(MILL).papers[0].title, MILL)]


@pytest.mark.parametrize("indent", [None, 1, 4])
def test_a_list_that_is_cut_off_gives_what_is_whole_and_names_the_rest(indent: int | None) -> None:
    authors = [{"name": "A. Reed"}, {"name": "B. Holt"}]
    text = json.dumps(
        {"count": 3, "results": [A, B, {"id": "c", "authors": authors, "abstract": DIALECT}]}, indent=indent
    )
    reading = read_text(text[: text.index("We record") + 10])

    assert [p.id for p in reading.papers] == ["a", "b"]
    assert reasons(reading) == ["the JSON is broken or cut off"]
    assert reading.skipped[0].record.startswith("record 3, at line ")
    assert reading.partial


@pytest.mark.parametrize("indent", [None, 2])
def test_a_record_that_is_broken_in_the_middle_costs_only_itself(indent: int | None) -> None:
    broken = {"id": "c", "authors": [{"name": "A. Reed"}, {"name": "B. Holt"}], "abstract": DIALECT}
    text = json.dumps([A, broken, B], indent=indent).replace(f'"{DIALECT}"', f'"{DIALECT}')

    reading = read_text(text)

    assert [p.id for p in reading.papers] == ["a", "b"]
    assert (len(reading.skipped), bool(reading.partial)) == (1, True)


def test_a_list_of_which_nothing_can_be_read_names_the_line() -> None:
    with pytest.raises(InputError, match="breaks at line 2; mend it there"):
        read_text('[\n{"abstract": "cut o')


def test_what_has_no_abstract_is_named_one_by_one() -> None:
    reading = read_text(json.dumps({"data": [{"id": "a", "title": "Mills"}, {"id": "b", "title": "Tides"}]}))

    assert skips(reading) == {"record 1 (a)": "it has no abstract", "record 2 (b)": "it has no abstract"}


@pytest.mark.parametrize("text", ["[]", "{}", '{"notes": [], "count": 0}', "[null, {}]"])
def test_an_empty_answer_gives_no_paper(text: str) -> None:
    assert read_text(text).papers == ()


def test_an_error_of_a_service_is_no_abstract() -> None:
    text = json.dumps({"message": "The resource that you asked for could not be found on this server."})

    assert read_text(text).papers == ()


@pytest.mark.parametrize("opening", ["[", '{"abstract":', '[{"a":'])
def test_json_nested_without_end_is_refused_or_skipped(opening: str) -> None:
    try:
        reading = read_text(opening * 100_000)
    except InputError as error:
        assert "JSON" in str(error)
    else:
        assert set(reasons(reading)) == {"the JSON is broken or cut off"}


def test_a_number_of_too_many_digits_costs_at_most_its_record() -> None:
    reading = read_text(
        f'[{json.dumps(A)}, {{"id": "n", "n": {"9" * 5000}, "abstract": "{DIALECT}"}}, {json.dumps(B)}]'
    )

    assert [p.id for p in reading.papers] == ["a", "b"]
    assert len(reading.skipped) == 1


def test_half_a_character_is_no_text() -> None:
    reading = read_text(f'[{{"id": "m1", "abstract": "Tidal mills \\ud83d turn at night."}},\n{json.dumps(B)}]')

    assert [p.id for p in reading.papers] == ["b"]
    assert skips(reading) == {"record 1": "it holds half a character, or bytes that are neither UTF-8 nor Windows-1252"}


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
        JSONISH.map(lambda v: json.dumps(v).encode()),
        st.tuples(st.lists(JSONISH, max_size=4), st.integers(0, 200)).map(lambda v: json.dumps(v[0]).encode()[: v[1]]),
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
