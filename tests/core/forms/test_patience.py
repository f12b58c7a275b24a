"""Texts that no paper has, and that a pattern could look at without end: each is read in a moment."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest

from rag.errors import RagError
from rag.library.corpus import read_bytes

_LENGTH = 100_000
_MOMENT = 20.0  # seconds of processor time; a pattern that backtracks takes hours
_PIECES = [
    "x",
    "aB",
    "a-",
    "a.",
    "1",
    "a/",
    "<",
    "<a ",
    "&",
    "$",
    "$x ",
    "{",
    "\\",
    "\\textbf{",
    "{\\em ",
    "\\'",
    "*",
    "*a ",
]
_PIECES += [
    "`",
    "`a ",
    "http://",
    '"',
    "'a",
    " ",
    "\n ",
    "a-\n",
    "a and ",
    "The New Deep Method ",
    "a: ",
    "@a{",
    "a=b ",
]
_PIECES += [
    "we propose ",
    "a;",
    "a_",
    "$x^{",
    "[",
    "1%",
    ",",
    "(",
    "\u0301",
    "- ",
    "<p>",
    "&lt;",
    "@article{a,\n",
    "TY  - A\n",
]


@pytest.mark.parametrize("piece", _PIECES)
@pytest.mark.parametrize(
    "opening", ["", "id,abstract\nm1,", "TY  - JOUR\nAB  - ", "@article{a, abstract = {", '{"abstract": "']
)
def test_no_text_holds_a_reader_for_long(opening: str, piece: str) -> None:
    text = (piece * _LENGTH)[: _LENGTH if len(piece) < 3 else _LENGTH // 4]
    started = time.process_time()

    with suppress(RagError):
        read_bytes(f"{opening}{text}".encode(), "odd.txt")

    assert time.process_time() - started < _MOMENT
