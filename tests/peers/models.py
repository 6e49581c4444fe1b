"""Public models beside onnxruntime; called by tests/peers/peer. Parts: float (float outputs agree), ours (our QDQ models there and
here), theirs (models of onnxruntime.quantization here and there), dynamic (dynamically quantized ones of both)."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import onnx

import dynamic_models
from checks import build, check, finish, models, output_scales, tool, write_list
from ort_session import ALL, NONE, session
from samples import Samples

parts = sys.argv[3:] or ["float", "ours", "theirs", "dynamic"]
samples = Samples(models)

CNNS = {"mnist_cnn_opset8.onnx": 100, "ultraface_rfb_320_simplified.onnx": 8, "ultraface_rfb_320.onnx": 8, "fastestdet.onnx": 8}
GIVEN = ("mobilenet_v2_qdq_int8.onnx", "mobilenet_edgetpu_qdq_fragment.onnx")
OTHERS = {"magika_v3_3.onnx": 20, "bert_toy_RANDOM_WEIGHTS.onnx": 20, "stories260K_ASSEMBLED.onnx": 3}


def peer(path, feed, level):
    there = session(path, level, threads=0)
    names = [o.name for o in there.get_outputs()]
    return [dict(zip(names, there.run(None, f))) for f in feed]


def escaped(name):
    safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
    out = "".join(c if c in safe else "".join(f"%{b:02X}" for b in c.encode()) for c in name)
    return "%2E" + out[1:] if out.startswith(".") else out


def quern(path, feed, *args):
    with tempfile.TemporaryDirectory() as folder:
        tool("run", path, "--input-list", write_list(folder, feed), "-o", f"{folder}/out", "--format", "npy", *args)
        results = []
        for i in range(len(feed)):
            result = {}
            for name in [o.name for o in onnx.load(path, load_external_data=False).graph.output]:
                result[name] = np.load(f"{folder}/out/Result_{i}/{escaped(name)}.npy")
            results.append(result)
        return results


def sqnr(want, got):
    noise = np.sum((want.astype(np.float64) - got) ** 2)
    return 200.0 if noise == 0 else 10 * np.log10(np.sum(want.astype(np.float64) ** 2) / noise)


def float_part():
    for model in sorted(os.listdir(f"{models}/onnx")):
        path = f"{models}/onnx/{model}"
        feed = [samples.of(model, i) for i in range(2)]
        if "_qdq_" in model:  # rounds inside: compared in integers
            compare_integers("given ", model, path, feed)
            compare_converted(model, path, feed)
            continue
        try:
            ours = quern(path, feed)
        except RuntimeError as error:
            check(False, f"float  {model}: {error}")
            continue
        theirs = peer(path, feed, NONE)
        worst = max(np.abs(a[k] - b[k]).max() / max(np.abs(b[k]).max(), 1e-30) for a, b in zip(ours, theirs) for k in b)
        check(worst <= 1e-4, f"float  {model}: max|a-b|/max|b| {worst:.1e} (ORT_DISABLE_ALL)")


def compare_integers(what, model, path, feed, counts=True):
    try:
        theirs = peer(path, feed, ALL)
    except Exception as error:  # onnxruntime.quantization can write what onnxruntime refuses
        check(what.startswith("theirs"), f"{what}  {model}: onnxruntime cannot run it: {str(error)[:200]}")
        return
    try:
        ours = quern(path, feed, "--mode", "int")
    except RuntimeError as error:
        check(False, f"{what}  {model}: {error}")
        return
    scales = output_scales(path)
    for name in theirs[0]:
        a = np.concatenate([r[name].ravel() for r in ours])
        b = np.concatenate([r[name].ravel() for r in theirs])
        if (model in CNNS or model in GIVEN) and name in scales:
            steps = np.rint(np.abs(a.astype(np.float64) - b) / scales[name])
            equal, one = np.mean(steps == 0), np.mean(steps <= 1)
            check(equal >= 0.99 and one == 1, f"{what}  {model} {name}: {100 * equal:.2f} % of codes equal, {100 * one:.2f} % within a step, greatest {int(steps.max())}", counts)
        else:
            ratio = sqnr(b, a)
            check(ratio >= 40, f"{what}  {model} {name}: SQNR {ratio:.1f} dB", counts)


def compare_converted(model, path, feed):
    """A quantized model gives onnxruntime the same numbers after a way through encodings and back, and after plain conversion."""
    levels = NONE, ALL
    with tempfile.TemporaryDirectory() as folder:
        tool("model-convert", path, "-o", f"{folder}/plain.onnx")
        tool("model-convert", path, "-o", f"{folder}/folded.qn")
        tool("model-convert", f"{folder}/folded.qn", "-o", f"{folder}/back.onnx")
        for other in ("plain", "back"):
            equal = all(np.array_equal(a[k], b[k]) for level in levels
                        for a, b in zip(peer(path, feed, level), peer(f"{folder}/{other}.onnx", feed, level)) for k in a)
            check(equal, f"given   {model}: {other} conversion gives the same bits in onnxruntime")


def ours_part(folder):
    # uint8 activations: onnxruntime on x86 runs int8 ones in float between their Q and DQ, which is measured but proves nothing.
    for model, count in {**CNNS, **OTHERS}.items():
        feed = [samples.of(model, i) for i in range(count)]
        try:
            with tempfile.TemporaryDirectory() as lists:
                tool("minmax-collect", f"{models}/onnx/{model}", "--input-list", write_list(lists, feed), "-o", f"{folder}/ranges.json")
            for kind, form in (("u8i8", "qdq"), ("u8i8", "qoperator"), ("i8", "qdq")):
                path = f"{folder}/ours_{kind}_{form}_{model}"
                tool("quantize", f"{models}/onnx/{model}", "--ranges", f"{folder}/ranges.json", "--type", kind, "--form", form, "-f", "onnx", "-o", path)
                compare_integers(f"ours {kind} {form}", model, path, feed[:8], counts=kind != "i8")
        except RuntimeError as error:
            check(False, f"ours   {model}: {error}")


class Reader:
    def __init__(self, feed):
        self.feed = iter(feed)

    def get_next(self):
        return next(self.feed, None)


def theirs_part(folder):
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    class Data(Reader, CalibrationDataReader):
        pass

    def quantize(clean, path, feed, form):
        # Its bias repair fails on some per-channel models: then per tensor.
        for per_channel in (True, False):
            try:
                quantize_static(clean, path, Data(feed), quant_format=form, per_channel=per_channel, activation_type=QuantType.QUInt8,
                                weight_type=QuantType.QInt8)
                return None
            except Exception as error:
                problem = f"{type(error).__name__} {error}"
        return problem

    for model, count in {**CNNS, **OTHERS}.items():
        feed = [samples.of(model, i) for i in range(count)]
        clean = f"{folder}/clean_{model}"
        tool("model-convert", f"{models}/onnx/{model}", "--opset", 17, "-o", clean)
        for form in (QuantFormat.QDQ, QuantFormat.QOperator):
            path = f"{folder}/theirs_{form.name}_{model}"
            if problem := quantize(clean, path, feed, form):  # what onnxruntime cannot quantize is no failure of ours
                print(f"note  theirs {form.name} {model}: onnxruntime.quantization fails: {problem[:120]}")
                continue
            compare_integers(f"theirs {form.name:<9}", model, path, feed[:8])


def operators(path):
    """{operator: count} after encodings are folded."""
    done = subprocess.run(f"{build}/bin/model-convert '{path}' | {build}/bin/model-info - --json", shell=True, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["ops"]


def compare_dynamic(what, path, feed, least):
    """Integer runs against onnxruntime, which must be as near as `least` dB or as the levels of onnxruntime are to each other: a range
    found at run time moves every code of a tensor, so that a last bit of one Tanh or Softmax can show everywhere behind it."""
    levels = [peer(path, feed, level) for level in (NONE, ALL)]
    ours = quern(path, feed, "--mode", "int")
    left = [op for op in operators(path) if op in ("DynamicQuantizeLinear", "MatMulInteger", "ConvInteger")]
    check(not left, f"{what}: folded" + (f", but for {' '.join(left)}" if left else ""))
    for name in ours[0]:
        plain, fused, mine = (np.concatenate([r[name].ravel() for r in results]) for results in (*levels, ours))
        own, ratio = sqnr(plain, fused), max(sqnr(plain, mine), sqnr(fused, mine))
        check(ratio >= min(least, own), f"{what} {name}: SQNR {ratio:.1f} dB (onnxruntime's own levels {own:.1f} dB)")


def dynamic_part(folder):
    path = f"{folder}/dynamic.onnx"
    for op in dynamic_models.PRODUCTS:
        dynamic_models.write_product(op, f"{folder}/product.onnx")
        feed = dynamic_models.product_feed(op, 7)
        for variety in dynamic_models.VARIETIES:
            dynamic_models.quantize(f"{folder}/product.onnx", path, variety)
            compare_dynamic(f"dynamic {op} {dynamic_models.name_of(variety)}", path, feed, 130)
    for model, count in {"mnist_cnn_opset8.onnx": 8, **OTHERS}.items():
        feed = [samples.of(model, i) for i in range(min(count, 4))]
        for variety in dynamic_models.VARIETIES[::2]:
            dynamic_models.quantize(f"{models}/onnx/{model}", path, variety)
            compare_dynamic(f"dynamic theirs {model} {dynamic_models.name_of(variety)}", path, feed, 40)
        tool("quantize", f"{models}/onnx/{model}", "--type", "dynamic-i8", "-f", "onnx", "-o", path)
        compare_dynamic(f"dynamic ours {model}", path, feed, 40)
    for model in ("dtln_1.onnx", "dtln_2.onnx", "silero_vad_16k_op15.onnx", "ultraface_rfb_320_simplified.onnx", "fastestdet.onnx"):
        dynamic_models.quantize(f"{models}/onnx/{model}", path, dynamic_models.VARIETIES[4])
        compare_dynamic(f"dynamic theirs {model}", path, [samples.of(model, i) for i in range(2)], 40)


with tempfile.TemporaryDirectory() as work:
    if "float" in parts:
        float_part()
    if "ours" in parts:
        ours_part(work)
    if "theirs" in parts:
        theirs_part(work)
    if "dynamic" in parts:
        dynamic_part(work)
finish("models")
