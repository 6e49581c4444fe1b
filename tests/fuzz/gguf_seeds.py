"""Small GGUF files for gguf_fuzz: whole ones of either byte order, of every type of values and blocks, and some that are nearly whole.
usage: gguf_seeds.py FOLDER"""
import pathlib
import struct
import sys

# By numbers of ggml: elements and bytes of a block.
BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176),
          14: (256, 210), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1),
          25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36)}
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}


class Seed:
    def __init__(self, order="<", version=3):
        self.order, self.version, self.keys, self.infos, self.data = order, version, [], [], b""

    def text(self, text):
        return struct.pack(self.order + "Q", len(text)) + text

    def key(self, name, kind, value):
        body = self.text(value) if kind == 8 else struct.pack(self.order + NUMBERS[kind], value)
        self.keys.append(self.text(name) + struct.pack(self.order + "I", kind) + body)
        return self

    def array(self, name, kind, values):
        body = b"".join(self.text(v) if kind == 8 else struct.pack(self.order + NUMBERS[kind], v) for v in values)
        self.keys.append(self.text(name) + struct.pack(self.order + "IIQ", 9, kind, len(values)) + body)
        return self

    def tensor(self, name, dims, kind):
        elements, size = BLOCKS[kind]
        count = 1
        for dim in dims:
            count *= dim
        info = struct.pack(self.order + "I%dQIQ" % len(dims), len(dims), *dims, kind, len(self.data))
        self.infos.append(self.text(name) + info)
        self.data += bytes(count // elements * size)
        self.data += bytes(-len(self.data) % 32)
        return self

    def bytes(self):
        head = b"GGUF" + struct.pack(self.order + "IQQ", self.version, len(self.infos), len(self.keys)) + b"".join(self.keys + self.infos)
        return head + bytes(-len(head) % 32) + self.data


def every_value(seed):
    for kind in NUMBERS:
        seed.key(b"v%d" % kind, kind, 1).array(b"a%d" % kind, kind, [0, 1])
    return seed.key(b"v8", 8, b"text").array(b"a8", 8, [b"", b"x"])


def every_block(seed):
    for kind, (elements, _) in BLOCKS.items():
        seed.tensor(b"t%d" % kind, [elements, 2], kind)
    return seed


def llama():
    seed = Seed().key(b"general.architecture", 8, b"llama")
    numbers = {"context_length": 16, "embedding_length": 8, "block_count": 1, "feed_forward_length": 8, "attention.head_count": 2}
    for name, number in numbers.items():
        seed.key(b"llama." + name.encode(), 4, number)
    seed.key(b"llama.attention.layer_norm_rms_epsilon", 6, 1e-5)
    seed.key(b"tokenizer.ggml.model", 8, b"llama").array(b"tokenizer.ggml.tokens", 8, [b"<unk>", b"<s>", b"</s>", b"a"])
    seed.array(b"tokenizer.ggml.scores", 6, [0.0] * 4).array(b"tokenizer.ggml.token_type", 5, [2, 3, 3, 1]).key(b"tokenizer.ggml.bos_token_id", 4, 1)
    seed.tensor(b"token_embd.weight", [8, 4], 0).tensor(b"output_norm.weight", [8], 0)
    for name in ("attn_norm", "ffn_norm"):
        seed.tensor(b"blk.0." + name.encode() + b".weight", [8], 0)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        seed.tensor(b"blk.0." + name.encode() + b".weight", [8, 8], 1)
    return seed


folder = pathlib.Path(sys.argv[1])
seeds = {"values": every_value(Seed()), "values_big": every_value(Seed(">")), "blocks": every_block(Seed()), "blocks_big": every_block(Seed(">")),
         "version_2": every_value(Seed(version=2)), "llama": llama(), "empty": Seed(), "shard": Seed().key(b"split.count", 2, 2).key(b"split.no", 2, 0),
         "adapter": Seed().key(b"general.type", 8, b"adapter"), "alignment": Seed().key(b"general.alignment", 4, 8).tensor(b"x", [3], 0)}
for name, seed in seeds.items():
    (folder / name).write_bytes(seed.bytes())
whole = seeds["llama"].bytes()
for cut in (3, 12, 24, 40, len(whole) // 2, len(whole) - 1):
    (folder / f"cut_{cut}").write_bytes(whole[:cut])
