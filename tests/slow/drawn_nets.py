"""The first nets that export of a list drawn from all names, through types and writers of quantize, judged by judged_products.py; called by tests/slow/drawn_nets.

    drawn_nets.py BUILD FOLDER TORCH TENSORFLOW     FOLDER: exports, which stay; pythons of the environments that have the nets

The draw: all names of torchvision.models, timm, transformers' model types and keras.applications but those that other suites have, sorted, shuffled by
random.Random(SEED); the first `--first` that export in the time and with the parameters that drawn_nets_serve.py and drawn_nets_make.py allow, none dropped.
What does not export is printed with what its library says. Weights are random, the sample is one. As these nets are deep, codes one apart are carried on: products
within CARRIED_DB of `run` of the same file have ties.
"""
import collections
import functools
import json
import os
import random
import re
import subprocess
import sys

import numpy as np

import judged_products
from judged_products import judged, option, table
from checks import build, tool

SEED = 20261129
LONGEST = 300  # of a tool
TYPES = "i8,w8a16,wo-i8,dynamic-i8,f16"
WRITERS = "qdq,tflite,circle"
folder, torch, tensorflow = sys.argv[2:5]
HERE = os.path.dirname(os.path.abspath(__file__))


def command(source):
    return [tensorflow, f"{HERE}/drawn_nets_keras.py"] if source == "keras" else [torch, f"{HERE}/drawn_nets_make.py"]


def drawn():
    names = []
    for source in ("keras", "torch"):
        names += subprocess.run([*command(source), "--names"], capture_output=True, text=True, check=True).stdout.split()
    names.sort()
    random.Random(SEED).shuffle(names)
    return names


@functools.cache
def maker(source):
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    return subprocess.Popen(command(source), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, **threads})


def path_of(name):
    return f"{folder}/{re.sub('[^A-Za-z0-9_.-]', '-', name)}"


def why_not(name, path):
    """Exports; what its library says if that fails."""
    there = maker("keras" if name.startswith("keras:") else "torch")
    print(name, path, sep="\t", file=there.stdin, flush=True)
    answer = there.stdout.readline()
    if not answer:
        raise RuntimeError(f"{name}: the makers of nets ended")
    return answer.strip()


def model_of(path):
    return f"{path}.saved" if os.path.exists(f"{path}.saved") else f"{path}.onnx"


def named(path):
    """The sample by the names that the file has."""
    inputs = [item["name"] for item in json.loads(tool("model-info", model_of(path), "--json"))["inputs"]]
    with np.load(f"{path}.npz") as arrays:
        if len(inputs) != len(arrays.files):
            raise RuntimeError(f"the file has {len(inputs)} inputs of {len(arrays.files)}")
        np.savez(f"{path}.sample.npz", **{name: arrays[str(i)] for i, name in enumerate(inputs)})


def exported(name):
    """What keeps the net from the list, "" for one that exported; made once."""
    path = path_of(name)
    if not os.path.exists(f"{path}.why"):
        why = why_not(name, path)
        with open(f"{path}.why", "w", encoding="utf-8") as file:
            file.write(why)
    with open(f"{path}.why", encoding="utf-8") as file:
        return file.read()


def first_that_export(names, count):
    """So many names, in their order, and those before them that do not export."""
    found, left_out = [], {}
    for name in names:
        if len(found) == count:
            break
        why = exported(name)
        if why:
            left_out[name] = why
        else:
            found.append(name)
    return found, left_out


def refusals(found, writer):
    """What a writer refuses, by what it says with names and numbers taken out."""
    rows = [row for row in found if row[2] in (writer, "*")]
    said = collections.Counter(re.sub(r"[\d.,]+", "N", re.sub(r"'[^']*'|\"[^\"]*\"", "*", row[4]))[:150] for row in rows if row[3] == "refused")
    count = sum(said.values())
    print(f"\n{writer} refuses {count} of {len(rows)}, {100 * count / max(len(rows), 1):.1f} %")
    for text, times in said.most_common():
        print(f"{times:6}  {text}")


def main():
    os.makedirs(folder, exist_ok=True)
    judged_products.LONGEST = LONGEST
    kinds, writers = (option(name, default).split(",") for name, default in (("--types", TYPES), ("--writers", WRITERS)))
    names = drawn()
    nets, left_out = first_that_export(names, int(option("--first", "60")))
    print(f"{len(names)} names; the first {len(nets)} that export, by seed {SEED}: {' '.join(nets)}\n\n{len(left_out)} before them do not export:")
    for name, why in left_out.items():
        print(f"  {name}: {why}")
    jobs = []
    for name in nets:
        if re.search(option("--only", ""), name):
            named(path_of(name))
            jobs.append((model_of(path_of(name)), f"{path_of(name)}.sample.npz", kinds, writers, True))
    found = judged(jobs, option("--table", os.devnull))
    count, silent = table(found)
    for writer in writers:
        refusals(found, writer)
    print(f"{len(jobs)} nets, {count} products and refusals, {silent} silent")
    return 1 if silent or not count else 0


if __name__ == "__main__":
    sys.exit(main())
