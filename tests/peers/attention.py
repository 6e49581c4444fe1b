"""com.microsoft.Attention, which onnxruntime's optimizer makes of transformers, by types of activations and weights: its projection is quantized, and what `quantize` writes gives in
onnxruntime what `run` gives here, with every form of mask."""
import os
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from checks import check, finish, tool, write_list
from decibels import decibel
from ort_session import NONE, session as session_of

BATCH, LENGTH, WIDTH, HEADS = 2, 6, 32, 4
ROWS = 4
random = np.random.default_rng(3)
# The least SQNR in dB beside the float net, and beside onnxruntime; the greatest share of the float file.
TYPES = [("i8", 25, 100, 0.65), ("dynamic-i8", 25, 45, 0.6), ("wo-i8", 35, 90, 0.6), ("wo-i4 --block 16", 15, 90, 0.5)]
MASKS = {
    "no mask": {},
    "ends of rows": {"mask": np.array([6, 3], np.int32)},
    "keys": {"mask": np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]], np.int32)},
    "pairs": {"mask": np.tril(np.ones((BATCH, LENGTH, LENGTH), np.int32))},
    "numbers on scores": {"on_scores": random.standard_normal((BATCH, HEADS, LENGTH, LENGTH)).astype(np.float32)},
}
VARIANTS = {"causal": ({"unidirectional": 1}, 3 * WIDTH), "narrow values": ({"qkv_hidden_sizes": [32, 32, 16]}, 80), "own scale": ({"scale": 0.2}, 3 * WIDTH)}


def net(path, attributes, columns, extra):
    values = columns - 2 * WIDTH
    constants = [numpy_helper.from_array((random.standard_normal(dims) * 0.2).astype(np.float32), name)
                 for name, dims in (("w", (WIDTH, columns)), ("b", (columns,)), ("out", (values, WIDTH)))]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [BATCH, LENGTH, WIDTH])]
    inputs += [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in extra.items()]
    nodes = [helper.make_node("Attention", ["x", "w", "b", "mask" if "mask" in extra else "", "", "on_scores" if "on_scores" in extra else ""], ["a"], name="attention",
                              domain="com.microsoft", num_heads=HEADS, **attributes),
             helper.make_node("MatMul", ["a", "out"], ["y"], name="out")]
    graph = helper.make_graph(nodes, "net", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, [BATCH, LENGTH, WIDTH])], constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def in_onnxruntime(path, rows):
    session = session_of(path, NONE)
    return np.stack([session.run(None, row)[0] for row in rows])


def in_quern(folder, path, rows):
    tool("run", path, "--input-list", write_list(folder, rows), "--format", "npz", "-o", f"{folder}/out.npz", "-q")
    found = np.load(f"{folder}/out.npz")
    return np.stack([found[f"Result_{i}/y"] for i in range(len(rows))])


def check_net(folder, name, attributes, columns, extra):
    source, native, path = f"{folder}/net.onnx", f"{folder}/q.qn", f"{folder}/q.onnx"
    net(source, attributes, columns, extra)
    rows = [{"x": random.standard_normal((BATCH, LENGTH, WIDTH)).astype(np.float32), **extra} for _ in range(ROWS)]
    real = in_onnxruntime(source, rows)
    check(decibel(real, in_quern(folder, source, rows)) > 100, f"{name}: float")
    tool("minmax-collect", source, "--input-list", write_list(folder, rows), "-q", "-o", f"{folder}/ranges.json")
    for flags, least, same, share in TYPES:
        arguments = [source, "--ranges", f"{folder}/ranges.json", "--type", *flags.split(), "-q", "-o"]
        tool("quantize", *arguments, path)
        tool("quantize", *arguments, native)
        tool("model-convert", native, "-q", "-o", f"{folder}/through.onnx")
        for way, file in (("", path), (" through .qn", f"{folder}/through.onnx")):
            theirs = in_onnxruntime(file, rows)
            beside, away, size = decibel(theirs, in_quern(folder, file, rows)), decibel(real, theirs), os.path.getsize(file) / os.path.getsize(source)
            check(beside >= same and away >= least and size <= share,
                  f"{name} {flags}{way}: {beside:.1f} dB beside onnxruntime, {away:.1f} dB from float, {size:.2f} of its bytes")


with tempfile.TemporaryDirectory() as folder:
    for mask, extra in MASKS.items():
        check_net(folder, mask, {}, 3 * WIDTH, extra)
    for variant, (attributes, columns) in VARIANTS.items():
        check_net(folder, variant, attributes, columns, {})
finish("attention")
