"""Products of nets in their runtimes beside `run`, as tests/slow/odd_forms judges them.

Each product is run on the net's sample by its own runtime and by `run`. A product is `equal` (floats: within NEAR), has `ties` (codes one apart; floats that were rounded on
the way within TIED_DB of the codes before them; either within AMPLIFIED_DB), is `refused` (exit 2 to 4) or `announced` (written with a notice of what its runtime has no kernel for, or of its noise). All
else is silent, and fails: a crash, a file that its runtime refuses, other numbers, and less than FEW_DB beside the float net without a word.
"""
import collections
import ctypes
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from urllib.parse import unquote

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../peers"))
from apart import Ended, apart, apart_all, each
from checks import build, output_scales, tool, write_list
from decibels import decibel

WRITERS = {"qdq": ("onnx", []), "qoperator": ("onnx", ["--form", "qoperator"]), "tflite": ("tflite", []), "circle": ("circle", []), "native": ("qn", [])}
NEAR = 1e-4  # of the greatest number: sums of real numbers have other orders
TIED_DB = 30  # floats behind codes of which one fell to the other side
AMPLIFIED_DB = 60  # floats of another order or function, and codes of 16 bits of which one fell to the other side, behind what amplifies
CARRIED_DB = 25  # deep nets: codes one apart, which later layers carry on
BEGUN = 0.99  # of codes are equal where differences of a deep net begin
ROW_DB = 40  # of a product's row, one of whose rounded data is one step apart
WINDOW = 7  # the places of a convolution's result that one number reaches, each way
FEW_DB = 14  # quantize tells of less than 15 dB, as it computes them
ILLEGAL = f"signal {int(signal.SIGILL)}"
LONGEST = 60  # seconds
NO_KERNEL, NOISE = "no kernel for", "keeps only"
GOOD = ("equal", "ties", "refused", "announced")


def option(name, default=None):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def types():
    lines = [line for line in tool("quantize", "--list-types").splitlines() if "GGUF" not in line and "the same as" not in line]
    return [line.split()[0] for line in lines]


def called(name, *args):
    """Exit status and what was said; None: it hangs."""
    try:
        done = subprocess.run([f"{build}/bin/{name}", *map(str, args)], capture_output=True, text=True, timeout=LONGEST, errors="replace")
    except subprocess.TimeoutExpired:
        return None, f"not done in {LONGEST} s"
    return done.returncode, done.stderr.strip()


KINDS = {"tensor(float)": np.float32, "tensor(float16)": np.float16, "tensor(double)": np.float64, "tensor(bool)": np.bool_,
         **{f"tensor({kind})": np.dtype(kind).type for kind in ("int8", "uint8", "int16", "uint16", "int32", "int64")}}


# ---- runtimes: (path, feeds) -> inputs, outputs by name, grids of outputs whose codes are given as real numbers -----------------------------

def onnxruntime(path, feeds):
    from ort_session import ALL, BASIC, made, session
    with open(f"{path}.said", encoding="utf-8") as notices:  # what float8 needs, by its notice
        told = notices.read()
    basic = "no further than basic" in told
    return run_by(made(path, BASIC, 1, True, re.findall(r"onnxruntime needs (\S+) = (\S+) for", told)) if basic else session(path, ALL), path, feeds)


def onnxruntime_plain(path, feeds):
    """The file's nodes one by one."""
    from ort_session import NONE, session
    return run_by(session(path, NONE), path, feeds)


def run_by(there, path, feeds):
    given = {i.name: feeds[i.name].astype(KINDS[i.type]) for i in there.get_inputs()}
    names = [o.name for o in there.get_outputs()]
    return given, dict(zip(names, there.run(names, given))), {name: Grid(scale, float8_of(path, name)) for name, scale in output_scales(path).items()}


Grid = collections.namedtuple("Grid", "scale float8")  # of codes given as real numbers


def float8_of(path, name):
    """The type of float8 codes behind an output; None: they are integers."""
    import onnx
    graph = onnx.load(path).graph
    zero = next((node.input[2] for node in graph.node if name in node.output and len(node.input) > 2), "")
    kind = next((onnx.helper.tensor_dtype_to_np_dtype(c.data_type) for c in graph.initializer if c.name == zero), np.dtype(np.int8))
    return kind.type if kind.name.startswith("float8") else None


def steps_between(got, want, grid):
    """Multiples of the scale; of float8 codes, whose neighbours are several apart, neighbours where these are fewer."""
    steps = np.abs(np.rint(got / grid.scale) - np.rint(want / grid.scale)).astype(np.int64)
    return np.minimum(steps, np.abs(place_of(got / grid.scale, grid.float8) - place_of(want / grid.scale, grid.float8))) if grid.float8 else steps


def place_of(numbers, float8):
    codes = numbers.astype(float8).view(np.int8).astype(np.int64)
    return np.where(codes < 0, -(codes & 127), codes)


def litert(path, feeds, kernels):
    from ai_edge_litert.interpreter import Interpreter, OpResolverType
    it = Interpreter(path, experimental_op_resolver_type=getattr(OpResolverType, kernels))
    for detail in it.get_input_details():
        if -1 in detail["shape_signature"]:
            it.resize_tensor_input(detail["index"], feeds[detail["name"]].shape)
    it.allocate_tensors()
    given = {}
    for detail in it.get_input_details():
        given[detail["name"]] = stored(feeds[detail["name"]], detail["dtype"], *detail["quantization"])
        it.set_tensor(detail["index"], given[detail["name"]].reshape(detail["shape"]))
    it.invoke()
    return given, {d["name"]: it.get_tensor(d["index"]) for d in it.get_output_details()}, {}


def litert_default(path, feeds):
    return litert(path, feeds, "AUTO")


def litert_reference(path, feeds):
    return litert(path, feeds, "BUILTIN_REF")


def litert_plain(path, feeds):
    """Without XNNPACK. The reference kernels end the process at an int8 Softmax whose exponentials have a sum of 512 and more."""
    return litert(path, feeds, "BUILTIN_WITHOUT_DEFAULT_DELEGATES")


def shaped(array, shape):
    return array.reshape(shape) if array.size == math.prod(shape) else array


def onert(path, feeds):
    from onert.native.libnnfw_api_pybind import infer, prepare_config
    with open(f"{path}.ports", encoding="utf-8") as file:
        ports = json.load(file)
    given = {name: stored(feeds[name], np.dtype(kind), scale, zero) for name, _, kind, scale, zero in ports["inputs"]}
    if any(kind == "uint8" and list(given[name].shape) != dims for name, dims, kind, *_ in ports["inputs"]):
        return onert_bytes(path, given, ports)
    session = infer.nnfw_session(path, "cpu")
    session.set_prepare_config(prepare_config.ENABLE_INTERNAL_OUTPUT_ALLOC)
    for i, array in enumerate(given.values()):
        if list(array.shape) != ports["inputs"][i][1]:
            info = session.input_tensorinfo(i)
            info.dims = list(array.shape)
            session.set_input_tensorinfo(i, info)
    session.prepare()
    for i, array in enumerate(given.values()):
        session.set_input(i, array)
    session.run()
    return given, {name: shaped(session.get_output(i), shape) for i, (name, shape, *_) in enumerate(ports["outputs"])}, {}


class TensorInfo(ctypes.Structure):
    _fields_ = [("dtype", ctypes.c_int), ("rank", ctypes.c_int32), ("dims", ctypes.c_int32 * 6)]


def onert_bytes(path, given, ports):
    """By onert's interface of C: its Python sets no shapes of inputs of uint8."""
    from onert import native
    library = ctypes.CDLL(f"{native.__path__[0]}/libonert.so")
    session = ctypes.c_void_p()

    def call(name, *args):
        if code := getattr(library, f"nnfw_{name}")(session, *args):
            raise RuntimeError(f"nnfw_{name} ends with {code}")

    library.nnfw_create_session(ctypes.byref(session))
    call("load_model_from_file", path.encode())
    call("set_available_backends", b"cpu")
    info = TensorInfo()
    for i, array in enumerate(given.values()):
        call("input_tensorinfo", i, ctypes.byref(info))
        info.dims[:array.ndim] = array.shape
        call("set_input_tensorinfo", i, ctypes.byref(info))
    call("prepare")
    for i, array in enumerate(given.values()):
        call("input_tensorinfo", i, ctypes.byref(info))
        call("set_input", i, info.dtype, array.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(array.nbytes))
    outputs = {}
    for i, (name, _, kind, *_) in enumerate(ports["outputs"]):
        call("output_tensorinfo", i, ctypes.byref(info))
        outputs[name] = np.zeros(info.dims[:info.rank], kind)
        call("set_output", i, info.dtype, outputs[name].ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(outputs[name].nbytes))
    call("run")
    return given, outputs, {}


def reference(path, feeds):
    """The native file is run by `run` alone: its fast kernels beside the plain ones."""
    return feeds, here(os.path.dirname(path), path, feeds, "--reference"), {}


RUNTIMES = {"onnx": [onnxruntime], "tflite": [litert_default, litert_reference], "circle": [onert], "qn": [reference]}


def stored(array, kind, scale, zero):
    if np.dtype(kind).kind not in "iu" or array.dtype.kind != "f":
        return np.ascontiguousarray(array, kind).reshape(array.shape)
    limits = np.iinfo(kind)
    return np.clip(np.rint(array.astype(np.float64) / scale) + zero, limits.min, limits.max).astype(kind)


def ports_of(path):
    """Inputs and outputs as the file holds them: name, shape, element type, scale, zero point."""
    info, found = json.loads(tool("model-info", path, "--json")), {}
    for kind in ("inputs", "outputs"):
        found[kind] = []
        for item in info[kind]:
            element, dims = item["type"].rstrip("]").split("[")
            words = item.get("encoding", element).split()
            value = dict(zip(words[1::2], words[2::2]))
            found[kind].append((item["name"], [int(d) for d in dims.split(",") if d.isdigit()], words[0], float(value.get("scale", 1)), int(value.get("zero", 0))))
    return found


def write_ports(path):
    with open(f"{path}.ports", "w", encoding="utf-8") as file:
        json.dump(ports_of(path), file)


def here(folder, path, inputs, *flags):
    """What `run` computes: {output: array}."""
    code, told = called("run", path, "--input-list", write_list(folder, [inputs]), "--format", "npz", "-o", f"{folder}/out.npz", "-q", *flags)
    if code != 0:
        raise RuntimeError(f"run ends with {code}: {first_line(told)}")
    with np.load(f"{folder}/out.npz") as arrays:
        return {unquote(name[len("Result_0/"):]): arrays[name] for name in arrays.files}


def first_line(text):
    return (text.splitlines() or ["nothing is said"])[0][:300]


def refusal_of(text):
    """What a tool says last, without hints."""
    return next((line for line in reversed(text.splitlines()) if re.match(r"[a-z-]+: ", line) and not line.startswith("hint: ")), first_line(text))[:300]


# ---- judgement -----------------------------------------------------------------------------------------------------------------------------

def apart_by(got, want, grid, rounded, carried):
    """equal, ties or differs, and a figure; `grid`: of real numbers that are codes. Of a net that is deep, codes apart are carried on."""
    if got.shape != want.shape or got.dtype.kind != want.dtype.kind:
        return "differs", f"{got.dtype}{list(got.shape)} here, {want.dtype}{list(want.shape)} there"
    if got.size == 0 or np.array_equal(got, want, equal_nan=got.dtype.kind == "f"):
        return "equal", ""
    if got.dtype.kind == "b" or got.dtype.itemsize >= 4 and got.dtype.kind in "iu":
        return "differs", f"{100 * np.mean(got == want):.1f} % equal"
    if grid or got.dtype.kind in "iu":
        steps = steps_between(got, want, grid) if grid else np.abs(got.astype(np.int64) - want)
        if not steps.any():
            return "equal", ""
        enough = CARRIED_DB if carried else AMPLIFIED_DB
        mean = want.mean() if want.size > 1 else 0
        near = steps.max() <= max(1, NEAR * np.iinfo(np.int16 if grid else got.dtype).max) or decibel(want - mean, got - mean) >= enough
        return "ties" if near else "differs", f"{100 * np.mean(steps == 0):.1f} % of codes equal, greatest difference {steps.max()}"
    got, want = got.astype(np.float64), want.astype(np.float64)
    same = (got == want) | np.isnan(got) & np.isnan(want)
    if not np.isfinite(got[~same]).all() or not np.isfinite(want[~same]).all():
        return "differs", "numbers that are not finite"
    far = np.abs(got - want)[~same].max() / max(np.abs(want[np.isfinite(want)]).max(initial=0), 1e-300)
    if far <= NEAR:
        return "equal", ""
    found = decibel(want[~same], got[~same])
    least = AMPLIFIED_DB if not rounded else CARRIED_DB if carried else TIED_DB
    return "ties" if found >= least else "differs", f"real numbers differ by {far:.1e}, {found:.1f} dB"


def noise(float_outputs, got):
    """The worst output beside the float net in dB, and which. Indices and truths jump: of them a half must be equal, of few no more is asked."""
    worst = math.inf, ""
    for (name, want), mine in zip(float_outputs.items(), got.values()):
        if mine.size != want.size:
            return -math.inf, f"{name}, which has another size,"
        if want.dtype.kind != "f":
            if want.size > 8 and np.mean(want.ravel() == mine.ravel()) < 0.5:
                worst = -math.inf, f"{name}, of integers,"
            continue
        want, mine = want.ravel().astype(np.float64), mine.ravel().astype(np.float64)
        finite = np.isfinite(want)
        figure = decibel(want[finite], mine[finite]) if np.isfinite(mine[finite]).all() else -math.inf
        worst = min(worst, (figure, name))
    return worst


TRACED = {"onnx": onnxruntime, "tflite": litert_plain, "circle": onert}  # where differences of deep nets begin


def rounded_values(path):
    """Activations that are codes, in their order; all in a Circle file, whose products round real data, too."""
    import onnx
    if path.endswith("onnx"):
        graph = onnx.load(path).graph
        constants = {c.name for c in graph.initializer}
        return [n.output[0] for n in graph.node if n.op_type == "DequantizeLinear" and n.input[0] not in constants]
    asked = "" if path.endswith("circle") else ".*quern.encoding"
    results = (re.match(r' *%("[^"]*"|[^ ,:]+)(?:, %[^=]*)? = "(?!onnx.Constant)' + asked, line) for line in tool("model-convert", path, "-f", "text", "-o", "-").splitlines())
    return [found[1].strip('"') for found in results if found]


def is_of_one_number(far):
    """Is what differs one row of a product, or the places of a channels-last picture that one window reaches?"""
    places = np.argwhere(far.any(axis=-1))
    return len(places) == 1 or far.ndim == 4 and len(places) > 0 and (np.ptp(places, axis=0) < [1, WINDOW, WINDOW]).all()


def parts_apart(path, value, feeds, folder):
    """How many elements of a value, and of how many, its runtime has otherwise when it computes the file as far as there. Of what one rounded number reaches in Circle, that
    counts as one."""
    suffix = path.rpartition(".")[2]
    cut = f"{folder}/cut.{suffix}"
    tool("model-convert", path, "-o", cut, "--extract", f":{value}", "--passes", "none", "-q")
    if suffix == "circle":
        write_ports(cut)
    else:
        shutil.copy(f"{path}.said", f"{cut}.said")
    given, outputs, _ = apart(TRACED[suffix], cut, feeds)
    (theirs,), (ours,) = outputs.values(), here(folder, cut, given, *(["--native-io"] if suffix != "onnx" else [])).values()
    theirs, ours = theirs.astype(np.float64), ours.astype(np.float64)
    far = np.abs(ours - theirs) > NEAR * np.abs(theirs).max()
    one_number = suffix == "circle" and decibel(theirs, ours) >= ROW_DB and is_of_one_number(far)
    return 1 if one_number else int(far.sum()), far.size


def beginning(path, feeds, folder):
    """Where differences begin: a value before which, in the file's order, all is equal, how many of its elements differ, and of how many; None: nowhere."""
    values = rounded_values(path)
    low, high, found = 0, len(values), None
    while low < high:
        middle = (low + high) // 2
        count, size = parts_apart(path, values[middle], feeds, folder)
        if count:
            high, found = middle, (values[middle], count, size)
        else:
            low = middle + 1
    return found


class Product:
    def __init__(self, folder, type_, writer, carried):
        self.type, self.writer, self.carried = type_, writer, carried
        self.codes = not re.match(r"wo-|dynamic|f16|bf16", type_)  # of activations
        self.suffix, self.flags = WRITERS[writer]
        self.path = f"{folder}/{type_}_{writer}.{self.suffix}"
        self.told, self.verdict, self.text, self.theirs = "", None, "", []

    def say(self, verdict, text=""):
        self.verdict, self.text = verdict, text

    def make(self, net, folder, samples):
        given = ["--ranges", f"{folder}/ranges.json", *samples] if self.codes else samples
        code, self.told = called("quantize", net, *given, "--type", self.type, *self.flags, "-o", self.path)
        if code in (2, 3, 4) and self.told and not os.path.exists(self.path):
            self.say("refused", refusal_of(self.told))
        elif code != 0:
            self.say("crash", f"quantize ends with {code}: {refusal_of(self.told)}")
        else:
            with open(f"{self.path}.said", "w", encoding="utf-8") as file:
                file.write(self.told)
            if self.suffix == "circle":
                self.note_ports()

    def note_ports(self):
        try:
            write_ports(self.path)
        except RuntimeError as problem:
            self.say("cannot be read", first_line(str(problem)))

    def compare(self, folder, theirs):
        """With what one runtime gives."""
        if isinstance(theirs, Ended) and ILLEGAL in str(theirs):  # onert multiplies blocks of int8 by AVX-512
            return "announced", f"its runtime {theirs}: it was built for other processors"
        if isinstance(theirs, Exception):
            return "crash in its runtime" if isinstance(theirs, Ended) else "its runtime refuses it", first_line(str(theirs))
        given, outputs, grids = theirs
        ours = here(folder, self.path, given, *(["--native-io"] if self.suffix in ("tflite", "circle") else []))
        order = [*GOOD, "differs"]
        found = [(*apart_by(ours[name], outputs[name], grids.get(name), not self.type.startswith("wo-"), self.carried), name) for name in outputs]
        worst = max(found, key=lambda one: order.index(one[0]))
        return worst[0], f"{worst[2]}: {worst[1]}" if worst[1] else ""

    def judge(self, folder, feeds, exact):
        try:
            found = [self.compare(folder, theirs) for theirs in self.theirs]
            best = next((one for one in found if one[0] == "equal"), next((one for one in found if one[0] == "ties"), found[0]))
            if found[0][0] not in GOOD and best[0] == "equal":  # a rounding that its optimised kernels do otherwise is none of ours
                best = found[0] if found[0][0] != "differs" else ("ties", f"in other kernels than the reference {found[0][1]}")
            self.say(*best)
            figure, name = noise(exact, here(folder, self.path, feeds))
        except (RuntimeError, KeyError, ValueError) as problem:
            return self.say("crash in run", first_line(str(problem)))
        if self.verdict == "differs" and self.carried and self.writer != "qoperator" and self.suffix in TRACED:
            self.trace(folder, feeds)
        if self.verdict not in GOOD and NO_KERNEL in self.told:
            self.say("announced", f"{self.verdict}: {self.text}")
        least = FEW_DB if re.match(r"[iuf]8|w|i16", self.type) and not self.type.startswith("wo-") else 0
        if self.verdict in GOOD and (math.isnan(figure) or figure < least):
            self.say("announced" if NOISE in self.told else "far", f"{name} has {figure:.2f} dB beside the float net")
        return None

    def trace(self, folder, feeds):
        """Where few codes differ at first and all after them do, layers carry ties on; numbers that onnxruntime's optimiser changes are none of ours."""
        try:
            if not self.codes and self.suffix == "onnx" and self.compare(folder, apart(onnxruntime_plain, self.path, feeds))[0] == "equal":
                return self.say("ties", f"in onnxruntime's own optimisation {self.text}")
            found = beginning(self.path, feeds, folder)
        except (RuntimeError, ValueError, Ended) as problem:
            return self.say(self.verdict, f"{self.text}; not traced: {first_line(str(problem))}")
        if found:
            value, count, size = found
            self.say("ties" if count <= max(1, (1 - BEGUN) * size) else self.verdict, f"{self.text}; begins at {value}, where {count} of {size} differ")
        return None


def net_of(job):
    """All products of one net, its path and that of its sample: rows of name, type, writer, verdict and text."""
    net, sample, kinds, writers, carried = job
    name = os.path.basename(sample).removesuffix(".npz").removesuffix(".sample")
    with tempfile.TemporaryDirectory() as folder:
        with np.load(sample) as arrays:
            feeds = dict(arrays)
        samples = ["--input-list", write_list(folder, [feeds])]
        code, told = called("minmax-collect", net, *samples, "-q", "-o", f"{folder}/ranges.json")
        if code != 0:
            return [(name, "*", "*", "refused" if code in (2, 3, 4) else "crash", f"minmax-collect ends with {code}: {first_line(told)}")]
        try:
            exact = here(folder, net, feeds)
        except RuntimeError as problem:
            return [(name, "*", "*", "crash in run", first_line(str(problem)))]
        os.mkdir(f"{folder}/samples")
        samples = ["--input-list", write_list(f"{folder}/samples", [feeds])]
        products = [Product(folder, type_, writer, carried) for type_ in kinds for writer in writers]
        for product in products:
            product.make(net, folder, samples)
        made = [product for product in products if product.verdict is None]
        jobs = [(runtime, product) for product in made for runtime in RUNTIMES[product.suffix] if runtime is not reference]
        results = apart_all(lambda runtime, product: runtime(product.path, feeds), jobs)
        for (_, product), theirs in zip(jobs, results):
            product.theirs.append(theirs)
        for product in made:
            if product.suffix == "qn":
                product.theirs = [reference_or_not(product, feeds)]
            product.judge(folder, feeds, exact)
        return [(name, p.type, p.writer, p.verdict, p.text) for p in products]


def reference_or_not(product, feeds):
    try:
        return reference(product.path, feeds)
    except RuntimeError as problem:
        return problem


def table(found):
    kinds = [*GOOD, *sorted({verdict for *_, verdict, _ in found} - set(GOOD))]
    print("\n" + f"{'':24}" + "".join(f"{kind:>24}" if kind not in GOOD else f"{kind:>10}" for kind in kinds))
    counts = collections.defaultdict(collections.Counter)
    for _, type_, writer, verdict, _ in found:
        counts[f"{type_} {writer}"][verdict] += 1
        counts["all"][verdict] += 1
    for row, counted in counts.items():
        print(f"{row:24}" + "".join(f"{counted[kind]:>24}" if kind not in GOOD else f"{counted[kind]:>10}" for kind in kinds))
    return sum(counts["all"].values()), sum(n for kind, n in counts["all"].items() if kind not in GOOD)


def judged(jobs, path):
    """The verdicts of all products of these jobs of `net_of`, as lines of the table at `path`, with what fails printed."""
    found = []
    with open(path, "w", encoding="utf-8") as lines:
        for verdicts in each(net_of, jobs, int(option("--jobs", "2"))):
            for one in verdicts:
                lines.write("\t".join(one) + "\n")
                if one[3] not in GOOD:
                    print("FAIL  " + " ".join(one[:3]) + f": {one[3]}: {one[4]}", flush=True)
            lines.flush()
            found += verdicts
    return found
