"""Vectors in Chroma: a folder (`PersistentClient`) or a `chroma run` server by address. Nothing else imports chromadb.

Records are laid out as LlamaIndex's `ChromaVectorStore` reads them (`_node_content`, `_node_type`, `document_id`), so
that LlamaIndex opens the same collection; LlamaIndex itself is not imported. A passage's text lies in its node, not in
Chroma's `documents`: over those a folder keeps an index of trigrams, with them 10 MB a 1,000 passages (measured), that
nothing here searches.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from rag.errors import LibraryError, VectorsAway
from rag.library.graph_files import DATABASE, fault_of
from rag.types import Chunk, Paper

COLLECTION = "abstracts"
# How hard the graph over the vectors (HNSW) is searched, and built. Building is what grows with a library; searching
# longer makes up for building less. Of 500 queries (TLDRs) over 5,560 real passages these two find all of the exact top
# 10 in 1.000, and .9999 of the top 100; 100 and 400 did so in .998 (.9992). A folder keeps the graph that it
# was made with.
_SEARCH_EF, _BUILD_EF = 1200, 48
_LOOKS = (0.0, 0.2, 0.5)  # seconds before each look at files that may be torn
_CONNECT, _PATIENCE = 5.0, 60.0  # seconds a server may take to say that it is there, and to answer


class VectorStore(Protocol):
    """Where vectors lie; scores are cosine similarities."""

    def upsert(self, rows: Sequence[tuple[Paper, Chunk, str]], vectors: Any) -> None:
        """Store one vector a (paper, chunk, digest of the embedded text)."""
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Delete chunks; unknown ids are ignored."""
        ...

    def query(self, vector: Any, k: int, ids: Sequence[str] | None = None) -> list[tuple[str, float]]:
        """Return up to k (chunk id, cosine), best first, of all chunks or of those named."""
        ...

    def digests(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the digests of those chunks that are stored."""
        ...

    def vectors(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return the vectors of those chunks that are stored."""
        ...

    def ids(self) -> list[str]:
        """Return the ids of all chunks that are stored."""
        ...

    def count(self) -> int:
        """Return the number of stored chunks."""
        ...


class ChromaStore:
    """The collection of one library in a Chroma folder, or on a server where an address is given."""

    def __init__(
        self,
        folder: Path,
        address: str | None = None,
        collection: str = COLLECTION,
        token: str = "",
        rebuilding: str = "rag index --rebuild",
    ) -> None:
        """`rebuilding` is the command that makes the library's vectors anew, for those who are told to run it."""
        self._where, self._name, self._address = address or str(folder / "chroma"), collection, address
        self._rebuilding = rebuilding
        fault = "" if address else _lasting_fault(folder / "chroma")
        if fault:
            raise VectorsAway(f"The vectors in {self._where} are damaged ({fault}).")
        try:
            self._client: Any = _client(folder, address, token)
            self._collection: Any = self._made()
        except LibraryError:
            raise
        except Exception as error:  # Chroma raises many kinds, from httpx's to Rust's, for "can't be opened"
            if not address:
                _let_go(self._where)
            raise VectorsAway(f"The vectors in {self._where} can't be opened ({_first_line(error)}).") from error

    def _made(self) -> Any:
        # No embedding function: Chroma's default one would be downloaded, and we bring our own vectors.
        return self._client.get_or_create_collection(
            self._name,
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": _SEARCH_EF, "ef_construction": _BUILD_EF}},
        )

    def close(self) -> None:
        """Let go of the client, so that the next one reads the disk anew."""
        close = getattr(self._client, "close", None)
        if close is not None:
            close()

    def retire(self) -> None:
        """Make the next client of this folder read it anew, and leave this one to those who still use it."""
        _let_go(self._client._identifier)

    def clear(self) -> None:
        """Delete every vector of the collection."""
        with self._told():
            self._client.delete_collection(self._name)
            self._collection = self._made()

    def drop(self) -> None:
        """Delete the collection itself."""
        with self._told():
            self._client.delete_collection(self._name)

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say in one sentence that a call failed: a server that is away, a size that does not fit, a damaged folder."""
        try:
            yield
        except LibraryError:
            raise
        except Exception as error:  # as above
            if "dimension" in str(error):
                raise LibraryError(
                    f"The vectors in {self._where} have another size than the embedder's ({_first_line(error)}); "
                    f"restore the embedding model, or build the library again with: {self._rebuilding}"
                ) from error
            if self._address:
                raise VectorsAway(
                    f"The vectors in {self._where} can't be reached ({_first_line(error)}); "
                    "start the Chroma server and try again."
                ) from error
            raise VectorsAway(
                f"The vectors in {self._where} can't be used ({_first_line(error)}); "
                f"check the disk's space, or build the library again with: {self._rebuilding}"
            ) from error

    @property
    def batch_limit(self) -> int:
        """Return how many records one call may carry, as the client reports it."""
        return int(self._client.get_max_batch_size())

    def upsert(self, rows: Sequence[tuple[Paper, Chunk, str]], vectors: Any) -> None:
        """Store one vector a (paper, chunk, digest), sliced by the limit that the client reports."""
        with self._told():
            for part in _slices(len(rows), self.batch_limit):
                self._collection.upsert(
                    ids=[chunk.id for _, chunk, _ in rows[part]],
                    embeddings=vectors[part],
                    metadatas=[_node_metadata(paper, chunk, digest) for paper, chunk, digest in rows[part]],
                )

    def delete(self, ids: Sequence[str]) -> None:
        """Delete chunks by id, sliced like `upsert`."""
        with self._told():
            for part in _slices(len(ids), self.batch_limit):
                self._collection.delete(ids=list(ids[part]))

    def query(self, vector: Any, k: int, ids: Sequence[str] | None = None) -> list[tuple[str, float]]:
        """Return up to k (chunk id, cosine similarity), best first, ties by id."""
        if k < 1 or (ids is not None and not ids):
            return []
        with self._told():
            try:
                result = self._query(vector, k, ids)
            except Exception as error:  # Chroma's Rust core raises its InternalError for an id that has no vector
                if ids is None or "finding id" not in str(error):
                    raise
                there = list(self.digests(ids))
                if not there:
                    return []
                result = self._query(vector, k, there)
        rows = zip(result["ids"][0], result["distances"][0], strict=True)
        return sorted(((identity, 1.0 - float(d)) for identity, d in rows), key=lambda row: (-row[1], row[0]))

    def _query(self, vector: Any, k: int, ids: Sequence[str] | None) -> Any:
        return self._collection.query(
            query_embeddings=[vector],
            n_results=k if ids is None else min(k, len(ids)),
            ids=list(ids) if ids is not None else None,
            include=["distances"],
        )

    def digests(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the digests of those chunks that are stored."""
        found: dict[str, str] = {}
        with self._told():
            for part in _slices(len(ids), min(self.batch_limit, 5000)):
                rows = self._collection.get(ids=list(ids[part]), include=["metadatas"])
                found.update(zip(rows["ids"], (str(m.get("digest", "")) for m in rows["metadatas"]), strict=True))
        return found

    def vectors(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return the vectors of those chunks that are stored."""
        found: dict[str, Any] = {}
        with self._told():
            for part in _slices(len(ids), min(self.batch_limit, 5000)):
                rows = self._collection.get(ids=list(ids[part]), include=["embeddings"])
                found.update(zip(rows["ids"], rows["embeddings"], strict=True))
        return found

    def ids(self) -> list[str]:
        """Return the ids of all chunks that are stored."""
        with self._told():
            parts = _slices(int(self._collection.count()), min(self.batch_limit, 5000))
            pages = [self._collection.get(limit=p.stop - p.start, offset=p.start, include=[]) for p in parts]
        return [identity for page in pages for identity in page["ids"]]

    def count(self) -> int:
        """Return the number of stored chunks."""
        with self._told():
            return int(self._collection.count())


def _let_go(identifier: str) -> None:
    """Make the next client of a folder or server a new one: Chroma shares one a process, a broken one too."""
    from chromadb.api.shared_system_client import SharedSystemClient

    SharedSystemClient._identifier_to_system.pop(identifier, None)
    SharedSystemClient._identifier_to_refcount.pop(identifier, None)


def _lasting_fault(folder: Path) -> str:
    """Return what is wrong with a folder's graphs; another process may be in the middle of writing one."""
    fault = ""
    for wait in _LOOKS:
        time.sleep(wait)
        fault = fault_of(folder)
        if not fault:
            break
    return fault


def folder_state(folder: Path) -> dict[str, int]:
    """Return how far each part of a Chroma folder has been brought up, `{"sysdb": 10, …}`; nothing where not known.

    Chroma itself brings an older folder up without a word, and opens a newer one.
    """
    file = folder / DATABASE
    if not file.is_file():
        return {}
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as db:
            return dict(db.execute("SELECT dir, max(version) FROM migrations GROUP BY dir"))
    except sqlite3.Error:
        return {}


def _client(folder: Path, address: str | None, token: str) -> Any:
    """Return a client of a folder, or of a server: `https://host[:port][/tenant/database]`, with a token if one is set.

    The form with tenant and database is that of Chroma's hosted service.
    """
    import chromadb
    import httpx
    from chromadb.config import Settings

    settings = Settings(anonymized_telemetry=False)
    if not address:
        return chromadb.PersistentClient(path=str(folder / "chroma"), settings=settings)
    parts = urlsplit(address)
    path = [part for part in parts.path.split("/") if part]
    if parts.scheme not in ("http", "https") or not parts.hostname or len(path) not in (0, 2):
        raise LibraryError(
            f"{address!r} is no Chroma address; give one such as http://localhost:8000 or https://host/tenant/database."
        )
    place = {"tenant": path[0], "database": path[1]} if path else {}
    port = parts.port or (443 if parts.scheme == "https" else 8000)
    headers = {"x-chroma-token": token} if token else None
    # Chroma's client waits without end for a server that accepts and never answers: ask first, then bound its waits.
    waits = httpx.Timeout(_PATIENCE, connect=_CONNECT)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    httpx.get(f"{parts.scheme}://{host}:{port}/api/v2/heartbeat", headers=headers, timeout=_CONNECT).raise_for_status()
    client = chromadb.HttpClient(
        host=parts.hostname, port=port, ssl=parts.scheme == "https", headers=headers, settings=settings, **place
    )
    session = getattr(getattr(client, "_server", None), "_session", None)
    if session is not None:
        session.timeout = waits
    return client


def _node_metadata(paper: Paper, chunk: Chunk, digest: str) -> dict[str, Any]:
    """Return a chunk's flat metadata with the node that LlamaIndex reads back (its 0.14 layout)."""
    shown: dict[str, Any] = {"title": paper.title, "paper_id": paper.id, "start": chunk.start, "end": chunk.end}
    for key in ("venue", "year", "url", "doi"):
        if paper.metadata.get(key) is not None:
            shown[key] = paper.metadata[key]
    if paper.metadata.get("authors"):
        shown["authors"] = "; ".join(paper.metadata["authors"])
    node: dict[str, Any] = {
        "id_": chunk.id,
        "metadata": shown,
        "excluded_embed_metadata_keys": list(shown),
        "excluded_llm_metadata_keys": ["paper_id", "start", "end"],
        "relationships": {
            "1": {"node_id": paper.id, "node_type": None, "metadata": {}, "hash": None, "class_name": "RelatedNodeInfo"}
        },
        "text": chunk.text,
        "start_char_idx": chunk.start,
        "end_char_idx": chunk.end,
    }
    # Chroma keeps each of these in a table and in an index over it, in which most lie far apart: what is only shown is
    # in the node, beside it lies what a search may be limited by.
    return {
        **{key: shown[key] for key in ("paper_id", "venue", "year") if key in shown},
        "digest": digest,
        "_node_content": json.dumps(node, ensure_ascii=False),
        "_node_type": "TextNode",
        "document_id": paper.id,
    }


def _slices(count: int, size: int) -> Iterator[slice]:
    return (slice(a, min(a + size, count)) for a in range(0, count, size))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
