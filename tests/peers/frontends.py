"""Programs of PyTorch (.pt2) and graphs of TensorFlow (.pb, SavedModel) with golden inputs and outputs: floats within 1e-4 of the largest, integers and truth values equal; codes
of quantized ones within one step, and 99 of 100 equal, in float arithmetic and in integers; called by tests/peers/peer.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

build, models = sys.argv[1:3]
only = sys.argv[3] if len(sys.argv) > 3 else ""
FOLDERS = ("torch", "torch_2.5.1", "torch_2.6.0", "torch_2.8.0", "torch_2.9.1", "torch_quant", "tf")
CLOSE = 1e-4
# What is refused, with the words that say why.
REFUSED = {"table": "a table", "state_dict_only": "weights without a graph", "torchscript_script": "TorchScript", "torchscript_trace": "TorchScript"}


def program(path):
    archive = zipfile.ZipFile(path)
    name = next(name for name in archive.namelist() if re.search(r"/models/[^/]*\.json$|^serialized_exported_program\.json$", name))
    text = archive.read(name).decode()
    return json.loads(text, parse_constant=str)["graph_module"]


def inputs(path, folder):
    """NAME=FILE of the inputs that the graph has; the golden inputs count numbers, too, and leave None out."""
    names, index = [], 0
    for spec in program(path)["signature"]["input_specs"]:
        if "user_input" in spec:
            argument = spec["user_input"]["arg"]
            kind = next(iter(argument))
            if kind == "as_none":
                continue
            if kind == "as_tensor":
                names.append(f"{argument[kind]['name']}={folder}/input_{index}.npy")
            elif kind == "as_sym_int" and "as_name" in argument[kind]:
                names.append(f"{argument[kind]['as_name']}={folder}/input_{index}.npy")
            index += 1
        elif "constant_input" in spec and "as_none" not in spec["constant_input"]["value"]:
            index += 1
    return names


codes = {mode: {"all": 0, "other": 0} for mode in ("fake", "int")}


def codes_differ(got, want, mode):
    """Of results on a grid, whose step is the least distance of two golden numbers: sums in another order or in integers round otherwise at ties."""
    steps = np.abs(got.astype(np.float64) - want) / np.min(np.diff(np.unique(want.astype(np.float64))), initial=np.inf)
    codes[mode]["all"] += steps.size
    codes[mode]["other"] += int(np.sum(steps > 0.5))
    return "" if steps.max() < 1.01 else f"codes differ by {steps.max():.1f}"


def difference(got, want):
    if got.shape != want.shape:
        return f"shape {got.shape}, want {want.shape}"
    if want.dtype.kind in "iub":
        return "" if np.array_equal(got.astype(want.dtype), want) else f"{np.sum(got.astype(want.dtype) != want)} of {want.size} integers differ"
    if want.size == 0:
        return ""
    got, want = got.astype(np.float64), want.astype(np.float64)
    finite = np.isfinite(want)
    if not np.array_equal(got[~finite], want[~finite], equal_nan=True):
        return "other infinities or NaN"
    largest = np.max(np.abs(want[finite]), initial=0)
    worst = np.max(np.abs(got[finite] - want[finite]), initial=0)
    return "" if worst <= CLOSE * max(largest, 1e-30) else f"off by {worst:.3g} of {largest:.3g}"


def run(model, where, words):
    done = subprocess.run([f"{build}/bin/run", str(model), *words, "-o", f"{where}/out.npz", "--format", "npz", "-q"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"exit {done.returncode}")
    return np.load(f"{where}/out.npz")


def outputs_of(model, folder, where, mode):
    words = [word for name in inputs(model, folder) for word in ("--input", name)]
    archive = run(model, where, [*words, "--mode", mode])
    return [archive[name] for name in archive.files]


def check(model, where):
    """Differences, as texts."""
    bad = []
    quantized = "torch_quant" in str(model)
    for folder in sorted(model.parent.glob("test_data_set_*")):
        want = [np.load(path) for path in sorted(folder.glob("output_[0-9]*.npy"), key=lambda path: int(re.findall(r"\d+", path.stem)[-1]))]
        for mode in ("fake", "int") if quantized else ("int",):
            got = outputs_of(model, folder, where, mode)
            if len(got) != len(want):
                bad.append(f"{folder.name}: {len(got)} outputs, want {len(want)}")
            for i, (mine, golden) in enumerate(zip(got, want)):
                text = difference(mine, golden)
                if quantized and mine.shape == golden.shape:
                    text = codes_differ(mine, golden, mode)
                bad += [f"{folder.name} output {i}, {mode}: {text}"] if text else []
    return bad


def node_of(tensor):
    return tensor.removesuffix(":0")


def check_tensorflow(model, where):
    """Differences of a frozen graph, or of each signature of a SavedModel that has goldens."""
    frozen = model.suffix == ".pb"
    info = json.loads((model.parent / ("info.json" if frozen else "saved_info.json")).read_text())
    signatures = isinstance(next(iter(info["inputs"].values())), dict)
    bad = []
    for folder in sorted(model.parent.glob("test_data_set_*")):
        name = folder.name.removeprefix("test_data_set_")
        key = "serving_default" if name.isdigit() else name
        named = {part: info[part][key] if signatures else info[part] for part in ("inputs", "outputs")}
        words = [] if name.isdigit() else ["--signature", name]
        for own, tensor in named["inputs"].items():
            words += ["--input", f"{node_of(tensor) if frozen else own}={folder}/input_{own}.npy"]
        archive = run(model, where, words)
        got = {key.removeprefix("Result_0/"): archive[key] for key in archive.files}
        for own, tensor in named["outputs"].items():
            golden = next(path for path in (folder / f"output_{own}.npy", folder / f"{own}.npy") if path.exists())
            mine = node_of(tensor) if frozen else own
            text = difference(got[mine], np.load(golden)) if mine in got else "is not there"
            bad += [f"{folder.name} {mine}: {text}"] if text else []
    return bad


def models_of(folder):
    if folder != "tf":
        return [(f"{folder}/{path.parent.name}", path, check) for path in sorted(pathlib.Path(models, "frontends", folder).glob("*/model.pt*"))]
    files = sorted([*pathlib.Path(models, "frontends", "tf").glob("*/frozen.pb"), *pathlib.Path(models, "frontends", "tf").glob("*/saved_model")])
    return [(f"tf/{path.parent.name}/{path.name}", path, check_tensorflow) for path in files]


def main():
    passed, failed = 0, []
    with tempfile.TemporaryDirectory() as where:
        for folder in FOLDERS:
            for name, model, compare in models_of(folder):
                if not re.search(only, name):
                    continue
                try:
                    bad = compare(model, where) if model.parent.name not in REFUSED else refused(model)
                except RuntimeError as error:
                    bad = [str(error)]
                passed += not bad
                if bad:
                    failed.append(name)
                    print(f"FAIL  {name}: " + "; ".join(bad[:4]), flush=True)
    print(f"frontends: {passed} of {passed + len(failed)} programs give their goldens, or are refused as they should be")
    for mode, count in codes.items():
        print(f"{count['all'] - count['other']} of {count['all']} codes of quantized programs equal, --mode {mode}")
        if count["other"] > 0.01 * count["all"]:
            failed.append(f"codes, {mode}")
    return 1 if failed else 0


def refused(model):
    done = subprocess.run([f"{build}/bin/model-info", str(model)], capture_output=True, text=True)
    wanted = REFUSED[model.parent.name]
    return [] if done.returncode == 4 and wanted in done.stderr else [f"exit {done.returncode}: {done.stderr.strip()[:100]}"]


sys.exit(main())
