"""Which operators of TFLite files run on the NPU: our Ethos-U targets beside Arm's Vela, operator by operator; called by tests/peers/peer.
usage: placed.py BUILD MODELS [PATTERN]   PATTERN: only cases whose label contains it; prints every one."""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from ai_edge_litert import schema_py_generated as schema
from ethosu.vela import vela

from apart import apart_all, each
from operator_cases import FAMILIES, I8, I16, U8
from placed_cases import NETS, boundaries

build, models = sys.argv[1:3]
pattern = sys.argv[3] if len(sys.argv) > 3 else ""
folder = tempfile.mkdtemp()
TARGETS = ("ethos-u55-128", "ethos-u85-256")

# Label (from its start) and target, or "*": why we differ. A line that no longer differs fails the test.
EXPLAINED = {
    ("SQUARE ", "*"): "ours is a product, which the NPU runs",
    ("SOFTMAX ", "*"): "a beta that is not 1 is a product of ours before it, with real numbers between them",
    ("SPACE_TO_", "*"): "ours are Reshape and Transpose, which the NPU runs",
    ("edge SPACE_TO_", "*"): "ours are Reshape and Transpose, which the NPU runs",
    ("DEPTH_TO_SPACE", "*"): "ours are Reshape and Transpose, which the NPU runs",
    ("BATCH_TO_SPACE", "*"): "ours are Reshape and Transpose, which the NPU runs",
    ("REVERSE_V2", "ethos-u85-256"): "ours is a Slice that runs backwards, which stands for more than it",
    ("MIRROR_PAD 1", "*"): "symmetric padding is Gather and Concat of ours",
    ("BATCH_MATMUL constant [4, 6]", "ethos-u55-128"): "a product with a constant matrix is FULLY_CONNECTED when we write it, which takes more types",
    ("BATCH_MATMUL constant [2, 6, 4] [5, 6]", "ethos-u55-128"): "a product with a constant matrix is FULLY_CONNECTED when we write it, which takes more types",
    ("CAST to ", "ethos-u85-256"): "ours are QuantizeLinear, Cast and DequantizeLinear, each placed by itself, of which the NPU runs the Cast alone",
    ("SUM edge of nothing", "*"): "Vela gives the NPU a sum over an axis without elements, ours no operator with an empty dimension",
    ("FLOOR_MOD", "ethos-u85-256"): "Vela leaves it to the CPU, too, under another name of its result",
    ("net of segmentation", "ethos-u55-128"): "the int32 of its result is a Cast of ours, behind the ArgMax, which the NPU runs",
    ("edge ARG_MAX 127", "ethos-u55-128"): "the int32 of its result is a Cast of ours",
}


def results_of(graph, operator):
    """Names of an operator's results; some files have tensors without one."""
    return [graph.tensors[i].name.decode() for i in operator.outputs if graph.tensors[i].name]


def compiled(path, target):
    vela.main([path, "--accelerator-config", target, "--output-dir", f"{folder}/{target}"])


def theirs(path, target):
    """-> names of the tensors that the CPU computes."""
    stem = os.path.basename(path).rsplit(".", 1)[0]
    with open(f"{folder}/{target}/{stem}_vela.tflite", "rb") as file:
        model = schema.ModelT.InitFromPackedBuf(file.read(), 0)
    names = set()
    for graph in model.subgraphs:
        for operator in graph.operators:
            code = model.operatorCodes[operator.opcodeIndex]
            if code.customCode != b"ethos-u":
                names |= set(results_of(graph, operator))
    return names


def ours(path, target):
    """-> device of each tensor that a node computes, and the reasons; changes of encoding are not nodes that are placed."""
    done = subprocess.run([f"{build}/bin/place", path, "--target", target, "-v", "-f", "text", "-o", "-", "--heuristic", "QualifyingOps", "--as", "float"], capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    devices = {}
    for line in done.stdout.splitlines():
        device = re.search(r'[ {]device = "([^"]*)"', line)
        if device and '= "quern.Recode"' not in line:
            for quoted, bare in re.findall(r'%(?:"((?:[^"\\]|\\.)*)"|([\w.$-]+))', line.split('= "')[0]):
                devices[quoted or bare] = device[1]
    return devices, done.stderr


def operators(path):
    """Each operator of a TFLite file with the names of its results."""
    with open(path, "rb") as file:
        model = schema.ModelT.InitFromPackedBuf(file.read(), 0)
    kinds = {value: name for name, value in vars(schema.BuiltinOperator).items()}
    for graph in model.subgraphs:
        for operator in graph.operators:
            code = model.operatorCodes[operator.opcodeIndex]
            yield kinds[max(code.builtinCode, code.deprecatedBuiltinCode)], results_of(graph, operator)


def compare_all(jobs):
    """Of some; those that Vela compiles in one process."""
    made = apart_all(compiled, [job[1:] for job in jobs], together=len(jobs))
    return [(*job[::2], 0, [("Vela fails", None, "")]) if isinstance(what, Exception) else compare(*job) for job, what in zip(jobs, made)]


def owners(made, names):
    """-> the result of the file to which each tensor of ours belongs: its own name, or the longest that it goes on from."""
    found = {}
    for name in made:
        parts = name.split("/")
        ways = ["/".join(parts[:i]) for i in range(len(parts), 0, -1)]
        if own := next((way for way in ways if way in names), None):
            found[name] = own
    return found


def compare(label, path, target):
    cpu = theirs(path, target)
    try:
        mine, reasons = ours(path, target)
    except RuntimeError as problem:
        return label, target, 0, [("place fails", None, str(problem))]
    wrong, count = [], 0
    made_by = owners(mine, {name for _, results in operators(path) for name in results})
    for kind, results in operators(path):
        devices = [mine[made] for made, name in made_by.items() if name in results]
        if not devices:
            continue  # a change of encoding, or a view of another value
        count += 1
        here = "cpu" in devices
        there = any(name in cpu for name in results)
        if here != there:
            wrong.append((f"{kind} {results[0]}", there, reasons))
    return label, target, count, wrong


def exported():
    """Exported nets in 8 and 16 bits, as `place` and `quantize` write them for Vela, without open dims."""
    nets = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models", "exports")
    for path in sorted(glob.glob(f"{nets}/keras/*.i8.tflite") + glob.glob(f"{nets}/keras/*.i16.tflite") + glob.glob(f"{nets}/torch/*.onnx")):
        label = f"{path.split('/')[-2]} {os.path.basename(path).rsplit('.', 1)[0]}"
        if pattern in label and (made := written(path, f"{folder}/{label.replace(' ', '_')}.tflite")):
            yield label, made


def written(path, to):
    """-> a file for Vela; None: TFLite cannot say the model in codes, which the tests of its writer name."""
    ways = [["place", path, "--target", TARGETS[0], "-o", to]]
    if path.endswith(".onnx"):
        ways = [["minmax-collect", path, "--random", "1", "--rows", "2", "-o", f"{to}.json"],
                ["quantize", path, "--ranges", f"{to}.json", "--target", TARGETS[0], "-o", to]]
    for tool, *words in ways:
        done = subprocess.run([f"{build}/bin/{tool}", *words], capture_output=True, text=True, errors="replace")
        if done.returncode:
            print(f"      {os.path.basename(path)} is not written: {[line for line in done.stderr.splitlines() if line.startswith(tool)][-1][:200]}")
            return None
    return to


def jobs():
    yield from exported()
    for name, net in NETS.items():
        net().write(f"{folder}/{name}.tflite")
        yield f"net of {name}", f"{folder}/{name}.tflite"
    for path in sorted(glob.glob(f"{models}/tflite/*int8*.tflite") + glob.glob(f"{models}/tflite/*uint8.tflite") + glob.glob(f"{models}/tflite/seanet_int16/*/*.tflite")):
        yield os.path.basename(path).split(".")[0], path
    number = 0
    for t in (I8, U8, I16):
        for family in FAMILIES + (boundaries,):
            for label, case in family(t):
                path = f"{folder}/case{number}.tflite"
                case.write(path)
                number += 1
                yield f"{label} {t.__name__}", path


def parts():
    """Jobs that share a process: nets have one of their own."""
    nets, cases = [], []
    for label, path in jobs():
        if pattern in label:
            (cases if os.path.basename(path).startswith("case") else nets).extend((label, path, target) for target in TARGETS)
    return [[job] for job in nets] + [cases[i:i + 32] for i in range(0, len(cases), 32)]


results = [result for part in each(compare_all, parts()) for result in part]
counts, broken, failures, used = collections.Counter(), collections.Counter(), [], set()
for label, target, count, wrong in results:
    counts[target] += count
    for kind, there, reasons in wrong:
        if there is None and kind == "Vela fails":
            counts["Vela fails"] += 1
            broken[label.replace("edge ", "").split()[0]] += 1
            if pattern:
                print(f"fails {label}, {target}: in Vela")
            continue
        reason = next((key for text in (label, kind) for key in EXPLAINED if text.startswith(key[0]) and key[1] in ("*", target)), None)
        used.add(reason)
        if reason:
            counts["explained"] += 1
            if pattern:
                print(f"      {label}, {target}: {kind} differs{' (CPU there)' if there else ''}, which is explained")
            continue
        failures.append((label, target))
        where = "fails" if there is None else "CPU there, NPU here" if there else "NPU there, CPU here"
        print(f"FAIL  {label}, {target}: {kind}: {where}: {' '.join(reasons.split())[-260:]}")
    if pattern and not wrong:
        print(f"ok    {label}, {target}: {count} operators")
if not pattern:
    for key in EXPLAINED.keys() - used:
        failures.append(key)
        print(f"FAIL  {key}: explained, but does not differ")
print(f"Vela ends with an error on cases of {', '.join(f'{name} ({count})' for name, count in broken.items())}")
print(f"placed: {dict(counts)}; {len(failures)} differ")
sys.exit(1 if failures else 0)
