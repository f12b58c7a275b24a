"""The library as a LlamaIndex retriever, for its query engines, routers and agents.

from rag.integrations.llama_index import LibraryRetriever
engine = RetrieverQueryEngine.from_args(LibraryRetriever(rag.open(), k=5), llm=...)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from rag.pipeline import Library
from rag.types import Hit


class LibraryRetriever(BaseRetriever):
    """Give a library's hybrid search to LlamaIndex: one node a paper, the passage that fits best."""

    def __init__(self, library: Library, k: int = 10, filters: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        """Search `library` for the `k` best papers that pass the `filters` (see `Library.search`)."""
        super().__init__(**kwargs)
        self._library, self._k, self._filters = library, k, filters

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._library.search(query_bundle.query_str, self._k, self._filters)
        return [NodeWithScore(node=_node(hit), score=hit.score) for hit in hits]


def _node(hit: Hit) -> TextNode:
    start = max(0, hit.paper.abstract.find(hit.passage))
    shown = {"title": hit.title, "paper_id": hit.paper_id, "source": hit.source}
    for key in ("venue", "year", "url", "doi"):
        if hit.paper.metadata.get(key) is not None:
            shown[key] = hit.paper.metadata[key]
    return TextNode(
        id_=f"{hit.paper_id}@{start}",
        text=hit.passage,
        metadata=shown,
        excluded_llm_metadata_keys=["paper_id", "source"],
        start_char_idx=start,
        end_char_idx=start + len(hit.passage),
    )
