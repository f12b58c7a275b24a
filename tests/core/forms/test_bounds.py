"""Data that is no text, and texts without end: named with the reason, without looking at them for long."""

from __future__ import annotations

import base64
import json
import random
import time
from pathlib import Path

import pytest

from rag.cli import main
from rag.library.corpus import read_bytes

MILL = "MILLNET models tidal mills in harbours. It gains 4.2 points on the HARBOUR benchmark."
BLOB = base64.b64encode(random.Random(1).randbytes(3_000_000)).decode()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"{MILL}\n\n{BLOB}\n", "it has 4,000,000 characters"),
        (f"{MILL}\n\n{BLOB[:9000]}\n", "it holds thousands of characters without a space: it is data, not text"),
        (f"{MILL}\n" + json.dumps({"id": "b", "abstract": f"We show {BLOB[:5000]} here."}), "it holds thousands of"),
        (f'id,abstract\nm,"{MILL}"\nb,"{"word " * 500_000}"\n', "it has 2,499,999 characters"),
    ],
)
def test_what_is_no_abstract_is_named_and_the_rest_is_read(text: str, reason: str) -> None:
    started = time.process_time()
    reading = read_bytes(text.encode(), "x")

    assert [p.abstract for p in reading.papers] == [MILL]
    (skipped,) = reading.skipped
    assert skipped.reason.startswith(reason) and len(skipped.reason) < 200
    assert time.process_time() - started < 20  # a pattern that backtracks takes hours


def test_a_text_without_spaces_of_its_language_is_read() -> None:
    text = "我们提出一种解析法律文本的方法。" * 300

    assert len(read_bytes(text.encode(), "x").papers) == 1


def test_a_title_without_end_is_left_out_and_said() -> None:
    reading = read_bytes(json.dumps({"id": "m", "title": "Mills " * 2000, "abstract": MILL}).encode(), "x")

    (paper,) = reading.papers
    assert paper.title_derived and len(paper.title) < 200
    assert "its title has 11,999 characters and was left out" in [row.reason for row in reading.notes]


def test_a_text_to_check_may_not_be_endless_and_data_in_it_is_not_judged(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.txt").write_text(f"AutoTool gains many points. {BLOB[:500_000]}", encoding="utf-8")
    (tmp_path / "b.txt").write_text(BLOB, encoding="utf-8")

    assert main(["check", str(tmp_path / "a.txt")]) == 0
    out = capsys.readouterr().out
    assert "is too long for a sentence" in out and len(out) < 1000
    assert main(["check", str(tmp_path / "b.txt")]) == 2
    assert "has more than 1,000,000 characters; give it in parts" in capsys.readouterr().err
