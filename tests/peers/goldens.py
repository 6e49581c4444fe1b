"""TFLite and Circle models beside the golden results that lie with them; called by tests/peers/peer. Float models agree within 1e-4
of their greatest result; of models in codes it is said how many codes are equal and how far the others are, and how often the class is
the same."""
import glob
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

from checks import build, check, finish, models

only = sys.argv[3:]

# model, rows of a blob as its input, how many, classes
FLOATS = [
    ("tflite/vww01_mobilenetv1_025_float32.tflite", "data/vww01/images_u8.bin:u8[1,96,96,3]/255", 200, 2),
    ("tflite/kwt1_keyword_transformer_float32.tflite", "data/kws01_audio/audio_i16.bin:i16[1,16000]/32768", 64, 12),
    ("tflite/mnist_lstm_float32.tflite", "data/mnist/images_u8.bin:u8[1,28,28]/255", 64, 10),
    ("tflite/speech_recognition_float32.tflite", "data/one_speech/features_f32.bin:f32[1,1960]", 1, 4),
    ("circle/speech_recognition_float32.circle", "data/one_speech/features_f32.bin:f32[1,1960]", 1, 4),
]
# model, blob, its type, what is added to give the model's codes, shape of a row, how many, type of the codes
CODES = [
    ("tflite/vww01_mobilenetv1_025_int8.tflite", "data/vww01/images_u8.bin", np.uint8, -128, (1, 96, 96, 3), 200, np.int8),
    ("tflite/kws01_dscnn_int8.tflite", "data/kws01/mfcc_i8.bin", np.int8, 0, (1, 49, 10, 1), 64, np.int8),
    ("tflite/mnist_lstm_int8.tflite", "data/mnist/images_u8.bin", np.uint8, -128, (1, 28, 28), 64, np.int8),
    ("tflite/mobilenet_v1_0.25_128_uint8.tflite", "data/images_coral/rgb_u8_128x128.bin", np.uint8, 0, (1, 128, 128, 3), 12, np.uint8),
]


def run(model, *args):
    done = subprocess.run([f"{build}/bin/run", f"{models}/{model}", *map(str, args)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())


def results(folder, count, dtype):
    rows = []
    for i in range(count):
        names = [name for name in os.listdir(f"{folder}/Result_{i}") if "_out." not in name]  # not the state
        rows.append(np.fromfile(f"{folder}/Result_{i}/{names[0]}", dtype))
    return np.stack(rows)


def golden(model, dtype, count):
    name = os.path.splitext(os.path.basename(model))[0]
    return np.fromfile(f"{models}/golden/{name}.out0.bin", dtype).reshape(count, -1)


def input_name(model):
    done = subprocess.run([f"{build}/bin/model-info", f"{models}/{model}", "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["inputs"][0]["name"]


def state(model):
    """The interpreter was not reset between rows."""
    return ["--stateful"] if "lstm" in model else []


def write_rows(folder, name, rows):
    with open(f"{folder}/list.txt", "w") as file:
        for i, row in enumerate(rows):
            np.save(f"{folder}/{i}.npy", row)
            file.write(f"{name}:={folder}/{i}.npy\n")
    return f"{folder}/list.txt"


def floats(model, rows, count):
    with tempfile.TemporaryDirectory() as folder:
        run(model, "--input", f"{input_name(model)}={models}/{rows}", "--rows", count, "-o", f"{folder}/out", *state(model))
        got, want = results(f"{folder}/out", count, np.float32), golden(model, np.float32, count)
        far = np.abs(got - want).max() / np.abs(want).max()
        same = np.mean(got.argmax(1) == want.argmax(1))
        check(far <= 1e-4, f"{model}: max|a-b|/max|b| {far:.1e}, class equal {100 * same:.1f} % of {count}")


def hybrid():
    model, count = "tflite/kws01_dscnn_hybrid.tflite", 64
    rows = np.fromfile(f"{models}/data/kws01/mfcc_i8.bin", np.int8).reshape(-1, 1, 49, 10, 1)[:count].astype(np.float32)
    with tempfile.TemporaryDirectory() as folder:
        run(model, "--input-list", write_rows(folder, input_name(model), (rows - 83) * np.float32(0.58470291)), "-o", f"{folder}/out", "--mode", "int")
        got, want = results(f"{folder}/out", count, np.float32), golden(model, np.float32, count)
        far = np.abs(got - want).max() / np.abs(want).max()
        same = np.mean(got.argmax(1) == want.argmax(1))
        # The interpreter rounds the activations of such a model; a float run does not.
        check(far <= 1e-4, f"{model} --mode int: max|a-b|/max|b| {far:.1e}, class equal {100 * same:.1f} % of {count}")


def codes(model, blob, dtype, shift, shape, count, out, arithmetic):
    rows = np.fromfile(f"{models}/{blob}", dtype).reshape(-1, *shape)[:count].astype(np.int16) + shift
    with tempfile.TemporaryDirectory() as folder:
        feed = write_rows(folder, input_name(model), rows.astype(out))
        run(model, "--input-list", feed, "-o", f"{folder}/out", "--native-io", "--mode", "int", "--arithmetic", arithmetic, *state(model))
        got, want = results(f"{folder}/out", count, out).astype(int), golden(model, out, count).astype(int)
        steps = np.abs(got - want)
        same = np.mean(got.argmax(1) == want.argmax(1))
        line = f"{100 * np.mean(steps == 0):.2f} % of codes equal, {100 * np.mean(steps <= 1):.2f} % within a step, greatest {steps.max()}"
        # The interpreter ran on XNNPACK, whose products round as profile onnx does; recurrent operators are computed on real numbers here.
        enough = np.mean(steps == 0) >= 0.98 if arithmetic == "onnx" else same >= 0.9
        check(enough, f"{model} --arithmetic {arithmetic}: {line}, class equal {100 * same:.1f} % of {count}")


def llama():
    """A transformer in Circle with blocks of 4 bits: the tokens that it writes after the first."""
    model, tokens = "circle/tinyllama_v0_prefill_q4_0.circle", [1, 4612, 2619, 260, 647, 31844, 635, 393, 260]
    with tempfile.TemporaryDirectory() as folder:
        feed = {"input_ids": np.zeros((1, 32), np.int64), "use_cache": np.array(False), "return_dict": np.array(False),
                "logits_to_keep": np.array(0, np.int64)}
        feed["input_ids"][0, : len(tokens)] = tokens
        args = []
        for name, array in feed.items():
            np.save(f"{folder}/{name}.npy", array)
            args += ["--input", f"tico::{name}={folder}/{name}.npy"]
        run(model, *args, "-o", f"{folder}/out", "--format", "npz")
        arrays = np.load(f"{folder}/out")
        scores = [arrays[name] for name in arrays.files if arrays[name].shape[-1] == 32000][0][0]
        check(list(scores[: len(tokens) - 1].argmax(1)) == tokens[1:], f"{model}: the tokens of a greedy run")


def seanet():
    """Single 16-bit operators with the results of the reference kernels: equal to the code."""
    equal, cases = 0, 0
    for path in sorted(glob.glob(f"{models}/tflite/seanet_int16/*/*.tflite")):
        model, base = os.path.relpath(path, models), path[: -len(".tflite")]
        done = subprocess.run([f"{build}/bin/model-info", path, "--json"], capture_output=True, text=True, check=True)
        inputs = json.loads(done.stdout)["inputs"]
        given = sorted(glob.glob(base + "_input*.csv"))
        want = np.loadtxt(glob.glob(base + "_golden*.csv")[0], dtype=np.int64, delimiter=",").ravel()
        with tempfile.TemporaryDirectory() as folder:
            row = []
            for value in inputs:
                shape = [int(dim) for dim in value["type"].split("[")[1].rstrip("]").split(",")]
                codes = np.zeros(shape, np.int32)  # the shape of a result, which the file fixes anyway
                if value["type"].startswith("float"):
                    kind = value["encoding"].split()[0]
                    codes = np.loadtxt(given[min(len(row), len(given) - 1)], dtype=np.int64, delimiter=",").reshape(shape).astype(kind)
                np.save(f"{folder}/{len(row)}.npy", codes)
                row.append(f"{value['name']}:={folder}/{len(row)}.npy")
            with open(f"{folder}/list.txt", "w") as file:
                file.write(" ".join(row) + "\n")
            run(model, "--input-list", f"{folder}/list.txt", "-o", f"{folder}/out", "--native-io", "--mode", "int", "--format", "npz")
            arrays = np.load(f"{folder}/out")
            cases += 1
            same = np.array_equal(arrays[arrays.files[0]].ravel(), want)
            equal += same
            if not same:
                print(f"note  {model}: differs")
    check(equal == cases == 66, f"tflite/seanet_int16: {equal} of {cases} operators equal to the code")


jobs = [(row[0], lambda row=row: floats(*row[:3])) for row in FLOATS] + [("tflite/kws01_dscnn_hybrid.tflite", hybrid), ("seanet", seanet), ("circle/tinyllama", llama)]
jobs += [(row[0], lambda row=row, arithmetic=arithmetic: codes(*row, arithmetic)) for row in CODES for arithmetic in ("onnx", "tflite")]
for name, job in jobs:
    if only and not any(word in name for word in only):
        continue
    try:
        job()
    except RuntimeError as error:
        check(False, f"{name}: {error}")
finish("goldens")
