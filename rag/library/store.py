"""Vectors in Chroma: a folder (`PersistentClient`) or a `chroma run` server by address. Nothing else imports chromadb.

Records are laid out as LlamaIndex's `ChromaVectorStore` writes them (`_node_content`, `_node_type`, `document_id`), so
that LlamaIndex opens the same collection; LlamaIndex itself is not imported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from rag.errors import LibraryError
from rag.types import Chunk, Paper

COLLECTION = "abstracts"
# Candidates that HNSW keeps while it searches: with Chroma's default of 100 only 30 % of the exact top 100 come back.
_SEARCH_EF, _BUILD_EF = 400, 200


class VectorStore(Protocol):
    """Where vectors lie; scores are cosine similarities."""

    def upsert(self, rows: Sequence[tuple[Paper, Chunk, str]], vectors: Any) -> None:
        """Store one vector a (paper, chunk, digest of the embedded text), replacing those that are there."""
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

    def count(self) -> int:
        """Return the number of stored chunks."""
        ...

    def vectors(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return the vectors of those chunks that are stored."""
        ...


class ChromaStore:
    """The collection of one library in a Chroma folder, or on a server where an address is given."""

    def __init__(self, folder: Path, address: str | None = None, collection: str = COLLECTION) -> None:
        import chromadb
        from chromadb.config import Settings

        settings = Settings(anonymized_telemetry=False)
        try:
            if address:
                parts = urlsplit(address)
                if parts.scheme not in ("http", "https") or not parts.hostname:
                    raise LibraryError(f"{address!r} is no Chroma address; give one such as http://localhost:8000.")
                port = parts.port or (443 if parts.scheme == "https" else 8000)
                self._client: Any = chromadb.HttpClient(
                    host=parts.hostname, port=port, ssl=parts.scheme == "https", settings=settings
                )
            else:
                self._client = chromadb.PersistentClient(path=str(folder / "chroma"), settings=settings)
            # No embedding function: Chroma's default one would be downloaded, and we bring our own vectors.
            self._collection: Any = self._client.get_or_create_collection(
                collection,
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine", "ef_search": _SEARCH_EF, "ef_construction": _BUILD_EF}},
            )
        except LibraryError:
            raise
        except Exception as error:  # Chroma raises many kinds, from httpx's to Rust's, for "can't be opened"
            where = address or str(folder / "chroma")
            raise LibraryError(f"The vectors in {where} can't be opened ({_first_line(error)}).") from error

    @property
    def batch_limit(self) -> int:
        """Return how many records one call may carry, as the client reports it."""
        return int(self._client.get_max_batch_size())

    def upsert(self, rows: Sequence[tuple[Paper, Chunk, str]], vectors: Any) -> None:
        """Store one vector a (paper, chunk, digest), sliced by the limit that the client reports."""
        for part in _slices(len(rows), self.batch_limit):
            self._collection.upsert(
                ids=[chunk.id for _, chunk, _ in rows[part]],
                embeddings=vectors[part],
                documents=[chunk.text for _, chunk, _ in rows[part]],
                metadatas=[_node_metadata(paper, chunk, digest) for paper, chunk, digest in rows[part]],
            )

    def delete(self, ids: Sequence[str]) -> None:
        """Delete chunks by id, sliced like `upsert`."""
        for part in _slices(len(ids), self.batch_limit):
            self._collection.delete(ids=list(ids[part]))

    def query(self, vector: Any, k: int, ids: Sequence[str] | None = None) -> list[tuple[str, float]]:
        """Return up to k (chunk id, cosine similarity), best first, ties by id."""
        if k < 1 or (ids is not None and not ids):
            return []
        result = self._collection.query(
            query_embeddings=[vector],
            n_results=k if ids is None else min(k, len(ids)),
            ids=list(ids) if ids is not None else None,
            include=["distances"],
        )
        rows = zip(result["ids"][0], result["distances"][0], strict=True)
        return sorted(((identity, 1.0 - float(d)) for identity, d in rows), key=lambda row: (-row[1], row[0]))

    def digests(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the digests of those chunks that are stored."""
        found: dict[str, str] = {}
        for part in _slices(len(ids), min(self.batch_limit, 5000)):
            rows = self._collection.get(ids=list(ids[part]), include=["metadatas"])
            found.update(zip(rows["ids"], (str(m.get("digest", "")) for m in rows["metadatas"]), strict=True))
        return found

    def count(self) -> int:
        """Return the number of stored chunks."""
        return int(self._collection.count())

    def vectors(self, ids: Sequence[str]) -> dict[str, Any]:
        """Return the vectors of those chunks that are stored."""
        found: dict[str, Any] = {}
        for part in _slices(len(ids), min(self.batch_limit, 5000)):
            rows = self._collection.get(ids=list(ids[part]), include=["embeddings"])
            found.update(zip(rows["ids"], rows["embeddings"], strict=True))
        return found


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
        "embedding": None,
        "metadata": shown,
        "excluded_embed_metadata_keys": list(shown),
        "excluded_llm_metadata_keys": ["paper_id", "start", "end"],
        "relationships": {
            "1": {"node_id": paper.id, "node_type": None, "metadata": {}, "hash": None, "class_name": "RelatedNodeInfo"}
        },
        "metadata_template": "{key}: {value}",
        "metadata_separator": "\n",
        "text": "",
        "mimetype": "text/plain",
        "start_char_idx": chunk.start,
        "end_char_idx": chunk.end,
        "text_template": "{metadata_str}\n\n{content}",
        "class_name": "TextNode",
    }
    return {
        **shown,
        "digest": digest,
        "_node_content": json.dumps(node, ensure_ascii=False),
        "_node_type": "TextNode",
        "document_id": paper.id,
        "doc_id": paper.id,
        "ref_doc_id": paper.id,
    }


def _slices(count: int, size: int) -> Iterator[slice]:
    return (slice(a, min(a + size, count)) for a in range(0, count, size))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
