"""Folders: every file below is read in its own form, as one source."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rag.errors import InputError
from rag.library.corpus import read_file
from tests.core.forms.samples import DIALECT, FERRY, MILL, abstracts, skips
from tests.fakes import write_lines


def test_a_folder_is_read_by_name_without_what_is_hidden(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "b.txt").write_text(FERRY, encoding="utf-8")
    (tmp_path / "sub" / "a.json").write_text(json.dumps([{"id": "m1", "abstract": MILL}]), encoding="utf-8")
    (tmp_path / ".hidden").write_text(DIALECT, encoding="utf-8")
    (tmp_path / "LICENSE").write_text("You may use these files as you like.", encoding="utf-8")
    (tmp_path / "c.json").write_text("[{", encoding="utf-8")

    reading = read_file(tmp_path)

    assert abstracts(reading) == [FERRY, MILL]
    assert list(skips(reading)) == ["c.json"]
    assert "breaks at line 1" in reading.skipped[0].reason


def test_files_of_every_form_side_by_side_are_read_each_in_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text(f"@misc{{a, abstract={{{MILL}}}}}", encoding="utf-8")
    (tmp_path / "b.ris").write_text(f"TY  - JOUR\nID  - b\nAB  - {FERRY}\nER  - ", encoding="utf-8")
    (tmp_path / "c.csv").write_text(f"id;abstract\nc;{DIALECT}\n", encoding="cp1252")

    assert [p.id for p in read_file(tmp_path).papers] == ["a", "b", "c"]


def test_one_id_in_two_files_is_told_with_both_files(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", {"id": "m", "abstract": MILL})
    write_lines(tmp_path / "b.jsonl", {"id": "m", "abstract": FERRY}, {"id": "n", "abstract": MILL})

    assert skips(read_file(tmp_path)) == {
        "b.jsonl, line 1 (m)": "its id 'm' is that of a.jsonl, line 1 (m), with another text",
        "b.jsonl, line 2 (n)": "it repeats a.jsonl, line 1 (m)",
    }


def test_a_file_that_is_empty_now_may_have_lost_its_records_and_one_that_is_no_text_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(MILL, encoding="utf-8")
    (tmp_path / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert read_file(tmp_path).partial == ""
    (tmp_path / "b.txt").write_text("", encoding="utf-8")

    reading = read_file(tmp_path)

    assert reading.partial == "1 of its records could not be read"
    assert skips(reading)["b.txt"] == "it is empty"


def test_links_pipes_and_folders_that_lead_back_are_survived(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(MILL, encoding="utf-8")
    (tmp_path / "linked.txt").symlink_to(tmp_path / "a.txt")
    (tmp_path / "nowhere.txt").symlink_to(tmp_path / "missing")
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.txt")

    reading = read_file(tmp_path)

    assert abstracts(reading) == [MILL]
    assert skips(reading) == {"linked.txt, line 1": "it repeats a.txt, line 1"}


def test_an_empty_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no file; give one with files of abstracts"):
        read_file(tmp_path)


def test_a_missing_file_and_a_pipe_are_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match=r"There is no file .*; give the path of a file with abstracts"):
        read_file(Path("nowhere.txt"))
    with pytest.raises(InputError, match=r"is a device or pipe, not a file; read it as standard input, with -\."):
        read_file(tmp_path / "pipe")
