#!/usr/bin/env python3
"""Nets of torchvision, timm and transformers as torch.export saves them beside torch, and beside the same nets exported to ONNX.

    torch_nets.py BUILD FOLDER NET ...    FOLDER: what torch_nets_make.py made there

Of each net: the largest difference from torch, as a part of the largest result, and the nodes that simplification (`model-convert`) leaves of
the .pt2 and of the ONNX file, with the operators that differ. Fails beyond 1e-4, and where the .pt2 leaves more nodes than the ONNX file."""
import collections
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

CLOSE = 1e-4


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or f"exit {done.returncode}").splitlines()[0])
    return done.stdout


def operators(build, model, where):
    """Counts of operators after simplification."""
    run(f"{build}/bin/model-convert", model, "-o", f"{where}/simple.qn")
    return collections.Counter(json.loads(run(f"{build}/bin/model-info", "--json", f"{where}/simple.qn"))["ops"])


def difference(build, folder, where):
    """From torch's results, as a part of the largest of each."""
    with open(f"{folder}/names.json") as file:
        names = json.load(file)["pt2"]
    words = [word for i, name in enumerate(names) for word in ("--input", f"{name}={folder}/input_{i}.npy")]
    run(f"{build}/bin/run", f"{folder}/model.pt2", *words, "-o", f"{where}/out.npz", "--format", "npz", "-q")
    results = np.load(f"{where}/out.npz")
    worst = 0
    for i, name in enumerate(results.files):
        want, got = np.load(f"{folder}/output_{i}.npy").astype(np.float64), results[name].astype(np.float64)
        if got.shape != want.shape:
            raise RuntimeError(f"output {i} has shape {got.shape}, want {want.shape}")
        worst = max(worst, float(np.max(np.abs(got - want)) / max(np.max(np.abs(want)), 1e-30)))
    return worst


def check(build, folder, where):
    """The line of a net, and whether it is good."""
    far = difference(build, folder, where)
    ours, theirs = (operators(build, f"{folder}/model.{kind}", where) for kind in ("pt2", "onnx"))
    more = sum(ours.values()) - sum(theirs.values())
    other = {name: ours[name] - theirs[name] for name in sorted(ours | theirs) if ours[name] != theirs[name]}
    line = f"{far:8.1e} {sum(ours.values()):6} {sum(theirs.values()):6} {more:+5}   " + " ".join(f"{name}{count:+}" for name, count in other.items())
    return line.rstrip(), far <= CLOSE and more <= 0


def main():
    build, nets = sys.argv[1:3]
    good = bad = 0
    print(f"      {'net':34} {'off':>8} {'.pt2':>6} {'ONNX':>6}  more")
    with tempfile.TemporaryDirectory() as where:
        for name in sys.argv[3:]:
            try:
                line, passed = check(build, f"{nets}/{name}", where)
            except (RuntimeError, OSError) as problem:
                line, passed = str(problem), False
            good, bad = good + passed, bad + (not passed)
            print(f"{'ok    ' if passed else 'FAIL  '}{name:34} {line}", flush=True)
    print(f"torch_nets: {good} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
