"""Every calibration method for every type with measured ranges, on labelled models; called by tests/slow/methods. The table is docs/generated/methods.md.

SQNR of the outputs against float, in dB, of a run with rounded numbers (fake), which keeps within some tenths of a run on codes and takes a hundredth of its
time. `auto` is half a decibel below `min-max` at most. Of the others a method that breaks down is 20 dB below; averages of extremes cut the
extremes off by their nature, and percentiles do on 16 bits, whose grid is finer than that.
"""
import json
import os
import subprocess
import sys

import numpy as np

from labelled_rows import array_file, build, labelled_tasks, tool, workspace, write_table

digits, models, page, rebase = sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:] == ["--rebase"]
METHODS = ["min-max", "auto", "moving-average", "percentile", "run-percentile", "mse", "sqnr", "optimal", "tf-enhanced", "entropy"]
TYPES = ["i8", "u8i8", "w8a16"]
BELOW_AUTO, BELOW_ELSE = 0.5, 8  # dB below min-max
UNBOUND = {"moving-average"}
CUT_16 = {"percentile"}
ROWS = 150  # of the test rows, at most: of few, one sample decides
failures = []


def sqnr(model, quantized, samples, rows):
    done = subprocess.run([f"{build}/bin/model-diff", model, quantized, "--input", samples, "--rows", str(rows), "--outputs-only", "--first-mode", "float",
                           "--second-mode", "fake", "--json", "-q"], check=True, stdout=subprocess.PIPE)
    return min(value["sqnr"] for value in json.loads(done.stdout)["values"])


def table(name, model, calibration, samples, rows):
    ranges, quantized = f"{workspace.name}/ranges.json", f"{workspace.name}/quantized.qn"
    tool("minmax-collect", model, "--input", calibration, "--keep-runs", "-o", ranges, "-q")
    for kind in TYPES:
        found = {}
        for method in METHODS:
            tool("quantize", model, "--ranges", ranges, "--type", kind, "--method", method, "-q", "-o", quantized)
            found[method] = sqnr(model, quantized, samples, rows)
        for method, db in found.items():
            if method in UNBOUND or (kind == "w8a16" and method in CUT_16):
                continue
            allowed = BELOW_AUTO if method == "auto" else BELOW_ELSE
            if db < found["min-max"] - allowed:
                failures.append(f"{name} {kind} {method}: {db:.1f} dB, min-max {found['min-max']:.1f}")
        yield f"| {name} | {kind} | " + " | ".join(f"{found[method]:.1f}" for method in METHODS) + " |"


def nets():
    for task in labelled_tasks(digits, models):
        yield task.name, task.model, task.files["calibration"], task.files["test"], min(ROWS, len(task.test))
    vww = f"{models}/tflite/vww01_mobilenetv1_025_float32.tflite"
    if os.path.exists(vww):
        rows = np.fromfile(f"{models}/data/vww01/images_u8.bin", np.uint8).reshape(-1, 1, 96, 96, 3).astype(np.float32) / np.float32(255)
        yield "vww01_mobilenetv1", vww, f"input_1={array_file('vww_calibration', rows[0::2])}", f"input_1={array_file('vww_test', rows[1::2])}", min(ROWS, len(rows[1::2]))


lines = []
for net in nets():
    for line in table(*net):
        lines.append(line)
        print(line, flush=True)
if rebase:
    write_table(page, ["net", "type", *(f">{method}" for method in METHODS)], lines)
print("methods: " + ("all within their bounds" if not failures else "failed: " + "; ".join(failures)))
sys.exit(1 if failures else 0)
