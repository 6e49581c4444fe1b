"""Nets that exporters made, small ones with random weights (tests/models/exports); called by tests/peers/exported.

Each is run, which gives its golden; its ranges are collected; it is written as TFLite and read again, which gives the same bytes and no more
operators than it had; and it is quantized: what the product's runtime computes is what `run` does.
"""
import array
import json
import os
import subprocess
import sys
import tempfile

build, exports = sys.argv[1:3]
wanted = sys.argv[3] if len(sys.argv) > 3 else ""
sys.path.insert(0, exports)
from apart import Ended, apart, each
from inputs import numbers, picked

try:
    import numpy as np
    from ai_edge_litert import schema_py_generated as schema
    from ai_edge_litert.interpreter import Interpreter

    from operators import loaded
except ImportError:
    Interpreter = None

TYPES = ("i8", "w8a16", "dynamic-i8")


class Problem(Exception):
    pass


def tool(name, *args):
    done = subprocess.run([f"{build}/bin/{name}", *map(str, args)], capture_output=True, text=True)
    if done.returncode:
        raise Problem(f"exit {done.returncode}: " + (done.stderr.strip().splitlines() or [name])[0])
    return done.stdout


def info(path):
    return json.loads(tool("model-info", path, "--json"))


def results(path, x, folder, mode, *args):
    """The first output as numbers of its own type, and as `run` writes them."""
    about = info(path)
    with open(f"{folder}/x.raw", "wb") as file:
        file.write(bytes(x))
    tool("run", path, "--input", f"{about['inputs'][0]['name']}={folder}/x.raw", "-o", f"{folder}/out", "--mode", mode, *args)
    (name,) = os.listdir(f"{folder}/out/Result_0")
    with open(f"{folder}/out/Result_0/{name}", "rb") as file:
        return file.read()


def distance(got, want):
    most = max(max(map(abs, want)), 1e-30)
    return max(abs(a - b) for a, b in zip(got, want)) / most if len(got) == len(want) else float("inf")


def operators(path):
    model = schema.Model.GetRootAs(open(path, "rb").read(), 0)
    return sum(model.Subgraphs(i).OperatorsLength() for i in range(model.SubgraphsLength()))


def written(path, folder):
    first, second = f"{folder}/first.tflite", f"{folder}/second.tflite"
    tool("model-convert", path, "-o", first)
    tool("model-convert", first, "-o", second)
    if open(first, "rb").read() != open(second, "rb").read():
        raise Problem("read again: other bytes")
    if Interpreter and path.endswith(".tflite") and operators(first) > operators(path):
        raise Problem(f"{operators(path)} operators, {operators(first)} written")
    return first


def litert_here(path, x, seed):
    it = loaded(path, (ValueError, RuntimeError))
    detail = it.get_input_details()[0]
    if detail["dtype"] in (np.int8, np.uint8, np.int16):
        limits = np.iinfo(detail["dtype"])
        x = np.random.default_rng(seed).integers(limits.min, limits.max + 1, detail["shape"]).astype(detail["dtype"])
    else:
        x = np.frombuffer(x, detail["dtype"]).reshape(detail["shape"])
    it.set_tensor(detail["index"], x)
    it.invoke()
    return x, it.get_tensor(it.get_output_details()[0]["index"])


def litert(path, x, seed):
    """What is fed (random codes where the input is in codes) and the first output."""
    try:
        return apart(litert_here, path, x, seed)
    except (Ended, RuntimeError) as problem:
        raise Problem(f"LiteRT: {problem}") from None


def product(path, x, folder, near, what):
    """A product beside LiteRT: codes are equal."""
    x, want = litert(path, x, 3)
    got = np.frombuffer(results(path, x.tobytes(), folder, "int", "--native-io", "--arithmetic", "tflite"), want.dtype)
    if want.dtype == np.float32:
        far = distance(got.tolist(), want.ravel().tolist())
        if far > near:
            raise Problem(f"{what}: LiteRT has {far:.1e} others")
    else:  # operators that stay float round at ties now and then
        steps = np.abs(got.astype(int) - want.ravel())
        if steps.max() > 1:
            raise Problem(f"{what}: {100 * np.mean(steps == 0):.1f} % of codes equal, greatest difference {steps.max()}")


def case(net):
    """-> what is wrong, and notes"""
    path, golden = net
    form = os.path.basename(path).split(".")[1]
    notes = []
    x = numbers(golden["shape"], golden["seed"], golden["spread"]).tobytes()
    coded = form in ("i8", "i16")
    with tempfile.TemporaryDirectory() as folder:
        try:
            got = array.array("f", results(path, x, folder, "int" if coded or form == "dr" else "float"))
            far = distance(picked(got), golden["outputs"][0])
            if far > (1e-6 if coded else 1e-2 if form == "dr" else 1e-4):
                raise Problem(f"{far:.1e} from its golden")
            first = written(path, folder)
            if Interpreter:
                source = f"{folder}/source.tflite"
                os.symlink(os.path.abspath(path), source)
                before, after = (litert(p, x, 5)[1].ravel().tolist() for p in (source, first))
                if distance(after, before) > (0 if coded else 2e-6):
                    raise Problem(f"written: LiteRT has {distance(after, before):.1e} others")
            if form != "float":
                return None, notes
            tool("minmax-collect", path, "--random", 1, "--rows", 2, "-o", f"{folder}/ranges.json")
            for kind in TYPES:
                ranges = [] if kind.startswith("dynamic") else ["--ranges", f"{folder}/ranges.json"]
                try:
                    tool("quantize", path, *ranges, "--type", kind, "-o", f"{folder}/q.tflite")
                except Problem as problem:
                    if not str(problem).startswith("exit 4"):
                        raise
                    notes.append(f"{kind} is refused: {problem}")
                    continue
                if Interpreter:
                    product(f"{folder}/q.tflite", x, folder, 1e-2, kind)
        except Problem as problem:
            return str(problem), notes
    return None, notes


def main():
    cases = []
    with open(f"{exports}/keras/goldens.json") as file:
        for name, golden in json.load(file).items():
            if wanted in name:
                cases.append((f"{exports}/keras/{name}", golden))
    bad = 0
    for (path, _), (problem, notes) in zip(cases, each(case, cases)):
        bad += problem is not None
        print(("FAIL  " if problem else "ok    ") + os.path.basename(path) + (f": {problem}" if problem else ""))
        for note in notes:
            print(f"note  {os.path.basename(path)}: {note}")
    print(f"exports: {len(cases) - bad} of {len(cases)} nets")
    sys.exit(1 if bad or not cases else 0)


main()
