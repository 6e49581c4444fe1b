"""What is written is what runs: small nets of one or a few operators, quantized in every type, written as TFLite in three ways (directly, by way of the native format
and of ONNX), in LiteRT's reference kernels and in `run`: equal codes, real numbers within 1e-5. And options of TFLite's own files, which stay;
called by tests/peers/peer.   usage: fitted.py BUILD MODELS"""
import json
import os
import sys
import tempfile

import numpy as np
import onnx
from ai_edge_litert import schema_py_generated as schema
from onnx import TensorProto, helper, numpy_helper

from apart import Ended, apart
from checks import check, finish, tool
from operators import litert
from tflite_builder import Case

folder = tempfile.mkdtemp()
rng = np.random.default_rng(5)


def constant(name, array):
    return numpy_helper.from_array(np.asarray(array), name)


def save(name, shape, nodes, constants, result, extra=()):
    """nodes: (operator, inputs, output, attributes)."""
    made = [helper.make_node(op, ins, [out], name=f"{op}_{out}", **attrs) for op, ins, out, attrs in nodes]
    graph = helper.make_graph(made, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info(result, TensorProto.FLOAT, None)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    path = f"{folder}/{name}.onnx"
    onnx.save(onnx.shape_inference.infer_shapes(model), path)
    return path


def weights(*shape, scale=0.3):
    return (rng.standard_normal(shape) * scale).astype(np.float32)


IMAGE = [1, 6, 9, 9]


def nets():
    w, b = weights(8, 6, 3, 3), weights(8)
    conv = ("Conv", ["x", "w", "b"], "c", {})
    yield "conv", save("conv", IMAGE, [conv, ("Relu", ["c"], "y", {})], [constant("w", w), constant("b", b)], "y")
    depth = weights(6, 1, 3, 3) * np.array([1, 9, 1, 1, 0.1, 1], np.float32).reshape(6, 1, 1, 1)
    yield "depthwise", save("depthwise", IMAGE, [("Conv", ["x", "w", "b"], "y", {"group": 6})], [constant("w", depth), constant("b", weights(6))], "y")
    yield "gemm", save("gemm", [3, 24], [("Gemm", ["x", "w", "b"], "y", {"transB": 1})], [constant("w", weights(11, 24)), constant("b", weights(11))], "y")
    yield "great_bias", save("great_bias", [3, 24], [("Gemm", ["x", "w", "b"], "y", {"transB": 1})],
                             [constant("w", weights(5, 24, scale=1e-6)), constant("b", np.array([300, -500, 1, 0, 70], np.float32))], "y")
    yield "matmul", save("matmul", [2, 3, 24], [("MatMul", ["x", "w"], "m", {}), ("Add", ["m", "b"], "y", {})],
                         [constant("w", weights(24, 11)), constant("b", weights(11))], "y")
    yield "global_max", save("global_max", IMAGE, [conv, ("GlobalMaxPool", ["c"], "y", {})], [constant("w", w), constant("b", b)], "y")
    yield "max_relu", save("max_relu", IMAGE, [("MaxPool", ["x"], "m", {"kernel_shape": [2, 2], "strides": [2, 2]}), ("Sigmoid", ["m"], "s", {}),
                                               ("Concat", ["s", "m"], "y", {"axis": 1})], [], "y")
    yield "prelu", save("prelu", IMAGE, [conv, ("PRelu", ["c", "slope"], "y", {})],
                        [constant("w", w), constant("b", b), constant("slope", weights(8, 1, 1) + np.float32(0.1))], "y")
    yield "zeros", save("zeros", [2, 12], [("Mul", ["x", "tiny"], "t", {}), ("Add", ["t", "zero"], "a", {}), ("Sub", ["zero", "a"], "y", {})],
                        [constant("zero", np.zeros([2, 12], np.float32)), constant("tiny", np.full([1], 1e-6, np.float32))], "y")
    gates = [("MatMul", ["nothing", "w"], "n", {}), ("Add", ["x", "n"], "y", {}), ("Mul", ["x", "none"], "nothing", {})]
    yield "always_zero", save("always_zero", [2, 12], [gates[2], gates[0], gates[1]],
                              [constant("w", weights(12, 12)), constant("none", np.zeros([1], np.float32))], "y")
    for op in ("HardSwish", "Elu", "Floor", "Ceil", "Round", "Sin", "Cos", "Sign", "LogSoftmax", "Abs", "Neg", "Exp", "Tanh", "Softmax", "Gelu"):
        yield op, save(op, [2, 24], [(op, ["x"], "y", {"axis": -1} if "Softmax" in op else {})], [], "y")
    yield "clip", save("clip", [2, 24], [("Clip", ["x", "low", "high"], "y", {})], [constant("low", np.float32(-1)), constant("high", np.float32(1))], "y")
    yield "sqrt", save("sqrt", [2, 24], [("Relu", ["x"], "r", {}), ("Sqrt", ["r"], "y", {})], [], "y")
    yield "products", save("products", [2, 4, 6], [("MatMul", ["x", "turned"], "y", {}), ("Transpose", ["x"], "turned", {"perm": [0, 2, 1]})][::-1], [], "y")
    yield "reduce_prod", save("reduce_prod", [2, 4, 3], [("ReduceProd", ["x", "axes"], "y", {"keepdims": 0})], [constant("axes", np.array([2], np.int64))], "y")
    yield "reduce_sum", save("reduce_sum", [2, 4, 3], [("ReduceSum", ["x", "axes"], "y", {"keepdims": 0})], [constant("axes", np.array([2], np.int64))], "y")


def in_litert(path, rows):
    """-> outputs, or what it says"""
    try:
        return apart(litert, path, rows, (RuntimeError, ValueError))
    except (Ended, RuntimeError) as problem:
        return str(problem)


def in_run(path, rows, names, outputs):
    args = []
    for name, row in zip(names, rows):
        np.save(f"{folder}/{len(args)}.npy", row)
        args += ["--input", f"{name}={folder}/{len(args)}.npy"]
    tool("run", path, *args, "--mode", "int", "--native-io", "--format", "npz", "-o", f"{folder}/ours.npz")
    with np.load(f"{folder}/ours.npz") as found:
        return [found[f"Result_0/{name}"] for name in outputs]


def compared(label, path):
    """LiteRT beside `run`, over random inputs. An operator on real numbers between two codes may round a last bit to another code."""
    graph = schema.ModelT.InitFromPackedBuf(open(path, "rb").read(), 0).subgraphs[0]
    kinds = {0: np.float32, 2: np.int32, 3: np.uint8, 7: np.int16, 9: np.int8}
    rows = []
    for index in graph.inputs:
        tensor = graph.tensors[index]
        kind = kinds[tensor.type]
        limits = np.iinfo(kind) if kind != np.float32 else None
        rows.append(rng.standard_normal(tensor.shape).astype(np.float32) if not limits else rng.integers(limits.min, limits.max + 1, tensor.shape).astype(kind))
    text = [[graph.tensors[i].name.decode() for i in ids] for ids in (graph.inputs, graph.outputs)]
    theirs = in_litert(path, rows)
    if isinstance(theirs, str):
        return check(False, f"{label}: LiteRT: {theirs}")
    try:
        ours = in_run(path, rows, *text)
    except RuntimeError as problem:
        return check(False, f"{label}: run: {problem}")
    codes = tool("model-info", path, "--json")
    reals = '"Recode"' in codes
    worst = 0.0
    for a, b in zip(ours, theirs):
        a = a.reshape(b.shape)
        if b.dtype == np.float32:
            worst = max(worst, float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)))
            good = worst <= 1e-5
        else:
            worst = max(worst, float(np.abs(a.astype(np.int64) - b).max()))
            good = worst <= (1 if reals else 0)
        if not good:
            return check(False, f"{label}: differs by {worst:.3g}")
    check(True, f"{label}: {worst:.2g}")


def written(name, path, type_, ranges):
    """Through the three ways."""
    flags = ["--ranges", ranges] if type_ in FULL else []
    ways = {"direct": lambda to: tool("quantize", path, *flags, "--type", type_, "-o", to)}
    for way, suffix in (("qn", "qn"), ("onnx", "onnx")):
        def by(to, suffix=suffix):
            tool("quantize", path, *flags, "--type", type_, "-o", f"{folder}/between.{suffix}")
            tool("model-convert", f"{folder}/between.{suffix}", "-o", to)
        ways[way] = by
    for way, make in ways.items():
        target = f"{folder}/product.tflite"
        try:
            make(target)
        except RuntimeError as problem:
            refused = "unsupported" in str(problem) or "no reader" in str(problem) or "has no" in str(problem) or "LiteRT" in str(problem)
            check(refused, f"{name} {type_} {way}: refused: {str(problem).splitlines()[0]}")
            continue
        compared(f"{name} {type_} {way}", target)


def option_of(path, field):
    model = schema.ModelT.InitFromPackedBuf(open(path, "rb").read(), 0)
    return [getattr(op.builtinOptions, field) for op in model.subgraphs[0].operators if hasattr(op.builtinOptions, field)]


def kept(label, case, field, want):
    case.write(f"{folder}/option.tflite")
    tool("model-convert", f"{folder}/option.tflite", "-o", f"{folder}/kept.tflite")
    got = option_of(f"{folder}/kept.tflite", field)
    check(got == [want], f"{label}: {field} is {got}, was {want}")
    compared(f"{label}, written again", f"{folder}/kept.tflite")


def options():
    i8, i16, f32 = np.int8, np.int16, np.float32
    w = rng.integers(-127, 128, [7, 3, 3, 6]).astype(i8)
    bias = rng.integers(-1000, 1000, 7).astype(np.int32)
    case = Case("CONV_2D", "Conv2DOptions", 8, strideW=1, strideH=1, padding=0, quantizedBiasType=2).fed(i16, [1, 5, 5, 6], 0.0005, 0)
    kept("conv of int16 with int32 bias", case.constant(w, 0.01).constant(bias, 0.000005).output(i16, [1, 5, 5, 7], 0.002, 0), "quantizedBiasType", 2)
    for flag in (False, True):
        case = Case("FULLY_CONNECTED", "FullyConnectedOptions", 9, asymmetricQuantizeInputs=flag).fed(f32, [9, 24])
        case.constant(rng.integers(-127, 128, [11, 24]).astype(i8), 0.01).constant(weights(11)).output(f32, [9, 11])
        kept(f"hybrid product, asymmetric {flag}", case, "asymmetricQuantizeInputs", flag)
        case = Case("ADD", "AddOptions", 5, potScaleInt16=flag).fed(i16, [3, 4], 1 / 4096, 0).fed(i16, [3, 4], 1 / 8192, 0).output(i16, [3, 4], 1 / 4096, 0)
        kept(f"sum of int16, powers {flag}", case, "potScaleInt16", flag)


LENGTHS = {
    "whole": [("LpNormalization", ["x"], "y", {"axis": -1, "p": 2})],
    "root": [("Mul", ["x", "x"], "s", {}), ("ReduceSum", ["s", "last"], "m", {}), ("Sqrt", ["m"], "r", {}), ("Max", ["r", "length"], "l", {}), ("Div", ["x", "l"], "y", {})],
    "inverse": [("Mul", ["x", "x"], "s", {}), ("ReduceSum", ["s", "last"], "m", {}), ("Max", ["m", "square"], "l", {}), ("Sqrt", ["l"], "r", {}), ("Reciprocal", ["r"], "i", {}),
                ("Mul", ["x", "i"], "y", {})],
}


def lengths():
    """Normalization by lengths is one operator on int8 codes, however the net spells it."""
    constants = [constant("last", np.array([-1])), constant("length", np.float32(1e-6)), constant("square", np.float32(1e-12))]
    for shape in ([4, 16], [2, 3, 5], [1, 7, 7, 64], [8, 128], [3, 1], [16, 300]):
        for spelling, nodes in LENGTHS.items():
            source = save("lengths", shape, nodes, constants if spelling != "whole" else [], "y")
            tool("model-convert", source, "-q", "-o", f"{folder}/float.tflite")
            tool("minmax-collect", f"{folder}/float.tflite", "--random", 1, "--rows", 8, "-o", f"{folder}/ranges.json")
            tool("quantize", f"{folder}/float.tflite", "--ranges", f"{folder}/ranges.json", "--type", "i8", "-q", "-o", f"{folder}/product.tflite")
            codes = [code.builtinCode for code in schema.ModelT.InitFromPackedBuf(open(f"{folder}/product.tflite", "rb").read(), 0).operatorCodes]
            check(codes == [schema.BuiltinOperator.L2_NORMALIZATION], f"lengths {spelling} {shape}: operators {codes}")
            for _ in range(4):
                compared(f"lengths {spelling} {shape}", f"{folder}/product.tflite")


FULL = ("i8", "w8a16", "u8-asym")
only = sys.argv[3] if len(sys.argv) > 3 else ""
for name, path in nets():
    if only in name:
        ranges = f"{folder}/ranges.json"
        tool("minmax-collect", path, "--random", 1, "--rows", 8, "-o", ranges)
        product = name in ("conv", "depthwise", "gemm", "matmul", "great_bias")
        for type_ in FULL + (("wo-i8-sym", "wo-i16-sym", "wo-i4", "dynamic-i8", "f16", "bf16") if product else ()):
            written(name, path, type_, ranges)
if only in "lengths":
    lengths()
options()
finish("fitted")
