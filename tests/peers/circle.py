"""Circle files that quern writes, in Samsung's onert (PyPI onert); called by tests/peers/peer. Float: outputs within 1e-5. uint8: all
codes equal. onert's Python takes no uint8, so that these files have real inputs and outputs. What onert has no kernel for is said and not compared."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import helper, numpy_helper

from checks import check, finish, models, tool

folder = tempfile.mkdtemp()


# A process of its own: onert may end it.
SESSION = """
import sys
import numpy as np
from onert.infer import session
with np.load(sys.argv[2]) as given:
    rows = [[given[f"{i}_{k}"] for k in range(int(given["inputs"]))] for i in range(int(given["rows"]))]
net = session(sys.argv[1])
np.savez(sys.argv[3], **{f"{i}_{k}": a for i, row in enumerate(rows) for k, a in enumerate([b.copy() for b in net.infer(row)])})
"""


def there(path, rows):
    """What onert gives: a list of outputs for each row. Throws what it says."""
    np.savez(f"{folder}/rows.npz", rows=len(rows), inputs=len(rows[0]), **{f"{i}_{k}": x for i, row in enumerate(rows) for k, x in enumerate(row)})
    done = subprocess.run([sys.executable, "-c", SESSION, path, f"{folder}/rows.npz", f"{folder}/there.npz"], capture_output=True, text=True, timeout=300)
    if done.returncode < 0:
        raise RuntimeError(f"ends with signal {-done.returncode}")
    said = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("Error during")]
    if done.returncode:
        raise RuntimeError(said[0] if said else done.stderr.strip().splitlines()[-1])
    with np.load(f"{folder}/there.npz") as arrays:
        return [[arrays[f"{i}_{k}"] for k in range(sum(name.startswith(f"{i}_") for name in arrays.files))] for i in range(len(rows))]


def here(path, rows, *flags):
    info = json.loads(tool("model-info", path, "--json"))
    out = []
    for row in rows:
        given = []
        for k, (item, x) in enumerate(zip(info["inputs"], row)):
            np.save(f"{folder}/in{k}.npy", x)
            given += ["--input", f"{item['name']}={folder}/in{k}.npy"]
        tool("run", path, *given, *flags, "-o", f"{folder}/here.npz", "--format", "npz")
        with np.load(f"{folder}/here.npz") as arrays:
            out.append([arrays['Result_0/' + item["name"]] for item in info["outputs"]])
    return out


def rows_of(path, count, seed=1):
    rng = np.random.default_rng(seed)
    types = [item["type"].split("[")[1].rstrip("]").split(",") for item in json.loads(tool("model-info", path, "--json"))["inputs"]]
    return [[rng.random([int(d) if d.isdigit() else 1 for d in dims], np.float32) for dims in types] for _ in range(count)]


def float_model(source):
    name, target = os.path.basename(source), f"{folder}/float.circle"
    try:
        tool("model-convert", source, "-o", target)
        rows = rows_of(target, 2)
        theirs = there(target, rows)
    except RuntimeError as problem:
        return check(MISSING.get(name, "?") in str(problem), f"float {name}: not compared: {problem}")
    far = max(np.abs(a.ravel() - b.ravel()).max() / max(np.abs(b).max(), 1e-30) for x, y in zip(theirs, here(target, rows)) for a, b in zip(x, y))
    check(far <= 1e-5, f"float {name}: max|a-b|/max|b| {far:.1e}")


def uint8_model(source, until, *quantize):
    """Cut at the value `until`; what is quantized already stays as it is."""
    name, cut, target = os.path.basename(source), f"{folder}/cut.circle", f"{folder}/uint8.circle"
    tool("model-convert", source, "-o", f"{folder}/whole.qn", "--extract", f":{until}", "--passes", "none")
    if quantize:
        tool("model-convert", f"{folder}/whole.qn", "-o", cut)
        tool("minmax-collect", cut, "--random", 1, "--rows", 8, "-o", f"{folder}/ranges.json")
        tool("quantize", cut, "--ranges", f"{folder}/ranges.json", *quantize, "-f", "circle", "--io", "float", "-o", target)
    else:
        tool("model-convert", f"{folder}/whole.qn", "--io", "float", "-o", target)
    rows = [[2 * x - 1 for x in row] for row in rows_of(target, 3)]  # all that calibration has seen
    for theirs, ours in zip(zip(*there(target, rows)), zip(*here(target, rows, "--mode", "int"))):
        a, b = (np.stack([x.ravel() for x in side]).astype(np.float64) for side in (theirs, ours))
        gaps = np.diff(np.unique(b))
        steps = np.rint(np.abs(a - b) / gaps[gaps > 1e-6 * np.abs(b).max()].min())
        check(steps.max() == 0,
              f"uint8 {name}: {100 * np.mean(steps == 0):.2f} % of codes equal, greatest difference {steps.max():.0f} step, {len(np.unique(b))} codes seen")


def product_of_blocks(type, bias, activation):
    """Weights in ggml's blocks, whose products onert has without bias and activation alone, of activations that it rounds."""
    source, target, random = f"{folder}/product.onnx", f"{folder}/product.circle", np.random.default_rng(1)
    constants = [numpy_helper.from_array(random.normal(size=shape).astype(np.float32), name) for name, shape in (("w", (64, 96)), ("b", (96,)))[:1 + bias]]
    nodes = [helper.make_node("Gemm", ["x", "w", "b"][:2 + bias], ["sum" if activation else "y"])]
    if activation:
        nodes.append(helper.make_node(activation, ["sum"], ["y"]))
    ends = [[helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [5, length])] for name, length in (("x", 64), ("y", 96))]
    onnx.save(helper.make_model(helper.make_graph(nodes, "product", *ends, constants), opset_imports=[helper.make_opsetid("", 17)], ir_version=8), source)
    tool("quantize", source, "--type", type, "-o", target)
    check("in blocks" in tool("model-info", target), f"{type} product{' bias' if bias else ''}: its weights are in blocks")
    row = [random.normal(size=(5, 64)).astype(np.float32)]
    (a,), (b,) = there(target, [row])[0], here(target, [row])[0]
    far = np.abs(a.ravel() - b.ravel()).max() / np.abs(b).max()
    check(far <= 1e-5, f"{type} product{' bias' if bias else ''} {activation or ''}: max|a-b|/max|b| {far:.1e}")


# What onert has not, and what it says then.
MISSING = {
    "fastestdet.onnx": "NYI for operation 'ResizeNearestNeighbor'",
    "mnist_lstm_float32.tflite": "ends with signal 11",  # so it does with the file as it was published
    "tinyllama_v0_prefill_q4_0.circle": "name 'Oner' is not defined",  # onert's Python takes no int64 and bool inputs
    "one_sample_tparam.circle": "'sparse_categorical_crossentropy' is not supported yet",
}

if __name__ == "__main__":
    for path in sorted(glob.glob(f"{models}/tflite/*float32.tflite")) + sorted(glob.glob(f"{models}/circle/*.circle")):
        float_model(path)
    for net in ("mnist_cnn_opset8", "ultraface_rfb_320", "ultraface_rfb_320_simplified", "fastestdet"):
        float_model(f"{models}/onnx/{net}.onnx")
    uint8_model(f"{models}/tflite/mobilenet_v1_0.25_128_uint8.tflite", "")
    # Before their mean pool: onert's averages codes even if its result has a scale of its own, as ONE's rules give it.
    for net in ("vww01_mobilenetv1_025", "ic01_resnet8"):
        path = f"{models}/tflite/{net}_float32.tflite"
        text = tool("model-convert", path, "-f", "text", "-o", "-", "--passes", "none")
        uint8_model(path, re.search(r'"onnx.AveragePool"\(%"([^"]*)"', text)[1], "--type", "u8-asym")
    uint8_model(f"{models}/onnx/ultraface_rfb_320_simplified.onnx", "", "--type", "u8-asym")
    for type in ("wo-i8", "wo-i4"):
        for bias in (False, True):
            for activation in ("", "Relu"):
                product_of_blocks(type, bias, activation)
    finish("circle")
