"""What `quantize --target htp` writes, on Qualcomm's own runtime: QNN's HTP, emulated, through onnxruntime's plugin (soc_model 57: v75). Public nets and
small exports, 8 and 16 bits, and steps of a small language model: prepared without a refusal, and on HTP as near to the float net as on onnxruntime's CPU, by each output, on rows that no range
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

from checks import check, finish, models, output_scales, tool, write_list
from decibels import decibel
from ort_session import session

EXPORTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models", "exports", "torch")
TYPES = {"u8i8": 8, "w8u16": 20}  # and the least SQNR of the worst output: what a net with noise for weights keeps
# Public nets: the least SQNR for each type, and the most seconds to prepare.
PUBLIC = {"fastestdet": ((14, 21.5), 2), "ultraface_rfb_320_simplified": ((20, 25), 1.5), "mnist_cnn_opset8": ((20, 30), 1.5)}
SMALL = ("tv_resnet", "tv_mobilenet_v2", "tv_mobilenet_v3", "tv_efficientnet", "tv_shufflenet", "tv_densenet", "timm_ghostnet", "timm_poolformer", "unet", "linear3")
NEAR, EQUAL, STEPS = 1, 50, 2  # dB that HTP may be behind onnxruntime's CPU, unless the two agree by this many dB, or to so many steps of each output
# What HTP, as it is emulated on a processor with AVX2 alone, computes wrongly: (net, type). On others a line may excuse nothing, which is said.
KNOWN = {("tv_resnet", "u8i8"): "the first Conv, whose weights fill all of int8, is up to 33 steps off; exact with one scale, or with weights of 7 bits",
         ("tv_mobilenet_v3", "u8i8"): "v75 joins the last pool, Flatten and Gemm wrongly; right where the pool's result is an output, too",
         ("unet", "w8u16"): "one Sigmoid is wrong; right at htp_graph_finalization_optimization_mode 1"}
wanted = sys.argv[3] if len(sys.argv) > 3 else ""


def rows_of(path, count):
    """As `minmax-collect --random` draws them, by another seed."""
    random = np.random.default_rng(11)
    graph = onnx.load(path, load_external_data=False).graph
    initializers = {c.name for c in graph.initializer}
    inputs = [i for i in graph.input if i.name not in initializers]
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


def steps(path, names, got, want):
    """The most that a number is apart, in steps of its output's scale; none: infinite."""
    scales = output_scales(path)
    return max(float(np.max(np.abs(g[i] - w[i]))) / scales.get(name, 1e-30) for i, name in enumerate(names) for g, w in zip(got, want))


def judge(name, path, least, most_seconds, folder):
    rows = rows_of(path, 3)
    float_session = session(path)
    want = [float_session.run(None, row) for row in rows]
    tool("minmax-collect", path, "--random", 1, "--rows", 8, "-q", "-o", f"{folder}/ranges.json")
    for type_, need in zip(TYPES, least):
        product = f"{folder}/{type_}.onnx"
        tool("quantize", path, "--ranges", f"{folder}/ranges.json", "--target", "htp", "--type", type_, "-q", "-o", product)
        on_cpu_session = session(product)
        on_cpu = [on_cpu_session.run(None, row) for row in rows]
        got, seconds, refused = htp(product, rows, folder)
        if got is None:
            check(False, f"{name} {type_}: {refused}")
            continue
        cpu, own, between = worst(on_cpu, want), worst(got, want), worst(got, on_cpu)
        apart = steps(product, [output.name for output in on_cpu_session.get_outputs()], got, on_cpu)
        near = own >= cpu - NEAR or between > EQUAL or apart <= STEPS
        line = (f"{name} {type_}: HTP {own:.1f} dB, need {need}, onnxruntime's CPU {cpu:.1f}; between the two {between:.1f} dB, {apart:.0f} steps; "
                f"prepared in {seconds:.1f} s, refused {refused or 'nothing'}")
        known = KNOWN.get((name, type_))
        right = near and own >= need
        check((right or known is not None) and seconds <= most_seconds and not refused, line + (f"; known{', but not here' if right else ''}: {known}" if known else ""))


def spoken(path, steps):
    """Rows of greedy steps of a language model with static caches, from its first token on, and the logits of each."""
    float_session = session(path)
    past = {i.name: np.zeros(i.shape, np.float32) for i in float_session.get_inputs() if i.name.startswith("past_key_values")}
    token, rows, logits = 1, [], []
    for position in range(steps):
        rows.append({"input_ids": np.array([[token]], np.int64), "position_ids": np.array([[position]], np.int64), **past})
        made = dict(zip([o.name for o in float_session.get_outputs()], float_session.run(None, rows[-1])))
        past = {name: made[name.replace("past_key_values", "present")] for name in past}
        logits.append(made["logits"])
        token = int(logits[-1][0, -1].argmax())
    return rows, logits


def language(folder, steps=20):
    """Decoding steps of stories260K: the tokens that the float net speaks, and its logits as near on HTP as on onnxruntime's CPU."""
    dynamic, path = f"{folder}/dynamic.onnx", f"{folder}/story.onnx"
    tool("model-convert", f"{models}/gguf/stories260K-f32.gguf", "--static-cache", 64, "-o", dynamic)
    shapes = ["--shape", "input_ids=1,1", "--shape", "position_ids=1,1"]
    for name in (i.name for i in onnx.load(dynamic).graph.input if i.name.startswith("past_key_values")):
        shapes += ["--shape", f"{name}=1,4,64,8"]
    tool("model-convert", dynamic, *shapes, "-o", path)
    rows, want = spoken(path, steps)
    tool("minmax-collect", path, "--input-list", write_list(folder, rows), "-q", "-o", f"{folder}/ranges.json")
    for type_ in ("u8i8", "w8u16", "w4u16", "w4u16-lpbq"):
        product = f"{folder}/{type_}.onnx"
        tool("quantize", path, "--ranges", f"{folder}/ranges.json", "--target", "htp", "--type", type_, "-q", "-o", product)
        on_cpu = session(product)
        cpu = [on_cpu.run(["logits"], row) for row in rows]
        got, seconds, refused = htp(product, rows, folder)
        if got is None:
            check(False, f"stories260K {type_}: {refused}")
            continue
        at = [o.name for o in on_cpu.get_outputs()].index("logits")
        said = [[result[at]] for result in got]
        own, beside = worst(said, [[logits] for logits in want]), worst(cpu, [[logits] for logits in want])
        right = sum(int(s[0][0, -1].argmax() == w[0, -1].argmax()) for s, w in zip(said, want))
        check(right == steps and own >= beside - NEAR and not refused,
              f"stories260K {type_}: {right} of {steps} tokens on HTP, {own:.1f} dB, onnxruntime's CPU {beside:.1f}; prepared in {seconds:.1f} s, refused {refused or 'nothing'}")


with tempfile.TemporaryDirectory() as work:
    if os.path.exists(f"{models}/gguf/stories260K-f32.gguf") and wanted in "stories260K":
        language(work)
    for net, (decibels, most) in PUBLIC.items():
        source = f"{models}/onnx/{net}.onnx"
        if os.path.exists(source) and wanted in net:
            judge(net, source, decibels, 2 * most, work)  # on machines half as fast as a quiet one
    for net in SMALL:
        source = f"{EXPORTS}/{net}.script.onnx"
        if os.path.exists(source) and wanted in net:
            judge(net, source, TYPES.values(), 20, work)
finish("qnn")
