#!/usr/bin/env python3
"""Convolutional nets of torch_nets_list.py from .pt2 to int8, TFLite and Vela: fails where an operator is left to the CPU.

    torch_nets_vela.py BUILD FOLDER NET ...     FOLDER: what torch_nets_make.py made there; runs in the environment that has Vela"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peers"))
from npu import compiled  # noqa: E402


def main():
    build, nets, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    failed = 0
    vela = os.path.join(os.path.dirname(sys.executable), "vela")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            try:
                npu, cpu, reasons = compiled(build, vela, f"{nets}/{name}/model.pt2", ["--random", "1", "--rows", "4"], folder, f"{folder}/net.tflite")
                line = f"{name}: {npu} operators on the NPU, {cpu} on the CPU"
            except RuntimeError as problem:
                cpu, line, reasons = 1, f"{name}: {problem}", []
            failed += cpu > 0
            print("\n        ".join([("FAIL  " if cpu else "ok    ") + line, *reasons]), flush=True)
    print(f"torch_nets in Vela: {len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
