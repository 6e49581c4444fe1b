"""Who runs a net: quern's tools, onnxruntime and LiteRT. Each peer runs in this process, on inputs of its own; quern on random ones."""
import json
import os
import subprocess
import sys
import time

import numpy as np
import onnxruntime as ort
from ai_edge_litert.interpreter import Interpreter

ort.set_default_logger_severity(3)


class Quern:
    def __init__(self, build):
        self.build = build

    def tool(self, name, *args):
        """What the tool prints, and its seconds."""
        started = time.perf_counter()
        done = subprocess.run([f"{self.build}/bin/{name}", "--quiet", *map(str, args)], stdout=subprocess.PIPE, text=True)
        if done.returncode:
            sys.exit(f"bench: {name} {' '.join(map(str, args))} failed with {done.returncode}")
        return done.stdout, time.perf_counter() - started

    def run(self, path, threads, runs, warmup=3):
        """The report of a run."""
        return json.loads(self.tool("run", path, "--random", 1, "--threads", threads, "--num-runs", runs, "--warmup-runs", warmup, "--json")[0])

    def macs(self, path):
        """Multiplications of a run; None: of some operator it is not known."""
        return json.loads(self.tool("model-info", path, "--json")[0])["macs"]

    def peak(self):
        """The instruction that multiplies codes, and its operations a second on one core."""
        words = subprocess.run([f"{self.build}/tests/codes_tests", "--peak"], capture_output=True, text=True, check=True).stdout.split()
        return words[0].rstrip(":"), float(words[1]) * 1e9


def isa_of_machine():
    """Name and instruction sets of the processor, those that kernels of anybody use."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        lines = dict(line.split(":", 1) for line in map(str.strip, file) if ":" in line)
    lines = {key.strip(): value.strip() for key, value in lines.items()}
    flags = lines.get("flags", lines.get("Features", "")).split()
    known = ["avx2", "fma", "avx_vnni", "avx512f", "avx512bw", "avx512_vnni", "amx_int8", "asimddp", "i8mm"]
    return lines.get("model name", os.uname().machine), [name for name in known if name in flags]


class OnnxRuntime:
    name = "onnxruntime"

    def __init__(self, path, threads):
        self.session = ort_session(path, threads)
        rng = np.random.default_rng(1)
        self.feed = {item.name: random_input(rng, item) for item in self.session.get_inputs()}
        self.run()

    def run(self):
        self.session.run(None, self.feed)


class LiteRT:
    """With XNNPACK, where that takes the net."""

    name = "LiteRT"

    def __init__(self, path, threads):
        self.interpreter = Interpreter(path, num_threads=threads)
        self.interpreter.allocate_tensors()
        rng = np.random.default_rng(1)
        for detail in self.interpreter.get_input_details():
            kind = detail["dtype"]
            limits = np.iinfo(kind) if np.issubdtype(kind, np.integer) else None
            shape = detail["shape"]
            data = rng.integers(limits.min, limits.max + 1, shape).astype(kind) if limits else rng.random(shape, np.float32) * 2 - 1
            self.interpreter.set_tensor(detail["index"], data)
        self.run()

    def run(self):
        self.interpreter.invoke()


def ort_session(path, threads):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.add_session_config_entry("session.intra_op.allow_spinning", "0" if threads == 1 else "1")
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def random_input(rng, item):
    shape = [d if isinstance(d, int) else 1 for d in item.shape]
    return rng.integers(0, 2, shape).astype(np.int64) if "int64" in item.type else rng.random(shape, np.float32) * 2 - 1


def times_of(run, count):
    times = []
    for _ in range(count):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return times
