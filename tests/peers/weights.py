"""safetensors beside the library of that name: what one writes the other reads, and broken files are refused by both; called by tests/peers/peer.
"""
import json
import struct
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from checks import check, finish, tool

build = sys.argv[1]
draw = np.random.default_rng(7)
DTYPES = ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool")


def arrays():
    """Constants of every type, an empty and a rank-0 one among them."""
    made = {f"c_{name}": (draw.standard_normal((3, 2)) * 50).astype(name) for name in DTYPES}
    return {**made, "scalar": np.float32(1.5).reshape(()), "empty": np.zeros((0, 4), np.float32), 'odd "name"/é': np.ones(3, np.int8)}


def write_model(path, constants):
    """Each constant through an Identity of its own, so that all are used; names of values are those of the tensors."""
    nodes = [helper.make_node("Identity", [name], [f"out_{i}"]) for i, name in enumerate(constants)]
    outputs = [helper.make_tensor_value_info(f"out_{i}", helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for i, a in enumerate(constants.values())]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])]
    graph = helper.make_graph(nodes, "g", inputs, outputs, [numpy_helper.from_array(np.asarray(a), name) for name, a in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)]), path)


def same(got, want):
    return got.keys() == want.keys() and all(got[k].dtype == want[k].dtype and np.array_equal(got[k], want[k]) and got[k].shape == want[k].shape for k in want)


def round_trips(folder):
    constants = arrays()
    model, ours, theirs, back = (f"{folder}/{name}" for name in ("net.onnx", "ours.safetensors", "theirs.safetensors", "back.safetensors"))
    write_model(model, constants)
    tool("model-convert", model, "--dump-weights", ours, "-o", f"{folder}/net.qn")
    check(same(load_file(ours), constants), "the library reads what quern wrote")

    other = {name: np.asarray(a + a.dtype.type(1) if a.dtype != bool else ~a) for name, a in constants.items()}
    save_file(other, theirs, metadata={"format": "np"})
    tool("model-convert", model, "--weights", theirs, "--dump-weights", back, "-o", f"{folder}/other.qn")
    check(same(load_file(back), other), "quern takes what the library wrote")
    shown = json.loads(tool("model-info", theirs, "--json"))
    check(shown["metadata"] == {"format": "np"} and {t["name"]: t["shape"] for t in shown["tensors"]} == {n: list(a.shape) for n, a in other.items()}, "model-info lists the tensors")

    save_file({"c_float32": other["c_float32"].astype(np.float16)}, theirs)
    tool("model-convert", model, "--weights", theirs, "--dump-weights", back, "-o", f"{folder}/other.qn")
    check(np.array_equal(load_file(back)["c_float32"], other["c_float32"].astype(np.float16).astype(np.float32)), "half floats become the constant's type")


def refused_by_library(path):
    try:
        load_file(path)
        return False
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError):
        return True


def broken(folder):
    """Files with one thing changed: quern reads those that the library reads, and no others."""
    def file(header, data=b"01234567", size=None):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        return struct.pack("<Q", len(text) if size is None else size) + text + data

    def entry(**changes):
        return {"a": {"dtype": "U8", "shape": [8], "data_offsets": [0, 8], **changes}}

    two = lambda first, second: {"a": {"dtype": "U8", "shape": [4], "data_offsets": first}, "b": {"dtype": "U8", "shape": [4], "data_offsets": second}}
    files = [file(entry()), file(two([0, 4], [4, 8])), file(two([4, 8], [0, 4])), file(two([0, 4], [2, 6])), file(two([0, 4], [0, 4])), file(two([1, 5], [5, 8])),
             file(entry(shape=[9])), file(entry(shape=[2, 4])), file(entry(dtype="Q8")), file(entry(dtype="F32")), file(entry(dtype="F32", shape=[2])),
             file(entry(data_offsets=[0, 9])), file(entry(data_offsets=[8, 0])), file(entry(data_offsets=[0, 2**63])), file(entry(shape=[2**40, 2**40])),
             file(entry(shape=[-8])), file(entry(shape=[8.5])), file(entry(shape="8")), file(entry(), b"0123456"), file(entry(), b"012345678"), file(entry(), size=5),
             file(entry(), size=2**60), file(entry(), size=200), file(b"{}", b""), file(b"{}"), file(b"[]"), file(b"{"), file({"a": 1}), file({"a": {"dtype": "U8"}}),
             file({**entry(), "__metadata__": {"k": "v"}}), file({**entry(), "__metadata__": {"k": 1}}), file(json.dumps(entry()).encode() + b"   "), b"", b"1234567"]
    for i, contents in enumerate(files):
        path = f"{folder}/{i}.safetensors"
        with open(path, "wb") as out:
            out.write(contents)
        done = subprocess.run([f"{build}/bin/model-info", path], capture_output=True, text=True)
        check((done.returncode != 0) == refused_by_library(path), f"file {i}: quern says {done.returncode} {done.stderr.strip()}, the library {refused_by_library(path)}")
        check(done.returncode in (0, 3, 4), f"file {i}: exit {done.returncode}")


with tempfile.TemporaryDirectory() as work:
    round_trips(work)
    broken(work)
finish("weights")
