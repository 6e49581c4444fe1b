"""Products for QNN's HTP, emulated (tests/peers/qnn_session.py): seconds to prepare them and the size of their contexts, beside what onnxruntime's own tools
for QNN (get_qnn_qdq_config) make of the same net and rows."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "peers"))
import qnn_session  # noqa: E402

NETS = ("mnist_cnn_opset8", "fastestdet", "ultraface_rfb_320_simplified")
TYPES = qnn_session.TYPES


def rows_of(path, count):
    import onnx
    draw = np.random.default_rng(2)
    graph = onnx.load(path, load_external_data=False).graph
    constants = {c.name for c in graph.initializer}
    inputs = [i for i in graph.input if i.name not in constants]
    return [{i.name: draw.uniform(-1, 1, [d.dim_value or 1 for d in i.type.tensor_type.shape.dim]).astype(np.float32) for i in inputs} for _ in range(count)]


def products(quern, path, folder):
    """{type: (quern's, onnxruntime's)}, each made from the same rows."""
    os.makedirs(folder, exist_ok=True)
    rows = rows_of(path, 8)
    with open(f"{folder}/list.txt", "w", encoding="utf-8") as file:
        for k, row in enumerate(rows):
            for i, array in enumerate(row.values()):
                np.save(f"{folder}/{k}_{i}.npy", array)
            file.write(" ".join(f"{name}:={folder}/{k}_{i}.npy" for i, name in enumerate(row)) + "\n")
    quern.tool("minmax-collect", path, "--input-list", f"{folder}/list.txt", "-o", f"{folder}/ranges.json")
    made = {}
    for type_ in TYPES:
        ours, theirs = f"{folder}/{type_}.onnx", f"{folder}/{type_}-onnxruntime.onnx"
        quern.tool("quantize", path, "--ranges", f"{folder}/ranges.json", "--target", "htp", "--type", type_, "-o", ours)
        qnn_session.onnxruntime_product(path, rows, type_, theirs)
        made[type_] = ours, theirs
    return made


def preparing(pair, what, folder, rounds):
    """Medians of sessions by turns."""
    (seconds, kilobytes), (their_seconds, their_kilobytes) = qnn_session.prepared(pair, rounds, folder)
    return {f"prepare {what} over onnxruntime's": (seconds / their_seconds, f"quern's {seconds:.2f} s  onnxruntime's {their_seconds:.2f} s"),
            f"context {what} over onnxruntime's": (kilobytes / their_kilobytes, f"quern's {kilobytes:.0f} KB  onnxruntime's {their_kilobytes:.0f} KB"),
            f"prepare {what}, s": (seconds, ""), f"context {what}, KB": (kilobytes, "")}
