"""TFLite files that quern writes, in LiteRT; called by tests/peers/peer.

Read and written again: every output of LiteRT's reference kernels equal to the bit. ONNX models written as TFLite: within 1e-5 of
onnxruntime. Quantized here: LiteRT's reference kernels and `run --mode int` give equal codes.
"""
import csv
import glob
import json
import os
import tempfile
from urllib.parse import quote

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from checks import check, finish, models, tool
from ort_session import session

folder = tempfile.mkdtemp()


def interpreter(path):
    it = Interpreter(path, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    it.allocate_tensors()
    return it


def random_inputs(it, seed):
    rng = np.random.default_rng(seed)
    feeds = []
    for detail in it.get_input_details():
        kind = detail["dtype"]
        if kind == np.float32:
            feeds.append((rng.random(detail["shape"], np.float32) * 2 - 1))
        else:
            info = np.iinfo(kind) if kind in (np.int8, np.uint8, np.int16) else None
            feeds.append(rng.integers(info.min if info else 0, info.max + 1 if info else 2, detail["shape"]).astype(kind))
    return feeds


def outputs(it, feeds):
    for detail, feed in zip(it.get_input_details(), feeds):
        it.set_tensor(detail["index"], feed)
    it.invoke()
    return [it.get_tensor(detail["index"]).copy() for detail in it.get_output_details()]


def written_again(path):
    name = os.path.basename(path)
    target = f"{folder}/again.tflite"
    try:
        tool("model-convert", path, "-o", target)
        tool("model-convert", target, "-o", f"{folder}/third.tflite")
    except RuntimeError as problem:
        return check(False, f"again {name}: refused: {problem}")
    stable = open(target, "rb").read() == open(f"{folder}/third.tflite", "rb").read()
    first, second = interpreter(path), interpreter(target)
    worst = 0.0
    for seed in range(3):
        feeds = random_inputs(first, seed)
        for a, b in zip(outputs(first, feeds), outputs(second, feeds)):
            worst = max(worst, float(np.abs(a.astype(np.float64) - b.astype(np.float64)).max() / max(np.abs(a).max(), 1e-30)))
    counts = [sum(op["op_name"] != "DELEGATE" for op in it._get_ops_details()) for it in (first, second)]
    check(worst <= 2e-6 and stable and counts[1] <= counts[0], f"again {name}: {counts[0]} operators, then {counts[1]}; largest difference {worst:.1e}; "
          f"written once more {'the same bytes' if stable else 'OTHER BYTES'}")


def from_onnx(name, **shapes):
    path, target = f"{models}/onnx/{name}.onnx", f"{folder}/from.tflite"
    tool("model-convert", path, "-o", target)
    there = session(path)
    it = interpreter(target)
    kinds = [op["op_name"] for op in it._get_ops_details()]
    feeds = random_inputs(it, 1)
    got = outputs(it, feeds)
    want = there.run(None, {i.name: f.reshape([d if isinstance(d, int) else 1 for d in i.shape]) for i, f in zip(there.get_inputs(), feeds)})
    far = max(np.abs(a.ravel() - b.ravel()).max() / max(np.abs(b).max(), 1e-30) for a, b in zip(got, want))
    most = len(it.get_input_details()) + len(it.get_output_details())  # one for each, as a person would put them
    check(far <= 1e-5 and kinds.count("TRANSPOSE") <= most,
          f"onnx  {name}: max|a-b|/max|b| {far:.1e}, {kinds.count('TRANSPOSE')} transposes in {len(kinds)} operators")


def output_codes(target, sample, count, kind, *flags):
    """Codes of the first output of `run --mode int`, a row a line."""
    out = tempfile.mkdtemp(dir=folder)
    file = quote(json.loads(tool("model-info", target, "--json"))["outputs"][0]["name"], safe="") + ".raw"
    tool("run", target, "--mode", "int", "--native-io", *flags, "--input", sample, "-o", out)
    return np.stack([np.fromfile(f"{out}/Result_{i}/{file}", kind) for i in range(count)])


def quantized(path, sample, calibrate, blob, labels, *flags, how=()):
    """Rows after the calibration rows, in LiteRT's reference kernels and here, and in its optimised kernels (XNNPACK, which rounds 8-bit codes as
    profile onnx does) and here. The state of an LSTM goes on from row to row there, and does so here with `how` --stateful."""
    name = os.path.basename(path).split(".")[0]
    info = json.loads(tool("model-info", path, "--json"))
    source = f"{info['inputs'][0]['name']}={sample}"
    ranges, target = f"{folder}/ranges.json", f"{folder}/quantized.tflite"
    tool("minmax-collect", path, "--input", source, "--rows", calibrate, "-o", ranges)
    tool("quantize", path, "--ranges", ranges, "-f", "tflite", "-o", target, *flags)
    it = interpreter(target)
    detail = it.get_input_details()[0]
    first = max(calibrate, len(blob) - 100)
    rows = blob[first:]
    scale, zero = detail["quantization"]
    limits = np.iinfo(detail["dtype"])
    codes = np.clip(np.rint(rows / np.float32(scale)) + zero, limits.min, limits.max).astype(detail["dtype"])
    codes.tofile(f"{folder}/rows.bin")
    kind = {np.int8: "i8", np.uint8: "u8", np.int16: "i16"}[detail["dtype"]]
    rows_of = f"{detail['name']}={folder}/rows.bin:{kind}[{','.join(map(str, codes.shape[1:]))}]"
    want = np.stack([outputs(it, [row[None]])[0].ravel() for row in codes])
    got = output_codes(target, rows_of, len(codes), want.dtype, *how)
    steps = np.abs(got.astype(int) - want)
    truth = labels[first:]
    right, ours = int((want.argmax(1) == truth).sum()), int((got.argmax(1) == truth).sum())
    check(steps.max() == 0, f"quantized {name} {' '.join(flags)}: {100 * np.mean(steps == 0):.2f} % of codes equal, greatest {steps.max()}; "
          f"top-1 {right} in LiteRT, {ours} here, of {len(truth)}")
    if "--io" in flags or how:
        return
    fast = Interpreter(target)
    fast.allocate_tensors()
    want = np.stack([outputs(fast, [row[None]])[0].ravel() for row in codes])
    profile = "tflite" if want.dtype == np.int16 else "onnx"
    steps = np.abs(output_codes(target, rows_of, len(codes), want.dtype, "--arithmetic", profile).astype(int) - want)
    check(steps.max() <= 1 and np.mean(steps > 0) <= 0.02,
          f"quantized {name} {' '.join(flags)}, optimised kernels and --arithmetic {profile}: {100 * np.mean(steps == 0):.2f} % of codes equal, greatest {steps.max()}")


def hybrid(path, sample, blob, *flags):
    """Weights in codes, activations that each run turns into codes: real numbers in LiteRT and here. Single operators agree within 1e-6
    (operators.py); over 27 layers a last bit that differs makes another code of an activation now and then."""
    target = f"{folder}/hybrid.tflite"
    tool("quantize", path, "-f", "tflite", "-o", target, *flags)
    it = interpreter(target)
    want = np.stack([outputs(it, [row[None]])[0].ravel() for row in blob])
    info = json.loads(tool("model-info", target, "--json"))
    tool("run", target, "--mode", "int", "--input", f"{info['inputs'][0]['name']}={sample}", "--rows", len(blob), "-o", f"{folder}/hybrid")
    got = np.stack([np.fromfile(f"{folder}/hybrid/Result_{i}/{info['outputs'][0]['name']}.raw", np.float32) for i in range(len(blob))])
    far = np.abs(got - want).max() / np.abs(want).max()
    near = 2e-2 if "wo-i4" in flags else 1e-2  # an int4 weight is 16 times as much of a last bit
    check(far <= near, f"hybrid {os.path.basename(path)} {' '.join(flags)}: max|a-b|/max|b| {far:.1e} over {len(blob)} rows")


def labels_of(path, column="label"):
    with open(path) as file:
        return np.array([int(row[column]) for row in csv.DictReader(file)])


for file in sorted(glob.glob(f"{models}/tflite/*.tflite")):
    written_again(file)
for net in ("mnist_cnn_opset8", "ultraface_rfb_320", "ultraface_rfb_320_simplified", "fastestdet"):  # every public CNN in ONNX
    from_onnx(net)
pictures = np.fromfile(f"{models}/data/vww01/images_u8.bin", np.uint8).reshape(-1, 96, 96, 3).astype(np.float32) / np.float32(255)
vww = f"{models}/tflite/vww01_mobilenetv1_025_float32.tflite"
truth = labels_of(f"{models}/data/vww01/labels.csv")
for type_ in ("i8", "w8a16", "u8-asym"):
    quantized(vww, f"{models}/data/vww01/images_u8.bin:u8[96,96,3]/255", 100, pictures, truth, "--type", type_)
rows = np.fromfile(f"{models}/data/mnist/images_u8.bin", np.uint8).reshape(-1, 28, 28).astype(np.float32) / np.float32(255)
quantized(f"{models}/tflite/mnist_lstm_float32.tflite", f"{models}/data/mnist/images_u8.bin:u8[1,28,28]/255", 100, rows,
          labels_of(f"{models}/data/mnist/labels.csv"), "--type", "i8", how=["--stateful"])
for type_, io in (("i8", "uint8"), ("i8", "int16"), ("u8-asym", "int8"), ("u8-asym", "int16"), ("w8a16", "int8"), ("w8a16", "uint8")):
    quantized(vww, f"{models}/data/vww01/images_u8.bin:u8[96,96,3]/255", 4, pictures[:12], truth[:12], "--type", type_, "--io", io)
for type_ in ("dynamic-i8", "wo-i8-sym", "wo-i4", "f16"):
    hybrid(vww, f"{models}/data/vww01/images_u8.bin:u8[96,96,3]/255", pictures[:8], "--type", type_)
digits = np.fromfile(f"{models}/data/mnist/images_u8.bin", np.uint8).reshape(-1, 1, 28, 28).astype(np.float32)
quantized(f"{models}/onnx/mnist_cnn_opset8.onnx", f"{models}/data/mnist/images_u8.bin:u8[1,28,28]", 100, digits,
          labels_of(f"{models}/data/mnist/labels.csv"), "--type", "i8")
finish("written")
