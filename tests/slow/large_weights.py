"""Weights of large models that are made for measurements: float32, small, no two tensors alike (equal ones might be stored once)."""
import random


def weights_of(size):
    """What gives the bytes of a tensor by its index, as parts; each has `size` bytes."""
    random.seed(1)
    # A repeated pattern: the bytes of a float32 below 2^-6 in magnitude.
    pattern = b"".join(random.randbytes(3) + bytes([random.choice((0x3b, 0xbb))]) for _ in range(1 << 14))
    weight = (pattern * (size // len(pattern) + 1))[:size]
    return lambda index: [(1 + index).to_bytes(3, "little") + b"\x3b", memoryview(weight)[4:]]
