"""One-operator TFLite models for every integer operator: pairs of a label and a Case, by element type."""
import itertools
import sys

import numpy as np

from tflite_builder import Case

F32, I8, U8, I16, I32 = np.float32, np.int8, np.uint8, np.int16, np.int32
ZERO = {I8: -5, U8: 120, I16: 0}
NONE, RELU, RELU_N1, RELU6 = 0, 1, 2, 3
SAME, VALID = 0, 1
BIAS = {np.int32: 2, np.int64: 4}  # TensorType
BROADCASTS = (([2, 3, 4, 5], [2, 3, 4, 5]), ([2, 3, 4, 5], [5]), ([5], [2, 3, 4, 5]), ([2, 3, 4, 5], [1]), ([2, 1, 4, 5], [3, 1, 5]))


def rng(*key):
    return np.random.default_rng(list(key) or 3)


def middle(dtype):
    return 128 if dtype == U8 else 0


def least(dtype):
    return np.iinfo(dtype).min


def broadcast(*shapes):
    return list(np.broadcast_shapes(*shapes))


def codes(dtype, shape, key=5):
    limits = np.iinfo(dtype)
    return rng(key).integers(limits.min, limits.max + 1, shape).astype(dtype)


def weights(dtype, shape, key=7):
    return codes(dtype, shape, key) if dtype == U8 else rng(key).integers(-127, 128, shape).astype(I8)


def signed_bytes(shape, key=7):
    """int8 weights that a file calls uint8."""
    return weights(I8, shape, key).view(U8)


def tables(t):
    """Functions of one number: their inputs cover every 8-bit code, and 16-bit codes at random."""
    shape, zero, wide = [2, 256], ZERO[t], t == I16
    one = 1 / 32768 if wide else 1 / 256
    scales = (1 / 4096, 3 / 32768, 1 / 8192, 0.00011) if wide else (0.05, 0.1, 0.021, 1 / 16)
    for s in scales:
        yield f"LOGISTIC {s:.4g}", Case("LOGISTIC", version=3).fed(t, shape, s, zero).output(t, shape, one, 0 if wide else least(t))
        yield f"TANH {s:.4g}", Case("TANH", version=3).fed(t, shape, s, zero).output(t, shape, one if wide else 1 / 128, middle(t))
        yield f"LEAKY_RELU {s:.4g}", Case("LEAKY_RELU", "LeakyReluOptions", 2, alpha=0.11).fed(t, shape, s, zero).output(t, shape, s * 0.7, zero and zero + 3)
        yield f"LEAKY_RELU above {s:.4g}", Case("LEAKY_RELU", "LeakyReluOptions", 2, alpha=1.6).fed(t, shape, s, zero).output(t, shape, s * 1.3, zero)
        yield f"HARD_SWISH {s:.4g}", Case("HARD_SWISH").fed(t, shape, s, zero).output(t, shape, s * 0.6, zero and zero - 7)
        yield f"HARD_SWISH wide {s:.4g}", Case("HARD_SWISH").fed(t, shape, s, zero).output(t, shape, s * 1.6, zero)
        yield f"ELU {s:.4g}", Case("ELU").fed(t, shape, s, zero).output(t, shape, s * 0.8, zero and zero - 20)
        for exact in (False, True):
            case = Case("GELU", "GeluOptions", 2, approximate=not exact).fed(t, shape, s, zero)
            yield f"GELU {'exact' if exact else 'tanh'} {s:.4g}", case.output(t, shape, s * 0.8, zero and zero - 20)
        yield f"EXP {s:.4g}", Case("EXP", "ExpOptions", 2).fed(t, shape, s / 4, zero).output(t, shape, 0.03 if not wide else 1 / 4000, zero and least(t))
        low = least(t)  # roots and logarithms of numbers above 0
        yield f"LOG {s:.4g}", Case("LOG", None, 2).fed(t, shape, s, zero and low).output(t, shape, 0.04 if not wide else 1 / 4096, zero)
        yield f"RSQRT {s:.4g}", Case("RSQRT", None, 2).fed(t, shape, s, zero and low, positive=True).output(t, shape, 0.03 if not wide else 1 / 256, zero and low)
        yield f"SQRT {s:.4g}", Case("SQRT", None, 2).fed(t, shape, s, zero and low, positive=True).output(t, shape, 0.02 if not wide else 1 / 4096, zero and low)
        yield f"ABS {s:.4g}", Case("ABS", "AbsOptions", 2).fed(t, shape, s, zero).output(t, shape, s * 0.9, zero and zero - 9)
        yield f"ABS same {s:.4g}", Case("ABS", "AbsOptions", 2).fed(t, shape, s, zero).output(t, shape, s, zero)
        for name in ("NEG", "FLOOR", "CEIL", "ROUND", "SIN", "COS", "SIGN", "SQUARE"):
            yield f"{name} {s:.4g}", Case(name, None, 1).fed(t, shape, s, zero).output(t, shape, s, zero)
        for name in ("RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1"):
            version = 2 if name in ("RELU", "RELU6") else 1
            yield f"{name} {s:.4g}", Case(name, None, version).fed(t, shape, s, zero).output(t, shape, s * 0.6, zero and zero + 9)
            yield f"{name} same {s:.4g}", Case(name, None, version).fed(t, shape, s, zero).output(t, shape, s, zero)
    for n in (4, 10, 100):
        for s in (0.05, 0.2, 0.0021, 0.9) if not wide else (1 / 4096, 1 / 30000, 0.0005):
            for beta in (1.0, 0.5):
                case = Case("SOFTMAX", "SoftmaxOptions", 2, beta=beta).fed(t, [3, 8, n], s, zero)
                yield f"SOFTMAX {n} {s:.4g} beta {beta}", case.output(t, [3, 8, n], one, 0 if wide else least(t))
    if t == U8:
        for s in (0.05, 0.2):
            yield f"SOFTMAX to 1/255 {s}", Case("SOFTMAX", "SoftmaxOptions", 2, beta=1.0).fed(t, [3, 8, 10], s, zero).output(t, [3, 8, 10], 1 / 255, 0)
    for s in (0.05, 0.11, 0.0021):
        case = Case("LOG_SOFTMAX", "LogSoftmaxOptions", 2).fed(t, [16, 10], s, zero)
        yield f"LOG_SOFTMAX {s}", case.output(t, [16, 10], 16 / 256, np.iinfo(t).max)
        case = Case("L2_NORMALIZATION", "L2NormOptions", 2).fed(t, [2, 3, 4, 9], s, zero)
        yield f"L2_NORMALIZATION {s}", case.output(t, [2, 3, 4, 9], 1 / 128, middle(t))


def pairs(t):
    """Functions of two numbers, broadcast."""
    zero, wide = ZERO[t], t == I16
    f = 1 / 256 if wide else 1
    for a, b in BROADCASTS:
        y, shapes = broadcast(a, b), f"{a} {b}"
        for act in (NONE, RELU, RELU_N1, RELU6):
            for name, options, out in (("ADD", "AddOptions", 0.09), ("SUB", "SubOptions", 0.09), ("MUL", "MulOptions", 0.5)):
                case = Case(name, options, 2, fusedActivationFunction=act).fed(t, a, 0.05 * f, zero).fed(t, b, 0.07 * f, zero and zero + 5)
                yield f"{name} {shapes} act {act}", case.output(t, y, (out if name != "MUL" else 0.5 * f) * f, zero and zero - 9)
            divisor = codes(t, b)
            divisor[divisor == least(t) + 3] += 1
            case = Case("DIV", "DivOptions", 2, fusedActivationFunction=act).fed(t, a, 0.05, zero, avoided=(zero, zero - 1)).constant(divisor, 0.07, 0 if wide else least(t) + 3)
            yield f"DIV {shapes} act {act}", case.output(t, y, 0.02, zero)
        if wide:
            case = Case("ADD", "AddOptions", 2, potScaleInt16=False).fed(t, a, 1 / 4096, 0).fed(t, b, 1 / 8192, 0)
            yield f"ADD powers {shapes}", case.output(t, y, 1 / 4096, 0)
            case = Case("ADD", "AddOptions", 2, potScaleInt16=True).fed(t, a, 1 / 4096, 0).fed(t, b, 1 / 8192, 0)
            yield f"ADD powers old {shapes}", case.output(t, y, 1 / 4096, 0)
            case = Case("SUB", "SubOptions", 2, potScaleInt16=True).fed(t, a, 1 / 4096, 0).fed(t, b, 1 / 8192, 0)
            yield f"SUB powers old {shapes}", case.output(t, y, 1 / 4096, 0)
        for name in ("MAXIMUM", "MINIMUM"):
            case = Case(name, "MaximumMinimumOptions", 2).fed(t, a, 0.05, zero).fed(t, b, 0.05, zero)
            yield f"{name} {shapes}", case.output(t, y, 0.05, zero)
        case = Case("SQUARED_DIFFERENCE", "SquaredDifferenceOptions", 2).fed(t, a, 0.05 * f, zero).fed(t, b, 0.04 * f, zero and zero + 5)
        yield f"SQUARED_DIFFERENCE {shapes}", case.output(t, y, 0.4 * f * f, zero and zero - 60)
        for name in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"):
            options = {"EQUAL": "EqualOptions", "NOT_EQUAL": "NotEqualOptions", "LESS": "LessOptions", "LESS_EQUAL": "LessEqualOptions",
                       "GREATER": "GreaterOptions", "GREATER_EQUAL": "GreaterEqualOptions"}[name]
            for scale in (0.05, 0.031):
                case = Case(name, options, 2).fed(t, a, 0.05, zero).fed(t, b, scale, zero and zero + (5 if scale != 0.05 else 0))
                yield f"{name} {shapes} {scale}", case.output(bool, y)
        for name in ("POW", "FLOOR_DIV", "FLOOR_MOD"):
            yield f"{name} {shapes}", Case(name, None, 1 if name == "POW" else 2).fed(t, a, 0.05, zero).fed(t, b, 0.05, zero).output(t, y, 0.05, zero)
    for alpha in ([5], [1, 1, 5], [4, 5], [1]):
        slopes = codes(I8 if wide else t, alpha)
        case = Case("PRELU").fed(t, [2, 3, 4, 5], 0.05 * f, zero).constant(slopes, 0.009, zero and zero + 3)
        yield f"PRELU {alpha}", case.output(t, [2, 3, 4, 5], 0.04 * f, zero and zero + 9)
    for name, shape in (("SELECT", [3, 4]), ("SELECT_V2", [3, 4])):
        case = Case(name, name.title().replace("_", "") + "Options").constant(rng(1).integers(0, 2, shape).astype(bool))
        yield name, case.fed(t, shape, 0.05, zero).fed(t, shape, 0.05, zero).output(t, shape, 0.05, zero)


def products(t):
    zero, wide = ZERO[t], t == I16
    f, wtype = 1 / 256 if wide else 1, U8 if t == U8 else I8
    bias_types = (np.int64, I32) if wide else (I32,)

    def bias_of(count, scale, btype):
        top = 1e4 if not wide else 1e6
        return rng(11).integers(-top, top, count).astype(btype), scale

    def scales(count, per):
        return (rng(13).random(count) * 0.02 + 0.002).astype(F32) if per else 0.011

    for per in (False, True):
        for btype in bias_types:
            for act in (NONE, RELU, RELU6):
                tag = f"{'channels' if per else 'tensor'} bias {btype.__name__} act {act}"
                for stride, pad, dilation, group in ((1, SAME, 1, 1), (2, SAME, 1, 1), (2, VALID, 1, 1), (1, VALID, 2, 1), (1, SAME, 1, 2)):
                    w, s = weights(wtype, [7 if group == 1 else 8, 3, 3, 6 // group]), scales(7 if group == 1 else 8, per)
                    out = {(1, SAME, 1): 9, (2, SAME, 1): 5, (2, VALID, 1): 4, (1, VALID, 2): 5}[stride, pad, dilation]
                    case = Case("CONV_2D", "Conv2DOptions", 3, strideW=stride, strideH=stride, padding=pad, dilationWFactor=dilation, dilationHFactor=dilation,
                                fusedActivationFunction=act, quantizedBiasType=BIAS[btype]).fed(t, [2, 9, 9, 6], 0.05 * f, zero).constant(w, s, 117 if t == U8 else 0)
                    b, bs = bias_of(len(w), np.float32(0.05 * f) * np.asarray(s, F32), btype)
                    yield (f"CONV_2D {stride} {'SV'[pad]} {dilation} {group} {tag}",
                           case.constant(b, bs).output(t, [2, out, out, len(w)], 0.21 * f * 3, zero and zero - 20))
                for multiplier in (1, 2) if btype == bias_types[0] else ():
                    w, s = weights(wtype, [1, 3, 3, 6 * multiplier]), scales(6 * multiplier, per)
                    for stride, pad, dilation in ((1, SAME, 1), (2, VALID, 1), (1, VALID, 2)):
                        out = {(1, SAME, 1): 9, (2, VALID, 1): 4, (1, VALID, 2): 5}[stride, pad, dilation]
                        case = Case("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", 3, strideW=stride, strideH=stride, padding=pad, depthMultiplier=multiplier,
                                    dilationWFactor=dilation, dilationHFactor=dilation, fusedActivationFunction=act)
                        case.fed(t, [2, 9, 9, 6], 0.05 * f, zero).constant(w, s, 117 if t == U8 else 0, axis=3)
                        b, bs = bias_of(6 * multiplier, np.float32(0.05 * f) * np.asarray(s, F32), btype)
                        yield (f"DEPTHWISE_CONV_2D {multiplier} {stride} {'SV'[pad]} {dilation} {tag}",
                               case.constant(b, bs).output(t, [2, out, out, 6 * multiplier], 0.11 * f * 3, zero and zero - 20))
                w, s = weights(wtype, [11, 24]), scales(11, per)
                case = Case("FULLY_CONNECTED", "FullyConnectedOptions", 7, fusedActivationFunction=act, quantizedBiasType=BIAS[btype]).fed(t, [9, 24], 0.05 * f, zero)
                b, bs = bias_of(11, np.float32(0.05 * f) * np.asarray(s, F32), btype)
                yield (f"FULLY_CONNECTED {tag}",
                       case.constant(w, s, 117 if t == U8 else 0).constant(b, bs).output(t, [9, 11], 0.17 * f * 3, zero and zero - 20))
            for stride, pad in ((1, SAME), (2, SAME), (2, VALID)):
                w, s = weights(wtype, [5, 3, 3, 6]), scales(5, per)
                out = 4 * stride if pad == SAME else 4 * stride + 1
                case = Case("TRANSPOSE_CONV", "TransposeConvOptions", 4, strideW=stride, strideH=stride, padding=pad, quantizedBiasType=BIAS[btype])
                case.constant(np.array([2, out, out, 5], I32)).constant(w, s, 117 if t == U8 else 0).fed(t, [2, 4, 4, 6], 0.05 * f, zero)
                b, bs = bias_of(5, np.float32(0.05 * f) * np.asarray(s, F32), btype)
                yield (f"TRANSPOSE_CONV {stride} {'SV'[pad]} {'channels' if per else 'tensor'} bias {btype.__name__}",
                       case.constant(b, bs).output(t, [2, out, out, 5], 0.1 * f * 3, zero and zero - 20))
        w, s = weights(wtype, [301, 8]), scales(301, per)
        case = Case("FULLY_CONNECTED", "FullyConnectedOptions", 4).fed(t, [99, 8], 0.05 * f, zero).constant(w, 0.5 if not per else s, 117 if t == U8 else 0)
        yield f"FULLY_CONNECTED ties {per}", case.absent().output(t, [99, 301], 0.05 * f * 100, zero)
        w, s = weights(wtype, [11, 24]), scales(11, per)
        case = Case("FULLY_CONNECTED", "FullyConnectedOptions", 7, keepNumDims=True).fed(t, [3, 2, 24], 0.05 * f, zero).constant(w, s, 117 if t == U8 else 0).absent()
        yield f"FULLY_CONNECTED no bias {per}", case.output(t, [3, 2, 11], 0.5 * f, zero and zero - 20)
        case = Case("CONV_2D", "Conv2DOptions", 3, strideW=1, strideH=1, padding=SAME).fed(t, [1, 5, 5, 24], 0.05 * f, zero)
        yield f"CONV_2D no bias {per}", case.constant(weights(wtype, [11, 1, 1, 24]), s, 117 if t == U8 else 0).output(t, [1, 5, 5, 11], 0.5 * f, zero)
    for a, b, y, x_turned, y_turned in (([2, 4, 6], [2, 6, 5], [2, 4, 5], False, False), ([4, 6], [5, 6], [4, 5], False, True),
                                        ([3, 2, 6, 4], [1, 2, 6, 5], [3, 2, 4, 5], True, False), ([2, 6, 4], [5, 6], [2, 4, 5], True, True)):
        case = Case("BATCH_MATMUL", "BatchMatMulOptions", 3, adjX=x_turned, adjY=y_turned).fed(t, a, 0.05 * f, zero).fed(t, b, 0.04 * f, zero and zero + 4)
        yield f"BATCH_MATMUL {a} {b}", case.output(t, y, 0.3 * f * (1 if not wide else 1 / 100), zero)
        case = Case("BATCH_MATMUL", "BatchMatMulOptions", 3, adjX=x_turned, adjY=y_turned).fed(t, a, 0.05 * f, zero).constant(weights(wtype, b), 0.04, middle(wtype))
        yield f"BATCH_MATMUL constant {a} {b}", case.output(t, y, 0.3 * f, zero)


def reductions(t):
    zero, full = ZERO[t], [2, 5, 7, 6]
    for axes, keep in (([1, 2], True), ([1, 2], False), ([2, 3], True), ([3], True), ([1], False), ([0, 1, 2, 3], False), ([0], True)):
        out = [1 if i in axes else d for i, d in enumerate(full) if keep or i not in axes]
        for name, scale, shift in (("MEAN", 0.071, 9), ("MEAN", 0.05, 0), ("REDUCE_MAX", 0.05, 0), ("REDUCE_MIN", 0.05, 0), ("SUM", 0.071, 9), ("SUM", 0.5, 9),
                                   ("SUM", 0.05, 0), ("REDUCE_PROD", 0.05, 0)):
            case = Case(name, "ReducerOptions", 2, keepDims=keep).fed(t, full, 0.05, zero).constant(np.array(axes, I32))
            yield f"{name} {axes} {keep} {scale}", case.output(t, out, scale, zero + shift if zero else 0)
    for name, options in (("ARG_MAX", "ArgMaxOptions"), ("ARG_MIN", "ArgMinOptions")):
        for axis in (3, 1):
            case = Case(name, options, 2, outputType=2).fed(t, full, 0.05, zero).constant(np.array([axis], I32))
            yield f"{name} {axis}", case.output(I32, [d for i, d in enumerate(full) if i != axis])
    for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"):
        for size, stride, pad, out in ((2, 2, VALID, 4), (3, 2, SAME, 5), (3, 1, SAME, 9)):
            for act in (NONE, RELU, RELU6):
                case = Case(name, "Pool2DOptions", 1 if name == "L2_POOL_2D" else 3, filterWidth=size, filterHeight=size, strideW=stride, strideH=stride, padding=pad, fusedActivationFunction=act)
                yield f"{name} {size} {stride} {'SV'[pad]} act {act}", case.fed(t, [2, 9, 9, 5], 0.05, zero).output(t, [2, out, out, 5], 0.05, zero)
    case = Case("CUMSUM", "CumsumOptions").fed(t, full, 0.05, zero).constant(np.array(3, I32))
    yield "CUMSUM", case.output(t, full, 0.05, zero)
    case = Case("TOPK_V2", "TopKV2Options", 2).fed(t, [3, 100], 0.05, zero).constant(np.array(5, I32))
    yield "TOPK_V2", case.output(t, [3, 5], 0.05, zero).output(I32, [3, 5])


def moves(t):
    zero = ZERO[t]
    same = (0.05, zero)
    for s in ((0.05, 0.05, 0.05), (0.05, 0.07, 0.09), (0.2, 0.05, 0.09)) if t == U8 else ((0.05, 0.05, 0.05),):
        case = Case("CONCATENATION", "ConcatenationOptions", 2, axis=-1)
        case.fed(t, [3, 40], s[0], zero).fed(t, [3, 50], s[1], zero and zero + (4 if s[1] != s[0] else 0))
        yield f"CONCATENATION {s}", case.output(t, [3, 90], s[2], zero and zero - (6 if s[2] != s[0] else 0))
    case = Case("PACK", "PackOptions", 2, valuesCount=2, axis=1).fed(t, [3, 4], *same).fed(t, [3, 4], *same)
    yield "PACK", case.output(t, [3, 2, 4], *same)
    yield "UNPACK", Case("UNPACK", "UnpackOptions", 2, num=2, axis=1).fed(t, [3, 2, 4], *same).output(t, [3, 4], *same).output(t, [3, 4], *same)
    yield "SPLIT", Case("SPLIT", "SplitOptions", 2, numSplits=2).constant(np.array(1, I32)).fed(t, [3, 4], *same).output(t, [3, 2], *same).output(t, [3, 2], *same)
    case = Case("SPLIT_V", "SplitVOptions", 2, numSplits=2).fed(t, [3, 4], *same).constant(np.array([1, 3], I32)).constant(np.array(1, I32))
    yield "SPLIT_V", case.output(t, [3, 1], *same).output(t, [3, 3], *same)
    yield "SLICE", Case("SLICE", "SliceOptions", 2).fed(t, [3, 4, 5], *same).constant(np.array([1, 0, 2], I32)).constant(np.array([2, 3, -1], I32)).output(t, [2, 3, 3], *same)
    case = Case("STRIDED_SLICE", "StridedSliceOptions", 2, beginMask=1, endMask=0, shrinkAxisMask=2).fed(t, [6, 4, 5], *same)
    yield "STRIDED_SLICE", case.constant(np.array([1, 2, 4], I32)).constant(np.array([5, 3, 0], I32)).constant(np.array([2, 1, -2], I32)).output(t, [3, 2], *same)
    yield "GATHER", Case("GATHER", "GatherOptions", 2, axis=1).fed(t, [3, 9], *same).constant(np.array([4, 0, 8], I32)).output(t, [3, 3], *same)
    yield "GATHER_ND", Case("GATHER_ND", "GatherNdOptions", 2).fed(t, [3, 9], *same).constant(np.array([[1, 4], [2, 8]], I32)).output(t, [2], *same)
    yield "TRANSPOSE", Case("TRANSPOSE", "TransposeOptions", 2).fed(t, [3, 4, 5], *same).constant(np.array([2, 0, 1], I32)).output(t, [5, 3, 4], *same)
    for name, pad in (("PAD", None), ("PADV2", 17)):
        case = Case(name, "PadOptions" if pad is None else "PadV2Options", 2).fed(t, [3, 4], *same).constant(np.array([[1, 0], [2, 1]], I32))
        if pad is not None:
            case.constant(np.array([pad], t), *same)
        yield name, case.output(t, [4, 7], *same)
    for mode in (0, 1):
        yield f"MIRROR_PAD {mode}", Case("MIRROR_PAD", "MirrorPadOptions", 2, mode=mode).fed(t, [3, 4], *same).constant(np.array([[1, 0], [2, 1]], I32)).output(t, [4, 7], *same)
    yield "RESHAPE", Case("RESHAPE", "ReshapeOptions", newShape=[4, 3]).fed(t, [3, 4], *same).constant(np.array([4, 3], I32)).output(t, [4, 3], *same)
    yield "SPACE_TO_DEPTH", Case("SPACE_TO_DEPTH", "SpaceToDepthOptions", 2, blockSize=2).fed(t, [1, 4, 6, 3], *same).output(t, [1, 2, 3, 12], *same)
    yield "DEPTH_TO_SPACE", Case("DEPTH_TO_SPACE", "DepthToSpaceOptions", 1, blockSize=2).fed(t, [1, 2, 3, 12], *same).output(t, [1, 4, 6, 3], *same)
    case = Case("SPACE_TO_BATCH_ND", None, 2).fed(t, [1, 3, 4, 3], *same).constant(np.array([2, 2], I32)).constant(np.array([[1, 0], [0, 2]], I32))
    yield "SPACE_TO_BATCH_ND", case.output(t, [4, 2, 3, 3], *same)
    case = Case("BATCH_TO_SPACE_ND", None, 2).fed(t, [4, 2, 3, 3], *same).constant(np.array([2, 2], I32)).constant(np.array([[1, 0], [0, 2]], I32))
    yield "BATCH_TO_SPACE_ND", case.output(t, [1, 3, 4, 3], *same)
    yield "TILE", Case("TILE", None, 2).fed(t, [3, 4], *same).constant(np.array([2, 1], I32)).output(t, [6, 4], *same)
    yield "EXPAND_DIMS", Case("EXPAND_DIMS", None, 1).fed(t, [3, 4], *same).constant(np.array(1, I32)).output(t, [3, 1, 4], *same)
    yield "SQUEEZE", Case("SQUEEZE", "SqueezeOptions", 1, squeezeDims=[1]).fed(t, [3, 1, 4], *same).output(t, [3, 4], *same)
    yield "REVERSE_V2", Case("REVERSE_V2", None, 2).fed(t, [3, 4], *same).constant(np.array([1], I32)).output(t, [3, 4], *same)
    yield "BROADCAST_TO", Case("BROADCAST_TO", None, 2).fed(t, [3, 1], *same).constant(np.array([3, 4], I32)).output(t, [3, 4], *same)
    yield "ZEROS_LIKE", Case("ZEROS_LIKE", None, 1).fed(t, [3, 4], *same).output(t, [3, 4], *same)
    for align, half in ((False, False), (True, False), (False, True)):
        for size in ([7, 9], [2, 3], [8, 10]):
            tag = f"{size} {'align' if align else 'half' if half else ''}"
            case = Case("RESIZE_BILINEAR", "ResizeBilinearOptions", 3, alignCorners=align, halfPixelCenters=half).fed(t, [2, 4, 5, 3], *same)
            yield f"RESIZE_BILINEAR {tag}", case.constant(np.array(size, I32)).output(t, [2, *size, 3], *same)
            case = Case("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions", 3, alignCorners=align, halfPixelCenters=half).fed(t, [2, 4, 5, 3], *same)
            yield f"RESIZE_NEAREST_NEIGHBOR {tag}", case.constant(np.array(size, I32)).output(t, [2, *size, 3], *same)


def edges(t):
    """Where kernels do what their formulas do not say: operands of other scales, tables that wrap, sums in 32 bits, nothing to reduce."""
    zero, wide = ZERO[t], t == I16
    if t != I8:
        scales = (0.03, 0.06, 0.06) if t == U8 else (0.03, 0.06, 0.05)
        case = Case("CONCATENATION", "ConcatenationOptions", 2, axis=3)
        case.fed(t, [1, 8, 8, 4], scales[0], 0).fed(t, [1, 8, 8, 4], scales[1], 0 if wide else 255)
        yield "CONCATENATION edge", case.output(t, [1, 8, 8, 8], scales[2], 0 if wide else 100)
    if wide:
        for name, x, y in (("EXP", 0.004, 0.02), ("EXP", 0.05, 0.001), ("LOG", 0.001, 0.0002)):
            yield f"{name} steep {x}", Case(name, name.capitalize() + "Options" if name == "EXP" else None, 2).fed(t, [2, 3000], x).output(t, [2, 3000], y)
    wtype, f = (U8 if t == U8 else I8), 1 / 256 if wide else 1
    middle_of_weights = 117 if t == U8 else 0
    for btype in (2, 4) if wide else (0,):  # TensorType of the sums; 0: not said
        case = Case("TRANSPOSE_CONV", "TransposeConvOptions", 5, strideW=2, strideH=2, padding=SAME, quantizedBiasType=btype)
        case.constant(np.array([1, 10, 8, 4], I32)).constant(weights(wtype, [4, 3, 3, 3]), 0.011, middle_of_weights).fed(t, [1, 5, 4, 3], 0.05 * f, zero)
        yield f"TRANSPOSE_CONV edge no bias {btype}", case.output(t, [1, 10, 8, 4], 0.27 * f, zero)
    for act in (RELU, RELU6):
        case = Case("TRANSPOSE_CONV", "TransposeConvOptions", 4, strideW=2, strideH=2, padding=SAME, fusedActivationFunction=act)
        case.constant(np.array([1, 10, 8, 4], I32)).constant(weights(wtype, [4, 3, 3, 3]), 0.011, middle_of_weights).fed(t, [1, 5, 4, 3], 0.05 * f, zero)
        yield f"TRANSPOSE_CONV edge act {act}", case.output(t, [1, 10, 8, 4], 0.27 * f, zero)
        case = Case("FULLY_CONNECTED", "FullyConnectedOptions", 7, keepNumDims=True, fusedActivationFunction=act).fed(t, [30, 2, 24], 0.05 * f, zero)
        yield f"FULLY_CONNECTED edge act {act}", case.constant(weights(wtype, [11, 24]), 0.011, middle_of_weights).absent().output(t, [30, 2, 11], 0.27 * f, zero)
    for name in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"):
        scale = 0.071 if name == "MEAN" else 0.05
        case = Case(name, "ReducerOptions", 2, keepDims=True).fed(t, [2, 5, 7], 0.05, zero).constant(np.array([1, -2, 1], I32))
        yield f"{name} edge axes twice", case.output(t, [2, 1, 7], scale, zero)
        case = Case(name, "ReducerOptions", 2).fed(t, [2, 5, 7], 0.05, zero).constant(np.array([], I32))
        yield f"{name} edge no axes", case.output(t, [2, 5, 7], scale, zero)
        case = Case(name, "ReducerOptions", 2).fed(t, [2, 0, 3], 0.05, zero).constant(np.array([1], I32))
        yield f"{name} edge of nothing", case.output(t, [2, 3], scale, zero)
    values = (0.05, zero)
    case = Case("ONE_HOT", "OneHotOptions", axis=-1).constant(np.array([[0, 1], [-1, -2], [3, 5]], I32)).constant(np.array(4, I32))
    yield "ONE_HOT edge", case.fed(t, [], *values).constant(np.array(3, t), *values).output(t, [3, 2, 4], *values)


def recodings(t):
    zero = ZERO[t]
    shape = [2, 400]
    yield "QUANTIZE float", Case("QUANTIZE", "QuantizeOptions", 2).fed(F32, shape).output(t, shape, 0.031, zero)
    yield "QUANTIZE float ties", Case("QUANTIZE", "QuantizeOptions", 2).fed(F32, shape).output(t, shape, 0.25, zero)
    yield "DEQUANTIZE", Case("DEQUANTIZE", "DequantizeOptions", 3).fed(t, shape, 0.031, zero).output(F32, shape)
    for to in (I8, U8, I16, I32):
        for scale in (0.05, 0.031, 0.17, 0.0004):
            case = Case("QUANTIZE", "QuantizeOptions", 3).fed(t, shape, 0.05, zero)
            yield f"QUANTIZE to {to.__name__} {scale}", case.output(to, shape, scale, ZERO.get(to, 0))
    for to in (F32, I32, bool):
        yield f"CAST to {to.__name__}", Case("CAST", "CastOptions", 1).fed(t, shape, 0.05, zero).output(to, shape)
    for to in (I8, U8, I16):
        yield f"CAST to codes {to.__name__}", Case("CAST", "CastOptions", 1).fed(t, shape, 0.05, zero).output(to, shape, 0.07, ZERO[to])


def hybrids(t):
    """Real activations, int8 weights: once, with the int8 cases."""
    if t != I8:
        return

    def scales(count, per):
        return (rng(13).random(count) * 0.02 + 0.002).astype(F32) if per else 0.011

    bias = rng(17).random(64).astype(F32)
    for per in (False, True):
        tag = "channels" if per else "tensor"
        for act in (NONE, RELU):
            for group in (1, 2):
                w, s = weights(I8, [8, 3, 3, 6 // group]), scales(8, per)
                if per or group == 1:
                    case = Case("CONV_2D", "Conv2DOptions", 5, strideW=2, strideH=2, padding=SAME, fusedActivationFunction=act).fed(F32, [2, 9, 9, 6])
                    yield f"CONV_2D hybrid {tag} {group} act {act}", case.constant(w, s).constant(bias[:8]).output(F32, [2, 5, 5, 8])
            if per:
                case = Case("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", 6, strideW=1, strideH=1, padding=SAME, depthMultiplier=2,
                            dilationWFactor=1, dilationHFactor=1, fusedActivationFunction=act).fed(F32, [2, 9, 9, 6])
                case.constant(weights(I8, [1, 3, 3, 12]), scales(12, per), axis=3)
                yield f"DEPTHWISE_CONV_2D hybrid {tag} act {act}", case.constant(bias[:12]).output(F32, [2, 9, 9, 12])
            for asymmetric in (False, True):
                case = Case("FULLY_CONNECTED", "FullyConnectedOptions", 12 if per else 9, asymmetricQuantizeInputs=asymmetric, fusedActivationFunction=act)
                case.fed(F32, [9, 24]).constant(weights(I8, [11, 24]), scales(11, per)).constant(bias[:11])
                yield f"FULLY_CONNECTED hybrid {tag} asymmetric {asymmetric} act {act}", case.output(F32, [9, 11])
        if not per:
            for name, options, shape, out, w in (("FULLY_CONNECTED", {}, [9, 24], [9, 11], [11, 24]),
                                                 ("CONV_2D", dict(strideW=1, strideH=1, padding=SAME), [2, 5, 5, 6], [2, 5, 5, 11], [11, 1, 1, 6])):
                for zero in (0, 128):  # uint8 by name: the bytes are signed ones
                    kind = {"FULLY_CONNECTED": "FullyConnectedOptions", "CONV_2D": "Conv2DOptions"}[name]
                    case = Case(name, kind, 3, **options).fed(F32, shape).constant(signed_bytes(w), 0.011, zero)
                    yield f"{name} hybrid of uint8 zero {zero}", case.constant(bias[:11]).output(F32, out)
        for asymmetric in (False, True):
            for turned in (False, True):
                case = Case("BATCH_MATMUL", "BatchMatMulOptions", 4, adjY=turned, asymmetricQuantizeInputs=asymmetric).fed(F32, [2, 4, 24])
                case.constant(weights(I8, [11, 24] if turned else [24, 11]), scales(11, per), axis=0 if turned else 1)
                yield f"BATCH_MATMUL hybrid {tag} asymmetric {asymmetric} turned {turned}", case.output(F32, [2, 4, 11])
        case = Case("TRANSPOSE_CONV", "TransposeConvOptions", 3, strideW=2, strideH=2, padding=SAME).constant(np.array([2, 8, 8, 5], I32))
        case.constant(weights(I8, [5, 3, 3, 6]), scales(5, per)).fed(F32, [2, 4, 4, 6]).constant(bias[:5])
        if per:
            yield f"TRANSPOSE_CONV hybrid {tag}", case.output(F32, [2, 8, 8, 5])


def hybrid_recurrent(t):
    """Real data and states, int8 weights, over several steps: once, with the int8 cases."""
    if t != I8:
        return
    batch, time, features, units, memory = 3, 4, 20, 12, 5
    key = itertools.count()

    def real(*shape):
        return rng(19, next(key)).standard_normal(shape).astype(F32)

    def coded(case, *shape):
        unit = 0.0001 if shape[-1] == features else 0.003
        return case.constant(weights(I8, list(shape), next(key)), unit * (1 + next(key) % 5))

    def gates(case, peepholes):
        for length in [features] * 4 + [units] * 4:
            coded(case, units, length)
        for _ in range(3) if peepholes else ():
            coded(case, units)
        if not peepholes:
            case.absent(3)
        for _ in range(4):
            case.constant(real(units) / 2)
        return case.absent(2)

    def states(case, count):
        for _ in range(count):
            case.variable(F32, [batch, units])
        return case

    def cell(case):
        return coded(coded(case, units, features), units, units).constant(real(units)).variable(F32, [batch, units])

    for asymmetric in (False, True):
        tag = "hybrid asymmetric" if asymmetric else "hybrid"
        common = dict(asymmetricQuantizeInputs=asymmetric)
        for peep in (False, True):
            for act, clip in ((4, 0.0), (4, 0.4), (1, 0.7)):
                name = f"{tag}{' peepholes' if peep else ''} act {act} clip {clip}"
                case = Case("LSTM", "LSTMOptions", 4, fusedActivationFunction=act, cellClip=clip, **common).fed(F32, [batch, features])
                yield f"LSTM {name}", states(gates(case, peep), 2).absent(4).output(F32, [batch, units])
                for major in (False, True):
                    shape = [time, batch] if major else [batch, time]
                    case = Case("UNIDIRECTIONAL_SEQUENCE_LSTM", "UnidirectionalSequenceLSTMOptions", 3, fusedActivationFunction=act, cellClip=clip,
                                timeMajor=major, **common).fed(F32, [*shape, features])
                    case = states(gates(case, peep), 2).absent(4)
                    yield f"UNIDIRECTIONAL_SEQUENCE_LSTM {name} {major}", case.output(F32, [*shape, units])
            for merge in (False, True):
                shape = [time, batch] if merge else [batch, time]  # merged and batch first, LiteRT's kernel reads memory that it has not written
                case = Case("BIDIRECTIONAL_SEQUENCE_LSTM", "BidirectionalSequenceLSTMOptions", 3, fusedActivationFunction=4, mergeOutputs=merge,
                            timeMajor=merge, **common)
                gates(gates(case.fed(F32, [*shape, features]), peep), peep)
                states(case, 4).absent(9).output(F32, [*shape, 2 * units if merge else units])
                yield f"BIDIRECTIONAL_SEQUENCE_LSTM {tag} {peep} {merge}", case if merge else case.output(F32, [*shape, units])
        for act in (NONE, RELU, 4):
            case = cell(Case("RNN", "RNNOptions", 3, fusedActivationFunction=act, **common).fed(F32, [batch, features]))
            yield f"RNN {tag} act {act}", case.output(F32, [batch, units])
            for major in (False, True):
                shape = [time, batch] if major else [batch, time]
                case = Case("UNIDIRECTIONAL_SEQUENCE_RNN", "SequenceRNNOptions", 3, fusedActivationFunction=act, timeMajor=major, **common)
                yield f"UNIDIRECTIONAL_SEQUENCE_RNN {tag} act {act} {major}", cell(case.fed(F32, [*shape, features])).output(F32, [*shape, units])
            # Time first, LiteRT runs the whole sequence as often as it has steps, each time from the last state.
            case = Case("BIDIRECTIONAL_SEQUENCE_RNN", "BidirectionalSequenceRNNOptions", 3, fusedActivationFunction=act, **common)
            case = cell(cell(case.fed(F32, [batch, time, features]))).absent(3).output(F32, [batch, time, units])
            yield f"BIDIRECTIONAL_SEQUENCE_RNN {tag} act {act}", case.output(F32, [batch, time, units])
        case = Case("UNIDIRECTIONAL_SEQUENCE_RNN", "SequenceRNNOptions", 3, fusedActivationFunction=4, **common).fed(F32, [batch, time, features])
        case.constant(signed_bytes([units, features]), 0.0003).constant(signed_bytes([units, units]), 0.003).constant(real(units)).variable(F32, [batch, units])
        yield f"UNIDIRECTIONAL_SEQUENCE_RNN {tag} of uint8", case.output(F32, [batch, time, units])
        for rank in (1, 2):
            for act in (NONE, RELU):
                case = Case("SVDF", "SVDFOptions", 3, rank=rank, fusedActivationFunction=act, **common).fed(F32, [batch, features])
                coded(coded(case, rank * units, features), rank * units, memory).constant(real(units)).variable(F32, [batch, rank * units * memory])
                yield f"SVDF {tag} rank {rank} act {act}", case.output(F32, [batch, units])


def svdf_codes(t):
    """SVDF whose state is codes of 16 bits, too: once, with the int8 cases."""
    if t != I8:
        return
    batch, features, units, memory = 3, 20, 6, 5
    for rank in (1, 2):
        filters = rank * units
        times, bias = (rng(29, rank).integers(-3000, 3000, shape) for shape in ((filters, memory), units))
        for act in (NONE, RELU):
            for biased in (True, False):
                case = Case("SVDF", "SVDFOptions", 3, rank=rank, fusedActivationFunction=act).fed(I8, [batch, features], 0.05, 3)
                case.constant(weights(I8, [filters, features]), 0.01).constant(times.astype(I16), 0.0003)
                case = case.constant(bias.astype(I32), 0.0003 * 0.004) if biased else case.absent()
                case.variable(I16, [batch, filters * memory], 0.004)
                yield f"SVDF rank {rank} act {act}{'' if biased else ' no bias'}", case.output(I8, [batch, units], 0.02, -128 if act else -5)


# What is not compared.
LEFT_OUT = {
    "SUM": ((I8, I16), "LiteRT's reference kernel reads signed codes as unsigned ones"),
    "NEG": ((I8, U8, I16), "LiteRT computes with the codes as if they were numbers"),
    "FLOOR_DIV": ((I8, U8, I16), "LiteRT computes with the codes as if they were numbers"),
    "FLOOR_MOD": ((I8, U8, I16), "LiteRT computes with the codes as if they were numbers"),
}


FAMILIES = (tables, pairs, products, reductions, moves, edges, recodings, hybrids, hybrid_recurrent, svdf_codes)


def write_all(folder):
    """The model of every case, named by its label."""
    for dtype in (I8, U8, I16):
        for family in FAMILIES:
            for label, case in family(dtype):
                name = "".join(c if c.isalnum() else "_" for c in f"{label} {dtype.__name__}")
                case.write(f"{folder}/{name}.tflite")


if __name__ == "__main__":
    write_all(sys.argv[1])
