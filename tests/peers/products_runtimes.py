"""Runtimes of products.py. Each takes (folder, path, feeds), feeds being {input: (shape, span of real numbers)}, and gives ((inputs, outputs) by name, "", "") or
(None, what it says, names of the operator it speaks of); to the former may belong the steps of outputs that are codes given as real numbers. Runtimes run in a process of their own: some end it."""
import ctypes
import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np

from apart import Ended, apart
from checks import output_scales, tool, write_list


def in_child(work):
    try:
        return apart(work)
    except (Ended, RuntimeError) as problem:
        return None, str(problem), ""


def drawn(name, turn):
    """What an input is given depends on nothing but its name: not on what else is tried, or in what order."""
    return np.random.default_rng([turn, *name.encode()])


def reals(name, shape, span, turn=0):
    """From end to end of the span, the ends and zero among them."""
    x = drawn(name, turn).uniform(span[0], span[1], shape).astype(np.float32)
    x.flat[0], x.flat[1], x.flat[2] = span[0], span[1], 0
    return x


def codes(name, shape, dtype, span, zero):
    """All of them; of positive numbers those from the zero on: some kernels take no root of a negative one."""
    limits = np.iinfo(dtype)
    least = zero if span[0] >= 0 else limits.min
    x = drawn(name, 0).integers(least, limits.max + 1, shape).astype(dtype)
    x.flat[0], x.flat[1] = least, limits.max
    return x


def collect(folder, branches):
    rows = [{name: reals(name, shape, span, turn) for b in branches for name, shape, span in b.inputs} for turn in range(3)]
    tool("minmax-collect", f"{folder}/all.onnx", "--input-list", write_list(folder, rows), "-q", "-o", f"{folder}/ranges.json")


# Generated C lies in a folder beside the model that it was made of.
def quantized_of(path):
    return os.path.dirname(path).removesuffix("_made") + ".qn" if path.endswith(".c") else path


def quern(folder, product, path, inputs):
    flags = ["--arithmetic", product.arithmetic] if product.arithmetic else []
    source = quantized_of(path)
    if product.suffix != "onnx":
        flags.append("--native-io")
    tool("run", source, "--mode", "int", "--input-list", write_list(folder, [inputs]), *flags, "--format", "npz", "-o", f"{folder}/out.npz", "-q")
    with np.load(f"{folder}/out.npz") as arrays:
        return {name[len("Result_0/"):]: arrays[name] for name in arrays.files}


def ports(path, kind):
    """Inputs or outputs as the file holds them: (name, shape, element type, zero point)."""
    for item in json.loads(tool("model-info", path, "--json"))[kind]:
        element, dims = item["type"].rstrip("]").split("[")
        stored, *encoding = item.get("encoding", element).split()
        zero = int(encoding[encoding.index("zero") + 1]) if "zero" in encoding else 0
        yield item["name"], [int(d) for d in dims.split(",") if d], np.dtype(stored), zero


def fed(path, feeds):
    return {name: codes(name, shape, kind, feeds[name][1], zero) if kind.kind in "iu" else reals(name, shape, feeds[name][1])
            for name, shape, kind, zero in ports(path, "inputs")}


# ---- LiteRT ------------------------------------------------------------------------------------------------------------------------

def names_at(path, said):
    """The names of the tensors of the operator that a message counts."""
    from ai_edge_litert import schema_py_generated as schema
    found = re.search(r"[Nn]ode number (\d+)", said)
    if not found:
        return ""
    with open(path, "rb") as file:
        graph = schema.ModelT.InitFromPackedBuf(file.read(), 0).subgraphs[0]
    op = graph.operators[int(found[1])]
    return " ".join(graph.tensors[i].name.decode() for i in [*op.outputs, *[i for i in op.inputs if i >= 0]][:1])


def litert(folder, path, feeds, kernels):
    def work():
        from ai_edge_litert.interpreter import Interpreter, OpResolverType
        try:
            it = Interpreter(path, experimental_op_resolver_type=getattr(OpResolverType, kernels))
            it.allocate_tensors()
            inputs = {}
            for detail in it.get_input_details():
                name, kind, shape = detail["name"], detail["dtype"], detail["shape"]
                span = feeds[name][1]
                inputs[name] = codes(name, shape, kind, span, detail["quantization"][1]) if np.issubdtype(kind, np.integer) else reals(name, shape, span)
                it.set_tensor(detail["index"], inputs[name])
            it.invoke()
            return (inputs, {d["name"]: it.get_tensor(d["index"]) for d in it.get_output_details()}), "", ""
        except (RuntimeError, ValueError) as problem:
            said = " ".join(str(problem).split())
            return None, said, names_at(path, said)

    return in_child(work)


def litert_reference(folder, path, feeds):
    return litert(folder, path, feeds, "BUILTIN_REF")


def litert_only(folder, path, feeds):
    return litert(folder, path, feeds, "BUILTIN_WITHOUT_DEFAULT_DELEGATES")


def litert_default(folder, path, feeds):
    return litert(folder, path, feeds, "AUTO")


# ---- onert -------------------------------------------------------------------------------------------------------------------------

def onert(folder, path, feeds):
    inputs, shapes = fed(path, feeds), {name: shape for name, shape, *_ in ports(path, "outputs")}
    names = list(shapes)

    def work():
        from onert.native.libnnfw_api_pybind import infer, prepare_config
        session = infer.nnfw_session(path, "cpu")
        session.set_prepare_config(prepare_config.ENABLE_INTERNAL_OUTPUT_ALLOC)
        session.prepare()
        for i, array in enumerate(inputs.values()):
            session.set_input(i, array)
        session.run()
        return (inputs, {name: session.get_output(i).reshape(shapes[name]) for i, name in enumerate(names)}), "", ""  # it drops dims of 1

    return in_child(work)


# ---- TensorFlow Lite Micro, Vela ---------------------------------------------------------------------------------------------------

def micro(folder, path, feeds):
    inputs, names = fed(path, feeds), [name for name, *_ in ports(path, "outputs")]

    def work():
        from tflite_micro.python.tflite_micro import runtime
        interpreter = runtime.Interpreter.from_file(path, arena_size=1 << 22)
        for i, array in enumerate(inputs.values()):
            interpreter.set_input(array, i)
        interpreter.invoke()
        return (inputs, {name: interpreter.get_output(i) for i, name in enumerate(names)}), "", ""

    return in_child(work)


def vela(folder, path, feeds):
    """Does it take the file? It gives no codes."""
    done = subprocess.run([os.path.join(os.path.dirname(sys.executable), "vela"), path, "--accelerator-config", "ethos-u55-128", "--output-dir", f"{folder}/vela"],
                          capture_output=True, text=True)
    said = (done.stderr.strip() or done.stdout.strip() or "?").splitlines()[-1]
    return (None, said, done.stderr) if done.returncode else (({}, {}), "", "")


# ---- onnxruntime -------------------------------------------------------------------------------------------------------------------

def onnxruntime(folder, path, feeds):
    inputs = {name: reals(name, *feed) for name, feed in feeds.items()}
    steps = output_scales(path)

    def work():
        from ort_session import session
        try:
            there = session(path)
        except Exception as problem:  # onnxruntime's own kinds
            return None, " ".join(str(problem).split())[:300], str(problem)
        names = [o.name for o in there.get_outputs()]
        given = {i.name: inputs[i.name] for i in there.get_inputs()}
        return (inputs, dict(zip(names, there.run(names, given))), steps), "", ""

    return in_child(work)


# ---- C -----------------------------------------------------------------------------------------------------------------------------

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror"]


def compiled(folder, path):
    """By gcc with the undefined behaviour sanitizer, and once more by clang for its warnings."""
    clang = shutil.which("clang") or shutil.which("clang-14")
    commands = [["gcc", *STRICT, "-O1", "-fPIC", "-shared", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-static-libubsan", "-o", f"{folder}/net.so", path, "-lm"]]
    if clang:
        commands.append([clang, *STRICT, "-fsyntax-only", path])
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
    return None


def c_library(folder, path, feeds):
    source = quantized_of(path)
    said = compiled(folder, path)
    if said:
        return None, said, ""
    inputs = fed(source, feeds)
    outputs = {name: np.zeros(shape, kind) for name, shape, kind, _ in ports(source, "outputs")}
    invoke = re.search(r"(\w+_invoke)\(", open(os.path.splitext(path)[0] + ".h").read())[1]

    def work():
        pointers = [(ctypes.c_void_p * len(part))(*(a.ctypes.data for a in part.values())) for part in (inputs, outputs)]
        getattr(ctypes.CDLL(f"{folder}/net.so"), invoke)(*pointers)
        return (inputs, outputs), "", ""

    return in_child(work)
