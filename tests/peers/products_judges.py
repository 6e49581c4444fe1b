"""Judges of quantized products: OpenVINO of QDQ ONNX and of int8 TFLite, Arm's TOSA reference model of int8 TFLite. Each is run by products_run_judge.py in
a process with the python of scripts/judges.txt, and looks like a runtime of products_runtimes.py. Then what they refuse and where their codes are others, with
the reasons: judges.py holds them to it."""
import os
import re
import subprocess

import numpy as np

import products_runtimes as runtimes
from apart import LONGEST
from checks import output_scales

HERE = os.path.dirname(os.path.abspath(__file__))
with open("/proc/cpuinfo", encoding="ascii") as cpu:
    SATURATES = "vnni" not in cpu.read()  # OpenVINO's sums of two products of 8-bit codes, in int16: there its low precision is off, and it computes in float32
FLOAT = ["LP_TRANSFORMS_MODE=NO"]


class Python:
    path, said = None, ""  # of scripts/judges.txt

    @classmethod
    def make(cls):
        """Whether it is there; makes the environment."""
        done = subprocess.run([f"{HERE}/../../scripts/peers", "judges"], capture_output=True, text=True)
        cls.path = done.stdout.strip() if done.returncode == 0 else None
        cls.said = (done.stderr.strip().splitlines() or ["?"])[-1]
        return cls.path is not None


def judged_by(judge, folder, path, inputs, properties=()):
    """Outputs, or what the judge says where it refuses. Its reference model starts a debugger where it gives up: none is found."""
    np.savez(f"{folder}/judged_in.npz", **inputs)
    command = [Python.path, f"{HERE}/products_run_judge.py", judge, path, f"{folder}/judged_in.npz", f"{folder}/judged_out.npz", *properties]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": ""}, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return None, f"not done in {LONGEST} s"
    if done.returncode:
        return None, done.stderr
    with np.load(f"{folder}/judged_out.npz") as arrays:
        return dict(arrays), ""


def openvino(folder, path, feeds, properties=tuple(FLOAT if SATURATES else ())):
    onnx = path.endswith(".onnx")
    inputs = {name: runtimes.reals(name, *feed) for name, feed in feeds.items()} if onnx else runtimes.fed(path, feeds)
    outputs, said = judged_by("openvino", folder, path, inputs, properties)
    return (None, said, said) if outputs is None else ((inputs, outputs, output_scales(path) if onnx else {}), "", "")


def openvino_low(folder, path, feeds):
    """As it comes, whatever the processor."""
    return openvino(folder, path, feeds, ())


def openvino_float(folder, path, feeds):
    return openvino(folder, path, feeds, FLOAT)


def tosa(folder, path, feeds):
    inputs = runtimes.fed(path, feeds)
    outputs, said = judged_by("tosa", folder, path, {str(i): array for i, array in enumerate(inputs.values())})
    if outputs is None:
        return None, said, said
    return (inputs, {name: outputs[str(i)] for i, (name, *_) in enumerate(runtimes.ports(path, "outputs"))}, {}), "", ""


# Product of products.py, types, what runs it, the steps that codes may be apart, the part of all codes that must be equal.
# OpenVINO computes between Q and DQ in float32, or in integers with scales in float32, and rounds its ties to even from the lowest code on.
JUDGES = {
    "openvino": ("qdq", ("u8i8", "i8", "u8-asym", "i8-sym"), openvino, 1, 0.98),
    "openvino-tflite": ("tflite", ("i8",), openvino, 1, 0.97),
    "tosa": ("tflite", ("i8",), tosa, 0, 0.99),
}

# What is refused: (judge, labels, types, what is said).
LEFT = "is left in TOSA"
REFUSED = [
    ("openvino", "LSTM", ("u8i8", "i8", "i8-sym"), "expects Constant for port 4"),  # of int8 weights low precision leaves a Multiply before the operator
    ("openvino", "GRU", ("u8i8", "i8", "i8-sym"), "expects Constant for port 3"),
    ("openvino-tflite", "LSTM", ("i8",), "This tensor should be either input, constant or should be already produced"),  # its state, a variable
    ("tosa", "Elu_.*", ("i8",), "op requires the same element type"),
    ("tosa", "Abs_(both|high|far)|Div_both_both", ("i8",), "'tosa.abs' op requires the same element type"),
    ("tosa", "Abs_low", ("i8",), "could not allocate op      ABS input=(INT8"),  # one encoding for both: the reference model's turn to refuse
    ("tosa", "Sqrt", ("i8",), "'tosa.rsqrt' op requires the same element type"),
    ("tosa", "LogSoftmax_both", ("i8",), f"tfl.log_softmax {LEFT}"),
    ("tosa", "ReduceProd_.*", ("i8",), f"tfl.reduce_prod {LEFT}"),
    ("tosa", "CumSum", ("i8",), f"tfl.cumsum {LEFT}"),
    ("tosa", "TopK", ("i8",), f"tfl.topk_v2 {LEFT}"),
    ("tosa", "LSTM", ("i8",), f"tfl.unidirectional_sequence_lstm {LEFT}"),
    ("tosa", "Table(_narrow|_twice)?", ("i8",), f"tfl.embedding_lookup {LEFT}"),
    ("tosa", "Table_(columns|product|tied)", ("i8",), "Invalid TOSA graph"),  # a lookup whose codes have a scale by row or column
]

# Where codes are others: (judge, labels, types, the most steps, or None: whatever is computed, why).
DIFFERS = [
    ("openvino", "Clip", ("i8-sym",), None,
     "low precision puts Clip before the multiplication by its scale: limits between two codes become 0, and so does the result; right without low precision"),
    ("openvino", "(Sign|Floor|Ceil|Round)_both", ("u8i8", "i8", "u8-asym"), None if SATURATES else 1, "a number beside a jump falls to the other side"),
    ("openvino", "Net_.*", ("u8i8", "i8", "u8-asym", "i8-sym"), 2, "ties that fell to the other side go on"),
    ("openvino", "Table_columns", ("u8i8", "i8", "i8-sym"), None, "Gather along the second dim takes the scale of the first column for all"),
    ("openvino-tflite", "Table_columns", ("i8",), None, "Gather along the second dim takes the scale of the first column for all"),
    ("openvino-tflite", "Sqrt", ("i8",), 1, "LiteRT's kernel truncates"),
    ("openvino-tflite", "ReduceMean_.*", ("i8",), 1, "LiteRT's kernel is up to 0.65 steps off"),
    ("openvino-tflite", "(Add|AveragePool)_.*", ("i8",), 1, "TFLite rounds ties away from zero"),
    ("tosa", "HardSigmoid_.*", ("i8",), 1, "between DEQUANTIZE and QUANTIZE: TOSA's CAST rounds ties to even, TFLite's QUANTIZE away from zero"),
    ("tosa", "Resize_nearest", ("i8",), None,
     "the converter gives RESIZE no offset: TOSA rounds positions, TFLite takes their floor; right with half_pixel_centers"),
]


def row_of(table, judge, label, type_):
    return next((row for row in table if row[0] == judge and re.fullmatch(row[1], label) and type_ in row[2]), None)
