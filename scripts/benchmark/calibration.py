"""Collecting ranges and quantizing: wall time of the whole tools, collecting over plain float inference of the same samples."""
import os
import statistics

import numpy as np


def samples(folder, count):
    """A list of random images."""
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(2)
    with open(f"{folder}/list.txt", "w", encoding="utf-8") as names:
        for i in range(count):
            (rng.random((1, 3, 224, 224), np.float32) * 2 - 1).tofile(f"{folder}/{i}.raw")
            names.write(f"{folder}/{i}.raw\n")
    return f"{folder}/list.txt"


def collecting(quern, path, folder, what, count, rounds):
    listed = samples(folder, count)
    plain, minmax, histograms = [], [], []
    for _ in range(rounds):
        plain.append(quern.tool("run", path, "--input-list", listed, "--parallel")[1])
        minmax.append(quern.tool("minmax-collect", path, "--input-list", listed, "--no-histogram", "-o", f"{folder}/minmax.json")[1])
        histograms.append(quern.tool("minmax-collect", path, "--input-list", listed, "-o", f"{folder}/ranges.json")[1])
    a = statistics.median(plain)
    text = f"{count} samples, plain {a:6.2f} s"
    rows = ((f"min/max {what}", minmax), (f"histograms {what}", histograms))
    return {name: (statistics.median(b / p for b, p in zip(times, plain)), f"{statistics.median(times):6.2f} s, {text}") for name, times in rows}


def quantizing(quern, path, ranges, output, what, rounds):
    times = [quern.tool("quantize", path, "--ranges", ranges, "--type", "i8", "-f", "onnx", "-o", output)[1] for _ in range(rounds)]
    return {what: (min(times), "s, to QDQ ONNX, whole tool")}
