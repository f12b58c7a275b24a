"""How long a search takes: `python -m tests.benchmarks.latency LIBRARY [options]`, LIBRARY being an indexed folder.

Queries are the papers' TLDRs, or a dozen words of an abstract where there is none; each is asked once, so that its
embedding is part of the time. A process of its own prints seconds to open, p50 and p99 of the warm ones by clock and by
processor, peak memory, and whether eight threads at once get the same results.
  --count N --store FOLDER   a library of so many papers made of those in LIBRARY, with vectors near theirs, in FOLDER
  --plain PYTHON             LlamaIndex's retriever over a copy of the same Chroma collection, by another interpreter
                             that has it with sentence-transformers
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from rag.config import load_config
from rag.library.corpus import Reading
from rag.library.embedding import WEIGHTS_PACKAGE, packaged_embedder
from rag.library.indexing import paper_vectors
from rag.opening import open_library
from rag.pipeline import Library
from rag.types import Paper
from tests.benchmarks.varied import StandIn, partner, varied

_WARM, _THREADS, _SHORT = 20, 8, 31
_PLAIN = """
import importlib.util, json, resource, sys, time
from pathlib import Path
queries = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
model = str(Path(next(iter(importlib.util.find_spec(sys.argv[3]).submodule_search_locations))) / "model")
import chromadb
from llama_index.core import VectorStoreIndex
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.vector_stores.chroma import ChromaVectorStore
embedding = HuggingFaceEmbedding(model_name=model)
collection = chromadb.PersistentClient(path=sys.argv[2]).get_collection("abstracts")
store = ChromaVectorStore(chroma_collection=collection)
retriever = VectorStoreIndex.from_vector_store(store, embed_model=embedding).as_retriever(similarity_top_k=10)
rows = []
for query in queries:
    started, worked = time.perf_counter(), time.process_time()
    retriever.retrieve(query)
    rows.append((time.perf_counter() - started, time.process_time() - worked))
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"rows": rows, "peak_mb": memory}))
"""


def enlarged(small: Path, count: int, folder: Path) -> None:
    """Make a library of so many papers in a folder, out of one that is embedded; without paying for an embedding."""
    embedder = packaged_embedder()
    assert embedder is not None, "needs the embedding weights"
    with _opened(small) as library:
        papers = list(library.papers())
        vectors = paper_vectors(library.keeper.catalog, library.keeper.vectors(), [p.id for p in papers])
    made = list(varied(papers, count))
    known: dict[str, Any] = {}
    for number, paper in enumerate(made):
        one = vectors[papers[number % len(papers)].id]
        other = vectors[papers[partner(number, len(papers))].id] if number >= len(papers) else one
        known.setdefault(paper.title.split(". ")[0], (one + other) / np.linalg.norm(one + other))
    stand_in = StandIn(known, embedder.fingerprint)
    config = load_config({"RAG_HOME": str(folder.parent)}, folder.parent)
    with open_library(store=folder, config=config, embedder=stand_in) as large:
        large.add(Reading(tuple(made), ()), "varied")


def queries(papers: list[Paper], count: int) -> list[str]:
    """Return so many questions, each about another paper."""
    chance = random.Random(20261201)
    found = []
    for paper in chance.sample(papers, min(count, len(papers))):
        told, words = str(paper.metadata.get("tldr") or ""), paper.abstract.split()
        start = chance.randrange(max(1, len(words) - 12))
        found.append(told if len(told) >= _SHORT else " ".join(words[start : start + 12]))
    return found


def measure(folder: Path, asked: list[str]) -> dict[str, float]:
    """Open a library in this process and return what opening and searching took."""
    started, worked = time.perf_counter(), time.process_time()
    with _opened(folder) as library:
        library.search(asked[0])
        opened, opened_cpu = time.perf_counter() - started, time.process_time() - worked
        rows, results = [], {}
        for query in asked[1:]:
            began, used = time.perf_counter(), time.process_time()
            results[query] = _found(library, query)
            rows.append((time.perf_counter() - began, time.process_time() - used))
        with ThreadPoolExecutor(_THREADS) as pool:
            again = dict(pool.map(lambda query: (query, _found(library, query)), results))
        return {
            "papers": library.count,
            "open_s": opened,
            "open_cpu_s": opened_cpu,
            **percentiles(rows),
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "threads_differ": sum(again[query] != results[query] for query in results),
        }


def _found(library: Library, query: str) -> list[tuple[str, float]]:
    return [(hit.paper_id, hit.score) for hit in library.search(query)]


def percentiles(rows: list[tuple[float, float]]) -> dict[str, float]:
    """Return the middle and the slowest hundredth of what searches took, in ms, without the first, which warm up."""
    clock, cpu = np.array(rows[_WARM:]).T * 1000
    values = {"p50_ms": (clock, 50), "p99_ms": (clock, 99), "p50_cpu_ms": (cpu, 50), "p99_cpu_ms": (cpu, 99)}
    return {name: float(np.percentile(of, share)) for name, (of, share) in values.items()}


def _opened(folder: Path) -> Library:
    return open_library(store=folder, config=load_config({"RAG_HOME": str(folder.parent)}, folder.parent), create=False)


def _plain(python: str, folder: Path, asked: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name) / "chroma"  # its Chroma may be another version, and change what it opens
        shutil.copytree(folder / "chroma", copy)
        command = [python, "-c", _PLAIN, str(asked), str(copy), WEIGHTS_PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    value = json.loads(done.stdout.strip().splitlines()[-1])
    return {**percentiles(value["rows"]), "peak_mb": value["peak_mb"]}


def _row(name: str, values: dict[str, float]) -> None:
    print(f"{name:8}", " ".join(f"{key} {value:,.1f}" for key, value in values.items()), flush=True)


def main() -> None:
    """Measure ours, and the plain way beside it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--count", type=int, default=0, help="papers of the enlarged library")
    parser.add_argument("--store", type=Path, help="where the enlarged library is made, or lies already")
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--plain", metavar="PYTHON", help="an interpreter with llama-index and sentence-transformers")
    parser.add_argument("--here", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.here:
        print(json.dumps(measure(args.library, json.loads(args.here.read_text(encoding="utf-8")))))
        return
    folder: Path = args.store or args.library
    if args.count and not folder.exists():
        enlarged(args.library, args.count, folder)
    with tempfile.TemporaryDirectory() as name:
        asked = Path(name) / "queries.json"
        with _opened(folder) as library:
            asked.write_text(json.dumps(queries(list(library.papers()), args.queries + _WARM + 1)), encoding="utf-8")
        command = [sys.executable, "-m", "tests.benchmarks.latency", str(folder), "--here", str(asked)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        _row("ours", json.loads(done.stdout.strip().splitlines()[-1]))
        if args.plain:
            _row("plain", _plain(args.plain, folder, asked))


if __name__ == "__main__":
    main()
