"""Calibration and quantization beside onnxruntime.quantization; called by tests/slow/beside_onnxruntime.

Percentile calibration with histograms and int8 by both, of 300 even rows (all there are, if fewer), measured on odd ones. TIME and MEMORY: what quern may take of the
peer's seconds and peak memory; its score may not be below the peer's. The peer runs as a process of its own, its imports not counted.
"""
import sys

import numpy as np

from labelled_rows import array_file, build, labelled_tasks, tflite_tasks, tool, workspace
from measured import decibel, measured, outputs

PEER = r"""
import sys, time
import numpy as np
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static
model, rows, name, result = sys.argv[1:]
class Reader(CalibrationDataReader):
    def __init__(self): self.rows = iter(np.load(rows, mmap_mode="r"))
    def get_next(self):
        row = next(self.rows, None)
        return None if row is None else {name: np.array(row)}
begun = time.time()
quantize_static(model, result, Reader(), quant_format=QuantFormat.QDQ, per_channel=True, activation_type=QuantType.QInt8, weight_type=QuantType.QInt8,
                calibrate_method=CalibrationMethod.Percentile)
print(time.time() - begun)
"""
TIME, MEMORY, ROWS = 0.2, 0.2, 300
SHORT = 1.0  # second of the peer: below, starting processes counts more than the work, and nothing is asked of time and memory
LOSS = 1.0   # dB of the SQNR, where no class changes
failures = []


def beside(name, model, fed, calibration, test, labels):
    folder = workspace.name
    clean, ours, theirs = (f"{folder}/{name}_{what}.onnx" for what in ("clean", "ours", "theirs"))
    tool("model-convert", model, "--opset", 17, "-q", "-o", clean)
    rows = f"{folder}/{name}_rows.npy"
    np.save(rows, np.ascontiguousarray(calibration))
    samples = f"{fed}={array_file(f'{name}_samples', calibration)}"
    collect, memory, _ = measured(f"{build}/bin/minmax-collect", clean, "--input", samples, "-q", "-o", f"{folder}/ranges.json")
    seconds, more, _ = measured(f"{build}/bin/quantize", clean, "--ranges", f"{folder}/ranges.json", "--type", "i8", "-q", "-o", ours)
    seconds, memory = seconds + collect, max(memory, more)
    try:
        _, peer_memory, printed = measured(sys.executable, "-c", PEER, clean, rows, fed, theirs)
        peer_seconds, got = float(printed.splitlines()[-1]), outputs(theirs, fed, test)
    except Exception as error:  # it can run out of memory, and write what it does not load
        print(f"note  {name}: onnxruntime fails: {type(error).__name__}: {str(error)[:120]}", flush=True)
        return
    exact, mine = outputs(clean, fed, test), outputs(ours, fed, test)
    db, peer_db = decibel(exact, mine), decibel(exact, got)
    scores = [100 * np.mean(o.argmax(1) == labels) for o in (exact, mine, got)] if labels is not None else None
    bad = (peer_seconds > SHORT and (seconds > TIME * peer_seconds or memory > MEMORY * peer_memory)) or db < peer_db - LOSS or (scores and scores[1] < scores[2])
    print(f"{'FAIL' if bad else 'ok  '}  {name:<20} {len(calibration)} samples: {seconds:.2f} s of {peer_seconds:.2f} ({seconds / peer_seconds:.3f}), "
          f"{memory:.0f} MB of {peer_memory:.0f} ({memory / peer_memory:.3f}), SQNR {db:.1f} dB beside {peer_db:.1f}"
          + (f", top-1 {scores[1]:.2f} % beside {scores[2]:.2f} (float {scores[0]:.2f})" if scores else ""), flush=True)
    if bad:
        failures.append(name)


def main():
    models = sys.argv[3]
    for task in [*labelled_tasks(sys.argv[2], models), *tflite_tasks(models)]:
        rows = task.data[:, None]
        beside(task.name, task.model, task.input, rows[0::2][:ROWS], rows[1::2], task.labels)
    pictures = np.fromfile(f"{models}/data/images_coral/rgb_u8_352x352.bin", np.uint8).reshape(-1, 352, 352, 3)[..., ::-1].transpose(0, 3, 1, 2)[:, None]
    pictures = pictures.astype(np.float32) / np.float32(255)
    shifted = np.concatenate([np.roll(pictures, shift, axis=-1) for shift in range(0, 352, 8)])
    beside("fastestdet", f"{models}/onnx/fastestdet.onnx", "input.1", shifted[0::2][:ROWS], shifted[1::2][:50], None)
    print("beside onnxruntime: " + ("all within their bounds" if not failures else "failed: " + ", ".join(failures)))
    return 1 if failures else 0


sys.exit(main())
