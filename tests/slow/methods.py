"""Every calibration method for every type with measured ranges, on labelled models; called by tests/slow/methods. The table is docs/generated/methods.md.

SQNR of the outputs against float, in dB, of a run with rounded numbers (fake), which keeps within some tenths of a run on codes and takes a hundredth of its
time. "by samples" is what quantize takes with the calibration rows themselves: it is nowhere below `min-max`. `auto`, which sees ranges alone, is 3 dB below at most. Of the others a method that breaks down is 20 dB below; averages of extremes cut the
extremes off by their nature, and percentiles do on 16 bits, whose grid is finer than that.
"""
import json
import os
import subprocess
import sys

import numpy as np

from labelled_rows import array_file, build, kept_lines, labelled_tasks, tool, workspace, write_table

digits, models, page, asked = *sys.argv[2:5], sys.argv[5:]
rebase, trained = "--rebase" in asked, "--trained" in asked
only = asked[asked.index("--only") + 1].split(",") if "--only" in asked else None
METHODS = ["min-max", "auto", "moving-average", "percentile", "run-percentile", "mse", "sqnr", "optimal", "tf-enhanced", "entropy"]
TYPES = ["i8", "u8i8", "w8a16"]
TRAINED_TYPES, TRAINED_ROWS, TRAINED_TESTS = ["i8", "w8a16"], 16, 48  # of 16 test rows, what a net makes of two decides
SEARCHED = "by samples"
BELOW_SEARCHED, BELOW_AUTO, BELOW_ELSE = 0.05, 3, 12  # dB below min-max
UNBOUND = {"moving-average"}
CUT_16 = {"percentile"}
ROWS = 150  # of the test rows, at most: of few, one sample decides
failures = []


def sqnr(model, quantized, samples, rows):
    done = subprocess.run([f"{build}/bin/model-diff", model, quantized, "--input", samples, "--rows", str(rows), "--outputs-only", "--first-mode", "float",
                           "--second-mode", "fake", "--json", "-q"], check=True, stdout=subprocess.PIPE)
    return min(value["sqnr"] for value in json.loads(done.stdout)["values"])


def table(name, model, calibration, samples, rows, types):
    ranges, quantized = f"{workspace.name}/ranges.json", f"{workspace.name}/quantized.qn"
    tool("minmax-collect", model, "--input", calibration, "--keep-runs", "-o", ranges, "-q")
    for kind in types:
        found = {}
        for method, asked in [(method, ["--method", method]) for method in METHODS] + [(SEARCHED, ["--input", calibration])]:
            tool("quantize", model, "--ranges", ranges, "--type", kind, *asked, "-q", "-o", quantized)
            found[method] = sqnr(model, quantized, samples, rows)
        for method, db in found.items():
            if method in UNBOUND or (kind == "w8a16" and method in CUT_16):
                continue
            allowed = {SEARCHED: BELOW_SEARCHED, "auto": BELOW_AUTO}.get(method, BELOW_ELSE)
            if db < found["min-max"] - allowed:
                failures.append(f"{name} {kind} {method}: {db:.1f} dB, min-max {found['min-max']:.1f}")
        yield f"| {name} | {kind} | " + " | ".join(f"{found[method]:.1f}" for method in [*METHODS, SEARCHED]) + " |"


def nets():
    for task in labelled_tasks(digits, models):
        yield task.name, task.model, task.files["calibration"], task.files["test"], min(ROWS, len(task.test)), TYPES
    vww = f"{models}/tflite/vww01_mobilenetv1_025_float32.tflite"
    if os.path.exists(vww):
        rows = np.fromfile(f"{models}/data/vww01/images_u8.bin", np.uint8).reshape(-1, 1, 96, 96, 3).astype(np.float32) / np.float32(255)
        yield "vww01_mobilenetv1", vww, f"input_1={array_file('vww_calibration', rows[0::2])}", f"input_1={array_file('vww_test', rows[1::2])}", min(ROWS, len(rows[1::2])), TYPES


def trained_nets():
    """Nets of packages and rows that are made for them, as tests/slow/pretrained has them."""
    from pretrained_nets import NETS, package_of, prepared, source_of
    for net in NETS:
        if only and net.name not in only:
            continue
        model = f"{workspace.name}/{net.name}.onnx"
        prepared(net, source_of(net, package_of(net, build, workspace.name)), model)
        name = json.loads(subprocess.run([f"{build}/bin/model-info", "--json", model], check=True, stdout=subprocess.PIPE).stdout)["inputs"][0]["name"]
        files = {what: array_file(f"{net.name}_{what}", net.samples(count, np.random.default_rng(seed))[0][:, 0])
                 for what, count, seed in (("calibration", TRAINED_ROWS, 1), ("test", TRAINED_TESTS, 2))}
        yield net.name, model, f"{name}={files['calibration']}", f"{name}={files['test']}", TRAINED_TESTS, TRAINED_TYPES


lines = []
for net in [*(net for net in nets() if not only or net[0] in only), *(trained_nets() if trained else [])]:
    for line in table(*net):
        lines.append(line)
        print(line, flush=True)
if rebase:
    known = {line.split()[1] for line in lines}
    write_table(page, ["net", "type", *(f">{method}" for method in [*METHODS, SEARCHED])], lines + kept_lines(page, known))
print("methods: " + ("all within their bounds" if not failures else "failed: " + "; ".join(failures)))
sys.exit(1 if failures else 0)
