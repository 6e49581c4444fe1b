"""Peaks of resident memory: of a tool's run as the system counts it, of onnxruntime in a process of its own, less what Python and numpy take.

usage, for that process: resident.py MODEL THREADS"""
import os
import subprocess
import sys


def status(field):
    """Bytes of a field of this process."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field + ":"))


def measure_peer(path, threads):
    import numpy  # noqa: F401, what a user of onnxruntime in another language has not

    before = status("VmRSS")
    from engines import OnnxRuntime

    peer = OnnxRuntime(path, threads)
    peer.run()
    print(status("VmHWM") - before)


def peer_peak(path, threads):
    done = subprocess.run([sys.executable, __file__, path, str(threads)], capture_output=True, text=True, check=True)
    return int(done.stdout)


def beside_peer(quern, path, what, threads):
    ours, theirs = quern.run(path, threads, 2, 1)["peak_resident_bytes"], peer_peak(path, threads)
    return {what: (ours / theirs, f"quern {ours / 1e6:6.1f} MB  onnxruntime {theirs / 1e6:6.1f} MB  file {os.path.getsize(path) / 1e6:6.1f} MB")}


def beyond(quern, path, what, threads):
    """MB beyond weights, as the file has them, and arena."""
    report = quern.run(path, threads, 3, 1)
    peak, arena, file = report["peak_resident_bytes"], report["arena_bytes"], os.path.getsize(path)
    return {what: ((peak - arena - file) / 1e6, f"MB: {peak / 1e6:6.1f} MB, arena {arena / 1e6:.1f} MB, file {file / 1e6:.1f} MB")}


if __name__ == "__main__":
    measure_peer(sys.argv[1], int(sys.argv[2]))
