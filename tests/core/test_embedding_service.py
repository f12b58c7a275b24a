"""Embeddings of an OpenAI-compatible server: batches, waits as told, gives up in bounds, and is never mixed up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rag.config import Config, load_config
from rag.errors import LibraryError, ModelError
from rag.library.embedding_service import ServiceEmbedder, make_embedder
from rag.opening import open_library
from rag.pipeline import Library
from tests.core.services import Reply, embeds, service
from tests.fakes import WordEmbedder, write_lines

WORDS = embeds(WordEmbedder(16).embed)
LIMITED = Reply(json.dumps({"error": {"message": "slow down, key sk-test-0000-NOT-REAL"}}), 429, {"retry-after": "2"})


def config(tmp_path: Path, address: str, **environ: str) -> Config:
    settings = {
        "RAG_HOME": str(tmp_path / "home"),
        "RAG_EMBEDDING_MODEL": "embed-small",
        "RAG_EMBEDDING_BASE_URL": address,
        "RAG_EMBEDDING_API_KEY": "sk-test-0000-NOT-REAL",
        "RAG_EMBEDDING_BATCH": "64",
        **environ,
    }
    return load_config(settings, tmp_path)


def library(tmp_path: Path, settings: Config, waits: list[float]) -> Library:
    return open_library(store=tmp_path / "library", config=settings, embedder=ServiceEmbedder(settings, waits.append))


def mills(path: Path, count: int) -> Path:
    rows = [{"id": f"m{n:03}", "abstract": f"Mill number {n} turns under load {n * 3} at night."} for n in range(count)]
    return write_lines(path, *rows)


def sent(requests: list[Any]) -> list[str]:
    return [text for request in requests for text in request.values["input"] if text.startswith("Mill")]


def test_texts_go_out_in_batches_and_come_back_in_order(tmp_path: Path) -> None:
    with service(WORDS) as server:
        embedder = ServiceEmbedder(config(tmp_path, server.address, RAG_EMBEDDING_BATCH="2"))
        texts = ["Mills turn.", "Ferries cross.", "Choirs drift."]

        vectors = embedder.embed(texts)

    assert vectors == pytest.approx(WordEmbedder(16).embed(texts), abs=1e-6)
    assert [request.values["input"] for request in server.requests] == [texts[:2], texts[2:]]
    assert (server.requests[0].path, server.requests[0].values["model"]) == ("/v1/embeddings", "embed-small")
    assert (embedder.tokens, embedder.dimensions) == (3, 16)


def test_a_setting_names_the_embedder_and_its_key_stays_with_its_address(tmp_path: Path) -> None:
    settings = load_config(
        {"OPENAI_API_KEY": "sk-chat", "RAG_EMBEDDING_MODEL": "e", "RAG_EMBEDDING_BASE_URL": "http://h:1"}, tmp_path
    )

    assert isinstance(make_embedder(settings), ServiceEmbedder)
    assert (settings.embedding_key, settings.embedding_url) == ("", "http://h:1/v1")
    assert not isinstance(make_embedder(load_config({"OPENAI_API_KEY": "sk-chat"}, tmp_path)), ServiceEmbedder)


def test_s03_no_blank_text_is_sent_and_neighbours_survive(tmp_path: Path) -> None:
    texts = [f"Mill number {n} turns at night." for n in range(10)]
    texts[2], texts[4], texts[7] = "", "   ", "\n\n"
    path = write_lines(tmp_path / "a.jsonl", *({"id": f"r{n}", "abstract": text} for n, text in enumerate(texts)))
    with service(WORDS) as server, library(tmp_path, config(tmp_path, server.address), []) as opened:
        report = opened.index(path)

        assert (len(report.added), [row.record for row in report.skipped]) == (
            7,
            ["line 3 (r2)", "line 5 (r4)", "line 8 (r7)"],
        )
        assert opened.health()["vectors"] == 7


def test_s07_a_rate_limit_is_waited_for_as_told(tmp_path: Path) -> None:
    waits: list[float] = []
    with (
        service(WORDS, WORDS, WORDS, LIMITED, WORDS) as server,
        library(tmp_path, config(tmp_path, server.address), waits) as opened,
    ):
        opened.index(mills(tmp_path / "a.jsonl", 200))

        assert (waits, opened.health()["vectors"], opened.health()["pending"]) == ([2.0], 200, 0)


def test_s07_a_limit_without_end_is_given_up_on_with_counts_and_the_next_run_goes_on(tmp_path: Path) -> None:
    waits: list[float] = []
    path = mills(tmp_path / "a.jsonl", 200)
    with (
        service(WORDS, WORDS, LIMITED) as server,
        library(tmp_path, config(tmp_path, server.address, RAG_RETRIES="3"), waits) as opened,
    ):
        with pytest.raises(ModelError) as caught:
            opened.index(path)
        first = sent(server.requests[:2])

    message = str(caught.value)
    assert "answered 429" in message and "asked 4 times" in message and "NOT-REAL" not in message
    assert "64 of 200 passages are embedded, 136 are missing; the same command goes on from there" in message
    assert (waits, caught.value.exit_code) == ([2.0, 2.0, 2.0], 2)
    with service(WORDS) as server, library(tmp_path, config(tmp_path, server.address), waits) as opened:
        assert opened.index(path).embedded == 136
        assert set(sent(server.requests)).isdisjoint(first)


def test_a_wait_that_is_too_long_and_a_refused_key_end_at_once(tmp_path: Path) -> None:
    waits: list[float] = []
    for reply, message in (
        (Reply("{}", 429, {"retry-after": "86400"}), "asks to wait 86400 s"),
        (Reply('{"error": {"message": "bad sk-test-0000-NOT-REAL"}}', 401), "refused the key .401.; set RAG_EMBEDDING"),
        (Reply('{"error": {"message": "no such model"}}', 404), "answered 404 for model 'embed-small'"),
    ):
        with service(reply) as server:
            with pytest.raises(ModelError, match=message) as caught:
                ServiceEmbedder(config(tmp_path, server.address), waits.append).embed(["Mills turn."])
            assert (len(server.requests), "NOT-REAL" in str(caught.value)) == (1, False)
    assert waits == []


def test_a_server_that_is_away_is_told_after_bounded_tries(tmp_path: Path) -> None:
    waits: list[float] = []
    with pytest.raises(ModelError, match=r"does not answer. It was asked 3 times; try again later"):
        ServiceEmbedder(config(tmp_path, "http://127.0.0.1:9"), waits.append).embed(["Mills turn."])

    assert waits == [1.0, 2.0]


def test_a_chat_model_in_place_of_an_embedder_is_told(tmp_path: Path) -> None:
    empty = Reply('{"object": "list", "data": []}', headers={"content-type": "application/json"})
    told = r"gave 0 vectors of sizes .* for 1 texts; check that its model"
    with service(empty) as server, pytest.raises(ModelError, match=told):
        ServiceEmbedder(config(tmp_path, server.address)).embed(["Mills turn."])


def test_s10_a_model_that_changed_behind_its_name_is_noticed_before_anything_is_stored(tmp_path: Path) -> None:
    with service(WORDS) as server, library(tmp_path, config(tmp_path, server.address), []) as opened:
        opened.index(mills(tmp_path / "a.jsonl", 3))
    for other in (embeds(WordEmbedder(32).embed), embeds(lambda texts: -WordEmbedder(16).embed(texts))):
        with service(other) as server, library(tmp_path, config(tmp_path, server.address), []) as opened:
            with pytest.raises(LibraryError, match=r"no longer gives library 'library' the vectors .* index --rebuild"):
                opened.index(mills(tmp_path / "b.jsonl", 5))
            assert opened.health()["vectors"] == 3


def test_s10_a_question_to_another_size_says_what_to_do(tmp_path: Path) -> None:
    with service(WORDS) as server, library(tmp_path, config(tmp_path, server.address), []) as opened:
        opened.index(mills(tmp_path / "a.jsonl", 3))
    told = r"have another size than the embedder's .* index --rebuild"
    with (
        service(embeds(WordEmbedder(32).embed)) as server,
        library(tmp_path, config(tmp_path, server.address), []) as opened,
        pytest.raises(LibraryError, match=told),
    ):
        opened.search("mills")


def test_a_large_paid_run_is_asked_about_first(tmp_path: Path) -> None:
    from rag.library.corpus import read_file

    asked: list[tuple[int, int, float | None]] = []

    def refuse(*what: Any) -> bool:
        asked.append(what)
        return False

    path = mills(tmp_path / "a.jsonl", 600)
    with (
        service(WORDS) as server,
        library(tmp_path, config(tmp_path, server.address, RAG_EMBEDDING_PRICE="0.5"), []) as opened,
    ):
        report = opened.add(read_file(path), str(path), approve=refuse)

        assert (report.embedded, server.requests, opened.count) == (0, [], 600)
        assert "Nothing was embedded" in report.warnings[0]
    ((passages, tokens, cost),) = asked
    assert passages == 600 and cost == pytest.approx(tokens * 0.5e-6) and 5_000 < tokens < 10_000
