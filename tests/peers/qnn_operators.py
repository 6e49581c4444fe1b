"""Each operator that QNN's HTP takes, between two negations, which are exact there, as `quantize --target htp` writes it: what HTP, emulated, gives, beside quern's own `run` of the same
file, in steps of each output. What `quantize` leaves float is float on HTP, too, whatever the runtime takes for an operator on quantized values. Operators on whole numbers are compared as they are.
usage: qnn_operators.py BUILD MODELS [OPERATOR]"""
import concurrent.futures
import glob
import os
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper

from checks import check, devices, finish, output_scales, said, tool, write_list
from qnn_cases import CASES, WHOLE

ROWS = 4
STEPS = {"u8i8": 1, "w8u16": 2}
RANGE = {"u8i8": 255, "w8u16": 65535}  # steps of a whole range, which numbers that are not quantized are measured by
# Of the range, where it is float16.
FLOAT, FLOAT_OF = 1.5e-3, {"Softplus": 6e-3, "Mish": 1.3e-2, "LSTM": 1e-2, "GRU": 3e-3, "GridSample": 8e-3, "CumSum": 8e-3, "RoiAlign": 4e-3, "Cos": 4e-3, "Exp": 3e-3}
POSITIVE = ("Log", "Sqrt", "Reciprocal", "Pow", "Div")
WITHIN = {"RoiAlign": (-4, 0), "GridSample": (-1, 1)}  # of the second operand, before a negation
# HTP's own kernels are further off: the most steps (libcore/quant/types/recipe.cpp has the root of the mean square).
OFF_8 = {"Softmax": 2, "Resize": 2, "Attention": 3}
OFF_16 = {"Attention": 25, "Resize": 4, "Softmax": 40, "ReduceL2": 25, "Gelu": 25, "Swish": 30, "RMSNormalization": 25, "Mean": 20, "InstanceNormalization": 15, "Sum": 15, "LayerNormalization": 15,
       "BatchNormalization": 15, "Conv": 8, "ConvTranspose": 5, "Sigmoid": 6, "ScatterND": 6}
# What is not compared, and why.
NOT_COMPARED = {"Floor": "a step before it is a whole number behind it", "Ceil": "a step before it is a whole number behind it", "Round": "a step before it is a whole number behind it",
                "Sign": "a step before it is all of it behind it", "TopK": "equal numbers are in any order", "Equal": "of equal quantized values", "STFT": "float16 is not enough for it"}
os.environ["QUERN_ORT"] = sys.prefix
wanted = sys.argv[3] if len(sys.argv) > 3 else ""


def between_negations(case):
    """The float net: each operand that is computed is negated before, and so is each result of numbers behind. Of five dims HTP negates nothing."""
    model = case.model("float32", "float32")
    graph, node = model.graph, model.graph.node[0]
    if case.rank() > 4:
        return model
    inputs = [value.name for value in graph.input if value.type.tensor_type.elem_type == T.FLOAT]
    before = [helper.make_node("Neg", [name], [name + "_negated"], name=name + "_negated") for name in inputs]
    after = []
    for i, name in enumerate(node.input):
        if name in inputs:
            node.input[i] = name + "_negated"
    for i, output in enumerate(graph.output):
        if output.type.tensor_type.elem_type == T.FLOAT:
            node.output[i] += "_measured"
            after.append(helper.make_node("Neg", [node.output[i]], [output.name], name=output.name + "_negated"))
    nodes = [*before, node, *after]
    del graph.node[:]
    graph.node.extend(nodes)
    return model


def rows_of(case, graph):
    random = np.random.default_rng(5)
    low, high = (-2, 2) if case.op not in POSITIVE else (-2, -0.1) if case.rank() < 5 else (0.1, 2)  # before a negation
    rows = []
    for _ in range(ROWS):
        spans = [(low, high), *[WITHIN.get(case.op, (low, high))] * len(graph.input)]
        rows.append({value.name: random.uniform(*span, dims_of(value)).astype(np.float32) if value.type.tensor_type.elem_type == T.FLOAT else random.integers(0, 8, dims_of(value)) for value, span in zip(graph.input, spans)})
    return rows


def dims_of(value):
    return [dim.dim_value for dim in value.type.tensor_type.shape.dim]


def drawn(case, value, type_):
    """A tensor of whole numbers: indices, truth values, integers whose products int32 holds; of what is a float in the file, half numbers."""
    random, shape = np.random.default_rng(5), dims_of(value)
    kind = value.type.tensor_type.elem_type
    if kind == T.BOOL:
        return random.integers(0, 2, shape).astype(bool)
    index = case.op == "OneHot" or case.operands[int(value.name[1:])][0] == "indices"
    low, high = (0, 8) if index else (1, 30000) if case.op == "Div" else (-30000, 30000)
    return random.integers(low, high, shape).astype(helper.tensor_dtype_to_np_dtype(kind))


def exact(number, case, type_, folder):
    """(right, line) for a case in whole numbers, which HTP's have to be equal to; what is made a float of them is within float16."""
    os.makedirs(folder)
    model, path = case.model(type_, type_), f"{folder}/net.onnx"
    onnx.save(model, path)
    listed = write_list(folder, [{value.name: drawn(case, value, type_) for value in model.graph.input}])
    line = f"{case.name()} #{number} {type_}: "
    own = results(path, listed, f"{folder}/own")
    ran, refusal = on_htp(path, listed, folder)
    if refusal:
        return devices(path, "htp", folder).get("measured") == "cpu", line + refusal
    floats = {output.name for output in model.graph.output if output.type.tensor_type.elem_type in (T.FLOAT, T.FLOAT16)}
    apart = max(float(np.max(np.abs(numbers - ran[name]) / (1 + np.abs(numbers) if name in floats else 1))) for name, numbers in own.items())
    return apart <= (1e-3 if floats else 0), line + (f"{apart:.2g} apart" if apart else "equal")


def results(product, listed, folder, *options):
    """All rows of each output, or what was said."""
    _, words = said("run", product, "--input-list", listed, "-q", "-o", folder, *options, fails=True)
    kinds = {output.name: np.float32 if (kind := output.type.tensor_type.elem_type) == T.FLOAT16 else helper.tensor_dtype_to_np_dtype(kind) for output in onnx.load(product).graph.output}
    return {name: np.concatenate([np.load(path).ravel().astype(np.float64) if path.endswith(".npy") else np.fromfile(path, kind).astype(np.float64)
                                  for path in sorted(glob.glob(f"{folder}/Result_*/{name}.*"))]) for name, kind in kinds.items()}


def on_htp(product, listed, folder):
    """The results, or none and the refusal."""
    try:
        return results(product, listed, f"{folder}/htp", "--backend", "ort:qnn,soc=57"), ""
    except RuntimeError as problem:
        return None, "refused, as the target has it: " + " ".join(str(problem).split("run: ")[-1].split())[:120]


def scale_of(product, name):
    """The scale that a value is quantized by; 0: none."""
    graph = onnx.load(product).graph
    constants = {constant.name: constant for constant in graph.initializer}
    return max((float(onnx.numpy_helper.to_array(constants[node.input[1]])) for node in graph.node if node.op_type == "QuantizeLinear" and node.input[0] == name), default=0.0)


def judged(number, case, type_, folder):
    """(right, line) for a case in a type."""
    os.makedirs(folder)
    model = between_negations(case)
    onnx.save(model, f"{folder}/float.onnx")
    listed = write_list(folder, rows_of(case, model.graph))
    tool("minmax-collect", f"{folder}/float.onnx", "--input-list", listed, "-q", "-o", f"{folder}/ranges.json")
    product = f"{folder}/quantized.onnx"
    quantized = ("quantize", f"{folder}/float.onnx", "--ranges", f"{folder}/ranges.json", "--target", "htp", "--type", type_, "-o", product, *(("--set-op-type", f"Neg={type_}") if case.rank() < 5 else ()))
    tool(*quantized, "-q")
    _, words = said(*quantized, "--explain", "measured", fails=False)
    stays = next((line.partition("stays float: ")[2] for line in words.splitlines() if "stays float: " in line), "") or next((line for line in words.splitlines() if "computes in float" in line), "")
    line = f"{case.name()} #{number} {type_}: "
    own = results(product, listed, f"{folder}/own")
    ran, refusal = on_htp(product, listed, folder)
    if refusal:
        return devices(product, "htp", folder).get("measured") == "cpu", line + refusal
    scales = {name: max(scale, scale_of(product, name + "_measured")) for name, scale in output_scales(product).items()}
    kinds = {output.name: output.type.tensor_type.elem_type for output in onnx.load(product).graph.output}
    worst = 0.0
    for name, numbers in own.items():
        apart = np.abs(numbers - ran[name])
        worst = max(worst, float(np.max(apart) / scales[name]) if name in scales else float(np.mean(apart > 0)) * 100 if kinds[name] not in (T.FLOAT, T.FLOAT16) else float(np.max(apart) / np.max(np.abs(numbers))) * RANGE[type_])
    if stays:
        most = max(STEPS[type_], FLOAT_OF.get(case.op, FLOAT) * RANGE[type_])
    else:
        most = max(STEPS[type_], (OFF_8 if type_ == "u8i8" else OFF_16).get(case.op, 0))
    return round(worst, 2) <= most or case.op in NOT_COMPARED, line + f"{worst:.3g} steps, at most {most:.3g}" + (f"; float: {stays}" if stays else "") + (f"; {NOT_COMPARED[case.op]}" if case.op in NOT_COMPARED else "")


with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
    jobs = [(number, case, type_, f"{work}/{number}-{type_}") for number, case in enumerate(CASES) for type_ in STEPS if wanted in case.op and case.types[0][0] not in WHOLE and (case.rank() < 5 or case.op in ("Conv", "MatMul"))]

    jobs += [(number, case, type_, f"{work}/{number}-{type_}") for number, case in enumerate(CASES) for type_ in WHOLE if wanted in case.op and (type_, type_) in case.types and case.rank() < 5]

    def tried(job):
        try:
            return (exact if job[2] in WHOLE else judged)(*job)
        except RuntimeError as problem:
            return False, f"{job[1].name()} #{job[0]} {job[2]}: {str(problem)[:300]}"

    for right, text in workers.map(tried, jobs):
        check(right, text)
finish("qnn_operators")
