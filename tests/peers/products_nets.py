"""Float ONNX models of one operator each, with ranges, biases and zero points at their ends, as branches of one model: what products.py quantizes.
A branch is a function that adds nodes to a Branch; values are called LABEL/NAME."""
import sys

import numpy as np
from onnx import TensorProto, helper, numpy_helper

SPANS = {"both": (-3.0, 5.0), "low": (0.0, 6.0), "high": (-4.0, 0.0), "tiny": (-1e-4, 2e-4), "far": (-3e3, 1e4)}
BRANCHES = {}
SPELLED = set()  # of these what TFLite has in other words only


class Branch:
    def __init__(self, label):
        self.label, self.nodes, self.inputs, self.constants, self.outputs = label, [], [], [], []
        self.rng = np.random.default_rng(sum(map(ord, label)))

    def name(self, what):
        return f"{self.label}/{what}"

    def fed(self, shape, span="both"):
        name = self.name(f"x{len(self.inputs)}")
        self.inputs.append((name, list(shape), SPANS[span]))
        return name

    def constant(self, array):
        name = self.name(f"c{len(self.constants)}")
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def real(self, shape, low=-1.0, high=1.0):
        return self.constant(self.rng.uniform(low, high, shape).astype(np.float32))

    def ints(self, *items):
        return self.constant(np.array(items, np.int64))

    def op(self, kind, inputs, outputs=1, **attributes):
        names = [self.name(f"v{len(self.nodes)}_{i}" if outputs > 1 else f"v{len(self.nodes)}") for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=self.name(f"n{len(self.nodes)}"), **attributes))
        return names if outputs > 1 else names[0]

    def give(self, *values, element=TensorProto.FLOAT):
        self.outputs += [(value, element) for value in values]


def branch(label):
    label = label.replace(" ", "_")  # names go through input lists

    def add(make):
        BRANCHES[label] = make
        return make
    return add


def unary(kind, spans=("both", "low", "high", "tiny", "far"), **attributes):
    for span in spans:
        @branch(f"{kind} {span}")
        def make(b, span=span):
            b.give(b.op(kind, [b.fed([2, 40], span)], **attributes))


def made():
    """Adds every branch."""
    for kind in ("Relu", "Sigmoid", "Tanh", "HardSwish", "Elu", "Gelu", "Abs", "Neg", "HardSigmoid", "Erf", "Softplus"):
        unary(kind, ("both", "low", "high", "far"))
    for kind in ("Floor", "Ceil", "Round", "Sin", "Cos", "Sign", "Mish", "Selu", "Softsign", "Identity"):
        unary(kind, ("both",))
    unary("Exp", ("both", "high"))
    unary("LeakyRelu", ("both", "far"), alpha=0.11)
    unary("Softmax", ("both", "far", "tiny"), axis=-1)
    unary("LogSoftmax", ("both",), axis=-1)
    unary("LpNormalization", ("both",), axis=-1)
    positives()
    pairs()
    products()
    spaces()
    reductions()
    movement()
    tables()
    norms()
    others = set(BRANCHES)
    if "--spelled" in sys.argv:  # not in every run: onnxruntime refuses some of them joined with the rest (QuantizeLinear of Gemm's reshaped input)
        spelled()
    SPELLED.update(set(BRANCHES) - others)
    nets()


def positives():
    for kind in ("Log", "Sqrt", "Reciprocal"):
        @branch(kind)
        def make(b, kind=kind):
            shifted = b.op("Add", [b.fed([2, 40], "low"), b.constant(np.float32(0.5))])
            b.give(b.op(kind, [shifted]))


def pairs():
    for kind in ("Add", "Sub", "Mul", "Div", "Max", "Min"):
        for left, right in (("both", "both"), ("low", "high"), ("far", "tiny")):
            if kind == "Div" and right != "both":
                continue

            @branch(f"{kind} {left} {right}")
            def make(b, kind=kind, left=left, right=right):
                x, y = b.fed([2, 3, 5], left), b.fed([2, 3, 5], right)
                if kind == "Div":
                    y = b.op("Add", [b.op("Abs", [y]), b.constant(np.float32(0.7))])
                b.give(b.op(kind, [x, y]))

        @branch(f"{kind} constant")
        def make(b, kind=kind):
            b.give(b.op(kind, [b.fed([2, 3, 5]), b.real([5], 0.5, 2.0)]))

    @branch("Add zeros")
    def make(b):
        b.give(b.op("Add", [b.fed([2, 3, 5]), b.constant(np.zeros(5, np.float32))]))

    for kind in ("Equal", "Less", "Greater", "GreaterOrEqual"):
        @branch(kind)
        def make(b, kind=kind):
            b.give(b.op(kind, [b.fed([2, 3, 5]), b.fed([2, 3, 5], "low")]), element=TensorProto.BOOL)

    @branch("PRelu")
    def make(b):
        b.give(b.op("PRelu", [b.fed([1, 3, 4, 5]), b.real([3, 1, 1])]))

    @branch("Clip")
    def make(b):
        b.give(b.op("Clip", [b.fed([2, 40], "far"), b.constant(np.float32(0)), b.constant(np.float32(6))]))

    @branch("SquaredDifference")
    def make(b):
        d = b.op("Sub", [b.fed([2, 3, 5]), b.fed([2, 3, 5], "low")])
        b.give(b.op("Mul", [d, d]))

    @branch("Where")
    def make(b):
        x = b.fed([2, 3, 5])
        b.give(b.op("Where", [b.op("Greater", [x, b.constant(np.float32(0.3))]), x, b.fed([2, 3, 5], "high")]))


# Biases: of the size of the sums; 1e9 steps of input scale times weight scale, of both signs; none.
BIASES = {"plain": 1.0, "huge": 1e9, "none": None}


def biased(b, inputs, count, kind, span, weight):
    """The operands with a bias; steps are of 8-bit codes."""
    if BIASES[kind] is None:
        return inputs
    low, high = SPANS[span]
    step = (high - low) / 255 * weight / 127
    size = 1.0 if kind == "plain" else BIASES[kind] * step
    return [*inputs, b.constant((size * np.where(np.arange(count) % 2, -1, 1)).astype(np.float32))]


def products():
    for kind in BIASES:
        for span in ("both", "low", "tiny"):
            if kind == "none" and span != "both":
                continue
            for group in (1, 4):
                @branch(f"Conv {kind} {span} {group}")
                def make(b, kind=kind, span=span, group=group):
                    operands = [b.fed([1, 4, 6, 7], span), b.real([8, 4 // group, 3, 3])]
                    b.give(b.op("Conv", biased(b, operands, 8, kind, span, 1.0), group=group, pads=[1, 1, 1, 1], strides=[2, 1]))

            @branch(f"Gemm {kind} {span}")
            def make(b, kind=kind, span=span):
                b.give(b.op("Gemm", biased(b, [b.fed([2, 16], span), b.real([5, 16])], 5, kind, span, 1.0), transB=1))

        @branch(f"ConvTranspose {kind}")
        def make(b, kind=kind):
            b.give(b.op("ConvTranspose", biased(b, [b.fed([1, 4, 5, 4]), b.real([4, 3, 2, 2])], 3, kind, "both", 1.0), strides=[2, 2]))

        @branch(f"Linear {kind}")
        def make(b, kind=kind):
            x, w, *bias = biased(b, [b.fed([2, 3, 16]), b.real([16, 5])], 5, kind, "both", 1.0)
            y = b.op("MatMul", [x, w])
            b.give(b.op("Add", [y, bias[0]]) if bias else y)
    for act in ("Relu", "Clip"):
        @branch(f"Conv {act}")
        def make(b, act=act):
            y = b.op("Conv", biased(b, [b.fed([1, 4, 6, 7]), b.real([8, 4, 3, 3])], 8, "plain", "both", 1.0))
            more = [b.constant(np.float32(0)), b.constant(np.float32(6))] if act == "Clip" else []
            b.give(b.op(act, [y, *more]))

        @branch(f"ConvTranspose {act}")
        def make(b, act=act):
            y = b.op("ConvTranspose", biased(b, [b.fed([1, 4, 5, 4]), b.real([4, 3, 2, 2])], 3, "plain", "both", 1.0), strides=[2, 2])
            more = [b.constant(np.float32(0)), b.constant(np.float32(6))] if act == "Clip" else []
            b.give(b.op(act, [y, *more]))

    @branch("Conv 1d")
    def make(b):
        b.give(b.op("Conv", biased(b, [b.fed([1, 4, 9]), b.real([8, 4, 3])], 8, "plain", "both", 1.0)))

    @branch("Conv zero weights")
    def make(b):
        weights = b.rng.uniform(-1, 1, (8, 4, 3, 3)).astype(np.float32)
        weights[::2] = 0
        b.give(b.op("Conv", biased(b, [b.fed([1, 4, 6, 7]), b.constant(weights)], 8, "plain", "both", 1.0)))

    @branch("Gemm uneven channels")
    def make(b):
        weights = b.rng.uniform(-1, 1, (5, 16)).astype(np.float32) * np.float32([[1e-4], [1e-2], [1], [10], [1e3]])
        b.give(b.op("Gemm", biased(b, [b.fed([2, 16]), b.constant(weights)], 5, "plain", "both", 1.0), transB=1))

    @branch("MatMul of two")
    def make(b):
        b.give(b.op("MatMul", [b.fed([2, 3, 8]), b.fed([2, 8, 5], "low")]))


def spaces():
    window = dict(kernel_shape=[2, 2], strides=[2, 2])
    for kind, attributes in (("MaxPool", window), ("AveragePool", window), ("GlobalMaxPool", {}), ("GlobalAveragePool", {})):
        for span in ("both", "high"):
            @branch(f"{kind} {span}")
            def make(b, kind=kind, attributes=attributes, span=span):
                b.give(b.op(kind, [b.fed([1, 4, 6, 8], span)], **attributes))
    for mode in ("nearest", "linear"):
        @branch(f"Resize {mode}")
        def make(b, mode=mode):
            scales = b.constant(np.array([1, 1, 2, 2], np.float32))
            b.give(b.op("Resize", [b.fed([1, 4, 3, 5]), "", scales], mode=mode, coordinate_transformation_mode="half_pixel" if mode == "linear" else "asymmetric",
                        nearest_mode="floor"))


def reductions():
    for kind in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd"):
        for keep in (0, 1):
            @branch(f"{kind} {keep}")
            def make(b, kind=kind, keep=keep):
                b.give(b.op(kind, [b.fed([2, 3, 4, 5], "low" if kind == "ReduceProd" else "both"), b.ints(1, 2)], keepdims=keep))
    for kind in ("ArgMax", "ArgMin"):
        @branch(kind)
        def make(b, kind=kind):
            b.give(b.op(kind, [b.fed([2, 3, 5])], axis=2, keepdims=0), element=TensorProto.INT64)

    @branch("CumSum")
    def make(b):
        b.give(b.op("CumSum", [b.fed([2, 5]), b.constant(np.int64(1))]))

    @branch("TopK")
    def make(b):
        values, places = b.op("TopK", [b.fed([2, 9]), b.ints(3)], 2, axis=-1)
        b.give(values)
        b.give(places, element=TensorProto.INT64)


def movement():
    moves = {
        "Transpose": lambda b, x: b.op("Transpose", [x], perm=[2, 0, 1]),
        "Reshape": lambda b, x: b.op("Reshape", [x, b.ints(4, 15)]),
        "Slice": lambda b, x: b.op("Slice", [x, b.ints(1), b.ints(4), b.ints(2)]),
        "Unsqueeze": lambda b, x: b.op("Unsqueeze", [x, b.ints(1)]),
        "Expand": lambda b, x: b.op("Expand", [x, b.ints(2, 3, 4, 5)]),
        "Tile": lambda b, x: b.op("Tile", [x, b.ints(1, 2, 1)]),
        "Pad": lambda b, x: b.op("Pad", [x, b.ints(0, 1, 0, 0, 0, 2), b.constant(np.float32(0))]),
        "Pad value": lambda b, x: b.op("Pad", [x, b.ints(0, 1, 0, 0, 0, 2), b.constant(np.float32(-0.7))]),
        "Pad reflect": lambda b, x: b.op("Pad", [x, b.ints(0, 1, 0, 0, 0, 2)], mode="reflect"),
        "Gather": lambda b, x: b.op("Gather", [x, b.ints(1, 0, 2)], axis=1),
        "Gather from the end": lambda b, x: b.op("Gather", [x, b.ints(1, -1, -3)], axis=1),
        "Gather last": lambda b, x: b.op("Gather", [x, b.constant(np.array(-1, np.int64))], axis=1),
        "GatherND from the end": lambda b, x: b.op("GatherND", [x, b.constant(np.array([[0, 1], [-1, -2]], np.int64))]),
        "Slice from the end": lambda b, x: b.op("Slice", [x, b.ints(-3), b.ints(-1), b.ints(2)]),
    }
    for kind, move in moves.items():
        @branch(kind)
        def make(b, move=move):
            b.give(move(b, b.fed([3, 4, 5])))

    @branch("Split")
    def make(b):
        b.give(*b.op("Split", [b.fed([2, 6])], 2, axis=1, num_outputs=2))

    for kind in ("DepthToSpace", "SpaceToDepth"):
        @branch(kind)
        def make(b, kind=kind):
            b.give(b.op(kind, [b.fed([1, 4, 4, 6])], blocksize=2))

    for spans in (("both", "both"), ("low", "high"), ("tiny", "far")):
        @branch(f"Concat {' '.join(spans)}")
        def make(b, spans=spans):
            b.give(b.op("Concat", [b.fed([2, 3], s) for s in spans], axis=1))

    @branch("Concat shared")
    def make(b):
        x = b.op("Relu", [b.fed([1, 4, 5, 5])])
        b.give(b.op("Concat", [x, b.op("Sigmoid", [b.fed([1, 2, 5, 5])]), b.fed([1, 1, 5, 5], "far")], axis=1), b.op("Conv", [x, b.real([2, 4, 1, 1])]))


def tables():
    """Constants that rows are looked up in."""
    def ids(b, kind=TensorProto.INT64):
        return b.op("Cast", [b.fed([2, 3], "low")], to=kind)

    @branch("Table")
    def make(b):
        b.give(b.op("Gather", [b.real([8, 48]), ids(b)]))

    @branch("Table narrow")
    def make(b):
        b.give(b.op("Gather", [b.real([8, 20], -3, 0.5), ids(b, TensorProto.INT32)]))

    @branch("Table columns")
    def make(b):
        b.give(b.op("Gather", [b.real([20, 8]), ids(b)], axis=1))

    @branch("Table twice")
    def make(b):
        table = b.real([8, 32])
        b.give(b.op("Gather", [table, ids(b)]), b.op("Gather", [table, b.op("Neg", [ids(b)])]))

    @branch("Table product")
    def make(b):
        b.give(b.op("MatMul", [b.op("Gather", [b.real([8, 48]), ids(b)]), b.real([48, 16])]))

    @branch("Table tied")
    def make(b):
        table = b.real([8, 48])
        rows = b.op("Reshape", [b.op("Gather", [table, ids(b)]), b.ints(6, 48)])
        b.give(b.op("Gemm", [rows, table], transB=1))


def norms():
    @branch("LayerNormalization")
    def make(b):
        b.give(b.op("LayerNormalization", [b.fed([2, 3, 16]), b.real([16], 0.5, 1.5), b.real([16])], axis=-1))

    @branch("InstanceNormalization")
    def make(b):
        b.give(b.op("InstanceNormalization", [b.fed([1, 4, 5, 5]), b.real([4], 0.5, 1.5), b.real([4])]))

    @branch("BatchNormalization")
    def make(b):
        b.give(b.op("BatchNormalization", [b.fed([1, 4, 5, 5]), b.real([4], 0.5, 1.5), b.real([4]), b.real([4]), b.real([4], 0.5, 1.5)]))

    for kind, gates in (("LSTM", 4), ("GRU", 3)):
        @branch(kind)
        def make(b, kind=kind, gates=gates):
            more = {"linear_before_reset": 1} if kind == "GRU" else {}
            whole, last = b.op(kind, [b.fed([4, 1, 6]), b.real([1, gates * 5, 6]), b.real([1, gates * 5, 5]), b.real([1, 2 * gates * 5])], 2, hidden_size=5, **more)
            b.give(whole)


def spelled():
    """What TFLite has in other words only."""
    def resized(b, scale, **attributes):
        return b.op("Resize", [b.fed([1, 4, 3, 5]), "", b.constant(np.array([1, 1, scale, scale], np.float32))], **attributes)

    def spread(b, kernel, group=1, units=3, **attributes):
        return b.op("ConvTranspose", [b.fed([1, 4, *[5] * len(kernel)]), b.real([4, units // group, *kernel]), b.real([units])], group=group, **attributes)

    forms = {
        "Resize default": lambda b: resized(b, 2.0),
        "Resize places": lambda b: resized(b, 1.7, nearest_mode="ceil"),
        "Resize cubic": lambda b: resized(b, 2.0, mode="cubic"),
        "PixelShuffle": lambda b: b.op("DepthToSpace", [b.fed([1, 8, 3, 4])], blocksize=2, mode="CRD"),
        "PixelShuffle of Conv": lambda b: b.op("DepthToSpace", [b.op("Relu", [b.op("Conv", [b.fed([1, 3, 4, 4]), b.real([8, 3, 1, 1]), b.real([8])])])],
                                               blocksize=2, mode="CRD"),
        "Gemm factors": lambda b: b.op("Gemm", [b.fed([2, 16]), b.real([16, 5]), b.constant(np.float32([0.7]))], alpha=0.5, beta=2.0),
        "Gemm column": lambda b: b.op("Gemm", [b.fed([2, 16]), b.real([16, 5]), b.real([2, 1])]),
        "GroupNormalization": lambda b: b.op("GroupNormalization", [b.fed([1, 4, 5, 5]), b.real([2], 0.5, 1.5), b.real([2])], num_groups=2),
        "ConvTranspose groups": lambda b: spread(b, [3, 3], 2, 4, strides=[2, 2]),
        "ConvTranspose odd": lambda b: spread(b, [4, 4], strides=[2, 2], pads=[1, 0, 2, 1]),
        "ConvTranspose padded": lambda b: spread(b, [3, 3], strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]),
        "ConvTranspose gaps": lambda b: spread(b, [3, 3], dilations=[2, 2]),
        "ConvTranspose 1d": lambda b: spread(b, [4], strides=[2], pads=[1, 1]),
        "MatMul vector": lambda b: b.op("MatMul", [b.fed([16]), b.real([16, 5])]),
        "MatMul by vector": lambda b: b.op("MatMul", [b.fed([3, 16]), b.real([16])]),
        "GatherElements": lambda b: b.op("GatherElements", [b.fed([3, 4]), b.constant(np.array([[0, -1], [2, 1], [1, 1]], np.int64))], axis=1),
        "Einsum": lambda b: b.op("Einsum", [b.fed([2, 4, 3]), b.real([3, 5])], equation="bij,jk->bki"),
        "Pad edge": lambda b: b.op("Pad", [b.fed([1, 2, 4, 5]), b.ints(0, 0, 1, 2, 0, 0, 0, 3)], mode="edge"),
        "MaxPool gaps": lambda b: b.op("MaxPool", [b.fed([1, 2, 7, 8], "high")], kernel_shape=[2, 3], dilations=[2, 2], pads=[1, 1, 0, 1]),
        "AveragePool gaps": lambda b: b.op("AveragePool", [b.fed([1, 2, 7, 8])], kernel_shape=[2, 2], dilations=[2, 2], pads=[1, 1, 1, 1]),
        "ReduceL1": lambda b: b.op("ReduceL1", [b.fed([2, 3, 5]), b.ints(1)]),
        "ReduceLogSumExp": lambda b: b.op("ReduceLogSumExp", [b.fed([2, 3, 5]), b.ints(2)], keepdims=0),
        "Elu alpha": lambda b: b.op("Elu", [b.fed([2, 40])], alpha=0.3),
        "Celu": lambda b: b.op("Celu", [b.fed([2, 40])], alpha=2.0),
    }
    for label, form in forms.items():
        @branch(label)
        def make(b, form=form):
            b.give(form(b))

    for kind, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        @branch(f"{kind} both ways")
        def make(b, kind=kind, gates=gates):
            whole, last = b.op(kind, [b.fed([4, 1, 6]), b.real([2, gates * 5, 6]), b.real([2, gates * 5, 5]), b.real([2, 2 * gates * 5])], 2,
                               hidden_size=5, direction="bidirectional")
            b.give(whole, last)

    @branch("LSTM states")
    def make(b):
        whole, last, cell = b.op("LSTM", [b.fed([4, 2, 6]), b.real([1, 20, 6]), b.real([1, 20, 5]), b.real([1, 40]), b.constant(np.array([4, 2], np.int32)),
                                          b.fed([1, 2, 5]), b.fed([1, 2, 5])], 3, hidden_size=5)
        b.give(whole, last, cell)


def nets():
    """Whole nets in small."""
    def conv(b, x, taken, made, kernel, group=1, **more):
        pads = [kernel // 2] * 4
        return b.op("Conv", [x, b.real([made, taken // group, kernel, kernel]), b.real([made])], group=group, pads=pads, **more)

    @branch("Net residual")
    def make(b):
        x = b.op("Relu", [conv(b, b.fed([1, 3, 12, 12]), 3, 8, 3, strides=[2, 2])])
        y = conv(b, b.op("Relu", [conv(b, x, 8, 8, 3)]), 8, 8, 3)
        x = b.op("Relu", [b.op("Add", [x, y])])
        x = b.op("Concat", [b.op("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2]), b.op("AveragePool", [x], kernel_shape=[2, 2], strides=[2, 2])], axis=1)
        x = b.op("Flatten", [b.op("GlobalAveragePool", [x])])
        b.give(b.op("Softmax", [b.op("Gemm", [x, b.real([10, 16]), b.real([10])], transB=1)], axis=-1))

    @branch("Net mobile")
    def make(b):
        x = b.op("HardSwish", [conv(b, b.fed([1, 3, 12, 12]), 3, 8, 3, strides=[2, 2])])
        y = b.op("Clip", [conv(b, x, 8, 8, 3, group=8), b.constant(np.float32(0)), b.constant(np.float32(6))])
        gate = b.op("Relu", [conv(b, b.op("GlobalAveragePool", [y]), 8, 4, 1)])
        gate = b.op("HardSigmoid", [conv(b, gate, 4, 8, 1)], alpha=1 / 6, beta=0.5)
        b.give(b.op("Add", [x, conv(b, b.op("Mul", [y, gate]), 8, 8, 1)]))

    @branch("Net attention")
    def make(b):
        x = b.fed([1, 6, 16])
        normal = b.op("LayerNormalization", [x, b.real([16], 0.5, 1.5), b.real([16])], axis=-1)
        q, k, v = (b.op("Add", [b.op("MatMul", [normal, b.real([16, 16])]), b.real([16])]) for _ in range(3))
        scores = b.op("Mul", [b.op("MatMul", [q, b.op("Transpose", [k], perm=[0, 2, 1])]), b.constant(np.float32(0.25))])
        x = b.op("Add", [x, b.op("MatMul", [b.op("Softmax", [scores], axis=-1), v])])
        b.give(b.op("MatMul", [b.op("Gelu", [b.op("MatMul", [x, b.real([16, 32])])]), b.real([32, 16])]))


def model_of(labels, path):
    """Writes the model of these branches; -> their Branch objects."""
    branches = []
    for label in labels:
        branches.append(Branch(label))
        BRANCHES[label](branches[-1])
    graph = helper.make_graph(
        [node for b in branches for node in b.nodes], "products",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for b in branches for name, shape, _ in b.inputs],
        [helper.make_tensor_value_info(name, element, None) for b in branches for name, element in b.outputs],
        [c for b in branches for c in b.constants])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    return branches


made()
