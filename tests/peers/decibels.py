import numpy as np


def decibel(want, got):
    """Signal over noise; infinite where nothing differs."""
    want = want.astype(np.float64)
    noise = np.sum((want - got) ** 2)
    return 10 * np.log10(np.sum(want ** 2) / noise) if noise else float("inf")
