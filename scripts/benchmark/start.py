"""Start of a compiled context: time to the first output less its steady latency, over onnxruntime's creation of a session."""
import os
import statistics
import time

from engines import ort_session


def start(quern, path, context, what, threads, rounds):
    """The ratio, as the lower quartile of the rounds, since a busy machine only adds to a start; MB beyond weights and arena."""
    quern.tool("codegen", path, "--plugin", "context", "-o", context)
    ours, theirs, over = [], [], []
    for _ in range(rounds):  # single events, each a few milliseconds
        started = time.perf_counter()
        ort_session(path, threads)
        theirs.append(time.perf_counter() - started)
        report = quern.run(context, threads, 5, 1)
        seconds = report["seconds"]
        ours.append(seconds["load"] + seconds["prepare"] + seconds["warmup"] - seconds["execute"]["min"])
        over.append(report["peak_resident_bytes"] - os.path.getsize(context) - report["arena_bytes"])
    ratios = [a / b for a, b in zip(ours, theirs)]
    text = f"quern {statistics.median(ours) * 1e3:8.2f} ms  onnxruntime {statistics.median(theirs) * 1e3:8.2f} ms  median {statistics.median(ratios):.3f}"
    return {what: (statistics.quantiles(ratios, n=4)[0], text), f"{what}, MB beyond weights and arena": (max(over) / 1e6, "")}
