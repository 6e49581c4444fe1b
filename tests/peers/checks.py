"""What the comparisons of this folder share: where things are, checks that are counted, and quern's tools."""
import json
import subprocess
import sys

import numpy as np

build, models = sys.argv[1:3]
failures = []
checks = 0


def check(ok, line, counts=True):
    """Prints the line; a check that does not count is a note."""
    global checks
    if not counts:
        print("note  " + line, flush=True)
        return
    checks += 1
    print(("ok    " if ok else "FAIL  ") + line, flush=True)
    if not ok:
        failures.append(line)


def said(name, *args, fails=True):
    """Standard output and error; what the tool says when it fails is the error, if that `fails`."""
    done = subprocess.run([f"{build}/bin/{name}", *map(str, args)], capture_output=True, text=True)
    if done.returncode and fails:
        raise RuntimeError(done.stderr.strip() or f"{name} ended with {done.returncode}")
    return done.stdout, done.stderr


def tool(name, *args):
    """Standard output."""
    return said(name, *args)[0]


def write_list(folder, rows):
    """An input list of these rows, each {input: array}."""
    lines = []
    for i, row in enumerate(rows):
        for k, array in enumerate(row.values()):
            np.save(f"{folder}/{i}_{k}.npy", array)
        lines.append(" ".join(f'"{name}:={folder}/{i}_{k}.npy"' if " " in name else f"{name}:={folder}/{i}_{k}.npy" for k, name in enumerate(row)) + "\n")
    with open(f"{folder}/list.txt", "w", encoding="utf-8") as file:
        file.writelines(lines)
    return f"{folder}/list.txt"


def devices(product, target, folder):
    """Where a target has each node, by its name: all that a device qualifies for is there."""
    tool("place", product, "--target", target, "--heuristic", "QualifyingOps", "--save-placement", f"{folder}/devices.json", "-q")
    with open(f"{folder}/devices.json", encoding="utf-8") as file:
        return {row["onnx_node_name"]: row["device"] for row in json.load(file)["device_placement"]}


def output_scales(path):
    """The scale of each output of an ONNX model that a DequantizeLinear makes."""
    import onnx
    graph = onnx.load(path).graph
    constants = {c.name: c for c in graph.initializer}
    outputs = {o.name for o in graph.output}
    return {n.output[0]: float(onnx.numpy_helper.to_array(constants[n.input[1]]).ravel()[0]) for n in graph.node
            if n.op_type == "DequantizeLinear" and n.output[0] in outputs and n.input[1] in constants}


def finish(name):
    print(f"{name}: {checks - len(failures)} of {checks} checks passed")
    sys.exit(1 if failures else 0)
