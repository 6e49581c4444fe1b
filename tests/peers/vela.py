"""int8 TFLite files that quern writes, in Arm's Vela for ethos-u55-128; called by tests/peers/peer. What falls to the CPU is printed."""
import os
import sys
import tempfile

from npu import compiled, run

build, models = sys.argv[1:3]
os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
vela = os.path.join(os.path.dirname(sys.executable), "vela")
folder = tempfile.mkdtemp()
failures = []

# model, samples, how many operators may be left to the CPU (its own rules: no kernels for them)
CASES = [
    ("tflite/vww01_mobilenetv1_025_float32.tflite", ["--input", "input_1={models}/data/vww01/images_u8.bin:u8[96,96,3]/255", "--rows", "50"], 0),
    ("tflite/ic01_resnet8_float32.tflite", ["--random", "1", "--rows", "8"], 0),  # no data: structure only
    ("onnx/mnist_cnn_opset8.onnx", ["--input", "Input3={models}/data/mnist/images_u8.bin:u8[1,28,28]", "--rows", "50"], 0),
    ("onnx/ultraface_rfb_320_simplified.onnx", ["--random", "1", "--rows", "2"], 0),
    ("repro/keras_mnv3small_float.tflite", ["--random", "1", "--rows", "4"], 0),
    ("onnx/fastestdet.onnx", ["--random", "1", "--rows", "2"], 5),  # scores stay apart from boxes at the output: a Concat of numbers
]


for path, samples, allowed in CASES:
    name = os.path.basename(path).split(".")[0]
    target = f"{folder}/{name}.tflite"
    try:
        npu, cpu, reasons = compiled(build, vela, f"{models}/{path}", [part.format(models=models) for part in samples], folder, target)
        line, ok = f"{name}: {npu} operators on the NPU, {cpu} on the CPU", cpu <= allowed
        # The generator: the same, and its result is read back.
        made = run(f"{build}/bin/codegen", target, "-p", "vela", "-o", f"{folder}/made.tflite", "-v")
        inside = run(f"{build}/bin/model-info", f"{folder}/made.tflite")
        if "ethos-u" not in inside or f"NPU operators = {npu} " not in made:
            raise RuntimeError(f"codegen -p vela says {made!r}")
    except RuntimeError as problem:
        line, ok, reasons = f"{name}: {problem}", False, []
    print(("ok    " if ok else "FAIL  ") + line, flush=True)
    for reason in reasons:
        print("        " + reason)
    if not ok:
        failures.append(name)
print(f"vela: {len(failures)} failures")
sys.exit(1 if failures else 0)
