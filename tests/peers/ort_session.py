"""Sessions of onnxruntime, as all comparisons make them."""
import onnx
import onnxruntime as ort

ALL = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
NONE = ort.GraphOptimizationLevel.ORT_DISABLE_ALL


def unshared(model):
    """Each node with initializers of its own where several read one."""
    loaded = onnx.load(model) if isinstance(model, str) else onnx.load_from_string(model)
    constants, seen = {c.name: c for c in loaded.graph.initializer}, set()
    for node in loaded.graph.node:
        for i, name in enumerate(node.input):
            if name in constants and name in seen:
                copy = loaded.graph.initializer.add()
                copy.CopyFrom(constants[name])
                node.input[i] = copy.name = f"{name}/{len(loaded.graph.initializer)}"
            seen.add(name)
    return loaded.SerializeToString()


def unfused(options, model):
    options.graph_optimization_level = NONE
    return model


def session(model, level=ALL, threads=1):
    """Of a path or bytes. Its uint8 by int8 kernels saturate sums of two products on processors without VNNI, unless they are told to be exact."""
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.x64quantprecision", "1")
    # Where weights share a zero point 1.31 makes it anew twice and fails, also if it is a zero that onnxruntime itself puts in; then Q and DQ are not fused.
    for last, change in enumerate((lambda: model, lambda: unshared(model), lambda: unfused(options, model))):
        try:
            return ort.InferenceSession(change(), options, providers=["CPUExecutionProvider"])
        except Exception as problem:
            if last == 2 or "replace the existing tensor" not in str(problem):
                raise
