"""What tests/slow/hostile does to whole files. Bytes in, bytes out; all chance comes from the generator that is given."""
import ctypes
import ctypes.util
import io
import re
import struct
import zipfile

NUMBERS = [0, 1, 2, 7, 127, 128, 255, 256, 32767, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**62, 2**63 - 1, 2**63, 2**64 - 1]
MOST = 1 << 20  # bytes; what grows beyond is cut


def place(rng, data):
    return rng.randrange(len(data)) if data else 0


def cut(rng, data, other):
    return data[:place(rng, data)]


def flip(rng, data, other):
    made = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        made[place(rng, made)] ^= 1 << rng.randrange(8)
    return bytes(made)


def splice(rng, data, other):
    return data[:place(rng, data)] + other[place(rng, other):]


def graft(rng, data, other):
    """A piece of the other file in place of as many bytes."""
    start, at = place(rng, other), place(rng, data)
    piece = other[start:start + rng.randrange(1, 256)]
    return data[:at] + piece + data[at + len(piece):]


def repeat(rng, data, other):
    at = place(rng, data)
    piece = data[at:at + rng.randrange(1, 512)]
    return data[:at] + piece * rng.choice([2, 3, 100]) + data[at + len(piece):]


def drop(rng, data, other):
    at = place(rng, data)
    return data[:at] + data[at + rng.randrange(1, 64):]


def length(rng, data, other):
    """A number of 1, 2, 4 or 8 bytes, mostly where one may stand."""
    size = rng.choice([1, 2, 4, 4, 8, 8])
    at = place(rng, data)
    if rng.random() < 0.7:
        at -= at % size
    number = rng.choice([*NUMBERS, len(data), len(data) + 1, len(data) - at])
    return data[:at] + struct.pack("<Q", number % 2**64)[:size] + data[at + size:]


def varint(rng, data, other):
    number, parts, at = rng.choice(NUMBERS), bytearray(), place(rng, data)
    while number > 127:
        parts.append(number & 127 | 128)
        number >>= 7
    parts.append(number)
    return data[:at] + bytes(parts) + data[at + 1:]


def nest(rng, data, other):
    """Deeply within itself: brackets of text, messages of protobuf around a piece."""
    depth, at = rng.choice([50, 1000, 20000]), place(rng, data)
    opened, closed = rng.choice([(b"[", b"]"), (b'{"a":', b"}"), (b"(", b")"), (b"<", b">"), (b"tensor<", b">"), (b"({", b"})"), (b"", b"")])
    if opened:
        return data[:at] + opened * depth + (closed * depth if rng.random() < 0.5 else b"") + data[at:]
    field, piece = bytes([rng.choice([1, 2, 5, 7, 11, 14]) << 3 | 2]), data[at:at + 32]
    for _ in range(min(depth, 2000)):
        size, head = len(piece), bytearray()
        while size > 127:
            head.append(size & 127 | 128)
            size >>= 7
        piece = field + bytes([*head, size]) + piece
    return data[:at] + piece + data[at + 32:]


def number(rng, data, other):
    """A number that stands there as text."""
    found = list(re.finditer(rb"-?\d+(\.\d+)?", data))
    if not found:
        return flip(rng, data, other)
    one = rng.choice(found)
    words = [str(rng.choice(NUMBERS)), "-" + str(rng.choice(NUMBERS)), "1e308", "1e999", "-0.0", "nan", "9" * 400, "?", ""]
    return data[:one.start()] + rng.choice(words).encode() + data[one.end():]


def word(rng, data, other):
    """A word of the file in the place of another."""
    found = list(re.finditer(rb"[A-Za-z_][A-Za-z_0-9.]{1,40}", data))
    if len(found) < 2:
        return flip(rng, data, other)
    one, two = rng.choice(found), rng.choice(found)
    return data[:one.start()] + two.group() + data[one.end():]


CHANGES = [cut, flip, flip, splice, graft, repeat, drop, length, length, length, varint, varint, nest, number, number, word]


class _Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


def _digester():
    name = ctypes.util.find_library("xxhash") or "libxxhash.so.0"
    library = ctypes.CDLL(name)
    library.XXH3_128bits.restype = _Hash
    library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return library


_library = _digester()


def _digest(data):
    made = _library.XXH3_128bits(data, len(data))
    return f"{made.high:016x}{made.low:016x}".encode()


def repaired(data):
    """Digests that fit the bytes again, of native files and of files of sections, else nothing behind them would be reached."""
    made = bytearray(data)
    _repair(made, 0, len(made), 0)
    return bytes(made)


def _repair(made, start, end, depth):
    if end - start < 64 or depth > 2:
        return
    magic = bytes(made[start:start + 8])
    if magic == b"QUERNNET":
        offset, size = struct.unpack_from("<QQ", made, end - 48)
        if offset <= end - start and size <= end - start - offset:
            made[end - 32:end] = _digest(bytes(made[start + offset:start + offset + size]))
        return
    if magic not in (b"QUERNCTX", b"QUERNPRG"):
        return
    count = struct.unpack_from("<I", made, start + 16)[0]
    table = start + 64
    if count > (end - table) // 64:
        return
    for at in range(table, table + 64 * count, 64):
        offset, size = struct.unpack_from("<QQ", made, at + 16)
        if offset <= end - start and size <= end - start - offset:
            if offset >= 64 + 64 * count:
                _repair(made, start + offset, start + offset + size, depth + 1)
            made[at + 32:at + 64] = _digest(bytes(made[start + offset:start + offset + size]))
    struct.pack_into("<Q", made, start + 24, end - start)
    made[start + 32:start + 64] = _digest(bytes(made[table:table + 64 * count]))


def within_archive(rng, data, change):
    """A member of a ZIP changed, whose checksum fits it again."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    chosen = rng.choice(list(members))
    members[chosen] = change(members[chosen])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])) as archive:
        for name, member in members.items():
            archive.writestr(zipfile.ZipInfo(name), member)
    return packed.getvalue()


def changed(rng, kind, whole, other):
    """`whole`, a file of the kind, changed up to three times; `other` is another of the kind."""
    def change(data):
        for _ in range(rng.choice([1, 1, 2, 3])):
            data = (rng.choice(CHANGES)(rng, data, other) if data else other)[:MOST]
        return data
    if kind in ("pt2", "npz") and rng.random() < 0.7:
        return within_archive(rng, whole, change)
    made = change(whole)
    return repaired(made) if kind in ("qn", "qctx") and rng.random() < 0.8 else made
