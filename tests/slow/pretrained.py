"""Trained nets of packages in int8 by default flags, beside onnxruntime.quantization, NNCF and AIMET; called by tests/slow/pretrained.

All have the same 32 samples, made by the same seed; the metric is of 64 others, in onnxruntime at its defaults, computed exactly. quern may not be below the better of the
peers by more than NOISE, its file not larger than LARGER of one of theirs that is as good, its processor time for all nets not more than TIME of NNCF's (of one net whose
float runs are all of it, it may be more, and is printed). "by samples" is quantize with the samples, too, which searches: nothing is asked of its time.
"""
import os
import resource
import subprocess
import sys

import numpy as np

from labelled_rows import array_file, build, workspace
from measured import decibel
from ort_session import session
from pretrained_nets import NETS, ROWS, TEST, package_of, prepared, source_of

ORT = r"""
import sys
import numpy as np
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process
model, rows, name, result = sys.argv[1:]
class Reader(CalibrationDataReader):
    def __init__(self): self.rows = iter(np.load(rows, mmap_mode="r"))
    def get_next(self):
        row = next(self.rows, None)
        return None if row is None else {name: np.array(row)}
try:
    quant_pre_process(model, result)
except Exception:  # shapes that it does not infer: the file as it is
    source = model
else:
    source = result
quantize_static(source, result, Reader(), quant_format=QuantFormat.QDQ)
"""
NOISE, LARGER, TIME = 1.0, 1.05, 0.5
PYTHONS, only = dict(zip(("nncf", "aimet"), sys.argv[2:4])), sys.argv[4:]
failures, times = [], {}  # seconds of quern and of NNCF by net


def processor_seconds(*command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no message"])[-1][:160])
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stderr


def by_quern(model, name, rows, result, *searched):
    samples, ranges = f"{name}={rows}", f"{workspace.name}/ranges.json"
    first, _ = processor_seconds(f"{build}/bin/minmax-collect", model, "--input", samples, "-q", "-o", ranges)
    second, said = processor_seconds(f"{build}/bin/quantize", model, "--ranges", ranges, *searched, "-o", result)
    for line in said.splitlines():
        if "ranges by method" in line:
            print(f"      {line}", flush=True)
    return first + second


def by_samples(model, name, rows, result):
    return by_quern(model, name, rows, result, "--input", f"{name}={rows}")


def by_onnxruntime(model, name, rows, result):
    return processor_seconds(sys.executable, "-c", ORT, model, rows, name, result)[0]


def by_peer(name):
    def run(model, given, rows, result):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}_quantize.py")
        return processor_seconds(PYTHONS[name], script, "all in 8 bits", model, rows, given, result)[0]
    return run


PEERS = {"onnxruntime": by_onnxruntime, "nncf": by_peer("nncf"), "aimet": by_peer("aimet")}


def outputs_of(model, name, rows):
    made = session(model)
    return [made.run(None, {name: row}) for row in rows]


def beside(net):
    model = f"{workspace.name}/{net.name}.onnx"
    metadata = prepared(net, source_of(net, package_of(net, build, workspace.name)), model)
    rows, _ = net.samples(ROWS, np.random.default_rng(1))
    test, truths = net.samples(TEST, np.random.default_rng(2))
    name = session(model).get_inputs()[0].name
    np.save(f"{workspace.name}/rows.npy", rows)
    ours_rows = array_file(f"{net.name}_rows", rows[:, 0])
    exact = outputs_of(model, name, test)
    print(f"{net.name}: {net.metric}; float {net.score(exact, exact, truths, metadata):.2f}, {os.path.getsize(model)} bytes", flush=True)
    found = {}
    for tool, run, given in (("quern", by_quern, ours_rows), ("by samples", by_samples, ours_rows), *((peer, run, f"{workspace.name}/rows.npy") for peer, run in PEERS.items())):
        result = f"{workspace.name}/{net.name}.{tool}.onnx"
        try:
            seconds = run(model, name, given, result)
            got = outputs_of(result, name, test)
        except Exception as error:  # a peer that cannot is no peer here
            print(f"      {tool:<12} fails: {str(error)[:140]}", flush=True)
            if run in (by_quern, by_samples):
                failures.append(net.name)
            continue
        worst = min(decibel(np.stack([e[i] for e in exact]), np.stack([g[i] for g in got])) for i in range(len(exact[0])))
        found[tool] = net.score(got, exact, truths, metadata), os.path.getsize(result), seconds
        print(f"      {tool:<12} {found[tool][0]:6.2f}  {worst:5.1f} dB  {found[tool][1]:9} bytes  {seconds:6.1f} s", flush=True)
    judge(net, found)


def judge(net, found):
    ours, theirs = found.get("quern"), [found[tool] for tool in PEERS if tool in found]
    if not ours or not theirs:
        return
    below = max(figures[0] for figures in theirs) - min(ours[0], found.get("by samples", ours)[0])
    larger = ours[1] / min((figures[1] for figures in theirs if figures[0] > ours[0] - NOISE), default=ours[1])
    if "nncf" in found:
        times[net.name] = ours[2], found["nncf"][2]
    bad = [what for what, is_bad in ((f"{below:.2f} below", below > NOISE), (f"{larger:.3f} of the bytes", larger > LARGER)) if is_bad]
    slower = f", {ours[2] / found['nncf'][2]:.2f} of the processor time" if "nncf" in found else ""
    print(f"{'FAIL' if bad else 'ok  '}  {net.name}{slower}{': ' if bad else ''}{', '.join(bad)}", flush=True)
    if bad:
        failures.append(net.name)


for trained in NETS:
    if not only or trained.name in only:
        beside(trained)
ours, theirs = (sum(side) for side in zip(*times.values())) if times else (0, 1)
slowest = max(((a / b, name) for name, (a, b) in times.items()), default=(0, "none"))
print(f"{len([net for net in NETS if not only or net.name in only])} nets, {f'below: {chr(32).join(failures)}' if failures else 'none below'}; "
      f"processor time {ours / theirs:.2f} of NNCF's, at most {slowest[0]:.2f} ({slowest[1]})")
sys.exit(1 if failures or ours > TIME * theirs else 0)
