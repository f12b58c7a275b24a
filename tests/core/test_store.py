"""Vectors in Chroma: one suite over a folder and a server, and LlamaIndex reading what we wrote."""

from __future__ import annotations

import json
import re
import socket
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rag.config import Config, load_config
from rag.doctor import examine
from rag.errors import LibraryError, VectorsAway
from rag.library.chunking import chunk
from rag.library.store import COLLECTION, ChromaStore
from rag.opening import delete_library, move_library, open_library
from rag.types import Chunk, Paper
from tests.core.chroma_server import PATIENCE, free_port, running
from tests.core.conftest import OpenAt
from tests.core.services import Reply, Request, service
from tests.fakes import WordEmbedder, make_paper, make_reading

PAPERS = (
    make_paper("Tidal mills turn at night.", "m1", "Mills", authors=["A. Reed", "B. Holt"], year=2031, venue="HARBOUR"),
    make_paper("Ferries cross the sound by day.", "m2", "Ferries"),
    make_paper("Dialects of one valley are recorded.", "m3", "Dialects"),
)


@pytest.fixture
def open_store(vectors_in: str | None, tmp_path: Path) -> Callable[[], ChromaStore]:
    """Open the same collection again and again, in a folder or on a server."""
    collection = f"test-{uuid.uuid4().hex}"
    return lambda: ChromaStore(tmp_path, vectors_in, collection)


def rows(*papers: Paper, digest: str = "d1") -> list[tuple[Paper, Chunk, str]]:
    return [(paper, piece, digest) for paper in papers for piece in chunk(paper)]


def vectors(*papers: Paper) -> np.ndarray:
    return WordEmbedder().embed([p.abstract for p in papers])


def filled(store: ChromaStore) -> ChromaStore:
    store.upsert(rows(*PAPERS), vectors(*PAPERS))
    return store


def test_what_is_stored_is_found_by_cosine_best_first(open_store: Callable[[], ChromaStore]) -> None:
    store = filled(open_store())
    query = WordEmbedder().embed(["Tidal mills at night"])[0]

    found = store.query(query, 3)

    expected = {p.id + ":0": float(v @ query) for p, v in zip(PAPERS, vectors(*PAPERS), strict=True)}
    assert [identity for identity, _ in found] == sorted(expected, key=lambda i: (-expected[i], i))
    assert dict(found) == pytest.approx(expected, abs=1e-4)
    assert store.query(query, 1) == found[:1]


def test_equal_vectors_are_ordered_by_id(open_store: Callable[[], ChromaStore]) -> None:
    twins = [make_paper("Mills turn.", identity) for identity in ("c", "a", "b")]
    store = open_store()
    store.upsert(rows(*twins), vectors(*twins))

    assert [identity for identity, _ in store.query(vectors(twins[0])[0], 3)] == ["a:0", "b:0", "c:0"]


def test_a_search_among_some_finds_only_those(open_store: Callable[[], ChromaStore]) -> None:
    store = filled(open_store())
    query = vectors(PAPERS[0])[0]

    assert {identity for identity, _ in store.query(query, 10, ["m2:0", "m3:0"])} == {"m2:0", "m3:0"}
    assert {identity for identity, _ in store.query(query, 10, ["m2:0", "unknown"])} == {"m2:0"}
    assert store.query(query, 10, []) == store.query(query, 10, ["unknown"]) == []


def test_a_second_upsert_replaces_and_adds_nothing(open_store: Callable[[], ChromaStore]) -> None:
    store = filled(open_store())
    changed = make_paper("Ferries cross the sound by day.", "m1", "Mills")
    store.upsert(rows(changed, digest="d2"), vectors(changed))

    assert store.count() == 3
    assert store.digests(["m1:0", "m2:0", "unknown"]) == {"m1:0": "d2", "m2:0": "d1"}
    assert dict(store.query(vectors(changed)[0], 3))["m1:0"] == pytest.approx(1.0, abs=1e-4)


def test_deleted_chunks_are_gone_and_unknown_ids_are_ignored(open_store: Callable[[], ChromaStore]) -> None:
    store = filled(open_store())
    store.delete(["m1:0", "unknown"])

    assert store.count() == 2
    assert "m1:0" not in dict(store.query(vectors(PAPERS[0])[0], 10))


def test_another_client_sees_what_was_stored(open_store: Callable[[], ChromaStore]) -> None:
    filled(open_store())

    assert open_store().count() == 3


def test_an_empty_store_finds_nothing(open_store: Callable[[], ChromaStore]) -> None:
    store = open_store()

    assert (store.count(), store.query(vectors(PAPERS[0])[0], 5), store.digests([])) == (0, [], {})


def test_more_records_than_one_call_may_carry_are_stored_in_slices(open_store: Callable[[], ChromaStore]) -> None:
    store = open_store()
    many = [make_paper("Mills turn.", f"n{i:05}") for i in range(store.batch_limit + 3)][:8000]
    store.upsert(rows(*many), np.eye(16, dtype=np.float32)[np.arange(len(many)) % 16])

    assert store.count() == len(many)
    assert len(store.digests([f"{p.id}:0" for p in many])) == len(many)


def test_a_library_works_the_same_on_a_server(server: str, config: object, open_at: OpenAt, tmp_path: Path) -> None:
    here = open_at(tmp_path / "here", WordEmbedder())
    there = open_library(store=tmp_path / "there", chroma=server, config=config, embedder=WordEmbedder())
    with there:
        for library in (here, there):
            library.add(make_reading(*PAPERS), "a.txt")
            library.remove(["m3"])
        queries = ("tidal mills", "ferries by day", "valley")

        assert there.health()["vectors"] == 2
        assert not (tmp_path / "there" / "chroma").exists()
        for query in queries:
            assert [(h.paper_id, h.source) for h in there.search(query)] == [
                (h.paper_id, h.source) for h in here.search(query)
            ]


def test_two_libraries_on_one_server_keep_apart_and_the_address_is_remembered(
    server: str, config: Config, tmp_path: Path
) -> None:
    for name, paper in (("one", PAPERS[0]), ("two", PAPERS[1])):
        with open_library(store=tmp_path / name, chroma=server, config=config, embedder=WordEmbedder()) as library:
            library.add(make_reading(paper), "a.txt")
            assert library.health()["vectors"] == 1

    with open_library(store=tmp_path / "one", config=config, embedder=WordEmbedder()) as again:
        assert [(h.paper_id, h.source) for h in again.search("tidal mills")] == [("m1", "both")]
        assert again.health()["vectors_in"] == server


def test_while_a_server_is_away_words_are_searched_and_said_so_and_when_it_is_back_all_goes_on(
    config: Config, tmp_path: Path
) -> None:
    (tmp_path / "server").mkdir()
    port, kiln = free_port(), make_paper("Kilns glow at dawn.", "m4")
    with running(tmp_path / "server", port) as address:
        library = open_library(store=tmp_path / "a", chroma=address, config=config, embedder=WordEmbedder())
        library.add(make_reading(*PAPERS), "a.txt")
        assert (library.search("tidal mills")[0].source, library.keeper.trouble) == ("both", "")

    told = rf"The vectors in {address} can't be .*: for now papers are found by their words only\."
    assert [(hit.paper_id, hit.source) for hit in library.search("tidal mills")] == [("m1", "lexical")]
    assert re.fullmatch(told, library.keeper.trouble)
    answer = library.ask("What do tidal mills do?")
    assert (answer.outcome, answer.citations[0].paper_id) == ("answered", "m1")
    assert any(re.fullmatch(told, warning) for warning in answer.warnings)
    assert re.fullmatch(told, library.health()["trouble"])
    assert any(re.fullmatch(told, problem) for problem in examine(library)["problems"])
    with pytest.raises(VectorsAway, match=r"can't be .* The texts are stored and found by their words") as caught:
        library.add(make_reading(*PAPERS, kiln), "a.txt")
    assert "\n" not in str(caught.value)
    assert [(hit.paper_id, hit.source) for hit in library.search("Kilns glow at dawn", 1)] == [("m4", "lexical")]

    with running(tmp_path / "server", port):
        assert library.search("tidal mills")[0].source == "both"
        assert library.ask("What do tidal mills do?").warnings == (
            "1 passages are not embedded yet; for now they are found by their words only.",
        )
        assert library.complete() == 1
        assert [(h.paper_id, h.source) for h in library.search("Kilns glow at dawn", 1)] == [("m4", "both")]
        assert "trouble" not in library.health()
    library.close()


def test_what_was_found_while_a_server_was_away_is_forgotten_when_it_is_back(config: Config, tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    port, question = free_port(), "What do tidal mills do?"
    with (
        running(tmp_path / "server", port) as address,
        open_library(store=tmp_path / "a", chroma=address, config=config, embedder=WordEmbedder()) as library,
    ):
        library.add(make_reading(*PAPERS), "a.txt")

    library = open_library(store=tmp_path / "a", config=config, embedder=WordEmbedder())
    away = [library.ask(question) for _ in range(2)]
    assert [(a.evidence[0].source, len(a.warnings)) for a in away] == [("lexical", 1)] * 2
    with running(tmp_path / "server", port):
        back = library.ask(question)
        assert (back.evidence[0].source, back.warnings) == ("both", ())
    library.ask("Which choirs sing?")
    remembered = library.ask(question)
    assert (remembered.evidence[0].source, remembered.warnings) == ("both", ())
    library.close()


def test_a_server_that_comes_back_empty_is_told_and_filled_by_the_next_run(config: Config, tmp_path: Path) -> None:
    port = free_port()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with running(tmp_path / "one", port) as address:
        library = open_library(store=tmp_path / "a", chroma=address, config=config, embedder=WordEmbedder())
        library.add(make_reading(*PAPERS), "a.txt")

    with running(tmp_path / "two", port):
        assert [hit.source for hit in library.search("tidal mills")] == ["lexical"]
        assert library.keeper.trouble.startswith(
            f"The vectors of 3 passages are gone from {address}: papers are found by"
        )
        library.add(make_reading(*PAPERS), "a.txt")
        assert library.search("tidal mills")[0].source == "both"
        assert library.keeper.trouble == ""
    library.close()


def test_a_server_that_accepts_and_never_answers_holds_nobody_for_long(config: Config, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        library = open_library(store=tmp_path / "a", config=config, embedder=WordEmbedder())
        library.add(make_reading(*PAPERS), "a.txt")
        library.keeper.catalog.set_meta("server", address)
        library.close()
        with open_library(store=tmp_path / "a", chroma=address, config=config, embedder=WordEmbedder()) as away:
            started = time.monotonic()
            assert [hit.source for hit in away.search("tidal mills")] == ["lexical"]
            assert time.monotonic() - started < PATIENCE
            assert "for now papers are found by their words only" in away.keeper.trouble


def test_a_library_is_deleted_with_its_collection_on_the_server_and_found_after_a_move(
    server: str, tmp_path: Path
) -> None:
    config = load_config({"RAG_HOME": str(tmp_path / "home")}, tmp_path)
    with open_library("one", chroma=server, config=config, embedder=WordEmbedder()) as library:
        library.add(make_reading(*PAPERS), "a.txt")
        collection = library.keeper.catalog.meta("collection")
    assert ChromaStore(tmp_path, server, collection).count() == 3
    move_library(config, "one", "two")
    with open_library("two", config=config, embedder=WordEmbedder()) as moved:
        assert moved.search("tidal mills")[0].source == "both"

    assert delete_library(config, "two") == ""

    assert ChromaStore(tmp_path, server, collection).count() == 0
    assert not (tmp_path / "home" / "two").exists()


def test_a_library_whose_server_is_away_is_deleted_and_what_stays_there_is_said(tmp_path: Path) -> None:
    config = load_config({"RAG_HOME": str(tmp_path / "home")}, tmp_path)
    (tmp_path / "server").mkdir()
    with running(tmp_path / "server", free_port()) as address:
        library = open_library("one", chroma=address, config=config, embedder=WordEmbedder())
        library.add(make_reading(*PAPERS), "a.txt")
        collection = library.keeper.catalog.meta("collection")
        library.close()

    left = delete_library(config, "one")

    assert left.startswith(
        f"Its collection {collection!r} was left on {address}: The vectors in {address} can't be opened"
    )
    assert not (tmp_path / "home" / "one").exists()


def test_a_hosted_database_is_asked_for_with_its_token_tenant_and_name(tmp_path: Path) -> None:
    def answer(request: Request) -> Reply:
        kind = {"content-type": "application/json"}
        if request.path.endswith("/collections"):
            return Reply(
                json.dumps(
                    {
                        "id": str(uuid.uuid4()),
                        "name": "abstracts",
                        "tenant": "acme",
                        "database": "papers",
                        "dimension": None,
                        "version": 0,
                        "log_position": 0,
                        "metadata": None,
                        "configuration_json": {},
                    }
                ),
                headers=kind,
            )
        if request.path.endswith("/auth/identity"):
            return Reply(json.dumps({"user_id": "u", "tenant": "acme", "databases": ["papers"]}), headers=kind)
        return Reply(
            json.dumps(
                {
                    "name": request.path.rpartition("/")[2],
                    "id": str(uuid.uuid4()),
                    "tenant": "acme",
                    "nanosecond heartbeat": 1,
                }
            ),
            headers=kind,
        )

    with service(answer) as hosted:
        ChromaStore(tmp_path, f"{hosted.address}/acme/papers", token="ck-NOT-REAL")

    paths = [request.path for request in hosted.requests]
    assert "/api/v2/tenants/acme/databases/papers/collections" in paths
    assert {request.headers.get("x-chroma-token") for request in hosted.requests} == {"ck-NOT-REAL"}


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("localhost:8000", "'localhost:8000' is no Chroma address; give one such as http://localhost:8000"),
        ("http://127.0.0.1:9", r"The vectors in http://127\.0\.0\.1:9 can't be opened"),
    ],
)
def test_an_address_that_does_not_answer_is_said_in_a_sentence(address: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match=message) as caught:
        ChromaStore(tmp_path, address)

    assert "\n" not in str(caught.value)


def test_a_folder_that_holds_something_else_is_said_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "chroma").write_text("a file where the folder should be", encoding="utf-8")

    with pytest.raises(LibraryError, match="can't be opened"):
        ChromaStore(tmp_path)


def test_an_edited_passage_keeps_nothing_of_the_old_record(open_at: OpenAt, tmp_path: Path) -> None:
    library = open_at(tmp_path, WordEmbedder())
    library.add(make_reading(make_paper("Mills turn at night.", "m", "Mills", venue="HARBOUR", year=2031)), "a")
    library.add(make_reading(make_paper("Mills turn at noon.", "m", "Mills", year=2031)), "a")

    (stored,) = library.keeper.vectors()._collection.get(include=["metadatas"])["metadatas"]

    assert "venue" not in stored
    assert "noon" in stored["_node_content"]
    assert "night" not in stored["_node_content"]


def test_llamaindex_opens_the_same_collection_and_finds_our_passages(
    seed_papers: tuple[Paper, ...], open_at: OpenAt, tmp_path: Path
) -> None:
    chromadb = pytest.importorskip("chromadb")
    module = pytest.importorskip(
        "llama_index.vector_stores.chroma", reason="needs the extra: pip install rag-abstracts[llama-index]"
    )
    from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters, VectorStoreQuery

    embedder = WordEmbedder()
    library = open_at(tmp_path, embedder)
    library.add(make_reading(*seed_papers[:5]), "seeds")
    collection = chromadb.PersistentClient(
        path=str(tmp_path / "chroma"), settings=chromadb.config.Settings(anonymized_telemetry=False)
    ).get_collection(COLLECTION)
    theirs = module.ChromaVectorStore(chroma_collection=collection)
    paper = seed_papers[2]
    question = embedder.embed([paper.abstract])[0].tolist()

    result = theirs.query(VectorStoreQuery(query_embedding=question, similarity_top_k=3))

    node = result.nodes[0]
    assert len(result.nodes) == 3
    assert result.ids[0] == node.node_id == f"{paper.id}:0"
    assert node.text == paper.abstract[node.start_char_idx : node.end_char_idx] == chunk(paper)[0].text
    assert node.ref_doc_id == paper.id
    assert node.metadata["title"] == paper.title
    assert (node.metadata["venue"], node.metadata["year"]) == ("ICML", 2026)

    only = MetadataFilters(filters=[MetadataFilter(key="paper_id", value=seed_papers[4].id)])
    filtered = theirs.query(VectorStoreQuery(query_embedding=question, similarity_top_k=9, filters=only))

    assert {n.metadata["paper_id"] for n in filtered.nodes} == {seed_papers[4].id}
