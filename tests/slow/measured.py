"""What comparisons with other tools of quantization share: seconds and peak memory of a process, outputs in onnxruntime, decibel."""
import os
import subprocess
import sys
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../peers"))
from decibels import decibel  # noqa: F401: for those that import this
from ort_session import session as session_of

# A process begins with the peak of the one that starts it: a small one does.
LAUNCHER = """
import os, sys
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(process, 0)
print(f"\\n{usage.ru_maxrss}")
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""


def measured(*command):
    """Seconds, peak memory in MB, what was printed."""
    begun = time.time()
    done = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, *map(str, command)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["no message"])[-1][:200])
    *printed, peak = done.stdout.strip().splitlines()
    return time.time() - begun, int(peak) / 1024, "\n".join(printed).strip()


def outputs(model, name, rows):
    session = session_of(model)
    return np.stack([session.run(None, {name: row})[0].ravel() for row in rows])
