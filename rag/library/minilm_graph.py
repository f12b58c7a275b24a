"""Build the ONNX graph of all-MiniLM-L6-v2 without its weights: `python -m rag.library.minilm_graph FILE`.

The committed `minilm-l6-v2.onnx` beside this module is its output (a test compares them); running it needs the `onnx`
package, running the graph does not. The weights are handed in at load time, as `minilm_weights` prepares them.
Architecture: BERT encoder (Devlin et al., 2019), 6 layers, 12 heads, width 384; sentence vector by mean pooling and
normalisation (Reimers and Gurevych, 2019), as the model's own `modules.json` says.

The matrix products are of whole numbers (Dettmers et al., 2022, their vector-wise form): each token is divided by its
largest value and rounded to -127 … 127, each column of a matrix likewise, and the product is scaled back. Queries,
keys and values, which lose most by it, are made of what rounding left over too, rounded in its turn. All other steps
are float32. There is no padding and no mask: a batch holds texts of one length, and each token is rounded by
itself, so that a vector depends on its own text alone.
"""

from __future__ import annotations

import sys
from typing import Any

LAYERS, HEADS, WIDTH, INNER, VOCABULARY, POSITIONS = 6, 12, 384, 1536, 30522, 512
_EPSILON = 1e-12
_CONTRIBUTED = "com.microsoft"  # the operators that ONNX Runtime adds to the standard ones


def build() -> bytes:
    """Return the model: int64 `input_ids` (batch, tokens) -> float32 `vectors` (batch, 384).

    Its other output, `two`, is the product of the largest whole numbers: 2 where the processor adds them without loss.
    """
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    nodes: list[Any] = []
    weights: list[tuple[str, list[int], int]] = []
    constants: list[Any] = []

    def op(kind: str, *inputs: str, out: str = "", **attributes: Any) -> str:
        out = out or f"{kind.lower()}_{len(nodes)}"
        nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
        return out

    def weight(name: str, *shape: int, dtype: int = TensorProto.FLOAT) -> str:
        weights.append((name, list(shape), dtype))
        return name

    def constant(name: str, value: Any, dtype: str) -> str:
        constants.append(numpy_helper.from_array(np.array(value, dtype=dtype), name))
        return name

    first, last = constant("first", [1], "int64"), constant("last", [-1], "int64")
    zero, one = constant("zero", 0, "int64"), constant("one", 1, "int64")
    step, middle = constant("step", 1 / 127, "float32"), constant("middle", 128, "uint8")
    fine, finer = constant("fine", 1 / 127 / 254, "float32"), constant("finer", 1 / 254, "float32")
    least = constant("least", 1e-12, "float32")
    thirds = constant("thirds", [WIDTH] * 3, "int64")

    def linear(x: str, name: str, fan_in: int, fan_out: int, *, twice: bool = False) -> str:
        matrix = weight(f"{name}.weight", fan_in, fan_out, dtype=TensorProto.INT8)
        scale = weight(f"{name}.scale", fan_out)
        largest = op("Max", op("ReduceMax", op("Abs", x), last, keepdims=1), least)
        share = op("Div", x, largest)
        rounded = op("QuantizeLinear", share, step, middle)
        if twice:
            left = op("Sub", share, op("DequantizeLinear", rounded, step, middle))
            rounded = op("Concat", rounded, op("QuantizeLinear", left, fine, middle), axis=1)
        product = op("MatMulIntegerToFloat", rounded, matrix, step, scale, middle, domain=_CONTRIBUTED)
        if twice:
            halves = [f"{name}.whole", f"{name}.rest"]
            nodes.append(helper.make_node("Split", [product], halves, axis=1, num_outputs=2))
            product = op("Add", halves[0], op("Mul", halves[1], finer))
        return op("Add", op("Mul", product, largest), weight(f"{name}.bias", fan_out))

    def norm(x: str, name: str) -> str:
        scale, bias = weight(f"{name}.weight", WIDTH), weight(f"{name}.bias", WIDTH)
        return op("LayerNormalization", x, scale, bias, axis=-1, epsilon=_EPSILON)

    positions = op("Range", zero, op("Gather", op("Shape", "input_ids"), one), one)
    words = op("Gather", weight("embeddings.word_embeddings.weight", VOCABULARY, WIDTH), "input_ids")
    places = op("Gather", weight("embeddings.position_embeddings.weight", POSITIONS, WIDTH), positions)
    segment = op("Gather", weight("embeddings.token_type_embeddings.weight", 2, WIDTH), zero)
    x = norm(op("Add", op("Add", words, segment), places), "embeddings.LayerNorm")

    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}"
        parts = [f"{part}_{layer}" for part in ("query", "key", "value")]
        projected = linear(x, f"{name}.attention.self", WIDTH, 3 * WIDTH, twice=True)
        nodes.append(helper.make_node("Split", [projected, thirds], parts, axis=-1))
        mixed = op("MultiHeadAttention", *parts, domain=_CONTRIBUTED, num_heads=HEADS)
        attended = linear(mixed, f"{name}.attention.output.dense", WIDTH, WIDTH)
        x = norm(op("Add", attended, x), f"{name}.attention.output.LayerNorm")
        inner = op("Gelu", linear(x, f"{name}.intermediate.dense", WIDTH, INNER))
        x = norm(op("Add", linear(inner, f"{name}.output.dense", INNER, WIDTH), x), f"{name}.output.LayerNorm")

    op("LpNormalization", op("ReduceMean", x, first, keepdims=0), out="vectors", axis=1, p=2)

    ones, unit = constant("ones", [[255, 255]], "uint8"), constant("unit", [[127], [127]], "int8")
    op("MatMulIntegerToFloat", ones, unit, step, step, middle, out="two", domain=_CONTRIBUTED)

    inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])]
    outputs = [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["batch", WIDTH])]
    outputs.append(helper.make_tensor_value_info("two", TensorProto.FLOAT, [1, 1]))
    external = []
    for name, shape, dtype in weights:
        tensor = TensorProto(name=name, data_type=dtype, dims=shape)
        tensor.data_location = TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="model.safetensors")
        external.append(tensor)
    graph = helper.make_graph(nodes, "all-MiniLM-L6-v2", inputs, outputs, [*constants, *external])
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid(_CONTRIBUTED, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    return bytes(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(build())
