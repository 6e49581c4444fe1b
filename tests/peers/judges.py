"""What quern writes of quantized models, read by others than the runtimes it is written for (products_judges.py): OpenVINO of QDQ ONNX and int8 TFLite,
Arm's TOSA reference model of int8 TFLite. Every branch of products_nets.py, codes beside `run`: what is refused and where codes are others is in the tables,
with the reason; what is not there fails, what is there in vain is a note. Then public nets beside onnxruntime and LiteRT: the least SQNR of the worst output,
and each operator by itself, on the judge's own inputs.
usage: judges.py BUILD MODELS [--products openvino,openvino-tflite,tosa,nets] [--types A,B] [--only PATTERN]"""
import collections
import copy
import os
import shutil
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

import products_judges as judges
import products_runtimes as runtimes
from checks import check, finish, models, output_scales, tool
from decibels import decibel
from products import Product, Sweep, doubtful_of_page, feeds_of, label_in, option
from products_nets import BRANCHES, SPELLED, model_of

# Branches that LiteRT judges alone (products.py): what the other judges make of the operators that they are written with is not looked into. Far
# arguments of Erf and Softplus, both norms and pairs of places from the end are written so, too.
UNASKED = SPELLED | {"Erf_far", "Softplus_far", "LpNormalization_both", "GatherND_from_the_end"}
ASKED = [label for label in BRANCHES if label not in UNASKED]

COMPANY = "Relu_both"  # OpenVINO is in low precision where the model has quantized values


# ---- Branches ----------------------------------------------------------------------------------------------------------------------

def apart_of(got, want, step):
    """How far two outputs are apart, in codes or relative to the greatest real number, whether in codes, and the part that is equal."""
    if got.shape != want.shape or got.dtype != want.dtype:
        return np.inf, True, 0, f"{want.dtype}{list(want.shape)} for {got.dtype}{list(got.shape)}"
    if step:
        got, want = np.rint(got / step).astype(np.int64), np.rint(want / step).astype(np.int64)
    if got.dtype.kind == "f":
        return float(np.abs(got.astype(np.float64) - want).max() / max(np.abs(want).max(), 1e-30)), False, 1, ""
    steps = np.abs(got.astype(np.int64) - want.astype(np.int64))
    return int(steps.max()), True, float(np.mean(steps == 0)), ""


class Branches:
    def __init__(self, judge, type_, folder):
        self.judge, self.type, self.folder = judge, type_, folder
        kind, _, self.runtime, self.steps, self.share = judges.JUDGES[judge]
        self.product = Product(kind, "onnx" if kind == "qdq" else "tflite", [])
        self.sweep = Sweep(folder, doubtful_of_page())
        self.shares, self.counts, self.used = [], collections.Counter(), set()

    def fail(self, label, text):
        self.counts["FAIL"] += 1
        print(f"      {self.judge} {self.type} {label}: {text}", flush=True)

    def run(self, labels):
        refusing = {label: row for label in labels if (row := judges.row_of(judges.REFUSED, self.judge, label, self.type))}
        taken = [label for label in labels if label not in refusing]
        while taken:
            result, said, taken = self.together(taken)
            if result:
                for label in taken:
                    self.compare(label, *result)
                break
            if taken:
                culprit = label_in(said, taken)
                if not culprit:
                    culprit, said = self.sweep.breaks(self.product, self.type, self.runtime, taken, said)
                self.fail(culprit, f"refused: {last(said)}")
                taken = [label for label in taken if label != culprit]
        for label, row in refusing.items():
            result, said, left = self.together([label, COMPANY])
            if result:
                check(True, f"{self.judge} {self.type} {label}: taken now, its row says {row[3]!r}", counts=False)
                self.compare(label, *result)
            elif label in left and row[3] not in said:
                self.fail(label, f"refused, but not as its row says: {last(said)}")
            else:
                self.counts["refused" if label in left else "not written"] += 1
        for row in judges.DIFFERS:
            if row[0] == self.judge and self.type in row[2] and row not in self.used and len(labels) == len(ASKED):
                check(True, f"{self.judge} {self.type} {row[1]}: no code is other, its row says: {row[4]}", counts=False)
        share = np.concatenate(self.shares) if self.shares else np.ones(1)
        counts = ", ".join(f"{n} {what}" for what, n in sorted(self.counts.items()))
        check(not self.counts["FAIL"] and share.mean() >= self.share,
              f"{self.judge} {self.type}: {counts}; {100 * share.mean():.2f} % of codes equal, need {100 * self.share:g}")

    def together(self, labels):
        """-> (inputs, outputs, ours, steps) of what quern takes, or what the judge says; the labels taken."""
        made, labels = self.sweep.made(self.product, self.type, labels)
        if not made:
            return None, "", []
        path, branches = made
        result, said, _ = self.runtime(self.folder, path, feeds_of(branches))
        if result is None:
            return None, said, labels
        inputs, outputs, steps = result
        return (outputs, runtimes.quern(self.folder, self.product, path, inputs), steps), "", labels

    def compare(self, label, outputs, ours, steps):
        row = judges.row_of(judges.DIFFERS, self.judge, label, self.type)
        near, worst, what, text = 1e-5, 0, "equal", ""
        for name in (name for name in ours if name.split("/")[0] == label):
            far, coded, share, shapes = apart_of(ours[name], outputs[name], steps.get(name))
            if coded and not (row and row[3] is None):
                self.shares.append(np.full(ours[name].size, share))
            limit = (self.steps if coded else near) if row is None else row[3] if coded or row[3] is None else near
            if not coded:
                what = "float" if far <= near else "other"
            elif far:
                what = "other" if limit is None or far > self.steps else "within a step"
            if (far if coded else far > near) and row:
                self.used.add(row)
            if limit is not None and far > limit:
                return self.fail(label, f"{shapes or (f'{far} steps' if coded else f'{far:.1e}')}, {100 * share:.1f} % equal, at most {limit}")
            if limit is None and far > self.steps:
                text = f"{shapes or f'{far:g} steps' if coded else shapes or f'{far:.1e}'}: {row[4]}"
            worst = max(worst, far)
        self.counts[what] += 1
        if text:
            print(f"      {self.judge} {self.type} {label}: known: {text}", flush=True)
        return None


def last(said):
    """The line of a message that says it."""
    lines = [line for line in said.strip().splitlines() if line.strip()]
    return (next((line for line in lines if "error:" in line), None) or (lines or ["it ended"])[-1])[-200:]


# ---- Public nets: each operator on the judge's own inputs ----------------------------------------------------------------------------

def cut_onnx(path, stem):
    """The model with all activations as outputs, the same with each of them as an input of what reads it; {output: that input}, {output: operator}, steps."""
    whole = onnx.shape_inference.infer_shapes(onnx.load(path))
    graph = whole.graph
    constants = {c.name: numpy_helper.to_array(c) for c in graph.initializer}
    kinds = {name: node for node in graph.node for name in node.output}
    infos, outputs = {v.name: v for v in [*graph.value_info, *graph.output]}, {o.name for o in graph.output}
    steps, made_by, fed = {}, {}, {}
    for node in [n for n in graph.node if n.op_type == "DequantizeLinear" and n.input[0] not in constants]:
        name = node.output[0]
        quantize = kinds.get(node.input[0])
        source = kinds.get(quantize.input[0]) if quantize is not None and quantize.op_type == "QuantizeLinear" else quantize
        steps[name], fed[name] = float(constants[node.input[1]].ravel()[0]), f"{name}/fed"
        made_by[name] = source.op_type if source is not None else "input"
        if name not in outputs:
            graph.output.append(infos[name])
    onnx.save(whole, f"{stem}_whole.onnx")
    for node in graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = fed.get(name, name)
    for name, given in fed.items():
        graph.input.add().CopyFrom(infos[name])
        graph.input[-1].name = given
    onnx.save(whole, f"{stem}_cut.onnx")
    return f"{stem}_whole.onnx", f"{stem}_cut.onnx", fed, made_by, steps


def packed(model, path):
    import flatbuffers
    builder = flatbuffers.Builder(1 << 20)
    builder.Finish(model.Pack(builder), b"TFL3")
    with open(path, "wb") as file:
        file.write(builder.Output())


def unpacked(path):
    from ai_edge_litert import schema_py_generated as schema
    with open(path, "rb") as file:
        return schema.ModelT.InitFromPackedBuf(file.read(), 0)


def cut_tflite(path, stem):
    from ai_edge_litert import schema_py_generated as schema
    names = {value: key for key, value in vars(schema.BuiltinOperator).items() if isinstance(value, int)}
    model = unpacked(path)
    model.signatureDefs = None
    graph = model.subgraphs[0]
    made_by, fed = {}, {}
    for operator in graph.operators:
        code = model.operatorCodes[operator.opcodeIndex]
        for i in operator.outputs:
            made_by[graph.tensors[i].name.decode()] = names[max(code.builtinCode, code.deprecatedBuiltinCode)]
    made = [i for operator in graph.operators for i in operator.outputs]
    graph.outputs = made
    packed(model, f"{stem}_whole.tflite")
    inputs = {}
    for i in made:
        tensor = copy.copy(graph.tensors[i])
        fed[tensor.name.decode()] = f"{tensor.name.decode()}/fed"
        tensor.name = tensor.name + b"/fed"
        inputs[i] = len(graph.tensors)
        graph.tensors.append(tensor)
    for operator in graph.operators:
        operator.inputs = [inputs.get(i, i) for i in operator.inputs]
    graph.inputs = [*graph.inputs, *(i for i in inputs.values() if any(i in operator.inputs for operator in graph.operators))]
    packed(model, f"{stem}_cut.tflite")
    return f"{stem}_whole.tflite", f"{stem}_cut.tflite", fed, made_by, dict.fromkeys(made_by)


def run_onnx(path, inputs):
    from ort_session import NONE, session
    there = session(path, NONE)
    names = [o.name for o in there.get_outputs()]
    return dict(zip(names, there.run(names, {i.name: inputs[i.name] for i in there.get_inputs()})))


def run_tflite(path, inputs):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType
    it = Interpreter(path, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    it.allocate_tensors()
    for detail in it.get_input_details():
        it.set_tensor(detail["index"], inputs[detail["name"]])
    it.invoke()
    return {d["name"]: it.get_tensor(d["index"]) for d in it.get_output_details()}


def operators(folder, path, feeds, judge):
    """{operator: (steps, how many codes differ, of how many)} where it computes on the judge's own inputs."""
    stem, onnx_file = f"{folder}/operators", path.endswith(".onnx")
    whole, cut, fed, made_by, steps = (cut_onnx if onnx_file else cut_tflite)(path, stem)
    result, said, _ = judge(folder, whole, feeds)
    if result is None:
        raise RuntimeError(last(said))
    inputs, theirs, _ = result
    ours = (run_onnx if onnx_file else run_tflite)(cut, {**inputs, **{given: theirs[name] for name, given in fed.items()}})
    found = collections.defaultdict(lambda: [0, 0, 0])
    for name, kind in made_by.items():
        got, want = theirs[name].astype(np.float64), ours[name].astype(np.float64)
        apart = np.rint(np.abs(got - want) / (steps[name] or 1))
        found[kind] = [max(found[kind][0], int(apart.max())), found[kind][1] + int(np.count_nonzero(apart)), found[kind][2] + apart.size]
    return found


# ---- Public nets ---------------------------------------------------------------------------------------------------------------------

# The least SQNR of the worst output beside onnxruntime and LiteRT; None: equal codes.
NETS = {
    "fastestdet": {"openvino": 20, "openvino-tflite": 15, "tosa": 8},
    "ultraface_rfb_320_simplified": {"openvino": 37, "openvino-tflite": 30, "tosa": None},
    "mnist_cnn_opset8": {"openvino": 30, "openvino-tflite": 30, "tosa": None},
}
REASONS = {"openvino": "ties that fall to the other side go on from operator to operator",
           "openvino-tflite": "TFLite's fixed point rounds otherwise, and it goes on from operator to operator",
           "tosa": "RESIZE_NEAREST_NEIGHBOR: the converter gives RESIZE no offset"}


def half_pixels(path):
    """The same with nearest resizes of half_pixel_centers: what LiteRT computes of it is the same where sizes are multiples."""
    model = unpacked(path)
    changed = [operator for graph in model.subgraphs for operator in graph.operators if hasattr(operator.builtinOptions, "halfPixelCenters")]
    for operator in changed:
        operator.builtinOptions.halfPixelCenters = True
    target = path.replace(".tflite", "_half.tflite")
    packed(model, target)
    return target if changed else None


def beside(theirs, ours, steps, path):
    """The worst output: its SQNR, part of codes that are equal, and most steps."""
    encodings = {name: zero for name, _, kind, zero in runtimes.ports(path, "outputs") if kind.kind in "iu"} if path.endswith(".tflite") else {}
    rows = []
    for name, want in ours.items():
        got, zero = theirs[name].astype(np.float64), encodings.get(name, 0)
        apart = np.rint(np.abs(got - want.astype(np.float64)) / steps.get(name, 1))
        rows.append((decibel(want.astype(np.float64) - zero, got - zero), 100 * float(np.mean(apart == 0)), int(apart.max())))
    return min(rows)


def net_feeds(source):
    graph = onnx.load(source).graph
    constants = {c.name for c in graph.initializer}
    return {i.name: ([d.dim_value or 1 for d in i.type.tensor_type.shape.dim], (-1.0, 1.0)) for i in graph.input if i.name not in constants}


def quantized(source, type_, suffix, folder):
    tool("minmax-collect", source, "--random", 1, "--rows", 8, "-q", "-o", f"{folder}/ranges.json")
    tool("quantize", source, "--ranges", f"{folder}/ranges.json", "--type", type_, "-q", "-o", f"{folder}/net.{suffix}")
    return f"{folder}/net.{suffix}"


def net(name, judge, need, folder):
    source = f"{models}/onnx/{name}.onnx"
    feeds, (kind, types, runtime, *_) = net_feeds(source), judges.JUDGES[judge]
    path = quantized(source, types[0], "onnx" if kind == "qdq" else "tflite", folder)
    beside_what, reference = ("onnxruntime", runtimes.onnxruntime) if kind == "qdq" else ("LiteRT", runtimes.litert_reference)
    judged, said, _ = runtime(folder, path, feeds)
    if judged is None:
        return check(False, f"{name} {judge}: refused: {last(said)}")
    ours = reference(folder, path, feeds)[0]
    own, equal, most = beside(judged[1], ours[1], ours[2] if len(ours) > 2 else {}, path)
    right = own == np.inf if need is None else own >= need
    line = f"{name} {types[0]} {judge}: {own:.1f} dB beside {beside_what}, need {'equal codes' if need is None else need}; "
    line += f"{equal:.2f} % of codes equal, at most {most} steps"
    check(right, line + (f": {REASONS[judge]}" if own < np.inf else ""))
    if own == np.inf:
        return None
    if judge == "tosa":
        other = half_pixels(path)
        judged, ours = runtime(folder, other, feeds)[0], reference(folder, other, feeds)[0]
        return check(beside(judged[1], ours[1], {}, other)[0] == np.inf, f"{name} {types[0]} {judge}: equal codes with half_pixel_centers")
    found = operators(folder, path, feeds, runtime)
    differ = ", ".join(f"{operator} {count} of {size}" for operator, (_, count, size) in sorted(found.items()) if count)
    limit = 4 if judges.SATURATES and kind == "tflite" else 1  # without low precision some 1x1 convolutions are further off: why is not known
    return check(all(steps <= limit for steps, _, _ in found.values()),
                 f"{name} {types[0]} {judge}: each operator on its own inputs at most {limit} step off: {differ or 'none is'}"
                 + "".join(f"; {operator}: {steps} steps" for operator, (steps, *_) in found.items() if steps > 1))


# ---- What OpenVINO makes of recurrent operators and int16 -----------------------------------------------------------------------------

def recurrent(folder, need=38):
    """LSTM with QDQ weights: low precision leaves int8 weights as Convert and Multiply, and LSTMSequence takes constants; without it, it computes."""
    source = f"{models}/onnx/dtln_1.onnx"
    path, feeds = quantized(source, "u8i8", "onnx", folder), net_feeds(source)
    judged, said, _ = judges.openvino_low(folder, path, feeds)
    if judged:
        check(True, f"dtln_1 u8i8 openvino: taken now; low precision refused it: {judges.REFUSED[0][3]}", counts=False)
    else:
        check(judges.REFUSED[0][3] in said, f"dtln_1 u8i8 openvino: refused as it comes: {last(said)}")
    judged, said, _ = judges.openvino_float(folder, path, feeds)
    if judged is None:
        return check(False, f"dtln_1 u8i8 openvino: refused without low precision: {last(said)}")
    ours = runtimes.onnxruntime(folder, path, feeds)[0]
    own, equal, most = beside(judged[1], ours[1], ours[2], path)
    return check(own >= need, f"dtln_1 u8i8 openvino: {own:.1f} dB beside onnxruntime with {judges.FLOAT[0]}, need {need}; {equal:.2f} % of codes equal, "
                 f"at most {most} steps")


def wide(folder):
    """OpenVINO strips pairs of int16: it computes the float net, and there are no codes to compare."""
    branches = model_of(["Tanh_both"], f"{folder}/part.onnx")
    runtimes.collect(folder, model_of(["Tanh_both"], f"{folder}/all.onnx"))
    path, _ = Product("qdq", "onnx", []).make(folder, "w8a16", ["Tanh_both"])
    (_, outputs, _), step = judges.openvino(folder, path, feeds_of(branches))[0], output_scales(path)
    off = max(float(np.abs(array / step[name] - np.rint(array / step[name])).max()) for name, array in outputs.items() if name in step)
    check(True, f"openvino w8a16: numbers are up to {off:.2f} steps beside a code: " + ("pairs of int16 are stripped, the net is computed in float32"
                if off > 0.1 else "pairs of int16 are no longer stripped: its types can be compared"), counts=False)


def main():
    if not judges.Python.make():
        print(f"the judges (scripts/judges.txt) cannot be installed here: {judges.Python.said}")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    wanted = (option("--products") or ",".join([*judges.JUDGES, "nets"])).split(",")
    only, folder = option("--only", ""), tempfile.mkdtemp()
    labels = [label for label in ASKED if only in label]
    if not labels:
        sys.exit(f"no branch has {only} in its name")
    if judges.SATURATES:
        check(True, "this processor has no VNNI: OpenVINO's 8-bit sums saturate, its low precision is turned off", counts=False)
    runtimes.collect(folder, model_of(ASKED, f"{folder}/all.onnx"))
    check(True, f"{len(UNASKED)} branches are judged by LiteRT alone", counts=False)
    for judge in (judge for judge in judges.JUDGES if judge in wanted):
        for type_ in judges.JUDGES[judge][1]:
            if type_ in (option("--types") or type_).split(","):
                Branches(judge, type_, folder).run(labels)
    if "openvino" in wanted and not only:
        wide(folder)
    for name, needs in NETS.items() if "nets" in wanted and not only else ():
        if os.path.exists(f"{models}/onnx/{name}.onnx"):
            for judge, need in needs.items():
                net(name, judge, need, folder)
    if "nets" in wanted and not only and os.path.exists(f"{models}/onnx/dtln_1.onnx"):
        recurrent(folder)
    shutil.rmtree(folder)
    finish("judges")


if __name__ == "__main__":
    main()
