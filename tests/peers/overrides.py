"""TensorQuantOverrides beside onnxruntime.quantization: the grids that quern writes are those of the model that onnxruntime quantizes with them, and entries with a range give
the same scale and zero point in both, by type, symmetry and reduced range; called by tests/peers/peer."""
import json
import logging
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

from checks import check, finish, tool, write_list

logging.disable(logging.WARNING)  # that the model was not preprocessed


def net(path):
    random = np.random.default_rng(7)
    weights = {"k": (6, 3, 3, 3), "b": (6,), "w": (10, 6 * 64), "c": (10,)}
    constants = [numpy_helper.from_array((random.standard_normal(dims) / np.prod(dims[1:]) ** 0.5).astype(np.float32), name) for name, dims in weights.items()]
    nodes = [helper.make_node("Conv", ["x", "k", "b"], ["conv"], name="conv", pads=[1, 1, 1, 1]), helper.make_node("Flatten", ["conv"], ["flat"], name="flat"),
             helper.make_node("Gemm", ["flat", "w", "c"], ["y"], name="gemm", transB=1)]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


class Rows(CalibrationDataReader):
    def __init__(self, rows):
        self.rows = iter([{"x": row} for row in rows])

    def get_next(self):
        return next(self.rows, None)


def as_options(overrides):
    """What a caller makes of the JSON."""
    out = {name: [dict(entry) for entry in entries] for name, entries in overrides.items()}
    for entries in out.values():
        for entry in entries:
            entry["quant_type"] = QuantType.from_string(entry["quant_type"])
            for key, dtype in (("scale", np.float32), ("zero_point", entry["quant_type"].tensor_type), ("rmin", np.float32), ("rmax", np.float32)):
                if key in entry:
                    entry[key] = np.array(entry[key], dtype=dtype if isinstance(dtype, type) else helper.tensor_dtype_to_np_dtype(dtype))
    return out


with tempfile.TemporaryDirectory() as folder:
    source, ranges, path = f"{folder}/net.onnx", f"{folder}/ranges.json", f"{folder}/overrides.json"
    net(source)
    rows = [np.random.default_rng(seed).standard_normal((1, 3, 8, 8)).astype(np.float32) for seed in range(4)]
    tool("minmax-collect", source, "--input-list", write_list(folder, [{"x": row} for row in rows]), "-q", "-o", ranges)

    def theirs(overrides):
        """{name: (scales, zero points)} of the model that onnxruntime quantizes with them."""
        quantize_static(source, f"{folder}/theirs.onnx", Rows(rows), quant_format=QuantFormat.QDQ, per_channel=True, activation_type=QuantType.QInt8, weight_type=QuantType.QInt8,
                        extra_options={"TensorQuantOverrides": as_options(overrides), "QDQDisableWeightAdjustForInt32Bias": True})
        constants = {c.name: numpy_helper.to_array(c) for c in onnx.load(f"{folder}/theirs.onnx").graph.initializer}
        return {name: (constants[f"{name}_scale"].ravel(), constants[f"{name}_zero_point"].ravel().astype(np.int64)) for name in overrides}

    def ours(overrides):
        """The same of the model that quern quantizes with them."""
        with open(path, "w") as file:
            json.dump(overrides, file)
        tool("quantize", source, "--ranges", ranges, "--type", "i8", "--overrides", path, "-q", "-o", f"{folder}/ours.qn")
        found = {e["name"]: e for e in json.loads(tool("model-info", f"{folder}/ours.qn", "--encodings=2.0.0"))["encodings"]}
        grids = {name: np.float32(found[name]["y_scale"]).ravel() for name in overrides}
        return {name: (grids[name], np.broadcast_to(np.int64(found[name].get("y_zero_point", 0)).ravel(), grids[name].shape)) for name in overrides}

    def compare(label, a, b, steps):
        """`steps`: of float32, by which scales may differ, as sums and quotients round differently."""
        for name in a:
            apart = np.abs(a[name][0].view(np.int32) - b[name][0].view(np.int32)).max() if a[name][0].shape == b[name][0].shape else None
            same = apart is not None and apart <= steps and np.array_equal(a[name][1], b[name][1])
            check(same, f"{label}, {name}: {len(b[name][0])} scales{'' if same else f', {a[name]} and {b[name]}'}")

    for kind in ("i8", "u8i8", "i8 --per-tensor", "w8a16 --act-sym no", "i8 --weight-sym no"):
        tool("quantize", source, "--ranges", ranges, "--type", *kind.split(), "-q", "-o", f"{folder}/q.onnx")
        written = json.loads(tool("model-info", f"{folder}/q.onnx", "--encodings=ort", "-q"))
        del written["flat"]  # onnxruntime hands the encoding of conv on
        grids = {name: (np.float32([e["scale"] for e in entries]), np.int64([e["zero_point"] for e in entries])) for name, entries in written.items()}
        compare(f"written, {kind}", theirs(written), grids, 0)

    span = {"rmin": -1.3, "rmax": 2.9}
    for kind in ("QInt8", "QUInt8", "QInt16", "QUInt16"):
        for symmetric in (False, True):
            wanted = {"x": [{"quant_type": kind, "symmetric": symmetric, **span}]}
            compare(f"range, {kind}, symmetric {symmetric}", theirs(wanted), ours(wanted), 1)
    for low, high in ((0.5, 2.0), (-2.0, -0.5)):
        wanted = {"x": [{"quant_type": "QUInt8", "rmin": low, "rmax": high}]}
        compare(f"range {low} to {high}", theirs(wanted), ours(wanted), 1)
    for reduced in (False, True):
        for kind in ("QInt8", "QUInt8"):
            for symmetric in ({}, {"symmetric": False}, {"symmetric": True}):
                wanted = {"k": [{"quant_type": kind, "axis": 0, "reduce_range": reduced, "rmin": -1.0 - i, "rmax": 0.5 + i, **symmetric} for i in range(6)]}
                compare(f"channels of {kind}, reduced {reduced}, {symmetric or 'by default'}", theirs(wanted), ours(wanted), 1)

finish("overrides")
