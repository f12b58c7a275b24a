"""Gzip: whatever is inside is read; damage, bombs and endless packing are told in a sentence."""

from __future__ import annotations

import gzip
import io
import json
import tarfile

import pytest

from rag.errors import InputError
from rag.library.corpus import read_bytes
from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, rows, skips

LINES = "\n".join(json.dumps({"id": i, "abstract": a}) for i, a in (("a", MILL), ("b", FERRY))).encode()


def test_a_packed_file_is_read_whatever_it_is_called() -> None:
    assert abstracts(read_bytes(gzip.compress(f"{MILL}\n\n{DIALECT}".encode()), "a.txt")) == [MILL, DIALECT]
    assert abstracts(read_bytes(LINES, "never-packed.jsonl.gz")) == [MILL, FERRY]


def test_several_members_in_one_file_are_one_text() -> None:
    half = LINES.index(b"\n") + 1

    assert abstracts(read_bytes(gzip.compress(LINES[:half]) + gzip.compress(LINES[half:]), "a.gz")) == [MILL, FERRY]


@pytest.mark.parametrize("damage", ["cut off", "changed", "garbage behind"])
def test_a_damaged_file_is_named(damage: str) -> None:
    packed = gzip.compress(LINES * 50)
    changed = bytearray(packed)
    changed[len(packed) // 2] ^= 0xFF
    data = {"cut off": packed[:-9], "changed": bytes(changed), "garbage behind": packed + b"garbage"}[damage]

    with pytest.raises(InputError, match=r"a\.gz is a damaged gzip file .*; fetch it again"):
        read_bytes(data, "a.gz")


def test_files_packed_without_end_are_refused() -> None:
    data = MILL.encode()
    for _ in range(6):
        data = gzip.compress(data)

    with pytest.raises(InputError, match=r"is packed more than 3 times over; unpack it first"):
        read_bytes(data, "deep.gz")


def test_a_bomb_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(InputError, match=r"bomb\.gz unpacks to far more than a file of abstracts would"):
        read_bytes(gzip.compress(bytes(80 * 2**20)), "bomb.gz")


def test_an_empty_packed_file_gives_nothing() -> None:
    assert read_bytes(gzip.compress(b""), "a.gz").papers == ()


def test_a_packed_folder_is_read_like_a_folder() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in (
            ("x/b.txt", DIALECT.encode()),
            ("x/a.jsonl", LINES),
            ("x/.hidden", b"no"),
            ("x/p.pdf", b"%PDF-"),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("x/c.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    reading = read_bytes(buffer.getvalue(), "x.tar.gz")

    assert [row[2] for row in rows(reading)] == [MILL, FERRY, DIALECT]
    assert list(skips(reading)) == ["x/p.pdf"]
