"""Algorithms of quantization beside onnx-neural-compressor's; called by tests/slow/beside_algorithms.

Weights of 4 bits, symmetric, in blocks of 32, by rounding and by GPTQ and AWQ; 8 bits of MatMul and Gather with and without SmoothQuant. Both have the same even
rows for calibration and are measured on the odd ones, in onnxruntime. Quern may not be below the peer by more than LESS; of SmoothQuant it is what it gains that counts, as the two
leave other products float. The peer's imports count in its memory, not in its seconds.
"""
import csv
import sys

import numpy as np

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
# Of the peer's algorithm, the types and the algorithms of quantize: the best of several.
ROWS = {"rounding": (FOUR, [""]), "gptq": (FOUR, ["gptq"]), "awq": (FOUR, ["awq", "awq,gptq"]), "8 bits": (EIGHT, [""]), "smoothquant": (EIGHT, ["smoothquant"])}
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
    asked = ["--algorithms", algorithms, "--input-list", samples] if algorithms else []
    seconds, memory, _ = measured(f"{build}/bin/quantize", model, "--ranges", ranges, *kind, *asked, "-q", "-o", result)
    return result, seconds, memory


def beside(name, model, fed, rows):
    calibration, test = rows[0::2], rows[1::2]
    stored, samples, ranges, theirs = (f"{workspace.name}/{file}" for file in ("rows.npy", "list.txt", "ranges.json", "theirs.onnx"))
    np.save(stored, calibration)
    with open(samples, "w") as file:
        for i, row in enumerate(calibration):
            np.save(f"{workspace.name}/{i}.npy", row)
            file.write(f"{fed}:={workspace.name}/{i}.npy\n")
    tool("minmax-collect", model, "--input-list", samples, "-q", "-o", ranges)
    exact, before = outputs(model, fed, test), (0, 0)
    for algorithm, (kind, choices) in ROWS.items():
        try:
            _, peer_memory, printed = measured(peer, "-c", PEER, algorithm, model, stored, fed, theirs)
            peer_seconds, peer_db = float(printed.splitlines()[-1]), decibel(exact, outputs(theirs, fed, test))
        except Exception as error:  # it writes what it does not load, and has no algorithm for every net
            print(f"note  {name:<12} {algorithm:<12} the peer fails: {type(error).__name__}: {str(error)[:120]}", flush=True)
            continue
        for choice in choices:
            result, seconds, memory = quantized(model, ranges, samples, kind, choice)
            db = decibel(exact, outputs(result, fed, test))
            if algorithm == "8 bits":
                before = (db, peer_db)
            gained, peer_gained = (db - before[0], peer_db - before[1]) if algorithm == "smoothquant" else (db, peer_db)
            bad = choice == choices[0] and algorithm != "8 bits" and gained < peer_gained - LESS
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
