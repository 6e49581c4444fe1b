"""LSTM, GRU and RNN of an ONNX source by types of weights, of activations and by dynamic quantization: what `quantize` writes loads in onnxruntime, or LSTM and RNN in LiteRT,
and gives there what `run` gives, direct and through the native format; the rows of the weights lie decades apart. Data that is quantized at run time may fall on the other side of a tie, by the
last bit of a sum."""
import os
import tempfile

import numpy as np
import onnx
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from onnx import TensorProto, helper, numpy_helper

from checks import check, finish, said, tool, write_list
from ort_session import ALL, SATURATES, made

STEPS, BATCH, WIDTH, HIDDEN = 5, 2, 24, 16
# The least SQNR in dB beside the float net, and beside onnxruntime; the greatest share of the float file. Of dynamic types LSTM has a form, GRU and RNN keep codes for weights;
# of types of activations all three do, and what is before and behind them is on codes.
TYPES = [("wo-i8", 35, 90, 0.5), ("wo-i8 --block 8", 35, 90, 0.6), ("wo-i4 --block 16", 10, 90, 0.4), ("wo-i16", 80, 90, 0.75), ("wo-i8-sym", 35, 90, 0.5), ("wo-i16-sym", 80, 90, 0.75), ("f16", 50, 90, 0.65),
         ("dynamic-i8", 25, 45, 0.5), ("dynamic-i8 --per-tensor", 5, 45, 0.45)]
FULL = [("i8", 25, 60), ("u8i8", 25, 60), ("w8a16", 35, 60), ("w8u16", 35, 60), ("w4a16", 10, 60), ("w16a16", 60, 60)]
# In LiteRT: the least SQNR beside the float net, the greatest share of the float file.
LITERT = [("dynamic-i8", 25, 0.65), ("wo-i8", 35, 0.75), ("wo-i4", 15, 0.65), ("wo-i16", 70, 0.85), ("f16", 60, 0.85)]
KINDS = {"LSTM": (4, ["l_y", "l_h", "l_c"]), "GRU": (3, ["", "g_h"]), "RNN": (1, ["r_y"])}


def constants_of(random, kind, gates, both):
    made = []
    for name, last in (("w", WIDTH), ("r", HIDDEN)):
        rows = 10 ** random.uniform(-1.5, 0, (both, gates * HIDDEN, 1))
        made.append(numpy_helper.from_array((random.standard_normal((both, gates * HIDDEN, last)) * rows).astype(np.float32), f"{kind}_{name}"))
    made.append(numpy_helper.from_array(random.standard_normal((both, 2 * gates * HIDDEN)).astype(np.float32), f"{kind}_b"))
    return made


def save(path, nodes, inputs, outputs, constants):
    inputs = [helper.make_tensor_value_info(name, kind, shape) for name, kind, shape in inputs]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    graph = helper.make_graph(nodes, "net", inputs, outputs, constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


X = ("x", TensorProto.FLOAT, [STEPS, BATCH, WIDTH])


def net(path, direction):
    random = np.random.default_rng(7)
    both = 2 if direction == "bidirectional" else 1
    nodes, constants, outputs = [], [], []
    for kind, (gates, results) in KINDS.items():
        constants += constants_of(random, kind, gates, both)
        nodes.append(helper.make_node(kind, ["x", f"{kind}_w", f"{kind}_r", f"{kind}_b"], results, name=kind, hidden_size=HIDDEN, direction=direction))
        outputs += [name for name in results if name]
    save(path, nodes, [X], outputs, constants)


def sequence_net(path, kind, direction):
    """The results of all steps, without the dimension of directions."""
    constants = constants_of(np.random.default_rng(7), kind, KINDS[kind][0], 1) + [numpy_helper.from_array(np.array([1]), "axis")]
    node = helper.make_node(kind, ["x", f"{kind}_w", f"{kind}_r", f"{kind}_b"], ["all"], name=kind, hidden_size=HIDDEN, direction=direction)
    save(path, [node, helper.make_node("Squeeze", ["all", "axis"], ["y"])], [X], ["y"], constants)


def branches_net(path):
    """Both branches put the gates of the same weights in order, as torch's exporter writes scripted LSTMs; which runs is not known before."""
    random = np.random.default_rng(7)
    stored = [numpy_helper.from_array((random.standard_normal((4 * HIDDEN, last)) / 3).astype(np.float32), name) for name, last in (("w", WIDTH), ("r", HIDDEN))]
    axes = [numpy_helper.from_array(np.array([0]), "zero")] + [numpy_helper.from_array(np.array([k * HIDDEN]), f"at_{k}") for k in range(5)]

    def branch(name, result):
        nodes = []
        for weight in ("w", "r"):
            for i, (first, last) in enumerate(((0, 1), (3, 4), (1, 3))):
                nodes.append(helper.make_node("Slice", [weight, f"at_{first}", f"at_{last}", "zero"], [f"{name}_{weight}_{i}"]))
            nodes.append(helper.make_node("Concat", [f"{name}_{weight}_{i}" for i in range(3)], [f"{name}_{weight}_all"], axis=0))
            nodes.append(helper.make_node("Unsqueeze", [f"{name}_{weight}_all", "zero"], [f"{name}_{weight}_whole"]))
        results = [f"{name}_y"] if result == 0 else ["", f"{name}_y"]
        nodes.append(helper.make_node("LSTM", ["x", f"{name}_w_whole", f"{name}_r_whole"], results, name=f"{name}_lstm", hidden_size=HIDDEN))
        nodes.append(helper.make_node("Identity", [f"{name}_y"], [f"{name}_result"]))
        return helper.make_graph(nodes, name, [], [helper.make_tensor_value_info(f"{name}_result", TensorProto.FLOAT, None)])

    choice = helper.make_node("If", ["all_steps"], ["y"], name="choice", then_branch=branch("all", 0), else_branch=branch("last", 1))
    save(path, [choice], [X, ("all_steps", TensorProto.BOOL, [])], ["y"], stored + axes)


def chain_net(path, kind):
    """A product before and one behind the layer, whose results of all steps it reads."""
    random = np.random.default_rng(7)
    constants = constants_of(random, kind, KINDS[kind][0], 1) + [numpy_helper.from_array(np.array([1]), "axis")]
    constants += [numpy_helper.from_array((random.standard_normal(dims) / 4).astype(np.float32), name) for name, dims in (("first", (WIDTH, WIDTH)), ("last", (HIDDEN, WIDTH)))]
    nodes = [helper.make_node("MatMul", ["x", "first"], ["before"], name="before"), helper.make_node("Relu", ["before"], ["fed"], name="relu"),
             helper.make_node(kind, ["fed", f"{kind}_w", f"{kind}_r", f"{kind}_b"], ["all"], name=kind, hidden_size=HIDDEN),
             helper.make_node("Squeeze", ["all", "axis"], ["steps"], name="steps"), helper.make_node("MatMul", ["steps", "last"], ["y"], name="behind")]
    save(path, nodes, [X], ["y"], constants)


def in_onnxruntime(path, **inputs):
    session = made(path, ALL, 0, SATURATES)  # as users have it, where that computes exactly
    return dict(zip([output.name for output in session.get_outputs()], session.run(None, inputs)))


def in_litert(path, x):
    interpreter = Interpreter(path, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    interpreter.set_tensor(interpreter.get_input_details()[0]["index"], x)
    interpreter.invoke()
    return {"y": interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).copy()}


def in_quern(folder, path, **inputs):
    tool("run", path, "--input-list", write_list(folder, [inputs]), "--format", "npz", "-o", f"{folder}/out.npz", "-q")
    return {name.split("/")[1]: array for name, array in np.load(f"{folder}/out.npz").items()}


def worst(want, got):
    assert want.keys() == got.keys(), (list(want), list(got))
    return min(10 * np.log10((want[name] ** 2).sum() / max(((want[name] - got[name].reshape(want[name].shape)) ** 2).sum(), 1e-30)) for name in want)


X_ROW = np.random.default_rng(1).standard_normal((STEPS, BATCH, WIDTH)).astype(np.float32)


def check_litert(folder, kind, direction):
    source, plain, path = f"{folder}/sequence.onnx", f"{folder}/plain.tflite", f"{folder}/q.tflite"
    sequence_net(source, kind, direction)
    tool("model-convert", source, "-q", "-o", plain)
    real = in_onnxruntime(source, x=X_ROW)
    for kept, least, share in LITERT:
        tool("quantize", source, "--type", kept, "-q", "-o", path)
        theirs = in_litert(path, X_ROW)
        beside, away, size = worst(theirs, in_quern(folder, path, x=X_ROW)), worst(real, theirs), os.path.getsize(path) / os.path.getsize(plain)
        check(beside >= 90 and away >= least and size <= share,
              f"LiteRT {kind} {direction} {kept}: {beside:.1f} dB beside LiteRT, {away:.1f} dB from float, {size:.2f} of its bytes")


def check_branches(folder):
    source, path = f"{folder}/branches.onnx", f"{folder}/q.onnx"
    branches_net(source)
    for kept, least, same, operator in (("dynamic-i8", 25, 45, "DynamicQuantizeLSTM"), ("wo-i8", 35, 90, "LSTM")):
        tool("quantize", source, "--type", kept, "-q", "-o", path)
        bodies = [attribute.g for node in onnx.load(path).graph.node if node.op_type == "If" for attribute in node.attribute]
        found = [sum(node.op_type == operator for node in body.node) for body in bodies]
        for all_steps in (True, False):
            inputs = {"x": X_ROW, "all_steps": np.array(all_steps)}
            theirs = in_onnxruntime(path, **inputs)
            beside, away = worst(theirs, in_quern(folder, path, **inputs)), worst(in_onnxruntime(source, **inputs), theirs)
            smaller = os.path.getsize(path) < os.path.getsize(source)
            check(beside >= same and away >= least and found == [1, 1] and smaller,
                  f"weights that branches compute, {kept}: {beside:.1f} dB beside onnxruntime, {away:.1f} dB from float")


def is_coded(model, node):
    """Both matrices come from DequantizeLinear."""
    made = {out: other.op_type for other in model.graph.node for out in other.output}
    return all(made.get(name) == "DequantizeLinear" for name in node.input[1:3])


def check_full(folder, kind):
    """Types of activations: the layer computes in float between codes, on weights that are codes, and `quantize` says so."""
    source, native = f"{folder}/chain.onnx", f"{folder}/q.qn"
    chain_net(source, kind)
    tool("minmax-collect", source, "--input-list", write_list(folder, [{"x": X_ROW}]), "-q", "-o", f"{folder}/ranges.json")
    real = in_onnxruntime(source, x=X_ROW)
    for kept, least, same in FULL:
        arguments = [source, "--ranges", f"{folder}/ranges.json", "--type", kept, "-o"]
        notices = said("quantize", *arguments, f"{folder}/q.onnx")[1]
        tool("quantize", *arguments, native, "-q")
        tool("model-convert", native, "-q", "-o", f"{folder}/through.onnx")
        for path in (f"{folder}/q.onnx", f"{folder}/through.onnx"):
            model, theirs = onnx.load(path), in_onnxruntime(path, x=X_ROW)
            coded = [is_coded(model, node) for node in model.graph.node if node.op_type == kind]
            beside, away = worst(theirs, in_quern(folder, path, x=X_ROW)), worst(real, theirs)
            check(beside >= same and away >= least and coded == [True] and "computes in float on weights that are codes" in notices,
                  f"{kind} between codes {kept} {os.path.basename(path)}: {beside:.1f} dB beside onnxruntime, {away:.1f} dB from float")


UNROLLED = {
    "LSTM": {}, "LSTM from a state": {"states": True}, "LSTM of relu": {"activations": ["Sigmoid", "Relu", "Tanh"]},
    "GRU": {}, "GRU reset behind the product": {"linear_before_reset": 1, "states": True},
    "RNN": {"states": True}, "RNN of relu": {"activations": ["Relu"]},
}


def check_unrolled(folder, label, direction, states=False, **attributes):
    """All results of the products of each step are those of onnxruntime's operator; so they are of the operator here, batch first."""
    kind, random, path = label.split()[0], np.random.default_rng(7), f"{folder}/steps.onnx"
    both = 2 if direction == "bidirectional" else 1
    constants, results = constants_of(random, kind, KINDS[kind][0], both), ["all", "hidden", "cell"][:3 if kind == "LSTM" else 2]
    if "activations" in attributes:
        attributes["activations"] = attributes["activations"] * both
    for name in ["h0", "c0"][:len(results) - 1] if states else []:
        constants.append(numpy_helper.from_array(random.standard_normal((both, BATCH, HIDDEN)).astype(np.float32), name))
    operands = ["x", *[f"{kind}_{name}" for name in "wrb"], "", *[name for name in ("h0", "c0") if any(constant.name == name for constant in constants)]]
    node = helper.make_node(kind, operands if states else operands[:4], results, name=kind, hidden_size=HIDDEN, direction=direction, **attributes)
    save(f"{folder}/whole.onnx", [node], [X], results, constants)
    tool("model-convert", f"{folder}/whole.onnx", "--passes", "unroll_recurrent,drop_dead", "-q", "-o", path)
    theirs, ours = in_onnxruntime(f"{folder}/whole.onnx", x=X_ROW), in_onnxruntime(path, x=X_ROW)
    gone = not any(node.op_type in KINDS for node in onnx.load(path).graph.node)
    check(gone and worst(theirs, ours) > 100, f"{label} {direction} step by step: {worst(theirs, ours):.1f} dB")


def check_steps_of_codes(folder, kind, direction):
    """Weights that are codes stay so where a layer is taken apart, for ONNX and for TFLite, which has no form for its states."""
    source, whole, steps = f"{folder}/whole.onnx", f"{folder}/q.onnx", f"{folder}/steps.onnx"
    both = 2 if direction == "bidirectional" else 1
    results = ["y", "hidden"] if kind != "LSTM" else ["y", "hidden", "cell"]
    node = helper.make_node(kind, ["x", *[f"{kind}_{name}" for name in "wrb"]], results, name=kind, hidden_size=HIDDEN, direction=direction)
    save(source, [node], [X], results, constants_of(np.random.default_rng(7), kind, KINDS[kind][0], both))
    for kept in ("wo-i8", "wo-i8 --block 8", "wo-i8 --per-tensor", "wo-i8-sym", "wo-i4 --block 16", "wo-i16", "f16"):
        tool("quantize", source, "--type", *kept.split(), "-q", "-o", whole)
        tool("model-convert", whole, "--passes", "unroll_recurrent,drop_dead", "-q", "-o", steps)
        noise = worst(in_onnxruntime(whole, x=X_ROW), in_onnxruntime(steps, x=X_ROW))
        numbers = [constant.name for constant in onnx.load(steps).graph.initializer
                   if constant.data_type == TensorProto.FLOAT and len(constant.dims) == 2 and constant.dims[0] in (WIDTH, HIDDEN)]
        check(noise > 100 and not numbers, f"{kind} {direction} {kept}, step by step: {noise:.1f} dB beside whole, {len(numbers)} matrices of numbers")


def check_steps_in_litert(folder, kind, direction):
    """A layer whose weights are codes, read from quern's own file, in LiteRT."""
    source, native, path = f"{folder}/state.onnx", f"{folder}/q.qn", f"{folder}/q.tflite"
    constants = constants_of(np.random.default_rng(7), kind, KINDS[kind][0], 1) + [numpy_helper.from_array(np.array([1]), "axis")]
    constants += [numpy_helper.from_array(np.random.default_rng(8).standard_normal((1, BATCH, HIDDEN)).astype(np.float32), "h0")]
    node = helper.make_node(kind, ["x", *[f"{kind}_{name}" for name in "wrb"], "", "h0"], ["all"], name=kind, hidden_size=HIDDEN, direction=direction)
    save(source, [node, helper.make_node("Squeeze", ["all", "axis"], ["y"])], [X], ["y"], constants)
    for kept, least in (("wo-i8-sym", 35), ("wo-i8", 35), ("f16", 60)):
        tool("quantize", source, "--type", kept, "-q", "-o", native)
        tool("model-convert", native, "-q", "-o", path)
        theirs = in_litert(path, X_ROW)
        beside, away = worst(theirs, in_quern(folder, path, x=X_ROW)), worst(in_onnxruntime(source, x=X_ROW), theirs)
        check(beside >= 60 and away >= least, f"LiteRT {kind} {direction} {kept} from quern's own file: {beside:.1f} dB beside LiteRT, {away:.1f} dB from float")


def check_batch_first(folder, kind):
    """onnxruntime has no layout 1; `run` has."""
    constants = constants_of(np.random.default_rng(7), kind, KINDS[kind][0], 2)
    node = helper.make_node(kind, ["x", *[f"{kind}_{name}" for name in "wrb"]], ["all", "hidden"], name=kind, hidden_size=HIDDEN, direction="bidirectional", layout=1)
    save(f"{folder}/whole.onnx", [node], [("x", TensorProto.FLOAT, [BATCH, STEPS, WIDTH])], ["all", "hidden"], constants)
    tool("model-convert", f"{folder}/whole.onnx", "--passes", "unroll_recurrent,drop_dead", "-q", "-o", f"{folder}/steps.onnx")
    x = np.swapaxes(X_ROW, 0, 1).copy()
    noise = worst(in_quern(folder, f"{folder}/whole.onnx", x=x), in_onnxruntime(f"{folder}/steps.onnx", x=x))
    check(noise > 100, f"{kind} batch first, step by step: {noise:.1f} dB")


def check_gru_in_litert(folder, direction):
    """TFLite has no GRU: it is written step by step, weights of codes, too."""
    source, plain, path = f"{folder}/sequence.onnx", f"{folder}/plain.tflite", f"{folder}/q.tflite"
    sequence_net(source, "GRU", direction)
    tool("model-convert", source, "-q", "-o", plain)
    real = in_onnxruntime(source, x=X_ROW)
    check(worst(real, in_litert(plain, X_ROW)) > 100, f"LiteRT GRU {direction}: {worst(real, in_litert(plain, X_ROW)):.1f} dB")
    for kept, least, share in LITERT:
        tool("quantize", source, "--type", kept, "-q", "-o", path)
        theirs = in_litert(path, X_ROW)
        beside, away, size = worst(theirs, in_quern(folder, path, x=X_ROW)), worst(real, theirs), os.path.getsize(path) / os.path.getsize(plain)
        check(beside >= 60 and away >= least and size <= share + 0.1,  # each step has operators of its own, which share their weights
              f"LiteRT GRU {direction} {kept}: {beside:.1f} dB beside LiteRT, {away:.1f} dB from float, {size:.2f} of its bytes")
    # On codes: unrolled before ranges are collected.
    steps = f"{folder}/steps.onnx"
    tool("model-convert", source, "--passes", "unroll_recurrent,fold_constants,drop_dead", "-q", "-o", steps)
    tool("minmax-collect", steps, "--input-list", write_list(folder, [{"x": X_ROW}]), "-q", "-o", f"{folder}/ranges.json")
    for kept, least in (("i8", 20), ("w8a16", 35)):
        tool("quantize", steps, "--ranges", f"{folder}/ranges.json", "--type", kept, "--io", "float", "-q", "-o", path)
        theirs = in_litert(path, X_ROW)
        beside, away = worst(theirs, in_quern(folder, path, x=X_ROW)), worst(real, theirs)
        check(beside >= 35 and away >= least, f"LiteRT GRU {direction} {kept} step by step: {beside:.1f} dB beside LiteRT, {away:.1f} dB from float")


with tempfile.TemporaryDirectory() as folder:
    for direction in ("forward", "reverse", "bidirectional"):
        for label, attributes in UNROLLED.items():
            check_unrolled(folder, label, direction, **attributes)
    for kind in KINDS:
        check_batch_first(folder, kind)
        for direction in ("forward", "bidirectional"):
            check_steps_of_codes(folder, kind, direction)
        check_steps_in_litert(folder, kind, "forward")
    for direction in ("forward", "reverse"):
        check_gru_in_litert(folder, direction)
    for direction in ("forward", "reverse", "bidirectional"):
        source, native = f"{folder}/net.onnx", f"{folder}/q.qn"
        net(source, direction)
        x = X_ROW
        real = in_onnxruntime(source, x=x)
        for flags, least, same, share in TYPES:
            for path in (f"{folder}/q.onnx", f"{folder}/through.onnx"):
                if path.endswith("q.onnx"):
                    tool("quantize", source, "--type", *flags.split(), "-q", "-o", path)
                else:  # by the native format
                    tool("quantize", source, "--type", *flags.split(), "-q", "-o", native)
                    tool("model-convert", native, "-q", "-o", path)
                theirs = in_onnxruntime(path, x=x)
                label = f"{direction} {flags} {os.path.basename(path)}"
                beside, away, size = worst(theirs, in_quern(folder, path, x=x)), worst(real, theirs), os.path.getsize(path) / os.path.getsize(source)
                check(beside >= same and away >= least and size <= share,
                      f"{label}: {beside:.1f} dB beside onnxruntime, {away:.1f} dB from float, {size:.2f} of its bytes")
    for kind in ("LSTM", "RNN"):
        for direction in ("forward", "reverse"):
            check_litert(folder, kind, direction)
    check_branches(folder)
    for kind in KINDS:
        check_full(folder, kind)
finish("recurrent")
