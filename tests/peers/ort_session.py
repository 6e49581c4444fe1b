"""Sessions of onnxruntime, as all comparisons make them."""
import collections

import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper

ALL = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
BASIC = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
NONE = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
with open("/proc/cpuinfo", encoding="ascii") as cpu:
    SATURATES = "vnni" not in cpu.read()  # onnxruntime's sums of two products of uint8 by int8: of uint8 by uint8 none does


def loaded_of(model):
    return onnx.load(model) if isinstance(model, str) else onnx.load_from_string(model)


def unsigned(model):
    """The second operands of MatMulInteger as uint8 with zero points 128 higher: what the session option for exactness makes of them, where nothing is rewritten."""
    loaded = loaded_of(model)
    constants = {c.name: c for c in loaded.graph.initializer}
    for node in loaded.graph.node:
        weights = constants.get(node.input[1]) if node.op_type == "MatMulInteger" else None
        if weights is None or weights.data_type != onnx.TensorProto.INT8:
            continue
        node.input.extend([""] * (4 - len(node.input)))
        zero = numpy_helper.to_array(constants[node.input[3]]) if node.input[3] else np.zeros([], np.int8)
        for i, array in ((1, numpy_helper.to_array(weights)), (3, zero)):
            node.input[i] = f"{weights.name}/{i}/{len(loaded.graph.initializer)}"
            loaded.graph.initializer.append(numpy_helper.from_array((array.astype(np.int16) + 128).astype(np.uint8), node.input[i]))
    return loaded.SerializeToString()


def each_its_own(graph):
    """A DequantizeLinear of constants for each node that reads it: onnxruntime makes them so, with the constants shared."""
    constants, nodes = {c.name for c in graph.initializer}, []
    read = {n.output[0]: 0 for n in graph.node if n.op_type == "DequantizeLinear" and n.input[0] in constants}
    makers = {n.output[0]: n for n in graph.node if n.output[0] in read}
    for node in graph.node:
        for i, name in enumerate(node.input):
            if name in read:
                read[name] += 1
                if read[name] > 1:
                    copy = onnx.NodeProto()
                    copy.CopyFrom(makers[name])
                    node.input[i] = copy.output[0] = copy.name = f"{name}/reader{read[name]}"
                    nodes.append(copy)
        nodes.append(node)
    kept = [onnx.NodeProto.FromString(n.SerializeToString()) for n in nodes]
    del graph.node[:]
    graph.node.extend(kept)


def unshared(model):
    """Each node with initializers of its own where several read one."""
    loaded = loaded_of(model)
    each_its_own(loaded.graph)
    constants, seen = {c.name: c for c in loaded.graph.initializer}, set()
    for node in loaded.graph.node:
        for i, name in enumerate(node.input):
            if name in constants and name in seen:
                copy = loaded.graph.initializer.add()
                copy.CopyFrom(constants[name])
                node.input[i] = copy.name = f"{name}/{len(loaded.graph.initializer)}"
            seen.add(name)
    return loaded.SerializeToString()


def unsigned_operands(model):
    """The second operands of products that other nodes read, too, as uint8 with zero points 128 higher: the session option for exactness makes such of others alone."""
    loaded = loaded_of(model)
    constants = {c.name: c for c in loaded.graph.initializer}
    makers = {n.output[0]: n for n in loaded.graph.node}
    readers = collections.defaultdict(list)
    for node in loaded.graph.node:
        for name in node.input:
            readers[name].append(node)
    shared = {}
    for node in loaded.graph.node:
        dequantize = makers.get(node.input[1]) if node.op_type == "MatMul" else None
        quantize = makers.get(dequantize.input[0]) if dequantize is not None and dequantize.op_type == "DequantizeLinear" else None
        if quantize is None or any(n.op_type != "DequantizeLinear" for n in readers[quantize.output[0]]):
            continue
        if len(readers[node.input[1]]) + len(readers[dequantize.input[0]]) > 2 and constants[quantize.input[2]].data_type == onnx.TensorProto.INT8:
            shared[quantize.output[0]] = quantize
    for name, quantize in shared.items():
        zero = numpy_helper.to_array(constants[quantize.input[2]])
        loaded.graph.initializer.append(numpy_helper.from_array((zero.astype(np.int16) + 128).astype(np.uint8), f"{name}/zero"))
        for node in (quantize, *readers[name]):
            node.input[2] = f"{name}/zero"
    return loaded.SerializeToString() if shared else model


def made(model, level, threads, exact, entries=()):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    if exact:  # sums of two products of uint8 by int8, which saturate on processors without VNNI, and activations beside int4 weights
        options.add_session_config_entry("session.x64quantprecision", "1")
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
    for key, value in entries:
        options.add_session_config_entry(key, value)
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def session(model, level=ALL, threads=1):
    """Of a path or bytes, which must load as a user loads it; computes exactly. Where weights share a zero point, or are read by operators that have
    no such kernel, onnxruntime 1.31 cannot; then each has its own, or nothing is fused."""
    plain = made(model, level, threads, False)
    if level == NONE:
        return made(unsigned(model), level, threads, False) if SATURATES else plain
    if SATURATES:
        model = unsigned_operands(model)
    for source in (lambda: model, lambda: unshared(model)):
        try:
            return made(source(), level, threads, True)
        except Exception:  # onnxruntime's own kinds
            pass
    return made(model, BASIC, threads, False)
