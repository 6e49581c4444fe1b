"""What quern writes of a quantized model is what its runtime runs: every type of `quantize --list-types`, by every way and writer, of models of one
operator each (products_nets.py), loaded by the product's own runtime and compared with `run`. Codes are equal, or quern refuses by name; the refusals
are docs/generated/refused-products.md.   usage: products.py BUILD MODELS [--rebase] [--quick] [--types A,B] [--products A,B: also tflm, vela] [--only PATTERN] [--jobs N]
--quick, which ctest runs: of each kind of kernel one type. --rebase: the page says what this run was refused, and as before what was not run.

Branches of one model are quantized, written and run together; one that is refused is named by the message and left out of the next try."""
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import products_runtimes as runtimes
import products_ways as ways
from checks import build, check, finish, said, tool
from products_nets import BRANCHES, model_of

FULL = ("i8", "i8-sym", "u8-asym", "u8i8", "w8a16", "i16-sym")
UNSIGNED = ("w8u16", "w4u16", "w4u16-lpbq")  # which no kernel of TFLite and Circle reads
WEIGHTS = ("dynamic-i8", "dynamic-nnpa", "wo-i8-sym", "wo-i16-sym", "wo-i4", "f16", "bf16")
QUICK = ("i8", "u8-asym", "w8a16", "w8u16", "wo-i8-sym", "f16")
ONE = ("u8-asym", "i16-sym")
WEIGHTED = ("Conv", "Gemm", "Linear", "MatMul", "LSTM", "GRU", "Net", "Table")
PAGE = os.path.join(os.path.dirname(__file__), "../../docs/generated/refused-products.md")


NO_KERNEL = "onert has no kernel for"  # quern's own words


def option(name, default=None):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


# How a product is made of the quantized model, which runtime runs it, by which arithmetic we run it.
class Product:
    def __init__(self, name, suffix, runtimes, steps=0, near=1e-5, via=None, plugin=None, form=None, arithmetic=None, types=FULL + WEIGHTS, mute=False, others=()):
        self.name, self.suffix, self.runtimes, self.steps, self.near = name, suffix, runtimes, steps, near
        self.via, self.plugin, self.form, self.arithmetic, self.types, self.mute, self.others = via, plugin, form, arithmetic, types, mute, others
        self.notices = ""  # what was said of the last one

    def quantized(self, folder, type_):
        """Where `quantize` writes, and how it is asked."""
        path = f"{folder}/{type_}.{self.via or self.suffix}"
        return path, (["--form", self.form] if self.form else [])

    def make(self, folder, type_, labels):
        branches = model_of(labels, f"{folder}/part.onnx")
        path, flags = self.quantized(folder, type_)
        asked = [f"{folder}/part.onnx", "--ranges", f"{folder}/ranges.json", "--force", "--type", type_, "--full-integer", "-o", path, *flags]
        if self.mute:
            self.notices = said("quantize", *asked, fails=False)[1]
        if not self.notices or NO_KERNEL not in self.notices:
            tool("quantize", *asked, "-q")
        if self.via:
            made = f"{folder}/{type_}_made" if self.suffix == "c" else f"{folder}/{type_}_made.{self.suffix}"
            tool("codegen", path, "-p", self.plugin, "-q", "-o", made)
            path = f"{made}/{os.listdir(made)[0].split('.')[0]}.c" if self.suffix == "c" else made
        return path, branches


# onnxruntime computes between Q and DQ in float32: results next to a tie fall to the other side.
# Of LiteRT the reference kernels; an operator that has one kernel only is not among them.
LITERT = [runtimes.litert_reference, runtimes.litert_only]
PRODUCTS = [
    Product("tflite", "tflite", LITERT, others=[Product("tflite-by-qn", "tflite", LITERT, via="qn", plugin="tflite"),
                                               Product("tflite-by-onnx", "tflite", LITERT, via="onnx", plugin="tflite")]),
    Product("tflite-default", "tflite", [runtimes.litert_default], steps=1, near=1e-4, types=("i8", "w8a16", "wo-i8-sym")),
    Product("circle", "circle", [runtimes.onert], types=("i8", "u8-asym", "dynamic-i8", "wo-i8-sym", "wo-i4"), mute=True),
    Product("qdq", "onnx", [runtimes.onnxruntime], steps=1, types=FULL + UNSIGNED + WEIGHTS),
    Product("qoperator", "onnx", [runtimes.onnxruntime], steps=1, form="qoperator", types=("i8", "u8i8", "u8-asym")),
    Product("c", "c", [runtimes.c_library], via="qn", plugin="c", types=FULL + UNSIGNED + WEIGHTS),
]
# Only where they are asked for: they say nothing of what they refuse, and each branch goes alone.
MORE = [
    Product("tflm", "tflite", [runtimes.micro], arithmetic="tflm", types=("i8", "w8a16"), mute=True),
    Product("vela", "tflite", [runtimes.vela], types=("i8", "w8a16"), mute=True),
]


# What stands: (beginning of the product's name, labels, types, why). A line that excuses nothing fails.
POWER = "its optimised kernel computes in 16-bit fixed point where the scale is nearly a power of two; the reference kernel gives these codes"
LAST_BIT = "its exponential differs in the last bit: at a tie the code is one apart"
TIES = "between Q and DQ it computes in float32: a tie that falls to the other side moves what is computed from it"
SYMMETRIC = "onert rounds the data of a hybrid product symmetrically, whatever the file asks for"
KNOWN = [
    ("circle", "(Gemm|Linear)_.*|MatMul_by_vector|GRU.*|LSTM_states|Net_(residual|attention)|Table_(product|tied)", ("dynamic-i8",), SYMMETRIC),
    ("tflite-default", "(Sigmoid|Tanh)_high", ("w8a16",), POWER),
    ("qdq", "Net_attention", ("w8a16", "i16-sym"), TIES),
    ("tflite", "Elu_high", ("i16-sym",), LAST_BIT),
]
excused = set()


def known(product, type_, label):
    for i, (name, labels, types, why) in enumerate(KNOWN):
        if product.name.startswith(name) and type_ in types and re.fullmatch(labels, label):
            excused.add(i)
            return why
    return None


def label_in(text, labels):
    """The label that a message speaks of: the longest, as one may begin another."""
    found = [label for label in labels if f"{label}/" in text]
    return max(found, key=len) if found else None


def feeds_of(branches):
    return {name: (shape, span) for b in branches for name, shape, span in b.inputs}


class Sweep:
    def __init__(self, folder, doubtful):
        self.folder = folder
        self.status = collections.defaultdict(dict)  # (product, type): {label: (status, text)}
        self.doubtful = doubtful  # by product and type: what the page has, and what is found
        self.nexts = collections.defaultdict(set)  # what the first runtime refuses
        self.direct = {}  # by product and type: the bytes that the others are compared with

    def refuse(self, product, type_, label, status, text):
        why = known(product, type_, label) if status == "FAIL" else None
        self.status[product.name, type_][label] = ("known", why) if why else (status, text)
        self.doubtful[product.name, type_].add(label)

    def made(self, product, type_, labels):
        """The product of as many branches as quern takes."""
        while labels:
            try:
                return product.make(self.folder, type_, labels), labels
            except RuntimeError as problem:
                said = str(problem)
                culprit = label_in(said, labels)
                if not culprit:
                    culprit, said = self.alone(product, type_, labels, said)
                self.refuse(product, type_, culprit, "refused", said)
                labels = [label for label in labels if label != culprit]
        return None, labels

    def alone(self, product, type_, labels, said):
        """The first branch that fails alone, where the message names none."""
        if len(labels) == 1:
            return labels[0], said
        for label in labels:
            try:
                product.make(self.folder, type_, [label])
            except RuntimeError as problem:
                return label, str(problem)
        raise RuntimeError(f"{product.name} {type_}: only together: {said}")

    def run(self, product, type_, labels):
        """Branches that were refused before go alone, as each try of many costs; so do all of a product with a runtime that does not say what it refuses."""
        doubtful = self.doubtful[product.name, type_]
        alone = [label for label in labels if product.mute or label in doubtful]
        for part in ([label for label in labels if label not in alone], *([label] for label in alone)):
            left, said = part, {}
            for i, runtime in enumerate(product.runtimes):  # what one refuses goes to the next
                left, said = self.run_in(product, type_, runtime, left)
                for label in left if i + 1 < len(product.runtimes) else ():
                    self.nexts[product.name, type_].add(label)
            for label in left:
                notice = next((line for line in product.notices.splitlines() if NO_KERNEL in line), None) if product.mute else None
                if notice or product in MORE:
                    self.refuse(product, type_, label, "no kernel", notice or said[label])
                else:
                    self.refuse(product, type_, label, "FAIL", f"its runtime refuses it: {said[label]}")

    def run_other(self, direct, other, type_, labels):
        """Another way to a product: the same file, or one that is run like the first."""
        known = self.status[direct.name, type_]
        self.doubtful[other.name, type_] |= self.doubtful[direct.name, type_] | self.nexts[direct.name, type_]
        taken = [label for label in labels if known[label][0] in ("equal", "float")]
        try:
            if (direct.name, type_) not in self.direct:
                with open(direct.make(self.folder, type_, taken)[0], "rb") as first:
                    self.direct[direct.name, type_] = first.read()
            with open(other.make(self.folder, type_, taken)[0], "rb") as second:
                if second.read() == self.direct[direct.name, type_]:
                    self.status[other.name, type_], self.nexts[other.name, type_] = known, self.nexts[direct.name, type_]
                    return
        except RuntimeError:
            pass  # run() finds out which
        self.run(other, type_, labels)

    def run_in(self, product, type_, runtime, labels):
        refused = {}
        while labels:
            result, labels = self.made(product, type_, labels)
            if not result:
                break
            path, branches = result
            theirs, said, where = runtime(self.folder, path, feeds_of(branches))
            if theirs is not None and not theirs[1]:
                for label in labels:
                    self.status[product.name, type_][label] = ("taken", "")
                break
            if theirs is not None:
                self.compare(product, type_, path, theirs)
                break
            culprit = label_in(where, labels) or label_in(said, labels)
            if not culprit:
                culprit, said = self.breaks(product, type_, runtime, labels, said)
            refused[culprit] = said
            labels = [label for label in labels if label != culprit]
        return list(refused), refused

    def breaks(self, product, type_, runtime, labels, said):
        """A branch on which the runtime ends without saying where: by halves."""
        while len(labels) > 1:
            half = labels[: len(labels) // 2]
            path, branches = product.make(self.folder, type_, half)
            theirs, text, _ = runtime(self.folder, path, feeds_of(branches))
            labels, said = (half, text) if theirs is None else (labels[len(half):], said)
        return labels[0], said

    def compare(self, product, type_, path, theirs):
        inputs, outputs, *steps = theirs
        ours = runtimes.quern(self.folder, product, path, inputs)
        for name, want in outputs.items():
            label, got = name.split("/")[0], ours[name]
            status, text = judged(product, got, want, (steps or [{}])[0].get(name))
            if self.status[product.name, type_].get(label, ("equal",))[0] in ("FAIL", "known"):
                continue
            notice = next((line for line in product.notices.splitlines() if NO_KERNEL in line), None) if product.mute else None
            if notice:  # then it computes something else
                status, text = ("no kernel", notice) if status == "FAIL" else ("FAIL", f"runs, and yet: {notice}")
            if status == "no kernel":
                self.refuse(product, type_, label, status, text)
            elif status == "FAIL":
                self.refuse(product, type_, label, status, text)
            else:
                self.status[product.name, type_][label] = (status, text)


def judged(product, got, want, step):
    if got.shape != want.shape or got.dtype != want.dtype:
        return "FAIL", f"{got.dtype}{list(got.shape)} here, {want.dtype}{list(want.shape)} there"
    if step:
        got, want = np.rint(got / step).astype(np.int64), np.rint(want / step).astype(np.int64)
    if got.dtype.kind == "f":
        far = float(np.abs(got.astype(np.float64) - want).max() / max(np.abs(want).max(), 1e-30))
        return ("float", "") if far <= product.near else ("FAIL", f"real numbers differ by {far:.1e}")
    steps = np.abs(got.astype(np.int64) - want.astype(np.int64))
    if steps.max() <= product.steps:
        return "equal", ""
    return "FAIL", f"{100 * np.mean(steps == 0):.1f} % of codes equal, greatest difference {steps.max()}"


def plain(text):
    """A refusal without names and numbers of this model."""
    text = text.splitlines()[0]
    text = re.sub(r"^\w+: ", "", text)
    text = re.sub(r"/tmp/\S+?: ", "", text)
    text = re.sub(r'(node|operator|value|input|output|tensor|step) "[^"]*"', r"\1", text)
    text = re.sub(r'"[^"]*/[^"]*"', '"..."', text)
    return text.replace("|", "\\|")


SECOND = "LiteRT has an optimised kernel only"


def table(found):
    """Lines of entries, their types and their labels together."""
    types, rows = collections.defaultdict(set), collections.defaultdict(set)
    for product, type_, label, text in found:
        types[product, text, label].add(type_)
    for (product, text, label), those in types.items():
        rows[product, text, tuple(t for t in FULL + WEIGHTS if t in those)].add(label.replace("_", " "))
    return [f"| {product} | {', '.join(those)} | {', '.join(sorted(labels))} | {text} |" for (product, text, those), labels in sorted(rows.items())]


def entries(text):
    """{(product, type, label, what is said)} of the page's tables but the last one, which is KNOWN."""
    found, spoken = set(), {label.replace("_", " ") for label in BRANCHES}
    for product, types, labels, said in (line[2:-2].split(" | ", 3) for line in text.split("## Diff")[0].splitlines() if line.startswith("| ")):
        found |= {(product, type_, label.replace(" ", "_"), said) for type_ in types.split(", ") for label in labels.split(", ") if label in spoken}
    return found


def held():
    """The page as it stands."""
    return open(PAGE).read() if os.path.exists(PAGE) else ""


def doubtful_of_page():
    """{(product, type): labels} that the page speaks of."""
    found = collections.defaultdict(set)
    for product, type_, label, _ in entries(held()):
        found[product, type_].add(label)
    return found


def page(status, nexts):
    """What was run, and of the rest what stands."""
    found = {entry for entry in entries(held()) if entry[:2] not in status}
    for (product, type_), labels in status.items():
        found |= {(product, type_, label, plain(text)) for label, (what, text) in labels.items() if what in ("refused", "no kernel")}
        found |= {(product, type_, label, SECOND) for label in nexts.get((product, type_), ()) if labels[label][0] not in ("refused", "no kernel")}
    refused, second = ({entry for entry in found if (entry[3] == SECOND) == last} for last in (False, True))
    lines = [
        "# Products that are refused", "",
        "What `quantize`, `model-convert` and `codegen` do not write of models of one operator, with what they say: written by `tests/peers/peer products build --rebase`,",
        "which also loads every product that is written in its own runtime and compares its codes. Operators are named as in tests/peers/products_nets.py. What Circle files have and onert no kernel for is written, as the format has other readers, and said: those lines stand here, too.", "",
        "| product | types | operators | what is said |", "|---|---|---|---|",
    ]
    lines += table(refused)
    lines += ["", "## Run by another kernel than the reference one", "", "| product | types | operators | why |", "|---|---|---|---|", *table(second)]
    lines += ["", "## Differences that stand", "", "| product | types | operators | why |", "|---|---|---|---|"]
    lines += sorted(f"| {name} | {', '.join(types)} | {labels.replace('|', ', ').replace('_', ' ')} | {why} |" for name, labels, types, why in KNOWN)
    return "\n".join(lines) + "\n"


def one_part(name, type_, labels, folder):
    """A product of one type, by all its ways, in a process of its own: -> lines, statuses."""
    product = next(p for p in PRODUCTS + MORE if p.name == name)
    if type_ not in product.types:
        return [], {}, {}, set()
    own = tempfile.mkdtemp(dir=folder)
    shutil.copy(f"{folder}/ranges.json", own)
    sweep, lines = Sweep(own, doubtful_of_page()), []
    part = labels if type_ in FULL else [label for label in labels if label.startswith(WEIGHTED)]
    sweep.run(product, type_, part)
    for other in product.others:
        sweep.run_other(product, other, type_, part)
    for each in (product, *product.others):
        found = sweep.status[each.name, type_]
        counts = collections.Counter(what for what, _ in found.values())
        lines += [(None, f"{each.name} {type_} {label}: {text}") for label, (what, text) in found.items() if what == "FAIL"]
        lines.append((counts["FAIL"] == 0, f"{each.name} {type_}: " + ", ".join(f"{n} {what}" for what, n in sorted(counts.items()))))
    shutil.rmtree(own)
    return lines, dict(sweep.status), dict(sweep.nexts), excused


# Types and formats whose ways are compared.
WAYS = [(type_, suffix) for type_ in ("i8", "w8a16", "u8-asym", "i16-sym", "wo-i8-sym", "f16") for suffix in ("tflite", "circle")
        if suffix == "circle" or type_ in ("i8", "w8a16", "f16")]

QUICK_WAYS = [("i8", "tflite"), ("u8-asym", "circle")]


def own_rules(type_, suffix):
    """Has `quantize` other rules where it writes this format itself?"""
    return type_ in FULL and (suffix == "tflite" or type_ not in ONE) or (type_, suffix) == ("wo-i8-sym", "circle")


def one_way(type_, suffix, labels, folder):
    """Of what all ways take."""
    own, said, refused = tempfile.mkdtemp(dir=folder), None, doubtful_of_page()["tflite-by-onnx", type_]
    labels = [label for label in labels if label not in refused]
    while labels and said is None:
        branches = model_of(labels, f"{own}/part.onnx")
        rows = [{name: runtimes.reals(name, shape, span, turn) for b in branches for name, shape, span in b.inputs} for turn in range(3)]
        try:
            said = ways.compare(own, f"{own}/part.onnx", rows, type_, suffix, own_rules(type_, suffix))
        except RuntimeError as problem:
            refused = label_in(str(problem), labels)
            labels, said = [label for label in labels if label != refused], None if refused else [str(problem)]
    shutil.rmtree(own)
    return bool(labels) and not said, f"ways to {suffix} {type_}: {len(labels)} models: " + ("; ".join(said or []) or "the same codes")


def contexts(types, labels, folder):
    """Contexts beside the models that they were made of, on one thread and on two."""
    for type_ in types:
        tool("quantize", f"{folder}/all.onnx", "--ranges", f"{folder}/ranges.json", "--force", "--type", type_, "--full-integer", "-q", "-o", f"{folder}/{type_}.qn")
    done = subprocess.run([f"{build}/tests/generated", "--context", *(f"{folder}/{type_}.qn" for type_ in types)], capture_output=True, text=True)
    return done.returncode == 0, "contexts: " + ([line for line in done.stdout.splitlines() + done.stderr.splitlines() if line] or ["nothing was said"])[-1]


def main():
    types = (option("--types") or ",".join(QUICK if "--quick" in sys.argv else FULL + UNSIGNED + WEIGHTS)).split(",")
    wanted = (option("--products") or ",".join([*(p.name for p in PRODUCTS), "ways"])).split(",")
    only = option("--only", "")
    labels = [label for label in BRANCHES if only in label]
    names, status, nexts, folder = [name for name in wanted if name != "ways"], {}, {}, tempfile.mkdtemp()
    runtimes.collect(folder, model_of(labels, f"{folder}/all.onnx"))
    with concurrent.futures.ProcessPoolExecutor(int(option("--jobs", "2"))) as pool:
        parts = [(name, type_, labels, folder) for name in names for type_ in types]
        for lines, found, others, used in pool.map(one_part, *zip(*parts)) if parts else ():
            status.update(found)
            nexts.update(others)
            excused.update(used)
            for ok, line in lines:
                check(ok, line) if ok is not None else print("      " + line, flush=True)
        if "ways" in wanted:
            part = [way for way in (QUICK_WAYS if "--quick" in sys.argv else WAYS) if way[0] in types]
            for ok, line in pool.map(one_way, *zip(*part), [labels] * len(part), [folder] * len(part)):
                check(ok, line)
            check(*contexts(types, labels, folder))
    shutil.rmtree(folder)
    if len(status) == sum(len(p.types) * (1 + len(p.others)) for p in PRODUCTS) and not only:
        unseen = [why for i, (*_, why) in enumerate(KNOWN) if i not in excused and why != TIES]  # ties fall otherwise on other processors
        check(not unseen, "what stands is seen: " + (", ".join(unseen) or "all of it"))
    if status and not only:
        made = page(status, nexts)
        stale = [f"\n      {line}" for line in sorted(set(made.splitlines()) ^ set(held().splitlines()))]
        if "--rebase" in sys.argv:
            with open(PAGE, "w") as file:
                file.write(made)
        check(held() == made, "docs/generated/refused-products.md says it" + "".join(stale if held() != made else []))
    finish("products")


if __name__ == "__main__":
    main()
