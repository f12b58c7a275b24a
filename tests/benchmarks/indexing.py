"""How fast abstracts are taken in, and how that grows: `python -m tests.benchmarks.indexing ABSTRACTS [options]`.

ABSTRACTS is any file that `rag index` reads. Three measurements, each in processes of their own:
  ours      abstracts/s, seconds until words are searched, peak memory, disk per 1,000
  --plain PYTHON   LlamaIndex's quick start over Chroma with sentence-transformers, by another interpreter that has them
  --growth N …     everything but the embedding, in whose place unit vectors stand (made of the words),
                   for N abstracts (real ones varied)
Seconds are those of the clock; cpu_s tells more on a machine that does other work beside.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rag.config import load_config
from rag.library.corpus import read_file
from rag.library.embedding import WEIGHTS_PACKAGE
from rag.opening import open_library
from tests.benchmarks.varied import StandIn, write_varied

_PLAIN = """
import importlib.util, json, resource, sys, time
from pathlib import Path
rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
model = str(Path(next(iter(importlib.util.find_spec(sys.argv[3]).submodule_search_locations))) / "model")
import chromadb
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.vector_stores.chroma import ChromaVectorStore
embedding = HuggingFaceEmbedding(model_name=model)
collection = chromadb.PersistentClient(path=sys.argv[2]).get_or_create_collection("plain")
store = StorageContext.from_defaults(vector_store=ChromaVectorStore(chroma_collection=collection))
started, worked = time.perf_counter(), time.process_time()
documents = [Document(text=row["title"] + ". " + row["abstract"], id_=row["id"]) for row in rows]
VectorStoreIndex.from_documents(documents, storage_context=store, embed_model=embedding)
seconds, cpu = time.perf_counter() - started, time.process_time() - worked
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"abstracts_s": len(rows) / seconds, "seconds": seconds, "cpu_s": cpu, "peak_mb": memory}))
"""


def measure(source: Path, *, standing_in: bool) -> dict[str, float]:
    """Index a file in this process and return what it took."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config = load_config({"RAG_HOME": name}, folder)
        library = open_library(store=folder / "library", config=config, embedder=StandIn() if standing_in else None)
        words: list[tuple[float, float]] = []

        def progress(done: int, total: int) -> None:
            if not words:
                found = library.by_words("sparse attention")  # reads the stored words, as the first search does
                words.append((time.perf_counter() - started, time.process_time() - worked))
                assert found, "no words are found"

        started, worked = time.perf_counter(), time.process_time()
        report = library.index(source, progress=progress)
        seconds, cpu = time.perf_counter() - started, time.process_time() - worked
        library.close()
        size = sum(path.stat().st_size for path in (folder / "library").rglob("*") if path.is_file()) / 1e6
    count = len(report.added)
    return {
        "abstracts": count,
        "seconds": seconds,
        "abstracts_s": count / seconds,
        "words_after_s": words[0][0],
        "words_cpu_s": words[0][1],
        "cpu_s": cpu,
        "cpu_ms_each": 1000 * cpu / count,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "disk_mb_per_1000": size * 1000 / count,
    }


def _apart(source: Path, *flags: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks.indexing", str(source), "--here", *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    value: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return value


def _plain(python: str, source: Path, folder: Path) -> dict[str, float]:
    command = [python, "-c", _PLAIN, str(source), str(folder / "plain"), WEIGHTS_PACKAGE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    value: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return value


def _row(name: str, values: dict[str, float]) -> None:
    print(f"{name:14}", " ".join(f"{key} {value:,.2f}" for key, value in values.items()), flush=True)


def main() -> None:
    """Run what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("abstracts", type=Path)
    parser.add_argument("--count", type=int, default=1000, help="abstracts of the comparison (1000)")
    parser.add_argument("--plain", metavar="PYTHON", help="an interpreter with llama-index and sentence-transformers")
    parser.add_argument("--growth", type=int, nargs="+", default=[], metavar="N")
    parser.add_argument("--words", action="store_true", help="only how soon words are searched, with all of ABSTRACTS")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--standing-in", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.here:
        print(json.dumps(measure(args.abstracts, standing_in=args.standing_in)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if args.words:
            _row("all", _apart(args.abstracts, "--standing-in"))
            return
        papers = read_file(args.abstracts).papers
        for count in args.growth:
            write_varied(papers, count, folder / "growth.jsonl")
            _row(f"{count} varied", _apart(folder / "growth.jsonl", "--standing-in"))
        if not args.growth:
            write_varied(papers, args.count, folder / "some.jsonl")
            if args.plain:
                _row("plain", _plain(args.plain, folder / "some.jsonl", folder))
            _row("ours", _apart(folder / "some.jsonl"))


if __name__ == "__main__":
    main()
