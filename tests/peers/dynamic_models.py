"""Models of onnxruntime.quantization.quantize_dynamic: one product each, and the public ones, in every variety that it writes."""
import itertools

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

VARIETIES = [dict(per_channel=p, weight_type=t, reduce_range=r)
             for p, t, r in itertools.product((False, True), (QuantType.QInt8, QuantType.QUInt8), (False, True))]
PRODUCTS = {  # operator: shapes of x, weights, bias, y; attributes
    "MatMul": ([2, 3, 8], [8, 5], None, [2, 3, 5], {}),
    "Gemm": ([3, 8], [5, 8], [5], [3, 5], {"transB": 1}),
    "Conv": ([1, 4, 9, 9], [6, 2, 3, 3], [6], [1, 6, 5, 5], {"pads": [1, 1, 1, 1], "strides": [2, 2], "group": 2}),
}


def name_of(variety):
    return (f"{'channels' if variety['per_channel'] else 'tensor'} {variety['weight_type'].name}"
            f"{' reduced' if variety['reduce_range'] else ''}")


def write_product(op, path):
    """A model of one product with random weights."""
    rng = np.random.default_rng(7)
    x, w, b, y, attributes = PRODUCTS[op]
    constants = [numpy_helper.from_array(rng.standard_normal(shape).astype(np.float32), name)
                 for name, shape in (("w", w), ("b", b)) if shape]
    node = helper.make_node(op, ["x"] + [c.name for c in constants], ["y"], name="product", **attributes)
    graph = helper.make_graph([node], op, [helper.make_tensor_value_info("x", TensorProto.FLOAT, x)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, y)], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def product_feed(op, count):
    """Random inputs of different ranges: around 0, above it, below it, and all zeros."""
    rng = np.random.default_rng(8)
    shape = PRODUCTS[op][0]
    feed = [{"x": (rng.standard_normal(shape) * (i + 1) + (0, 5, -5)[i % 3]).astype(np.float32)} for i in range(count - 1)]
    return feed + [{"x": np.zeros(shape, np.float32)}]


def quantize(source, path, variety):
    quantize_dynamic(source, path, **variety)
