"""Latency, calibration and quantization times of quern beside onnxruntime; called by scripts/bench.

Every figure is the median over rounds in which both sides run one after the other, so that a busy machine slows both alike. A goal that is
missed by more than TOLERANCE, in the best of three tries, is a failure (exit 1): machines are noisy, and a slow-down worth a failure is larger.
"""
import json
import os
import statistics
import subprocess
import sys
import time

import numpy as np
import onnxruntime as ort

quick = "--quick" in sys.argv
build, nets = [a for a in sys.argv[1:] if not a.startswith("--")]
rounds = 2 if quick else 5
LATENCY, MINMAX, HISTOGRAM, QUANTIZE = 1.3, 1.2, 3.0, 1.0  # goals: times onnxruntime, times plain inference (two), seconds for ResNet50
BUSY = 1.2  # times onnxruntime, beside busy processes
INTEGER = {"mobilenetv2_qdq": 0.8, "resnet50_qdq": 1.1, "bert_qdq": 0.8}  # times onnxruntime, by exact 16-bit products (AVX2)
FAR = 5.0  # times these goals, which are not reached yet, is a failure: half of what is reached
START, RESIDENT = 0.1, 40  # times the creation of onnxruntime's session; MB beyond weights and arena
with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpu:
    TOLERANCE = 1.5 if "avx512bw" in cpu.read() else 3.0  # elsewhere most kernels are oneDNN's
missed = []


def held(measure, goals, tolerance=TOLERANCE):
    """Runs `measure`, which gives {what: figure}; again, at most twice, while one is beyond its goal times `tolerance`: the best counts."""
    figures = measure()
    for _ in range(2):
        if all(figures[what] <= goal * tolerance for what, goal in goals.items()):
            break
        print("         again, as a goal is missed by far", flush=True)
        again = measure()
        figures = {what: min(figure, again[what]) for what, figure in figures.items()}
    for what, goal in goals.items():
        if figures[what] > goal:
            print(f"         {what}: {figures[what]:.2f}, goal {goal:.2f}", flush=True)
        if figures[what] > goal * tolerance:
            missed.append(f"{what}: {figures[what]:.2f}, goal {goal:.2f}")
    return figures


def tool(name, *args):
    started = time.perf_counter()
    done = subprocess.run([f"{build}/bin/{name}", *map(str, args)], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{name} failed with {done.returncode}")
    return done.stdout, time.perf_counter() - started


def peer_session(path, threads):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0" if threads == 1 else "1")
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def peer_input(session):
    rng = np.random.default_rng(1)
    feed = {}
    for item in session.get_inputs():
        shape = [d if isinstance(d, int) else 1 for d in item.shape]
        feed[item.name] = rng.integers(0, 2, shape).astype(np.int64) if "int64" in item.type else rng.random(shape, np.float32) * 2 - 1
    return feed


def peer_latency(session, feed, runs):
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        session.run(None, feed)
        times.append(time.perf_counter() - started)
    return times


def latency(net, threads, runs):
    path = f"{nets}/{net}.onnx"
    session = peer_session(path, threads)
    feed = peer_input(session)
    session.run(None, feed)
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(min(peer_latency(session, feed, runs)))
        report, _ = tool("run", path, "--random", 1, "--threads", threads, "--num-runs", runs, "--warmup-runs", 3, "--json")
        ours.append(json.loads(report)["seconds"]["execute"]["min"])
    ratio = statistics.median(a / b for a, b in zip(ours, theirs))
    print(f"latency  {net:<15} {threads} thread{'s' if threads > 1 else ' '}  quern {min(ours) * 1e3:8.2f} ms  onnxruntime {min(theirs) * 1e3:8.2f} ms"
          f"  ratio {ratio:5.2f}", flush=True)
    return {f"latency {net} {threads}": ratio}


def busy_latency(net, threads, others, runs):
    """The median latency of both while `others` processes compute beside them."""
    path = f"{nets}/{net}.onnx"
    session = peer_session(path, threads)
    feed = peer_input(session)
    session.run(None, feed)
    ours, theirs = [], []
    beside = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(others)]
    try:
        for _ in range(max(rounds, 3)):
            theirs.append(statistics.median(peer_latency(session, feed, runs)))
            report, _ = tool("run", path, "--random", 1, "--threads", threads, "--num-runs", runs, "--warmup-runs", 3, "--json")
            ours.append(json.loads(report)["seconds"]["execute"]["median"])
    finally:
        for process in beside:
            process.kill()
            process.wait()
    ratio = statistics.median(a / b for a, b in zip(ours, theirs))
    print(f"latency  {net:<12} {threads} threads beside {others} busy process{'es' if others > 1 else '  '}  quern {statistics.median(ours) * 1e3:8.2f} ms"
          f"  onnxruntime {statistics.median(theirs) * 1e3:8.2f} ms  ratio {ratio:5.2f}", flush=True)
    return {f"latency {net} {threads} beside {others}": ratio}


def calibration(net, count):
    """Collecting min/max and histograms over plain float inference of the same samples, in wall time of the whole tool."""
    path = f"{nets}/{net}.onnx"
    rng = np.random.default_rng(2)
    folder = f"{nets}/samples_{net}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/list.txt", "w") as names:
        for i in range(count):
            (rng.random((1, 3, 224, 224), np.float32) * 2 - 1).tofile(f"{folder}/{i}.raw")
            names.write(f"{folder}/{i}.raw\n")
    plain, minmax, histogram = [], [], []
    for _ in range(rounds):
        plain.append(tool("run", path, "--input-list", f"{folder}/list.txt", "--parallel")[1])
        minmax.append(tool("minmax-collect", path, "--input-list", f"{folder}/list.txt", "--no-histogram", "-o", f"{folder}/ranges.json")[1])
        histogram.append(tool("minmax-collect", path, "--input-list", f"{folder}/list.txt", "-o", f"{folder}/ranges.json")[1])
    a, b, c = statistics.median(plain), statistics.median(minmax), statistics.median(histogram)
    print(f"collect  {net:<12} {count} samples  plain {a:6.2f} s  min/max {b:6.2f} s ({b / a:4.2f}x)  histograms {c:6.2f} s ({c / a:4.2f}x)", flush=True)
    return {f"min/max {net}": b / a, f"histograms {net}": c / a}


def quantization(net):
    ranges = f"{nets}/samples_{net}/ranges.json"
    times = [tool("quantize", f"{nets}/{net}.onnx", "--ranges", ranges, "--type", "i8", "-f", "onnx", "-o", f"{nets}/{net}_i8.onnx")[1] for _ in range(rounds)]
    print(f"quantize {net:<12} to QDQ ONNX {min(times):6.2f} s (whole tool)", flush=True)
    return {f"quantize {net}": min(times)}


def context_start(net, threads):
    """Time to the first output of a compiled context, less its steady latency, over onnxruntime's creation of a session."""
    path, context = f"{nets}/{net}.onnx", f"{nets}/{net}.qctx"
    tool("codegen", path, "--plugin", "context", "-o", context)
    ours, theirs, beyond = [], [], []
    for _ in range(max(rounds, 9)):  # single events, each a few milliseconds: the median of many
        started = time.perf_counter()
        peer_session(path, threads)
        theirs.append(time.perf_counter() - started)
        report = json.loads(tool("run", context, "--random", 1, "--threads", threads, "--num-runs", 5, "--warmup-runs", 1, "--json")[0])
        seconds = report["seconds"]
        ours.append(seconds["load"] + seconds["prepare"] + seconds["warmup"] - seconds["execute"]["min"])
        beyond.append(report["peak_resident_bytes"] - os.path.getsize(context) - report["arena_bytes"])
    ratios = [a / b for a, b in zip(ours, theirs)]
    ratio, held_ratio = statistics.median(ratios), statistics.quantiles(ratios, n=4)[0]  # a busy machine only adds to a start
    print(f"start    {net:<12} {threads} thread{'s' if threads > 1 else ' '}  quern {statistics.median(ours) * 1e3:8.2f} ms  onnxruntime {statistics.median(theirs) * 1e3:8.2f} ms"
          f"  ratio {ratio:5.3f}  resident beyond weights and arena {max(beyond) / 1e6:.1f} MB", flush=True)
    return {f"start {net} {threads}": held_ratio, f"start {net}: MB beyond weights and arena": max(beyond) / 1e6}


def main():
    print(f"onnxruntime {ort.__version__}, ORT_ENABLE_ALL; {os.cpu_count()} processors; {rounds} rounds")
    ratios = []
    for net, runs in (("mobilenetv2", 30), ("resnet50", 10), ("bert", 5)):
        for threads in (1, 2):
            ratios += held(lambda: latency(net, threads, runs), {f"latency {net} {threads}": LATENCY}).values()
    print(f"worst latency ratio {max(ratios):.2f} (goal {LATENCY:.2f})")
    print(f"integer kernels: {subprocess.run([f'{build}/tests/codes_tests', '--peak'], capture_output=True, text=True).stdout.strip()}")
    for net, runs in (("mobilenetv2_qdq", 30), ("resnet50_qdq", 10), ("bert_qdq", 5)):
        for threads in (1, 2):
            held(lambda: latency(net, threads, runs), {f"latency {net} {threads}": INTEGER[net]}, FAR)
    latency("bert_dyn", 1, 1)  # dynamic quantization has no kernels yet: no goal
    for others in (1, 2):
        held(lambda: busy_latency("mobilenetv2", 2, others, 60), {f"latency mobilenetv2 2 beside {others}": BUSY})
    for net in ("resnet50", "bert"):
        for threads in (1, 2):
            held(lambda: context_start(net, threads),
                 {f"start {net} {threads}": START, f"start {net}: MB beyond weights and arena": RESIDENT})
    for net in ("mobilenetv2", "resnet50"):
        held(lambda: calibration(net, 20 if quick else 100), {f"min/max {net}": MINMAX, f"histograms {net}": HISTOGRAM})
        held(lambda: quantization(net), {f"quantize {net}": QUANTIZE})
    if missed:
        sys.exit("bench: missed by far: " + "; ".join(missed))


main()
