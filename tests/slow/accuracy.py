"""Accuracy of labelled models, of TFLite files as published, of ONNX ones before and after quantization; called by tests/slow/accuracy. Every type has a bound that it can fail.

Rows as in labelled_rows.py, the same for every tool. Agreement: share of rows with the class of the float model; SQNR of the outputs against float.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantType, quantize_static

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../peers"))
from decibels import decibel
from ort_session import session as session_of

from labelled_rows import array_file, build, labelled_tasks, labels_of, quern, refuse_one_class, results, tool

digits, models = sys.argv[2:]
LOSS = {"i8": 0.5, "u8i8": 0.5, "u8-asym": 1.0, "w8a16": 0.5, "i16-sym": 0.5, "dynamic-i8": 0.5, "wo-i8-sym": 0.5}  # most points a type may lose
PERPLEXITY = {"u8-asym": 1.08}  # a language model's may grow by this, of other types by 1.05; u8-asym has one scale for all of a weight
TOKENS = 1.0  # points of the next token, which is a matter of chance more often than a class: perplexity says more
failures = []


def peer(task, session):
    return np.stack([session.run(None, {task.input: row[None]})[0].ravel() for row in task.test])


def bounded(task, what, right, best, loss, more):
    """One line; `loss` None: nothing is asked of it."""
    bad = loss is not None and right < best - loss
    print(f"{'FAIL' if bad else 'ok  ' if loss is not None else 'note'}  {task:<18} {what:<34} top-1 {right:6.2f} %  {more}", flush=True)
    if bad:
        failures.append(f"{task} {what}")


def title(kind):
    return f"quern {kind}{' (default)' if kind == 'i8' else ''}"


def report(task, what, outputs, reference, loss=None):
    labels = task.labels
    right, best = 100 * np.mean(outputs.argmax(1) == labels), 100 * np.mean(reference.argmax(1) == labels)
    sqnr = decibel(reference, outputs)
    agreement = 100 * np.mean(outputs.argmax(1) == reference.argmax(1))
    bounded(task.name, what, right, best, loss, f"agreement {agreement:6.2f} %  SQNR {sqnr:6.1f} dB")


class Reader(CalibrationDataReader):
    def __init__(self, task):
        self.feed = iter([{task.input: row[None]} for row in task.calibration])

    def get_next(self):
        return next(self.feed, None)


def peer_quantized(task, folder, reference):
    clean = f"{folder}/clean.onnx"
    tool("model-convert", task.model, "--opset", 17, "-o", clean)
    for method in (CalibrationMethod.MinMax, CalibrationMethod.Entropy, CalibrationMethod.Percentile):
        for per_channel in (True, False):
            try:  # its bias repair fails on some per-channel models, and it can write what onnxruntime does not load
                quantize_static(clean, f"{folder}/peer.onnx", Reader(task), per_channel=per_channel, activation_type=QuantType.QUInt8,
                                weight_type=QuantType.QInt8, calibrate_method=method)
                session = session_of(f"{folder}/peer.onnx")
            except Exception as error:
                problem = f"{type(error).__name__}: {str(error)[:80]}"
                continue
            report(task, f"onnxruntime {method.name}{'' if per_channel else ' per tensor'}", peer(task, session), reference)
            break
        else:
            print(f"note  {task.name:<18} onnxruntime {method.name} fails: {problem}")


def run(task):
    with tempfile.TemporaryDirectory() as folder:
        reference = quern(task, task.model)
        report(task, "quern float", reference, reference)
        tool("minmax-collect", task.model, "--input", task.files["calibration"], "--keep-runs", "-o", f"{folder}/ranges.json")
        for kind, loss in LOSS.items():
            tool("quantize", task.model, "--ranges", f"{folder}/ranges.json", "--type", kind, "-q", "-o", f"{folder}/quantized.qn")
            report(task, title(kind), quern(task, f"{folder}/quantized.qn", "--mode", "int"), reference, loss)
        peer_quantized(task, folder, reference)


def next_token(model, source):
    """A decoder of stories: calibrated on the first, tested on the tokens that follow each other in the others."""
    name, tokens = os.path.basename(model).split("_")[0], f"tokens={source}"

    def score(path, *args):
        done = subprocess.run([f"{build}/bin/run", path, "--input", tokens, "--labels", "next-token", "--json", *args], check=True, stdout=subprocess.PIPE)
        result = json.loads(done.stdout)["score"]
        return result, 100 * result["top1"] / result["scored"]

    whole, _ = score(model)
    expect(name, (whole["top1"], whole["scored"], round(whole["perplexity"], 4)), (601, 926, 3.5925))
    rest, best = score(model, "--skip-rows", "1")
    bounded(name, "quern float", best, best, None, f"perplexity {rest['perplexity']:.4f}")
    with tempfile.TemporaryDirectory() as folder:
        tool("minmax-collect", model, "--input", tokens, "--rows", 1, "-o", f"{folder}/ranges.json")
        for kind, loss in LOSS.items():
            tool("quantize", model, "--ranges", f"{folder}/ranges.json", "--type", kind, "-q", "-o", f"{folder}/quantized.qn")
            result, right = score(f"{folder}/quantized.qn", "--mode", "int", "--skip-rows", "1")
            bounded(name, title(kind), right, best, max(loss, TOKENS), f"perplexity {result['perplexity']:.4f}")
            if result["perplexity"] > PERPLEXITY.get(kind, 1.05) * rest["perplexity"]:
                failures.append(f"{name} {title(kind)}: perplexity {result['perplexity']:.4f} of {rest['perplexity']:.4f}")


def expect(name, got, published):
    """The float model over all rows is as right as its source says."""
    print(f"{'ok  ' if got == published else 'FAIL'}  {name:<18} quern float, all rows: {got}, published {published}", flush=True)
    if got != published:
        failures.append(name)


# TFLite and Circle files with labelled rows: rows as real numbers, labels, how they run, and how many are right where the files were measured
# (README.md of the models: by LiteRT with XNNPACK, so one more or less is as good; it was not reset between the rows of the LSTM, which has 978 and
# 977 right when each row begins anew).
LABELLED = [
    ("vww01_mobilenetv1_025_float32", "vww01/images_u8.bin:u8[1,96,96,3]/255", "vww01/labels.csv", [], 178),
    ("vww01_mobilenetv1_025_int8", "vww01/images_u8.bin:u8[1,96,96,3]/255", "vww01/labels.csv", ["--mode", "int"], 178),
    ("kws01_dscnn_hybrid", "kws01/mfcc_i8.bin:i8[1,49,10,1]*0.58470291-48.53034153", "kws01/labels.csv", ["--mode", "int"], 542),
    ("kws01_dscnn_int8", "kws01/mfcc_i8.bin:i8[1,49,10,1]*0.58470291-48.53034153", "kws01/labels.csv", ["--mode", "int"], 539),
    ("mnist_lstm_float32", "mnist/images_u8.bin:u8[1,28,28]/255", "mnist/labels.csv", ["--stateful"], 923),
    ("mnist_lstm_int8", "mnist/images_u8.bin:u8[1,28,28]/255", "mnist/labels.csv", ["--mode", "int", "--stateful"], 922),
    ("kwt1_keyword_transformer_float32", "kws01_audio/audio_i16.bin:i16[1,16000]/32768", "kws01_audio/labels.csv:kwt_label", [], 280),
]


def labelled(name, rows, labels, args, published):
    path = f"{models}/tflite/{name}.tflite"
    info = json.loads(subprocess.run([f"{build}/bin/model-info", path, "--json"], check=True, stdout=subprocess.PIPE).stdout)
    for arithmetic in ("tflite", "onnx") if name.endswith("int8") else ("tflite",):
        done = subprocess.run([f"{build}/bin/run", path, "--input", f"{info['inputs'][0]['name']}={models}/data/{rows}", "--labels", f"{models}/data/{labels}",
                               *([] if "--stateful" in args else ["--parallel"]), "--json", "-q", "--arithmetic", arithmetic, *args], check=True, stdout=subprocess.PIPE)
        score = json.loads(done.stdout)["score"]
        good = abs(score["top1"] - published) <= 1
        how = f"{' '.join(args) or 'float'}{', arithmetic ' + arithmetic if args else ''}"
        print(f"{'ok  ' if good else 'FAIL'}  {name:<34} {how:<32} {score['top1']} of {score['scored']}, published {published}", flush=True)
        if not good:
            failures.append(name)


# Float TFLite files that we quantize, to int8 if nothing else is said: calibrated on even rows (at most 100), tested on odd ones. The vendor's own int8 file, if there is one; the
# most points that may be lost against float (none against the vendor's file, but one row of vww01), the least agreement in percent and SQNR in dB against float. One image of vww01
# is one point, one row of KWT two thirds of one.
QUANTIZED = [
    ("vww01_mobilenetv1_025_float32", "vww01_mobilenetv1_025_int8", [], 1.0, 99, 30),
    ("mnist_lstm_float32", "mnist_lstm_int8", [], 0.5, 99.5, 41),
    ("kwt1_keyword_transformer_float32", None, [], 0.5, 98.5, 26),  # most of its normalizations and its Gelus on codes: 29.7 dB without
    ("kwt1_keyword_transformer_float32", None, ["--type", "w8a16"], 0.7, 99, 32),
    ("kwt1_keyword_transformer_float32", None, ["--type", "dynamic-i8"], 0.7, 99, 30),  # without ranges
]


def quantized(name, vendor, args, loss, agreement, least_db):
    _, rows, labels, _, _ = next(row for row in LABELLED if row[0] == name)
    blob, dtype, shape, divisor = re.fullmatch(r"(.*):(\w+)\[([\d,]+)\]/(\d+)", rows).groups()
    kinds = {"u8": np.uint8, "i16": np.int16}
    data = np.fromfile(f"{models}/data/{blob}", kinds[dtype]).reshape(-1, *map(int, shape.split(","))).astype(np.float32) / np.float32(divisor)
    truth = labels_of(f"{models}/data/{labels}")[1::2]
    refuse_one_class(name, truth)
    calibration, test = array_file(f"{name}_calibration", data[0::2][:100]), array_file(f"{name}_test", data[1::2])

    def outputs(path, *args):
        info = json.loads(subprocess.run([f"{build}/bin/model-info", path, "--json"], check=True, stdout=subprocess.PIPE).stdout)
        fed = info["inputs"][0]["name"]
        return results(path, f"{fed}={test}", "-q", *args), fed

    model = f"{models}/tflite/{name}.tflite"
    reference, input_name = outputs(model)
    with tempfile.TemporaryDirectory() as folder:
        ranges = [] if "dynamic-i8" in args else ["--ranges", f"{folder}/ranges.json"]
        if ranges:
            tool("minmax-collect", model, "--input", f"{input_name}={calibration}", "-o", ranges[1])
        tool("quantize", model, *ranges, "-q", *args, "-o", f"{folder}/quantized.tflite")
        ours, _ = outputs(f"{folder}/quantized.tflite", "--mode", "int")
    theirs = outputs(f"{models}/tflite/{vendor}.tflite", "--mode", "int")[0] if vendor else None
    top1 = [100 * np.mean(o.argmax(1) == truth) if o is not None else None for o in (reference, ours, theirs)]
    same = 100 * np.mean(ours.argmax(1) == reference.argmax(1))
    db = decibel(reference, ours)
    bad = top1[1] < top1[0] - loss or (vendor and top1[1] < top1[2] - (loss if loss > 0.5 else 0)) or same < agreement or db < least_db
    print(f"{'FAIL' if bad else 'ok  '}  {name:<34} our TFLite{' '.join(['', *args]) or ' of int8'}: top-1 {top1[1]:.2f} %, float {top1[0]:.2f} %"
          + (f", vendor's int8 {top1[2]:.2f} %" if vendor else "") + f", agreement {same:.2f} %, SQNR {db:.1f} dB (at most {loss} points lost)", flush=True)
    if bad:
        failures.append(f"{name} quantized")


for task in labelled_tasks(digits, models):
    if task.total is not None:
        expect(task.name, int(np.sum(quern(task, task.model, rows="all").argmax(1) == task.all_labels)), task.total)
    run(task)
if os.path.isdir(f"{models}/onnx"):
    next_token(f"{models}/onnx/stories260K_ASSEMBLED.onnx", f"{models}/data/tinystories/tokens_tok512.csv")
if os.path.isdir(f"{models}/tflite"):
    for row in LABELLED:
        labelled(*row)
    for row in QUANTIZED:
        quantized(*row)
print("accuracy: " + ("all within their bounds" if not failures else "failed: " + ", ".join(failures)))
sys.exit(1 if failures else 0)
