"""The published weights of all-MiniLM-L6-v2 as its graph takes them: float32, but the matrices rounded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

_PROJECTIONS = ("query", "key", "value")


def read(path: Path) -> dict[str, Any]:
    """Return the arrays of a safetensors file by the names that the graph gives them (see `minilm_graph`)."""
    from safetensors.numpy import load_file

    tensors = load_file(path)
    arrays: dict[str, Any] = {}
    for name in [name for name in tensors if name.startswith(("embeddings.", "encoder."))]:
        stem, _, kind = name.rpartition(".")
        if stem.endswith(".query"):  # projected together with keys and values
            joined = _joined(tensors, stem.removesuffix(".query"))
            arrays |= _linear(stem.removesuffix(".query"), *joined)
        elif stem.endswith((".key", ".value")):
            continue
        elif stem.endswith(".dense"):
            arrays |= _linear(stem, tensors[f"{stem}.weight"], tensors[f"{stem}.bias"])
        elif kind in ("weight", "bias"):
            arrays[name] = np.ascontiguousarray(tensors[name], dtype=np.float32)
    return arrays


def _joined(tensors: Mapping[str, Any], stem: str) -> tuple[Any, Any]:
    weight, bias = ([tensors[f"{stem}.{part}.{kind}"] for part in _PROJECTIONS] for kind in ("weight", "bias"))
    return np.concatenate(weight), np.concatenate(bias)


def _linear(stem: str, weight: Any, bias: Any) -> dict[str, Any]:
    matrix, scale = rounded(weight)
    return {f"{stem}.weight": matrix, f"{stem}.scale": scale, f"{stem}.bias": np.ascontiguousarray(bias)}


def rounded(weight: Any) -> tuple[Any, Any]:
    """Return a matrix (out, in) as int8 (in, out), and the scale of each column: their product is nearly the matrix."""
    scale = np.abs(weight).max(axis=1) / 127
    matrix = np.rint(weight / scale[:, None]).astype(np.int8)
    return np.ascontiguousarray(matrix.T), scale.astype(np.float32)
