"""Exports by name, one after another, each in a process of its own: what the makers of tests/slow/drawn_nets share, in whose environments it runs.

`--names` prints all names. Else each line "NAME<tab>PATH" of the input is answered by one line: empty, or why the net did not export. The libraries
are loaded once."""
import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../peers"))
import apart  # noqa: E402
sys.path.pop()  # modules there have names that libraries look for

apart.LONGEST = 120  # seconds


def named(export, name, path):
    try:
        export(name, path)
    except Exception as problem:
        text = re.sub("\x1b\\[[0-9]*m", "", " ".join(str(problem).split()))
        raise RuntimeError(f"{type(problem).__name__}: {text[:200]}") from problem


def serve(names, export):
    if "--names" in sys.argv:
        print("\n".join(names()))
        return
    for line in sys.stdin:
        why = ""
        try:
            apart.apart(named, export, *line.rstrip("\n").split("\t"))
        except apart.Ended as problem:
            why = f"not exported in {apart.LONGEST} s" if str(problem) == "ends with signal 14" else str(problem)
        except RuntimeError as problem:
            why = str(problem)
        print(why, flush=True)
