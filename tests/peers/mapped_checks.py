"""How a model of one operator is compared: with LiteRT, with known numbers, and written again; for tests/peers/mapped.py."""
import glob
import json
import subprocess
import sys
import tempfile

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from flatbuffers import flexbuffers

from tflite_builder import COMPLEX64, RESOURCE, STRING, Case, texts

build, wanted = sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else ""
failures, refused = [], {}
f32, i32, i64, i8, i16, u8, u32 = np.float32, np.int32, np.int64, np.int8, np.int16, np.uint8, np.uint32
rng = np.random.default_rng(3)


def real(*shape):
    return rng.standard_normal(shape).astype(f32)


def distance(x, y):
    """Of two results; whole numbers by their greatest difference."""
    y = np.asarray(y)
    if x.shape != y.shape:
        raise RuntimeError(f"shapes {x.shape} {y.shape}")
    if not y.size:
        return 0
    if y.dtype == f32:
        return np.abs(x - y).max() / max(np.abs(y).max(), 1e-30)
    return np.abs(x.astype(np.float64) - y.astype(np.float64)).max()


def written_again(what, path, folder, rows, want, near):
    """The file that quern makes of a file, in LiteRT."""
    again, third, fourth = (f"{folder}/{name}.tflite" for name in ("again", "third", "fourth"))
    done = subprocess.run([f"{build}/bin/model-convert", path, "-o", again], capture_output=True, text=True)
    if done.returncode == 4:
        refused[what] = done.stderr.strip().split(": ")[-1]
        return
    for source, target in ((again, third), (third, fourth)):
        done = done if done.returncode else subprocess.run([f"{build}/bin/model-convert", source, "-o", target], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("written again: " + done.stderr.strip())
    if open(third, "rb").read() != open(fourth, "rb").read():
        raise RuntimeError("written again: other bytes each time")
    for a, b in zip(theirs(again, rows), want):
        for x, y in zip(a, b):
            if not (far := distance(x, y)) <= (near if y.dtype == f32 else 0):
                raise RuntimeError(f"written again: apart by {far:.1e}")


def theirs(path, rows):
    interpreter = Interpreter(path, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    inputs, outputs = interpreter.get_input_details(), interpreter.get_output_details()
    results = []
    for row in rows:
        for detail, array in zip(inputs, row):
            interpreter.set_tensor(detail["index"], array)
        interpreter.invoke()
        results.append([interpreter.get_tensor(detail["index"]).copy() for detail in outputs])
    return results


def ours(path, rows, folder, *args):
    info = json.loads(subprocess.run([f"{build}/bin/model-info", path, "--json"], capture_output=True, text=True, check=True).stdout)
    names = [value["name"] for value in info["inputs"]]
    with open(f"{folder}/list.txt", "w") as file:
        for i, row in enumerate(rows):
            for k, array in enumerate(row):
                np.save(f"{folder}/{i}_{k}.npy", array)
            file.write(" ".join(f"{name}:={folder}/{i}_{k}.npy" for k, name in enumerate(names)) + "\n")
    samples = ["--input-list", f"{folder}/list.txt"] if names else ["--random", "1"]
    done = subprocess.run([f"{build}/bin/run", path, *samples, "-o", f"{folder}/out", "--format", "npy", *args],
                          capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    outputs = [value["name"].replace("/", "_") for value in info["outputs"]]
    return [[np.load(glob.glob(f"{folder}/out/Result_{i}/{name}.npy")[0]) for name in outputs] for i in range(len(rows))]


def judged(what, case, judge):
    """Writes the case, unless it is not wanted; `judge`, of its path and a folder, raises what is wrong."""
    if wanted not in what:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/case.tflite"
        case.write(path)
        try:
            judge(path, folder)
        except Exception as error:
            failures.append(what)
            print(f"FAIL  {what}: {str(error)[:300]}", flush=True)
            return
    print(f"ok    {what}", flush=True)


def need_near(x, y, near):
    if not (far := distance(x, y)) <= (near if y.dtype == f32 else 0):
        raise RuntimeError(f"apart by {far:.1e}: {x.ravel()[:6]} {y.ravel()[:6]}")


def check(what, case, *rows, near=1e-5, args=(), mode="float"):
    """rows: lists of inputs, fed one after the other."""
    def judge(path, folder):
        want = theirs(path, rows)
        got = ours(path, rows, folder, "--mode", mode, *(["--native-io"] if mode == "int" else []), *args)
        for a, b in zip(got, want):
            for x, y in zip(a, b):
                need_near(x, np.asarray(y), near)
        written_again(what, path, folder, rows, want, near)
    judged(what, case, judge)


def known(what, case, row, want, near=1e-6):
    """What LiteRT has no kernel for, beside numbers that are known."""
    def judge(path, folder):
        for got, y in zip(ours(path, [row], folder)[0], want if isinstance(want, list) else [want]):
            y = np.asarray(y)
            if got.dtype != y.dtype:
                raise RuntimeError(f"{got.dtype}, need {y.dtype}")
            need_near(got, y, near)
    judged(what, case, judge)


def check_collected(what, case, rows):
    """The range of the result where minmax-collect carries the state from row to row, as the interpreter does."""
    if wanted not in what:
        return
    with tempfile.TemporaryDirectory() as folder:
        path, name = f"{folder}/case.tflite", case.graph.tensors[case.graph.inputs[0]].name
        case.write(path)
        results = np.stack([result[0] for result in theirs(path, [[row] for row in rows])])
        np.stack(rows).tofile(f"{folder}/rows.bin")
        dims = ",".join(str(d) for d in rows[0].shape)
        done = subprocess.run([f"{build}/bin/minmax-collect", path, "--input", f"{name}={folder}/rows.bin:f32[{dims}]", "--stateful", "-o", f"{folder}/ranges.json"],
                              capture_output=True, text=True)
        found = json.load(open(f"{folder}/ranges.json"))["values"][case.graph.tensors[case.graph.outputs[0]].name] if done.returncode == 0 else {}
    far = max(abs(found.get(end, np.inf) - x) for end, x in (("min", results.min()), ("max", results.max()))) / np.abs(results).max()
    if not far <= 1e-6:
        failures.append(what)
    print(f"{'ok   ' if far <= 1e-6 else 'FAIL '} {what}: range apart by {far:.1e} {done.stderr.strip()}", flush=True)
