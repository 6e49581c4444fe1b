"""Functions of torch in programs of torch.export (tests/models/exports/torch_functions, made by make_torch_functions.py) beside what torch computes;
called by tests/peers/peer. Each output is one function: floats within 1e-5 of the largest, all else equal.
"""
import os
import sys
import tempfile

import numpy as np

from checks import check, finish, tool

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models", "exports", "torch_functions")
CLOSE = 1e-5
wanted = sys.argv[3] if len(sys.argv) > 3 else ""


def difference(got, want):
    if (got.shape, got.dtype.kind) != (want.shape, want.dtype.kind):  # doubles are written as floats
        return f"{got.dtype} {got.shape}, want {want.dtype} {want.shape}"
    if want.dtype.kind != "f":
        return "" if np.array_equal(got, want) else f"{np.sum(got != want)} of {want.size} differ"
    finite = np.isfinite(want)
    if not np.array_equal(got[~finite], want[~finite], equal_nan=True):
        return f"{got.tolist()}, want {want.tolist()}"
    worst, largest = np.max(np.abs(got[finite] - want[finite]), initial=0), np.max(np.abs(want[finite]), initial=0)
    return "" if worst <= CLOSE * max(largest, 1e-30) else f"off by {worst:.3g} of {largest:.3g}"


def compare(path, arrays, folder):
    words = []
    for name in ("x", "y"):
        np.save(f"{folder}/{name}.npy", arrays[name])
        words += ["--input", f"{name}={folder}/{name}.npy"]
    tool("run", path, *words, "-o", f"{folder}/out.npz", "--format", "npz", "-q")
    made = {key.split("/", 1)[1]: value for key, value in np.load(f"{folder}/out.npz").items()}
    for key, want in arrays.items():
        if key.startswith("output "):
            name = key.removeprefix("output ")
            text = difference(made[name], want) if name in made else "is not there"
            check(not text, f"{os.path.basename(path)}: {name}" + (f": {text}" if text else ""))


def main():
    for file in sorted(file for file in os.listdir(FOLDER) if file.endswith(".pt2") and wanted in file):
        path = os.path.join(FOLDER, file)
        with tempfile.TemporaryDirectory() as folder:
            try:
                compare(path, dict(np.load(path.removesuffix("pt2") + "npz")), folder)
            except RuntimeError as error:
                check(False, f"{file}: {str(error).splitlines()[0]}")
    finish("functions of torch")


main()
