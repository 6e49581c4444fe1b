#!/usr/bin/env python3
"""A small model of architecture llama with random weights of float32, rows of 256, and a vocabulary of letters: usage: random_model.py OUT.gguf"""
import array
import random
import string
import struct
import sys

WIDTH = 256
TOKENS = ["<unk>", "<s>", "</s>", "\u2581", *string.ascii_letters, *".,!?'-;:"]
UNKNOWN, CONTROL, NORMAL = 2, 3, 1  # types of tokens


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def natural(key, value):
    return text(key) + struct.pack("<II", 4, value)


def array_of(key, element, items):
    return text(key) + struct.pack("<IIQ", 9, element, len(items)) + b"".join(items)


def vocabulary():
    types = [UNKNOWN, CONTROL, CONTROL] + [NORMAL] * (len(TOKENS) - 3)
    return [text("tokenizer.ggml.model") + struct.pack("<I", 8) + text("llama"),
            array_of("tokenizer.ggml.tokens", 8, [text(token) for token in TOKENS]),
            array_of("tokenizer.ggml.scores", 6, [struct.pack("<f", -at) for at in range(len(TOKENS))]),
            array_of("tokenizer.ggml.token_type", 5, [struct.pack("<i", one) for one in types])]


def write(path):
    draw = random.Random(1)
    keys = [text("general.architecture") + struct.pack("<I", 8) + text("llama"),
            text("llama.attention.layer_norm_rms_epsilon") + struct.pack("<If", 6, 1e-5)]
    for key, value in (("context_length", 64), ("embedding_length", WIDTH), ("feed_forward_length", WIDTH), ("block_count", 1),
                       ("attention.head_count", 4), ("attention.head_count_kv", 4), ("rope.dimension_count", 64)):
        keys.append(natural("llama." + key, value))
    keys += vocabulary()
    shapes = {"token_embd.weight": [len(TOKENS), WIDTH], "output_norm.weight": [WIDTH], "output.weight": [len(TOKENS), WIDTH]}
    for norm in ("attn_norm", "ffn_norm"):
        shapes[f"blk.0.{norm}.weight"] = [WIDTH]
    for matrix in ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"):
        shapes[f"blk.0.{matrix}.weight"] = [WIDTH, WIDTH]
    infos, data = b"", b""
    for name, dims in shapes.items():
        infos += text(name) + struct.pack("<I", len(dims))
        infos += b"".join(struct.pack("<Q", dim) for dim in reversed(dims)) + struct.pack("<IQ", 0, len(data))
        count = dims[0] * dims[-1] if len(dims) > 1 else dims[0]
        data += array.array("f", (draw.gauss(0, 0.1) for _ in range(count))).tobytes()
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(keys)) + b"".join(keys) + infos
    with open(path, "wb") as out:
        out.write(head + bytes(-len(head) % 32) + data)


write(sys.argv[1])
