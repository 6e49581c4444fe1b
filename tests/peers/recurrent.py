"""LSTM, GRU and RNN of an ONNX source by types of weights and by dynamic quantization: what `quantize` writes loads in onnxruntime and gives there what `run` gives, direct and
through the native format; the rows of the weights lie decades apart. Data that is quantized at run time may fall on the other side of a tie, by the last bit of a sum."""
import os
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from checks import check, finish, tool, write_list

STEPS, BATCH, WIDTH, HIDDEN = 5, 2, 24, 16
# The least SQNR in dB beside the float net, and beside onnxruntime; the greatest share of the float file; operators whose weights stay.
TYPES = [("wo-i8", 35, 90, 0.5, 0), ("wo-i8 --block 8", 35, 90, 0.6, 0), ("wo-i4 --block 16", 10, 90, 0.4, 0), ("wo-i16", 80, 90, 0.75, 0), ("f16", 50, 90, 0.65, 0),
         ("dynamic-i8", 25, 45, 0.75, 2), ("dynamic-i8 --per-tensor", 5, 45, 0.75, 2)]
KINDS = {"LSTM": (4, ["l_y", "l_h", "l_c"]), "GRU": (3, ["", "g_h"]), "RNN": (1, ["r_y"])}


def net(path, direction):
    random = np.random.default_rng(7)
    both = 2 if direction == "bidirectional" else 1
    nodes, constants, outputs = [], [], []
    for kind, (gates, results) in KINDS.items():
        for name, last in (("w", WIDTH), ("r", HIDDEN)):
            rows = 10 ** random.uniform(-1.5, 0, (both, gates * HIDDEN, 1))
            constants.append(numpy_helper.from_array((random.standard_normal((both, gates * HIDDEN, last)) * rows).astype(np.float32), f"{kind}_{name}"))
        constants.append(numpy_helper.from_array(random.standard_normal((both, 2 * gates * HIDDEN)).astype(np.float32), f"{kind}_b"))
        nodes.append(helper.make_node(kind, ["x", f"{kind}_w", f"{kind}_r", f"{kind}_b"], results, name=kind, hidden_size=HIDDEN, direction=direction))
        outputs += [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in results if name]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [STEPS, BATCH, WIDTH])], outputs, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def in_onnxruntime(path, x):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, {"x": x})))


def in_quern(folder, path, x):
    tool("run", path, "--input-list", write_list(folder, [{"x": x}]), "--format", "npz", "-o", f"{folder}/out.npz", "-q")
    return {name.split("/")[1]: array for name, array in np.load(f"{folder}/out.npz").items()}


def worst(want, got):
    assert want.keys() == got.keys(), (list(want), list(got))
    return min(10 * np.log10((want[name] ** 2).sum() / max(((want[name] - got[name].reshape(want[name].shape)) ** 2).sum(), 1e-30)) for name in want)


with tempfile.TemporaryDirectory() as folder:
    for direction in ("forward", "reverse", "bidirectional"):
        source, native = f"{folder}/net.onnx", f"{folder}/q.qn"
        net(source, direction)
        x = np.random.default_rng(1).standard_normal((STEPS, BATCH, WIDTH)).astype(np.float32)
        real = in_onnxruntime(source, x)
        for flags, least, same, share, left in TYPES:
            for path in (f"{folder}/q.onnx", f"{folder}/through.onnx"):
                if path.endswith("q.onnx"):
                    tool("quantize", source, "--type", *flags.split(), "-q", "-o", path)
                else:  # by the native format
                    tool("quantize", source, "--type", *flags.split(), "-q", "-o", native)
                    tool("model-convert", native, "-q", "-o", path)
                theirs = in_onnxruntime(path, x)
                label = f"{direction} {flags} {os.path.basename(path)}"
                beside, away, size = worst(theirs, in_quern(folder, path, x)), worst(real, theirs), os.path.getsize(path) / os.path.getsize(source)
                floats = sum(node.op_type in ("GRU", "RNN") for node in onnx.load(path).graph.node) if left else 0
                check(beside >= same and away >= least and size <= share and floats == left,
                      f"{label}: {beside:.1f} dB beside onnxruntime, {away:.1f} dB from float, {size:.2f} of its bytes")
finish("recurrent")
