"""Single operators as QNN's HTP is asked about them: by scripts/measure-qnn, in QDQ form, which types it takes, and by qnn_operators.py how near to quern's own results
it comes."""
import numpy as np
from onnx import TensorProto as T
from onnx import helper

# Stored types: numpy's, ONNX's, a scale and a zero point of activations.
STORED = {"uint8": (T.UINT8, 0.02, 120), "int8": (T.INT8, 0.02, 0), "uint16": (T.UINT16, 1e-4, 30000), "int16": (T.INT16, 1e-4, 0)}
FLOATS = {"float16": T.FLOAT16, "float32": T.FLOAT}
WHOLE = {"int32": T.INT32, "int64": T.INT64, "bool": T.BOOL}
WEIGHTS = {"int8": T.INT8, "uint8": T.UINT8, "int4": T.INT4, "int16": T.INT16}


def act(*shape):
    """An activation: an input of the net."""
    return "act", shape


def indices(*shape):
    """Whole numbers that are computed: an input of the net."""
    return "indices", shape


def weight(axis, *shape):
    """A weight, quantized by the output channels along `axis`."""
    return "weight", shape, axis


def data(*shape):
    """A constant that is an operand as any other, quantized as activations are; of 8 bits int8."""
    return "data", shape


def bias(count):
    return "bias", (count,)


def ints(*numbers):
    return "ints", np.array(numbers, np.int64)


def scalar(number):
    return "ints", np.array(number, np.int64)


def given(array):
    """A constant of its own type."""
    return "ints", array


def reals(array):
    """A constant of the net's numbers, which is not quantized."""
    return "reals", np.asarray(array)


# Asked about in whole numbers, too: what moves data, also in truth values, and what computes on it.
MOVES = {"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Transpose", "Concat", "Slice", "Split", "Tile", "Expand", "Gather", "GatherElements", "GatherND", "Pad", "Identity", "Where"}
ARITHMETIC = {"Add", "Sub", "Mul", "Div", "Min", "Max", "Abs", "Neg", "Sign", "Relu", "Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual", "ReduceSum", "ReduceMax", "ReduceMin", "ArgMax", "ArgMin", "CumSum",
              "ScatterND", "ScatterElements"}


def asked_in(op, weighted):
    """The types that an operator is asked about in: of activations, and of weights beside them."""
    if weighted:
        return [(a, w) for a in STORED for w in WEIGHTS] + [(f, f) for f in FLOATS]
    whole = [w for w in WHOLE if op in MOVES or (op in ARITHMETIC and w != "bool")]
    return [(a, a) for a in (*STORED, *FLOATS, *whole)]


class Case:
    """An operator on some operands. `when`: conditions under which what is measured holds, as targets have them; none: always. `out`: types of
    outputs that are not the activations' own. `types`: the only ones that it is asked about in."""

    def __init__(self, op, *operands, when=(), out=None, outputs=1, opset=21, types=None, **attributes):
        self.op, self.operands, self.when, self.out, self.outputs, self.opset, self.attributes = op, operands, when, out, outputs, opset, attributes
        self.weighted = any(kind[0] == "weight" for kind in operands)
        self.types = [(t, t) for t in types] if types else asked_in(op, self.weighted)

    def rank(self):
        """Of what is computed on; 5: one of those that are asked again for their rank."""
        return max(len(kind[1]) for kind in self.operands if kind[0] in ("act", "data"))

    def name(self):
        return self.op + "".join(f" {c['check']}={c.get('is', c.get('min', c.get('not')))}" for c in self.when)

    def model(self, stored, weights):
        """The net of this operator, in QDQ form."""
        nodes, constants, inputs, names = [], [], [], []
        real = {**FLOATS, **WHOLE}.get(stored, T.FLOAT)
        random = np.random.default_rng(3)

        def constant(name, array, dtype=None):
            dtype = dtype or helper.np_dtype_to_tensor_dtype(array.dtype)
            constants.append(helper.make_tensor(name, dtype, array.shape, array.ravel().tolist()))
            return name

        def linear(op, source, scale, zero, dtype, to, **attributes):
            scales = [constant(f"{to}_scale", np.array(scale, np.float32)), constant(f"{to}_zero", np.array(zero), dtype)]
            nodes.append(helper.make_node(op, [source, *scales], [to], **attributes))
            return to

        for i, operand in enumerate(self.operands):
            kind, shape, name = operand[0], operand[1], f"i{i}"
            if kind == "ints":
                names.append(constant(name, shape))
            elif kind == "reals":
                names.append(constant(name, shape, real))
            elif kind == "indices":
                inputs.append(helper.make_tensor_value_info(name, T.INT64, shape))
                names.append(name)
            elif kind == "act":
                inputs.append(helper.make_tensor_value_info(name, real, shape))
                if stored in STORED:
                    dtype, scale, zero = STORED[stored]
                    name = linear("DequantizeLinear", linear("QuantizeLinear", name, scale, zero, dtype, f"{name}_q"), scale, zero, dtype, f"{name}_d")
                names.append(name)
            elif stored in WHOLE:
                names.append(constant(name, random.integers(0, 2 if stored == "bool" else 9, shape), real))
            elif stored in FLOATS:
                names.append(constant(name, np.round(random.uniform(0.25, 1, shape), 2), real))
            elif kind == "weight":
                dtype, top = WEIGHTS[weights], 7 if weights == "int4" else 120
                channels = shape[operand[2]]
                scale, zero = (0.01, 128) if weights == "uint8" else (np.full(channels, 0.01), np.zeros(channels, np.int64))
                codes = random.integers(0 if weights == "uint8" else -top, top, shape)
                axis = {} if weights == "uint8" else {"axis": operand[2]}
                names.append(linear("DequantizeLinear", constant(f"{name}_codes", codes, dtype), scale, zero, dtype, f"{name}_d", **axis))
            elif kind == "bias":
                one = weights == "uint8"
                scale = STORED[stored][1] * 0.01
                scale, zero, axis = (scale, 0, {}) if one else (np.full(shape[0], scale), np.zeros(shape[0], np.int64), {"axis": 0})
                names.append(linear("DequantizeLinear", constant(f"{name}_codes", random.integers(-99, 99, shape), T.INT32), scale, zero, T.INT32, f"{name}_d", **axis))
            else:
                own = "int8" if stored in ("uint8", "int8") else stored
                dtype, scale, zero = STORED[own]
                names.append(linear("DequantizeLinear", constant(f"{name}_codes", random.integers(20, 100, shape) + zero, dtype), scale, zero, dtype, f"{name}_d"))
        results = [f"o{i}" for i in range(self.outputs)]
        nodes.append(helper.make_node(self.op, names, results, name="measured", **self.attributes))
        for i, result in enumerate(results):
            dtype = (self.out or {}).get(i)
            if dtype is None and stored in STORED:
                code, scale, zero = STORED[stored]
                result = linear("DequantizeLinear", linear("QuantizeLinear", result, scale, zero, code, f"{result}_q"), scale, zero, code, f"{result}_d")
            results[i] = helper.make_tensor_value_info(result, dtype or real, None)
        graph = helper.make_graph(nodes, "net", inputs, results, constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=10 if self.opset < 24 else 11)


def conditions(check, value):
    return ({"check": check, "is": value},)


def cast(x):
    """Cast into each type, of any."""
    into = {"int32": T.INT32, "int64": T.INT64, "bool": T.BOOL, "float32": T.FLOAT, "float16": T.FLOAT16}
    return [Case("Cast", x, out={0: to}, when=conditions("output_storage", name), types=(*STORED, *FLOATS, *WHOLE), to=to) for name, to in into.items()]


X = act(1, 8, 16, 16)
DEPTHWISE, VOLUME, COMPUTED = conditions("depthwise", "yes"), conditions("spatial_rank", 3), conditions("weight_constant", "no")
PLAIN = ({"check": "depthwise", "is": "no"}, {"check": "spatial_rank", "max": 2}, {"check": "weight_constant", "is": "yes"})
FIXED, CHOSEN = conditions("parameters_constant", "yes"), conditions("parameters_constant", "no")
PAD = {"pads": [1] * 4}
CASES = [
    Case("Conv", X, weight(0, 16, 8, 3, 3), bias(16), when=PLAIN, **PAD), Case("Conv", X, weight(0, 16, 8, 3, 3), when=PLAIN, **PAD),
    Case("Conv", X, weight(0, 16, 4, 3, 3), bias(16), when=PLAIN, group=2, **PAD), Case("Conv", X, weight(0, 16, 8, 3, 3), bias(16), when=PLAIN, pads=[2] * 4, dilations=[2, 2]),
    Case("Conv", act(1, 8, 32), weight(0, 16, 8, 3), bias(16), when=PLAIN, pads=[1, 1]),
    Case("Conv", X, weight(0, 8, 1, 3, 3), bias(8), when=DEPTHWISE, group=8, **PAD), Case("Conv", X, weight(0, 8, 1, 3, 3), bias(8), when=DEPTHWISE, group=8, strides=[2, 2], **PAD),
    Case("Conv", act(1, 8, 32), weight(0, 8, 1, 3), bias(8), when=DEPTHWISE, group=8, pads=[1, 1]),
    Case("Conv", act(1, 4, 6, 8, 8), weight(0, 8, 4, 3, 3, 3), bias(8), when=VOLUME, pads=[1] * 6), Case("Conv", X, act(16, 8, 3, 3), when=COMPUTED, **PAD),
    Case("ConvTranspose", X, weight(1, 8, 16, 2, 2), bias(16), when=({"check": "group", "is": 1},), strides=[2, 2]),
    Case("ConvTranspose", X, weight(1, 8, 1, 2, 2), bias(8), when=({"check": "group", "min": 2},), strides=[2, 2], group=8),
    Case("Gemm", act(4, 64), weight(0, 32, 64), bias(32), when=conditions("weight_constant", "yes"), transB=1), Case("Gemm", act(4, 64), weight(1, 64, 32), bias(32), when=conditions("weight_constant", "yes")),
    Case("MatMul", act(1, 16, 64), weight(1, 64, 32), when=conditions("weight_constant", "yes")), Case("MatMul", act(1, 4, 16, 32), act(1, 4, 32, 16), when=COMPUTED),
    *(Case(op, X, act(1, 8, 16, 16)) for op in ("Add", "Sub", "Mul", "Min", "Max", "Div")), *(Case(op, X, other) for op in ("Add", "Mul") for other in (act(1, 8, 1, 1), data(1, 8, 1, 1))),
    Case("Pow", X, data()), Case("Mod", X, act(1, 8, 16, 16), fmod=1), *(Case(op, X, X, X) for op in ("Sum", "Mean")),
    *(Case(op, X) for op in ("Abs", "Neg", "Exp", "Relu", "Sigmoid", "Tanh", "Erf", "Elu", "HardSwish", "HardSigmoid", "LeakyRelu", "Softplus", "Softsign", "Selu", "Celu", "Floor", "Ceil", "Round",
                             "Sign", "Sin", "Cos", "Identity", "ThresholdedRelu", "Mish", "Log", "Sqrt", "Reciprocal", "Gelu", "GlobalAveragePool", "GlobalMaxPool", "Flatten")),
    Case("Swish", X, opset=24), Case("Gelu", X, approximate="tanh"), Case("Clip", X, reals(0), reals(1.5)), Case("PRelu", X, data(8, 1, 1)),
    *(Case(op, act(1, 4, 16, 32), axis=axis) for op, axis in (("Softmax", -1), ("Softmax", 1), ("LogSoftmax", -1))),
    *(Case("MaxPool", X, kernel_shape=[3, 3], strides=[2, 2], **more) for more in ({}, PAD, {"ceil_mode": 1})), Case("MaxPool", act(1, 8, 32), kernel_shape=[2], strides=[2]),
    *(Case("AveragePool", X, kernel_shape=[3, 3], **more) for more in ({"strides": [2, 2]}, PAD, {"count_include_pad": 1, **PAD})),
    Case("LpNormalization", X, axis=1, p=2), Case("LRN", X, size=5), Case("BatchNormalization", X, *[reals(np.linspace(0.5, 1.5, 8))] * 4), Case("InstanceNormalization", X, data(8), data(8)),
    Case("LayerNormalization", act(1, 16, 64), data(64), data(64), axis=-1), Case("GroupNormalization", X, data(8), data(8), num_groups=2), Case("RMSNormalization", act(1, 16, 64), data(64), opset=23),
    Case("Reshape", X, ints(1, 2048)), Case("Squeeze", act(1, 8, 1, 16), ints(2)), Case("Unsqueeze", act(1, 8, 16), ints(2)),
    Case("Transpose", X, perm=[0, 2, 3, 1]),
    Case("Concat", X, X, axis=1), Case("Split", X, outputs=2, axis=1, num_outputs=2),
    Case("Slice", X, ints(2), ints(6), ints(1)), Case("Slice", X, ints(0), ints(16), ints(2), ints(2)), Case("Slice", X, ints(15), ints(-17), ints(3), ints(-1)),
    Case("Gather", X, ints(0, 3, 5), when=FIXED, axis=1), Case("Gather", X, scalar(3), when=FIXED, axis=1), Case("Gather", X, indices(3), when=CHOSEN, axis=1), Case("Gather", data(16, 8), indices(1, 5), when=CHOSEN),
    Case("GatherElements", X, given(np.full((1, 8, 16, 4), 3)), when=FIXED, axis=3), Case("GatherElements", X, indices(1, 8, 16, 4), when=CHOSEN, axis=3), Case("GatherND", X, given(np.array([[0, 1], [0, 3]]))),
    Case("ScatterND", act(8, 16), given(np.array([[1], [4]])), act(2, 16)), Case("ScatterElements", act(8, 16), given(np.ones((2, 16), np.int64)), act(2, 16), axis=0),
    *(Case("Pad", X, ints(0, 0, 1, 1, 0, 0, 1, 1), mode=mode) for mode in ("constant", "reflect", "edge")), Case("Tile", X, ints(1, 1, 2, 2)), Case("Expand", act(1, 8, 1, 1), ints(1, 8, 4, 4)),
    *(Case("DepthToSpace", X, blocksize=2, mode=mode) for mode in ("DCR", "CRD")), Case("SpaceToDepth", X, blocksize=2),
    *(Case(op, X, ints(2, 3), keepdims=1) for op in ("ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceL2")), Case("ReduceMean", act(1, 16, 64), ints(-1)), Case("ReduceProd", act(1, 8, 4), ints(-1)),
    *(Case(op, X, out={0: T.INT64}, axis=axis) for op in ("ArgMax", "ArgMin") for axis in (1, -1)), Case("TopK", act(4, 64), ints(5), outputs=2, out={1: T.INT64}), Case("CumSum", act(4, 16), scalar(1)),
    *(Case(op, X, act(1, 8, 16, 16), out={0: T.BOOL}) for op in ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual")),
    Case("Where", given((np.arange(2048) % 3 == 0).reshape(1, 8, 16, 16)), X, act(1, 8, 16, 16)), *cast(X),
    Case("OneHot", act(1, 8), scalar(16), given(np.array([0, 1], np.float32)), types=("int32", "int64"), out={0: T.FLOAT}),
    *(Case("Resize", X, given(np.zeros(0, np.float32)), given(np.array([1, 1, 2, 2], np.float32)), when=conditions("attribute:mode", mode), mode=mode, coordinate_transformation_mode=how)
      for mode, hows in (("linear", ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")), ("cubic", ("half_pixel",))) for how in hows),
    *(Case("Resize", X, given(np.zeros(0, np.float32)), given(np.array([1, 1, 2, 2], np.float32)), when=conditions("attribute:mode", "nearest") + conditions("attribute:coordinate_transformation_mode", how)
           + conditions("attribute:nearest_mode", rounding), mode="nearest", coordinate_transformation_mode=how, nearest_mode=rounding)
      for how in ("asymmetric", "half_pixel", "align_corners") for rounding in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")),
    Case("GridSample", X, act(1, 8, 8, 2), mode="linear"), Case("Einsum", act(1, 4, 16, 32), act(1, 4, 16, 32), equation="bhid,bhjd->bhij"), Case("Trilu", act(1, 8, 8), upper=0),
    *(Case(op, act(5, 1, 16), data(1, gates * 16, 16), data(1, gates * 16, 16), data(1, gates * 32), hidden_size=16, **more) for op, gates, more in (("LSTM", 4, {}), ("GRU", 3, {"linear_before_reset": 1}), ("RNN", 1, {}))),
    Case("RoiAlign", X, act(2, 4), ints(0, 0), output_height=4, output_width=4), Case("Attention", act(1, 4, 16, 32), act(1, 4, 16, 32), act(1, 4, 16, 32), opset=23),
    Case("STFT", act(1, 256, 1), scalar(64), reals(np.hanning(128)), scalar(128)),
]

FIVE = (1, 2, 8, 4, 16)
X5 = act(*FIVE)
# What has no rank of its own, on five dims; six are taken of none.
CASES += [
    *(Case(op, X5) for op in ("Abs", "Neg", "Exp", "Relu", "Sigmoid", "Tanh", "Elu", "HardSwish", "HardSigmoid", "LeakyRelu", "Softplus", "Selu", "Floor", "Ceil", "Round", "Sign", "Sin", "Cos", "Identity",
                              "ThresholdedRelu", "Mish", "Log", "Sqrt", "Reciprocal", "Gelu", "Flatten")),
    *(Case(op, X5, act(*FIVE)) for op in ("Add", "Sub", "Mul", "Min", "Max", "Div", "Sum", "Mean")), Case("Concat", X5, act(*FIVE), axis=1), Case("Pow", X5, data()), Case("Clip", X5, reals(0), reals(1.5)),
    *(Case(op, X5, axis=-1) for op in ("Softmax", "LogSoftmax")), Case("PRelu", X5, data(1)), Case("Swish", X5, opset=24), Case("Reshape", X5, ints(1, -1)), Case("Slice", X5, ints(2), ints(6), ints(2)),
    Case("Gather", X5, ints(0, 3), when=FIXED, axis=2), Case("Pad", X5, ints(0, 0, 0, 0, 1, 0, 0, 0, 0, 1)), Case("Split", X5, outputs=2, axis=1, num_outputs=2), Case("Expand", act(1, 2, 8, 1, 16), ints(1, 2, 8, 4, 16)),
    *(Case(op, X5, ints(-1)) for op in ("ReduceMean", "ReduceMax", "ReduceSum", "ReduceMin", "ReduceL2")), Case("Tile", X5, ints(1, 1, 1, 1, 2)), Case("Transpose", X5, perm=[0, 2, 1, 3, 4]),
    *(Case(op, X5, act(*FIVE), out={0: T.BOOL}) for op in ("Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual")), Case("LayerNormalization", X5, data(16), data(16), axis=-1),
    Case("RMSNormalization", X5, data(16), opset=23), Case("InstanceNormalization", X5, data(2), data(2)), Case("LpNormalization", X5, axis=-1, p=2), Case("Squeeze", act(1, 2, 8, 4, 1), ints(-1)), Case("Unsqueeze", X5, ints(0)),
    *(Case(op, X5, out={0: T.INT64}, axis=-1) for op in ("ArgMax", "ArgMin")), Case("CumSum", X5, scalar(4)), Case("TopK", X5, ints(2), outputs=2, out={1: T.INT64}), *cast(X5),
    Case("Where", given((np.arange(1024) % 3 == 0).reshape(FIVE)), X5, act(*FIVE)), Case("GatherElements", X5, given(np.full((1, 2, 8, 4, 4), 3)), when=FIXED, axis=4),
    Case("MatMul", X5, weight(1, 16, 8), when=conditions("weight_constant", "yes")), Case("MatMul", X5, act(1, 2, 8, 16, 4), when=COMPUTED),
    *(Case(op, X5) for op in ("GlobalAveragePool", "GlobalMaxPool")), *(Case(op, X5, kernel_shape=[2, 2, 2]) for op in ("MaxPool", "AveragePool")),
]
