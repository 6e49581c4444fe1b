"""Inputs of the exported models by seed, the same with every Python: what makers of goldens and the test that compares with them feed."""
import array
import math
import random


def numbers(shape, seed, spread):
    """float32 numbers between -spread and spread; a whole `spread` above 127 means whole numbers from 0 to below it, as int32."""
    source = random.Random(seed)
    count = math.prod(shape)
    if spread > 127:
        return array.array("i", [source.randrange(int(spread)) for _ in range(count)])
    return array.array("f", [(source.random() * 2 - 1) * spread for _ in range(count)])


def picked(values, most=48):
    """A few of many results, spread over all of them: what a golden keeps."""
    step = max(1, len(values) // most) | 1
    return [values[i] for i in range(0, len(values), step)]
