"""Loops, also with results of each round, branches and peepholes that quern writes as TFLite, in LiteRT beside onnxruntime; called by tests/peers/peer. Written once more
the files have the same bytes, run here they give what LiteRT gives, and so does the C that is generated of them."""
import ctypes
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from onnx import TensorProto as T
from onnx import helper as h

from ort_session import session

build = sys.argv[1]
folder = tempfile.mkdtemp()
failures = []
f32 = lambda name, *shape: h.make_tensor_value_info(name, T.FLOAT, shape)
i64 = lambda name, *shape: h.make_tensor_value_info(name, T.INT64, shape)
yes = lambda name: h.make_tensor_value_info(name, T.BOOL, [])
const = lambda name, array: h.make_node("Constant", [], [name], value=onnx.numpy_helper.from_array(np.asarray(array)))


def branches():
    then = h.make_graph([h.make_node("Relu", ["x"], ["t"])], "then", [], [f32("t", 2, 3)])
    other = h.make_graph([const("k", np.float32(2)), h.make_node("Mul", ["x", "k"], ["d"]), h.make_node("Add", ["d", "w"], ["e"])], "other", [], [f32("e", 2, 3)])
    nodes = [h.make_node("If", ["c"], ["y"], then_branch=then, else_branch=other)]
    feeds = [{"c": np.array(c), "x": np.float32([[1, -2, 3], [-4, 5, -6]])} for c in (True, False)]
    return h.make_graph(nodes, "branches", [yes("c"), f32("x", 2, 3)], [f32("y", 2, 3)], [onnx.numpy_helper.from_array(np.float32([1, 2, 3]), "w")]), feeds


def counted(limit):
    """v = v * s + i, `limit` rounds: a constant, or an input."""
    body = [h.make_node("Cast", ["i"], ["f"], to=T.FLOAT), h.make_node("Mul", ["v", "s"], ["m"]), h.make_node("Add", ["m", "f"], ["n"]), h.make_node("Identity", ["c"], ["o"])]
    body = h.make_graph(body, "round", [i64("i"), yes("c"), f32("v", 3)], [yes("o"), f32("n", 3)])
    nodes = [const("t", np.array(True))] + ([const("n_rounds", np.int64(limit))] if limit else []) + [h.make_node("Loop", ["n_rounds", "t", "x"], ["y"], body=body)]
    ins = [f32("x", 3), f32("s", 3)] + ([] if limit else [i64("n_rounds")])
    feed = {"x": np.float32([1, 2, 3]), "s": np.float32([0.5, 1, 2])}
    return h.make_graph(nodes, "counted", ins, [f32("y", 3)]), [feed] if limit else [{**feed, "n_rounds": np.array(n, np.int64)} for n in (0, 1, 4)]


def until():
    """Doubles until the sum is beyond 100; a branch inside."""
    then = h.make_graph([h.make_node("Add", ["w", "one"], ["u"])], "then", [], [f32("u", 2)])
    other = h.make_graph([h.make_node("Identity", ["w"], ["p"])], "other", [], [f32("p", 2)])
    body = [const("two", np.float32(2)), const("one", np.float32(1)), const("end", np.float32(100)), h.make_node("Mul", ["v", "two"], ["w"]),
            h.make_node("ReduceSum", ["w"], ["sum"], keepdims=0), h.make_node("Less", ["sum", "end"], ["o"]),
            h.make_node("If", ["o"], ["n"], then_branch=then, else_branch=other)]
    body = h.make_graph(body, "round", [i64("i"), yes("c"), f32("v", 2)], [yes("o"), f32("n", 2)])
    return h.make_graph([const("t", np.array(True)), h.make_node("Loop", ["", "t", "x"], ["y"], body=body)], "until", [f32("x", 2)], [f32("y", 2)]), [
        {"x": np.float32(x)} for x in ([1, 2], [60, 60])]


def scanned(limit):
    """v = v + x, whose rounds are results, and so is their sum; `limit` rounds: a constant, or an input. Ends early beyond 50."""
    body = [const("end", np.float32(50)), h.make_node("Add", ["v", "x"], ["n"]), h.make_node("Mul", ["n", "x"], ["each"]),
            h.make_node("ReduceSum", ["n"], ["sum"], keepdims=0), h.make_node("Less", ["sum", "end"], ["o"])]
    body = h.make_graph(body, "round", [i64("i"), yes("c"), f32("v", 2, 3)], [yes("o"), f32("n", 2, 3), f32("each", 2, 3), f32("sum")])
    nodes = [const("t", np.array(True))] + ([const("n_rounds", np.int64(limit))] if limit else [])
    nodes.append(h.make_node("Loop", ["n_rounds", "t", "x"], ["y", "rows", "sums"], body=body))
    outs = [f32("y", 2, 3), f32("rows", None, 2, 3), f32("sums", None)]
    feeds = [{"x": np.float32([[1, 2, 3], [0, -1, 0.5]])}, {"x": np.float32([[9, 2, 3], [0, 0, 0.5]])}]
    if not limit:
        feeds = [{**feed, "n_rounds": np.array(n, np.int64)} for feed in feeds for n in (1, 2, 4)]  # LiteRT's Python gives no empty result
    return h.make_graph(nodes, "scanned", [f32("x", 2, 3)] + ([] if limit else [i64("n_rounds")]), outs), feeds


def peepholes():
    rng = np.random.default_rng(1)
    weights = {n: (rng.random(s, np.float32) - np.float32(0.5)) for n, s in (("w", (1, 20, 3)), ("r", (1, 20, 5)), ("b", (1, 40)), ("p", (1, 15)))}
    nodes = [h.make_node("LSTM", ["x", "w", "r", "b", "", "", "", "p"], ["s"], hidden_size=5), const("a", np.int64([1])), h.make_node("Squeeze", ["s", "a"], ["y"])]
    return h.make_graph(nodes, "peepholes", [f32("x", 4, 2, 3)], [f32("y", 4, 2, 5)], [onnx.numpy_helper.from_array(a, n) for n, a in weights.items()]), [
        {"x": rng.random((4, 2, 3), np.float32)}]


def tool(name, *args):
    subprocess.run([f"{build}/bin/{name}", *map(str, args)], check=True)


def distance(got, want):
    if got.shape != want.shape:
        return np.inf
    return float(np.abs(got - want).max() / max(np.abs(want).max(), 1e-30)) if want.size else 0.0


def in_c(path, graph, feeds):
    """The outputs of the C that quern generates of a model, feed by feed; ports are those of `graph`."""
    tool("codegen", path, "-p", "c", "-o", f"{folder}/c", "--option", "name=net", "-q")
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", "-o", f"{path}.so", f"{folder}/c/net.c", "-lm"], check=True)
    invoke, pointer = ctypes.CDLL(f"{path}.so").net_invoke, ctypes.c_void_p
    for feed in feeds:
        ins = [np.ascontiguousarray(feed[i.name]) for i in graph.input]
        outs = [np.zeros([d.dim_value for d in o.type.tensor_type.shape.dim], np.float32) for o in graph.output]
        invoke(*((pointer * len(part))(*(a.ctypes.data for a in part)) for part in (ins, outs)))
        yield outs


def compare(name, graph, feeds):
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model)
    paths = [f"{folder}/{name}.onnx", f"{folder}/{name}.tflite", f"{folder}/again.tflite", f"{folder}/third.tflite"]
    onnx.save(model, paths[0])
    for source, target in zip(paths, paths[1:]):
        tool("model-convert", source, "-o", target)
    stable = open(paths[2], "rb").read() == open(paths[3], "rb").read()
    there = session(paths[0])
    worst = 0.0
    for path in paths[1:3]:
        for feed in feeds:
            it = Interpreter(path, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
            it.allocate_tensors()
            for detail in it.get_input_details():
                it.set_tensor(detail["index"], feed[detail["name"]])
            it.invoke()
            wanted = there.run(None, feed)
            for detail, want in zip(it.get_output_details(), wanted):
                worst = max(worst, distance(it.get_tensor(detail["index"]), want))
            for key, array in feed.items():
                np.save(f"{folder}/{key}.npy", array)
            tool("run", path, *(part for key in feed for part in ("--input", f"{key}={folder}/{key}.npy")), "-o", f"{folder}/out", "--format", "npy", "-q")
            for output, want in zip(graph.output, wanted):
                worst = max(worst, distance(np.load(f"{folder}/out/Result_0/{output.name}.npy"), want))
    if not name.startswith("scanned"):  # how many results there are depends on the run
        for path in paths[:2]:
            for feed, outs in zip(feeds, in_c(path, graph, feeds)):
                worst = max(worst, *(distance(got, want) for got, want in zip(outs, there.run(None, feed))))
    ok = worst <= 1e-6 and stable
    print(f"{'ok   ' if ok else 'FAIL '} {name}: largest difference {worst:.1e}, written again {'the same bytes' if stable else 'OTHER BYTES'}", flush=True)
    if not ok:
        failures.append(name)


for name, case in (("branches", branches()), ("counted", counted(4)), ("limited", counted(None)), ("until", until()), ("scanned", scanned(4)), ("scanned limited", scanned(None)),
                   ("peepholes", peepholes())):
    try:
        compare(name, *case)
    except Exception as problem:
        print(f"FAIL  {name}: {type(problem).__name__}: {problem}", flush=True)
        failures.append(name)
print(f"control: {len(failures)} failures")
sys.exit(1 if failures else 0)
