"""The packaged embedding model: its graph, its vectors beside an independent forward pass, what it does to text."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rag.library.embedding
from rag.library import minilm_weights
from rag.library.embedding import MiniLM, Remembering, _session, vocabulary, weights_are_genuine, weights_folder
from rag.types import Paper
from tests.fakes import WordEmbedder

TEXTS = (
    "Tidal mills turn at night.",
    "Wie schnell läuft GEMQ — 2.75× faster? 語",
    "We record nine dialects of one valley; the corpus holds 300 hours, collected by 40 volunteers over 12 years. " * 3,
)
_LAYERS, _HEADS, _WIDTH = 6, 12, 384


@pytest.fixture(scope="module")
def folder(minilm: MiniLM) -> Path:
    found = weights_folder()
    assert found is not None
    return found


def test_the_committed_graph_is_what_its_module_builds() -> None:
    pytest.importorskip("onnx", reason="needs onnx: pip install rag-abstracts[dev]")
    from rag.library.minilm_graph import build

    committed = Path(rag.library.embedding.__file__).with_name("minilm-l6-v2.onnx").read_bytes()

    assert build() == committed


def test_the_weights_are_the_published_ones(folder: Path) -> None:
    assert weights_are_genuine(folder)


@pytest.fixture(scope="module")
def tokens(folder: Path) -> list[list[int]]:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return [tokenizer.encode(text).ids for text in TEXTS]


def test_vectors_equal_those_of_a_forward_pass_in_whole_numbers_written_out(
    minilm: MiniLM, folder: Path, tokens: list[list[int]]
) -> None:
    from safetensors.numpy import load_file

    weights = load_file(folder / "model.safetensors")

    expected = np.stack([_bert(weights, ids, _product_of_whole_numbers) for ids in tokens])

    # A value that lies between two whole numbers may be rounded to either.
    assert (minilm.embed(TEXTS) * expected).sum(axis=1).min() > 0.998


def test_vectors_lie_beside_those_of_a_forward_pass_in_float64(
    minilm: MiniLM, folder: Path, tokens: list[list[int]]
) -> None:
    from safetensors.numpy import load_file

    weights = load_file(folder / "model.safetensors")

    exact = np.stack([_bert(weights, ids, lambda x, matrix, name: x @ matrix.T) for ids in tokens])

    assert (minilm.embed(TEXTS) * exact).sum(axis=1).min() > 0.99


def _product_of_whole_numbers(x: Any, matrix: Any, name: str) -> Any:
    """Return x × matrix.T, both rounded to 127 steps either way, x by row and the matrix by column.

    For queries, keys and values x is rounded to 254 times as many.
    """
    steps = 127 * 254 if ".self." in name else 127
    rows, columns = np.abs(x).max(-1, keepdims=True) / steps, np.abs(matrix).max(-1, keepdims=True) / 127
    return np.rint(x / rows) @ np.rint(matrix / columns).T * rows * columns.T


def _bert(weights: dict[str, Any], ids: list[int], product: Callable[[Any, Any, str], Any]) -> Any:
    """Return the mean-pooled unit vector of a sequence (Devlin et al., 2019) in float64; `product`: x × matrix.T."""

    def get(name: str) -> Any:
        return weights[name].astype(np.float64)

    def linear(x: Any, name: str) -> Any:
        return product(x, get(f"{name}.weight"), name) + get(f"{name}.bias")

    def norm(x: Any, name: str) -> Any:
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12) * get(f"{name}.weight") + get(
            f"{name}.bias"
        )

    gelu: Callable[[Any], Any] = np.vectorize(lambda v: 0.5 * v * (1 + math.erf(v / math.sqrt(2))))
    x = get("embeddings.word_embeddings.weight")[ids]
    x = x + get("embeddings.position_embeddings.weight")[: len(ids)] + get("embeddings.token_type_embeddings.weight")[0]
    x = norm(x, "embeddings.LayerNorm")
    size = _WIDTH // _HEADS
    for layer in range(_LAYERS):
        name = f"encoder.layer.{layer}"
        query, key, value = (linear(x, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        mixed = np.empty_like(x)
        for head in range(_HEADS):
            part = slice(head * size, (head + 1) * size)
            scores = query[:, part] @ key[:, part].T / math.sqrt(size)
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            mixed[:, part] = shares / shares.sum(-1, keepdims=True) @ value[:, part]
        x = norm(x + linear(mixed, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        x = norm(
            x + linear(gelu(linear(x, f"{name}.intermediate.dense")), f"{name}.output.dense"),
            f"{name}.output.LayerNorm",
        )
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


def test_vectors_are_the_same_on_a_processor_that_adds_the_longer_way(folder: Path, tokens: list[list[int]]) -> None:
    weights = minilm_weights.read(folder / "model.safetensors")
    usual, wide = _session(weights), _session(weights, wide=True)

    for ids in tokens:
        vectors = [session.run(["vectors"], {"input_ids": np.array([ids])})[0] for session in (usual, wide)]
        assert np.abs(vectors[0] - vectors[1]).max() < 1e-6


def test_rows_have_length_one_whatever_the_text(minilm: MiniLM) -> None:
    vectors = minilm.embed(["", " ", "mill", "語" * 50, "mill " * 1500, "\x00\ufeff"])

    assert vectors.dtype == np.float32 and vectors.shape == (6, minilm.dimensions)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_give_no_vectors(minilm: MiniLM) -> None:
    assert minilm.embed([]).shape == (0, minilm.dimensions)


def test_a_vector_does_not_depend_on_its_neighbours(minilm: MiniLM, seed_papers: tuple[Paper, ...]) -> None:
    texts = [seed_papers[0].abstract, "mill", *TEXTS, "mill " * 700]

    together = minilm.embed(texts)

    assert np.abs(together - np.concatenate([minilm.embed([text]) for text in texts])).max() < 1e-5


def test_the_end_of_a_long_text_counts(minilm: MiniLM) -> None:
    long = "Tidal mills turn at night. " * 110
    one, other, ending = minilm.embed([long, long + "Whales sing in winter seas. " * 30, "Whales sing in winter seas."])

    assert other @ ending > one @ ending + 0.1


def test_control_strings_are_ordinary_text(minilm: MiniLM) -> None:
    plain, masked, ended = minilm.embed(
        ["the mill turns", "the mill turns [MASK] [SEP] [CLS] [PAD]", "the mill turns <|endoftext|>"]
    )

    bracketed = minilm.embed(["the mill turns [ mask ] [ sep ] [ cls ] [ pad ]"])[0]
    assert masked @ bracketed > 0.999
    assert plain @ ended < 0.999


def test_near_meanings_lie_nearer_than_far_ones(minilm: MiniLM) -> None:
    mill, turbine, song = minilm.embed(
        ["A water mill by the river", "A turbine driven by a stream", "A song about lost love"]
    )

    assert mill @ turbine > mill @ song + 0.2


def test_progress_counts_every_text(minilm: MiniLM) -> None:
    counted: list[int] = []
    minilm.embed([f"mill number {n}" for n in range(11)], progress=counted.append)

    assert sum(counted) == 11


def test_the_vocabulary_tells_words_from_names(folder: Path) -> None:
    words = set(vocabulary(folder))

    assert {"water", "mill", "song"} <= words
    assert not {"gemq", "autotool", "##ing", "[cls]", "a"} & words


def test_remembered_texts_are_not_embedded_again() -> None:
    embedder = WordEmbedder()
    remembering = Remembering(embedder)
    first = remembering.embed(["mill", "tide", "mill"])
    again = remembering.embed(["tide", "sea", "mill"])

    assert embedder.calls == [["mill", "tide"], ["sea"]]
    assert np.array_equal(again, embedder.embed(["tide", "sea", "mill"]))
    assert np.array_equal(first[0], first[2])


def test_a_full_memory_forgets_and_stays_right() -> None:
    embedder = WordEmbedder()
    remembering = Remembering(embedder, size=2)
    for text in ("mill", "tide", "sea", "mill"):
        assert np.array_equal(remembering.embed([text]), WordEmbedder().embed([text]))

    assert embedder.texts == ["mill", "tide", "sea", "mill"]
    assert remembering.embed([]).shape == (0, 16)
