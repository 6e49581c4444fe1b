"""quantize --verify-with, in onnxruntime, LiteRT and onert as they are installed here: they compute what quern computes, and the outcome says it; called by tests/peers/peer."""
import os
import pathlib
import re
import sys
import tempfile

from checks import check, finish, said, tool

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
finish("verified")
