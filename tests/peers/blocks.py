"""Block formats beside PyPI's gguf and, where llama-cpp-python is installed, ggml itself: every decoded block bit for bit, every encoded one byte for
byte, on random blocks and on a trained model's weights; called by tests/peers/peer.
usage: blocks.py BUILD MODELS [--ggml LIBRARY] [FORMAT ...]   --ggml: libggml-base.so (else it is looked for beside this Python and in QUERN_GGML)"""
import ctypes
import glob
import os
import subprocess
import sys
import sysconfig
import tempfile

import gguf
import numpy as np

import checks
from checks import build, check, models

ROW = 512  # elements: two of the largest blocks
NO_PEER = {"q1_0", "q2_0"}  # of which gguf has no numbers
words = sys.argv[3:]
library = words.pop(words.index("--ggml") + 1) if "--ggml" in words else None
only = [word for word in words if not word.startswith("--")]


def codec(verb, name, data, *rest):
    """What build/tests/block_codec makes of these bytes."""
    done = subprocess.run([f"{build}/tests/block_codec", verb, name, str(ROW), *rest], input=data.tobytes(), capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode().strip() or f"block_codec ended with {done.returncode}")
    return done.stdout


def formats():
    """{name: (number, elements, bytes, functions)}"""
    lines = subprocess.run([f"{build}/tests/block_codec", "list"], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = {name: (int(number), int(elements), int(size), functions) for name, number, elements, size, *functions in map(str.split, lines)}
    return {name: row for name, row in rows.items() if not only or name in only}


class Ggml:
    """ggml's own functions, from llama-cpp-python."""

    def __init__(self, path):
        self.library = ctypes.CDLL(path)
        self.quantize = self.library.ggml_quantize_chunk
        self.quantize.restype = ctypes.c_size_t
        self.quantize.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]

    def encoded(self, number, numbers, importance):
        out = np.zeros(numbers.nbytes, np.uint8)
        pointer = importance.ctypes.data if importance is not None else None
        return out[:self.quantize(number, numbers.ctypes.data, out.ctypes.data, 0, numbers.size // ROW, ROW, pointer)]

    def decoded(self, name, blocks, count):
        out = np.zeros(count, np.float32)
        function = self.library["dequantize_row_" + (name.upper().replace("Q", "q") if name.endswith("_k") else name)]
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
        function.restype = None
        function(blocks.ctypes.data, out.ctypes.data, count)
        return out


def find_ggml():
    """None, with the reason printed, if it is not there."""
    folders = [os.environ.get("QUERN_GGML", ""), sysconfig.get_paths()["purelib"] + "/llama_cpp/lib"]
    found = [library] if library else [path for folder in folders if folder for path in glob.glob(folder + "/libggml-base.so")]
    if not found:
        print("note  llama-cpp-python is not installed (QUERN_GGML is its llama_cpp/lib): ggml's own functions are not compared", flush=True)
        return None
    return Ggml(found[0])


def random_numbers(rng):
    """Rows of many sizes, with those that searches stumble over: zeros, one value, few values, one sign, heavy tails."""
    x = (rng.standard_normal((600, ROW)) * rng.choice([1e-3, 0.02, 1, 50], (600, 1))).astype(np.float32)
    x[:20] = np.round(x[:20] * 4) / 4
    x[20:24] = 0
    x[24:26], x[26:28] = np.abs(x[24:26]), -np.abs(x[26:28])
    x[28, :32] = 0
    x[29] = 3.5
    x[30:33] = rng.choice([-1, 0, 1], (3, ROW))
    x[33:40] = rng.standard_t(1.1, (7, ROW))
    return x


def weights():
    """Of stories260K, padded with zeros to rows of ROW elements; None if the model is not there."""
    path = f"{models}/llama2c/stories260K.bin"
    if not os.path.exists(path):
        print("note  stories260K.bin is not there: no trained weights are compared", flush=True)
        return None
    dim, hidden, layers, heads, kv_heads, vocab, _ = np.fromfile(path, np.int32, 7).tolist()
    kv = dim // heads * kv_heads
    matrices = {"embedding": (vocab, dim), "attention norm": None, "query": (layers * dim, dim), "key": (layers * kv, dim), "value": (layers * kv, dim),
                "output": (layers * dim, dim), "mlp norm": None, "gate": (layers * hidden, dim), "down": (layers * dim, hidden), "up": (layers * hidden, dim)}
    numbers, at, rows = np.fromfile(path, np.float32, offset=28), 0, []
    for shape in matrices.values():
        count = np.prod(shape) if shape else layers * dim
        if shape:
            rows.append(np.pad(numbers[at:at + count].reshape(shape), ((0, 0), (0, ROW // 2 - shape[1]))))
        at += count
    return np.ascontiguousarray(np.concatenate(rows)[:np.concatenate(rows).shape[0] // 2 * 2].reshape(-1, ROW))


def equal_bits(a, b):
    """NaN is NaN."""
    return a.size == b.size and bool(np.all((a.view(np.uint32) == b.view(np.uint32)) | (np.isnan(a) & np.isnan(b))))


def compare_decoding(name, row, blocks, ggml, what):
    number, _, size, functions = row
    got = np.frombuffer(codec("decode", name, blocks), np.float32)
    if "unpack" in functions:
        check(equal_bits(np.frombuffer(codec("unpack", name, blocks), np.float32), got), f"{name}: {what}: codes times scales are what is decoded")
    check(equal_bits(np.frombuffer(codec("decode", name, blocks, "--base"), np.float32), got), f"{name}: {what}: decoded alike without AVX2")
    if name not in NO_PEER:
        with np.errstate(all="ignore"):
            want = gguf.quants.dequantize(blocks.reshape(-1, size), gguf.GGMLQuantizationType(number)).astype(np.float32).ravel()
        check(equal_bits(got, want), f"{name}: {what}: {blocks.size // size} blocks decode as gguf has them")
    if ggml and name not in ("f16", "bf16"):
        check(equal_bits(got, ggml.decoded(name, blocks, got.size)), f"{name}: {what}: they decode as ggml has them")


def equal_share(got, want, size):
    got, want = got.reshape(-1, size), want.reshape(-1, size)
    return np.mean(np.all(got == want, axis=1)), len(got)


def compare_with_gguf(name, row, numbers, what):
    try:
        with np.errstate(all="ignore"):
            want = gguf.quants.quantize(numbers, gguf.GGMLQuantizationType(row[0]))
    except NotImplementedError:
        return
    share, count = equal_share(np.frombuffer(codec("encode", name, numbers), np.uint8), want.view(np.uint8), row[2])
    check(share == 1, f"{name}: {what}: {share:.2%} of {count} blocks are encoded as gguf does")


def compare_encoding(name, row, numbers, importance, ggml, what):
    number, _, size, _ = row
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"" if importance is None else importance.tobytes())
        file.flush()
        rest = [] if importance is None else [file.name]
        got = np.frombuffer(codec("encode", name, numbers, *rest), np.uint8)
        check(np.array_equal(got, np.frombuffer(codec("encode", name, numbers, "--base", *rest), np.uint8)), f"{name}: {what}: encoded alike without AVX2")
    if ggml:
        share, count = equal_share(got, ggml.encoded(number, numbers, importance), size)
        check(share == 1, f"{name}: {what}: {share:.2%} of {count} blocks are encoded as ggml does")
    if importance is None and name not in NO_PEER:
        compare_with_gguf(name, row, numbers + np.float32(0), what)  # of zeros that differ in sign gguf takes another one
    return got


def compare(name, row, ggml, real):
    rng = np.random.default_rng(row[0])
    number, elements, size, functions = row
    if "unpack" in functions or name in ("f16", "bf16"):
        compare_decoding(name, row, rng.integers(0, 256, (ROW // elements * 500, size), np.uint8), ggml, "random bytes")
    if "encode" not in functions or name == "f32":
        return
    importance = (rng.random(ROW, np.float32) ** 2 * 10)
    importance[5:40] = 0
    for what, numbers in (("random numbers", random_numbers(rng)), ("stories260K", real)):
        if numbers is None:
            continue
        blocks = compare_encoding(name, row, numbers, None, ggml, what)
        compare_encoding(name, row, numbers, importance, ggml, what + " with importance")
        compare_decoding(name, row, blocks, ggml, what)


def main():
    ggml, real = find_ggml(), weights()
    for name, row in formats().items():
        compare(name, row, ggml, real)
    checks.finish("blocks")


main()
