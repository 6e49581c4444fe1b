"""Linear Resize beside onnxruntime, of matrices, lines, pictures and volumes, with every rule for coordinates: equal numbers of float32, equal bytes, and equal codes of QDQ models at both
ends of optimization; the kernels of codes and the reference give the same. Lengths that align_corners is asked for are whole: ONNX counts the fraction that
scales make of them, onnxruntime does not. Channels last in bytes are left out: onnxruntime mixes them in tenths of bits."""
import itertools
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from checks import check, finish, tool
from ort_session import ALL, NONE, session

folder = tempfile.mkdtemp()
MODES = ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric")
SHAPES = (([1, 4, 6, 6], [1, 1, 2, 2]), ([2, 3, 5, 7], [1, 1, 1.7, 2.3]), ([1, 4, 6, 6], [1, 1, 1, 2.3]), ([1, 4, 6, 6], [1, 1, 2.3, 1]),
          ([1, 6, 6, 4], [1, 2, 2, 1]), ([1, 6, 6, 4], [1, 1.7, 2.3, 1]), ([6, 7], [2, 2]), ([6, 7], [1, 2]), ([4, 5, 6], [2, 2, 2]),
          ([4, 5, 6], [1, 1, 2.3]), ([1, 3, 4, 5, 6], [1, 1, 2, 2, 2]), ([1, 3, 4, 5, 6], [1, 1, 2.3, 1, 0.7]), ([1, 4, 6, 6], [1, 1, 0.6, 0.4]),
          ([1, 4, 9, 7], [1, 1, 0.6, 0.4]), ([1, 1, 1, 1], [1, 1, 3, 3]), ([1, 16, 20, 20], [1, 1, 2, 2]))
STEP = np.float32(0.03)


def resize(dims, scales, mode, x, y):
    """The node and its constants, by scales, or by sizes where those would leave a fraction."""
    made = [int(np.float32(d) * np.float32(s)) for d, s in zip(dims, scales)]
    by_sizes = mode == "align_corners"
    constant = np.array(made, np.int64) if by_sizes else np.array(scales, np.float32)
    names = [x, "", "", "to"] if by_sizes else [x, "", "to"]
    return helper.make_node("Resize", names, [y], name="resize", mode="linear", coordinate_transformation_mode=mode), numpy_helper.from_array(constant, "to")


def net(dims, scales, mode, element, kind):
    """As it is, or between codes of `kind`."""
    if kind is None:
        node, constant = resize(dims, scales, mode, "x", "y")
        nodes, constants = [node], [constant]
    else:
        node, constant = resize(dims, scales, mode, "xd", "r")
        grid = ["s", "z"]
        nodes = [helper.make_node("QuantizeLinear", ["x", *grid], ["xq"]), helper.make_node("DequantizeLinear", ["xq", *grid], ["xd"]), node,
                 helper.make_node("QuantizeLinear", ["r", *grid], ["rq"]), helper.make_node("DequantizeLinear", ["rq", *grid], ["y"])]
        constants = [constant, numpy_helper.from_array(STEP, "s"), numpy_helper.from_array(kind(zero_of(kind)), "z")]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", element, dims)], [helper.make_tensor_value_info("y", element, None)], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)


def zero_of(kind):
    return -4 if kind == np.int8 else 120


def fed(dims, element, kind):
    rng = np.random.default_rng(1)
    if element != TensorProto.FLOAT:
        info = np.iinfo(helper.tensor_dtype_to_np_dtype(element))
        return rng.integers(info.min, info.max + 1, dims).astype(info.dtype)
    if kind is None:
        return rng.standard_normal(dims).astype(np.float32)
    info = np.iinfo(kind)
    return ((rng.integers(info.min, info.max + 1, dims) - zero_of(kind)) * STEP).astype(np.float32)


def compared(label, model, x):
    onnx.save(model, f"{folder}/m.onnx")
    np.save(f"{folder}/x.npy", x)
    wanted = [session(model.SerializeToString(), level).run(None, {"x": x})[0] for level in (ALL, NONE)]
    ok = True
    for way in ((), ("--reference",)):
        tool("run", f"{folder}/m.onnx", "--input", f"x={folder}/x.npy", *way, "-o", f"{folder}/out.npz", "--format", "npz", "-q")
        results = np.load(f"{folder}/out.npz")
        made = results[results.files[0]].reshape(wanted[0].shape)
        for level, want in zip(("ENABLE_ALL", "DISABLE_ALL"), wanted):
            apart = int(np.count_nonzero(made != want))
            if apart:
                check(False, f"{label} {' '.join(way)}: {apart} of {want.size} differ at {level}, by {np.abs(made.astype(float) - want).max():g}")
                ok = False
    return wanted[0].size if ok else 0


def all_of(label, element, kind):
    """Every shape with every rule; a line for all where all are equal, one for each difference else."""
    cases = equal = elements = 0
    for (dims, scales), mode in itertools.product(SHAPES, MODES):
        if element != TensorProto.FLOAT and len(dims) == 4 and scales[1] != 1:
            continue
        count = compared(f"{label} {dims} by {scales} {mode}", net(dims, scales, mode, element, kind), fed(dims, element, kind))
        elements += count
        equal += count > 0
        cases += 1
    check(equal == cases, f"{label}: {equal} of {cases} cases, {elements} elements equal")


all_of("float32", TensorProto.FLOAT, None)
all_of("bytes", TensorProto.UINT8, None)
all_of("signed bytes", TensorProto.INT8, None)
all_of("int8 codes", TensorProto.FLOAT, np.int8)
all_of("uint8 codes", TensorProto.FLOAT, np.uint8)
finish("resize")
