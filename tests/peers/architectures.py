"""Logits of small random models of every architecture (architecture_nets.py) beside llama.cpp's: of one token, of nine, and of one behind the nine that
reads the caches; from the GGUF file, and by onnxruntime from the ONNX that it becomes. llama.cpp's numbers are those of goldens/architectures.npz, and its
own where the package llama_cpp is (llama.py). It looks GELU up in a table of float16: nets with one are compared with that done in ONNX, too. usage: peer architectures BUILD [--remake] [NAME ...]"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

from architecture_nets import CONTEXT, NETS, REFUSED, write
from checks import check, finish, tool, write_list
from llama import llama_python

HERE = pathlib.Path(__file__).parent
GOLDENS = HERE / "goldens" / "architectures.npz"
TOKENS = [7, 41, 3, 60, 22, 41, 9, 15, 33, 50]
TURNS = [{"tokens": TOKENS[:1], "from": 0, "keep": [0]}, {"tokens": TOKENS[:9], "from": 0, "keep": [0, 4, 8]}, {"tokens": TOKENS[9:], "from": 9, "keep": [0]}]


def asked(folder, paths):
    """llama.cpp's own numbers; none where it is not."""
    python = llama_python()
    if not python:
        return {}
    subprocess.run([python, HERE / "llama_logits.py", folder / "asked.npz", str(CONTEXT), json.dumps(TURNS), *map(str, paths)], check=True)
    return dict(np.load(folder / "asked.npz"))


def inputs(net, turn, past):
    count = len(turn["tokens"])
    row = {"input_ids": np.array([turn["tokens"]]), "position_ids": np.arange(turn["from"], turn["from"] + count)[None],
           "attention_mask": np.ones((1, turn["from"] + count), np.int64)}
    for i in range(net.layers):
        for part in ("key", "value"):
            empty = np.zeros((1, net.kv, 0, net.size), np.float32)
            row[f"past_key_values.{i}.{part}"] = past.get(f"present.{i}.{part}", empty)
    return row


def by_run(net, path, folder, past):
    rows = [inputs(net, turn, past) for turn in (TURNS[2:] if past else TURNS[:2])]
    tool("run", path, "--input-list", write_list(folder, rows), "-o", folder, "--format", "npy")
    return [{file.stem: np.load(file) for file in pathlib.Path(folder, f"Result_{i}").glob("*.npy")} for i in range(len(rows))]


def logits(net, of):
    """The kept rows, of a function from the caches to results of the first two turns or of the last."""
    first = of({})
    results = [*first, *of(first[1])]
    return np.concatenate([result["logits"][0][turn["keep"]] for result, turn in zip(results, TURNS, strict=True)])


def tabled(path):
    """The model with each Gelu as llama.cpp has it: of float16, to float16."""
    model = onnx.load(path)
    nodes = []
    for node in model.graph.node:
        if node.op_type != "Gelu":
            nodes.append(node)
            continue
        source, result = node.input[0], node.output[0]
        half = lambda name, to: onnx.helper.make_node("Cast", [name], [to + ".half"], to=onnx.TensorProto.FLOAT16)
        back = lambda name, to: onnx.helper.make_node("Cast", [name + ".half"], [to], to=onnx.TensorProto.FLOAT)
        node.input[0], node.output[0] = result + ".in", result + ".exact"
        nodes += [half(source, result + ".in"), back(result + ".in", result + ".in"), node, half(result + ".exact", result), back(result, result)]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return model.SerializeToString()


def by_onnxruntime(net, model):
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return lambda past: [dict(zip(names, session.run(None, inputs(net, turn, past)))) for turn in (TURNS[2:] if past else TURNS[:2])]


def compare(net, path, folder, want):
    model = f"{folder}/{net.name}.onnx"
    tool("model-convert", path, "-o", model)
    onnx.checker.check_model(model, full_check=True)
    ways = {"run": lambda past: by_run(net, path, folder, past), "onnxruntime": by_onnxruntime(net, model)}
    rounded = any(node.op_type == "Gelu" for node in onnx.load(model).graph.node)
    if rounded:
        ways["onnxruntime, GELU in float16,"] = by_onnxruntime(net, tabled(model))
    for way, of in ways.items():
        bound = 2e-3 if rounded and "GELU" not in way else 1e-4
        got = logits(net, of)
        for whose, right in want.items():
            far = float(np.abs(got - right).max() / np.abs(right).max())
            check(far < bound, f"{net.name} {way} beside {whose}: {far:.1e} of the greatest logit")


def again(net, path, folder):
    """A native model keeps every byte of the file, stacks of experts included."""
    tool("model-convert", path, "-o", f"{folder}/again.qn")
    tool("model-convert", f"{folder}/again.qn", "-o", f"{folder}/again.gguf")
    check(pathlib.Path(f"{folder}/again.gguf").read_bytes() == path.read_bytes(), f"{net.name}: the same file again")


def quantized(net, path, folder):
    """In blocks of codes: a stack of experts is read where it lies, and gives what its numbers give."""
    small, real = f"{folder}/small.gguf", f"{folder}/real.qn"
    tool("quantize", path, "--type", "q8_0", "-o", small)
    tool("model-convert", small, "--passes", "unpack_blocks", "-o", real)
    check(f"blk.{net.dense}.ffn_up_exps (MatMul): blocks matmul q8_0" in tool("run", small, "--random", "1", "--explain"), f"{net.name}: a kernel on blocks")
    a, b = (logits(net, lambda past, model=model: by_run(net, model, folder, past)) for model in (small, real))
    far = float(np.abs(a - b).max() / np.abs(b).max())
    check(far < 1e-5, f"{net.name}: q8_0 in blocks beside its numbers: {far:.1e} of the greatest logit")


def every_row(nets):
    """An architecture that no net here has is not compared with anything."""
    text = pathlib.Path(HERE / "../../formats/gguf/architectures.cpp").read_text(encoding="utf-8")
    missing = set(re.findall(r'\.name = "([^"]+)"', text)) - {net.arch for net in nets}
    check(not missing, f"rows without a net: {sorted(missing)}")


def refused(folder):
    for key, net in REFUSED.items():
        write(net, folder / "refused.gguf")
        error = ""
        try:
            tool("model-convert", folder / "refused.gguf", "-o", folder / "refused.qn")
        except RuntimeError as caught:
            error = str(caught)
        check(f"{net.arch}.{key} " in error, f"{net.name}: {error}")


def main():
    words = sys.argv[3:]
    names = [word for word in words if not word.startswith("--")]
    nets = [net for net in NETS if not names or net.name in names]
    if not names:
        every_row(NETS)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        refused(folder)
        paths = {net.name: folder / f"{net.name}.gguf" for net in nets}
        for net in nets:
            write(net, paths[net.name])
        own = asked(folder, paths.values())
        if "--remake" in words:
            if not own:
                sys.exit("no Python has llama_cpp (`scripts/peers llama` makes one)")
            old = dict(np.load(GOLDENS)) if names and GOLDENS.exists() else {}
            np.savez_compressed(GOLDENS, **dict(sorted((old | own).items())))
        goldens = np.load(GOLDENS)
        for net in nets:
            try:
                want = {"goldens": goldens[net.name]} | ({"llama.cpp": own[net.name]} if own else {})
                compare(net, paths[net.name], folder, want)
                again(net, paths[net.name], folder)
                if net.mlp == "experts":
                    quantized(net, paths[net.name], folder)
            except (RuntimeError, KeyError) as error:
                check(False, f"{net.name}: {error}")
    finish("architectures")


main()
