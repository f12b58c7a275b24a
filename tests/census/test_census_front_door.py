"""Chat and command give the same census; the evidence holds what is cited."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.cli import main
from rag.opening import open_library
from rag.pipeline import Library

_LINES = (
    "We decode with a training-free method for tides. Our code is available at https://github.com/a/tides.",
    "We train a model of storms by distillation from a teacher. Code will be released soon.",
    "We prove that sorting rivers needs a bound that grows with their length.",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("census")
    file = folder / "waters.jsonl"
    rows = [{"id": f"w{n}", "title": f"Waters {n}", "abstract": text} for n, text in enumerate(_LINES, 1)]
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    with open_library(store=folder / "store") as library:
        library.index(file)
    return folder / "store"


@pytest.fixture(scope="module")
def library(store: Path) -> Iterator[Library]:
    with open_library(store=store) as opened:
        yield opened


def test_chat_answers_a_whole_corpus_question_by_a_census(library: Library) -> None:
    answer = library.ask("How many papers release their code?")
    assert answer.outcome == "answered"
    assert answer.text.startswith("One (1) of the 3 abstracts.")
    assert [c.paper_id for c in answer.citations] == ["w1"]
    assert {c.chunk_id for c in answer.citations} <= {row.chunk.id for row in answer.evidence}


def test_an_ordinary_question_is_no_census(library: Library) -> None:
    assert "abstracts read" not in library.ask("What is the code address of the tides paper?").text


def test_a_greeting_is_no_census(library: Library) -> None:
    assert library.ask("hello").outcome == "smalltalk"


def test_the_command_prints_text_json_and_csv(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    question = "Which papers promise code but have not released it yet?"
    assert main(["census", question, "--store", str(store)]) == 0
    assert "3 abstracts read: 1 yes, 2 no." in capsys.readouterr().out
    assert main(["census", question, "--store", str(store), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["yes"] == 1
    assert main(["census", question, "--store", str(store), "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out, newline="")))
    assert [(row["paper_id"], row["outcome"]) for row in rows] == [("w2", "yes"), ("w1", "no"), ("w3", "no")]


def test_a_blank_question_could_not_be_tried(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["census", " ", "--store", str(store)]) == 2
    assert "blank" in capsys.readouterr().err
