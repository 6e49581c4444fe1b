"""Accuracy of labelled models before and after quantization; called by tests/slow/accuracy.

Calibrated on the first rows, tested on the others, the same for every tool. Agreement: share of rows with the class of the float model; SQNR
of the outputs against float.
"""
import csv
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnxruntime as ort
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantType, quantize_static

build, digits, models = sys.argv[1:]
LOSS = 0.5  # points
failures = []


class Task:
    def __init__(self, name, model, input_name, blob, spec, dtype, shape, scale, labels, rows, total=None):
        self.name, self.model, self.input, self.rows, self.total = name, model, input_name, rows, total
        self.spec = f"{input_name}={blob}:{spec}"
        self.data = np.fromfile(blob, dtype).reshape(-1, *shape)
        self.data = self.data.astype(np.float32) * np.float32(scale) if scale else self.data
        with open(labels) as file:
            self.labels = np.array([int(row["label"]) for row in csv.DictReader(file)])
        self.label_file = labels


def tool(name, *args):
    subprocess.run([f"{build}/bin/{name}", *map(str, args)], check=True)


def quern(task, model, *args):
    """Outputs of the test rows."""
    with tempfile.TemporaryDirectory() as folder:
        tool("run", model, "--input", task.spec, "--skip-rows", task.rows, "--parallel", "-o", folder, "--format", "npy", *args)
        files = [os.path.join(folder, f"Result_{i}") for i in range(len(task.labels) - task.rows)]
        return np.stack([np.load(os.path.join(f, os.listdir(f)[0])).ravel() for f in files])


def peer(task, model):
    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return np.stack([session.run(None, {task.input: row[None]})[0].ravel() for row in task.data[task.rows:]])


def report(task, what, outputs, reference, required=False):
    labels = task.labels[task.rows:]
    right, best = 100 * np.mean(outputs.argmax(1) == labels), 100 * np.mean(reference.argmax(1) == labels)
    noise = np.sum((reference.astype(np.float64) - outputs) ** 2)
    sqnr = 10 * np.log10(np.sum(reference.astype(np.float64) ** 2) / noise) if noise else float("inf")
    agreement = 100 * np.mean(outputs.argmax(1) == reference.argmax(1))
    bad = required and right < best - LOSS
    print(f"{'FAIL' if bad else 'ok  '}  {task.name:<18} {what:<34} top-1 {right:6.2f} %  agreement {agreement:6.2f} %  SQNR {sqnr:6.1f} dB", flush=True)
    if bad:
        failures.append(f"{task.name} {what}")


class Reader(CalibrationDataReader):
    def __init__(self, task):
        self.feed = iter([{task.input: row[None]} for row in task.data[:task.rows]])

    def get_next(self):
        return next(self.feed, None)


def peer_quantized(task, folder, reference):
    clean = f"{folder}/clean.onnx"
    tool("model-convert", task.model, "--opset", 17, "-o", clean)
    for method in (CalibrationMethod.MinMax, CalibrationMethod.Entropy, CalibrationMethod.Percentile):
        for per_channel in (True, False):
            try:
                quantize_static(clean, f"{folder}/peer.onnx", Reader(task), per_channel=per_channel, activation_type=QuantType.QUInt8,
                                weight_type=QuantType.QInt8, calibrate_method=method)
                report(task, f"onnxruntime {method.name}{'' if per_channel else ' per tensor'}", peer(task, f"{folder}/peer.onnx"), reference)
                break
            except Exception as error:
                problem = f"{type(error).__name__}: {str(error)[:80]}"
        else:
            print(f"note  {task.name:<18} onnxruntime {method.name} fails: {problem}")


def run(task):
    with tempfile.TemporaryDirectory() as folder:
        reference = quern(task, task.model)
        report(task, "quern float", reference, reference)
        tool("minmax-collect", task.model, "--input", task.spec, "--rows", task.rows, "-o", f"{folder}/ranges.json")
        for kind in ("i8", "u8i8", "u8-asym", "w8a16", "dynamic-i8", "wo-i8-sym"):
            tool("quantize", task.model, "--ranges", f"{folder}/ranges.json", "--type", kind, "-q", "-o", f"{folder}/quantized.qn")
            report(task, f"quern {kind}{' (default)' if kind == 'i8' else ''}", quern(task, f"{folder}/quantized.qn", "--mode", "int"), reference, kind == "i8")
        peer_quantized(task, folder, reference)


tasks = [Task("digits", digits, "image", f"{build}/digits/test.u8", "u8[1,8,8]*0.0625-0", np.uint8, (1, 8, 8), 0.0625, f"{build}/digits/test.labels", 100)]
if os.path.isdir(f"{models}/onnx"):
    data = f"{models}/data"
    tasks += [
        Task("mnist_cnn_opset8", f"{models}/onnx/mnist_cnn_opset8.onnx", "Input3", f"{data}/mnist/images_u8.bin", "u8[1,28,28]*1-0", np.uint8, (1, 28, 28), 1,
             f"{data}/mnist/labels.csv", 100, 987),
        Task("magika_v3_3", f"{models}/onnx/magika_v3_3.onnx", "bytes", f"{data}/magika/features_i32.bin", "i32[2048]", np.int32, (2048,), None,
             f"{data}/magika/labels.csv", 20, 76),
    ]
for task in tasks:
    if task.total is not None:
        rows, task.rows = task.rows, 0
        right = int(np.sum(quern(task, task.model).argmax(1) == task.labels))
        print(f"{'ok  ' if right == task.total else 'FAIL'}  {task.name:<18} quern float, all rows: {right} of {len(task.labels)} right, published {task.total}")
        if right != task.total:
            failures.append(task.name)
        task.rows = rows
    run(task)
print("accuracy: " + ("all within half a point" if not failures else "failed: " + ", ".join(failures)))
sys.exit(1 if failures else 0)
