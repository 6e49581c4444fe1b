"""Algorithms of quantization beside onnx-neural-compressor's, NNCF's or AIMET's; called by tests/slow/beside_algorithms.

The first: weights of 4 bits, symmetric, in blocks of 32, by rounding and by GPTQ and AWQ; 8 bits of Gather and of those MatMul that the peer quantizes, with and without
SmoothQuant, which puts Muls as the peer's does. NNCF: everything in 8 bits; SmoothQuant of products. AIMET: weights alone of convolutions, with one scale a tensor of 8 bits and cross-layer
equalization, with one a channel of 4 bits and AdaRound, as many steps of both. All have the same half of the rows for calibration and are measured on
the other, in onnxruntime. As few rows make a difference of half a dB, many random halves are drawn, and the mean of the differences counts: quern may not be below the peer by
more than LESS and twice the standard error of that mean. The peer's imports count in its memory, not in its seconds.
"""
import csv
import os
import sys

import numpy as np
import onnx

from labelled_rows import build, tool, workspace
from measured import decibel, measured, outputs

EIGHT = ["--method", "min-max", "--allow-unmatched", "--set-global", "none", "--set-op-type", "MatMul=u8i8", "--set-op-type", "Gather=u8i8"]
FOUR = ["--type", "wo-i4", "--block", 32]
WHOLE = ["--type", "u8i8"]
PLAIN = ["--type", "wo-i8", "--per-tensor"]
ROUNDED = ["--type", "wo-i4", "--per-channel"]
SMOOTH = ["smoothquant --smooth-mul=each", "smoothquant --smooth-mul", "smoothquant"]
# Of each peer and algorithm of it, the types, and the algorithms of quantize with their options: the first decides.
PEERS = {
    "compressor": {"rounding": (FOUR, [""]), "gptq": (FOUR, ["gptq"]), "awq": (FOUR, ["awq", "awq,gptq"]), "8 bits": (EIGHT, [""]), "smoothquant": (EIGHT, SMOOTH)},
    "nncf": {"all in 8 bits": (WHOLE, [""]), "smoothquant": (EIGHT, SMOOTH)},
    "aimet": {"cle": (PLAIN, ["cle", ""]), "adaround": (ROUNDED, ["adaround --iterations 2000", ""])},
}
LESS = 0.1  # dB
failures = []
models, peer, python = sys.argv[2:]
ROWS = PEERS[peer]


def windows(path, length):
    with open(path) as file:
        tokens = [int(token) for line in csv.reader(file) for token in line if token.strip()]
    return np.array(tokens[:len(tokens) // length * length], np.int64).reshape(-1, 1, length)


def quantized(model, ranges, samples, kind, algorithms):
    """SQNR is measured by the caller: the file, seconds, MB."""
    result = f"{workspace.name}/ours.onnx"
    asked = ["--algorithms", *algorithms.split(), "--input-list", samples] if algorithms else []
    seconds, memory, _ = measured(f"{build}/bin/quantize", model, "--ranges", ranges, *kind, *asked, "-q", "-o", result)
    return result, seconds, memory


def float_products(model, theirs):
    """Flags that leave float what the peer's file does: products of two activations, and those that its optimizer makes a Gemm of."""
    graph = onnx.load(theirs).graph
    codes = {name for node in graph.node if node.op_type == "DequantizeLinear" for name in node.output}
    quantized = {node.name.removesuffix("_quant") for node in graph.node if node.op_type == "MatMul" and codes.issuperset(node.input)}
    names = [node.name for node in onnx.load(model).graph.node if node.op_type == "MatMul"]
    if not quantized.intersection(names):
        raise RuntimeError(f"{theirs}: none of its {len(quantized)} quantized products is named as in {model}")
    return [word for name in names if name not in quantized for word in ("--set-node-name", f"{name}=none")]


def peer_result(algorithm, model, fed, calibration, test, exact, theirs):
    """dB, seconds, MB, or nothing: it writes what it does not load, and has no algorithm for every net."""
    stored = f"{workspace.name}/rows.npy"
    np.save(stored, calibration)
    try:
        _, memory, printed = measured(python, os.path.join(os.path.dirname(__file__), f"{peer}_quantize.py"), algorithm, model, stored, fed, theirs)
        return decibel(exact, outputs(theirs, fed, test)), float(printed.splitlines()[-1]), memory
    except Exception as error:
        print(f"note  {algorithm:<12} the peer fails: {type(error).__name__}: {str(error)[:120]}", flush=True)
        return None


def fold_of(model, fed, calibration, test, algorithms):
    """{(peer's algorithm, ours): dB, seconds and MB of ours and of the peer's}"""
    samples, ranges = f"{workspace.name}/list.txt", f"{workspace.name}/ranges.json"
    with open(samples, "w") as file:
        for i, row in enumerate(calibration):
            np.save(f"{workspace.name}/{i}.npy", row)
            file.write(f"{fed}:={workspace.name}/{i}.npy\n")
    tool("minmax-collect", model, "--input-list", samples, "-q", "-o", ranges)
    exact, figures, left = outputs(model, fed, test), {}, []
    for algorithm in algorithms:
        kind, choices = ROWS[algorithm]
        stored = f"{workspace.name}/theirs.onnx"
        theirs = peer_result(algorithm, model, fed, calibration, test, exact, stored)
        if not theirs:
            continue
        if kind is EIGHT and not left:
            left = float_products(model, stored)
        for choice in choices:
            result, seconds, memory = quantized(model, ranges, samples, kind + (left if kind is EIGHT else []), choice)
            figures[algorithm, choice] = [(decibel(exact, outputs(result, fed, test)), seconds, memory), theirs]
    return figures


def halves(rows, count):
    draw = np.random.default_rng(5)
    for _ in range(count):
        order = draw.permutation(len(rows))
        yield rows[order[::2]], rows[order[1::2]]


def beside(name, model, fed, rows, count, algorithms=tuple(ROWS)):
    folds = [fold_of(model, fed, calibration, test, algorithms) for calibration, test in halves(rows, count)]
    for algorithm, choice in folds[0]:
        if any((algorithm, choice) not in fold for fold in folds):
            continue
        figures = np.array([fold[algorithm, choice] for fold in folds])  # (fold, ours or the peer's, figure)
        (db, seconds, memory), (peer_db, peer_seconds, peer_memory) = figures.mean(axis=0)
        error = np.std(figures[:, 0, 0] - figures[:, 1, 0], ddof=1) / np.sqrt(count)
        bad = choice == ROWS[algorithm][1][0] and db - peer_db < -LESS - 2 * error
        print(f"{'FAIL' if bad else 'ok  '}  {name:<12} {choice or 'rounding'} beside {algorithm}: {db:.2f} dB, {peer_db:.2f} (difference {db - peer_db:+.2f} +- {error:.2f}), "
              f"{seconds:.2f} s of {peer_seconds:.2f}, {memory:.0f} MB of {peer_memory:.0f}", flush=True)
        if bad:
            failures.append(f"{name} {algorithm}")


def beside_transformers():
    beside("stories260K", f"{models}/onnx/stories260K_ASSEMBLED.onnx", "tokens", windows(f"{models}/data/tinystories/tokens_tok512.csv", 64), 10)
    magika = np.fromfile(f"{models}/data/magika/features_i32.bin", np.int32).reshape(-1, 1, 2048)
    beside("magika_v3_3", f"{models}/onnx/magika_v3_3.onnx", "bytes", magika, 4)


def beside_convolutions():
    """The peer's AdaRound knows padding that is the same on both sides alone, and takes its time on pictures."""
    images = np.fromfile(f"{models}/data/images_coral/rgb_u8_128x128.bin", np.uint8).reshape(-1, 128, 128, 3)
    at = np.arange(352) * 128 // 352
    beside("fastestdet", f"{models}/onnx/fastestdet.onnx", "input.1", images[:, at][:, :, at].transpose(0, 3, 1, 2)[:, None].astype(np.float32) / 255, 2, ["cle"])
    tool("model-convert", f"{models}/onnx/mnist_cnn_opset8.onnx", "-q", "-o", f"{workspace.name}/mnist.onnx")
    digits = np.fromfile(f"{models}/data/mnist/images_u8.bin", np.uint8).reshape(-1, 1, 1, 28, 28)[:200].astype(np.float32)
    beside("mnist_cnn", f"{workspace.name}/mnist.onnx", "Input3", digits, 2, ["cle", "adaround"])


def main():
    beside_convolutions() if peer == "aimet" else beside_transformers()
    print(f"beside {peer}: " + ("nowhere below" if not failures else "below: " + ", ".join(failures)))
    return 1 if failures else 0


sys.exit(main())
