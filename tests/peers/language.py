"""Language models over a text: divergences (model-diff --kld) and importance matrices (minmax-collect --imatrix), beside what numpy makes of
onnxruntime's runs of the same models. usage: language.py BUILD MODELS"""
import json
import pathlib
import subprocess
import sys
import tempfile

import gguf
import gguf_metadata
import numpy as np
import onnx
import ort_session

build, models = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
text, window = models / "data/tinystories/stories_llamacpp.txt", 128
failed = 0


def check(right, what):
    global failed
    print("ok  " if right else "FAIL", what)
    failed += not right


def tool(name, *arguments):
    return subprocess.run([build / "bin" / name, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def windows(folder):
    """As llama-perplexity cuts them: ids of the text, and what is fed."""
    vocabulary = folder / "vocabulary.json"
    gguf_metadata.write_tokenizer(vocabulary, gguf_metadata.read(models / "gguf/stories260K-f32.gguf"))
    line = subprocess.run([build / "tests/token_lines", vocabulary], input=text.read_bytes().hex() + "\n", check=True, capture_output=True, text=True).stdout
    ids = [int(i) for i in line.split("|")[0].split()]
    for at in range(0, len(ids) - window + 1, window):
        own = np.array(ids[at:at + window])
        fed = own.copy()
        fed[0] = 1
        yield own, fed


def inputs_of(session, fed):
    given = {}
    for wanted in session.get_inputs():
        if wanted.name == "position_ids":
            given[wanted.name] = np.arange(len(fed), dtype=np.int64)[None]
        elif wanted.name == "attention_mask":
            given[wanted.name] = np.ones((1, len(fed)), dtype=np.int64)
        elif wanted.name == "input_ids":
            given[wanted.name] = fed.astype(np.int64)[None]
        else:
            given[wanted.name] = np.zeros((1, wanted.shape[1], 0, wanted.shape[3]), dtype=np.float32)
    return given


def log_softmax(logits):
    logits = logits.astype(np.float64)
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def divergence(folder):
    paths = []
    for name in ("f32", "Q6_K"):
        paths.append(folder / f"{name}.onnx")
        tool("model-convert", models / f"gguf/stories260K-{name}.gguf", "-o", paths[-1])
    first, second = (ort_session.session(str(path), ort_session.NONE) for path in paths)
    scored = []
    for own, fed in windows(folder):
        a, b = (log_softmax(s.run(["logits"], inputs_of(s, fed))[0][0])[window // 2:window - 1] for s in (first, second))
        scored.append((a, b, own[window // 2 + 1:]))
    a, b, next_ids = (np.concatenate(part) for part in zip(*scored, strict=True))
    kld = (np.exp(a) * (a - b)).sum(axis=-1)
    rows = np.arange(len(next_ids))
    change = np.exp(b[rows, next_ids]) - np.exp(a[rows, next_ids])
    ours = json.loads(tool("model-diff", *paths, "--kld", text, "--ctx", window, "--json"))
    for what, right, got in [
        ("tokens", len(kld), ours["scored"]),
        ("perplexity, first", np.exp(-a[rows, next_ids].mean()), ours["perplexity"]["first"]["value"]),
        ("perplexity, second", np.exp(-b[rows, next_ids].mean()), ours["perplexity"]["second"]["value"]),
        ("mean", kld.mean(), ours["kl_divergence"]["value"]),
        ("its error", kld.std() / np.sqrt(len(kld) - 1), ours["kl_divergence"]["error"]),
        ("correlation", np.corrcoef(a[rows, next_ids], b[rows, next_ids])[0, 1], ours["correlation"]),
        ("mean change", change.mean(), ours["probability_change"]["value"]),
        ("RMS change", np.sqrt((change**2).mean()), ours["probability_change_rms"]["value"]),
        ("same top", (a.argmax(axis=-1) == b.argmax(axis=-1)).mean(), ours["same_top"]["value"]),
        *((f"divergence of {q['share']}", np.quantile(kld, q["share"]), q["value"]) for q in ours["kl_divergences"] if q["share"] >= 0.5),
        *((f"change of {q['share']}", np.quantile(change, q["share"]), q["value"]) for q in ours["probability_changes"]),
    ]:
        check(abs(right - got) <= 1e-3 * abs(right) + 1e-6, f"divergence, {what}: {got:.6g}, numpy {right:.6g}")


def importance(folder):
    tool("minmax-collect", models / "gguf/stories260K-f32.gguf", "--tokens", text, "--ctx", window, "--imatrix", folder / "im.gguf")
    ours = gguf.GGUFReader(folder / "im.gguf")
    read = {tensor.name: tensor.data.astype(np.float64).reshape(-1) for tensor in ours.tensors}
    check(ours.get_field("general.type").contents() == "imatrix", "its type")
    model = onnx.load(folder / "f32.onnx")
    weights = {constant.name: constant for constant in model.graph.initializer}
    products = {node.input[1]: node.input[0] for node in model.graph.node if node.op_type == "MatMul" and node.input[1] in weights}
    for value in sorted(set(products.values())):
        model.graph.output.append(onnx.helper.make_empty_tensor_value_info(value))
    session = ort_session.session(model.SerializeToString(), ort_session.NONE)
    names = sorted(set(products.values()))
    sums, tokens = {name: 0 for name in names}, 0
    for _, fed in windows(folder):
        for name, array in zip(names, session.run(names, inputs_of(session, fed)), strict=True):
            sums[name] = sums[name] + (array.reshape(-1, array.shape[-1]).astype(np.float64) ** 2).sum(axis=0)
        tokens += len(fed)
    check({name + ".in_sum2" for name in products} | {name + ".counts" for name in products} == set(read), "one entry for each product")
    worst = max(np.max(np.abs(read[weight + ".in_sum2"] / sums[value] - 1)) for weight, value in products.items())
    check(worst < 1e-4, f"{len(products)} sums of squares, relative difference up to {worst:.2g}")
    check(all(read[weight + ".counts"][0] == tokens for weight in products), f"counts of {tokens} tokens")


with tempfile.TemporaryDirectory() as name:
    divergence(pathlib.Path(name))
    importance(pathlib.Path(name))
sys.exit(failed > 0)
