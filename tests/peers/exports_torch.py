"""Nets as torch.onnx exports them (tests/models/exports/torch, made by make_torch.py) beside their goldens and onnxruntime; called by tests/peers/peer.

Each file loads and computes what torch did; written and read again it is the same bytes and computes the same in onnxruntime. Of each net one file is
quantized to every type, the other to i8 and u8i8: onnxruntime loads and runs the product as it is written by default, results are near those of
`run --mode int`, and the product is the same bytes when it is written again.
"""
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import onnx

from checks import check, finish, tool, write_list
from ort_session import session

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models", "exports", "torch")
TYPES = ("i8", "i8-sym", "u8-asym", "u8i8", "w8a16", "w8u16", "i16-sym", "dynamic-i8", "wo-i8-sym", "wo-i16-sym", "wo-i4", "f16", "bf16")
FEW = ("i8", "u8i8")
NEAR = 1e-4  # of the largest number of an output
wanted = sys.argv[3] if len(sys.argv) > 3 else ""

# onnxruntime rounds activations of weight-only MatMuls by itself (its accuracy level 4), and sums dynamic products in another order.
LOOSE = {"wo-i4": 12, "wo-i8-sym": 20, "dynamic-i8": 20}
LEAST_DB = 25  # between onnxruntime's results of a product and ours: where codes are one apart, later layers carry it on


def peer(path, feed):
    return session(path).run(None, feed)


def quern(path, feed, folder, *args):
    tool("run", path, "--input-list", write_list(folder, [feed]), "-o", f"{folder}/out.npz", "--format", "npz", "-q", *args)
    made = {key.split("/", 1)[1]: value for key, value in np.load(f"{folder}/out.npz").items()}
    return [made[o.name] for o in onnx.load(path).graph.output]


def far(got, want):
    """The largest distance of two lists of arrays, as a share of the largest number."""
    most = 0.0
    for a, b in zip(got, want, strict=True):
        if a.shape != b.shape:
            return float("inf")
        a, b = a.astype(np.float64), b.astype(np.float64)
        if b.size:
            most = max(most, float(np.max(np.abs(a - b))) / max(float(np.max(np.abs(b))), 1e-6))
    return most


def decibels(got, want):
    """Least signal over noise of the outputs with numbers; 0 where shapes differ, infinite where all are equal."""
    least = float("inf")
    for a, b in zip(got, want, strict=True):
        if a.shape != b.shape or not np.isfinite(a.astype(np.float64)).all():
            return 0.0
        a, b = a.astype(np.float64), b.astype(np.float64)
        if (a != b).any():
            least = min(least, 10 * np.log10(max(float((b**2).sum()), 1e-30) / float(((a - b) ** 2).sum())))
    return least


def same_bytes(a, b):
    with open(a, "rb") as first, open(b, "rb") as second:
        return first.read() == second.read()


def as_float(path, feed, golden, folder, lines):
    ours = quern(path, feed, folder)
    lines.append((far(ours, golden) <= NEAR, f"{far(ours, golden):.1e} from torch"))
    lines.append((far(ours, peer(path, feed)) <= NEAR, "as onnxruntime"))
    tool("model-convert", path, "-o", f"{folder}/a.onnx")
    tool("model-convert", f"{folder}/a.onnx", "-o", f"{folder}/b.onnx")
    lines.append((same_bytes(f"{folder}/a.onnx", f"{folder}/b.onnx"), "written again the same"))
    there = far(peer(f"{folder}/a.onnx", feed), golden)
    lines.append((there <= NEAR, f"written, in onnxruntime {there:.1e} from torch"))


def as_codes(path, feed, kind, folder, lines):
    product = f"{folder}/q.onnx"
    tool("quantize", path, "--ranges", f"{folder}/ranges.json", "--type", kind, "-o", product, "-q")
    ours = quern(product, feed, folder, "--mode", "int")
    db = decibels(peer(product, feed), ours)
    lines.append((db >= LOOSE.get(kind, LEAST_DB), f"{kind}: {db:.1f} dB beside onnxruntime"))
    tool("model-convert", product, "-o", f"{folder}/a.onnx")
    tool("model-convert", f"{folder}/a.onnx", "-o", f"{folder}/b.onnx")
    lines.append((same_bytes(f"{folder}/a.onnx", f"{folder}/b.onnx"), f"{kind}: written again the same"))


def attempt(lines, what, part, *args):
    try:
        part(*args, lines)
    except Exception as error:  # of a tool or onnxruntime: what is wrong, not a reason to stop
        lines.append((False, f"{what}: {str(error).splitlines()[0][:200]}"))


def net(file):
    path, lines = os.path.join(FOLDER, file), []
    name, exporter = file.split(".")[:2]
    arrays = dict(np.load(os.path.join(FOLDER, name + ".npz")))
    golden = [arrays.pop(f"output_{i}") for i in range(sum(key.startswith("output_") for key in arrays))]
    names = {value.name for value in onnx.load(path).graph.input}
    feed = {key: value for key, value in arrays.items() if key in names}
    alone = exporter == "dynamo" or not os.path.exists(os.path.join(FOLDER, name + ".dynamo.onnx"))
    with tempfile.TemporaryDirectory() as folder:
        attempt(lines, "float", as_float, path, feed, golden, folder)
        try:
            tool("minmax-collect", path, "--input-list", f"{folder}/list.txt", "-o", f"{folder}/ranges.json", "-q")
        except RuntimeError as error:
            lines.append((False, f"collect: {error}"))
            return lines
        for kind in TYPES if alone else FEW:
            attempt(lines, kind, as_codes, path, feed, kind, folder)
    return lines


def main():
    files = sorted(file for file in os.listdir(FOLDER) if file.endswith(".onnx") and wanted in file)
    with ThreadPoolExecutor(2) as pool:
        for file, lines in zip(files, pool.map(net, files)):
            bad = [line for ok, line in lines if not ok]
            check(not bad, f"{file}: " + ("; ".join(bad) if bad else f"{len(lines)} checks"))
    finish("exports of torch")


main()
