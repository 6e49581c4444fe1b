"""Which Python has llama.cpp (PyPI llama-cpp-python): that of QUERN_LLAMA_PYTHON, that which `scripts/peers llama` made, or this one."""
import os
import pathlib
import subprocess
import sys

MADE = pathlib.Path(__file__).resolve().parents[2] / "build/llama/bin/python"


def llama_python():
    for python in filter(None, (os.environ.get("QUERN_LLAMA_PYTHON"), str(MADE), sys.executable)):
        if os.path.exists(python) and subprocess.run([python, "-c", "import llama_cpp"], capture_output=True).returncode == 0:
            return python
    return None
