"""What `quantize --target htp` writes, on Qualcomm's own runtime: QNN's HTP, emulated, through onnxruntime's plugin (qnn_session.py). Public nets and
small exports, 8 and 16 bits, and steps of a small language model: prepared without a refusal, and on HTP as near to the float net as on onnxruntime's CPU, by each output, on rows that no range
was measured on. Public nets, calibrated and judged on real samples: no output further from the float net than that of what onnxruntime's own tools for QNN make of the same samples.
usage: qnn.py BUILD MODELS [NAME]"""
import os
import sys
import tempfile

import numpy as np
import onnx

from checks import check, devices, finish, models, output_scales, tool, write_list
from ort_session import session
from qnn_session import TYPES, by_output, htp, on_cpu, onnxruntime_product
from samples import Samples

EXPORTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "models", "exports", "torch")
LEAST = (8, 20)  # SQNR of the worst output for each type: what a net with noise for weights keeps
# Public nets: the least SQNR for each type, and the most seconds to prepare.
PUBLIC = {"fastestdet": ((8, 10), 2), "ultraface_rfb_320_simplified": ((18, 26), 1.5), "ultraface_rfb_320": ((36, 50), 1.5), "mnist_cnn_opset8": ((34, 42), 1.5),
          "dtln_1": ((36, 41), 1.5), "dtln_2": ((6, 33), 1.5), "magika_v3_3": ((20, 30), 1.5), "bert_toy_RANDOM_WEIGHTS": ((20, 30), 3)}
ON_NOISE = {"fastestdet": (14, 21.5), "ultraface_rfb_320_simplified": (20, 25), "mnist_cnn_opset8": (20, 30)}  # the same, calibrated and judged on uniform numbers
FIXED = {"magika_v3_3": {"bytes": "1,2048"}, "bert_toy_RANDOM_WEIGHTS": {name: "1,12" for name in ("input_ids", "token_type_ids", "input_mask")}}  # shapes of inputs
STATES = {"dtln_1": ("input_3", "tf_op_layer_stack_2"), "dtln_2": ("input_5", "tf_op_layer_stack_5")}  # an input that is an output of the row before
FIRST = {"dtln_1": 100}  # sample: those before are silence
CALIBRATION, JUDGED = 8, 3  # rows
OTHER_COUNTS = {"mnist_cnn_opset8": 30, "magika_v3_3": 1}  # rows judged instead
ALONE = ("ultraface_rfb_320", "magika_v3_3")  # not beside onnxruntime's product: the same net again, and a net that neither is right for
SMALL = ("tv_resnet", "tv_mobilenet_v2", "tv_mobilenet_v3", "tv_efficientnet", "tv_shufflenet", "tv_densenet", "timm_ghostnet", "timm_poolformer", "unet", "linear3")
NEAR, EQUAL, STEPS = 1, 50, 2  # dB that HTP may be behind onnxruntime's CPU, unless the two agree by this many dB, or to so many steps of each output
BEHIND = 0.5  # dB behind onnxruntime's product: less is noise of a few rows
# What HTP, as it is emulated, computes wrongly: (net, type), some on processors with AVX2 alone. A line that excuses nothing is said.
KNOWN = {("tv_resnet", "u8i8"): "the first Conv, whose weights fill all of int8, is up to 33 steps off; exact with one scale, or with weights of 7 bits",
         ("tv_mobilenet_v3", "u8i8"): "v75 joins the last pool, Flatten and Gemm wrongly; right where the pool's result is an output, too",
         ("unet", "w8u16"): "one Sigmoid is wrong; right at htp_graph_finalization_optimization_mode 1"}
wanted = sys.argv[3] if len(sys.argv) > 3 else ""


def noise(path):
    """Rows as `minmax-collect --random` draws them, by another seed."""
    random = np.random.default_rng(11)
    graph = onnx.load(path, load_external_data=False).graph
    initializers = {c.name for c in graph.initializer}
    inputs = [i for i in graph.input if i.name not in initializers]
    return [{i.name: random.uniform(-1, 1, [d.dim_value or 1 for d in i.type.tensor_type.shape.dim]).astype(np.float32) for i in inputs} for _ in range(JUDGED)]


def real(name, path):
    """Rows of samples, those with a state one after the other."""
    samples = Samples(models)
    rows = [samples.of(name, FIRST.get(name, 0) + i) for i in range(CALIBRATION + (OTHER_COUNTS.get(name, JUDGED)))]
    if name in STATES:
        given, made = STATES[name]
        float_session = session(path)
        for row, later in zip(rows, rows[1:]):
            later[given] = float_session.run([made], row)[0]
    return rows


def worst(got, want):
    """The least SQNR of all outputs."""
    return min(by_output(got, want).values())


def steps(path, got, want):
    """The most that a number is apart, in steps of its output's scale; none: infinite."""
    scales = output_scales(path)
    return max(float(np.max(np.abs(g[name] - w[name]))) / scales.get(name, 1e-30) for g, w in zip(got, want) for name in w)


def beside(path, calibration, rows, type_, near, want, folder):
    """What onnxruntime's product gives, and whether each output of quern's is as near to the float net."""
    theirs = f"{folder}/onnxruntime.onnx"
    onnxruntime_product(path, calibration, type_, theirs)
    ran = htp(theirs, rows, folder)
    if not ran.rows:
        return f"onnxruntime's product fails: {str(ran.refused)[:120]}", True
    their = by_output(ran.rows, want)
    return (f"onnxruntime's product by outputs {', '.join(f'{their[name]:.1f}' for name in near)} dB, quern's {', '.join(f'{near[name]:.1f}' for name in near)}",
            all(near[name] >= their[name] - BEHIND for name in near))


def placement(product, refused, folder):
    """How the target htp places the product beside QNN's validator: what is said, and whether it has nothing on HTP that QNN refuses, and all there that it takes."""
    rows = devices(product, "htp", folder)
    left, refusals = {name for name, device in rows.items() if device == "cpu"}, {name for name, _, _ in refused}
    refused, taken = sorted((refusals - left) & set(rows)), sorted(left - refusals)
    words = f"placed: {len(rows) - len(left)} of {len(rows)} on HTP" + (f", of which QNN refuses {', '.join(refused)}" if refused else "") + (f", QNN takes {', '.join(taken)}, too" if taken else "")
    return words, not refused and not taken


def judge(name, path, calibration, rows, least, most_seconds, folder, compared=False):
    want = on_cpu(path, rows)
    measured_on = ("--input-list", write_list(folder, calibration)) if calibration else ("--random", 1, "--rows", CALIBRATION)
    tool("minmax-collect", path, *measured_on, "-q", "-o", f"{folder}/ranges.json")
    for type_, need in zip(TYPES, least):
        product = f"{folder}/{type_}.onnx"
        tool("quantize", path, "--ranges", f"{folder}/ranges.json", "--target", "htp", "--type", type_, "-q", "-o", product)
        cpu = on_cpu(product, rows)
        ran = htp(product, rows, folder)
        if not ran.rows:
            check(False, f"{name} {type_}: {ran.refused}")
            continue
        on, own, between, apart = worst(cpu, want), worst(ran.rows, want), worst(ran.rows, cpu), steps(product, ran.rows, cpu)
        near = own >= on - NEAR or between > EQUAL or apart <= STEPS
        line = (f"{name} {type_}: HTP {own:.1f} dB, need {need}, onnxruntime's CPU {on:.1f}; between the two {between:.1f} dB, {apart:.0f} steps; "
                f"prepared in {ran.seconds:.1f} s, refused {ran.refused or 'nothing'}")
        words, placed = placement(product, ran.refused, folder)
        line += f"; {words}"
        known = KNOWN.get((name, type_))
        right = near and own >= need
        check((right or known is not None) and placed and ran.seconds <= most_seconds and not ran.refused, line + (f"; known{', but not here' if right else ''}: {known}" if known else ""))
        if compared:
            line, right = beside(path, calibration, rows, type_, by_output(ran.rows, want), want, folder)
            check(right, f"{name} {type_}: {line}")


def spoken(path, steps):
    """Rows of greedy steps of a language model with static caches, from its first token on, and the logits of each."""
    float_session = session(path)
    past = {i.name: np.zeros(i.shape, np.float32) for i in float_session.get_inputs() if i.name.startswith("past_key_values")}
    token, rows, logits = 1, [], []
    for position in range(steps):
        rows.append({"input_ids": np.array([[token]], np.int64), "position_ids": np.array([[position]], np.int64), **past})
        made = dict(zip([o.name for o in float_session.get_outputs()], float_session.run(None, rows[-1])))
        past = {name: made[name.replace("past_key_values", "present")] for name in past}
        logits.append({"logits": made["logits"]})
        token = int(made["logits"][0, -1].argmax())
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
        ran = htp(product, rows, folder)
        if not ran.rows:
            check(False, f"stories260K {type_}: {ran.refused}")
            continue
        own, on = by_output(ran.rows, want)["logits"], by_output(on_cpu(product, rows), want)["logits"]
        right = sum(int(said["logits"][0, -1].argmax() == w["logits"][0, -1].argmax()) for said, w in zip(ran.rows, want))
        check(right == steps and own >= on - NEAR and not ran.refused,
              f"stories260K {type_}: {right} of {steps} tokens on HTP, {own:.1f} dB, onnxruntime's CPU {on:.1f}; prepared in {ran.seconds:.1f} s, refused {ran.refused or 'nothing'}")


with tempfile.TemporaryDirectory() as work:
    if os.path.exists(f"{models}/gguf/stories260K-f32.gguf") and wanted in "stories260K":
        language(work)
    for net, (decibels, most) in PUBLIC.items():
        source = f"{models}/onnx/{net}.onnx"
        if os.path.exists(source) and wanted in net:
            if net in FIXED:
                tool("model-convert", source, *(word for name, shape in FIXED[net].items() for word in ("--shape", f"{name}={shape}")), "-o", f"{work}/fixed.onnx")
                source = f"{work}/fixed.onnx"
            rows = real(net, source)
            judge(net, source, rows[:CALIBRATION], rows[CALIBRATION:], decibels, 2 * most, work, net not in ALONE)  # on machines half as fast as a quiet one
            if net in ON_NOISE:
                judge(f"{net} on noise", source, None, noise(source), ON_NOISE[net], 2 * most, work)
    for net in SMALL:
        source = f"{EXPORTS}/{net}.script.onnx"
        if os.path.exists(source) and wanted in net:
            judge(net, source, None, noise(source), LEAST, 20, work)
finish("qnn")
