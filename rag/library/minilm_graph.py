"""Build the ONNX graph of all-MiniLM-L6-v2 without its weights: `python -m rag.library.minilm_graph FILE`.

The committed `rag/minilm-l6-v2.onnx` is this module's output (a test compares them); running it needs the `onnx`
package, running the graph does not. The weights are handed in at load time under their safetensors names, matrices
transposed to (in, out). Architecture: BERT encoder (Devlin et al., 2019), 6 layers, 12 heads, width 384; sentence
vector by mean pooling and normalisation (Reimers and Gurevych, 2019), as the model's own `modules.json` says.
"""

from __future__ import annotations

import sys
from typing import Any

LAYERS, HEADS, WIDTH, INNER, VOCABULARY, POSITIONS = 6, 12, 384, 1536, 30522, 512
_EPSILON = 1e-12


def build() -> bytes:
    """Return the model: int64 `input_ids`, `attention_mask` (batch, tokens) -> float32 `vectors` (batch, 384)."""
    from onnx import TensorProto, helper, numpy_helper

    nodes: list[Any] = []
    weights: list[tuple[str, list[int]]] = []
    constants: list[Any] = []

    def op(kind: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        out = out or f"{kind.lower()}_{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
        return out

    def weight(name: str, *shape: int) -> str:
        weights.append((name, list(shape)))
        return name

    def constant(name: str, value: Any, dtype: str) -> str:
        import numpy as np

        constants.append(numpy_helper.from_array(np.array(value, dtype=dtype), name))
        return name

    def linear(x: str, name: str, fan_in: int, fan_out: int) -> str:
        product = op("MatMul", x, weight(f"{name}.weight", fan_in, fan_out))
        return op("Add", product, weight(f"{name}.bias", fan_out))

    def norm(x: str, name: str) -> str:
        scale, bias = weight(f"{name}.weight", WIDTH), weight(f"{name}.bias", WIDTH)
        return op("LayerNormalization", x, scale, bias, axis=-1, epsilon=_EPSILON)

    split = constant("split_heads", [0, 0, HEADS, WIDTH // HEADS], "int64")
    merge = constant("merge_heads", [0, 0, WIDTH], "int64")
    scale = constant("scale", (WIDTH // HEADS) ** 0.5, "float32")
    one, lowest = constant("one", 1.0, "float32"), constant("lowest", -1e9, "float32")
    axis1, axis12, last = (
        constant("axis1", [1], "int64"),
        constant("axis12", [1, 2], "int64"),
        constant("last", [-1], "int64"),
    )
    zero, one_int = constant("zero", 0, "int64"), constant("one_int", 1, "int64")

    length = op("Gather", op("Shape", "input_ids"), one_int)
    positions = op("Range", zero, length, one_int)
    words = op("Gather", weight("embeddings.word_embeddings.weight", VOCABULARY, WIDTH), "input_ids")
    places = op("Gather", weight("embeddings.position_embeddings.weight", POSITIONS, WIDTH), positions)
    segment = op("Gather", weight("embeddings.token_type_embeddings.weight", 2, WIDTH), zero)
    x = norm(op("Add", op("Add", words, segment), places), "embeddings.LayerNorm")
    mask = op("Cast", "attention_mask", to=TensorProto.FLOAT)
    bias = op("Mul", op("Sub", one, op("Unsqueeze", mask, axis12)), lowest)

    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"

        def head(part: str, perm: list[int], x: str = x, name: str = name) -> str:
            projected = linear(x, f"{name}.attention.self.{part}", WIDTH, WIDTH)
            return op("Transpose", op("Reshape", projected, split), perm=perm)

        query, key, value = head("query", [0, 2, 1, 3]), head("key", [0, 2, 3, 1]), head("value", [0, 2, 1, 3])
        scores = op("Add", op("Div", op("MatMul", query, key), scale), bias)
        mixed = op("Transpose", op("MatMul", op("Softmax", scores, axis=-1), value), perm=[0, 2, 1, 3])
        attended = linear(op("Reshape", mixed, merge), f"{name}.attention.output.dense", WIDTH, WIDTH)
        x = norm(op("Add", attended, x), f"{name}.attention.output.LayerNorm")
        inner = op("Gelu", linear(x, f"{name}.intermediate.dense", WIDTH, INNER))
        x = norm(op("Add", linear(inner, f"{name}.output.dense", INNER, WIDTH), x), f"{name}.output.LayerNorm")

    weighted = op("Mul", x, op("Unsqueeze", mask, last))
    total = op("ReduceSum", weighted, axis1, keepdims=0)
    mean = op("Div", total, op("ReduceSum", mask, axis1, keepdims=1))
    op("LpNormalization", mean, out="vectors", axis=1, p=2)

    inputs = [
        helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "tokens"])
        for n in ("input_ids", "attention_mask")
    ]
    outputs = [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", WIDTH])]
    external = []
    for name, shape in weights:
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="model.safetensors")
        external.append(tensor)
    graph = helper.make_graph(nodes, "all-MiniLM-L6-v2", inputs, outputs, [*constants, *external])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    return bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(build())
