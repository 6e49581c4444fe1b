"""One-operator TFLite models at the edges of what Ethos-U runs: just inside and just outside."""
import numpy as np

from operator_cases import I8, I16, I32, SAME, U8, VALID, ZERO, weights
from tflite_builder import Case


def conv(t, kernel, stride=1, dilation=1, pad=VALID, size=None, channels=4, made=4, bias=True, fill=None):
    size = size or [max(kernel[0] * dilation, stride) + 8, max(kernel[1] * dilation, stride) + 8]
    case = Case("CONV_2D", "Conv2DOptions", 3, strideW=stride, strideH=stride, padding=pad, dilationWFactor=dilation, dilationHFactor=dilation)
    case.fed(t, [1, *size, channels], 0.05, ZERO[t])
    shape = [made, *kernel, channels]
    w = np.full(shape, fill, I8) if fill is not None else weights(I8, shape)
    case.constant(w, np.full(made, 0.01), 0)
    if bias:
        case.constant(np.zeros(made, I32 if t != I16 else np.int64), np.full(made, 0.0005))
    out = [-(-s // stride) if pad == SAME else (s - (k - 1) * dilation - 1) // stride + 1 for s, k in zip(size, kernel)]
    return case.output(t, [1, *out, made], 0.1, ZERO[t])


def depthwise(t, kernel, stride=1, dilation=1, pad=VALID):
    size = [kernel[0] * dilation + 9, kernel[1] * dilation + 9]
    case = Case("DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions", 3, strideW=stride, strideH=stride, padding=pad, depthMultiplier=1, dilationWFactor=dilation, dilationHFactor=dilation)
    case.fed(t, [1, *size, 8], 0.05, ZERO[t]).constant(weights(I8, [1, *kernel, 8]), np.full(8, 0.01), 0, axis=3)
    case.constant(np.zeros(8, I32 if t != I16 else np.int64), np.full(8, 0.0005))
    out = [-(-s // stride) if pad == SAME else (s - (k - 1) * dilation - 1) // stride + 1 for s, k in zip(size, kernel)]
    return case.output(t, [1, *out, 8], 0.1, ZERO[t])


def pool(t, name, kernel, stride=1, pad=VALID):
    size = [kernel[0] + 9, kernel[1] + 9]
    case = Case(name, "Pool2DOptions", 2, filterHeight=kernel[0], filterWidth=kernel[1], strideW=stride, strideH=stride, padding=pad)
    out = [-(-s // stride) if pad == SAME else (s - k) // stride + 1 for s, k in zip(size, kernel)]
    return case.fed(t, [1, *size, 4], 0.05, ZERO[t]).output(t, [1, *out, 4], 0.05, ZERO[t])


def spread(t, kernel, stride, pad, size=(8, 8)):
    out = [s * stride + (max(k - stride, 0) if pad == VALID else 0) for s, k in zip(size, kernel)]
    case = Case("TRANSPOSE_CONV", "TransposeConvOptions", 3, strideW=stride, strideH=stride, padding=pad)
    case.constant(np.array([1, *out, 4], I32)).constant(weights(I8, [4, *kernel, 4]), np.full(4, 0.01), 0).fed(t, [1, *size, 4], 0.05, ZERO[t])
    return case.output(t, [1, *out, 4], 0.1, ZERO[t])


def unary(t, name, shape, options=None, version=1, scale=0.05, to=None, **fields):
    return Case(name, options, version, **fields).fed(t, shape, 0.05, ZERO[t]).output(t, shape, to or scale, ZERO[t])


def mean(t, shape, axes, keep=True):
    out = [1 if i in axes else d for i, d in enumerate(shape)]
    out = out if keep else [d for i, d in enumerate(shape) if i not in axes]
    return Case("MEAN", "ReducerOptions", 2, keepDims=keep).fed(t, shape, 0.05, ZERO[t]).constant(np.array(axes, I32)).output(t, out, 0.05, ZERO[t])


def resize(t, name, size, to, align=False, half=False):
    options = "ResizeBilinearOptions" if name == "RESIZE_BILINEAR" else "ResizeNearestNeighborOptions"
    case = Case(name, options, 3, alignCorners=align, halfPixelCenters=half).fed(t, [1, *size, 4], 0.05, ZERO[t]).constant(np.array(to, I32))
    return case.output(t, [1, *to, 4], 0.05, ZERO[t])


def transposed(t, shape, perm):
    return Case("TRANSPOSE", "TransposeOptions", 2).fed(t, shape, 0.05, ZERO[t]).constant(np.array(perm, I32)).output(t, [shape[p] for p in perm], 0.05, ZERO[t])


def boundaries(t):
    for kernel in ([1, 1], [64, 1], [65, 1], [1, 80], [64, 64], [64, 65]):
        yield f"edge CONV_2D kernel {kernel}", conv(t, kernel, channels=1)
        yield f"edge DEPTHWISE_CONV_2D kernel {kernel}", depthwise(t, kernel)
    for stride in (2, 3, 4, 5):
        for pad in (SAME, VALID):
            yield f"edge CONV_2D stride {stride} padding {pad}", conv(t, [3, 3], stride, pad=pad, size=[21, 21])
            yield f"edge DEPTHWISE_CONV_2D stride {stride} padding {pad}", depthwise(t, [3, 3], stride, pad=pad)
            yield f"edge MAX_POOL_2D stride {stride} padding {pad}", pool(t, "MAX_POOL_2D", [3, 3], stride, pad)
            yield f"edge AVERAGE_POOL_2D stride {stride} padding {pad}", pool(t, "AVERAGE_POOL_2D", [3, 3], stride, pad)
        yield f"edge TRANSPOSE_CONV stride {stride}", spread(t, [3, 3], stride, SAME)
    yield "edge CONV_2D dilation 2 stride 2", conv(t, [3, 3], 2, 2, size=[21, 21])
    yield "edge CONV_2D dilation 3", conv(t, [3, 3], 1, 3)
    yield "edge CONV_2D without bias", conv(t, [3, 3], bias=False)
    yield "edge CONV_2D sum 8323072", conv(t, [1, 1], size=[1, 1], channels=65536, made=1, fill=127)
    yield "edge CONV_2D sum 8323199", conv(t, [1, 1], size=[1, 1], channels=65537, made=1, fill=127)
    for kernel in ([8, 8], [9, 8], [8, 9], [256, 1], [257, 1], [1, 257], [256, 256], [256, 257]):
        for pad in (SAME, VALID):
            yield f"edge AVERAGE_POOL_2D kernel {kernel} padding {pad}", pool(t, "AVERAGE_POOL_2D", kernel, 1, pad)
            yield f"edge MAX_POOL_2D kernel {kernel} padding {pad}", pool(t, "MAX_POOL_2D", kernel, 1, pad)
    for shape, axes in (([1, 8, 8, 16], [1, 2]), ([2, 8, 8, 16], [1, 2]), ([1, 8, 8, 16], [3]), ([1, 8, 1, 16], [3]), ([1, 8, 8, 16], [1]), ([1, 4095, 2, 4], [1]),
                        ([1, 4096, 2, 4], [1]), ([1, 256, 256, 1], [1, 2]), ([1, 300, 300, 1], [1, 2]), ([16, 8], [1]), ([4, 16], [0]), ([1, 8, 8, 16], [1, 2, 3]), ([8, 5, 16], [1])):
        yield f"edge MEAN {shape} {axes}", mean(t, shape, axes)
    for name in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"):
        for size, to in (([4, 4], [8, 8]), ([4, 4], [12, 12]), ([4, 4], [16, 16]), ([4, 4], [32, 32]), ([4, 4], [64, 64]), ([4, 4], [8, 16]), ([1, 1], [7, 5]), ([1, 4], [1, 8]), ([8, 8], [4, 4]), ([4, 4], [4, 4])):
            yield f"edge {name} {size} to {to}", resize(t, name, size, to)
            yield f"edge {name} {size} to {to} half", resize(t, name, size, to, half=True)
        yield f"edge {name} corners", resize(t, name, [4, 4], [7, 7], align=True)
    for shape, perm in (([1, 4, 5, 6], [0, 2, 1, 3]), ([2, 4, 5, 6], [0, 3, 1, 2]), ([2, 4, 5, 6], [3, 2, 1, 0]), ([300, 300, 2, 3], [1, 0, 2, 3]), ([4, 5, 6], [2, 0, 1]), ([2, 3, 4, 5, 6], [0, 2, 1, 3, 4])):
        yield f"edge TRANSPOSE {shape} {perm}", transposed(t, shape, perm)
    for shape in ([1, 10], [1, 255, 256, 4], [1, 256, 256, 4], [2, 3, 4, 5]):
        case = Case("SOFTMAX", "SoftmaxOptions", 2, beta=1.0).fed(t, shape, 0.05, ZERO[t])
        yield f"edge SOFTMAX {shape}", case.output(t, shape, 1 / 32768 if t == I16 else 1 / 256, 0 if t == I16 else np.iinfo(t).min)
    for depth in (127, 128):
        case = Case("ARG_MAX", "ArgMaxOptions", 2, outputType=2).fed(t, [1, 4, 4, depth], 0.05, ZERO[t]).constant(np.array(3, I32))
        yield f"edge ARG_MAX {depth}", case.output(I32, [1, 4, 4])
    case = Case("ARG_MAX", "ArgMaxOptions", 2, outputType=2).fed(t, [1, 4, 4, 8], 0.05, ZERO[t]).constant(np.array(1, I32))
    yield "edge ARG_MAX axis 1", case.output(I32, [1, 4, 8])
    for name in ("MINIMUM", "MAXIMUM"):
        case = Case(name, "MaximumMinimumOptions", 2).fed(t, [1, 4, 4, 8], 0.05, ZERO[t]).fed(t, [1, 4, 4, 8], 0.06, ZERO[t])
        yield f"edge {name} other scale", case.output(t, [1, 4, 4, 8], 0.05, ZERO[t])
    for shape in ([4, 5], [1, 2, 3, 4, 5], [2, 3, 4, 5]):
        yield f"edge RELU {shape}", unary(t, "RELU", shape)
        yield f"edge ABS {shape}", unary(t, "ABS", shape, "AbsOptions")
        case = Case("ADD", "AddOptions", 2).fed(t, shape, 0.05, ZERO[t]).fed(t, shape, 0.05, ZERO[t])
        yield f"edge ADD {shape}", case.output(t, shape, 0.1, ZERO[t])
    case = Case("MUL", "MulOptions", 1).fed(I32, [1, 4], 1.0, 0).fed(I32, [1, 4], 1.0, 0)
    yield "edge MUL int32", case.output(I32, [1, 4], 1.0, 0)
    case = Case("ADD", "AddOptions", 1).fed(I32, [1, 4]).fed(I32, [1, 4])
    yield "edge ADD int32 without scale", case.output(I32, [1, 4])
    yield "edge FLOOR", Case("FLOOR").fed(np.float32, [1, 4]).output(np.float32, [1, 4])
    yield "edge RELU float", Case("RELU").fed(np.float32, [1, 4]).output(np.float32, [1, 4])
    yield "edge SPACE_TO_DEPTH", Case("SPACE_TO_DEPTH", "SpaceToDepthOptions", 2, blockSize=2).fed(t, [1, 4, 6, 3], 0.05, ZERO[t]).output(t, [1, 2, 3, 12], 0.05, ZERO[t])
    case = Case("GATHER", "GatherOptions", 2, axis=0).fed(t, [9, 3], 0.05, ZERO[t]).constant(np.array([4, 0, 8], I32))
    yield "edge GATHER axis 0", case.output(t, [3, 3], 0.05, ZERO[t])
    case = Case("STRIDED_SLICE", "StridedSliceOptions", 2).fed(t, [1, 8, 8, 4], 0.05, ZERO[t])
    case.constant(np.array([0, 0, 0, 0], I32)).constant(np.array([1, 8, 8, 4], I32)).constant(np.array([1, 2, 2, 1], I32))
    yield "edge STRIDED_SLICE strides", case.output(t, [1, 4, 4, 4], 0.05, ZERO[t])
    case = Case("STRIDED_SLICE", "StridedSliceOptions", 2).fed(t, [1, 8, 8, 4], 0.05, ZERO[t])
    case.constant(np.array([0, 7, 0, 0], I32)).constant(np.array([1, -9, 8, 4], I32)).constant(np.array([1, -1, 1, 1], I32))
    yield "edge STRIDED_SLICE backwards", case.output(t, [1, 8, 8, 4], 0.05, ZERO[t])


def joined(case, result, operator, options_type=None, version=1, constants=(), kind=I8, shape=(), scale=0.05, zero=0, **options):
    """One more operator behind `result` with constants (numbers, scale) -> its result, which is the net's."""
    more = [case.tensor(data.dtype, data.shape, factor, 0, data) for data, factor in constants]
    made = case.tensor(kind, shape, scale, zero)
    case.then(operator, [result, *more], [made], options_type, version, **options)
    case.graph.outputs = [made]
    return made


def spotter():
    """Keywords in a stream of sound: two layers of SVDF, a dense one, probabilities."""
    sound, units, steps = 40, 16, 8
    case = Case("SVDF", "SVDFOptions", 3, rank=1, fusedActivationFunction=1).fed(I8, [1, sound], 0.05, 3)
    case.constant(weights(I8, [units, sound]), 0.01).constant(weights(I16, [units, steps]), 0.0003)
    case.constant(np.zeros(units, I32), 0.0003 * 0.004).variable(I16, [1, units * steps], 0.004).output(I8, [1, units], 0.02, -128)
    scores = joined(case, case.graph.outputs[0], "FULLY_CONNECTED", "FullyConnectedOptions", 4, [(weights(I8, [4, units]), 0.01), (np.zeros(4, I32), 0.0002)], shape=[1, 4])
    joined(case, scores, "SOFTMAX", "SoftmaxOptions", 2, shape=[1, 4], scale=1 / 256, zero=-128, beta=1.0)
    return case


def pictures(case, result, side, channels, made, stride=1):
    """A convolution of 3 x 3 behind `result`."""
    return joined(case, result, "CONV_2D", "Conv2DOptions", 3, [(weights(I8, [made, 3, 3, channels]), 0.01), (np.zeros(made, I32), 0.0005)],
                  shape=[1, side // stride, side // stride, made], padding=SAME, strideW=stride, strideH=stride, dilationWFactor=1, dilationHFactor=1)


def segmentation():
    """The class of each pixel: convolutions, a picture enlarged, ARG_MAX over classes."""
    case = conv(I8, (3, 3), stride=2, pad=SAME, size=[32, 32], channels=3, made=8)
    made = pictures(case, case.graph.outputs[0], 16, 8, 5)
    large = joined(case, made, "RESIZE_BILINEAR", "ResizeBilinearOptions", 3, [(np.array([32, 32], I32), None)], shape=[1, 32, 32, 5], halfPixelCenters=True)
    joined(case, large, "ARG_MAX", "ArgMaxOptions", 2, [(np.array(3, I32), None)], kind=I32, shape=[1, 32, 32], scale=None, outputType=2)
    return case


def poses():
    """Where joints are: heat maps, in lines, and the place of the greatest of each."""
    case = conv(I8, (3, 3), stride=2, pad=SAME, size=[32, 32], channels=3, made=8)
    heat = joined(case, pictures(case, case.graph.outputs[0], 16, 8, 17, 2), "LOGISTIC", None, 2, shape=[1, 8, 8, 17], scale=1 / 256, zero=-128)
    lines = joined(case, heat, "RESHAPE", "ReshapeOptions", 1, [(np.array([1, 64, 17], I32), None)], shape=[1, 64, 17], scale=1 / 256, zero=-128, newShape=[1, 64, 17])
    joined(case, lines, "ARG_MAX", "ArgMaxOptions", 2, [(np.array(1, I32), None)], kind=I32, shape=[1, 17], scale=None, outputType=2)
    return case


NETS = {"keywords": spotter, "segmentation": segmentation, "poses": poses}
