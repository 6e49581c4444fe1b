"""Every algorithm of quantize for several types, on labelled models; called by tests/slow/algorithms. The table is docs/generated/algorithms.md; with names of
nets after --rebase the lines of those alone are written anew.

Score in percent and SQNR of the outputs against float in dB, of runs with rounded numbers (fake). Fitted to even rows, measured on odd ones. No algorithm may
lower the SQNR by more than HARM; with 4-bit weights the best of each model must gain GAIN, unless none has anything to do.
"""
import json
import os
import subprocess
import sys
import time

import numpy as np

from labelled_rows import build, kept_lines, quantizer_tasks, quern, tool, workspace, write_table

digits, models, page, rebase, only = sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:6] == ["--rebase"], sys.argv[6:]
ALGORITHMS = ["", "cle", "smoothquant", "awq", "recalibrate", "analytic-bias-correction", "bias-correction",
              "seqmse", "gptq", "adaround", "gptq,bias-correction", "seqmse,adaround,bias-correction"]
TYPES = [["i8"], ["i8", "--per-tensor"], ["w4a16"]]
HARM, GAIN = 2.5, 2  # dB
ITERATIONS = {"magika_v3_3": 200, "kwt1_transformer": 200}  # of adaround, where weights are many
UNSUPPORTED = 4  # exit: the algorithm has nothing that it goes by, as BatchNormalization in the file
LONG = {"kwt1_transformer"}  # hours: measured where it is named
FEW = {"magika_v3_3"}  # 20 samples, each one row of the last layers: too few to fit to, nothing is asked of it
ROWS = 100  # of the test rows for the SQNR
failures = []


def sqnr(model, quantized, task):
    done = subprocess.run([f"{build}/bin/model-diff", model, quantized, "--input", task.files["test"], "--rows", str(min(ROWS, len(task.test))), "--outputs-only",
                           "--first-mode", "float", "--second-mode", "fake", "--json", "-q"], check=True, stdout=subprocess.PIPE)
    return min(value["sqnr"] for value in json.loads(done.stdout)["values"])


def score(task, model, *mode):
    return 100 * np.mean(quern(task, model, "-q", *mode).argmax(1) == task.labels)


def did_nothing(report):
    with open(report) as file:
        algorithms = json.load(file).get("algorithms", [])
    return not any(layer["changed"] for algorithm in algorithms for layer in algorithm["layers"])


def table(task):
    ranges, quantized, report = (f"{workspace.name}/{name}" for name in ("ranges.json", "quantized.qn", "report.json"))
    tool("minmax-collect", task.model, "--input", task.files["calibration"], "--keep-runs", "-o", ranges, "-q")
    plain = score(task, task.model, "--mode", "float")
    for kind in TYPES:
        found, cells = {}, []
        for algorithms in ALGORITHMS:
            # By a rule, of which nothing is taken back.
            asked = ["--set-global", f"{kind[0]},algorithms={algorithms.replace(',', '+')}", "--input", task.files["calibration"],
                     *(["--iterations", ITERATIONS.get(task.name, 1000)] if "adaround" in algorithms else [])] if algorithms else []
            begun = time.time()
            done = subprocess.run([str(part) for part in (f"{build}/bin/quantize", task.model, "--ranges", ranges, "--type", *kind, *asked, "--report", report, "-q",
                                                          "-o", quantized)], stderr=subprocess.PIPE)
            took = time.time() - begun
            if done.returncode not in (0, UNSUPPORTED):
                sys.exit(done.stderr.decode())
            if algorithms and (done.returncode == UNSUPPORTED or did_nothing(report)):
                cells.append("-")
                continue
            found[algorithms] = sqnr(task.model, quantized, task)
            cells.append(f"{score(task, quantized, '--mode', 'fake'):.1f} %, {found[algorithms]:.1f} dB")
            print(f"# {task.name} {' '.join(kind)} [{algorithms}] {found[algorithms]:.2f} dB, {took:.1f} s", file=sys.stderr, flush=True)
        for algorithms, db in found.items():
            if db < found[""] - HARM and task.name not in FEW:
                failures.append(f"{task.name} {' '.join(kind)} {algorithms}: {db:.1f} dB, without {found['']:.1f}")
        if kind == ["w4a16"] and task.name not in FEW and len(found) > 1 and max(found.values()) < found[""] + GAIN:
            failures.append(f"{task.name} {' '.join(kind)}: the best algorithm gives {max(found.values()):.1f} dB, none {found['']:.1f}")
        yield f"| {task.name} ({plain:.1f} %) | {' '.join(kind)} | " + " | ".join(cells) + " |"


measured = [task for task in quantizer_tasks(digits, models) if (task.name in only if only else task.name not in LONG)]
lines = kept_lines(page, only) if rebase and only else []
for task in measured:
    for line in table(task):
        lines.append(line)
        print(line, flush=True)
if rebase:
    write_table(page, ["net", "type", *(f">{name or 'none'}" for name in ALGORITHMS)], lines)
print("algorithms: " + ("all within their bounds" if not failures else "failed: " + "; ".join(failures)))
sys.exit(1 if failures else 0)
