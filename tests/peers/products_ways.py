"""The ways to one product: `quantize` to a format, by the native file, by QDQ, `quern compile` and a session of quern.h. Each gives the same file, or one of which
`run` makes the same codes; but where `quantize` has rules of its own for the format (TFLite's rules; Circle's where the type has none of ONE), ways by other files are compared with each
other. Called by products.py."""
import ctypes

import numpy as np

import products_runtimes as runtimes
from checks import build, tool, write_list

RECORD_MINMAX, FLOAT32 = 1, 1


class Session:
    """quern.h by ctypes; what fails throws what quern says."""

    def __init__(self):
        self.library = ctypes.CDLL(f"{build}/lib/libquern.so")
        self.library.quern_last_error.restype = ctypes.c_char_p
        self.handle = ctypes.c_void_p()
        self.call("create_session", ctypes.byref(self.handle), alone=True)

    def call(self, name, *arguments, alone=False):
        if getattr(self.library, f"quern_{name}")(*([] if alone else [self.handle]), *arguments):
            raise RuntimeError(self.library.quern_last_error().decode())

    def close(self):
        self.library.quern_close_session.restype = None
        self.library.quern_close_session(self.handle)


def by_session(model, rows, type_, target):
    """Float model, recorded runs, quantized."""
    session = Session()
    try:
        session.call("load_model_from_file", model.encode())
        session.call("prepare")
        session.call("set_execute_config", RECORD_MINMAX)
        for row in rows:
            for i, array in enumerate(row.values()):
                session.call("set_input", ctypes.c_size_t(i), FLOAT32, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
            session.call("run")
        session.call("reset_execute_config")
        session.call("set_quantization_type", type_.encode())
        session.call("set_quantized_model_path", target.encode())
        session.call("quantize")
    finally:
        session.close()
    return target


def ways(folder, model, rows, type_, suffix):
    """The products by all ways, the direct one first."""
    ranges, listed = f"{folder}/ways.json", write_list(folder, rows)
    tool("minmax-collect", model, "--input-list", listed, "-q", "-o", ranges)
    made = {"quantize": f"{folder}/direct.{suffix}"}
    tool("quantize", model, "--ranges", ranges, "--type", type_, "-q", "-o", made["quantize"])
    for between in ("qn", "onnx") if type_ != "i16-sym" else ("qn",):  # ONNX dequantizes no int64 biases: they become others there
        tool("quantize", model, "--ranges", ranges, "--type", type_, "-q", "-o", f"{folder}/between.{between}")
        made[f"quantize to {between}, codegen"] = f"{folder}/by_{between}.{suffix}"
        tool("codegen", f"{folder}/between.{between}", "-p", suffix, "-q", "-o", f"{folder}/by_{between}.{suffix}")
        made[f"quantize to {between}, model-convert"] = f"{folder}/converted_{between}.{suffix}"
        tool("model-convert", f"{folder}/between.{between}", "-q", "-o", f"{folder}/converted_{between}.{suffix}")
    made["compile"] = f"{folder}/compiled.{suffix}"
    tool("compile", model, "--input-list", listed, "--type", type_, "-q", "-o", made["compile"])
    made["session"] = by_session(model, rows, type_, f"{folder}/session.{suffix}")
    return made


def codes(folder, path, row):
    """Of outputs by name, of real inputs."""
    tool("run", path, "--mode", "int", "--input-list", write_list(folder, [row]), "--format", "npz", "-q", "-o", f"{folder}/ways.npz")
    with np.load(f"{folder}/ways.npz") as arrays:
        return {name: arrays[name] for name in arrays.files}


def alike(a, b):
    """A step of codes is more than that; of weights alone in codes, sums of real numbers may have another order."""
    return a.shape == b.shape and bool(np.abs(a - b).max() <= 1e-5 * np.abs(b).max() if a.dtype.kind == "f" else np.array_equal(a, b))


def compare(folder, model, rows, type_, suffix, own_rules):
    """-> what is said of each way that differs."""
    made = ways(folder, model, rows, type_, suffix)
    known, said = {}, []

    def codes_of(path):
        if path not in known:
            known[path] = codes(folder, path, rows[0])
        return known[path]

    for way, path in made.items():
        like = made["quantize to qn, codegen" if own_rules and "," in way else "quantize"]
        with open(path, "rb") as one, open(like, "rb") as other:
            if one.read() == other.read():
                continue
        got, want = codes_of(path), codes_of(like)
        differs = sorted({name.split("/")[1] for name in want if not alike(got[name], want[name])})
        if differs:
            said.append(f"{way}: {', '.join(differs)}")
    return said
