"""Integer and dynamic range models of TFLite beside LiteRT's reference kernels; called by tests/peers/peer. Every code is equal."""
import glob
import json
import subprocess
import tempfile

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from checks import build, check, finish, models
from tflite_builder import Case


# model, blob of rows, its type, what is added to give codes, shape of a row, how many rows; without a blob: random codes
CODES = [
    ("vww01_mobilenetv1_025_int8", "data/vww01/images_u8.bin", np.uint8, -128, (1, 96, 96, 3), 8),
    ("kws01_dscnn_int8", "data/kws01/mfcc_i8.bin", np.int8, 0, (1, 49, 10, 1), 64),
    ("mobilenet_v1_0.25_128_uint8", "data/images_coral/rgb_u8_128x128.bin", np.uint8, 0, (1, 128, 128, 3), 4),
    ("ic01_resnet8_int8", None, None, 0, (1, 32, 32, 3), 8),
    ("ad01_autoencoder_int8", None, None, 0, (1, 640), 8),
    ("micro_speech_int8", None, None, 0, (1, 1960), 8),
    ("hello_world_int8", None, None, 0, (1, 1), 32),
    ("mnist_lstm_int8", "data/mnist/images_u8.bin", np.uint8, -128, (1, 28, 28), 64),
]


def theirs(path, rows):
    interpreter = Interpreter(path, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    inputs, output = interpreter.get_input_details(), interpreter.get_output_details()[0]
    results = []
    for row in rows:
        for detail, array in zip(inputs, row):
            interpreter.set_tensor(detail["index"], array)
        interpreter.invoke()
        results.append(interpreter.get_tensor(output["index"]).ravel().copy())
    return [detail["name"] for detail in inputs], np.stack(results)


def ours(path, names, rows, dtype, *args):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/list.txt", "w") as file:
            for i, row in enumerate(rows):
                for k, array in enumerate(row):
                    np.save(f"{folder}/{i}_{k}.npy", array)
                file.write(" ".join(f"{name}:={folder}/{i}_{k}.npy" for k, name in enumerate(names)) + "\n")
        info = json.loads(subprocess.run([f"{build}/bin/model-info", path, "--json"], capture_output=True, text=True, check=True).stdout)
        assert [value["name"] for value in info["inputs"]] == names
        done = subprocess.run([f"{build}/bin/run", path, "--input-list", f"{folder}/list.txt", "-o", f"{folder}/out", "--mode", "int", *args],
                              capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip())
        first = info["outputs"][0]["name"]
        paths = [[p for p in glob.glob(f"{folder}/out/Result_{i}/*") if len(info["outputs"]) == 1 or p.endswith(f"/{first}.raw")][0]
                 for i in range(len(rows))]
        return np.stack([np.fromfile(p, dtype) for p in paths])


def codes(name, blob, kind, shift, shape, count):
    path = f"{models}/tflite/{name}.tflite"
    dtype = np.uint8 if "uint8" in name else np.int8
    if blob:
        data = (np.fromfile(f"{models}/{blob}", kind).reshape(-1, *shape)[:count].astype(np.int16) + shift).astype(dtype)
    else:
        data = np.random.default_rng(1).integers(-128, 128, (count, *shape)).astype(dtype)
    names, want = theirs(path, [[row] for row in data])
    state = ["--stateful"] if "lstm" in name else []  # the interpreter is not reset between rows
    steps = np.abs(ours(path, names, [[row] for row in data], dtype, "--native-io", *state).astype(int) - want)
    check(steps.max() == 0, f"{name}: {100 * np.mean(steps == 0):.2f} % of codes equal, greatest {steps.max()}")


def hybrid(name, rows):
    path = f"{models}/tflite/{name}.tflite"
    names, want = theirs(path, rows)
    far = np.abs(ours(path, names, rows, np.float32) - want).max() / np.abs(want).max()
    check(far <= 1e-5, f"{name}: max|a-b|/max|b| {far:.1e}")


def single(what, case, shape, dtype):
    """One operator on random codes."""
    limits = np.iinfo(dtype)
    rows = [[np.random.default_rng(i).integers(limits.min, limits.max + 1, shape).astype(dtype)] for i in range(2)]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/case.tflite"
        case.write(path)
        names, want = theirs(path, rows)
        steps = np.abs(ours(path, names, rows, dtype, "--native-io").astype(int) - want)
    check(steps.max() == 0, f"{what} {dtype.__name__}: {100 * np.mean(steps == 0):.2f} % of codes equal, greatest {steps.max()}")


def reductions(dtype, zero):
    full = [2, 5, 7, 6]
    for axes, keep in (([1, 2], True), ([1, 2], False), ([3], True), ([1], False), ([0, 1, 2, 3], False)):
        out = [1 if i in axes else d for i, d in enumerate(full) if keep or i not in axes]
        for name, scale, shift in (("MEAN", 0.071, 9), ("MEAN", 0.05, 0), ("REDUCE_MAX", 0.05, 0), ("REDUCE_MIN", 0.05, 0), ("SUM", 0.071, 9)):
            if name == "SUM" and dtype != np.uint8:
                continue
            case = Case(name, "ReducerOptions", 2, keepDims=keep).fed(dtype, full, 0.05, zero).constant(np.array(axes, np.int32))
            single(f"{name} of {axes}", case.output(dtype, out, scale, zero + shift if zero else 0), full, dtype)
    for name in ("RELU", "RELU6"):
        for scale, shift in ((0.05, 0), (0.03, 9)):
            case = Case(name, None, 2).fed(dtype, [3, 100], 0.05, zero).output(dtype, [3, 100], scale, zero + shift if zero else 0)
            single(name, case, [3, 100], dtype)


for case in CODES:
    codes(*case)
for dtype, zero in ((np.int8, -5), (np.uint8, 120), (np.int16, 0)):
    reductions(dtype, zero)
features = (np.fromfile(f"{models}/data/kws01/mfcc_i8.bin", np.int8).reshape(-1, 1, 49, 10, 1)[:16].astype(np.float32) - 83) * np.float32(0.58470291)
hybrid("kws01_dscnn_hybrid", [[row] for row in features])
state = np.zeros((1, 2, 128, 2), np.float32)
magnitudes = np.fromfile(f"{models}/data/dtln/mag_f32.bin", np.float32).reshape(-1, 1, 1, 257)[100:108]
hybrid("dtln_1_dynrange", [[row, state] for row in magnitudes])
audio = np.fromfile(f"{models}/data/speech/silero_test_16k_i16.bin", np.int16)[16000:20096].astype(np.float32).reshape(8, 1, 1, 512) / 32768
hybrid("dtln_2_dynrange", [[row, state] for row in audio])
finish("litert")
