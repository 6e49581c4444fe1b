"""What `quantize --target htp` writes, on Qualcomm's own runtime: QNN's HTP, emulated, through onnxruntime's plugin (soc_model 57: v75). Public nets and
small exports, 8 and 16 bits: prepared without a refusal, and on HTP as near to the float net as on onnxruntime's CPU, by each output, on rows that no range
was measured on.   usage: qnn.py BUILD MODELS [NAME]

A net is prepared and run by a process of its own (qnn.py --htp ...), which may end as it likes: what it could not do is said."""
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

SOC = "57"


def on_htp(path, rows, results):
    """Runs the rows, an .npz for each input's name and row; the results go to a file, seconds of preparing first."""
    import onnxruntime as ort
    import onnxruntime_qnn
    ort.register_execution_provider_library("QNNExecutionProvider", onnxruntime_qnn.get_library_path())
    device = next(device for device in ort.get_ep_devices() if device.ep_name == "QNNExecutionProvider")
    options = ort.SessionOptions()
    options.log_severity_level = 1  # names what is refused
    options.add_provider_for_devices([device], {"backend_path": onnxruntime_qnn.get_qnn_htp_path(), "soc_model": SOC})
    started = time.time()
    session = ort.InferenceSession(path, options, enable_fallback=False)
    made = {"seconds": np.array(time.time() - started)}
    given = np.load(rows)
    names = [i.name for i in session.get_inputs()]
    for k in range(int(given["count"])):
        for output, array in zip(session.get_outputs(), session.run(None, {name: given[f"{k}/{name}"] for name in names})):
            made[f"{k}/{output.name}"] = array
    np.savez(results, **made)


if len(sys.argv) > 2 and sys.argv[1] == "--htp":
    on_htp(*sys.argv[2:])
    sys.exit()

import onnx

from checks import check, finish, models, output_scales, tool
from decibels import decibel
from ort_session import session

EXPORTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models", "exports", "torch")
TYPES = {"u8i8": 8, "w8u16": 20}  # and the least SQNR of the worst output: what a net with noise for weights keeps
# Public nets: the least SQNR for each type, and the most seconds to prepare.
PUBLIC = {"fastestdet": ((14, 22), 2), "ultraface_rfb_320_simplified": ((20, 25), 1.5), "mnist_cnn_opset8": ((20, 30), 1.5)}
SMALL = ("tv_resnet", "tv_mobilenet_v2", "tv_mobilenet_v3", "tv_efficientnet", "tv_shufflenet", "tv_densenet", "timm_ghostnet", "timm_poolformer", "unet", "linear3")
NEAR, EQUAL, STEPS = 1, 50, 2  # dB that HTP may be behind onnxruntime's CPU, unless the two agree by this many dB, or to so many steps of each output
# What HTP computes wrongly: (net, type). A line that excuses nothing fails.
KNOWN = {("tv_resnet", "u8i8"): "the first Conv, whose weights fill all of int8, is up to 33 steps off; exact with one scale, or with weights of 7 bits",
         ("tv_mobilenet_v3", "u8i8"): "v75 joins the last pool, Flatten and Gemm wrongly; right where the pool's result is an output, too",
         ("unet", "w8u16"): "one Sigmoid is wrong; right at htp_graph_finalization_optimization_mode 1"}
wanted = sys.argv[3] if len(sys.argv) > 3 else ""


def rows_of(path, count):
    """As `minmax-collect --random` draws them, by another seed."""
    random = np.random.default_rng(11)
    initializers = {c.name for c in onnx.load(path, load_external_data=False).graph.initializer}
    inputs = [i for i in onnx.load(path, load_external_data=False).graph.input if i.name not in initializers]
    return [{i.name: random.uniform(-1, 1, [d.dim_value or 1 for d in i.type.tensor_type.shape.dim]).astype(np.float32) for i in inputs} for _ in range(count)]


def htp(path, rows, folder):
    """Results for each row, seconds of preparing, and what was refused; None: why there are none."""
    np.savez(f"{folder}/rows.npz", count=np.array(len(rows)), **{f"{k}/{name}": array for k, row in enumerate(rows) for name, array in row.items()})
    try:
        done = subprocess.run([sys.executable, __file__, "--htp", path, f"{folder}/rows.npz", f"{folder}/results.npz"], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return None, 0, "not done in 120 s"
    refused = re.findall(r"failed for node `([^`]*)` of type `([^`]*)` with error code (\d+)", done.stderr)
    if done.returncode:
        return None, 0, f"{refused} {done.stderr.strip().splitlines()[-1][-200:]}"
    made = np.load(f"{folder}/results.npz")
    outputs = [key.split("/", 1)[1] for key in made if key.startswith("0/")]
    return [[made[f"{k}/{name}"] for name in outputs] for k in range(len(rows))], float(made["seconds"]), refused


def worst(got, want):
    """The least SQNR of all outputs."""
    return min(decibel(np.concatenate([w[i].ravel() for w in want]), np.concatenate([g[i].ravel() for g in got])) for i in range(len(want[0])))


def steps(path, got, want):
    """The most that a number is apart, in steps of its output's scale; none: infinite."""
    scales = output_scales(path)
    names = [output.name for output in session(path).get_outputs()]
    return max(float(np.max(np.abs(g[i] - w[i]))) / scales.get(name, 1e-30) for i, name in enumerate(names) for g, w in zip(got, want))


def judge(name, path, least, most_seconds, folder):
    rows = rows_of(path, 3)
    want = [session(path).run(None, row) for row in rows]
    tool("minmax-collect", path, "--random", 1, "--rows", 8, "-q", "-o", f"{folder}/ranges.json")
    for type_, need in zip(TYPES, least):
        product = f"{folder}/{type_}.onnx"
        tool("quantize", path, "--ranges", f"{folder}/ranges.json", "--target", "htp", "--type", type_, "-q", "-o", product)
        on_cpu = [session(product).run(None, row) for row in rows]
        got, seconds, refused = htp(product, rows, folder)
        if got is None:
            check(False, f"{name} {type_}: {refused}")
            continue
        cpu, own, between = worst(on_cpu, want), worst(got, want), worst(got, on_cpu)
        apart = steps(product, got, on_cpu)
        near = own >= cpu - NEAR or between > EQUAL or apart <= STEPS
        line = (f"{name} {type_}: HTP {own:.1f} dB, need {need}, onnxruntime's CPU {cpu:.1f}; between the two {between:.1f} dB, {apart:.0f} steps; "
                f"prepared in {seconds:.1f} s, refused {refused or 'nothing'}")
        known = KNOWN.get((name, type_))
        check((near and own >= need) == (known is None) and seconds <= most_seconds and not refused, line + (f"; {known}" if known else ""))


with tempfile.TemporaryDirectory() as work:
    for net, (decibels, most) in PUBLIC.items():
        source = f"{models}/onnx/{net}.onnx"
        if os.path.exists(source) and wanted in net:
            judge(net, source, decibels, 2 * most, work)  # on machines half as fast as a quiet one
    for net in SMALL:
        source = f"{EXPORTS}/{net}.script.onnx"
        if os.path.exists(source) and wanted in net:
            judge(net, source, TYPES.values(), 20, work)
finish("qnn")
