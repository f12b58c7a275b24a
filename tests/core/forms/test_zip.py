"""Zip: files of many forms in one; what is no text, damaged, encrypted or meant as a trap is named or passed over."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Sequence

import pytest

from rag.errors import InputError
from rag.library.corpus import read_bytes
from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, skips


def packed(members: Sequence[tuple[str, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return buffer.getvalue()


def test_files_of_many_forms_are_one_source_and_what_is_no_text_is_named_and_no_damage() -> None:
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

    assert abstracts(reading) == [MILL, FERRY, DIALECT, MILL + " Twice."]
    assert skips(reading) == {"paper.pdf": "paper.pdf is no text; save the abstracts as text, JSON, CSV, BibTeX or RIS"}
    assert reading.partial == ""


def test_a_damaged_zip_is_named_and_a_damaged_member_costs_only_itself() -> None:
    data = bytearray(packed([("a.txt", MILL.encode() * 3), ("b.txt", FERRY.encode())]))
    with pytest.raises(InputError, match=r"all\.zip is a damaged zip file"):
        read_bytes(bytes(data[:60]), "all.zip")
    data[40:44] = b"\xff\xff\xff\xff"

    reading = read_bytes(bytes(data), "all.zip")

    assert abstracts(reading) == [FERRY]
    assert (reading.skipped[0].record, bool(reading.partial)) == ("a.txt", True)


def test_an_encrypted_member_is_named() -> None:
    data = bytearray(packed([("a.txt", MILL.encode()), ("b.txt", FERRY.encode())]))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1

    reading = read_bytes(bytes(data), "all.zip")

    assert (abstracts(reading), skips(reading)) == ([FERRY], {"a.txt": "it is encrypted"})


def test_a_bomb_of_many_members_is_refused_before_it_fills_the_memory() -> None:
    zeros = bytes(8 * 2**20)

    with pytest.raises(InputError, match="unpacks to far more than a file of abstracts would"):
        read_bytes(packed([(f"{n}.txt", zeros) for n in range(10)]), "bomb.zip")


def test_a_zip_in_a_zip_in_a_zip_is_followed_only_so_far() -> None:
    data = packed([("a.txt", MILL.encode())])
    for _ in range(5):
        data = packed([("b.txt", FERRY.encode()), ("inner.zip", data)])

    reading = read_bytes(data, "deep.zip")

    assert abstracts(reading) == [FERRY]
    assert any("packed more than 3 times over" in reason for reason in skips(reading).values())


def test_names_that_climb_out_of_the_folder_or_steer_a_terminal_are_only_labels() -> None:
    reading = read_bytes(
        packed(
            [
                ("../../etc/mills.txt", MILL.encode()),
                ("/absolute/ferries.txt", FERRY.encode()),
                ("a\x1b[2J.txt", b"Stub."),
            ]
        ),
        "odd.zip",
    )

    assert set(abstracts(reading)) == {MILL, FERRY}
    assert list(skips(reading)) == ["a\ufffd[2J.txt, line 1"]


def test_an_office_document_is_no_zip_of_abstracts() -> None:
    document = packed([("[Content_Types].xml", b"<Types/>"), ("xl/sharedStrings.xml", MILL.encode())])

    with pytest.raises(InputError, match=r"a\.xlsx is an Office document; save its table as CSV"):
        read_bytes(document, "a.xlsx")


def test_an_empty_zip_or_member_is_told() -> None:
    assert skips(read_bytes(packed([("a.txt", b""), ("b.txt", MILL.encode())]), "a.zip")) == {"a.txt": "it is empty"}
    with pytest.raises(InputError, match="is no text"):
        read_bytes(packed([]), "a.zip")
