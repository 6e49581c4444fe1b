"""GGUF files that PyPI's gguf writes are read, and what is written of them is read by it: every key, every tensor, every byte, in either byte order;
llama.cpp loads it where llama-cpp-python is installed. usage: containers.py BUILD MODELS"""
import json
import pathlib
import subprocess
import sys
import tempfile

import gguf
import numpy as np

build, models = sys.argv[1], pathlib.Path(sys.argv[2])
failed = 0


def check(right, what):
    global failed
    if not right:
        failed += 1
        print("FAIL", what)


def written(path):
    """A file of the peer's own: every type of values, and tensors of several types and ranks."""
    writer = gguf.GGUFWriter(path, "none")
    for name, number in {"uint8": 200, "int8": -3, "uint16": 60000, "int16": -300, "uint32": 4 << 29, "int32": -70000, "uint64": 1 << 63, "int64": -1 << 40}.items():
        getattr(writer, "add_" + name)("t." + name, number)
    writer.add_float32("t.float32", 1.5)
    writer.add_float64("t.float64", -0.1)
    writer.add_bool("t.bool", True)
    writer.add_string("t.string", "text \u2581")
    writer.add_array("t.texts", ["a", "", "\u00e4"])
    writer.add_array("t.numbers", [1, 2, 70000])
    random = np.random.default_rng(1)
    writer.add_tensor("f32", random.standard_normal((3, 5), dtype=np.float32))
    writer.add_tensor("f16", random.standard_normal((2, 3, 4)).astype(np.float16))
    writer.add_tensor("i32", np.arange(7, dtype=np.int32))
    for kind in ("Q4_0", "Q8_0"):
        real = random.standard_normal((4, 64), dtype=np.float32)
        kind_of = gguf.GGMLQuantizationType[kind]
        writer.add_tensor(kind, gguf.quants.quantize(real, kind_of), raw_dtype=kind_of)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def described(path):
    """What its peer sees in a file: keys with types and values, and tensors."""
    reader = gguf.GGUFReader(path)
    fields = {name: ([int(kind) for kind in field.types], field.contents()) for name, field in reader.fields.items() if not name.startswith("GGUF.")}
    tensors = {t.name: (t.tensor_type.name, [int(dim) for dim in t.shape], t.data) for t in reader.tensors}
    return fields, tensors


def same_fields(a, b, what):
    check(list(a) == list(b), f"{what}: keys")
    for name in a:
        check(a[name] == b[name], f"{what}: {name}")


def same_tensors(a, b, what, as_bytes):
    check(list(a) == list(b), f"{what}: tensors")
    for name in a:
        check(a[name][:2] == b[name][:2], f"{what}: {name}: type and shape")
        if as_bytes:
            check(a[name][2].tobytes() == b[name][2].tobytes(), f"{what}: {name}: bytes")
        elif a[name][0] in ("F32", "F16", "I32"):
            check(np.array_equal(np.asarray(a[name][2]), np.asarray(b[name][2])), f"{what}: {name}: numbers")


def copied(source, to, *order):
    done = subprocess.run([f"{build}/tests/gguf_copy", str(source), str(to), *order], capture_output=True, text=True)
    check(done.returncode == 0, f"{source}: {done.stderr}")
    return done.returncode == 0


def compare(source, folder):
    little, big, back = (folder / name for name in ("little.gguf", "big.gguf", "back.gguf"))
    if not (copied(source, little) and copied(source, big, "big") and copied(big, back)):
        return
    fields, tensors = described(source)
    for path, as_bytes in ((little, True), (big, False), (back, True)):
        other_fields, other_tensors = described(path)
        same_fields(fields, other_fields, f"{source.name} as {path.name}")
        same_tensors(tensors, other_tensors, f"{source.name} as {path.name}", as_bytes)
    check(little.read_bytes() == back.read_bytes(), f"{source.name}: through big-endian and back")
    print(f"{source.name}: {len(fields)} keys, {len(tensors)} tensors")


def shown(path):
    """model-info's list of tensors beside the peer's."""
    done = subprocess.run([f"{build}/bin/model-info", str(path), "--json"], capture_output=True, text=True)
    check(done.returncode == 0, f"model-info: {done.stderr}")
    if done.returncode != 0:
        return
    said = json.loads(done.stdout)
    reader = gguf.GGUFReader(path)
    theirs = [(t.name, t.tensor_type.name, [int(dim) for dim in reversed(t.shape)], int(t.n_bytes), int(t.data_offset)) for t in reader.tensors]
    ours = [(t["name"], t["type"], t["shape"], t["bytes"], t["offset"]) for t in said["tensors"]]
    check(ours == theirs, f"{path.name}: model-info's tensors")


def loads(path):
    try:
        from llama_cpp import Llama
    except ImportError:
        print("llama-cpp-python is not installed: llama.cpp loads nothing here")
        return
    net = Llama(model_path=str(path), n_ctx=32, verbose=False)
    text = net("Once upon a time", max_tokens=8, temperature=0)["choices"][0]["text"]
    check(text.strip() != "", "llama.cpp says nothing")
    print(f"llama.cpp: {text!r}")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    written(folder / "own.gguf")
    compare(folder / "own.gguf", folder)
    shown(folder / "own.gguf")
    public = sorted(models.glob("gguf/*.gguf")) + sorted(models.glob("gguf-vocab/*.gguf"))
    for path in public:
        compare(path, folder)
        shown(path)
    copy = folder / "copy.gguf"
    if public and copied(models / "gguf" / "stories260K-f32.gguf", copy):
        loads(copy)
print(f"{failed} differences")
sys.exit(failed != 0)
