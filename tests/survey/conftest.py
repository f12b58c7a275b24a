from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from rag.library.corpus import read_file
from rag.opening import open_library
from rag.pipeline import Library
from rag.types import Paper
from tests.conftest import ROOT


@pytest.fixture(scope="session")
def seeds() -> Mapping[str, Paper]:
    """The packaged abstracts by the name before the colon of their titles."""
    papers = read_file(ROOT / "seeds" / "icml-2026.txt").papers
    return {paper.title.partition(":")[0]: paper for paper in papers}


@pytest.fixture(scope="module")
def library(home: Path) -> Iterator[Library]:
    with open_library() as opened:
        yield opened
