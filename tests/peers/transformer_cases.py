#!/usr/bin/env python3
"""Writes single-operator float cases of com.microsoft, and of forms that ONNX's own cases lack, with onnxruntime's outputs, in the layout of the ONNX backend cases.

    transformer_cases.py FOLDER        then: conformance --folder FOLDER
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

from ort_session import NONE, session

MS = "com.microsoft"
rng = np.random.default_rng(20)
out_folder = pathlib.Path(sys.argv[1])


def real(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def ints(high, *shape, dtype=np.int32):
    return rng.integers(0, high, shape).astype(dtype)


def model_of(node, feed, outputs, opset):
    inputs = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in feed.items()]
    graph = helper.make_graph([node], "case", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid(MS, 1)], ir_version=9)


def case(name, op, inputs, outputs=("y0",), domain=MS, opset=17, captured=None, **attrs):
    """inputs: arrays, None for an absent one; outputs: names, "" for one that is not wanted; captured: what bodies read, by name."""
    names = ["" if array is None else f"x{i}" for i, array in enumerate(inputs)]
    feed = {n: a for n, a in zip(names, inputs) if n} | (captured or {})
    node = helper.make_node(op, names, list(outputs), name="node", domain=domain, **attrs)
    wanted = [n for n in outputs if n]
    untyped = model_of(node, feed, [helper.make_value_info(n, onnx.TypeProto()) for n in wanted], opset)
    results = session(untyped.SerializeToString(), NONE).run(None, feed)
    types = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(r.dtype), r.shape) for n, r in zip(wanted, results)]
    data = out_folder / ("test_" + name) / "test_data_set_0"
    data.mkdir(parents=True)
    (data.parent / "model.onnx").write_bytes(model_of(node, feed, types, opset).SerializeToString())
    for kind, arrays in (("input", feed.values()), ("output", results)):
        for i, array in enumerate(arrays):
            (data / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())


def elementwise():
    for name, op, extra, attrs in (("gelu", "Gelu", [], {}), ("quick_gelu", "QuickGelu", [], {"alpha": 1.5}), ("bias_gelu", "BiasGelu", [8], {}),
                                   ("fast_gelu", "FastGelu", [], {}), ("fast_gelu_bias", "FastGelu", [8], {})):
        case(name, op, [real(3, 8)] + [real(n) for n in extra], **attrs)


def normalization():
    x, row = lambda: real(2, 3, 8), lambda: real(8)
    case("simplified", "SimplifiedLayerNormalization", [x(), row()], domain="", axis=-1, epsilon=1e-5)
    case("skip", "SkipLayerNormalization", [x(), x(), row(), row(), row()], ["y0", "", "", "y3"])
    case("skip_broadcast", "SkipLayerNormalization", [x(), real(1, 3, 8), row()], epsilon=1e-5)
    case("skip_simplified", "SkipSimplifiedLayerNormalization", [x(), x(), row()], ["y0", "", "", "y3"], epsilon=1e-5)
    case("skip_simplified_bias", "SkipSimplifiedLayerNormalization", [x(), x(), row(), row()], epsilon=1e-5)
    tables = lambda: [real(20, 8), real(10, 8)]
    case("embed", "EmbedLayerNormalization", [ints(20, 2, 5), ints(2, 2, 5), *tables(), real(2, 8), row(), row(), ints(2, 2, 5)], ["y0", "y1"])
    case("embed_sum", "EmbedLayerNormalization", [ints(20, 2, 5), None, *tables(), None, row(), row()], ["y0", "y1", "y2"])
    case("embed_positions", "EmbedLayerNormalization", [ints(20, 2, 5), None, *tables(), None, row(), row(), None, ints(10, 2, 5)], ["y0", "y1"])


def fused():
    case("matmul_turned", "FusedMatMul", [real(2, 5, 4), real(2, 3, 5)], alpha=0.5, transA=1, transB=1)
    case("matmul_broadcast", "FusedMatMul", [real(2, 4, 5), real(5, 3)], alpha=2.0)
    image, filters = lambda: real(1, 4, 6, 6), lambda: real(8, 4, 3, 3)
    case("conv_relu", "FusedConv", [image(), filters(), real(8)], activation="Relu", pads=[1, 1, 1, 1])
    case("conv_sum", "FusedConv", [image(), filters(), real(8), real(1, 8, 6, 6)], activation="LeakyRelu", activation_params=[0.1], pads=[1, 1, 1, 1])
    case("conv_clip", "FusedConv", [image(), filters()], activation="Clip", activation_params=[0.0, 1.0])
    case("conv_sigmoid", "FusedConv", [image(), filters()], activation="HardSigmoid", activation_params=[0.3, 0.4])
    case("gemm_leaky", "FusedGemm", [real(3, 4), real(5, 4), real(5)], activation="LeakyRelu", activation_alpha=0.2, transB=1, alpha=0.5, beta=2.0)
    case("gemm_relu", "FusedGemm", [real(3, 4), real(4, 5), real(5)], activation="Relu")


def attention():
    base = lambda: [real(2, 4, 8), real(8, 24), real(24)]
    past = lambda: real(2, 2, 2, 3, 4)
    case("attention", "Attention", base(), num_heads=2)
    case("attention_causal", "Attention", base(), num_heads=2, unidirectional=1)
    for name, mask in (("keys", ints(2, 2, 4)), ("pairs", ints(2, 2, 4, 4)), ("ends", np.array([2, 4], np.int32)),
                       ("starts", np.array([3, 4, 0, 1], np.int32))):
        case("attention_mask_" + name, "Attention", [*base(), mask], num_heads=2)
    case("attention_past", "Attention", [*base(), None, past()], ["y0", "y1"], num_heads=2)
    case("attention_past_causal", "Attention", [*base(), None, past()], ["y0", "y1"], num_heads=2, unidirectional=1)
    case("attention_bias", "Attention", [*base(), None, None, real(2, 2, 4, 4)], num_heads=2, scale=0.3)
    case("attention_sizes", "Attention", [real(2, 4, 8), real(8, 28), real(28)], num_heads=2, qkv_hidden_sizes=[8, 8, 12])


def multi_head():
    base = lambda: [real(2, 4, 8), real(2, 5, 8), real(2, 5, 8)]
    own, state = lambda: [real(2, 4, 8) for _ in range(3)], lambda: [real(2, 2, 3, 4), real(2, 2, 3, 4)]
    case("heads", "MultiHeadAttention", base(), num_heads=2)
    case("heads_bias", "MultiHeadAttention", [*base(), real(24)], num_heads=2)
    case("heads_mask", "MultiHeadAttention", [*base(), real(24), ints(2, 2, 5)], num_heads=2)
    case("heads_scores_bias", "MultiHeadAttention", [*base(), None, None, real(1, 2, 4, 5)], num_heads=2)
    case("heads_past", "MultiHeadAttention", [*own(), real(24), None, None, *state()], ["y0", "y1", "y2"], num_heads=2)
    case("heads_past_causal", "MultiHeadAttention", [*own(), None, None, None, *state()], ["y0", "y1", "y2"], num_heads=2, unidirectional=1)
    case("heads_split_keys", "MultiHeadAttention", [real(2, 4, 8), real(2, 2, 5, 4), real(2, 2, 5, 4)], num_heads=2)


def rotary():
    caches, ids = lambda n: [real(10, n), real(10, n)], ints(10, 2, 4, dtype=np.int64)
    case("rotary", "RotaryEmbedding", [real(2, 4, 8), ids, *caches(2)])
    case("rotary_start", "RotaryEmbedding", [real(2, 4, 8), np.array([2], np.int64), *caches(2)], interleaved=1)
    case("rotary_heads", "RotaryEmbedding", [real(2, 2, 4, 8), ids, *caches(4)])
    case("rotary_part", "RotaryEmbedding", [real(2, 4, 16), ids, *caches(2)], num_heads=2, rotary_embedding_dim=4)


def grouped():
    total = lambda n: np.array(n, np.int32)
    rows = lambda *n: np.array(n, np.int32)
    state = lambda length: [real(2, 2, length, 16), real(2, 2, length, 16)]
    caches = lambda: [real(20, 8), real(20, 8)]
    names = ["y0", "y1", "y2"]
    heads = {"num_heads": 4, "kv_num_heads": 2}
    operands = lambda n: [real(2, n, 64), real(2, n, 32), real(2, n, 32)]
    case("grouped_prompt", "GroupQueryAttention", [*operands(5), None, None, rows(4, 4), total(5)], names, **heads)
    case("grouped_step", "GroupQueryAttention", [*operands(1), *state(6), rows(6, 6), total(7)], names, **heads)
    case("grouped_rows", "GroupQueryAttention", [*operands(1), *state(6), rows(6, 4), total(7)], names, **heads)
    case("grouped_rotary", "GroupQueryAttention", [*operands(1), *state(6), rows(6, 6), total(7), *caches()], names, do_rotary=1, **heads)
    case("grouped_prompt_rotary", "GroupQueryAttention", [*operands(5), None, None, rows(4, 4), total(5), *caches()], names, do_rotary=1,
         rotary_interleaved=1, **heads)
    case("grouped_packed", "GroupQueryAttention", [real(2, 5, 128), None, None, None, None, rows(4, 4), total(5), *caches()], names,
         do_rotary=1, scale=0.2, softcap=3.0, **heads)
    case("grouped_window", "GroupQueryAttention", [*operands(6), None, None, rows(5, 5), total(6)], names, local_window_size=3, **heads)


def scan():
    """The batched form of opset 8, backwards, with a body that reads a value from outside."""
    value = lambda name, *shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
    nodes = [helper.make_node("Mul", ["item", "factor"], ["product"]), helper.make_node("Add", ["state", "product"], ["next"]),
             helper.make_node("ReduceSum", ["next"], ["sum"], keepdims=0)]
    body = helper.make_graph(nodes, "body", [value("state", 4), value("item", 4)], [value("next", 4), value("sum")])
    case("scan_8", "Scan", [None, real(3, 4), real(3, 5, 4)], ["y0", "y1"], domain="", opset=8, captured={"factor": real(4)}, body=body,
         num_scan_inputs=1, directions=[1])


for family in (scan, grouped, elementwise, normalization, fused, attention, multi_head, rotary):
    family()
