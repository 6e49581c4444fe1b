"""What the comparisons of this folder share: where things are, checks that are counted, and quern's tools."""
import subprocess
import sys

build, models = sys.argv[1:3]
failures = []
checks = 0


def check(ok, line, counts=True):
    """Prints the line; a check that does not count is a note."""
    global checks
    if not counts:
        print("note  " + line, flush=True)
        return
    checks += 1
    print(("ok    " if ok else "FAIL  ") + line, flush=True)
    if not ok:
        failures.append(line)


def tool(name, *args):
    """Standard output; what the tool says when it fails is the error."""
    done = subprocess.run([f"{build}/bin/{name}", *map(str, args)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or f"{name} ended with {done.returncode}")
    return done.stdout


def finish(name):
    print(f"{name}: {checks - len(failures)} of {checks} checks passed")
    sys.exit(1 if failures else 0)
