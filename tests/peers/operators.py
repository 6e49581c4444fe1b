"""Every integer operator of TFLite, one at a time, beside LiteRT's reference kernels; called by tests/peers/peer.
usage: operators.py BUILD MODELS [PATTERN]   PATTERN: only labels that contain it; prints every case."""
import collections
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from apart import Ended, apart, apart_all
from operator_cases import FAMILIES, I8, I16, LEFT_OUT, U8

build = sys.argv[1]
pattern = sys.argv[3] if len(sys.argv) > 3 else ""  # only labels that contain it, and every case is printed


def rows_of(case, seed):
    rng, rows = np.random.default_rng(seed), []
    for index in case.graph.inputs:
        tensor = case.graph.tensors[index]
        dtype = {v: k for k, v in case.types.items()}[tensor.type]
        if dtype == np.float32:
            steps = case.graph.tensors[case.graph.outputs[0]].quantization
            unit = steps.scale[0] / 2 if steps else 0.1
            rows.append((rng.integers(-300, 300, tensor.shape) * unit).astype(np.float32))
            continue
        limits = np.iinfo(dtype)
        if case.positive and dtype == np.int16:
            rows.append(rng.integers(1, limits.max + 1, tensor.shape).astype(dtype))
            continue
        count = int(np.prod(tensor.shape))
        every = np.arange(limits.min, limits.max + 1) if limits.bits == 8 and count >= 256 else np.array([limits.min, limits.max])
        row = rng.integers(limits.min, limits.max + 1, count)
        if count > len(every):
            row[:len(every)] = every
        row[np.isin(row, case.avoided)] = 17
        rows.append(row.reshape(tensor.shape).astype(dtype))
    return rows


def loaded(path, refusals=ValueError):
    """With the reference kernels; an operator that has one kernel only is not among them."""
    for kernels in (OpResolverType.BUILTIN_REF, OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES):
        try:
            interpreter = Interpreter(path, experimental_op_resolver_type=kernels)
            interpreter.allocate_tensors()
            return interpreter
        except refusals as error:
            missing = error
    raise missing


def litert(path, row, refusals=ValueError):
    interpreter = loaded(path, refusals)
    for detail, array in zip(interpreter.get_input_details(), row):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]


def theirs(runtime, path, row, results):
    """Writes the results. -> None, or what it says."""
    try:
        np.savez(results, *apart(runtime, path, row))
    except (Ended, RuntimeError) as problem:
        return str(problem)
    return None


def ours(folder, path, case, row, kinds, arithmetic):
    names = [case.graph.tensors[i].name for i in case.graph.inputs]
    for name, array in zip(names, row):
        np.save(f"{folder}/{name}.npy", array)
    with open(f"{folder}/list.txt", "w") as file:
        file.write(" ".join(f"{name}:={folder}/{name}.npy" for name in names) + "\n")
    done = subprocess.run([f"{build}/bin/run", path, "--input-list", f"{folder}/list.txt", "-o", f"{folder}/out", "--mode", "int", "--native-io",
                           "--arithmetic", arithmetic], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or [f"ends with {done.returncode}"])[-1])
    paths = [f"{folder}/out/Result_0/{case.graph.tensors[i].name}.raw" for i in case.graph.outputs]
    return [np.fromfile(p, kind.dtype).reshape(kind.shape) for p, kind in zip(paths, kinds)]


def outcome(folder, case, row, want, arithmetic):
    try:
        got = ours(folder, f"{folder}/case.tflite", case, row, want, arithmetic)
    except (RuntimeError, ValueError, OSError) as error:
        return "error", 0, 0, str(error)
    if want[0].dtype == np.float32:
        far = max(float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)) for a, b in zip(got, want))
        return "equal" if far <= case.tolerance else "differs", 100.0, far, ""
    steps = np.concatenate([np.abs(a.astype(np.int64) - b.astype(np.int64)).ravel() for a, b in zip(got, want)])
    return "equal" if steps.max() == 0 else "differs", 100 * float(np.mean(steps == 0)), int(steps.max()), ""


def all_outcomes(cases, folder, runtime, arithmetic):
    jobs = []
    for i, (_, case) in enumerate(cases):
        place = f"{folder}/{i}"
        os.mkdir(place)
        case.write(f"{place}/case.tflite")
        jobs.append((place, case, rows_of(case, 1)))
    wanted = apart_all(runtime, [(f"{place}/case.tflite", row) for place, _, row in jobs])
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda job, want: ("refused", 0, 0, str(want)) if isinstance(want, Exception) else outcome(*job, want, arithmetic), jobs, wanted))


def sweep(runtime, arithmetic, left_out):
    """`left_out`: by the beginning of a label, the types and the reason."""
    def is_out(label, dtype):
        return any(f"{label} ".startswith(f"{name} ") and dtype in dtypes for name, (dtypes, _) in left_out.items())

    cases = [(f"{label} {dtype.__name__}", case) for dtype in (I8, U8, I16) for family in FAMILIES for label, case in family(dtype)
             if pattern in f"{label} {dtype.__name__}" and not is_out(label, dtype)]
    with tempfile.TemporaryDirectory() as folder:
        results = all_outcomes(cases, folder, runtime, arithmetic)
    groups = collections.defaultdict(lambda: collections.Counter())
    bad = 0
    for (label, _), (status, percent, far, text) in zip(cases, results):
        groups[label.split()[0], label.split()[-1]][status] += 1
        if status in ("differs", "error"):
            bad += 1
            print(f"FAIL  {label}: " + (text if status == "error" else f"{percent:.2f} % of codes equal, greatest {far}"))
        elif pattern:
            print(f"{status:7} {label} {text}")
    print()
    for (op, dtype), counts in sorted(groups.items()):
        print(f"{op} {dtype}: " + ", ".join(f"{n} {s}" for s, n in sorted(counts.items())))
    for name, (dtypes, reason) in left_out.items():
        print(f"{name} {' '.join(dtype.__name__ for dtype in dtypes)}: left out, {reason}")
    total = collections.Counter(r[0] for r in results)
    print(f"operators: {total['equal']} of {total['equal'] + bad} models equal, {total['refused']} that {runtime.__name__} refuses, {bad} failures")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    sweep(litert, "tflite", LEFT_OUT)
