"""Single operators of TFLite read and written again: the operator is what it was, a second time gives the same bytes, and LiteRT's reference kernels
compute the same codes; called by tests/peers/peer. Two models of each operator and type.
usage: again.py BUILD MODELS [PATTERN]   PATTERN: only labels that contain it"""
import collections
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from ai_edge_litert import schema_py_generated as schema

from operator_cases import FAMILIES, I8, I16, LEFT_OUT, U8
from operators import litert, rows_of, theirs
from tflite_builder import Case

build = sys.argv[1]
pattern = sys.argv[3] if len(sys.argv) > 3 else ""
CODES = {number: name for name, number in vars(schema.BuiltinOperator).items() if not name.startswith("_")}

# The operator that stands for another: it says the same, and more runtimes have it.
SAME = {"SELECT": "SELECT_V2", "SLICE": "STRIDED_SLICE", "REVERSE_V2": "STRIDED_SLICE", "SQUARE": "MUL", "BATCH_MATMUL": "FULLY_CONNECTED"}
# What grows, and why. What stands between DEQUANTIZE and QUANTIZE as LiteRT has no kernel for it is no growth: the tool says so, see without_islands().
GROWS = {
    "LSTM": "one step of a sequence", "RNN": "one step of a sequence",
    "BIDIRECTIONAL_SEQUENCE_LSTM": "two sequences", "BIDIRECTIONAL_SEQUENCE_RNN": "two sequences",
    "RELU_0_TO_1": "its kernel does not take 16 bits", "DEPTH_TO_SPACE": "its kernel does not take 16 bits", "SPACE_TO_DEPTH": "its kernel does not take 16 bits",
    "L2_NORMALIZATION": "its kernel does not take 16 bits", "L2_POOL_2D": "its kernel takes no codes", "RSQRT": "its kernel does not take uint8",
    "SQUARED_DIFFERENCE": "its kernel does not take uint8", "FLOOR_DIV": "its kernel computes with the codes as if they were numbers",
    "FLOOR_MOD": "its kernel computes with the codes as if they were numbers", "BATCH_MATMUL": "a constant matrix is turned",
}
# What one model, by its label, is written as, and why.
WRITTEN_AS = {
    "TRANSPOSE_CONV edge act 1": (("TRANSPOSE_CONV", "RELU"), "only its fourth version has an activation"),
    "TRANSPOSE_CONV edge act 3": (("TRANSPOSE_CONV", "RELU6"), "only its fourth version has an activation"),
}
# LiteRT has other results of the source: its kernel copies the codes of int16 whatever their scales are.
OTHER_RESULTS = {
    "CONCATENATION edge int16": ("QUANTIZE", "QUANTIZE", "CONCATENATION"),
}
REFUSED = {"CAST": "codes to codes", "FLOOR_MOD": "codes"}


def operators(path):
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(open(path, "rb").read(), 0))
    codes = [CODES[max(code.builtinCode, code.deprecatedBuiltinCode)] for code in model.operatorCodes]
    return [codes[op.opcodeIndex] for graph in model.subgraphs for op in graph.operators]


def convert(source, target):
    done = subprocess.run([f"{build}/bin/model-convert", source, "-o", target], capture_output=True, text=True)
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or [f"ends with {done.returncode}"])[0], done.stderr


def without_islands(after, said):
    """What stands between DEQUANTIZE and QUANTIZE is itself where the tool has said that it is written so."""
    named = re.findall(r"\((\w+)\)", said) if "written between DEQUANTIZE and QUANTIZE" in said else []
    return [op for op in after if op not in ("DEQUANTIZE", "QUANTIZE")] if any(op in after for op in named) else after


def converted(label, folder):
    """-> what is wrong with it, or None; whether LiteRT should refuse the source, as the written model grew for that alone"""
    name, source, first, second = label.split()[0], *(f"{folder}/{what}.tflite" for what in ("case", "first", "second"))
    problem, said = convert(source, first)
    if problem:
        return None if name in REFUSED and "exit" not in problem else problem, False
    problem, _ = convert(first, second)
    if problem:
        return "second: " + problem, False
    if open(first, "rb").read() != open(second, "rb").read():
        return "other bytes the second time", False
    before, after = operators(source), operators(first)
    if not after and name == "ZEROS_LIKE":  # a constant
        return None, False
    for ops, refused in ((after, False), (without_islands(after, said), True)):
        if ops == before or ops == [SAME.get(op) for op in before]:
            return None, refused
    if name in GROWS or tuple(after) in (WRITTEN_AS.get(label.rsplit(" ", 1)[0], (None,))[0], OTHER_RESULTS.get(label)):
        return None, False
    return f"{' '.join(before)} is written as {' '.join(after)}", False


def compared(label, case, folder, should_refuse):
    if label.split()[0] in LEFT_OUT or label in OTHER_RESULTS:
        return None
    row = rows_of(case, 1)
    for which in ("case", "first"):
        if not os.path.exists(f"{folder}/{which}.tflite"):
            return None
        problem = theirs(litert, f"{folder}/{which}.tflite", row, f"{folder}/{which}.npz")
        if problem and which == "case":
            if not should_refuse:
                return None
        elif problem:
            return "LiteRT: " + problem
        elif which == "case" and should_refuse:
            return "LiteRT runs it as it was"
    if should_refuse:
        return None
    before, after = (np.load(f"{folder}/{which}.npz") for which in ("case", "first"))
    for key in before.files:
        a, b = before[key].astype(np.float64), after[key].astype(np.float64)
        far = np.abs(a - b).max() / (max(np.abs(a).max(), 1e-30) if before[key].dtype == np.float32 else 1)
        if far > (2e-6 if before[key].dtype == np.float32 else 0):
            return f"LiteRT has other results: {far:.1e}"
    return None


def custom(folder):
    """A custom operator goes to Circle and comes back."""
    os.mkdir(f"{folder}/custom")
    source, circle, back = (f"{folder}/custom/{name}" for name in ("source.tflite", "there.circle", "back.tflite"))
    Case("Mine").fed(np.float32, [2, 3]).output(np.float32, [2, 3]).write(source)
    problem = convert(source, circle)[0] or convert(circle, back)[0]
    return problem or (None if operators(back) == ["CUSTOM"] else "custom: " + " ".join(operators(back)))


def chosen():
    """The first and the last model of each operator and type."""
    groups = collections.defaultdict(list)
    for dtype in (I8, U8, I16):
        for family in FAMILIES:
            for label, case in family(dtype):
                # No runtime has these; tests/text/tflite/kernels.t: they are refused.
                if (dtype, " ".join(label.split()[:3])) in ((U8, "QUANTIZE to int32"), (I16, "QUANTIZE to uint8")):
                    continue
                groups[label.split()[0], dtype].append((f"{label} {dtype.__name__}", case))
    for cases in groups.values():
        yield from [c for c in cases if pattern in c[0]] if pattern else cases[:1] + cases[1:][-1:]


def main():
    cases = list(chosen())
    with tempfile.TemporaryDirectory() as folder:
        places = [f"{folder}/{i}" for i in range(len(cases))]
        for place, (_, case) in zip(places, cases):
            os.mkdir(place)
            case.write(f"{place}/case.tflite")
        with ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(lambda job: converted(job[1][0], job[0]), zip(places, cases)))
        problems = [problem or compared(*case, place, refused) for (problem, refused), case, place in zip(outcomes, cases, places)]
        cases.append(("CUSTOM to circle", None))
        problems.append(custom(folder))
    for (label, _), problem in zip(cases, problems):
        if problem:
            print(f"FAIL  {label}: {problem}")
    bad = sum(problem is not None for problem in problems)
    print(f"again: {len(cases) - bad} of {len(cases)} models stay what they were")
    sys.exit(1 if bad or not cases else 0)


main()
