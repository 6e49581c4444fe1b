"""Fine settings of types, rules and dynamic quantization: what `quantize` writes of a small net loads in its runtime and computes there what `run` does.
onnxruntime computes between Q and DQ in float32, so codes next to a tie may be one step apart; results of dynamic quantization are equal but for the last bit of a sum with the bias."""
import tempfile

import numpy as np
import onnx
import onnxruntime
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from checks import check, finish, tool, write_list
from ort_session import session

WORDS = [f"{a}Activation,{w}Weight" for a in ("asym", "sym") for w in ("sym", "asym")]
# The least SQNR in dB beside the float net.
ONNX = [
    ("i8 --weight-bits 4", 12), ("w4a8", 12), ("w16a16", 60), ("i16-asym", 30), ("wo-i8", 30), ("wo-i16 --block 64", 70), ("wo-i8 --block 256", 30), ("i8 --weight-sym no", 25), ("i8 --per-tensor", 25), ("u8i8 --weight-bits 4 --block 16", 12),
    ("w8a16 --act-sym no", 30), ("w8a16 --weight-bits 16", 60), ("w8a16 --weight-bits 4 --per-channel", 12), ("w8a16 --act-bits 8", 25),
    ("w8u16", 30), ("w8u16 --act-sym yes", 30), ("w8u16 --weight-sym no", 30), ("w8u16 --weight-bits 16", 60), ("w8u16 --per-tensor", 30), ("w8u16 --per-row", 30), ("w8u16 --bias-bits 8 --per-row", 28),
    ("w8u16 --act-bits 8", 25), ("u8i8 --act-bits 16", 30), ("w4u16", 12), ("w4u16 --block 64", 12), ("w4u16-lpbq", 12), ("w4u16-lpbq --block 64", 12), ("i8 --set-op-type Gemm=w8u16", 25), ("w8u16 --set-op-type Conv=u8i8", 25),
    ("wo-i4 --weight-bits 8 --block 16", 30), ("wo-i4 --block 64", 12), ("wo-i4 --weight-bits 16 --block 32", 70),
    ("i8 --bias-bits 8", 25), ("w8a16 --bias-bits 8 --per-row", 28), ("i8 --set-op-type Gemm=i8,bias_bits=8", 25), ("i8 --per-row", 25), ("i8 --per-row --per-channel", 25),
    ("i8 --float-bits 16 --set-op-type Gemm=none", 25), ("w8a16 --weight-bits 16 --float-bits 16 --set-op-type Conv=none", 55), ("wo-i4 --float-bits 16", 12),
    ("w4a16-lpbq", 12), ("w4a16-lpbq --block 64", 12), ("wo-i4 --two-level --block 16", 12), ("wo-i4 --two-level --block 256", 10),
    ("i8 --set-op-type Gemm=w4a16-lpbq,block=64 --set-node-name product=wo-u4", 14),
    ("w8a16 --set-op-type Conv=i8,bias_bits=8 --set-node-name gemm=wo-i4,two_level=yes,float_bits=16 --set-node-name product=wo-i4,weight_sym=no", 14),
    ("wo-u4", 14), ("wo-u4 --block 16", 14), ("wo-u4 --block 256", 12), ("wo-u4 --weight-sym yes", 14), ("wo-i4 --weight-sym no", 14), ("wo-u8", 40), ("wo-u8 --block 128", 35), ("wo-i8 --weight-sym no --block 64", 35), ("w4a16 --weight-sym no", 14),
    ("i8 --set-op-type Gemm=i8,outputs=none", 25), ("i8 --set-op-type Gemm=u8i8,outputs=u16", 25), ("i8 --set-op-type Conv=i8,outputs=i16", 25), ("i8 --set-op-type Conv=i8,outputs=none", 25),
    ("i8 --set-op-type Gemm=u8i8,inputs=none", 25), ("w8a16 --set-node-name product=w8a16,inputs=i8", 25), ("i8 --set-op-type Gemm=i8,weights=none", 25), ("i8 --set-node-name product=i8,weights=i4", 12),
    ("i8 --set-node-name again=none --set-node-name product=none", 25), ("i8 --set-subgraph gemm..product=none", 25), ("i8 --set-node-name *o*=w8a16", 25),
    ("i8 --set-op-type Gemm=w8a16", 25), ("i8 --set-op-type Conv=w8a16,per_channel=no --set-io none", 25), ("i8 --set-op-type Gemm=i8,weight_method=mse", 25),
]
# Beside float8 codes onnxruntime 1.31's optimiser joins products into operators on codes, which it has no kernels for, makes int32 of biases, and from ENABLE_EXTENDED
# on drops a Relu before QuantizeLinear as if its codes had no sign.
FLOAT8 = [("f8-e4m3", 22), ("f8-e5m2", 13), ("f8-e4m3 --per-tensor", 22), ("f8-e5m2 --method mse", 15), ("i8 --set-op-type Conv=f8-e4m3", 22), ("f8-e4m3 --set-op-type Gemm=f8-e5m2 --set-node-name product=wo-f8", 18),
          ("f8-e4m3 --set-op-type Gemm=none", 22), ("w8a16 --opset 21 --set-node-name product=f8-e5m2", 18)]
FLOAT8_WEIGHTS = [("wo-f8", 28), ("wo-f8 --block 64", 28), ("wo-f8 --per-tensor", 28), ("wo-f8 --set-op-type Gemm=wo-i4 --set-op-type Conv=f16", 12)]
# onnxruntime 1.31's optimised graphs lose 20 dB of what its plain ones give: symmetric codes behind a Relu. Its products of 2-bit blocks are wrong where columns
# are no multiple of 4.
PLAIN = [("i8-sym", 25), ("i8 --act-sym yes", 25), ("wo-i2", 5), ("wo-u2", 5), ("wo-u2 --block 16", 6), ("wo-u2 --block 256", 4), ("wo-u4 --weight-bits 2 --block 64", 4), ("wo-i2 --block 128", 4)]
TFLITE = [("i8 --per-row", 25), ("i8 --float-bits 16 --set-op-type Gemm=none", 25), ("i8 --per-tensor", 25), ("w8a16 --act-bits 8", 25), ("i8 --set-op-type Conv=i8,eps=0.001", 25), ("wo-i4 --weight-bits 8 --per-tensor", 25)]

INPUTS = {"x": [6, 24], "s": [2, 6, 8], "t": [2, 8, 5]}


def net(path):
    random = np.random.default_rng(5)
    weights = {"k": (8, 4, 3, 3), "b": (8,), "w": (64, 512), "c": (64,), "v": (64, 10)}
    constants = [numpy_helper.from_array((random.standard_normal(dims) * (2 / np.prod(dims[1:])) ** 0.5).astype(np.float32), name) for name, dims in weights.items()]
    nodes = [helper.make_node("Conv", ["x", "k", "b"], ["conv"], name="conv", pads=[1, 1, 1, 1]), helper.make_node("Relu", ["conv"], ["relu"], name="relu"),
             helper.make_node("Flatten", ["relu"], ["flat"], name="flat"), helper.make_node("Gemm", ["flat", "w", "c"], ["gemm"], name="gemm", transB=1),
             helper.make_node("Relu", ["gemm"], ["again"], name="again"), helper.make_node("MatMul", ["again", "v"], ["y"], name="product")]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 4, 8, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 10])], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def products(path):
    """Results that only Neg reads: of a product, of one with a bias behind it, of a Gemm and of a stack of matrices."""
    random = np.random.default_rng(6)
    constants = [numpy_helper.from_array(random.standard_normal(dims).astype(np.float32), name) for name, dims in (("w", (24, 10)), ("b", (10,)), ("v", (24, 10)), ("c", (10,)), ("u", (24, 10)))]
    nodes = [helper.make_node("MatMul", ["x", "w"], ["m"], name="m"), helper.make_node("Neg", ["m"], ["alone"], name="n1"),
             helper.make_node("MatMul", ["x", "u"], ["k"], name="k"), helper.make_node("Add", ["k", "b"], ["a"], name="a"), helper.make_node("Neg", ["a"], ["with_bias"], name="n2"),
             helper.make_node("Gemm", ["x", "v", "c"], ["g"], name="g"), helper.make_node("Neg", ["g"], ["gemm"], name="n3"),
             helper.make_node("MatMul", ["s", "t"], ["st"], name="st"), helper.make_node("Neg", ["st"], ["stack"], name="n4")]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in INPUTS.items()]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in (("alone", [6, 10]), ("with_bias", [6, 10]), ("gemm", [6, 10]), ("stack", [2, 6, 5]))]
    onnx.save(helper.make_model(helper.make_graph(nodes, "net", ports, results, constants), opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def operators_run(path, plan):
    """What onnxruntime makes of the file, optimising all it can."""
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath, options.log_severity_level = plan, 4
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return sorted(node.op_type for node in onnx.load(plan).graph.node)


def compare_products(folder):
    """Results that are not rounded, in onnxruntime that optimises all it can, are those of `run`. Where several read one int8 value it computes
    in floats, and of a bias that is added behind a product it makes one of the integer sum: the last bits differ."""
    source, ranges, random = f"{folder}/products.onnx", f"{folder}/products.json", np.random.default_rng(7)
    products(source)
    rows = [{name: random.standard_normal(dims).astype(np.float32) for name, dims in INPUTS.items()} for _ in range(6)]
    tool("minmax-collect", source, "--input-list", write_list(folder, rows), "-q", "-o", ranges)
    for flags in ("u8i8", "u8i8 --per-tensor", "i8 --set-op-type MatMul=u8i8,outputs=none --set-op-type Gemm=u8i8", "i8", "i8 --per-tensor"):
        path, label = f"{folder}/products-q.onnx", f"onnx {flags} of products"
        tool("quantize", source, "--ranges", ranges, "--set-op-type", "Neg=none", "-q", "-o", path, "--type", *flags.split())
        tool("run", path, "--input-list", write_list(folder, rows[:1]), "--format", "npz", "-o", f"{folder}/out.npz", "-q")
        ours = np.load(f"{folder}/out.npz")
        for name, result in zip(("alone", "with_bias", "gemm", "stack"), session(path).run(None, rows[0])):
            apart = float(np.abs(result - next(v for k, v in ours.items() if name in k).reshape(result.shape)).max())
            check(apart <= ("u8i8" not in flags or name == "with_bias") * 4e-7 * float(np.abs(result).max()), f"{label}: {name} is apart by {apart:.3g}")
        operators = operators_run(path, f"{folder}/plan.onnx")
        if "u8i8" in flags:
            check(operators.count("MatMulIntegerToFloat") == 2 and operators.count("QGemm") == 2, f"{label}: onnxruntime runs {', '.join(operators)}")


def moved(path):
    """int8 that moves before it is real: by a Transpose, and by the Reshape that onnxruntime makes of a product of three dims with a bias, also of one whose data others read."""
    random = np.random.default_rng(8)
    constants = [numpy_helper.from_array(random.standard_normal(dims).astype(np.float32), name) for name, dims in (("w", (8, 5)), ("v", (8, 5)), ("b", (5,)))]
    nodes = [helper.make_node("Relu", ["s"], ["r"], name="r"), helper.make_node("MatMul", ["r", "w"], ["m"], name="m"), helper.make_node("Add", ["m", "b"], ["product"], name="a"),
             helper.make_node("Relu", ["t"], ["q"], name="q"), helper.make_node("Transpose", ["q"], ["turned"], name="turn", perm=[0, 2, 1]), helper.make_node("Neg", ["turned"], ["transposed"], name="n"),
             helper.make_node("Sigmoid", ["s"], ["z"], name="z"), helper.make_node("MatMul", ["z", "w"], ["one"], name="one"), helper.make_node("Add", ["one", "b"], ["first"], name="first"),
             helper.make_node("MatMul", ["z", "v"], ["two"], name="two"), helper.make_node("Add", ["two", "b"], ["second"], name="second")]
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, INPUTS[name]) for name in ("s", "t")]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in (("product", [2, 6, 5]), ("transposed", [2, 5, 8]), ("first", [2, 6, 5]), ("second", [2, 6, 5]))]
    onnx.save(helper.make_model(helper.make_graph(nodes, "net", ports, results, constants), opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def compare_moved(folder):
    """Of every opset that changed QuantizeLinear: onnxruntime, which makes such bytes unsigned, loads the file, and has the same codes."""
    source, ranges, random = f"{folder}/moved.onnx", f"{folder}/moved.json", np.random.default_rng(9)
    moved(source)
    rows = [{name: random.standard_normal(INPUTS[name]).astype(np.float32) for name in ("s", "t")} for _ in range(6)]
    tool("minmax-collect", source, "--input-list", write_list(folder, rows), "-q", "-o", ranges)
    for opset in (13, 19, 21, 23, 25):
        path = f"{folder}/moved-q.onnx"
        tool("quantize", source, "--ranges", ranges, "--set-op-type", "Neg=none", "--set-op-type", "Transpose=none", "--opset", str(opset), "-q", "-o", path)
        tool("run", path, "--input-list", write_list(folder, rows[:1]), "--format", "npz", "-o", f"{folder}/out.npz", "-q")
        with np.load(f"{folder}/out.npz") as ours:
            for name, result in zip(("product", "transposed", "first", "second"), session(path).run(None, rows[0])):
                check(np.array_equal(result, next(v for k, v in ours.items() if name in k).reshape(result.shape)), f"onnx i8 of opset {opset}: {name} is the same")


# Codes with scales of their own beside codes, of which onnxruntime makes operators on codes that refuse them.
OF_BLOCKS = ["wo-i8", "wo-u8", "wo-i4", "i8 --block 32", "u8i8 --block 32", "dynamic-i8 --block 32", "i8 --weight-bits 2", "i8 --set-op-type MatMul=wo-i8", "i8 --set-op-type Gather=wo-i8", "wo-i8 --opset 25"]


def of_blocks(path):
    """A table whose rows a product with a bias, another one, a Reshape and a Transpose read, and a product of its own."""
    random = np.random.default_rng(10)
    shapes = {"table": (50, 64), "w": (64, 32), "b": (32,), "v": (64, 32), "u": (64, 32)}
    constants = [numpy_helper.from_array(random.standard_normal(dims).astype(np.float32), name) for name, dims in shapes.items()]
    constants.append(numpy_helper.from_array(np.array([64, 3], np.int64), "turned"))
    nodes = [helper.make_node(*node[:1], node[1].split(), [node[2]], name=node[2]) for node in
             (("Gather", "table ids", "rows"), ("MatMul", "rows w", "product"), ("Add", "product b", "looked"), ("MatMul", "rows v", "bare"), ("Reshape", "rows turned", "flat"),
              ("Transpose", "rows", "other"), ("MatMul", "x u", "plain"))]
    ports = [helper.make_tensor_value_info("ids", TensorProto.INT64, [3]), helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 64])]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in (("looked", [3, 32]), ("bare", [3, 32]), ("flat", [64, 3]), ("other", [64, 3]), ("plain", [4, 32]))]
    onnx.save(helper.make_model(helper.make_graph(nodes, "net", ports, results, constants), opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def compare_of_blocks(folder):
    """onnxruntime that optimises all it can loads the file, runs it, and has what `run` has but for codes that fell to the other side."""
    source, ranges, random = f"{folder}/blocks.onnx", f"{folder}/blocks.json", np.random.default_rng(11)
    of_blocks(source)
    rows = [{"ids": random.integers(0, 50, 3), "x": random.standard_normal((4, 64)).astype(np.float32)} for _ in range(6)]
    tool("minmax-collect", source, "--input-list", write_list(folder, rows), "-q", "-o", ranges)
    for flags in OF_BLOCKS:
        path = f"{folder}/blocks-q.onnx"
        tool("quantize", source, "--ranges", ranges, "--type", *flags.split(), "-q", "-o", path)
        tool("run", path, "--input-list", write_list(folder, rows[:1]), "--format", "npz", "-o", f"{folder}/out.npz", "-q")
        with np.load(f"{folder}/out.npz") as ours:
            for name, result in zip(("looked", "bare", "flat", "other", "plain"), session(path).run(None, rows[0])):
                apart = float(np.abs(result - next(v for k, v in ours.items() if name in k).reshape(result.shape)).max() / np.abs(result).max())
                check(apart <= 0.01, f"onnx {flags} of blocks: {name} is apart by {apart:.1e}")


def in_onnxruntime(path, x, level=onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]


def in_plain_onnxruntime(path, x):
    return in_onnxruntime(path, x, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC)


def in_onnxruntime_of_floats(path, x):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    theirs = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    kept = sqnr(ReferenceEvaluator(path).run(None, {"x": x})[0], theirs)
    check(kept > 60, f"onnxruntime beside the reference of ONNX: {kept:.1f} dB")
    return theirs


def in_quern(folder, path, x):
    tool("run", path, "--input-list", write_list(folder, [{"x": x}]), "--format", "npz", "-o", f"{folder}/out.npz", "-q")
    return np.load(f"{folder}/out.npz")


def sqnr(want, got):
    return 10 * np.log10((want**2).sum() / max(((want - got) ** 2).sum(), 1e-30))


def in_litert(path, x):
    it = Interpreter(path, experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
    it.allocate_tensors()
    there, y = it.get_input_details()[0], it.get_output_details()[0]
    if tuple(there["shape"]) != x.shape:  # channels last
        x = x.transpose(0, 2, 3, 1)
    it.set_tensor(there["index"], x)
    it.invoke()
    return it.get_tensor(y["index"])


with tempfile.TemporaryDirectory() as folder:
    source, ranges = f"{folder}/net.onnx", f"{folder}/ranges.json"
    net(source)
    rows = [np.random.default_rng(seed).standard_normal((1, 4, 8, 8)).astype(np.float32) for seed in range(8)]
    tool("minmax-collect", source, "--input-list", write_list(folder, [{"x": row} for row in rows]), "-q", "-o", ranges)
    x = rows[3]
    real = in_onnxruntime(source, x)

    def compare(label, flags, suffix, runtime, least, step):
        path = f"{folder}/q.{suffix}"
        try:
            tool("quantize", source, *flags, "-q", "-o", path)
            theirs, ours = runtime(path, x), next(iter(in_quern(folder, path, x).values())).reshape(real.shape)
            apart, kept = float(np.abs(theirs - ours).max()), sqnr(real, theirs)
            if suffix == "onnx" and label.startswith("wo-") and "float" not in label:
                tool("quantize", source, *flags, "-q", "-o", f"{folder}/q.qn")
                native = next(iter(in_quern(folder, f"{folder}/q.qn", x).values())).reshape(real.shape)
                check(np.array_equal(native, ours), f"qn {label}: the same results as of the ONNX file")
            check(apart <= step * float(np.abs(real).max()) and kept >= least, f"{suffix} {label}: apart by {apart:.3g}, {kept:.1f} dB, need {least}")
        except (RuntimeError, ValueError) as problem:
            check(False, f"{suffix} {label}: {problem}")

    for settings, least in ONNX:
        compare(settings, ["--ranges", ranges, "--type", *settings.split()], "onnx", in_onnxruntime, least, 0.02)
    for settings, least in PLAIN:
        compare(settings, ["--ranges", ranges, "--type", *settings.split()], "onnx", in_plain_onnxruntime, least, 0.02)
    for settings, least in FLOAT8:
        compare(settings, ["--ranges", ranges, "--type", *settings.split()], "onnx", in_onnxruntime_of_floats, least, 0.06)
    for settings, least in FLOAT8_WEIGHTS:
        compare(settings, ["--type", *settings.split()], "onnx", in_onnxruntime, least, 1e-6)
    for settings, least in TFLITE:
        compare(settings, ["--ranges", ranges, "--io", "float", "--type", *settings.split()], "tflite", in_litert, least, 1e-6)
    for words in WORDS:
        compare(f"--dynamic={words}", [f"--dynamic={words}"], "onnx", in_onnxruntime, 30, 1e-6)
    compare_products(folder)
    compare_moved(folder)
    compare_of_blocks(folder)

finish("settings")
