"""One run of a model in OpenVINO or in Arm's TOSA reference model, by the python of scripts/judges.txt; what refuses it is said on standard error.
usage: products_run_judge.py openvino MODEL INPUTS.npz OUTPUTS.npz [PROPERTY=VALUE ...]: by name
       products_run_judge.py tosa MODEL.tflite INPUTS.npz OUTPUTS.npz: inputs in the order of the file, outputs numbered"""
import os
import re
import subprocess
import sys

import numpy as np


def openvino(path, given, properties):
    import openvino as ov
    core = ov.Core()
    settings = {"INFERENCE_NUM_THREADS": 1, "INFERENCE_PRECISION_HINT": "f32", **dict(p.split("=") for p in properties)}
    compiled = core.compile_model(core.read_model(path), "CPU", settings)
    inputs = {name: given[name] for port in compiled.inputs for name in port.get_names() if name in given}
    result = compiled(inputs)
    return {name: result[port] for port in compiled.outputs for name in port.get_names()}


def tosa(path, given, _):
    """TFLite to MLIR of the TOSA dialect, to its flatbuffer, which the reference model runs at level 8K."""
    import importlib.metadata

    import tosa_converter_for_tflite as converter
    import tosa_reference_model as reference
    made = os.path.splitext(path)[0]
    converter.tflite_flatbuffer_to_tosa_mlir(path, f"{made}.mlirbc")
    optimizer = str(importlib.metadata.distribution("tosa-tools").locate_file("bin/tosa-opt"))
    done = subprocess.run([optimizer, f"{made}.mlirbc", "--emit-bytecode", "-o", os.devnull,
                           f"--pass-pipeline=builtin.module(tosa-serialize{{tosa-flatbuffer-filename={made}.tosa}})"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(left(converter, path, f"{made}.mlir") or done.stderr)
    with open(f"{made}.tosa", "rb") as file:
        outputs, status = reference.run(file.read(), list(given.values()), tosa_level="EIGHTK")
    if status != reference.GraphStatus.TOSA_VALID:
        raise RuntimeError(f"{status}")
    return {str(i): array for i, array in enumerate(outputs)}


def left(converter, path, text):
    """The first operator that the converter left as it was, by name and result."""
    converter.tflite_flatbuffer_to_tosa_mlir(path, text, converter.TosaConverterOutputFormat.Text, converter.TosaConverterDebugInfo.Enable)
    with open(text, encoding="utf-8") as file:
        made = file.read()
    for operator, location in re.findall(r'"tfl\.(\w+)"\(.*loc\((#loc\d*)\)$', made, re.MULTILINE):
        if operator != "no_value":
            named = re.search(rf"^{location} = loc\((.*)\)$", made, re.MULTILINE)
            return f"tfl.{operator} is left in TOSA: {named[1] if named else ''}"
    return None


def main():
    judge, path, inputs, outputs, *properties = sys.argv[1:]
    with np.load(inputs) as arrays:
        given = dict(arrays)
    np.savez(outputs, **{"openvino": openvino, "tosa": tosa}[judge](path, given, properties))


if __name__ == "__main__":
    main()
