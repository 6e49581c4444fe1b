"""Speed and memory of quern beside onnxruntime and LiteRT: rows of figures with their goals (goals.py); called by scripts/bench.
usage: main.py [--quick] [--only=PART] BUILD NETS MODELS MAKERS

NETS: the folder of the big nets; MODELS: that of the public ones, whose rows are left out, and reported so, where it is not there;
MAKERS: that of the programs that make nets. Exit 1: a goal is missed by far.
"""
import os
import sys

import calibration
import engines
import goals
import language
import latency
import nets
import qnn
import resident
import start
from engines import LiteRT, OnnxRuntime

quick = "--quick" in sys.argv
only = [a.removeprefix("--only=") for a in sys.argv[1:] if a.startswith("--only=")]
build, folder, models, makers = [a for a in sys.argv[1:] if not a.startswith("--")]
rounds = 2 if quick else 5
quern = engines.Quern(build)
board = goals.Board()
processor, flags = engines.isa_of_machine()
TOLERANCE = 1.5 if "avx512bw" in flags else 3.0  # of goals that are reached; elsewhere most float kernels are oneDNN's
SMALL = ("mnist_cnn_opset8", "ultraface_rfb_320", "dtln_1", "fastestdet")  # under 2 MB
TFLITE = {"kws": "kws01_dscnn_int8", "ic": "ic01_resnet8_int8", "vww": "vww01_mobilenetv1_025_int8", "mobilenet_v1": "mobilenet_v1_0.25_128_uint8"}


def on_threads(name, path, make_peer, runs, goal, tolerance=goals.FAR, peak=None):
    """Rows of a net on one thread and on two."""
    for threads in (1, 2):
        what = f"latency {name}, {threads} thread{'s' if threads > 1 else ''}"
        board.hold(lambda: latency.latency(quern, make_peer, path, what, threads, runs, rounds, peak), goal, tolerance)


def float_latency():
    for net, runs in (("mobilenetv2", 30), ("resnet50", 10), ("bert", 5)):
        on_threads(net, f"{folder}/{net}.onnx", OnnxRuntime, runs, goals.FLOAT, TOLERANCE)
    for others in (1, 2):
        what = f"latency mobilenetv2, 2 threads beside {others} busy"
        path = f"{folder}/mobilenetv2.onnx"
        board.hold(lambda: latency.busy_latency(quern, OnnxRuntime, path, what, 2, others, 60, rounds), goals.BUSY, TOLERANCE)


def integer_latency():
    dot, peak = quern.peak()
    print(f"codes are multiplied by {dot}: {peak * 1e-9:.0f} billion operations a second on one core")
    for net, runs in (("mobilenetv2_qdq", 30), ("resnet50_qdq", 10), ("bert_qdq", 5)):
        on_threads(net, f"{folder}/{net}.onnx", OnnxRuntime, runs, goals.INT8.get(dot, goals.INT8["avx2"])[net], peak=peak)
    on_threads("bert_dyn", f"{folder}/bert_dyn.onnx", OnnxRuntime, 2, goals.DYNAMIC, peak=peak)
    on_threads("bert weights only", nets.weights_only(quern, folder), OnnxRuntime, 5, goals.WEIGHTS_ONLY)
    on_threads("mobilenetv2 int16x8", nets.wide(quern, folder), LiteRT, 2, goals.WIDE, peak=peak)
    if has_models():
        for net, file in TFLITE.items():
            on_threads(net, f"{models}/tflite/{file}.tflite", LiteRT, 50, goals.TFLITE, peak=peak)


def starts():
    for net in ("resnet50", "bert"):
        one_start(net, f"{folder}/{net}.onnx", goals.START)
    if has_models():
        for net in SMALL:
            one_start(net, f"{models}/onnx/{net}.onnx", goals.START_SMALL, (1,) if quick else (1, 2))


def one_start(net, path, goal, counts=(1, 2)):
    for threads in counts:
        what = f"start {net}, {threads} thread{'s' if threads > 1 else ''}"
        limits = {what: goal, f"{what}, MB beyond weights and arena": goals.CONTEXT_BEYOND}
        far = goals.FAR if "avx512bw" in flags and goal == goals.START else goals.FAR_BY_ONEDNN
        board.hold(lambda: start.start(quern, path, f"{folder}/{net}.qctx", what, threads, 5 if quick else 9), limits, far)


def memory():
    for net in ("mobilenetv2", "resnet50", "bert"):
        board.hold(lambda: resident.beside_peer(quern, f"{folder}/{net}.onnx", f"resident {net}", 2), goals.RESIDENT)
        what = f"resident {net}_qdq, MB beyond weights and arena"
        board.hold(lambda: resident.beyond(quern, f"{folder}/{net}_qdq.onnx", what, 2), goals.RESIDENT_BEYOND)


def calibrate():
    for net in ("mobilenetv2", "resnet50"):
        path, place = f"{folder}/{net}.onnx", f"{folder}/samples_{net}"
        limits = {f"min/max {net}": goals.MINMAX, f"histograms {net}": goals.HISTOGRAMS}
        board.hold(lambda: calibration.collecting(quern, path, place, net, 20 if quick else 100, rounds), limits, TOLERANCE)
        output, what = f"{folder}/{net}_i8.onnx", f"quantize {net}"
        board.hold(lambda: calibration.quantizing(quern, path, f"{place}/ranges.json", output, what, rounds), goals.QUANTIZE, TOLERANCE)


def text():
    python, maker = language.llama_python(), f"{makers}/make_gguf.py"
    if python is None:
        print("left out: text beside llama.cpp, which no Python here has (`scripts/peers llama` makes one)")
        return
    for name, path in language.models(quern, folder, maker, sys.executable).items():
        for threads in (1, 2):
            what = f"{name}, {threads} thread{'s' if threads > 1 else ''}"
            limits = {f"{kind} {what}": goal for kind, goal in goals.LANGUAGE.items()}
            board.hold(lambda: language.beside_llama(quern, python, path, folder, what, threads, rounds), limits)
    for name, goal in goals.REQUANTIZE.items():
        limits = {f"quantize to {name}": goal, f"quantize to {name}, MB beyond the input": goals.REQUANTIZE_BEYOND}
        board.hold(lambda: language.quantizing(quern, python, folder, name, rounds), limits)


def for_qnn():
    for net in qnn.NETS if has_models() else ():
        place = f"{folder}/qnn-{net}"
        for type_, pair in qnn.products(quern, f"{models}/onnx/{net}.onnx", place).items():
            what = f"{net} {type_}"
            limits = {f"prepare {what} over onnxruntime's": goals.QNN_PREPARE, f"context {what} over onnxruntime's": goals.QNN_CONTEXT}
            if what in goals.QNN_MOST:
                limits |= zip((f"prepare {what}, s", f"context {what}, KB"), goals.QNN_MOST[what])
            board.hold(lambda: {name: row for name, row in qnn.preparing(pair, what, place, 2 * rounds + 1).items() if name in limits}, limits, 1.5)


def has_models():
    return os.path.isdir(f"{models}/onnx") and os.path.isdir(f"{models}/tflite")


print(f"{processor} ({' '.join(flags)}), {os.cpu_count()} processors; onnxruntime {engines.ort.__version__}, ORT_ENABLE_ALL; {rounds} rounds")
if not has_models():
    print(f"left out: the rows of public models, which are not in {models}")
parts = {"float": float_latency, "integer": integer_latency, "start": starts, "memory": memory, "calibration": calibrate, "text": text, "qnn": for_qnn}
for name in only or parts:
    if name not in parts:
        sys.exit(f"bench: there is no part {name}, need one of {' '.join(parts)}")
    parts[name]()
sys.exit(board.summary())
