"""com.microsoft.Attention and MultiHeadAttention, which onnxruntime's optimizer makes of transformers, and Attention of ai.onnx, by types of activations and weights: projections are
quantized, by types of activations the products of attention, too, and what `quantize` writes gives in onnxruntime what `run` gives here, with every form of mask and with caches."""
import os
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from checks import check, finish, tool, write_list
from decibels import decibel
from ort_session import NONE, session as session_of

BATCH, LENGTH, WIDTH, HEADS = 2, 6, 32, 4
ROWS = 4
random = np.random.default_rng(3)
# The least SQNR in dB beside the float net, and beside onnxruntime; the greatest share of the float file.
WHOLE_TYPES = [("i8", 20, 30, True), ("u8i8", 20, 30, True), ("w8a16", 30, 60, True), ("w8u16", 30, 60, True), ("dynamic-i8", 25, 40, False), ("wo-i8", 35, 90, False)]
TYPES = [("i8", 25, 30, 1.4), ("dynamic-i8", 25, 45, 0.6), ("wo-i8", 35, 90, 0.6), ("wo-i4 --block 16", 15, 90, 0.5)]
MASKS = {
    "no mask": {},
    "ends of rows": {"mask": np.array([6, 3], np.int32)},
    "keys": {"mask": np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]], np.int32)},
    "pairs": {"mask": np.tril(np.ones((BATCH, LENGTH, LENGTH), np.int32))},
    "numbers on scores": {"on_scores": random.standard_normal((BATCH, HEADS, LENGTH, LENGTH)).astype(np.float32)},
}
VARIANTS = {"causal": ({"unidirectional": 1}, 3 * WIDTH), "narrow values": ({"qkv_hidden_sizes": [32, 32, 16]}, 80), "own scale": ({"scale": 0.2}, 3 * WIDTH)}


def net(path, attributes, columns, extra):
    values = columns - 2 * WIDTH
    constants = [numpy_helper.from_array((random.standard_normal(dims) * 0.2).astype(np.float32), name)
                 for name, dims in (("w", (WIDTH, columns)), ("b", (columns,)), ("out", (values, WIDTH)))]
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [BATCH, LENGTH, WIDTH])]
    inputs += [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in extra.items()]
    nodes = [helper.make_node("Attention", ["x", "w", "b", "mask" if "mask" in extra else "", "", "on_scores" if "on_scores" in extra else ""], ["a"], name="attention",
                              domain="com.microsoft", num_heads=HEADS, **attributes),
             helper.make_node("MatMul", ["a", "out"], ["y"], name="out")]
    graph = helper.make_graph(nodes, "net", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, [BATCH, LENGTH, WIDTH])], constants)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)


def save(path, nodes, inputs, outputs, constants, opset=17):
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape) for name, array in inputs.items()]
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    graph = helper.make_graph(nodes, "net", inputs, outputs, [numpy_helper.from_array(array, name) for name, array in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)], ir_version=10), path)


def weight(*dims):
    return (random.standard_normal(dims) * 0.2).astype(np.float32)


def real(*dims):
    return random.standard_normal(dims).astype(np.float32)


PAST = 3
STATE = (BATCH, HEADS, PAST, WIDTH // HEADS)
X = real(BATCH, LENGTH, WIDTH)
PROJECTIONS = [helper.make_node("MatMul", ["x", f"w_{part}"], [part], name=part) for part in "qkv"]
OUT = helper.make_node("MatMul", ["a", "w_out"], ["y"], name="out")
WEIGHTS = {f"w_{part}": weight(WIDTH, WIDTH) for part in ("q", "k", "v", "out")}


def heads_net(path, extra, constants, past, **attributes):
    """Projections, and MultiHeadAttention of them."""
    names = ["q", "k", "v"] + [name if name in {**extra, **constants} else "" for name in ("bias", "mask", "on_scores", "past_key", "past_value")]
    results = ["a", "present_key", "present_value"] if past else ["a"]
    node = helper.make_node("MultiHeadAttention", names, results, name="attention", domain="com.microsoft", num_heads=HEADS, **attributes)
    save(path, [*PROJECTIONS, node, OUT], {"x": X, **extra}, ["y", *results[1:]], {**WEIGHTS, **constants})


def packed_net(path, keys_alone):
    """Query, key and value, or key and value of one product."""
    parts, size = 2 if keys_alone else 3, WIDTH // HEADS
    constants = {"w": weight(WIDTH, parts * WIDTH), "dims": np.array([BATCH, LENGTH, HEADS, parts, size]), "w_q": WEIGHTS["w_q"], "w_out": WEIGHTS["w_out"]}
    nodes = [helper.make_node("MatMul", ["x", "w"], ["flat"], name="flat"), helper.make_node("Reshape", ["flat", "dims"], ["packed"], name="packed")]
    operands = ["packed"]
    if keys_alone:
        nodes.append(PROJECTIONS[0])
        operands = ["q", "packed"]
    nodes += [helper.make_node("MultiHeadAttention", operands, ["a"], name="attention", domain="com.microsoft", num_heads=HEADS), OUT]
    save(path, nodes, {"x": X}, ["y"], constants)


def standard_net(path, extra={}, opset=23, **attributes):
    """Attention of ai.onnx; of keys of their own where there is an input `other`."""
    past = "past_key" in extra
    names = ["q", "k", "v"] + [name if name in extra else "" for name in ("on_scores", "past_key", "past_value", "lengths")]
    while not names[-1]:
        names.pop()
    results = ["a", "present_key", "present_value"] if past else ["a"]
    node = helper.make_node("Attention", names, results, name="attention", q_num_heads=HEADS, kv_num_heads=HEADS, **attributes)
    projections = [helper.make_node("MatMul", ["other" if "other" in extra and part != "q" else "x", f"w_{part}"], [part], name=part) for part in "qkv"]
    save(path, [*projections, node, OUT], {"x": X, **extra}, ["y", *results[1:]], WEIGHTS, opset)


def cached_net(path, **attributes):
    """com.microsoft.Attention with keys and values of before in one."""
    node = helper.make_node("Attention", ["x", "w", "b", "", "past"], ["a", "present"], name="attention", domain="com.microsoft", num_heads=HEADS, **attributes)
    save(path, [node, OUT], {"x": X, "past": real(2, *STATE)}, ["y", "present"], {"w": weight(WIDTH, 3 * WIDTH), "b": weight(3 * WIDTH), "w_out": WEIGHTS["w_out"]})


def grouped_net(path, extra={}, packed=False, **attributes):
    """GroupQueryAttention of two key heads, with rotation in it where the attributes say so; caches are results."""
    turned = "do_rotary" in attributes
    wide = [helper.make_node("MatMul", ["x", "w_all"], ["all"], name="all")]
    names = ["all", "", ""] if packed else ["q", "k", "v"]
    names += [name if name in extra or turned and name in ("cosine", "sine") else "" for name in ("past_key", "past_value", "last", "total", "cosine", "sine", "positions", "on_scores")]
    while not names[-1]:
        names.pop()
    columns = {"w_all": HEADS + 2 * KV_HEADS} if packed else {"w_q": HEADS, "w_k": KV_HEADS, "w_v": KV_HEADS}
    constants = {"w_out": weight(HEADS * SIZE, WIDTH), **{name: weight(WIDTH, heads * SIZE) for name, heads in columns.items()}}
    if turned:
        constants |= {"cosine": np.cos(ANGLES), "sine": np.sin(ANGLES)}
    node = helper.make_node("GroupQueryAttention", names, ["a", "present_key", "present_value"], name="attention", domain="com.microsoft", num_heads=HEADS, kv_num_heads=KV_HEADS,
                            **attributes)
    save(path, [*(wide if packed else PROJECTIONS), node, OUT], extra, ["y", "present_key", "present_value"], constants)


def grouped(batch, length, past, ends, total, **more):
    """Tokens behind caches of `past`, the place of each row's last one, and how many tokens the longest row has."""
    cache = (batch, KV_HEADS, past, SIZE)
    given = {"x": real(batch, length, WIDTH), "last": np.array(ends, np.int32), "total": np.array([total], np.int32), **more}
    return {"past_key": real(*cache), "past_value": real(*cache), **given} if past else given


STATES = {"past_key": real(*STATE), "past_value": real(*STATE)}
OTHER = {"other": real(BATCH, LENGTH + 2, WIDTH)}
LENGTHS = {**OTHER, "lengths": np.array([8, 6])}
# Forms that few runtimes have; onnxruntime runs their parts.
STANDARD = {
    "standard, other keys, causal": (OTHER, {"is_causal": 1}),
    "standard, caches, other keys, causal": ({**STATES, **OTHER}, {"is_causal": 1}),
    "standard, lengths of rows": (LENGTHS, {"opset": 24}),
    "standard, lengths of rows, causal": (LENGTHS, {"opset": 24, "is_causal": 1}),
    "standard, few columns of truth": ({"on_scores": np.tril(np.ones((BATCH, 1, LENGTH, 4), bool))}, {"opset": 24}),
    "standard, few columns of numbers": ({**STATES, "on_scores": real(LENGTH, 7)}, {"opset": 24, "is_causal": 1}),
    "standard, one column": ({"on_scores": real(BATCH, 1, LENGTH, 1)}, {}),
}
KV_HEADS, SIZE = 2, 16  # onnxruntime turns heads of multiples of 16 columns
ANGLES = np.outer(np.arange(32), 10.0 ** -np.arange(SIZE // 2)).astype(np.float32)
# onnxruntime takes several new tokens behind a past of one row alone.
FIRST, MORE = grouped(2, 6, 0, [5, 5], 6), grouped(1, 6, 3, [8], 9)
ROOMY, UNEVEN = grouped(2, 1, 12, [8, 6], 9), grouped(2, 1, 8, [8, 6], 9)
GROUPED = {
    "grouped, first": (FIRST, {}),
    "grouped, first, turned": (FIRST, {"do_rotary": 1}),
    "grouped, more": (MORE, {}),
    "grouped, rows of their own": (UNEVEN, {}),
    "grouped, room in the caches": (ROOMY, {}),
    "grouped, packed": (MORE, {"packed": True}),
    "grouped, turned": (UNEVEN, {"do_rotary": 1}),
    "grouped, turned in pairs, packed": (MORE, {"do_rotary": 1, "rotary_interleaved": 1, "packed": True}),
    "grouped, window": (MORE, {"local_window_size": 3, "scale": 0.3}),
    "grouped, capped": (MORE, {"softcap": 2.0}),
    "grouped, numbers on scores": ({**UNEVEN, "on_scores": real(2, HEADS, 1, 9)}, {}),
}
MASKED_STATES = {**STATES, "on_scores": real(BATCH, HEADS, LENGTH, PAST + LENGTH)}
BIAS = {"bias": weight(3 * WIDTH)}
# How they are written; {input: values} beside x.
WHOLE = {
    "heads": (lambda path: heads_net(path, {}, {}, False), {}),
    "heads, bias": (lambda path: heads_net(path, {}, BIAS, False), {}),
    "heads, causal": (lambda path: heads_net(path, {}, {}, False, unidirectional=1), {}),
    "heads, keys": (lambda path: heads_net(path, {"mask": MASKS["keys"]["mask"]}, BIAS, False), MASKS["keys"]),
    "heads, ends of rows": (lambda path: heads_net(path, {"mask": MASKS["ends of rows"]["mask"]}, {}, False), MASKS["ends of rows"]),
    "heads, numbers on scores": (lambda path: heads_net(path, MASKS["numbers on scores"], {}, False, scale=0.3), MASKS["numbers on scores"]),
    "heads, caches": (lambda path: heads_net(path, STATES, BIAS, True), STATES),
    "heads, caches, causal": (lambda path: heads_net(path, STATES, {}, True, unidirectional=1), STATES),
    "packed": (lambda path: packed_net(path, False), {}),
    "packed keys": (lambda path: packed_net(path, True), {}),
    "standard": (standard_net, {}),
    "standard, causal": (lambda path: standard_net(path, is_causal=1), {}),
    "standard, caches": (lambda path: standard_net(path, STATES), STATES),
    "standard, caches, causal": (lambda path: standard_net(path, STATES, is_causal=1, softmax_precision=1), STATES),
    "standard, caches, numbers on scores": (lambda path: standard_net(path, MASKED_STATES), MASKED_STATES),
    "caches in one": (cached_net, {"past": real(2, *STATE)}),
    "caches in one, causal": (lambda path: cached_net(path, unidirectional=1), {"past": real(2, *STATE)}),
}
WHOLE |= {name: (lambda path, extra=extra, attributes=attributes: grouped_net(path, extra, **attributes), extra) for name, (extra, attributes) in GROUPED.items()}
ATTENTIONS = {"Attention", "MultiHeadAttention", "GroupQueryAttention"}


def is_spelled(path):
    """No attention is left in one piece, and all its products and projections are of codes."""
    graph = onnx.load(path).graph
    made = {out: node.op_type for node in graph.node for out in node.output}
    products = [node for node in graph.node if node.op_type == "MatMul"]
    coded = all(made.get(name) == "DequantizeLinear" for node in products for name in node.input)
    return coded and len(products) >= 4 and not any(node.op_type in ATTENTIONS for node in graph.node)


def check_whole(folder, name, write, extra):
    """Types of activations quantize the products of attention; others leave it whole, and only its projections are codes."""
    source, path = f"{folder}/whole.onnx", f"{folder}/q.onnx"
    write(source)
    rows = [{**extra, "x": real(*extra.get("x", X).shape)} for _ in range(ROWS)]
    packed = name.startswith("packed")  # which onnxruntime's CPU kernel does not take
    exact = in_quern(folder, source, rows)
    if not packed:
        check(decibel(in_onnxruntime(source, rows), exact) > 100, f"{name}: float")
    tool("minmax-collect", source, "--input-list", write_list(folder, rows), "-q", "-o", f"{folder}/ranges.json")
    for flags, least, same, spelled in WHOLE_TYPES:
        if packed and not spelled:
            continue
        arguments = [source, "--ranges", f"{folder}/ranges.json", "--type", flags, "-q", "-o"]
        tool("quantize", *arguments, path)
        tool("quantize", *arguments, f"{folder}/q.qn")
        tool("model-convert", f"{folder}/q.qn", "-q", "-o", f"{folder}/through.onnx")
        for way, file in (("", path), (" through .qn", f"{folder}/through.onnx")):
            theirs = in_onnxruntime(file, rows)
            beside, away = decibel(theirs, in_quern(folder, file, rows)), decibel(exact, theirs)
            check(beside >= same and away >= least and (is_spelled(file) if spelled else any(node.op_type in ATTENTIONS for node in onnx.load(file).graph.node)),
                  f"{name} {flags}{way}: {beside:.1f} dB beside onnxruntime, {away:.1f} dB from float")
    tool("quantize", source, "--ranges", f"{folder}/ranges.json", "--type", "i8", "--set-node-name", "attention=none", "-q", "-o", path)
    check(any(node.op_type in ATTENTIONS for node in onnx.load(path).graph.node), f"{name}: whole where a rule says none")


def in_onnxruntime(path, rows):
    session = session_of(path, NONE)
    return np.stack([session.run(None, row)[0] for row in rows])


def in_quern(folder, path, rows):
    tool("run", path, "--input-list", write_list(folder, rows), "--format", "npz", "-o", f"{folder}/out.npz", "-q")
    found = np.load(f"{folder}/out.npz")
    return np.stack([found[f"Result_{i}/y"] for i in range(len(rows))])


def check_net(folder, name, attributes, columns, extra):
    source, native, path = f"{folder}/net.onnx", f"{folder}/q.qn", f"{folder}/q.onnx"
    net(source, attributes, columns, extra)
    rows = [{"x": random.standard_normal((BATCH, LENGTH, WIDTH)).astype(np.float32), **extra} for _ in range(ROWS)]
    exact = in_onnxruntime(source, rows)
    check(decibel(exact, in_quern(folder, source, rows)) > 100, f"{name}: float")
    tool("minmax-collect", source, "--input-list", write_list(folder, rows), "-q", "-o", f"{folder}/ranges.json")
    for flags, least, same, share in TYPES:
        arguments = [source, "--ranges", f"{folder}/ranges.json", "--type", *flags.split(), "-q", "-o"]
        tool("quantize", *arguments, path)
        tool("quantize", *arguments, native)
        tool("model-convert", native, "-q", "-o", f"{folder}/through.onnx")
        for way, file in (("", path), (" through .qn", f"{folder}/through.onnx")):
            theirs = in_onnxruntime(file, rows)
            beside, away, size = decibel(theirs, in_quern(folder, file, rows)), decibel(exact, theirs), os.path.getsize(file) / os.path.getsize(source)
            check(beside >= same and away >= least and size <= share,
                  f"{name} {flags}{way}: {beside:.1f} dB beside onnxruntime, {away:.1f} dB from float, {size:.2f} of its bytes")


def spelled_in_onnxruntime(folder, source, row):
    """The results of the parts of the attention that `source` has in one piece; does nothing else stand in their file?"""
    path = f"{folder}/spelled.onnx"
    tool("model-convert", source, "--passes", "expand_attention", "-q", "-o", path)
    return session_of(path, NONE).run(None, row), not any(node.op_type in ATTENTIONS for node in onnx.load(path).graph.node)


def check_grouped(folder, name):
    """All results of the parts of GroupQueryAttention, caches too, are those of onnxruntime."""
    row, attributes = GROUPED[name]
    grouped_net(f"{folder}/whole.onnx", row, **attributes)
    theirs = session_of(f"{folder}/whole.onnx", NONE).run(None, row)
    ours, spelled = spelled_in_onnxruntime(folder, f"{folder}/whole.onnx", row)
    noise = [decibel(want, got) for want, got in zip(theirs, ours)]
    check(spelled and min(noise) > 100, f"{name}: parts {', '.join(f'{each:.1f}' for each in noise)} dB")


def check_standard(folder, name):
    """Those of Attention are what `run` computes of it in one piece, and a type of activations quantizes them."""
    extra, attributes = STANDARD[name]
    source, row = f"{folder}/whole.onnx", {"x": X, **extra}
    standard_net(source, extra, **attributes)
    exact = in_quern(folder, source, [row])[0]
    ours, spelled = spelled_in_onnxruntime(folder, source, row)
    noise = decibel(exact, ours[0])
    check(spelled and noise > 100, f"{name}: parts {noise:.1f} dB")
    tool("minmax-collect", source, "--input-list", write_list(folder, [row]), "-q", "-o", f"{folder}/ranges.json")
    tool("quantize", source, "--ranges", f"{folder}/ranges.json", "--type", "i8", "-q", "-o", f"{folder}/q.onnx")
    codes = decibel(exact, in_onnxruntime(f"{folder}/q.onnx", [row])[0])
    check(is_spelled(f"{folder}/q.onnx") and codes > 20, f"{name}: i8 {codes:.1f} dB")


with tempfile.TemporaryDirectory() as folder:
    for name in GROUPED:
        check_grouped(folder, name)
    for name in STANDARD:
        check_standard(folder, name)
    for mask, extra in MASKS.items():
        check_net(folder, mask, {}, 3 * WIDTH, extra)
    for variant, (attributes, columns) in VARIANTS.items():
        check_net(folder, variant, attributes, columns, {})
    for name, (write, extra) in WHOLE.items():
        check_whole(folder, name, write, extra)
finish("attention")
