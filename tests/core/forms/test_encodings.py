"""Encodings: marks, line ends, zeros, and lines of another encoding than their neighbours."""

from __future__ import annotations

import json

import pytest

from rag.errors import InputError
from rag.library.corpus import read_bytes
from rag.library.decoding import decode
from tests.core.forms.samples import CAFE, DIALECT, MILL, abstracts, skips


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-16-le", b""),
        ("utf-16-be", b""),
        ("utf-32-le", b"\xff\xfe\x00\x00"),
        ("cp1252", b""),
    ],
)
def test_every_common_encoding_and_line_end_gives_the_same_papers(encoding: str, mark: bytes, ends: str) -> None:
    text = f"{ends}{ends}".join([MILL, CAFE, DIALECT]) + ends

    reading = read_bytes(mark + text.encode(encoding), "saved.txt")

    assert abstracts(reading) == [MILL, CAFE, DIALECT]
    assert not any(c in p.id + p.title + p.source_text for p in reading.papers for c in "\ufeff\x00\r\ufffd")


def test_nul_bytes_and_marks_inside_are_dropped() -> None:
    line = json.dumps({"id": "m1", "title": "Mills", "abstract": MILL}).encode()
    reading = read_bytes(
        b"\x00" + line.replace(b"tidal", b"ti\x00dal") + b"\n\xef\xbb\xbf" + line.replace(b"m1", b"m2"), "a"
    )

    assert [(p.id, p.title) for p in reading.papers] == [("m1", "Mills")]
    assert skips(reading) == {"line 2 (m2)": "it repeats line 1 (m1)"}


def test_a_line_of_another_encoding_spoils_none_of_the_others() -> None:
    data = "\n".join(f'{{"id": "{i}", "abstract": "{CAFE} {i * 9}"}}' for i in "abc").encode()
    lines = data.split(b"\n")
    lines[1] = lines[1].decode().encode("cp1252")

    assert abstracts(read_bytes(b"\n".join(lines), "mixed.jsonl")) == [f"{CAFE} {i * 9}" for i in "abc"]


def test_bytes_of_no_encoding_cost_only_their_record_and_are_never_replaced_in_silence() -> None:
    lines = [json.dumps({"id": i, "abstract": f"{MILL} {i}"}).encode() for i in "abc"]
    lines[1] = lines[1].replace(b"tidal", b"t\x81\x8d\x8fdal")
    reading = read_bytes(b"\n".join(lines), "a.jsonl")

    assert [p.id for p in reading.papers] == ["a", "c"]
    assert skips(reading) == {"line 2": "it holds half a character, or bytes that are neither UTF-8 nor Windows-1252"}
    assert reading.partial
    plain = read_bytes(
        b"\n\n".join([MILL.encode(), b"Tidal m\x81lls turn at night and day.", DIALECT.encode()]), "a.txt"
    )
    assert (abstracts(plain), list(skips(plain))) == ([MILL, DIALECT], ["line 3"])


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe" + "mills".encode("utf-16-le")[:-1],
        b"words and \x81\x8d\x8f that nothing reads",
        "Приливные мельницы вращаются ночью в гаванях".encode("cp1251"),
        "潮汐水车在夜间的港口转动并且获得四个百分点".encode("gbk"),
    ],
)
def test_bytes_that_are_no_text_we_know_are_refused_by_name(data: bytes) -> None:
    with pytest.raises(InputError, match=r"odd\.txt is neither UTF-8, UTF-16 nor Windows-1252 text; save it as UTF-8"):
        decode(data, "odd.txt")


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7", b"\x89PNG\r\n", b"PAR1\x15\x04", b"\x07\x01\x02\x03" * 90, b"\x28\xb5\x2f\xfd\x04"]
)
def test_other_data_is_told_from_text(data: bytes) -> None:
    with pytest.raises(InputError, match="is no text; save the abstracts as text, JSON, CSV, BibTeX or RIS"):
        decode(data, "a.bin")


def test_windows_characters_that_were_taken_for_latin_1_are_put_right() -> None:
    reading = read_bytes("It\x92s \x93quick\x94 and saves 7 minutes a trip.".encode(), "a.txt")

    assert abstracts(reading) == ["It’s “quick” and saves 7 minutes a trip."]


def test_text_in_other_scripts_is_text() -> None:
    text = "潮汐水车 MILLNET 在夜间的港口转动，并且获得四个百分点的提升。 Приливные мельницы вращаются ночью."

    assert abstracts(read_bytes(text.encode(), "a.txt")) == [text]
    assert abstracts(read_bytes(text.encode("utf-16"), "a.txt")) == [text]


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b""])
def test_a_file_of_nothing_but_its_mark_is_empty(mark: bytes) -> None:
    assert read_bytes(mark, "a.txt").papers == ()


def test_the_sign_that_dos_ends_a_file_with_is_no_record() -> None:
    reading = read_bytes(f"{MILL}\r\n\r\n{DIALECT}\r\n\x1a".encode(), "a.txt")

    assert (abstracts(reading), reading.skipped) == ([MILL, DIALECT], ())
