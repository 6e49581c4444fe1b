"""A model in 8 bits, as TFLite, in Arm's Vela for ethos-u55-128: how much of it the NPU runs."""
import os
import re
import subprocess


def run(*args):
    done = subprocess.run(list(map(str, args)), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr.strip() or done.stdout.strip()).splitlines()[-1])
    return done.stdout + done.stderr


def compiled(build, vela, source, samples, folder, target):
    """Counts of operators on the NPU and on the CPU, and why any are there; `target` is the TFLite file that Vela got."""
    ranges = f"{folder}/ranges.json"
    run(f"{build}/bin/minmax-collect", source, *samples, "-o", ranges)
    run(f"{build}/bin/quantize", source, "--ranges", ranges, "--type", "i8", "-f", "tflite", "-o", target)
    text = run(vela, target, "--accelerator-config", "ethos-u55-128", "--output-dir", os.path.join(folder, "out"))
    npu, cpu = (int(re.search(rf"{side} operators = (\d+)", text)[1]) for side in ("NPU", "CPU"))
    reasons = sorted(set(re.findall(r"Warning: (\S+ '[^']*' is not supported on the NPU[^\n]*|[^\n]*Placing on CPU[^\n]*)", text)))
    return npu, cpu, reasons
