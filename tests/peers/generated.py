"""Generated C beside LiteRT's reference kernels and XNNPACK, in one run: the same codes as the first, in at most a quarter of its time; compiled
for a machine with AVX512-VNNI, in at most the times of XNNPACK that GOALS has. Called by tests/peers/peer.

Models whose path is given are measured instead of the four; --cflags WORDS compiles with others than -O3."""
import argparse
import ctypes
import os
import subprocess
import tempfile
import time

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from checks import check, finish, models, tool

GOAL = 0.25
NATIVE = "-O3 -march=native"
GOALS = {"kws01_dscnn_int8": 1.0, "ic01_resnet8_int8": 2.0, "vww01_mobilenetv1_025_int8": 2.4}  # of NATIVE over XNNPACK
NETS = ["kws01_dscnn_int8", "ic01_resnet8_int8", "vww01_mobilenetv1_025_int8", "mobilenet_v1_0.25_128_uint8"]


class Generated:
    def __init__(self, path, folder, preference, flags):
        tool("codegen", path, "-q", "-p", "c", "--preference", preference, "--option", "name=net", "-o", folder)
        subprocess.run(["cc", "-std=c99", *flags.split(), "-shared", "-fPIC", "-o", f"{folder}/net.so", f"{folder}/net.c"], check=True)
        self.invoke = ctypes.CDLL(f"{folder}/net.so").net_invoke

    def bind(self, x, y):
        self.lists = [(ctypes.c_void_p * 1)(array.ctypes.data) for array in (x, y)]

    def run(self):
        self.invoke(*self.lists)


def best_of_turns(runs, seconds):
    """The least processor time of each, in turns."""
    least = [np.inf] * len(runs)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for i, run in enumerate(runs):
            begin = time.process_time_ns()
            run()
            least[i] = min(least[i], time.process_time_ns() - begin)
    return least


def interpreter(path, kernels):
    made = Interpreter(path, num_threads=1, experimental_op_resolver_type=kernels)
    made.allocate_tensors()
    return made


def has_wide_products():
    with open("/proc/cpuinfo") as f:
        return "avx512_vnni" in f.read()


def measured(path, arguments):
    theirs, xnnpack = (interpreter(path, kernels) for kernels in (OpResolverType.BUILTIN_REF, OpResolverType.AUTO))
    x, y = theirs.get_input_details()[0], theirs.get_output_details()[0]
    limits = np.iinfo(x["dtype"])
    row = np.random.default_rng(7).integers(limits.min, limits.max + 1, x["shape"]).astype(x["dtype"])
    for one in (theirs, xnnpack):
        one.set_tensor(one.get_input_details()[0]["index"], row)
        one.invoke()
    wanted = theirs.get_tensor(y["index"])
    name = os.path.basename(path).split(".tflite")[0]
    ways = list(dict.fromkeys([arguments.cflags] + ([NATIVE] if has_wide_products() else [])))
    ours = []
    for flags in ways:
        got = np.zeros_like(wanted)
        with tempfile.TemporaryDirectory() as folder:
            ours.append(Generated(path, folder, arguments.preference, flags))
        ours[-1].bind(row, got)
        ours[-1].run()
        check(np.array_equal(wanted, got), f"{name}, {flags}: {np.count_nonzero(wanted != got)} of {wanted.size} codes differ")
    *least, reference, fast = best_of_turns([*(one.run for one in ours), theirs.invoke, xnnpack.invoke], arguments.seconds)
    for flags, time_ in zip(ways, least):
        said = f"{name}, {flags}: {time_ / 1e6:.3f} ms"
        check(time_ / reference <= GOAL, f"{said}, reference kernels {reference / 1e6:.3f} ms, ratio {time_ / reference:.3f}")
        goal = GOALS.get(name) if flags == NATIVE and has_wide_products() else None
        check(goal is None or time_ / fast <= goal, f"{said}, XNNPACK {fast / 1e6:.3f} ms, ratio {time_ / fast:.2f}", counts=goal is not None)


parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("models")
parser.add_argument("paths", nargs="*")
parser.add_argument("--preference", default="default")
parser.add_argument("--cflags", default="-O3")
parser.add_argument("--seconds", type=float, default=3)
given = parser.parse_args()
for one in given.paths or [f"{models}/tflite/{net}.tflite" for net in NETS]:
    measured(one, given)
finish("generated")
