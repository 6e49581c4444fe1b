"""The metadata of GGUF files: read into a dictionary, written without tensors, and as the JSON document of a tokenizer."""
import json
import struct

NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
PREFIX = "tokenizer.ggml."
NO_TOKEN = 0xFFFFFFFF


class Typed:
    """A value with its type in the file; of an array that of its elements, too."""

    def __init__(self, kind, value, element=None):
        self.kind, self.value, self.element = kind, value, element


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def numbers(self, code, count):
        size = struct.calcsize("<" + code) * count
        values = struct.unpack_from(f"<{count}{code}", self.data, self.at)
        self.at += size
        return list(values)

    def string(self):
        (length,) = self.numbers("Q", 1)
        self.at += length
        return self.data[self.at - length:self.at]

    def value(self, kind):
        if kind == STRING:
            return Typed(kind, self.string())
        if kind != ARRAY:
            return Typed(kind, self.numbers(NUMBERS[kind], 1)[0])
        (element,), (count,) = self.numbers("I", 1), self.numbers("Q", 1)
        items = [self.string() for _ in range(count)] if element == STRING else self.numbers(NUMBERS[element], count)
        return Typed(kind, items, element)


def read(path):
    reader = Reader(open(path, "rb").read())
    assert reader.data[:4] == b"GGUF"
    reader.at = 16
    (count,) = reader.numbers("Q", 1)
    pairs = {}
    for _ in range(count):
        key = reader.string().decode()
        pairs[key] = reader.value(*reader.numbers("I", 1))
    return pairs


def string(value):
    return struct.pack("<Q", len(value)) + value


def write(path, pairs):
    """A file of version 3 with metadata alone."""
    parts = [b"GGUF", struct.pack("<IQQ", 3, 0, len(pairs))]
    for key, typed in pairs.items():
        parts += [string(key.encode()), struct.pack("<I", typed.kind)]
        if typed.kind == STRING:
            parts.append(string(typed.value))
        elif typed.kind == ARRAY:
            parts.append(struct.pack("<IQ", typed.element, len(typed.value)))
            parts += map(string, typed.value) if typed.element == STRING else [struct.pack(f"<{len(typed.value)}{NUMBERS[typed.element]}", *typed.value)]
        else:
            parts.append(struct.pack("<" + NUMBERS[typed.kind], typed.value))
    data = b"".join(parts)
    open(path, "wb").write(data + bytes(-len(data) % 32))


def text_or_bytes(value):
    try:
        return value.decode()
    except UnicodeDecodeError:
        return list(value)


def tokenizer_document(pairs):
    """The facts of the tokenizer as the document of libcore/tokens/tokenizer_data.h."""
    document = {"kind": "tokenizer", "version": 1}
    named = {"general.name": "name", "general.architecture": "architecture", "tokenizer.chat_template": "chat_template"}
    for key, typed in pairs.items():
        name = named.get(key) or (key[len(PREFIX):] if key.startswith(PREFIX) else None)
        if not name or name == "token_type_count" or (name.endswith("_id") and typed.value == NO_TOKEN):
            continue
        if typed.kind == STRING:
            document[name] = text_or_bytes(typed.value)
        elif typed.kind == ARRAY and typed.element == STRING:
            document[name] = [text_or_bytes(item) for item in typed.value]
        else:
            document[name] = typed.value
    return document


def write_tokenizer(path, pairs):
    with open(path, "w") as file:
        json.dump(tokenizer_document(pairs), file)
