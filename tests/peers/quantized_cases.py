#!/usr/bin/env python3
"""Writes single-operator quantized cases with onnxruntime's outputs, in the layout of the ONNX backend cases.

    quantized_cases.py FOLDER        then: conformance --folder FOLDER --steps 1
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ort_session import NONE, SATURATES, session

MS = "com.microsoft"
PACKED = {TensorProto.INT4: TensorProto.INT8, TensorProto.UINT4: TensorProto.UINT8}  # numpy has no such type: cast behind the node
rng = np.random.default_rng(20)
out_folder = pathlib.Path(sys.argv[1])
written = []


def np_type(element):
    return helper.tensor_dtype_to_np_dtype(element)


def proto(name, array, element=None):
    if element in PACKED:
        return helper.make_tensor(name, element, array.shape, array.astype(np.int64).flatten().tolist())
    return numpy_helper.from_array(np.array(array, order="C"), name)


def case(name, op, inputs, attrs=None, domain="", outputs=1, out_types=None, opset=21):
    """inputs: (array, is_initializer) or None; small integers as (array, is_initializer, element type)."""
    names, graph_inputs, constants, feed, pbs = [], [], [], {}, []
    for i, item in enumerate(inputs):
        if item is None:
            names.append("")
            continue
        array, fixed = np.asarray(item[0]), item[1]
        if SATURATES and array.dtype == np.int8 and array.ndim > 1:  # weights of 7 bits have no sum that is too great
            array = array // 2
        element = item[2] if len(item) > 2 else helper.np_dtype_to_tensor_dtype(array.dtype)
        names.append(f"x{i}")
        if fixed:
            constants.append(proto(f"x{i}", array, element))
        else:
            graph_inputs.append(helper.make_tensor_value_info(f"x{i}", element, array.shape))
            feed[f"x{i}"] = array
            pbs.append(proto(f"x{i}", array, element))
    out_names = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, names, out_names, name="node", domain=domain, **(attrs or {}))
    nodes = [node]
    if out_types[0] in PACKED:
        node.output[0] = "packed"
        nodes.append(helper.make_node("Cast", ["packed"], ["y0"], name="cast", to=PACKED[out_types[0]]))
        out_types = [PACKED[out_types[0]]]
    graph = helper.make_graph(nodes, name, graph_inputs,
                              [helper.make_tensor_value_info(n, t, None) for n, t in zip(out_names, out_types)], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid(MS, 1)], ir_version=10)
    try:
        # On one thread: DynamicQuantizeLSTM quantizes the state of so many rows together as one thread takes.
        results = session(model.SerializeToString(), NONE).run(None, feed)
    except Exception as error:  # noqa: BLE001 - a case that onnxruntime refuses is no case
        print(f"onnxruntime refuses {name}: {str(error).splitlines()[0][:150]}", file=sys.stderr)
        return
    folder = out_folder / ("test_" + name)
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for i, pb in enumerate(pbs):
        (data / f"input_{i}.pb").write_bytes(pb.SerializeToString())
    for i, (result, element) in enumerate(zip(results, out_types)):
        (data / f"output_{i}.pb").write_bytes(proto(f"y{i}", np.asarray(result), element).SerializeToString())
    written.append(name)


def codes(dtype, *shape):
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


def f32(value):
    return np.asarray(value, np.float32)


def scalar(value, dtype=np.float32):
    return (np.asarray(value, dtype), True)


BYTES = {"u8": (np.uint8, TensorProto.UINT8, 128), "i8": (np.int8, TensorProto.INT8, 0)}
STORED = {"u8": TensorProto.UINT8, "i8": TensorProto.INT8, "u16": TensorProto.UINT16, "i16": TensorProto.INT16, "u4": TensorProto.UINT4,
          "i4": TensorProto.INT4}
RANGES = {"u8": (0, 255), "i8": (-128, 127), "u16": (0, 65535), "i16": (-32768, 32767), "u4": (0, 15), "i4": (-8, 7)}


def stored(kind, shape):
    low, high = RANGES[kind]
    element = STORED[kind]
    dtype = np_type(element) if kind[1:] != "4" else np.int8
    return (rng.integers(low, high + 1, shape).astype(dtype), True, element)


def linear_cases():
    for kind, element in STORED.items():
        low, high = RANGES[kind]
        spread = (high - low) * 0.02
        x = (rng.normal(size=(3, 4, 8)) * spread).astype(np.float32)
        x.flat[:9] = 0.01 * (np.arange(9) + 0.5) - 0.04  # ties
        for domain in ("", MS):
            tag = f"{'ms_' if domain else ''}{kind}"
            zero = (low + high) // 2 + 1
            one = (np.asarray(zero, np.int8 if kind[1:] == "4" else np_type(element)), True, element)
            case(f"quantize_{tag}", "QuantizeLinear", [(x, False), scalar(0.01), one], domain=domain, out_types=[element])
            case(f"quantize_axis_{tag}", "QuantizeLinear", [(x, False), (f32([0.01, 0.02, 0.3, 0.004]), True), stored(kind, 4)],
                 {"axis": 1}, domain, out_types=[element])
            q = stored(kind, (3, 4, 8))
            case(f"dequantize_{tag}", "DequantizeLinear", [q, scalar(0.01), one], domain=domain, out_types=[TensorProto.FLOAT])
            case(f"dequantize_axis_{tag}", "DequantizeLinear", [q, (f32([0.01, 0.02, 0.3, 0.004]), True), stored(kind, 4)],
                 {"axis": 1}, domain, out_types=[TensorProto.FLOAT])
            half = x.astype(np.float16)
            case(f"quantize_f16_{tag}", "QuantizeLinear", [(half, False), scalar(0.01, np.float16), one], domain=domain, out_types=[element])
            case(f"dequantize_f16_{tag}", "DequantizeLinear", [q, scalar(0.01, np.float16), one], domain=domain,
                 out_types=[TensorProto.FLOAT16])
        scales = rng.uniform(0.01, 0.1, (3, 4, 2)).astype(np.float32)
        case(f"quantize_blocked_{kind}", "QuantizeLinear", [(x, False), (scales, True), stored(kind, (3, 4, 2))], {"axis": 2, "block_size": 4},
             out_types=[element])
        case(f"dequantize_blocked_{kind}", "DequantizeLinear", [stored(kind, (3, 4, 8)), (scales, True), stored(kind, (3, 4, 2))],
             {"axis": 2, "block_size": 4}, out_types=[TensorProto.FLOAT])
    case("dequantize_i32", "DequantizeLinear", [(codes(np.int32, 4, 5), False), scalar(0.001)], out_types=[TensorProto.FLOAT])
    for name, x in {"plain": rng.normal(size=(5, 7)), "positive": rng.uniform(1, 9, 20), "negative": -rng.uniform(1, 9, 20), "zeros": np.zeros(5)}.items():
        case(f"dynamic_quantize_{name}", "DynamicQuantizeLinear", [(f32(x), False)], outputs=3,
             out_types=[TensorProto.UINT8, TensorProto.FLOAT, TensorProto.UINT8])


def conv_cases():
    shapes = {"2d": ((2, 4, 9, 8), (6, 4, 3, 3), {"pads": [1, 1, 1, 1]}), "stride": ((1, 4, 9, 8), (6, 4, 3, 2), {"strides": [2, 3], "pads": [0, 1, 2, 1]}),
              "group": ((1, 4, 7, 7), (4, 1, 3, 3), {"group": 4}), "dilated": ((1, 3, 11, 11), (2, 3, 3, 3), {"dilations": [2, 3]}),
              "1d": ((2, 3, 12), (5, 3, 4), {"pads": [2, 1]}), "3d": ((1, 2, 5, 6, 4), (3, 2, 2, 3, 2), {}),
              "same": ((1, 3, 8, 9), (4, 3, 3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}), "point": ((1, 16, 6, 6), (32, 16, 1, 1), {})}
    for tag, (xs, ws, attrs) in shapes.items():
        for a, b in (("u8", "u8"), ("u8", "i8"), ("i8", "i8")):
            (xt, xe, xz), (wt, _, wz) = BYTES[a], BYTES[b]
            x, w = codes(xt, *xs), codes(wt, *ws)
            depth = int(np.prod(ws[1:]))
            y_scale = 0.02 * 0.01 * depth ** 0.5 * 60
            bias = rng.integers(-20000, 20000, ws[0]).astype(np.int32)
            one = [(x, False), scalar(0.02), scalar(xz + 3, xt), (w, True), scalar(0.01), scalar(wz, wt), scalar(y_scale), scalar(xz - 5, xt)]
            case(f"qlinearconv_{tag}_{a}{b}", "QLinearConv", one, attrs, out_types=[xe])
            case(f"qlinearconv_bias_{tag}_{a}{b}", "QLinearConv", one + [(bias, True)], attrs, out_types=[xe])
            each = list(one)
            each[4], each[5] = (rng.uniform(0.003, 0.02, ws[0]).astype(np.float32), True), (np.full(ws[0], wz, wt), True)
            case(f"qlinearconv_channel_{tag}_{a}{b}", "QLinearConv", each + [(bias, True)], attrs, out_types=[xe])
        x, w = codes(np.uint8, *xs), codes(np.uint8, *ws)
        case(f"convinteger_{tag}", "ConvInteger", [(x, False), (w, True), scalar(120, np.uint8), scalar(7, np.uint8)], attrs, out_types=[TensorProto.INT32])


def matmul_cases():
    for tag, (xs, ys) in {"2d": ((5, 33), (33, 7)), "batch": ((3, 5, 16), (3, 16, 9)), "wide": ((2, 300), (300, 3)), "vector": ((1, 64), (64, 64))}.items():
        for a, b in (("u8", "u8"), ("u8", "i8"), ("i8", "i8")):
            (at, ae, az), (bt, _, bz) = BYTES[a], BYTES[b]
            x, y = codes(at, *xs), codes(bt, *ys)
            y_scale = 0.02 * 0.01 * xs[-1] ** 0.5 * 60
            case(f"qlinearmatmul_{tag}_{a}{b}", "QLinearMatMul", [(x, False), scalar(0.02), scalar(az + 2, at), (y, True), scalar(0.01),
                 scalar(bz, bt), scalar(y_scale), scalar(az - 4, at)], out_types=[ae])
            n = ys[-1]
            columns = (rng.uniform(0.003, 0.02, n).astype(np.float32), True)
            if len(ys) == 2:
                case(f"qlinearmatmul_column_{tag}_{a}{b}", "QLinearMatMul", [(x, False), scalar(0.02), scalar(az + 2, at), (y, True), columns,
                     (np.full(n, bz, bt), True), scalar(y_scale), scalar(az - 4, at)], out_types=[ae])
                case(f"qgemm_{tag}_{a}{b}", "QGemm", [(x, False), scalar(0.02), scalar(az + 2, at), (y, True), columns, (np.full(n, bz, bt), True),
                     (rng.integers(-9999, 9999, n).astype(np.int32), True), scalar(y_scale), scalar(az - 4, at)], {"alpha": 0.5}, MS, out_types=[ae])
                case(f"qgemm_float_{tag}_{a}{b}", "QGemm", [(x, False), scalar(0.02), scalar(az + 2, at), (np.ascontiguousarray(y.T), True), scalar(0.01),
                     scalar(bz, bt), None, None, None], {"transB": 1}, MS, out_types=[TensorProto.FLOAT])
            case(f"matmulinteger_{tag}_{a}{b}", "MatMulInteger", [(x, False), (y, True), scalar(az, at), scalar(bz, bt)], out_types=[TensorProto.INT32])
            case(f"matmulintegertofloat_{tag}_{a}{b}", "MatMulIntegerToFloat", [(x, False), (y, True), scalar(0.02), columns if len(ys) == 2 else scalar(0.01),
                 scalar(az + 2, at), None, (rng.normal(size=n).astype(np.float32), True)], domain=MS, out_types=[TensorProto.FLOAT])
        for b in ("u8", "i8"):
            bt, _, bz = BYTES[b]
            y = codes(bt, *ys)
            case(f"dynamicquantizematmul_{tag}_{b}", "DynamicQuantizeMatMul", [(rng.normal(size=xs).astype(np.float32), False), (y, True), scalar(0.01),
                 scalar(bz, bt), (rng.normal(size=ys[-1]).astype(np.float32), True)], domain=MS, out_types=[TensorProto.FLOAT])
    for bits in (4, 8):
        for depth, n, block in ((64, 10, 32), (100, 6, 16)):
            blocks = -(-depth // block)
            x = rng.normal(size=(3, depth)).astype(np.float32)
            w, s = codes(np.uint8, n, blocks, block * bits // 8), rng.uniform(0.01, 0.1, n * blocks).astype(np.float32)
            z = codes(np.uint8, n * ((blocks * bits + 7) // 8))
            attrs = {"K": depth, "N": n, "bits": bits, "block_size": block}
            case(f"matmulnbits_{bits}_{depth}", "MatMulNBits", [(x, False), (w, True), (s, True)], attrs, MS, out_types=[TensorProto.FLOAT])
            case(f"matmulnbits_zero_{bits}_{depth}", "MatMulNBits", [(x, False), (w, True), (s, True), (z, True)], attrs, MS, out_types=[TensorProto.FLOAT])
    table_cases()


def table_cases():
    ids = np.array([[1, -1], [0, 6]], np.int64)
    for row, block in ((48, 16), (20, 16), (24, 32)):
        blocks = -(-row // block)
        scales = (rng.uniform(0.01, 0.1, (7, blocks)).astype(np.float32), True)
        packed = {"i4": (np.int8, -8, 8, TensorProto.INT4, row), "u4": (np.uint8, 0, 16, TensorProto.UINT4, row), "packed": (np.uint8, 0, 256, None, row // 2),
                  "u8": (np.uint8, 0, 256, None, row)}
        for tag, (kind, low, high, element, width) in packed.items():
            bits, each = (8, blocks) if tag == "u8" else (4, -(-blocks // 2) if tag == "packed" else blocks)
            table, zeros = ((rng.integers(low, high, shape).astype(kind), True, *([element] if element else [])) for shape in ((7, width), (7, each)))
            attrs = {"gather_axis": 0, "quantize_axis": 1, "block_size": block, "bits": bits}
            for name, index in (("", ids), ("_i32", ids.astype(np.int32))):
                for more, extra in (("", []), ("_zero", [zeros])):
                    case(f"gatherblockquantized_{tag}_{row}{name}{more}", "GatherBlockQuantized", [table, (index, False), scales, *extra], attrs, MS,
                         out_types=[TensorProto.FLOAT])


def elementwise_cases():
    for kind, (t, e, z) in BYTES.items():
        a, b = codes(t, 4, 5, 16), codes(t, 4, 5, 16)
        row = codes(t, 16)
        for tag, other in (("", b), ("_row", row), ("_scalar", codes(t, 1))):
            three = lambda s: [(a, False), scalar(0.021), scalar(z + 1, t), (other, False), scalar(0.013), scalar(z - 2, t), scalar(s), scalar(z + 4, t)]
            case(f"qlinearadd{tag}_{kind}", "QLinearAdd", three(0.033), domain=MS, out_types=[e])
            case(f"qlinearmul{tag}_{kind}", "QLinearMul", three(0.029), domain=MS, out_types=[e])
        one = lambda s, zero: [(a, False), scalar(0.03), scalar(z + 1, t), scalar(s), scalar(zero, t)]
        least = 0 if kind == "u8" else -128
        case(f"qlinearsigmoid_{kind}", "QLinearSigmoid", one(1 / 256, least), domain=MS, out_types=[e])
        case(f"qlinearleakyrelu_{kind}", "QLinearLeakyRelu", one(0.02, z - 50), {"alpha": 0.2}, MS, out_types=[e])
        for axis in (-1, 1):
            case(f"qlinearsoftmax_{axis % 3}_{kind}", "QLinearSoftmax", one(1 / 256, least), {"axis": axis, "opset": 13}, MS, out_types=[e])
        case(f"qlinearsoftmax_old_{kind}", "QLinearSoftmax", one(1 / 256, least), {"axis": 1, "opset": 12}, MS, out_types=[e])
        case(f"qlinearconcat_{kind}", "QLinearConcat", [scalar(0.03), scalar(z + 5, t), (a, False), scalar(0.02), scalar(z, t), (b, False), scalar(0.05),
             scalar(z - 9, t)], {"axis": 1}, MS, out_types=[e])
        mask = rng.integers(0, 2, (4, 1, 16)).astype(bool)
        case(f"qlinearwhere_{kind}", "QLinearWhere", [(mask, False), (a, False), scalar(0.02), scalar(z, t), (row, False), scalar(0.05), scalar(z - 9, t),
             scalar(0.03), scalar(z + 5, t)], domain=MS, out_types=[e])
        image = codes(t, 2, 3, 9, 10)
        pool = [(image, False), scalar(0.02), scalar(z + 1, t), scalar(0.012), scalar(z - 2, t)]
        for tag, attrs in {"plain": {"kernel_shape": [3, 3]}, "pads": {"kernel_shape": [3, 2], "pads": [1, 1, 1, 0], "strides": [2, 2]},
                           "include": {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1},
                           "ceil": {"kernel_shape": [2, 3], "strides": [2, 2], "ceil_mode": 1}}.items():
            case(f"qlinearaveragepool_{tag}_{kind}", "QLinearAveragePool", pool, attrs, MS, out_types=[e])
        case(f"qlinearglobalaveragepool_{kind}", "QLinearGlobalAveragePool", pool, {"channels_last": 0}, MS, out_types=[e])
        case(f"qlinearglobalaveragepool_last_{kind}", "QLinearGlobalAveragePool", pool, {"channels_last": 1}, MS, out_types=[e])


def attention_cases():
    batch, length, width, heads = 2, 5, 16, 2
    bias = (rng.normal(size=3 * width).astype(np.float32), True)
    columns = (rng.uniform(0.005, 0.02, 3 * width).astype(np.float32), True)
    masks = {"end": np.array([3, 5], np.int32), "keys": (rng.random((batch, length)) < 0.7).astype(np.int32),
             "pairs": (rng.random((batch, length, length)) < 0.7).astype(np.int32)}
    past = (rng.normal(size=(2, batch, heads, 3, width // heads)).astype(np.float32), False)
    one, two = [TensorProto.FLOAT], [TensorProto.FLOAT] * 2
    attrs, causal = {"num_heads": heads}, {"num_heads": heads, "unidirectional": 1}
    for b in ("u8", "i8"):  # of the weights; onnxruntime takes inputs of uint8 only
        bt, _, bz = BYTES[b]

        def base(scale):
            return [(codes(np.uint8, batch, length, width), False), (codes(bt, width, 3 * width), True), bias, scalar(0.02), scale]

        zeros = [scalar(131, np.uint8), scalar(bz, bt)]
        case(f"qattention_{b}", "QAttention", [*base(scalar(0.01)), None, *zeros], attrs, MS, out_types=one)
        case(f"qattention_columns_{b}", "QAttention", [*base(columns), None, *zeros], causal, MS, out_types=one)
        case(f"qattention_past_{b}", "QAttention", [*base(scalar(0.01)), None, *zeros, past], causal, MS, 2, two)
        for name, mask in masks.items():
            case(f"qattention_mask_{name}_{b}", "QAttention", [*base(scalar(0.01)), (mask, False), *zeros], attrs, MS, out_types=one)


def lstm_cases():
    steps, width, hidden = 6, 7, 5
    for batch, direction, b, columns in ((1, "forward", "i8", False), (1, "forward", "u8", False), (1, "reverse", "i8", True), (3, "forward", "i8", True),
                                         (2, "bidirectional", "i8", False)):
        bt, _, bz = BYTES[b]
        ways = 2 if direction == "bidirectional" else 1
        scales = (ways, 4 * hidden) if columns else (ways,)
        scale = lambda low, high: (rng.uniform(low, high, scales).astype(np.float32), True)
        zero = (np.full(scales, bz, bt), True)
        real = lambda *shape: (rng.normal(size=shape).astype(np.float32), True)
        x = (rng.normal(size=(steps, batch, width)).astype(np.float32), False)
        weights = [x, (codes(bt, ways, width, 4 * hidden), True), (codes(bt, ways, hidden, 4 * hidden), True)]
        parameters = [scale(0.002, 0.004), zero, scale(0.002, 0.004), zero]
        attrs = {"hidden_size": hidden, "direction": direction}
        tag = f"{batch}_{direction}_{b}{'_columns' if columns else ''}"
        full = [real(ways, 8 * hidden), None, real(ways, batch, hidden), real(ways, batch, hidden)]
        case(f"dynamicquantizelstm_{tag}", "DynamicQuantizeLSTM", [*weights, *[None] * 5, *parameters], attrs, MS, 3, [TensorProto.FLOAT] * 3)
        case(f"dynamicquantizelstm_bias_{tag}", "DynamicQuantizeLSTM", [*weights, *full, None, *parameters], attrs, MS, 3, [TensorProto.FLOAT] * 3)
        case(f"dynamicquantizelstm_peephole_{tag}", "DynamicQuantizeLSTM", [*weights, *full, real(ways, 3 * hidden), *parameters],
             {**attrs, "input_forget": 1, "clip": 2.0}, MS, 3, [TensorProto.FLOAT] * 3)


linear_cases()
lstm_cases()
attention_cases()
conv_cases()
matmul_cases()
elementwise_cases()
print(f"{len(written)} cases")
