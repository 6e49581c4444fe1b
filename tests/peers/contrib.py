"""Language models in com.microsoft's operators (model-convert --contrib) in onnxruntime: numbers and tokens of `run` on the GGUF file; small nets of several
architectures that are made here and, where they are, the trained ones; called by tests/peers/peer. usage: contrib.py BUILD MODELS"""
import json
import pathlib
import tempfile

import gguf
import numpy as np
import onnx
import onnxruntime as ort

import checks
from checks import check, models, tool

EMBEDDING, INNER, WORDS, LAYERS = 64, 96, 40, 2
PROMPT = [1, 7, 3, 21, 9, 14, 2, 30, 11]
# Keys behind the architecture's name, and what its tensors have beyond the usual ones.
NETS = {
    "llama": {"keys": {"attention.head_count": 4, "attention.head_count_kv": 2}},
    "qwen2": {"keys": {"attention.head_count": 2, "attention.head_count_kv": 1}, "biases": True},
    "qwen3": {"keys": {"attention.head_count": 4, "attention.head_count_kv": 4, "attention.key_length": 32, "attention.value_length": 32}, "head_norms": True},
    "gemma2": {"keys": {"attention.head_count": 2, "attention.head_count_kv": 1, "attention.sliding_window": 4, "attn_logit_softcapping": 5.0,
                        "final_logit_softcapping": 30.0}, "after_norms": True},
    "small": {"architecture": "llama", "keys": {"attention.head_count": 8, "attention.head_count_kv": 4}},
}


def write_net(path, architecture, keys, kind, biases=False, head_norms=False, after_norms=False):
    random = np.random.default_rng(5)
    writer = gguf.GGUFWriter(path, architecture)
    usual = {"context_length": 64, "embedding_length": EMBEDDING, "block_count": LAYERS, "feed_forward_length": INNER, "attention.layer_norm_rms_epsilon": 1e-5}
    for key, value in {**usual, **keys}.items():
        (writer.add_float32 if isinstance(value, float) else writer.add_uint32)(f"{architecture}.{key}", value)
    heads, kv_heads = keys["attention.head_count"], keys["attention.head_count_kv"]
    size = keys.get("attention.key_length", EMBEDDING // heads)

    def matrix(name, rows, columns):
        real = random.standard_normal((rows, columns), dtype=np.float32) / np.float32(columns ** 0.5)
        writer.add_tensor(name + ".weight", gguf.quants.quantize(real, kind), raw_dtype=kind)

    def vector(name, length, middle):
        writer.add_tensor(name, (middle + 0.1 * random.standard_normal(length)).astype(np.float32))

    matrix("token_embd", WORDS, EMBEDDING)
    vector("output_norm.weight", EMBEDDING, 1)
    for i in range(LAYERS):
        at = f"blk.{i}."
        for name, rows, columns in (("attn_q", heads * size, EMBEDDING), ("attn_k", kv_heads * size, EMBEDDING), ("attn_v", kv_heads * size, EMBEDDING),
                                    ("attn_output", EMBEDDING, heads * size), ("ffn_gate", INNER, EMBEDDING), ("ffn_up", INNER, EMBEDDING),
                                    ("ffn_down", EMBEDDING, INNER)):
            matrix(at + name, rows, columns)
            if biases and name in ("attn_q", "attn_k", "attn_v"):
                vector(f"{at}{name}.bias", rows, 0)
        for name in ["attn_norm", "ffn_norm"] + ["post_attention_norm", "post_ffw_norm"] * after_norms:
            vector(f"{at}{name}.weight", EMBEDDING, 1)
        for name in ["attn_q_norm", "attn_k_norm"] * head_norms:
            vector(f"{at}{name}.weight", size, 1)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class Decoder:
    """A file in onnxruntime, with its caches."""

    def __init__(self, path):
        self.session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
        self.read = 0
        self.inputs = {i.name: i.shape for i in self.session.get_inputs()}
        self.outputs = [o.name for o in self.session.get_outputs()]
        self.caches = {name: np.zeros([1, shape[1], shape[2] if isinstance(shape[2], int) else 0, shape[3]], np.float32) for name, shape in self.inputs.items() if name.startswith("past")}

    def feed(self, ids):
        total = self.read + len(ids)
        given = {"input_ids": np.array([ids], np.int64), "attention_mask": np.ones((1, total), np.int64), "position_ids": np.arange(self.read, total)[None]}
        given = {**{name: array for name, array in given.items() if name in self.inputs}, **self.caches}
        made = dict(zip(self.outputs, self.session.run(None, given)))
        self.caches = {name: made[name.replace("past_key_values", "present")] for name in self.caches}
        self.read = total
        return made["logits"][0]

    def greedy(self, ids, count):
        out = []
        for _ in range(count):
            ids = [int(self.feed(ids)[-1].argmax())]
            out += ids
        return out


def ours(path, names, caches, folder):
    """Logits of the prompt, by `run`."""
    row = {"input_ids": np.array([PROMPT], np.int64), "attention_mask": np.ones((1, len(PROMPT)), np.int64), "position_ids": np.arange(len(PROMPT))[None]}
    row = {**{name: row[name] for name in names}, **caches}
    for i, array in enumerate(row.values()):
        np.save(f"{folder}/{i}.npy", array)
    tool("run", path, *(f"--input={name}={folder}/{i}.npy" for i, name in enumerate(row)), "-o", f"{folder}/out.npz", "--format", "npz", "-q")
    found = np.load(f"{folder}/out.npz")
    return found[next(name for name in found if name.endswith("logits"))].reshape(len(PROMPT), -1)


def compare_net(name, net, kind, folder):
    net = dict(net)
    source, converted = f"{folder}/{name}.gguf", f"{folder}/{name}.onnx"
    write_net(source, net.pop("architecture", name), net.pop("keys"), kind, **net)
    tool("model-convert", source, "-o", converted, "--contrib")
    whole, parts = Decoder(converted), Decoder(converted)
    empty = whole.caches
    want = ours(source, ["input_ids", "attention_mask", "position_ids"], empty, folder)
    what = f"{name} {kind.name}: {'angles inside' if 'position_ids' not in whole.inputs else 'angles outside'}"
    error = abs(whole.feed(PROMPT) - want).max()
    check(error < 1e-4, f"{what}: {error:.1e} from the numbers of the GGUF file")
    steps = np.concatenate([parts.feed(PROMPT[:4])] + [parts.feed([id]) for id in PROMPT[4:]])
    error = abs(steps - want).max()
    check(error < 1e-4, f"{what}: {error:.1e} token by token")
    error = abs(ours(converted, [name for name in whole.inputs if name not in empty], empty, folder) - want).max()
    check(error < 1e-4, f"{what}: {error:.1e} when `run` reads it again")
    compare_in_place(name, source, want, folder)
    tokens = [json.loads(tool("run", path, "--prompt-tokens", f"{folder}/ids.txt", "-n", 20, "--json"))["tokens"] for path in (source, converted)]
    check(tokens[0] == tokens[1] == Decoder(converted).greedy(PROMPT, 20), f"{what}: 20 tokens")


def compare_in_place(name, source, want, folder):
    """With caches of a fixed size."""
    converted = f"{folder}/{name}-static.onnx"
    tool("model-convert", source, "-o", converted, "--contrib", "--static-cache", 32)
    whole, parts = Decoder(converted), Decoder(converted)
    grouped = sum(node.op_type == "GroupQueryAttention" for node in onnx.load(converted).graph.node)
    error = abs(whole.feed(PROMPT) - want).max()
    steps = np.concatenate([parts.feed(PROMPT[:4]), parts.feed(PROMPT[4:6])] + [parts.feed([id]) for id in PROMPT[6:]])
    error = max(error, abs(steps - want).max())
    check(grouped == LAYERS and error < 1e-4, f"{name}: {error:.1e} with {grouped} attentions over caches in place")


def compare_text(source, converted):
    tool("model-convert", source, "-o", converted, "--contrib")
    want = json.loads(tool("run", source, "--prompt", "", "-n", 50, "--json"))["tokens"]
    check(Decoder(converted).greedy([1], 50) == want, f"{pathlib.Path(source).name}: 50 tokens")
    tool("model-convert", source, "-o", converted, "--contrib", "--static-cache", 64)
    check(Decoder(converted).greedy([1], 50) == want, f"{pathlib.Path(source).name}: 50 tokens, caches of 64 positions")


def compare_scales(source, folder):
    """Scales of the blocks in a file of encodings, and those in the file."""
    tool("model-convert", source, "-o", f"{folder}/scales.onnx", "--dump-encodings", f"{folder}/encodings.json")
    with open(f"{folder}/encodings.json", encoding="utf-8") as file:
        found = {entry["name"]: entry for entry in json.load(file)["encodings"]}
    for tensor in gguf.GGUFReader(source).tensors:
        if tensor.tensor_type.name != "Q8_0":
            continue
        rows = np.ascontiguousarray(tensor.data).reshape(tensor.data.shape[0], -1, 34)
        want = np.ascontiguousarray(rows[:, :, :2]).view(np.float16)[:, :, 0].astype(np.float32)
        entry = found[tensor.name]
        scale = np.array(entry["y_scale"], np.float32)
        same = np.array_equal(scale.T if entry["axis"] == 0 else scale, want) and entry["block_size"] == 32 and entry["output_dtype"] == "int8"
        check(same, f"{tensor.name}: {want.size} scales in a file of encodings")


def main():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "ids.txt").write_text(" ".join(map(str, PROMPT)), encoding="utf-8")
        for name, net in NETS.items():
            for kind in ("F32", "Q4_0", "Q8_0"):
                compare_net(name, net, gguf.GGMLQuantizationType[kind], folder)
        for source in sorted(pathlib.Path(models).glob("gguf/*.gguf")):
            compare_text(str(source), f"{folder}/text.onnx")
        trained = pathlib.Path(models) / "gguf" / "stories260K-f32.gguf"
        for kind in ("q4_0", "q8_0") if trained.exists() else ():
            tool("quantize", trained, "--type", kind, "--allow-fallback", "-o", f"{folder}/{kind}.gguf")
            compare_text(f"{folder}/{kind}.gguf", f"{folder}/text.onnx")
        compare_scales(f"{folder}/llama.gguf", folder)
    checks.finish("language")


main()
