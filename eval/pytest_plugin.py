"""One test a gold question in your own pytest run.

    # conftest.py
    pytest_plugins = ["eval.pytest_plugin"]

    # test_answers.py
    def test_answer(gold_row):
        gold_row.check()

    pytest --gold my-gold.jsonl --gold-library my-library     (or --gold-papers papers.jsonl)

A failure shows the question, what was expected, what came, and the evidence. Plain `pytest --junit-xml` writes them for
CI. The library is opened once a run; a gold file that does not fit the library stops the run with one sentence.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from eval.gold import GoldQuestion, load_gold, read_questions
from eval.report import explain
from eval.run import Row, evaluate
from eval.system import System, open_library
from rag.errors import RagError


@dataclass(frozen=True, slots=True)
class GoldRow:
    """A gold question with what the library made of it."""

    row: Row

    def check(self) -> None:
        """Fail, readably, unless the answer is wholly right."""
        if self.row.score("right").hits < 1:
            pytest.fail(explain(self.row), pytrace=False)


def pytest_addoption(parser: Any) -> None:
    """Add the options that name the gold and the library."""
    group = parser.getgroup("gold questions")
    group.addoption("--gold", action="append", default=[], metavar="FILE", help="gold questions, a test each")
    group.addoption("--gold-library", metavar="NAME", help="the library to ask; the packaged abstracts if not given")
    group.addoption("--gold-papers", type=Path, metavar="FILE", help="abstracts to index into a temporary library")
    group.addoption("--gold-mode", default="extractive", choices=("extractive", "llm"), help="how to answer")


def pytest_generate_tests(metafunc: Any) -> None:
    """Give a test that takes `gold_row` one case a question."""
    if "gold_row" not in metafunc.fixturenames:
        return
    files = [Path(name) for name in metafunc.config.getoption("--gold")]
    if not files:
        raise pytest.UsageError("A test takes gold_row, but no gold was named; add --gold FILE.")
    try:
        questions = read_questions(files)
    except RagError as error:
        raise pytest.UsageError(str(error)) from error
    metafunc.parametrize("gold_row", questions, ids=[question.id for question in questions], indirect=True)


@pytest.fixture(scope="session")
def gold_system(request: Any) -> Iterator[System]:
    """Open the library that the options name; the gold must hold against it."""
    option = request.config.getoption
    args = argparse.Namespace(
        library=option("--gold-library"), store=None, papers=option("--gold-papers"), mode=option("--gold-mode")
    )
    try:
        system = open_library(args)
        load_gold([Path(name) for name in option("--gold")], system.papers)
    except RagError as error:
        pytest.exit(f"could not evaluate: {error}", returncode=2)
    yield system
    system.close()


@pytest.fixture
def gold_row(request: Any, gold_system: System) -> GoldRow:
    """Ask one gold question."""
    question: GoldQuestion = request.param
    report = evaluate(gold_system.ask, [question], gold_system.papers)
    return GoldRow(report.rows[0])
