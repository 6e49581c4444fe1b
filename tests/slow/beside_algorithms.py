"""Algorithms of quantization beside onnx-neural-compressor's; called by tests/slow/beside_algorithms.

Weights of 4 bits, symmetric, in blocks of 32, by rounding and by GPTQ and AWQ; 8 bits of Gather and of those MatMul that the peer quantizes, with and without SmoothQuant, which
puts Muls as the peer's does. Both have the same rows for calibration and are measured on the others, in onnxruntime: the even and the odd ones, and the other way round,
as few rows make a difference of half a dB; the mean counts. Quern may not be below the peer by more than LESS. The peer's imports count in its memory, not in its seconds.
"""
import csv
import sys

import numpy as np
import onnx

from labelled_rows import build, tool, workspace
from measured import decibel, measured, outputs

PEER = r"""
import sys, time
import numpy as np, onnx
from onnx_neural_compressor import data_reader
from onnx_neural_compressor.quantization import QuantFormat, QuantType, config, quantize
from onnx_neural_compressor.quantization import matmul_nbits_quantizer as nbits
algorithm, model, rows, name, result = sys.argv[1:]
class Reader(data_reader.CalibrationDataReader):
    def __init__(self): self.rewind()
    def rewind(self): self.rows = iter(np.load(rows))
    def get_next(self):
        row = next(self.rows, None)
        return None if row is None else {name: row}
begun = time.time()
if algorithm in ("8 bits", "smoothquant"):
    static = config.StaticQuantConfig(Reader(), quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=True,
                                      op_types_to_quantize=["MatMul", "Gather"], extra_options={"SmoothQuant": algorithm == "smoothquant"})
    quantize(model, result, static)
else:
    made = {"rounding": nbits.RTNWeightOnlyQuantConfig, "awq": lambda: nbits.AWQWeightOnlyQuantConfig(Reader()),
            "gptq": lambda: nbits.GPTQWeightOnlyQuantConfig(Reader(), block_size=32)}
    quantizer = nbits.MatMulNBitsQuantizer(model, block_size=32, is_symmetric=True, n_bits=4, algo_config=made[algorithm]())
    quantizer.process()
    onnx.save(quantizer.model, result)
print(f"\n{time.time() - begun}")  # behind a bar of progress
"""
EIGHT = ["--method", "min-max", "--allow-unmatched", "--set-global", "none", "--set-op-type", "MatMul=u8i8", "--set-op-type", "Gather=u8i8"]
FOUR = ["--type", "wo-i4", "--block", 32]
# Of the peer's algorithm, the types, and the algorithms of quantize with their options: the first decides.
ROWS = {"rounding": (FOUR, [""]), "gptq": (FOUR, ["gptq"]), "awq": (FOUR, ["awq", "awq,gptq"]), "8 bits": (EIGHT, [""]), "smoothquant": (EIGHT, ["smoothquant --smooth-mul", "smoothquant"])}
LESS = 0.1  # dB
failures = []
models, peer = sys.argv[2:]


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
        _, memory, printed = measured(peer, "-c", PEER, algorithm, model, stored, fed, theirs)
        return decibel(exact, outputs(theirs, fed, test)), float(printed.splitlines()[-1]), memory
    except Exception as error:
        print(f"note  {algorithm:<12} the peer fails: {type(error).__name__}: {str(error)[:120]}", flush=True)
        return None


def fold_of(model, fed, calibration, test):
    """{(peer's algorithm, ours): dB, seconds and MB of ours and of the peer's}"""
    samples, ranges = f"{workspace.name}/list.txt", f"{workspace.name}/ranges.json"
    with open(samples, "w") as file:
        for i, row in enumerate(calibration):
            np.save(f"{workspace.name}/{i}.npy", row)
            file.write(f"{fed}:={workspace.name}/{i}.npy\n")
    tool("minmax-collect", model, "--input-list", samples, "-q", "-o", ranges)
    exact, figures, left = outputs(model, fed, test), {}, []
    for algorithm, (kind, choices) in ROWS.items():
        stored = f"{workspace.name}/theirs.onnx"
        theirs = peer_result(algorithm, model, fed, calibration, test, exact, stored)
        if not theirs:
            continue
        if algorithm == "8 bits":
            left = float_products(model, stored)
        for choice in choices:
            result, seconds, memory = quantized(model, ranges, samples, kind + (left if kind is EIGHT else []), choice)
            figures[algorithm, choice] = [(decibel(exact, outputs(result, fed, test)), seconds, memory), theirs]
    return figures


def beside(name, model, fed, rows):
    folds = [fold_of(model, fed, rows[half::2], rows[1 - half::2]) for half in (0, 1)]
    for algorithm, choice in folds[0]:
        if any((algorithm, choice) not in fold for fold in folds):
            continue
        (db, seconds, memory), (peer_db, peer_seconds, peer_memory) = np.mean([fold[algorithm, choice] for fold in folds], axis=0)
        bad = choice == ROWS[algorithm][1][0] and db < peer_db - LESS
        print(f"{'FAIL' if bad else 'ok  '}  {name:<12} {choice or algorithm:<12} {db:.2f} dB beside {peer_db:.2f}, {seconds:.2f} s of {peer_seconds:.2f}, "
              f"{memory:.0f} MB of {peer_memory:.0f}", flush=True)
        if bad:
            failures.append(f"{name} {algorithm}")


def main():
    beside("stories260K", f"{models}/onnx/stories260K_ASSEMBLED.onnx", "tokens", windows(f"{models}/data/tinystories/tokens_tok512.csv", 64))
    magika = np.fromfile(f"{models}/data/magika/features_i32.bin", np.int32).reshape(-1, 1, 2048)
    beside("magika_v3_3", f"{models}/onnx/magika_v3_3.onnx", "bytes", magika)
    print("beside onnx-neural-compressor: " + ("nowhere below" if not failures else "below: " + ", ".join(failures)))
    return 1 if failures else 0


sys.exit(main())
