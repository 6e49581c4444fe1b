"""Sessions of onnxruntime, as all comparisons make them."""
import onnx
import onnxruntime as ort

ALL = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
BASIC = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
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


def made(model, level, threads, exact):
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    if exact:  # sums of two products of uint8 by int8, which saturate on processors without VNNI, and activations beside int4 weights
        options.add_session_config_entry("session.x64quantprecision", "1")
        options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def session(model, level=ALL, threads=1):
    """Of a path or bytes, which must load as a user loads it; computes exactly. Where weights share a zero point, or are read by operators that have
    no such kernel, onnxruntime 1.31 cannot; then each has its own, or nothing is fused."""
    plain = made(model, level, threads, False)
    if level == NONE:
        return plain
    for source in (lambda: model, lambda: unshared(model)):
        try:
            return made(source(), level, threads, True)
        except Exception:  # onnxruntime's own kinds
            pass
    return made(model, BASIC, threads, False)
