"""QNN's HTP, emulated, through onnxruntime's plugin, and what onnxruntime itself quantizes for it (soc_model 57: v75).

    qnn_session.py --htp MODEL ROWS RESULTS [ROUNDS]    prepares, so many times, and runs
    qnn_session.py --prepare ROUNDS FIGURES MODEL ...   seconds of preparing, models by turns, and KB of their contexts, as JSON

The two are how the functions here call themselves: what QNN does is done by a process of its own, which may end as it likes; what it could not do is said."""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import numpy as np

from decibels import decibel

SOC = "57"
TYPES = ("u8i8", "w8u16")


def open_session(path, **entries):
    import onnxruntime as ort
    import onnxruntime_qnn
    if not any(device.ep_name == "QNNExecutionProvider" for device in ort.get_ep_devices()):
        ort.register_execution_provider_library("QNNExecutionProvider", onnxruntime_qnn.get_library_path())
    device = next(device for device in ort.get_ep_devices() if device.ep_name == "QNNExecutionProvider")
    options = ort.SessionOptions()
    options.log_severity_level = 1  # names what is refused
    for key, value in entries.items():
        options.add_session_config_entry(key.replace("__", "."), value)
    options.add_provider_for_devices([device], {"backend_path": onnxruntime_qnn.get_qnn_htp_path(), "soc_model": SOC})
    return ort.InferenceSession(path, options, enable_fallback=False)


def on_htp(path, rows, results, rounds="1"):
    """Runs the rows, an .npz for each input's name and row; the results go to a file, seconds of preparing, the least, and the most of a run first."""
    made = {"seconds": np.array(np.inf), "slowest": np.array(0.0)}
    for _ in range(int(rounds)):
        started = time.time()
        session = open_session(path)
        made["seconds"] = np.minimum(made["seconds"], time.time() - started)
    print("prepared", flush=True)
    given = np.load(rows)
    names = [i.name for i in session.get_inputs()]
    for k in range(int(given["count"])):
        started = time.time()
        outputs = session.run(None, {name: given[f"{k}/{name}"] for name in names})
        made["slowest"] = np.maximum(made["slowest"], time.time() - started)
        for output, array in zip(session.get_outputs(), outputs):
            made[f"{k}/{output.name}"] = array
    np.savez(results, **made)


def prepare(rounds, figures, *paths):
    seconds = {path: [] for path in paths}
    for _ in range(int(rounds)):
        for path in paths:
            started = time.time()
            open_session(path)
            seconds[path].append(time.time() - started)
    sizes = []
    with tempfile.TemporaryDirectory() as folder:
        for i, path in enumerate(paths):
            context = f"{folder}/{i}.onnx"
            open_session(path, ep__context_enable="1", ep__context_file_path=context, ep__context_embed_mode="1")
            sizes.append(os.path.getsize(context) / 1000)
    with open(figures, "w", encoding="utf-8") as file:
        json.dump([[statistics.median(seconds[path]), size] for path, size in zip(paths, sizes)], file)


class Ran(NamedTuple):
    """Results of each row by the names of outputs, seconds of preparing and of the slowest run, and what was refused: (node, type, error). No results: `refused` says why."""
    rows: list
    seconds: float
    slowest: float
    refused: object


def started(*arguments, timeout):
    """The process of this file, ended; None: it took too long, and what it had said."""
    command = [sys.executable, os.path.abspath(__file__), *map(str, arguments)]
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=timeout), ""
    except subprocess.TimeoutExpired as expired:
        return None, (expired.stdout or b"").decode(errors="replace")


def write_rows(path, rows):
    np.savez(path, count=np.array(len(rows)), **{f"{k}/{name}": array for k, row in enumerate(rows) for name, array in row.items()})


def refusals(path, said):
    """What QNN's validation refuses, (node, type, error), and other nodes that are left to the processor. Q of inputs and DQ of outputs are there to be left."""
    import onnx
    graph = onnx.load(path, load_external_data=False).graph
    inputs, outputs = {value.name for value in graph.input}, {value.name for value in graph.output}
    border = {node.name for node in graph.node if node.op_type in ("QuantizeLinear", "DequantizeLinear") and (node.input[0] in inputs or node.output[0] in outputs)}
    found = re.findall(r"failed for node `([^`]*)` of type `([^`]*)` with error code (\d+)", said)
    left = dict(row for text in re.findall(r"Unsupported nodes in QNN EP: (.*)", said) for row in re.findall(r"{ name: ([^,]*), type: (\w+) }", text))
    return found + [(name, type_, "left") for name, type_ in left.items() if name not in border and all(name != row[0] for row in found)]


def htp(path, rows, folder, timeout=120, rounds=1):
    write_rows(f"{folder}/rows.npz", rows)
    done, said = started("--htp", path, f"{folder}/rows.npz", f"{folder}/results.npz", rounds, timeout=timeout)
    if done is None:
        return Ran([], 0, timeout, f"{'prepared, but not run' if 'prepared' in said else 'not prepared'} in {timeout} s")
    refused = refusals(path, done.stderr)
    if done.returncode:
        return Ran([], 0, 0, f"{refused} {(done.stderr.strip().splitlines() or [f'exit {done.returncode}'])[-1][-200:]}")
    made = np.load(f"{folder}/results.npz")
    names = [key.split("/", 1)[1] for key in made if key.startswith("0/")]
    return Ran([{name: made[f"{k}/{name}"] for name in names} for k in range(len(rows))], float(made["seconds"]), float(made["slowest"]), refused)


def prepared(paths, rounds, folder, timeout=600):
    """(seconds, median of some rounds by turns; KB of the context) of each model; all of them must load."""
    done, _ = started("--prepare", rounds, f"{folder}/figures.json", *paths, timeout=timeout)
    if done is None or done.returncode:
        raise RuntimeError("not prepared: " + (f"not in {timeout} s" if done is None else done.stderr.strip().splitlines()[-1][-200:]))
    with open(f"{folder}/figures.json", encoding="utf-8") as file:
        return json.load(file)


def onnxruntime_product(path, rows, type_, output):
    """What onnxruntime's own tools make for QNN: get_qnn_qdq_config, weights int8 by channels, ranges of these rows."""
    import logging
    import onnx
    import onnxruntime as ort
    from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize
    from onnxruntime.quantization.execution_providers.qnn import get_qnn_qdq_config, qnn_preprocess_model

    class Reader(CalibrationDataReader):
        def __init__(self):
            self.rows = iter(rows)

        def get_next(self):
            return next(self.rows, None)

    ort.set_default_logger_severity(3)
    logging.getLogger().setLevel(logging.ERROR)
    model, path = onnx.load(path), f"{output}.source.onnx"
    if next(entry.version for entry in model.opset_import if not entry.domain) < 13:  # the first with scales by channels
        model = onnx.version_converter.convert_version(model, 17)
    del model.metadata_props[:]  # qnn_preprocess_model of onnxruntime 1.31 fails on them
    onnx.save(model, path)
    ready = f"{output}.ready.onnx"
    source = ready if qnn_preprocess_model(path, ready, exclude_initializer_from_input=True) else path
    activation = QuantType.QUInt16 if type_.endswith("u16") else QuantType.QUInt8
    quantize(source, output, get_qnn_qdq_config(source, Reader(), activation_type=activation, weight_type=QuantType.QInt8, per_channel=True))


def by_output(got, want):
    """SQNR of each output, all rows together."""
    return {name: decibel(np.concatenate([row[name].ravel() for row in want]), np.concatenate([row[name].ravel() for row in got])) for name in want[0]}


def on_cpu(path, rows):
    """Results as onnxruntime's CPU gives them, which computes quantized models exactly."""
    from ort_session import session
    loaded = session(path)
    names = [output.name for output in loaded.get_outputs()]
    return [dict(zip(names, loaded.run(names, row))) for row in rows]


def costly(path, rows, folder, timeout=300):
    """Operators whose result is further from the CPU's than what they are given, the worst first: (dB of the least operand, dB of the result, operator, node).
    The codes of all values are outputs for that, by which HTP may compute another way than it does without."""
    import onnx
    model = onnx.load(path)
    kinds = {constant.name: constant.data_type for constant in model.graph.initializer}
    coded, source = {}, {}  # a value's codes; the codes that a value stands for
    for node in model.graph.node:
        if node.op_type == "QuantizeLinear" and len(node.input) > 2 and node.input[2] in kinds:
            coded[node.input[0]] = source[node.output[0]] = node.output[0]
            if all(node.output[0] != output.name for output in model.graph.output):
                model.graph.output.append(onnx.helper.make_tensor_value_info(node.output[0], kinds[node.input[2]], None))
        elif node.op_type == "DequantizeLinear" and node.input[0] in source:
            source[node.output[0]] = source[node.input[0]]
    onnx.save(model, f"{folder}/exposed.onnx")
    ran = htp(f"{folder}/exposed.onnx", rows, folder, timeout)
    if not ran.rows:
        return []
    want = on_cpu(f"{folder}/exposed.onnx", rows)
    zeros = {node.output[0]: onnx.numpy_helper.to_array(constant).astype(np.float32) for node in model.graph.node if node.op_type == "QuantizeLinear" and len(node.input) > 2
             for constant in model.graph.initializer if constant.name == node.input[2]}
    numbers = [[{name: array.astype(np.float32) - zeros.get(name, 0) for name, array in row.items()} for row in some] for some in (ran.rows, want)]
    near = by_output(*numbers)
    at, found = {name: near[codes] for name, codes in source.items()}, []  # dB of a value, of a float one that of its least operand
    for node in model.graph.node:
        given = min([at[operand] for operand in node.input if operand in at] or [float("inf")])
        for name in node.output:
            if node.op_type in ("QuantizeLinear", "DequantizeLinear"):
                continue
            at[name] = near[coded[name]] if name in coded else given
            if name in coded:
                found.append((min(given, 90.0), min(at[name], 90.0), node.op_type, node.name or name))
    return sorted(found, key=lambda row: row[1] - row[0])


if __name__ == "__main__":
    {"--htp": on_htp, "--prepare": prepare}[sys.argv[1]](*sys.argv[2:])
