"""Nets of odd forms through every type and writer of quantize, judged by judged_products.py; called by tests/slow/odd_forms."""
import os
import re
import subprocess
import sys
import tempfile

from judged_products import WRITERS, judged, option, table, types


def main():
    kinds = option("--types", "").split(",") if option("--types") else types()
    writers = option("--writers", ",".join(WRITERS)).split(",")
    with tempfile.TemporaryDirectory() as nets:
        subprocess.run([sys.executable, sys.argv[2], nets], check=True, stdout=subprocess.DEVNULL)
        names = sorted(name.removesuffix(".npz") for name in os.listdir(nets) if name.endswith(".npz"))
        jobs = [(f"{nets}/{name}.k.onnx", f"{nets}/{name}.npz", kinds, writers, False) for name in names if re.search(option("--only", ""), name)]
        found = judged(jobs, option("--table", os.devnull))
    count, silent = table(found)
    print(f"{len(jobs)} nets, {count} products and refusals, {silent} silent")
    sys.exit(1 if silent or not count else 0)


main()
