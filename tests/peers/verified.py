"""quantize --verify-with, in onnxruntime, LiteRT and onert as they are installed here: they compute what quern computes, and the outcome says it; called by tests/peers/peer."""
import os
import pathlib
import re
import sys
import tempfile

from checks import check, finish, said, tool

TIED = """func.func @net(%x: tensor<2x4xf32>, %z: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %w = "onnx.Constant"() {value = dense<[[0.5, -1.0], [0.25, 0.75], [-0.5, 0.125], [1.0, 0.3]]> : tensor<4x2xf32>} : () -> tensor<4x2xf32>
  %a = "onnx.MatMul"(%x, %w) : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  %b = "onnx.MatMul"(%z, %w) : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return %a, %b : tensor<2x2xf32>, tensor<2x2xf32>
}
"""
os.environ["QUERN_PYTHON"] = sys.executable
digits = str(pathlib.Path(__file__).parents[2] / "examples/digits/digits.onnx")
with tempfile.TemporaryDirectory() as folder:
    ranges = f"{folder}/ranges.json"
    tool("minmax-collect", digits, "--random", "2", "--rows", "20", "-q", "-o", ranges)
    for runtime, suffix, called, kinds in (("ort", "onnx", "onnxruntime", ("i8", "w8a16")), ("litert", "tflite", "LiteRT", ("i8", "w8a16")), ("onert", "circle", "onert", ("i8", "wo-i8-sym"))):
        for kind in kinds:
            told = said("quantize", digits, "--ranges", ranges, "--type", kind, "--random", "1", "--rows", "20", "--verify-with", runtime, "-o", f"{folder}/net.{suffix}")[1]
            found = re.search(rf'in {called} \S+: (\S+)(?: dB)? over 20 samples', told)
            check(found and (found[1] == "equal" or float(found[1]) > 40), f"{kind} in {called}: {told.strip()}")
    # Weights of 8 bits that two products read: with exact sums onnxruntime loads no such file.
    with open(f"{folder}/tied.mlir", "w") as net:
        net.write(TIED)
    tool("minmax-collect", f"{folder}/tied.mlir", "--random", "2", "--rows", "20", "-q", "-o", ranges)
    told = said("quantize", f"{folder}/tied.mlir", "--ranges", ranges, "--random", "1", "--verify-with", "ort", "-o", f"{folder}/tied.onnx")[1]
    check(len(re.findall(r"in onnxruntime \S+: (?:equal|[4-9]\d\.\d+ dB|\d{3}\.\d+ dB)", told)) == 2, f"tied weights: {told.strip()}")
finish("verified")
