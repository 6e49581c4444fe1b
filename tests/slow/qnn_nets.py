#!/usr/bin/env python3
"""Nets of torchvision and timm, quantized for QNN's HTP by quern and by onnxruntime's own tools, on HTP, emulated (tests/peers/qnn_session.py).

    qnn_nets.py BUILD FOLDER TORCH [NET ...]    FOLDER: where exports stay; TORCH: a Python that has torch

Of each net and type: nothing is refused; HTP is as near to the float net as onnxruntime's CPU of the same file; each output is no further from it than that of
onnxruntime's product; prepared in at most 1.7 times its time; a context loads at once and gives the same; a .dlc is made. Both are calibrated on the same
rows, and judged by others. Where HTP is behind the CPU, the operators are named that its values leave the CPU's at."""
import collections
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
import onnx

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "peers"))
from checks import check, finish, tool, write_list  # noqa: E402
from qnn_session import SOC, TYPES, by_output, costly, htp, on_cpu, onnxruntime_product, prepared  # noqa: E402

SEED, DRAWN, WANTED = 34, 200, 10
EXPORT, RUN, PREPARE = 120, 20, 120  # seconds
WORKERS, AHEAD = 2, 6  # nets at a time, and begun or waiting before one is awaited
CALIBRATION = 8  # rows; those behind them are judged
NEAR, EQUAL = 1, 50  # dB that HTP may be behind onnxruntime's CPU, unless the two agree by this many
BEHIND = 0.5  # dB behind onnxruntime's product: less is noise of a few rows
SLOWER, LOAD = 1.7, 0.1  # over onnxruntime's product to prepare; seconds to load a context, and for each 25 MB of it, beside another net's work
# What HTP, as it is emulated, computes wrongly: (net, type).
KNOWN = {("timm/tf_efficientnetv2_b1", "w8u16"): "tiles of some Sigmoids are wrong, and other values come each time; right with --set-op-type Sigmoid=none, slowly here",
         ("timm/tinynet_e", "w8u16"): "a depthwise convolution of 5x5 by a stride of 2 pads with another number than the zero point",
         ("timm/tinynet_e", "u8i8"): "no operator alone is more than a step off"}


class Left(Exception):
    """Why a net is left out."""


def exported(name, folder, torch):
    there = f"{folder}/{name.replace('/', '-')}"
    if not os.path.exists(f"{there}/why"):  # of those that are there it is empty
        os.makedirs(there, exist_ok=True)
        try:
            done = subprocess.run([torch, f"{HERE}/qnn_nets_make.py", name, there], capture_output=True, text=True, timeout=EXPORT)
            why = "not exported: " + (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1][:150] if done.returncode else ""
        except subprocess.TimeoutExpired:
            why = f"not exported in {EXPORT} s"
        with open(f"{there}/why", "w", encoding="utf-8") as file:
            file.write(why)
    with open(f"{there}/why", encoding="utf-8") as file:
        why = file.read()
    if why:
        raise Left(why)
    graph = onnx.load(f"{there}/model.onnx", load_external_data=False).graph
    if not all(dim.HasField("dim_value") for value in (*graph.input, *graph.output) for dim in value.type.tensor_type.shape.dim):
        raise Left("its shapes are not fixed")
    rows = np.load(f"{there}/rows.npz")
    return f"{there}/model.onnx", [{graph.input[0].name: rows[str(k)]} for k in range(len(rows.files))]


def contexts(product, ran, rows, work):
    """Faults of the products of QNN's own."""
    faults = []
    try:
        for plugin, name in (("qnn-context", "context.onnx"), ("dlc", "net.dlc")):
            beside = ("--option", "embed=no") if plugin == "qnn-context" else ()  # a large binary inside of the model is read with it
            tool("codegen", product, "-p", plugin, "--option", f"soc={SOC}", *beside, "-o", f"{work}/{name}")
    except RuntimeError as problem:
        return [str(problem)[:300]]
    alone = htp(f"{work}/context.onnx", rows, work, rounds=3)
    if not alone.rows:
        faults.append(f"the context fails: {alone.refused}")
    if alone.seconds > LOAD * (1 + os.path.getsize(f"{work}/context_qnn.bin") / 25e6):
        faults.append(f"the context loads in {alone.seconds:.2f} s")
    apart = min(by_output(alone.rows, ran.rows).values(), default=float("inf")) if alone.rows else 0
    if apart < float("inf"):
        faults.append(f"the context gives other values: {apart:.1f} dB from the model's")
    if not {"model", "model.params"} <= set(zipfile.ZipFile(f"{work}/net.dlc").namelist()):
        faults.append("the .dlc has no model")
    return faults


def beside(path, calibration, rows, type_, product, near, want, work):
    """onnxruntime's product: what is said of it, and where quern's is behind it."""
    theirs = f"{work}/onnxruntime.onnx"
    try:
        onnxruntime_product(path, calibration, type_, theirs)
    except Exception as problem:  # of any kind
        return f"no product of onnxruntime's: {str(problem).splitlines()[0][:100]}", []
    other = htp(theirs, rows, work, PREPARE + RUN * len(rows))
    if not other.rows:
        return f"onnxruntime's product fails: {str(other.refused)[:150]}", []
    faults, their = [], by_output(other.rows, want)
    if near is None:  # quern's does not run
        return f"onnxruntime's product {min(their.values()):.1f} dB", []
    for name, decibels in their.items():
        if near[name] < decibels - BEHIND:
            faults.append(f"{name}: {near[name]:.1f} dB, onnxruntime's product {decibels:.1f}")
    (seconds, kilobytes), (their_seconds, their_kilobytes) = prepared([product, theirs], 3, work)
    if seconds > SLOWER * their_seconds:
        faults.append(f"{seconds / their_seconds:.1f} times as long to prepare")
    return (f"onnxruntime's product {min(their.values()):.1f} dB, refused {len(other.refused)}, slowest run {other.slowest:.1f} s; "
            f"prepared by turns in {seconds:.2f} s beside {their_seconds:.2f}; {kilobytes:.0f} KB beside {their_kilobytes:.0f}"), faults


def judged(name, path, rows, type_, work):
    """What is to be checked of a net and type: (right, line)."""
    calibration, rows = rows[:CALIBRATION], rows[CALIBRATION:]
    product = f"{work}/{type_}.onnx"
    want = on_cpu(path, rows)
    tool("quantize", path, "--ranges", f"{work}/ranges.json", "--target", "htp", "--type", type_, "-q", "-o", product)
    ran = htp(product, rows, work, PREPARE + RUN * len(rows))
    if not ran.rows:
        if "prepared, but" in str(ran.refused) and type_ == TYPES[0]:
            raise Left(f"the emulator needs more than {RUN} s")
        line, _ = beside(path, calibration, rows, type_, product, None, want, work)
        if "fails" in line and type_ == TYPES[0]:
            raise Left(f"QNN takes neither product: {str(ran.refused)[-150:]}")
        return False, f"{name} {type_}: {ran.refused}; {line}"
    if ran.slowest > RUN and type_ == TYPES[0]:
        raise Left(f"the emulator needs {ran.slowest:.0f} s")
    cpu = on_cpu(product, rows)
    near, on = by_output(ran.rows, want), by_output(cpu, want)
    between = by_output(ran.rows, cpu)
    faults = [f"refused {ran.refused}"] if ran.refused else []
    behind = [output for output in near if near[output] < on[output] - NEAR and between[output] < EQUAL]
    if behind:
        worst = ", ".join(f"{op} {node} {given:.0f} -> {made:.0f} dB" for given, made, op, node in costly(product, rows[:1], work)[:3])
        faults.append(f"{', '.join(behind)} behind the CPU: {worst or 'where is not known'}")
    faults += contexts(product, ran, rows, work)
    line, others = beside(path, calibration, rows, type_, product, near, want, work)
    faults += others
    known = KNOWN.get((name, type_))
    return (not faults or known is not None, f"{name} {type_}: HTP {min(near.values()):.1f} dB, CPU {min(on.values()):.1f}, between the two {min(between.values()):.1f}; "
          f"prepared in {ran.seconds:.1f} s, slowest run {ran.slowest:.1f} s; {line}" + "".join(f"\n        {fault}" for fault in faults) + (f"; known{'' if faults else ', but not here'}: {known}" if known else ""))


def judged_net(name, folder, torch):
    """(right, line) of each type, or why the net is left out."""
    with tempfile.TemporaryDirectory() as work:
        try:
            path, rows = exported(name, folder, torch)
            tool("minmax-collect", path, "--input-list", write_list(work, rows[:CALIBRATION]), "-q", "-o", f"{work}/ranges.json")
            return [judged(name, path, rows, type_, work) for type_ in TYPES]
        except Left as why:
            return str(why)
        except RuntimeError as problem:  # of quern's tools
            return [(False, f"{name}: {problem}")]


def main():
    folder, torch = sys.argv[2:4]
    os.environ["QUERN_ORT"] = sys.prefix
    names, wanted = sys.argv[4:], len(sys.argv) - 4
    if not names:
        names = subprocess.run([torch, f"{HERE}/qnn_nets_make.py", "--draw", str(SEED), str(DRAWN)], capture_output=True, text=True, check=True).stdout.split()
        wanted = WANTED
    done = 0
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
        ahead = collections.deque()
        for name in [*names, *[None] * AHEAD]:  # in the order of the draw
            if name and done < wanted:
                ahead.append((name, workers.submit(judged_net, name, folder, torch)))
            if not ahead or len(ahead) < AHEAD and name:
                continue
            awaited, future = ahead.popleft()
            said = future.result()
            if isinstance(said, str):
                print(f"left out  {awaited}: {said}", flush=True)
            elif done < wanted:
                done += 1
                for right, line in said:
                    check(right, line)
                if done == wanted:
                    for _, later in ahead:
                        later.cancel()
                    ahead.clear()
    check(done == wanted, f"{done} nets, of {wanted} wanted")
    finish("qnn_nets")


main()
