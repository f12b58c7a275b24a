"""The library as one of LlamaIndex's retrievers."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.pipeline import Library
from tests.core.conftest import OpenAt
from tests.fakes import WordEmbedder, make_paper, make_reading


@pytest.fixture
def library(tmp_path: Path, open_at: OpenAt) -> Library:
    opened = open_at(tmp_path, WordEmbedder())
    papers = (
        make_paper("Tidal mills turn under a light load.", "m", "Mills", venue="HARBOUR", year=2031),
        make_paper("Choirs drift in pitch over an evening.", "c", "Choirs", venue="MUSIC", year=2030),
    )
    opened.add(make_reading(*papers), "a.txt")
    return opened


def test_a_query_engine_of_llamaindex_reads_the_papers_that_search_finds(library: Library) -> None:
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine

    from rag.integrations.llama_index import LibraryRetriever

    engine = RetrieverQueryEngine.from_args(LibraryRetriever(library, k=1), llm=MockLLM())
    response = engine.query("How do tidal mills turn?")

    (source,) = response.source_nodes
    assert source.node.get_content() == "Tidal mills turn under a light load."
    assert source.node.metadata["paper_id"] == "m"
    assert (source.node.start_char_idx, source.node.end_char_idx) == (0, 36)
    assert source.score == library.search("How do tidal mills turn?", 1)[0].score


def test_filters_hold_for_its_queries_too(library: Library) -> None:
    from rag.integrations.llama_index import LibraryRetriever

    found = LibraryRetriever(library, filters={"venue": "music"}).retrieve("tidal mills")

    assert [row.node.metadata["paper_id"] for row in found] == ["c"]
