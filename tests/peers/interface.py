"""Codes on the interface of models: an ONNX model with integer inputs or outputs takes and gives the same codes in onnxruntime and, as a TFLite file, in LiteRT."""
import tempfile

import numpy as np
import onnx
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from onnx import TensorProto, helper, numpy_helper

from checks import check, finish, tool
from ort_session import NONE, session

folder = tempfile.mkdtemp()
STEP_IN, STEP_OUT = np.float32(0.02), np.float32(0.06)
TYPES = {"int8": (np.int8, 3, -2), "uint8": (np.uint8, 131, 126)}  # with the zero points of input and output


def net(path, type_, coded_input, coded_output):
    """Two convolutions between Q and DQ, without those of an end that is passed as codes."""
    kind, zero_in, zero_out = TYPES[type_]
    rng = np.random.default_rng(5)
    constants, nodes = [], []

    def constant(name, array):
        constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def linear(op, x, y, step, zero):
        nodes.append(helper.make_node(op, [x, constant(y + "_s", np.float32(step)), constant(y + "_z", kind(zero))], [y], name=y + "_" + op))
        return y

    def product(x, y, channels, step):
        middle = 128 if kind == np.uint8 else 0  # TFLite has no uint8 data beside int8 weights
        weights = (rng.integers(-127, 128, (channels, 3, 3, 3)) + middle).astype(kind)
        parts = [constant(y + "_w", weights), constant(y + "_ws", np.float32(0.004)), constant(y + "_wz", kind(middle))]
        nodes.append(helper.make_node("DequantizeLinear", parts, [y + "_wr"]))
        bias = [constant(y + "_b", rng.integers(-500, 500, channels).astype(np.int32)), constant(y + "_bs", np.float32(step) * np.float32(0.004))]
        nodes.append(helper.make_node("DequantizeLinear", bias, [y + "_br"]))
        nodes.append(helper.make_node("Conv", [x, y + "_wr", y + "_br"], [y], name=y, pads=[1] * 4))
        return y

    codes = "x" if coded_input else linear("QuantizeLinear", "x", "x_q", STEP_IN, zero_in)
    inner = linear("DequantizeLinear", codes, "x_r", STEP_IN, zero_in)
    least = np.iinfo(kind).min
    nodes.append(helper.make_node("Relu", [product(inner, "first", 3, STEP_IN)], ["positive"]))
    inner = linear("DequantizeLinear", linear("QuantizeLinear", "positive", "h_q", 0.03, least), "h_r", 0.03, least)
    made = linear("QuantizeLinear", product(inner, "second", 3, 0.03), "y" if coded_output else "y_q", STEP_OUT, zero_out)
    if not coded_output:
        linear("DequantizeLinear", made, "y", STEP_OUT, zero_out)
    types = [helper.np_dtype_to_tensor_dtype(np.dtype(kind)) if coded else TensorProto.FLOAT for coded in (coded_input, coded_output)]
    ends = [helper.make_tensor_value_info(name, of, [1, 3, 8, 8]) for name, of in zip("xy", types)]
    model = helper.make_model(helper.make_graph(nodes, "net", ends[:1], ends[1:], constants), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def as_stored(array, step, zero, kind):
    """An array in the type of an end: codes, or the numbers that they are."""
    if array.dtype == kind:
        return array
    if kind == np.float32:
        return (array.astype(np.float32) - np.float32(zero)) * step
    return np.rint(array / step + zero).astype(kind)


def in_litert(path, codes, zero_in):
    interpreter = Interpreter(path, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    end = interpreter.get_input_details()[0]
    interpreter.set_tensor(end["index"], as_stored(codes, STEP_IN, zero_in, end["dtype"]))
    interpreter.invoke()
    return end["dtype"], interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


def in_ort(path, codes, zero_in):
    opened = session(path, level=NONE)  # optimised graphs round a number between two codes otherwise where an output is float
    kind = {"tensor(float)": np.float32, "tensor(int8)": np.int8, "tensor(uint8)": np.uint8}[opened.get_inputs()[0].type]
    return kind, opened.run(None, {"x": as_stored(codes, STEP_IN, zero_in, kind)})[0]


def converted(type_, coded_input, coded_output):
    kind, zero_in, zero_out = TYPES[type_]
    source = f"{folder}/net.onnx"
    net(source, type_, coded_input, coded_output)
    limits = np.iinfo(kind)
    codes = np.random.default_rng(1).integers(limits.min, limits.max + 1, (1, 3, 8, 8)).astype(kind)
    want = as_stored(in_ort(source, codes, zero_in)[1], STEP_OUT, zero_out, kind).astype(int)
    ends = [type_ if coded else "float32" for coded in (coded_input, coded_output)]
    name = f"{ends[0]} to {ends[1]}"
    tool("model-convert", source, "-o", f"{folder}/net.tflite")
    took, gave = in_litert(f"{folder}/net.tflite", codes, zero_in)
    steps = np.abs(as_stored(gave, STEP_OUT, zero_out, kind).astype(int) - want)
    check((took, gave.dtype) == (kind, kind) and steps.max() <= 1 and np.mean(steps > 0) < 0.02,
          f"{name}, TFLite in LiteRT: {took.__name__} to {gave.dtype}, {100 * np.mean(steps == 0):.2f} % of codes equal, greatest {steps.max()}")
    tool("model-convert", f"{folder}/net.tflite", "-o", f"{folder}/back.onnx")
    steps = np.abs(as_stored(in_ort(f"{folder}/back.onnx", codes, zero_in)[1], STEP_OUT, zero_out, kind).astype(int) - want)
    check(steps.max() == 0, f"{name}, ONNX of that TFLite in onnxruntime: {100 * np.mean(steps == 0):.2f} % of codes equal")


def stored_as(ends):
    """An int8 model whose ends are asked for in other types: the same numbers in and out."""
    kind, zero_in, zero_out = TYPES["int8"]
    net(f"{folder}/net.onnx", "int8", True, True)
    codes = np.random.default_rng(2).integers(-128, 128, (1, 3, 8, 8)).astype(kind)
    want = in_ort(f"{folder}/net.onnx", codes, zero_in)[1].astype(int)
    given = codes if ends[0] == "int8" else as_stored(codes, STEP_IN, zero_in, np.float32)
    for suffix, run in (("onnx", in_ort), ("tflite", in_litert)):
        tool("model-convert", f"{folder}/net.onnx", "--input-type", ends[0], "--output-type", ends[1], "-o", f"{folder}/asked.{suffix}")
        took, gave = run(f"{folder}/asked.{suffix}", given, TYPES["uint8"][1])
        numbers = gave if gave.dtype == np.float32 else as_stored(gave, STEP_OUT, TYPES[gave.dtype.name][2], np.float32)
        steps = np.abs(as_stored(numbers, STEP_OUT, zero_out, kind).astype(int) - want)
        named = (np.dtype(took).name, gave.dtype.name)
        check(named == ends and steps.max() <= (0 if suffix == "onnx" else 1), f"int8 asked for as {ends[0]} to {ends[1]}, {suffix}: {named[0]} to {named[1]}, "
              f"{100 * np.mean(steps == 0):.2f} % of codes equal")


for type_name in TYPES:
    for ends_coded in ((True, True), (True, False), (False, True)):
        converted(type_name, *ends_coded)
for asked in (("uint8", "float32"), ("float32", "int8"), ("uint8", "uint8"), ("int8", "float32")):
    stored_as(asked)
finish("interface")
