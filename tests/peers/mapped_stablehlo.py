"""StableHLO's operators and windows beside LiteRT, and beside numpy where it has no kernels; part of tests/peers/mapped.py."""
from mapped_checks import *

for name in ("ADD", "MULTIPLY", "MAXIMUM", "MINIMUM"):
    for dtype in (f32, i32):
        case = Case(f"STABLEHLO_{name}").fed(dtype, [3, 4]).fed(dtype, [3, 4]).output(dtype, [3, 4])
        check(f"STABLEHLO_{name} {np.dtype(dtype)}", case, [(9 * real(3, 4)).astype(dtype), (9 * real(3, 4)).astype(dtype)])
for low, high, interior in (([1, 0], [2, 1], [0, 0]), ([-1, 2], [0, -1], [0, 0]), ([1, 0], [0, 2], [2, 1])):
    out = [d + l + h + (d - 1) * i for d, l, h, i in zip([3, 4], low, high, interior)]
    case = Case("STABLEHLO_PAD", "StablehloPadOptions", edgePaddingLow=low, edgePaddingHigh=high, interiorPadding=interior).fed(f32, [3, 4])
    check(f"STABLEHLO_PAD {low} {high} {interior}", case.constant(np.array(7, f32)).output(f32, out), [real(3, 4)])
case = Case("DILATE", "DilateOptions").fed(f32, [3, 4]).constant(np.array([2, 3], i32)).constant(np.array(-1, f32))
check("DILATE", case.output(f32, [5, 10]), [real(3, 4)])


def body(operator, options=None, dtype=f32):
    def fill(case):
        a, b, y = case.tensor(dtype, []), case.tensor(dtype, []), case.tensor(dtype, [])
        case.then(operator, [a, b], [y], options)
        return [a, b], [y]
    return fill


for name, first in (("ADD", 0.0), ("MAXIMUM", -1e30), ("MINIMUM", 1e30)):
    case = Case("STABLEHLO_REDUCE_WINDOW", "StablehloReduceWindowOptions", windowDimensions=[2, 3], windowStrides=[1, 2], baseDilations=[1, 1],
                windowDilations=[1, 1], padding=[0, 1, 1, 1], bodySubgraphIndex=1)
    case.fed(f32, [5, 7]).constant(np.array(first, f32)).output(f32, [5, 4]).subgraph(body(f"STABLEHLO_{name}"))
    check(f"STABLEHLO_REDUCE_WINDOW {name}", case, [real(5, 7)])
for function, name, first in ((1, "ADD", 0.0), (4, "MAXIMUM", -1e30), (3, "MINIMUM", 1e30)):
    case = Case("REDUCE_WINDOW", "ReduceWindowOptions", reduceFunction=function).fed(f32, [5, 7]).constant(np.array(first, f32))
    case.constant(np.array([2, 3], i64)).constant(np.array([1, 2], i64)).constant(np.array([2, 1], i64)).output(f32, [3, 3])
    check(f"REDUCE_WINDOW {name}", case, [real(5, 7)])
case = Case("STABLEHLO_GATHER", "StablehloGatherOptions", offsetDims=[2, 3], collapsedSliceDims=[0], startIndexMap=[1, 0], indexVectorDim=2,
            sliceSizes=[1, 2, 2])
case.fed(f32, [3, 4, 2]).fed(i64, [2, 3, 2]).output(f32, [2, 3, 2, 2])
check("STABLEHLO_GATHER", case, [real(3, 4, 2), np.array([[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 2]]], i64)])
for name in ("ADD", "MULTIPLY", "MAXIMUM", "MINIMUM"):
    case = Case("STABLEHLO_SCATTER", "StablehloScatterOptions", indicesAreSorted=False, updateWindowDims=[2, 3], insertedWindowDims=[0],
                scatterDimsToOperandDims=[1, 0], indexVectorDim=2, uniqueIndices=False, updateComputationSubgraphIndex=1)
    case.fed(f32, [3, 4, 2]).fed(i64, [2, 3, 2]).fed(f32, [2, 3, 2, 2]).output(f32, [3, 4, 2])
    check(f"STABLEHLO_SCATTER {name}", case.subgraph(body(f"STABLEHLO_{name}")), [real(3, 4, 2), np.array([[[0, 2], [1, 0], [2, 1]], [[0, 1], [1, 0], [0, 0]]], i64), real(2, 3, 2, 2)])

# What LiteRT has no kernels for, beside numpy.
a, b = real(3, 4), real(3, 4)
p, q = np.abs(a) + f32(0.1), rng.integers(-9, 10, (3, 4)).astype(i32)
flags, others = rng.random((3, 4)) < 0.5, rng.random((3, 4)) < 0.5
sigmoid = 1 / (1 + np.exp(-a.astype(np.float64)))
for name, given, want in (
        ("LOGISTIC", [a], sigmoid.astype(f32)), ("DIVIDE", [a, p], a / p), ("SUBTRACT", [a, b], a - b), ("ABS", [a], np.abs(a)), ("ABS", [q], np.abs(q)),
        ("COSINE", [a], np.cos(a)), ("EXPONENTIAL", [a], np.exp(a)), ("FLOOR", [3 * a], np.floor(3 * a)), ("LOG", [p], np.log(p)), ("NEGATE", [a], -a),
        ("POWER", [p, b], p ** b), ("REMAINDER", [5 * a, p], np.fmod(5 * a, p)), ("REMAINDER", [q, np.full((3, 4), 4, i32)], np.fmod(q, 4).astype(i32)),
        ("RSQRT", [p], 1 / np.sqrt(p)), ("TANH", [a], np.tanh(a)), ("CBRT", [a], np.cbrt(a)), ("AND", [flags, others], flags & others),
        ("OR", [flags, others], flags | others), ("AND", [q, q[::-1].copy()], q & q[::-1]), ("OR", [q, q[::-1].copy()], q | q[::-1]),
        ("ADD", [flags, others], flags | others), ("MULTIPLY", [flags, others], flags & others), ("SELECT", [flags, a, b], np.where(flags, a, b)),
        ("CLAMP", [np.full((3, 4), -0.5, f32), a, np.full((3, 4), 0.25, f32)], np.clip(a, f32(-0.5), f32(0.25))),
        ("SHIFT_LEFT", [q, np.abs(q)], q << np.abs(q)), ("SHIFT_LEFT", [np.abs(q).astype(u8), np.full((3, 4), 2, u8)], (np.abs(q) << 2).astype(u8))):
    case = Case(f"STABLEHLO_{name}", "StablehloShiftLeftOptions" if name == "SHIFT_LEFT" else None)
    for item in given:
        case.fed(item.dtype.type, item.shape)
    known(f"STABLEHLO_{name} {given[-1].dtype}", case.output(want.dtype.type, want.shape), given, want, near=2e-6)
for number, (sign, want) in enumerate((("EQ", a == b), ("NE", a != b), ("GE", a >= b), ("GT", a > b), ("LE", a <= b), ("LT", a < b))):
    same = np.where(flags, a, b)  # equal in places
    want = eval({"EQ": "a == same", "NE": "a != same", "GE": "a >= same", "GT": "a > same", "LE": "a <= same", "LT": "a < same"}[sign])
    case = Case("STABLEHLO_COMPARE", "StablehloCompareOptions", comparisonDirection=number).fed(f32, [3, 4]).fed(f32, [3, 4]).output(bool, [3, 4])
    known(f"STABLEHLO_COMPARE {sign}", case, [a, same], want)
known("STABLEHLO_RESHAPE", Case("STABLEHLO_RESHAPE").fed(f32, [3, 4]).output(f32, [2, 6]), [a], a.reshape(2, 6))
case = Case("STABLEHLO_TRANSPOSE", "StablehloTransposeOptions", permutation=[2, 0, 1]).fed(f32, [3, 2, 2]).output(f32, [2, 3, 2])
known("STABLEHLO_TRANSPOSE", case, [a.reshape(3, 2, 2)], a.reshape(3, 2, 2).transpose(2, 0, 1).copy())
case = Case("STABLEHLO_CONCATENATE", "StablehloConcatenateOptions", dimension=1).fed(f32, [3, 4]).fed(f32, [3, 4]).output(f32, [3, 8])
known("STABLEHLO_CONCATENATE", case, [a, b], np.concatenate([a, b], 1))
case = Case("STABLEHLO_BROADCAST_IN_DIM", "StablehloBroadcastInDimOptions", broadcastDimensions=[1, 3]).fed(f32, [3, 1]).output(f32, [2, 3, 5, 4])
known("STABLEHLO_BROADCAST_IN_DIM", case, [a[:, :1].copy()], np.broadcast_to(a[None, :, None, :1], (2, 3, 5, 4)).copy())
case = Case("STABLEHLO_SLICE", "StablehloSliceOptions", startIndices=[1, 0], limitIndices=[3, 4], strides=[1, 3]).fed(f32, [3, 4]).output(f32, [2, 2])
known("STABLEHLO_SLICE", case, [a], a[1:3, 0:4:3].copy())
known("STABLEHLO_CONVERT", Case("STABLEHLO_CONVERT").fed(f32, [3, 4]).output(i32, [3, 4]), [9 * a], (9 * a).astype(i32))
case = Case("STABLEHLO_DYNAMIC_SLICE", "StablehloDynamicSliceOptions", sliceSizes=[2, 3]).fed(f32, [3, 4]).fed(i32, []).fed(i32, []).output(f32, [2, 3])
known("STABLEHLO_DYNAMIC_SLICE", case, [a, np.array(1, i32), np.array(0, i32)], a[1:3, 0:3].copy())
known("STABLEHLO_DYNAMIC_SLICE beyond", case, [a, np.array(7, i32), np.array(-3, i32)], a[1:3, 0:3].copy())
case = Case("STABLEHLO_DYNAMIC_UPDATE_SLICE").fed(f32, [3, 4]).fed(f32, [2, 2]).fed(i32, []).fed(i32, []).output(f32, [3, 4])
put = a.copy()
put[1:, 2:] = b[:2, :2]
known("STABLEHLO_DYNAMIC_UPDATE_SLICE", case, [a, b[:2, :2].copy(), np.array(1, i32), np.array(2, i32)], put)
known("STABLEHLO_DYNAMIC_UPDATE_SLICE beyond", case, [a, b[:2, :2].copy(), np.array(5, i32), np.array(9, i32)], put)
for dtype in (f32, i32):
    known(f"STABLEHLO_IOTA {np.dtype(dtype)}", Case("STABLEHLO_IOTA", "StablehloIotaOptions", iotaDimension=1).output(dtype, [2, 3, 2]), [],
          np.broadcast_to(np.arange(3, dtype=dtype)[None, :, None], (2, 3, 2)).copy())
case = Case("STABLEHLO_DOT_GENERAL", "StablehloDotGeneralOptions", lhsBatchingDimensions=[1], rhsBatchingDimensions=[0], lhsContractingDimensions=[2],
            rhsContractingDimensions=[1])
left, right = real(3, 2, 4), real(2, 4, 5)
known("STABLEHLO_DOT_GENERAL", case.fed(f32, [3, 2, 4]).fed(f32, [2, 4, 5]).output(f32, [2, 3, 5]), [left, right], np.einsum("abk,bkc->bac", left, right))
for name, function in (("ADD", np.sum), ("MULTIPLY", np.prod), ("MAXIMUM", np.max), ("MINIMUM", np.min)):
    first = {"ADD": 0.0, "MULTIPLY": 1.0, "MAXIMUM": -1e30, "MINIMUM": 1e30}[name]
    case = Case("STABLEHLO_REDUCE", "StablehloReduceOptions", dimensions=[0, 2], bodySubgraphIndex=1).fed(f32, [3, 2, 4]).constant(np.array(first, f32))
    known(f"STABLEHLO_REDUCE {name}", case.output(f32, [2]).subgraph(body(f"STABLEHLO_{name}")), [left], function(left, (0, 2)), near=2e-6)


def below_ten(case):
    x, limit, y = case.tensor(f32, []), case.tensor(f32, [], data=np.array(10, f32)), case.tensor(bool, [])
    case.then("STABLEHLO_COMPARE", [x, limit], [y], "StablehloCompareOptions", comparisonDirection=5)
    return [x], [y]


def doubled(case):
    x, y = case.tensor(f32, []), case.tensor(f32, [])
    case.then("STABLEHLO_ADD", [x, x], [y])
    return [x], [y]


case = Case("STABLEHLO_WHILE", "StablehloWhileOptions", condSubgraphIndex=1, bodySubgraphIndex=2).fed(f32, []).output(f32, [])
case.subgraph(below_ten).subgraph(doubled)
known("STABLEHLO_WHILE", case, [np.array(1.5, f32)], np.array(12, f32))
known("STABLEHLO_WHILE no round", case, [np.array(11, f32)], np.array(11, f32))
