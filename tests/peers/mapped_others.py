"""Variables, tables, calls, detection, random numbers, spectra, movement and segments beside LiteRT; part of tests/peers/mapped.py."""
from mapped_checks import *

# ---- variables, tables, calls ---------------------------------------------------------------------------------------------


def counter(start):
    """y = variable + x; variable = y. With `start` from a first call."""
    case = Case("ADD", "AddOptions")
    x, before, y, handle = case.tensor(f32, [3]), case.tensor(f32, [3]), case.tensor(f32, [3]), case.tensor(RESOURCE, [])
    case.graph.inputs, case.graph.outputs = [x], [y]
    case.operator.inputs, case.operator.outputs = [before, x], [y]
    case.then("READ_VARIABLE", [handle], [before], "ReadVariableOptions", first=True)
    case.more.append(case.more.pop(0))
    case.then("VAR_HANDLE", [], [handle], "VarHandleOptions", first=True, sharedName="counter", container="c")
    case.more.append(case.more.pop(0))
    case.then("CALL_ONCE", [], [], "CallOnceOptions", first=True, initSubgraphIndex=1)
    case.more.append(case.more.pop(0))
    case.then("ASSIGN_VARIABLE", [handle, y], [], "AssignVariableOptions")

    def first(case):
        handle, value = case.tensor(RESOURCE, []), case.tensor(f32, [3], data=start)
        case.then("VAR_HANDLE", [], [handle], "VarHandleOptions", sharedName="counter", container="c")
        case.then("ASSIGN_VARIABLE", [handle, value], [], "AssignVariableOptions")
        return [], []

    return case.subgraph(first)


check("variable", counter(np.array([1, 2, 3], f32)), *[[real(3)] for _ in range(4)], args=["--stateful"])
check("variable, one run", counter(np.array([1, 2, 3], f32)), [real(3)])

case = Case("HASHTABLE_LOOKUP").constant(np.array([30, 5, 10], i32)).constant(np.array([10, 20, 30], i32)).fed(f32, [3, 2])
check("HASHTABLE_LOOKUP", case.output(f32, [3, 2]).output(u8, [3]), [real(3, 2)])


def square(case):
    a, b = case.tensor(f32, [4]), case.tensor(f32, [4])
    case.then("MUL", [a, a], [b], "MulOptions")
    return [a], [b]


case = Case("STABLEHLO_COMPOSITE", "StableHLOCompositeOptions", name="square", decompositionSubgraphIndex=1,
            compositeAttributes=np.frombuffer(bytes(flexbuffers.Dumps({})), np.uint8))
check("STABLEHLO_COMPOSITE", case.fed(f32, [4]).output(f32, [4]).subgraph(square), [real(4)])

# ---- detection ------------------------------------------------------------------------------------------------------------

N = 40
corners = rng.random((N, 2)).astype(f32)
boxes = np.concatenate([corners, corners + 0.1 + 0.3 * rng.random((N, 2)).astype(f32)], 1)
scores = rng.permutation(N).astype(f32) / N
for most, iou, least in ((6, 0.3, 0.1), (30, 0.5, 0.6), (30, 0.1, -1.0)):
    def scalars(case, *numbers):
        case.constant(np.array(most, i32))
        for number in numbers:
            case.constant(np.array(number, f32))
        return case
    case = scalars(Case("NON_MAX_SUPPRESSION_V4", "NonMaxSuppressionV4Options").fed(f32, [N, 4]).fed(f32, [N]), iou, least)
    check(f"NON_MAX_SUPPRESSION_V4 {most} {iou} {least}", case.output(i32, [most]).output(i32, []), [boxes, scores])
    for sigma in (0.0, 0.5):
        case = scalars(Case("NON_MAX_SUPPRESSION_V5", "NonMaxSuppressionV5Options").fed(f32, [N, 4]).fed(f32, [N]), iou if sigma == 0 else 1.0, least, sigma)
        check(f"NON_MAX_SUPPRESSION_V5 {most} {iou} {least} sigma {sigma}", case.output(i32, [most]).output(f32, [most]).output(i32, []), [boxes, scores])
for regular in (False, True):
    for each in (1, 2):
        if regular and each > 1:
            continue
        case = Case("TFLite_Detection_PostProcess")
        case.operator.customOptions = np.frombuffer(bytes(flexbuffers.Dumps({
            "max_detections": 7, "max_classes_per_detection": each, "num_classes": 3, "nms_score_threshold": 0.3, "nms_iou_threshold": 0.4,
            "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0, "use_regular_nms": regular})), np.uint8)
        anchors = np.concatenate([rng.random((N, 2)), 0.2 + 0.3 * rng.random((N, 2))], 1).astype(f32)
        rows = 7 * each
        case.fed(f32, [1, N, 4]).fed(f32, [1, N, 4]).constant(anchors)
        case.output(f32, [1, rows, 4]).output(f32, [1, rows]).output(f32, [1, rows]).output(f32, [1])
        check(f"TFLite_Detection_PostProcess {'regular' if regular else 'fast'} {each}", case, [real(1, N, 4), rng.random((1, N, 4)).astype(f32)])

# ---- random numbers -------------------------------------------------------------------------------------------------------

for name in ("UNIFORM", "STANDARD_NORMAL"):
    for seeds in ((7, 0), (1234567890123, -5)):
        case = Case(f"RANDOM_{name}", "RandomOptions", seed=seeds[0], seed2=seeds[1]).fed(i32, [2]).output(f32, [3, 5])
        shapes = [np.array(shape, i32) for shape in ([3, 5], [2, 3])]
        check(f"RANDOM_{name} {seeds}", case, *[[shape] for shape in shapes], args=["--stateful"], near=0 if name == "UNIFORM" else 1e-6)

# ---- spectra, angles ------------------------------------------------------------------------------------------------------

for part in ("REAL", "IMAG", "COMPLEX_ABS"):
    for size, lengths in (([4, 8], [4, 8]), ([2, 5, 12], [4, 16])):
        case = Case("RFFT2D", "Rfft2dOptions").fed(f32, size).constant(np.array(lengths, i32))
        dims = [*size[:-2], lengths[0], lengths[1] // 2 + 1]
        spectrum, y = case.tensor(COMPLEX64, dims), case.tensor(f32, dims)
        case.operator.outputs, case.graph.outputs = [spectrum], [y]
        check(f"RFFT2D {part} {lengths}", case.then(part, [spectrum], [y]), [real(*size)])
points = np.array([[y, x] for y in (-2, -0.0, 0.0, 3, -1e-30, np.inf, -np.inf) for x in (-1.5, -0.0, 0.0, 4, np.inf, -np.inf)], f32)
check("ATAN2", Case("ATAN2").fed(f32, [42]).fed(f32, [42]).output(f32, [42]), [points[:, 0].copy(), points[:, 1].copy()], [real(42), real(42)])

# ---- movement -------------------------------------------------------------------------------------------------------------

for mode in (0, 1):
    case = Case("MIRROR_PAD", "MirrorPadOptions", mode=mode).fed(f32, [2, 3, 4]).constant(np.array([[0, 0], [2, 1], [3, 2]], i32))
    check(f"MIRROR_PAD {'symmetric' if mode else 'reflect'}", case.output(f32, [2, 6, 9]), [real(2, 3, 4)])
for start in ([0, 1, 2], [5, -3, 1]):
    case = Case("DYNAMIC_UPDATE_SLICE", "DynamicUpdateSliceOptions").fed(f32, [4, 5, 6]).fed(f32, [2, 1, 3]).fed(i32, [3]).output(f32, [4, 5, 6])
    check(f"DYNAMIC_UPDATE_SLICE at {start}", case, [real(4, 5, 6), real(2, 1, 3), np.array(start, i32)])

# ---- segments, diagonals, buckets -----------------------------------------------------------------------------------------

ids = np.array([2, 0, 2, -1, 0], i32)
for name in ("SUM", "PROD", "MAX", "MIN"):
    case = Case(f"UNSORTED_SEGMENT_{name}", f"UnsortedSegment{name.title()}Options").fed(f32, [5, 3]).fed(i32, [5]).constant(np.array(4, i32))
    check(f"UNSORTED_SEGMENT_{name}", case.output(f32, [4, 3]), [real(5, 3), ids])
case = Case("SPARSE_TO_DENSE", "SparseToDenseOptions").fed(i32, [3, 2]).constant(np.array([4, 5], i32)).fed(f32, [3]).constant(np.array(-1, f32))
check("SPARSE_TO_DENSE", case.output(f32, [4, 5]), [np.array([[0, 1], [1, 0], [3, 4]], i32), real(3)])
case = Case("BUCKETIZE", "BucketizeOptions", boundaries=[-1.0, 0.0, 0.5]).fed(f32, [9]).output(i32, [9])
check("BUCKETIZE", case, [np.array([-2, -1, -0.5, 0, 0.25, 0.5, 7, -1.5, 0.49], f32)])
check("MATRIX_DIAG", Case("MATRIX_DIAG", "MatrixDiagOptions").fed(f32, [2, 3]).output(f32, [2, 3, 3]), [real(2, 3)])
case = Case("MATRIX_SET_DIAG", "MatrixSetDiagOptions").fed(f32, [2, 3, 3]).fed(f32, [2, 3]).output(f32, [2, 3, 3])
check("MATRIX_SET_DIAG", case, [real(2, 3, 3), real(2, 3)])
check("BROADCAST_ARGS", Case("BROADCAST_ARGS").fed(i32, [3]).fed(i32, [2]).output(i32, [3]), [np.array([4, 1, 5], i32), np.array([3, 1], i32)])
case = Case("FAKE_QUANT", "FakeQuantOptions", min=-0.7, max=1.3, numBits=4, narrowRange=False).fed(f32, [50]).output(f32, [50])
check("FAKE_QUANT", case, [real(50)])
check("BITCAST", Case("BITCAST", "BitcastOptions").fed(f32, [5]).output(i32, [5]), [real(5)])
for padding in (0, 1):
    case = Case("CONV_3D", "Conv3DOptions", padding=padding, strideD=1, strideH=2, strideW=1, dilationDFactor=1, dilationHFactor=1, dilationWFactor=1,
                fusedActivationFunction=1)
    case.fed(f32, [1, 4, 5, 6, 3]).constant(real(2, 3, 2, 3, 4)).constant(real(4))
    check(f"CONV_3D {'valid' if padding else 'same'}", case.output(f32, [1, 3, 2, 5, 4] if padding else [1, 4, 3, 6, 4]), [real(1, 4, 5, 6, 3)])
