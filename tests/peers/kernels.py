"""What the installed runtimes have kernels for, measured: one-operator models in every form that a writer may choose are loaded and run in LiteRT (its
usual and its reference kernels), TensorFlow Lite Micro, onert and onnxruntime (kernels_onnx.py), and libcore/support/runtimes/*.json must say the same; called by tests/peers/peer.
usage: kernels.py BUILD MODELS [--write]   --write: the tables are written instead"""
import collections
import copy
import json
import os
import re
import sys
import tempfile

import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

import kernels_limits
import kernels_onnx
from apart import Ended, apart
from operator_cases import F32, FAMILIES, I8, I16, I32, LEFT_OUT, U8, ZERO, hybrid_recurrent, svdf_codes, weights
from tflite_builder import Case

TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../libcore/support/runtimes")
WORDS = {0: "float32", 1: "float16", 2: "int32", 3: "uint8", 4: "int64", 6: "bool", 7: "int16", 9: "int8", 10: "float64", 15: "uint32", 16: "uint16",
         17: "int4", 18: "bfloat16"}
F16, INT4, BF16 = 1, 17, 18
NAMES = {value: name for name, value in vars(schema.BuiltinOperator).items() if isinstance(value, int)}
# Kernels that take codes and compute something else with them.
NUMBERS = "the kernel computes with the codes as if they were numbers"
SLOPES = "the kernel reads slopes as codes, of int8 beside int16 data, else of the data's own type"
FIRST = "the kernel takes the first of the scales"
UNSIGNED = "the kernel takes signed codes for unsigned ones"
COMMON = {"NEG": (r"int", NUMBERS), "FLOOR_DIV": (r"int", NUMBERS), "FLOOR_MOD": (r"int", NUMBERS), "PRELU": (r"^int16$| float32| int16 ->|uint8 int8", SLOPES)}
LITERT = {**COMMON, "SUM": (r"^int", LEFT_OUT["SUM"][1])}
WRONG = {"litert": LITERT, "litert-reference": LITERT, "tflm": COMMON,
         "onert": {**COMMON, "SUM": (r"int", "codes are summed with their zero points"), "SPLIT_V": (r"int", "results are not parts of the operand"),
                   "ARG_MAX": (r"^int8", UNSIGNED), "ARG_MIN": (r"^int8", UNSIGNED), "QUANTIZE": (r"float32 -> int8", UNSIGNED), "DEQUANTIZE": (r"\[c\]", FIRST), "FULLY_CONNECTED": (r"\[c\]", FIRST)}}
# Kernels that take operands and results of one scale only, or compute as if they had one.
ONE_SCALE = "the kernel knows one scale"
MOVED = "codes are handed on as they are"
TIED = {"onert": {"AVERAGE_POOL_2D": "codes are averaged as if the result had the scale of its operand", "MAXIMUM": ONE_SCALE, "MINIMUM": ONE_SCALE,
                  "GATHER": MOVED, "MAX_POOL_2D": MOVED}}
# What kernels compute wrongly, refuse, or die of, whatever the form is; limited() holds that convolutions still do, tests/slow/odd_forms what the others refuse.
VARIABLE = [{"check": "attribute:constant_data", "is": 0}]
ON_CODES = [{"check": "attribute:on_codes", "is": 1}]
REPEATED = [{"check": "attribute:first_alone", "is": 0, "when": ON_CODES, "why": "a number in front of more is not repeated"}]
LIMITS = {"onert": {
    "TRANSPOSE": [{"check": "attribute:element", "is": ["FLOAT32", "UINT8"]}], "DIV": [{"check": "attribute:element", "is": "FLOAT32"}],
    "BATCH_MATMUL": VARIABLE, "ADD": REPEATED, "MUL": REPEATED, "SUB": REPEATED,
    "RESIZE_BILINEAR": [{"check": f"attribute:{name}", "is": 0, "when": ON_CODES} for name in ("half_pixel_centers", "align_corners")],
    "CONV_2D": [
    {"check": "attribute:groups", "is": 1, "when": [{"check": "attribute:hybrid", "is": 0}], "why": "groups are computed as if they were one"},
    {"check": "attribute:batch", "is": 1, "when": [{"check": "attribute:hybrid", "is": 1}], "why": "the kernel writes beyond its memory"}],
    "DEPTHWISE_CONV_2D": [
    {"check": "attribute:batch", "is": 1, "when": [{"check": "attribute:hybrid", "is": 1}], "why": "the kernel writes beyond its memory"}]}}
# Circle's own operators, of which TensorFlow Lite's schema can make no model.
UNKNOWN = {"onert": ("INSTANCE_NORM",)}
# Operators that compute something else of real numbers, too.
LOST = {"onert": ("SPLIT_V",)}
RECODINGS = ("QUANTIZE", "DEQUANTIZE")
# Our operators that are written as one of these and nothing else.
OURS = {"ABS": "Abs", "CEIL": "Ceil", "COS": "Cos", "CUMSUM": "CumSum", "DEPTH_TO_SPACE": "DepthToSpace", "DIV": "Div", "ELU": "Elu", "EXP": "Exp",
        "FLOOR": "Floor", "GELU": "Gelu", "HARD_SWISH": "HardSwish", "LEAKY_RELU": "LeakyRelu", "LOCAL_RESPONSE_NORMALIZATION": "LRN", "LOG": "Log",
        "LOG_SOFTMAX": "LogSoftmax", "NEG": "Neg", "POW": "Pow", "PRELU": "PRelu", "REDUCE_PROD": "ReduceProd", "ROUND": "Round", "SIGN": "Sign",
        "SIN": "Sin", "SPACE_TO_DEPTH": "SpaceToDepth", "SQRT": "Sqrt", "SUM": "ReduceSum"}


def word(tensor):
    """How a tensor is stored: "int8", "int8[c]" with a scale for each channel (but biases, whose scales kernels do not read)."""
    quantization = tensor.quantization
    many = tensor.type not in (2, 4) and quantization is not None and quantization.scale is not None and len(quantization.scale) > 1
    return WORDS[tensor.type] + ("[c]" if many else "")


def quantized(tensor):
    return tensor.quantization is not None and tensor.quantization.scale is not None and len(tensor.quantization.scale) > 0


def form(case):
    """As libcore/support/quantity_data.cpp says it: what the operands are stored as, each once, then the results; lists of integers (shapes, axes) are none."""
    graph = case.graph
    left = []
    for place, index in enumerate(case.operator.inputs):
        if index < 0:
            continue
        tensor = graph.tensors[index]
        plain = tensor.type in (2, 4) and not quantized(tensor)
        if plain and (place > 0 or tensor.buffer or operator(case) in ("FILL", "TRANSPOSE_CONV")):
            continue
        left.append(word(tensor))
    right = [word(graph.tensors[index]) for index in case.operator.outputs]
    left, right = list(dict.fromkeys(left)), list(dict.fromkeys(right))
    return left[0] if left == right and len(left) == 1 else f"{' '.join(left)} -> {' '.join(right)}"


def operator(case):
    return NAMES[case.model.operatorCodes[case.operator.opcodeIndex].builtinCode]


def others():
    """Forms that operator_cases.py has none of."""
    for t in (I8, U8, I16):
        q, shape = (0.05, ZERO[t]), [2, 3, 4, 6]
        yield Case("LOCAL_RESPONSE_NORMALIZATION", "LocalResponseNormalizationOptions", radius=1, bias=1.0, alpha=1.0, beta=0.5).fed(t, shape, *q).output(t, shape, *q)
        yield Case("L2_POOL_2D", "Pool2DOptions", strideH=1, strideW=1, filterHeight=2, filterWidth=2, padding=0).fed(t, shape, *q).output(t, shape, *q)
        yield Case("ADD_N", "AddNOptions").fed(t, shape, *q).fed(t, shape, *q).output(t, shape, *q)
        yield Case("SHAPE", "ShapeOptions", outType=2).fed(t, shape, *q).output(I32, [4])
        yield Case("ONE_HOT", "OneHotOptions", axis=-1).fed(I32, [3]).constant(np.array(4, I32)).constant(np.array(20, t), *q).constant(np.array(3, t), *q).output(t, [3, 4], *q)
        yield Case("FILL", "FillOptions").constant(np.array([2, 3], I32)).fed(t, [], *q).output(t, [2, 3], *q)
        yield Case("EMBEDDING_LOOKUP").fed(I32, [3]).constant(weights(t, [9, 4]), *q).output(t, [3, 4], *q)
        yield Case("SELECT_V2", "SelectV2Options").fed(bool, [3, 4]).fed(t, [3, 4], *q).fed(t, [1, 4], *q).output(t, [3, 4], *q)
        yield Case("ATAN2", "ATan2Options").fed(t, shape, *q).fed(t, shape, *q).output(t, shape, *q)
        many = (np.arange(1, 7) * 0.01).astype(F32)
        channels = Case("DEQUANTIZE", "DequantizeOptions", 5)
        channels.operator.inputs.append(channels.tensor(t, [3, 6], many, ZERO[t] if t == U8 else 0, weights(I8, [3, 6]).astype(t), 1))
        yield channels.output(F32, [3, 6])
        for slopes in (I8, I16, F32):
            made = np.full([1, 1, 6], 3, slopes)
            case = Case("PRELU").fed(t, shape, *q)
            yield (case.constant(made, 0.01, 0) if slopes != F32 else case.constant(made)).output(t, shape, *q)
        pad = Case("PADV2", "PadV2Options", 2).fed(t, [3, 4], *q).constant(np.array([[1, 0], [2, 1]], I32)).constant(np.array(17, t), *q)
        yield pad.output(t, [4, 7], *q)
        for name in ("ARG_MAX", "ARG_MIN"):
            yield Case(name, name.title().replace("_", "") + "Options", 2, outputType=4).fed(t, [3, 4], *q).constant(np.array(1, I32)).output(np.int64, [3])
        yield Case("SHAPE", "ShapeOptions", outType=4).fed(t, shape, *q).output(np.int64, [4])
        yield Case("CAST", "CastOptions").fed(t, [4], *q).output(np.int64, [4])
        for kind in (F32, I32, np.int64, bool):
            yield Case("CAST", "CastOptions").fed(kind, [4]).output(t, [4], *q)
    many = (np.arange(1, 7) * 0.01).astype(F32)  # of a batch of 1: beside weights alone of codes onert's convolutions of several end with a signal now and then
    case = Case("CONV_2D", "Conv2DOptions", 5, strideW=1, strideH=1, padding=0).fed(F32, [1, 5, 5, 6]).constant(weights(I8, [6, 3, 3, 6]), many)
    yield case.constant(np.ones(6, F32)).output(F32, [1, 5, 5, 6])
    case = Case("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", 6, strideW=1, strideH=1, padding=0, depthMultiplier=1, dilationWFactor=1, dilationHFactor=1)
    case.fed(F32, [1, 5, 5, 6]).constant(weights(I8, [1, 3, 3, 6]), many, axis=3)
    yield case.constant(np.ones(6, F32)).output(F32, [1, 5, 5, 6])
    for t in (I8, U8, I16, I32):  # 32-bit sums
        yield Case("QUANTIZE", "QuantizeOptions", 3).fed(I32, [3, 4], 0.05, 0).output(t, [3, 4], 0.31, ZERO.get(t, 0))
    for t in (I8, U8):
        shape = [9, 24]
        for per in (False, True):  # codes with real numbers as results
            scale = (np.arange(1, 12) * 0.001).astype(F32) if per else 0.01
            yield Case("FULLY_CONNECTED", "FullyConnectedOptions", 4).fed(t, shape, 0.05, 0).constant(weights(t, [11, 24]), scale).absent().output(F32, [9, 11])
            case = Case("GATHER", "GatherOptions", 2, axis=0)
            case.operator.inputs.append(case.tensor(t, [11, 24], scale, 0, weights(t, [11, 24])))
            yield case.constant(np.array([1, 2], I32)).output(F32, [2, 24])
            case = Case("EMBEDDING_LOOKUP").fed(I32, [3])
            yield case.constant(weights(t, [11, 24]), scale).output(F32, [3, 24])
    for per in (False, True):
        scale = (np.arange(1, 13) * 0.001).astype(F32) if per else 0.01
        half = bytes(12 * 24 // 2)
        for kind, result in ((F32, (F32,)), (I8, (I8, 0.1, 0)), (I16, (I16, 0.1, 0))):
            case = Case("FULLY_CONNECTED", "FullyConnectedOptions", 12)
            case.fed(kind, [3, 24], *((0.05, 0) if kind != F32 else ()))
            case.operator.inputs.append(case.tensor(INT4, [12, 24], scale, 0, half))
            yield case.absent().output(result[0], [3, 12], *result[1:])
            case = Case("CONV_2D", "Conv2DOptions", 7, strideW=1, strideH=1, padding=0).fed(kind, [1, 3, 3, 24], *((0.05, 0) if kind != F32 else ()))
            case.operator.inputs.append(case.tensor(INT4, [12, 1, 1, 24], scale, 0, half))
            yield case.output(result[0], [1, 3, 3, 12], *result[1:])
            case = Case("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", 7, strideW=1, strideH=1, padding=0, depthMultiplier=1)
            case.fed(kind, [1, 3, 3, 12], *((0.05, 0) if kind != F32 else ()))
            case.operator.inputs.append(case.tensor(INT4, [1, 3, 3, 12], scale, 0, bytes(54), 3))
            yield case.output(result[0], [1, 3, 3, 12], *result[1:])
        case = Case("EMBEDDING_LOOKUP", version=4).fed(I32, [3])
        case.operator.inputs.append(case.tensor(INT4, [12, 24], scale, 0, half))
        yield case.output(F32, [3, 24])
        case = Case("DEQUANTIZE", "DequantizeOptions", 6)
        case.operator.inputs.append(case.tensor(INT4, [12, 24], scale, 0, half))
        yield case.output(F32, [12, 24])
    for t in (I8, U8, I16):
        q = (0.05, ZERO[t])
        yield Case("CONV_3D", "Conv3DOptions", padding=0, strideD=1, strideH=1, strideW=1).fed(t, [1, 4, 5, 6, 3], *q).constant(weights(I8, [2, 2, 2, 3, 4]), 0.01, 0).output(t, [1, 3, 4, 5, 4], 0.3, 0)
        yield Case("REVERSE_SEQUENCE", "ReverseSequenceOptions", seqDim=1, batchDim=0).fed(t, [3, 4], *q).constant(np.array([1, 2, 4], I32)).output(t, [3, 4], *q)
        yield Case("SCATTER_ND", "ScatterNdOptions").constant(np.array([[1], [3]], I32)).fed(t, [2, 4], *q).constant(np.array([5, 4], I32)).output(t, [5, 4], *q)
        sparse = Case("SPARSE_TO_DENSE", "SparseToDenseOptions", 3 if t == U8 else 2).constant(np.array([[1], [3]], I32)).constant(np.array([5], I32)).fed(t, [2], *q)
        yield sparse.constant(np.array(0, t), *q).output(t, [5], *q)
        yield Case("UNIQUE", "UniqueOptions", idxOutType=2).fed(t, [4], *q).output(t, [1], *q).output(I32, [4])
    for t in (F16, BF16):
        case = Case("DEQUANTIZE", "DequantizeOptions", 5)
        case.operator.inputs.append(case.tensor(t, [4], data=bytes(8)))
        yield case.output(F32, [4])
        case = Case("CAST", "CastOptions", 6)
        case.operator.inputs.append(case.tensor(t, [4], data=bytes(8)))
        yield case.output(F32, [4])
        for name in ("ADD", "MUL"):
            yield Case(name, name.title() + "Options").fed(t, [4]).fed(t, [4]).output(t, [4])
        case = Case("FULLY_CONNECTED", "FullyConnectedOptions").fed(F32, [3, 4])
        case.operator.inputs.append(case.tensor(t, [5, 4], data=bytes(40)))
        yield case.absent().output(F32, [3, 5])


def decoded(tensor, model):
    """Its numbers, if it has any: of codes, of 16-bit floats."""
    kind = {0: np.float32, 1: np.float16, 2: np.int32, 3: np.uint8, 4: np.int64, 7: np.int16, 9: np.int8}[tensor.type]
    data = np.frombuffer(bytes(model.buffers[tensor.buffer].data), kind).astype(np.float32).reshape(tensor.shape)
    scale, zero = (np.array(part, np.float32) for part in (tensor.quantization.scale, tensor.quantization.zeroPoint))
    along = [-1 if i == tensor.quantization.quantizedDimension and len(scale) > 1 else 1 for i in range(len(tensor.shape))]
    return ((data - zero.reshape(along)) * scale.reshape(along)).astype(np.float32)


def real(case):
    """The same operator on real numbers; None where an operand has another form than these."""
    made = copy.deepcopy(case)
    for tensor in made.graph.tensors:
        if tensor.type in (F16, INT4, BF16):
            return None
        if not quantized(tensor):
            continue
        if tensor.buffer:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(decoded(tensor, made.model).tobytes(), np.uint8)
            tensor.buffer = len(made.model.buffers)
            made.model.buffers.append(buffer)
        tensor.type, tensor.quantization = 0, None
    return made


def wide(case):
    """The same operator on float64; None where it has no real numbers."""
    made = real(case)
    return kernels_limits.stored_as(made, 10, np.float64) if made and any(tensor.type == 0 for tensor in made.graph.tensors) else None


def candidates():
    """Some cases of each form of each operator: {operator: {form: [case, ...]}}."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))

    def add(case):
        forms = found[operator(case)][form(case)]
        if len(forms) < 8:
            forms.append(case)

    for case in others():
        add(case)
    for t in (I8, U8, I16):
        for family in FAMILIES:
            if family in (hybrid_recurrent, svdf_codes):  # these have rows for real numbers, or none
                continue
            for label, case in family(t):
                if "old" in label or "of uint8" in label:  # scales that must be powers of two; bytes by another name
                    continue
                add(case)
                if operator(case) in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV") and case.operator.inputs[-1] >= 0 and \
                        len(case.operator.inputs) == (4 if operator(case) == "TRANSPOSE_CONV" else 3):
                    bare = copy.deepcopy(case)
                    bare.operator.inputs.pop()
                    add(bare)
                    absent = copy.deepcopy(case)
                    absent.operator.inputs[-1] = -1
                    add(absent)
    for case in [case for op, forms in found.items() if op not in RECODINGS for _, listed in sorted(forms.items()) for case in listed[:2]]:
        if made := wide(case):
            add(made)
    return found


def real_candidates(found):
    """Some cases of each operator on real numbers: [(operator, case), ...]."""
    cases = collections.defaultdict(list)
    for op, forms in found.items():
        cases[op] = [made for _, listed in sorted(forms.items()) for made in map(real, listed[:2]) if made][:8] if op not in RECODINGS else []
    for _, case in hybrid_recurrent(I8):
        cases[operator(case)] += [made] if len(cases[operator(case)]) < 4 and (made := real(case)) else []
    return [(op, case) for op, listed in sorted(cases.items()) for case in listed]


def litert(kernels):
    def run(path, rows):
        interpreter = Interpreter(path, experimental_op_resolver_type=kernels)
        interpreter.allocate_tensors()
        for detail, row in zip(interpreter.get_input_details(), rows):
            interpreter.set_tensor(detail["index"], row)
        interpreter.invoke()
    return run


def tflm(path, rows):
    from tflite_micro.python.tflite_micro import runtime
    interpreter = runtime.Interpreter.from_file(path, arena_size=1 << 20)
    for i, row in enumerate(rows):
        interpreter.set_input(row, i)
    interpreter.invoke()


def onert(path, rows):
    from one import onert as run
    run(path, rows)


RESOLVERS = {"litert": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES, "litert-reference": OpResolverType.BUILTIN_REF}
RUNTIMES = {**{name: litert(kernels) for name, kernels in RESOLVERS.items()}, "tflm": tflm, "onert": onert}
DOCS = {"litert": "LiteRT, its optimised kernels", "litert-reference": "LiteRT, its reference kernels", "tflm": "TensorFlow Lite Micro",
        "onert": "Samsung's onert, back end cpu"}


def rows_of(case):
    rows = []
    for index in case.graph.inputs:
        tensor = case.graph.tensors[index]
        dtype = {0: np.float32, 1: np.float16, 2: np.int32, 3: np.uint8, 4: np.int64, 6: bool, 7: np.int16, 9: np.int8, 10: np.float64, 18: np.uint16}[tensor.type]
        rows.append(np.ones(tensor.shape, dtype))
    return rows


def tried(run, cases, folder, start):
    """Writes 1 or 0 of each case, as far as it comes."""
    with open(f"{folder}/said", "wb", buffering=0) as said:
        for i in range(start, len(cases)):
            try:
                run(f"{folder}/{i}.tflite", rows_of(cases[i]))
                said.write(b"1")
            except Exception:
                said.write(b"0")


ENDS = 3  # a runtime that ends its process now and then does so this often in a row where it has no kernel


def measured(run, cases, folder):
    """Which of the cases run: in processes of their own, one after the other until one of them ends it."""
    results, ended = [], 0
    while len(results) < len(cases):
        try:
            apart(tried, run, cases, folder, len(results))
        except Ended:
            pass
        with open(f"{folder}/said", "rb") as said:
            more = [c == ord("1") for c in said.read()]
        results += more
        ended = 1 if more else ended + 1  # with the next one
        if len(results) < len(cases) and ended == ENDS:
            results.append(False)
            ended = 0
    return results


def latest_version(case, path, kernels):
    """The greatest version of its operator that LiteRT loads; 0: none."""
    latest, code = 0, case.model.operatorCodes[case.operator.opcodeIndex]
    for code.version in range(1, 20):
        case.write(path)
        try:
            Interpreter(path, experimental_op_resolver_type=kernels)
            latest = code.version
        except ValueError:
            if latest:
                break
    return latest


def without_reals(name, reals, folder):
    """Operators that the runtime has no kernel for on real numbers; those that it has none for at all are among them."""
    results = written_and_measured(name, [case for _, case in reals], folder)
    return {op for op, _ in reals} - {op for (op, _), ok in zip(reals, results) if ok}


def written_and_measured(name, cases, folder):
    os.makedirs(folder, exist_ok=True)
    for i, case in enumerate(cases):
        case.write(f"{folder}/{i}.tflite")
    return measured(RUNTIMES[name], cases, folder)


def table(name, flat, reals, folder):
    results, none = measured(RUNTIMES[name], [case for _, _, case in flat], folder), without_reals(name, reals, f"{folder}/reals")
    none |= {*UNKNOWN.get(name, ()), *LOST.get(name, ())}
    forms, cases = collections.defaultdict(list, {op: [] for op in none}), {}
    for (op, words, case), ok in zip(flat, results):
        wrong, _ = WRONG[name].get(op, (None, None))
        cases.setdefault(op, case)
        forms[op] += [words] if ok and words not in forms[op] and not (wrong and re.search(wrong, words)) else []
    limits = [kernels_limits.integer_constraints(reals, lambda cases: written_and_measured(name, cases, f"{folder}/integers")),
              kernels_limits.rank_constraints(lambda cases: written_and_measured(name, cases, f"{folder}/ranks"))]
    ops = []
    for op, words in sorted(forms.items()):
        kernel = {"check": "form", "is": (["float32"] if set(words) <= {"float64"} else []) + words}
        if op in WRONG[name]:
            kernel["why"] = WRONG[name][op][1]
        entry = {"ops": [op]} | ({"of": [OURS[op]]} if op in OURS else {}) | ({"real": False} if op in none else {})
        entry["constraints"] = [kernel]
        if why := TIED.get(name, {}).get(op):
            entry["constraints"].append({"check": "same_encoding", "is": "yes", "why": why})
        entry["constraints"] += LIMITS.get(name, {}).get(op, []) + [constraint for found in limits for constraint in found.get(op, [])]
        if name in RESOLVERS and op in cases and (latest := latest_version(cases[op], f"{folder}/version.tflite", RESOLVERS[name])):
            entry["constraints"].append({"check": "operator_version", "max": latest})
        ops.append(entry)
    return {"kind": "runtime", "version": 1, "name": name, "doc": DOCS[name], "ops": ops}


BATCH = 64  # a kernel that writes beyond its memory has a right result now and then where it writes little
TRIES = 10  # or by luck


def limited():
    """onert beside LiteRT: [what is limited, whether the two still differ]."""
    many = (np.arange(1, 7) * 0.01).astype(F32)
    groups = Case("CONV_2D", "Conv2DOptions", 6, strideW=1, strideH=1, padding=0).fed(F32, [1, 5, 5, 6]).constant(weights(I8, [6, 3, 3, 2]).astype(F32)).constant(np.ones(6, F32))
    yield "groups", groups.output(F32, [1, 5, 5, 6])
    case = Case("CONV_2D", "Conv2DOptions", 5, strideW=1, strideH=1, padding=0).fed(F32, [BATCH, 5, 5, 6]).constant(weights(I8, [6, 3, 3, 6]), many)
    yield "batch of CONV_2D", case.constant(np.ones(6, F32)).output(F32, [BATCH, 5, 5, 6])
    case = Case("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", 6, strideW=1, strideH=1, padding=0, depthMultiplier=1, dilationWFactor=1, dilationHFactor=1)
    case.fed(F32, [BATCH, 5, 5, 6]).constant(weights(I8, [1, 3, 3, 6]), many, axis=3)
    yield "batch of DEPTHWISE_CONV_2D", case.constant(np.ones(6, F32)).output(F32, [BATCH, 5, 5, 6])


def is_other(case, path):
    case.write(path)
    shape = case.graph.tensors[case.graph.inputs[0]].shape
    rows = [(np.arange(np.prod(shape)) % 7 - 3).astype(F32).reshape(shape)]
    interpreter = Interpreter(path)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], rows[0])
    interpreter.invoke()
    want = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    try:
        from one import onert as run
        return not np.abs(np.ravel(apart(run, path, rows)[0]) - want.ravel()).max() <= 0.05 * np.abs(want).max()  # not a number, too
    except (Ended, RuntimeError):
        return True


def text_of(document):
    lines = [json.dumps(entry) for entry in document["ops"]]
    head = ",\n".join(f"  {json.dumps(key)}: {json.dumps(document[key])}" for key in document if key != "ops")
    return "{\n" + head + ',\n  "ops": [\n    ' + ",\n    ".join(lines) + "\n  ]\n}\n"


def main():
    found, bad = candidates(), 0
    reals = real_candidates(found)
    with tempfile.TemporaryDirectory() as folder:
        flat = [(op, words, case) for op, forms in sorted(found.items()) for words, cases in sorted(forms.items()) for case in cases]
        for i, (_, _, case) in enumerate(flat):
            case.write(f"{folder}/{i}.tflite")
        for name in (*RUNTIMES, "onnxruntime"):
            document = kernels_onnx.table() if name == "onnxruntime" else table(name, flat, reals, folder)
            made = text_of(document)
            path = f"{TABLES}/{name}.json"
            if "--write" in sys.argv:
                with open(path, "w") as file:
                    file.write(made)
                continue
            with open(path) as file:
                stands = file.read().splitlines()
            lines = made.splitlines()
            differs = [f"  - {line.strip()}" for line in stands if line not in lines] + [f"  + {line.strip()}" for line in lines if line not in stands]
            print(("FAIL" if differs else "ok  ") + f"  {name}: {len(document['ops'])} rows", *differs, sep="\n" if differs else "")
            bad += bool(differs)
        for what, case in limited():
            still = any(is_other(case, f"{folder}/limited.tflite") for _ in range(TRIES))
            print(("ok  " if still else "FAIL") + f"  onert: {what} {'is still limited' if still else 'needs no limit any more'}")
            bad += not still
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
