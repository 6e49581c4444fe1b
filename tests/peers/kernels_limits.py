"""What runtimes ask of an operator beside the form of its data, measured for kernels.py: integers as data, and dims."""
import copy

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from operator_cases import F32, I32
from tflite_builder import Case

INTEGERS = {"INT32": (2, np.int32), "INT64": (4, np.int64)}
# Operators that move integers, compare them or calculate with shapes and places.
OF_INTEGERS = ("ABS ADD_N ARG_MAX ARG_MIN BATCH_TO_SPACE_ND BROADCAST_TO CONCATENATION CUMSUM DEPTH_TO_SPACE DIV EQUAL EXPAND_DIMS FLOOR_DIV FLOOR_MOD GATHER GATHER_ND GREATER "
               "GREATER_EQUAL LESS LESS_EQUAL MAXIMUM MEAN MINIMUM MIRROR_PAD NEG NOT_EQUAL PACK PAD PADV2 POW REDUCE_MAX REDUCE_MIN REDUCE_PROD RELU RESHAPE REVERSE_SEQUENCE "
               "REVERSE_V2 SELECT SELECT_V2 SIGN SLICE SPACE_TO_BATCH_ND SPACE_TO_DEPTH SQUARE SQUARED_DIFFERENCE SQUEEZE STRIDED_SLICE SUB SUM TILE TOPK_V2 TRANSPOSE UNIQUE UNPACK ZEROS_LIKE").split()
RANKS = range(3, 7)


def stored_as(case, number, dtype):
    """A case of real numbers whose float32 are of another element type, by its number and numpy's."""
    made = copy.deepcopy(case)
    for tensor in made.graph.tensors:
        if tensor.type != 0:
            continue
        tensor.type = number
        if tensor.buffer:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.frombuffer(bytes(made.model.buffers[tensor.buffer].data), np.float32).astype(dtype).tobytes(), np.uint8)
            tensor.buffer = len(made.model.buffers)
            made.model.buffers.append(buffer)
    return made


def of_integers(case, kind):
    """A case of real numbers on integers instead; None where its data are something else."""
    data = [i for i in case.operator.inputs if i < 0 or case.graph.tensors[i].type != schema.TensorType.BOOL]  # a choice has its condition first
    first = data[0] if len(data) else -1
    return stored_as(case, *INTEGERS[kind]) if first >= 0 and case.graph.tensors[first].type == 0 else None


def integer_constraints(reals, runs):
    """{operator: constraints}. `reals`: [(operator, case)]; `runs`: cases -> which of them run."""
    jobs = [(op, kind, made) for op, case in reals if op in OF_INTEGERS for kind in ("FLOAT32", *INTEGERS)
            if (made := case if kind == "FLOAT32" else of_integers(case, kind))]
    found = {}
    for (op, kind, _), ok in zip(jobs, runs([case for *_, case in jobs])):
        found.setdefault(op, {})
        found[op][kind] = found[op].get(kind, False) or ok
    constraints = {}
    for op, kinds in found.items():
        lacking = [kind for kind in INTEGERS if not kinds.get(kind, True)]
        if lacking:
            constraints[op] = [{"check": "attribute:element", "is": [kind for kind in kinds if kinds[kind]] or ["none"], "when": [{"check": "attribute:element", "is": lacking}]}]
    return constraints


def of_rank(rank):
    """(operator, case) on real numbers of so many dims."""
    shape, less = [2] * rank, [1] + [2] * (rank - 1)
    axes, first = np.arange(rank).astype(I32), np.zeros(1, I32)
    for name in ("SUM", "MEAN", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD"):
        yield name, Case(name, "ReducerOptions", keepDims=True).fed(F32, shape).constant(first).output(F32, less)
    for name, options in (("ADD", "AddOptions"), ("MUL", "MulOptions"), ("SUB", "SubOptions"), ("DIV", "DivOptions"), ("POW", "PowOptions"), ("MAXIMUM", "MaximumMinimumOptions"),
                          ("MINIMUM", "MaximumMinimumOptions"), ("SQUARED_DIFFERENCE", "SquaredDifferenceOptions")):
        yield name, Case(name, options).fed(F32, shape).fed(F32, less).output(F32, shape)
    yield "TRANSPOSE", Case("TRANSPOSE", "TransposeOptions").fed(F32, shape).constant(axes[::-1].copy()).output(F32, shape)
    yield "SLICE", Case("SLICE", "SliceOptions").fed(F32, shape).constant(axes * 0).constant(np.array(less, I32)).output(F32, less)
    yield "STRIDED_SLICE", Case("STRIDED_SLICE", "StridedSliceOptions").fed(F32, shape).constant(axes * 0).constant(np.array(less, I32)).constant(axes * 0 + 1).output(F32, less)
    yield "PAD", Case("PAD", "PadOptions").fed(F32, shape).constant(np.array([[1, 1]] + [[0, 0]] * (rank - 1), I32)).output(F32, [4] + shape[1:])
    yield "TILE", Case("TILE", "TileOptions").fed(F32, shape).constant(np.array(shape, I32)).output(F32, [4] * rank)
    yield "BROADCAST_TO", Case("BROADCAST_TO", "BroadcastToOptions", 2).fed(F32, less).constant(np.array(shape, I32)).output(F32, shape)
    yield "GATHER", Case("GATHER", "GatherOptions", axis=0).fed(F32, shape).constant(first).output(F32, less)
    yield "CONCATENATION", Case("CONCATENATION", "ConcatenationOptions", axis=0).fed(F32, shape).fed(F32, shape).output(F32, [4] + shape[1:])
    yield "SOFTMAX", Case("SOFTMAX", "SoftmaxOptions", beta=1.0).fed(F32, shape).output(F32, shape)
    yield "BATCH_MATMUL", Case("BATCH_MATMUL", "BatchMatMulOptions").fed(F32, shape).fed(F32, shape).output(F32, shape)


def rank_constraints(runs):
    """{operator: constraints} where a runtime takes few dims of real numbers, but not RANKS all."""
    jobs = [(rank, op, case) for rank in RANKS for op, case in of_rank(rank)]
    found = {}
    for (rank, op, _), ok in zip(jobs, runs([case for *_, case in jobs])):
        found.setdefault(op, []).extend([rank] if ok else [])
    return {op: [{"check": "input_rank", "max": max(ranks)}] for op, ranks in found.items() if ranks and max(ranks) < RANKS[-1]}
