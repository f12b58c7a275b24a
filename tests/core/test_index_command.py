"""`rag index` and `rag libraries` as they are typed."""

from __future__ import annotations

import io
import json
import shlex
from contextlib import closing
from pathlib import Path

import pytest

from rag.cli import main
from rag.library.catalog import Catalog
from rag.terminal import Progress
from tests.fakes import write_abstracts, write_lines

MILL = "MILLNET models tidal mills in harbours. It gains 4.2 points."
FERRY = "FERRYQ plans ferry routes by night. It saves 7 minutes a trip."


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAG_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def test_a_folder_makes_a_library_of_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    write_abstracts(folder / "a.txt", MILL)
    write_lines(folder / "b.jsonl", {"id": "f", "title": "Ferries", "abstract": "FERRYQ plans\nferry routes by night."})

    assert main(["index", str(folder)]) == 0

    printed = capsys.readouterr()
    assert printed.out.startswith("Library 'exports': 2 added, 0 updated, 0 unchanged, 0 removed, 0 skipped; 2 papers")
    assert "1 read with a remark, its broken lines were joined: b.jsonl, line 1 (f)" in printed.out
    assert main(["libraries"]) == 0
    assert "exports: 2 papers, " in capsys.readouterr().out


def test_standard_input_goes_into_the_library_that_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in (MILL, FERRY):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))
        assert main(["index", "-", "--library", "piped"]) == 0

    assert "1 added, 0 updated, 0 unchanged, 0 removed, 0 skipped; 2 papers" in capsys.readouterr().out.splitlines()[-1]


def test_one_is_said_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(write_abstracts(tmp_path / "single.txt", MILL))]) == 0
    assert main(["index", "--rebuild", "--library", "single"]) == 0
    assert main(["libraries"]) == 0

    printed = capsys.readouterr()
    assert "; 1 paper, 1 passage embedded.\n" in printed.out and "from its 1 paper, 1 passage embedded." in printed.out
    assert "single: 1 paper, " in printed.out
    assert "Embedded 1 passage in " in printed.err


def test_a_library_is_built_again_from_its_own_texts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_abstracts(tmp_path / "a.txt", MILL, FERRY)
    main(["index", str(path)])
    path.unlink()

    assert main(["index", "--rebuild", "--library", "a"]) == 0

    assert "Library 'a': built again from its 2 papers" in capsys.readouterr().out


def test_a_catalog_of_an_unknown_format_is_set_aside_and_its_source_read_anew(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import sqlite3

    path = write_abstracts(tmp_path / "a.txt", MILL, FERRY)
    main(["index", str(path)])
    with sqlite3.connect(home / "a" / "library.db") as db:
        db.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    db.close()

    assert main(["index", str(path)]) == 2
    assert "has format 99" in capsys.readouterr().err
    assert main(["index", str(path), "--rebuild"]) == 0
    assert "2 papers" in capsys.readouterr().out
    assert (home / "a" / "before-rebuild-library.db").is_file()


def test_a_mistyped_folder_is_told_and_not_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "What is MILLNET?", "--store", str(tmp_path / "typo")]) == 2

    assert capsys.readouterr().err.startswith("rag: There is no library in ")
    assert not (tmp_path / "typo").exists()


def test_an_empty_source_ends_with_1_and_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_abstracts(tmp_path / "a.txt", MILL, FERRY)
    main(["index", str(path)])
    path.write_text("", encoding="utf-8")

    assert main(["index", str(path)]) == 1
    assert main(["papers", "--library", "a", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out.partition("\n")[2])) == 2


def test_progress_off_a_terminal_is_one_line_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress()
    for done in (0, 64, 128, 150):
        progress(done, 150)

    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1 and lines[0].startswith("Embedded 150 passages in ")


@pytest.mark.parametrize("known_by", ["name", "folder"])
def test_the_remedy_that_is_printed_can_be_pasted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], home: Path, known_by: str
) -> None:
    folder = home / "mills" if known_by == "name" else tmp_path / "my library"
    which = ["--library", "mills"] if known_by == "name" else ["--store", str(folder)]
    assert main(["index", str(write_abstracts(tmp_path / "mills.txt", MILL)), *which]) == 0
    with closing(Catalog(folder)) as catalog:
        catalog.set_meta("embedder", "of another model")
    assert main(["search", "tidal mills", *which]) == 2

    told = capsys.readouterr().err.strip().splitlines()[-1]
    command = shlex.split(told[told.index("rag index") :])
    assert command == ["rag", "index", "--rebuild", *which]
    assert main(command[1:]) == 0
    assert main(["search", "tidal mills", *which]) == 0
