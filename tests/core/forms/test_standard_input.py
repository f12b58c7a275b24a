"""Standard input, through a real pipe into a process of its own."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.core.forms.samples import CAFE, FERRY, MILL

PROGRAM = """
import json, sys
from pathlib import Path
from rag.errors import RagError
from rag.library.corpus import read_file
try:
    reading = read_file(Path("-"))
except RagError as error:
    sys.exit(str(error))
print(json.dumps([[p.id for p in reading.papers], [p.abstract for p in reading.papers], len(reading.skipped)]))
"""
LINES = "\n".join(json.dumps({"id": i, "abstract": a}, ensure_ascii=False) for i, a in (("a", MILL), ("b", CAFE)))


def piped(data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], input=data, capture_output=True, cwd=ROOT, timeout=60, check=False
    )


@pytest.mark.parametrize(
    "data",
    [
        LINES.encode(),
        gzip.compress(LINES.encode()),
        b"\xef\xbb\xbf" + LINES.replace("\n", "\r\n").encode(),
        LINES.encode("utf-16"),
        LINES.encode("cp1252"),
        f"TY  - JOUR\nID  - a\nAB  - {MILL}\nER  - \nTY  - JOUR\nID  - b\nAB  - {CAFE}\nER  - ".encode(),
    ],
    ids=["lines", "packed", "marked", "utf-16", "cp1252", "ris"],
)
def test_any_form_and_encoding_is_read(data: bytes) -> None:
    done = piped(data)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["a", "b"], [MILL, CAFE], 0]


def test_what_is_cut_off_or_empty_or_no_text_is_told() -> None:
    assert json.loads(piped((LINES + '\n{"id": "c", "abst').encode()).stdout)[2] == 1
    assert json.loads(piped(b"").stdout) == [[], [], 0]
    assert piped(b"\x89PNG\r\n\x1a\n").stderr.startswith(b"standard input is no text; save")


def test_one_abstract_without_a_line_end_is_read() -> None:
    assert json.loads(piped(FERRY.encode()).stdout)[1] == [FERRY]
