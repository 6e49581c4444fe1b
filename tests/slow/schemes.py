"""Every scheme of quantize on every labelled model, by default and with the best algorithm; called by tests/slow/schemes. The table is docs/generated/schemes.md.

Ranges and algorithms are fitted to even rows; the algorithm is the one of the highest SQNR on these; score, agreement and SQNR against the float model are of odd
ones. POINTS: what a scheme may lose of the score, with 4-bit weights by its algorithm; one row of few is allowed where it is more.
"""
import json
import os
import subprocess
import sys

from labelled_rows import build, quantizer_tasks, table_lines, tool, workspace, write_table

digits, models, page, rebase, only = sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:6] == ["--rebase"], sys.argv[6:]
SCHEMES = {  # points of the score that it may lose, its algorithms
    "i8": (0.5, ["cle", "bias-correction", "gptq,bias-correction"]),
    "i8 --per-tensor": (None, ["cle", "bias-correction", "gptq,bias-correction", "adaround"]),
    "i8-sym": (0.5, ["bias-correction"]),
    "u8i8": (0.5, []),
    "u8-asym": (1.0, []),
    "w4a8": (None, ["bias-correction", "gptq,bias-correction", "adaround"]),
    "w4a16": (1.0, ["bias-correction", "gptq,bias-correction", "adaround"]),
    "w4a16-lpbq": (1.0, ["gptq,bias-correction"]),
    "w8a16": (0.1, []),
    "i16-asym": (0.1, []),
    "w16a16": (0.1, []),
    "i16-sym": (0.1, []),
    "dynamic-i8": (0.5, []),
    "dynamic-nnpa": (None, []),
    "wo-i8": (0.1, []),
    "wo-i16": (0.1, []),
    "wo-i4": (1.0, ["gptq", "adaround"]),
    "wo-u8": (0.1, []),
    "wo-u4": (None, ["gptq"]),
    "wo-i2": (None, ["gptq"]),
    "wo-u2": (None, ["gptq"]),
    "f8-e4m3": (0.5, []),
    "f8-e5m2": (None, []),
    "wo-f8": (2.0, []),  # 3 bits of mantissa
    "f16": (0.1, []),
    "bf16": (0.1, []),
}
ITERATIONS = {"magika_v3_3": 200}  # of adaround, where weights are many
NO_ALGORITHMS = {"kwt1_transformer"}  # whose 50 layers take half an hour each time
NO_BOUND = {"magika_v3_3": {"w4a8"}}
FIGURES = [">top-1", ">agreement", ">SQNR"]
failures = []


def checked(task, quantized, rows, *more):
    done = subprocess.run([f"{build}/bin/check", task.model, quantized, "--input", task.files[rows], "--top", "0", "--json", "-q", *more], check=True,
                          stdout=subprocess.PIPE)
    return json.loads(done.stdout)["models"][0]


def label_file(task):
    path = f"{workspace.name}/{task.name}_labels.csv"
    with open(path, "w") as file:
        file.write("label\n" + "".join(f"{label}\n" for label in task.labels))
    return path


def db_of(result):
    values = [output["sqnr"] for output in result["evaluation"]["outputs"]]
    return min(float("inf") if value is None else value for value in values)


UNSUPPORTED = 4  # exit: the runtime of the source's format has no form for the type


def quantize(task, scheme, to, algorithms=""):
    """Was anything done?"""
    asked = ["--algorithms", algorithms, "--input", task.files["calibration"], *(["--iterations", ITERATIONS.get(task.name, 1000)] if "adaround" in algorithms else [])] if algorithms else []
    report = f"{workspace.name}/report.json"
    command = [f"{build}/bin/quantize", task.model, "--ranges", f"{workspace.name}/{task.name}.json", "--type", *scheme.split(), *asked, "-q", "--report", report, "-o", to]
    done = subprocess.run([str(part) for part in command])
    if done.returncode == UNSUPPORTED:
        return False
    done.check_returncode()
    with open(report) as file:
        done = json.load(file).get("algorithms", [])
    return not algorithms or any(layer["changed"] for algorithm in done for layer in algorithm["layers"])


def best_of(task, scheme, algorithms):
    """The file and the name of what serves the calibration rows best."""
    best = (float("-inf"), "", "")
    for name in ["", *algorithms]:
        path = f"{workspace.name}/{task.name}_{name or 'plain'}.qn"
        if quantize(task, scheme, path, name):
            best = max(best, (db_of(checked(task, path, "calibration")), name, path))
    return best[2], best[1]


def percent(score):
    return 100 * score["top1"] / score["scored"]


def cells(task, path):
    result = checked(task, path, "test", "--labels", label_file(task))
    evaluation = result["evaluation"]
    exact, score = (percent(evaluation[which]) for which in ("float_score", "score"))
    return exact, score, f"{score:.1f} % | {evaluation['agreement']:.1f} % | {db_of(result):.1f} dB", result["bytes"]


def bound(task, scheme, lost, allowed):
    row = 100 / len(task.labels)
    if allowed is not None and scheme not in NO_BOUND.get(task.name, set()) and lost > max(allowed, row) + 1e-9:
        failures.append(f"{task.name} {scheme}: {lost:.2f} points, at most {max(allowed, row):.2f}")


def table(task):
    if not any(is_asked(task.name, scheme) for scheme in SCHEMES):
        return
    tool("minmax-collect", task.model, "--input", task.files["calibration"], "--keep-runs", "-o", f"{workspace.name}/{task.name}.json", "-q")
    for scheme, (allowed, algorithms) in SCHEMES.items():
        plain = f"{workspace.name}/{task.name}.qn"
        if not is_asked(task.name, scheme):
            continue
        if not quantize(task, scheme, plain):
            yield f"| {task.name} | {scheme} | has no form | | | | | | | |"
            continue
        exact, score, text, size = cells(task, plain)
        best, name = best_of(task, scheme, algorithms) if algorithms and task.name not in NO_ALGORITHMS else ("", "")
        better = ("", "| |")
        if name:
            _, score, of_best, _ = cells(task, best)
            better = (name, of_best)
        bound(task, scheme, exact - score, allowed)
        yield f"| {task.name} ({exact:.1f} %) | {scheme} | {text} | {size} | {better[0]} | {better[1]} |"


def is_asked(net, scheme):
    nets, types = [name for name in only if name not in SCHEMES], [name for name in only if name in SCHEMES]
    return (not nets or net in nets) and (not types or scheme in types)


def place(line):
    net, scheme = (cell.strip() for cell in line.split("|")[1:3])
    return net.split()[0], scheme


nets, lines = [], []
for task in quantizer_tasks(digits, models):
    nets.append(task.name)
    for line in table(task):
        lines.append(line)
        print(line, flush=True)
if rebase:
    lines += [line for line in table_lines(page) if not is_asked(*place(line))]
    lines.sort(key=lambda line: (nets.index(place(line)[0]), list(SCHEMES).index(place(line)[1])))
    write_table(page, ["net", "type", *FIGURES, ">bytes", "best algorithm", *FIGURES], lines)
print("schemes: " + ("all within their bounds" if not failures else "failed: " + "; ".join(failures)))
sys.exit(1 if failures else 0)
