#!/usr/bin/env python3
"""Exports nets of tests/slow/torch_nets_list.py: FOLDER/NET has model.pt2, model.onnx, inputs and outputs as torch computes them, and names.json.

    torch_nets_make.py FOLDER NET ...               those that are not there yet, each in a process of its own; what fails is printed (exit 1)
    torch_nets_make.py --list                       all nets
    torch_nets_make.py --list-convolutional NET ... those of them of which an NPU runs everything
"""
import json
import logging
import multiprocessing
import os
import shutil
import sys
import warnings

import numpy as np
import torch

import torch_nets_list
from make_torch import First, prepared

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
torch.set_num_threads(2)


def vary(model):
    """Parameters that begin with one number, heads of zeros and scales of 1e-6 among them, get others: what comes before them counts."""
    for parameter in model.parameters():
        first = parameter.data.flatten()[0]
        if parameter.numel() > 1 and torch.all(parameter.data == first):
            parameter.data.normal_(0, 0.1) if first == 0 else parameter.data.uniform_(0.5, 1.5)


def make(name, folder):
    model, arguments, names, dims = prepared(name)
    vary(model)
    with torch.no_grad():
        outputs = model(*arguments)
    outputs = outputs if isinstance(outputs, (tuple, list)) else (outputs,)
    for kind, arrays in (("input", arguments), ("output", outputs)):
        for i, array in enumerate(arrays):
            np.save(f"{folder}/{kind}_{i}.npy", np.asarray(array))
    shapes = tuple({axis: torch.export.Dim.AUTO for axis in dims.get(n, {})} for n in names) if dims else None
    if shapes and isinstance(model, First):
        shapes = (shapes,)
    program = torch.export.export(model, arguments, dynamic_shapes=shapes)
    torch.export.save(program, f"{folder}/model.pt2")
    torch.onnx.export(model, arguments, f"{folder}/model.onnx", dynamo=True, external_data=False, verbose=False, input_names=names, dynamic_shapes=shapes)
    with open(f"{folder}/names.json", "w") as file:
        json.dump({"pt2": list(program.graph_signature.user_inputs), "onnx": names}, file)


def main():
    folder, wanted = sys.argv[1], sys.argv[2:]
    if folder.startswith("--list"):
        print("\n".join(name for name in wanted if name in torch_nets_list.CONVOLUTIONAL) if wanted else "\n".join(torch_nets_list.NETS))
        return 0
    failed = 0
    for name in wanted:
        there, being_made = f"{folder}/{name}", f"{folder}/{name}.part"
        if os.path.exists(there):
            continue
        shutil.rmtree(being_made, ignore_errors=True)
        os.makedirs(being_made)
        child = multiprocessing.get_context("fork").Process(target=make, args=(name, being_made))
        child.start()
        child.join()
        if child.exitcode:
            print(f"FAIL  {name}: cannot be exported", flush=True)
            failed = 1
        else:
            os.rename(being_made, there)
    return failed


if __name__ == "__main__":
    sys.exit(main())
