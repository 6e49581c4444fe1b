"""Makes tests/models/exports/torch_functions: functions of torch as torch.export keeps them in its default dialect, many in a program.

    make_torch_functions.py FOLDER [NAME ...]    writes FOLDER/NAME.pt2, whose outputs have the names of the functions, and NAME.npz: inputs by name, and
                                                 "output FUNCTION" as torch computes it
    make_torch_functions.py --targets            the operators in all of them

Needs torch (scripts/torch.txt); what it made is committed, so nobody else does.
"""
import os
import sys
import tempfile
import warnings
import zipfile

import numpy as np
import torch
from torch import special
from torch.nn import functional as F

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
inf, nan = float("inf"), float("nan")
chance = torch.Generator().manual_seed(0)


def reals(*shape):
    return torch.rand(shape, generator=chance) * 0.8 + 0.1


def wide(*shape):
    return torch.randn(shape, generator=chance) * 2


def by_name(space, *names):
    return {name: getattr(space, name) for name in names}


def of_one(functions):
    return {name: lambda x, y, function=function: function(x) for name, function in functions.items()}


def changed(name, *more):
    """In place: what is written into a view is seen in the whole."""
    def function(x, y):
        whole = x * 2
        getattr(whole[1], name)(*more)
        return whole
    return function


EDGES = torch.tensor([nan, inf, -inf, 0.0, -0.0, 1e-3, -0.5, 1.0, 2.0, -3.0, 7.5, 30.0])
LINE = torch.tensor([3.0, 1.0, 2.0, 7.0, 5.0])
PROGRAMS = {
    # second names
    "one": ({"x": reals(2, 3, 4), "y": reals(2, 3, 4)}, {
        **of_one(by_name(torch, "absolute", "arccos", "arcsin", "arcsinh", "arctan", "arctanh", "negative", "fix")),
        "arccosh": lambda x, y: torch.arccosh(x + 1),
        **of_one({f"special_{name}": getattr(special, name) for name in ("erf", "erfc", "exp2", "expit", "expm1", "log1p", "logit", "sinc", "round")}),
        "special_logit eps": lambda x, y: special.logit(x, 0.3), "special_round 2": lambda x, y: special.round(x, decimals=2),
        "special_logsumexp": lambda x, y: special.logsumexp(x, (0, 2)), "special_logsumexp keepdim": lambda x, y: special.logsumexp(x, 1, keepdim=True),
        "special_softmax": lambda x, y: special.softmax(x, 1), "special_log_softmax": lambda x, y: special.log_softmax(x, -1),
        "into absolute": changed("absolute_"), "into negative": changed("negative_"), "into multiply": changed("multiply_", 3.0), "into arctan": changed("arctan_"),
        "into sinc": changed("sinc_"), "into xlogy": changed("xlogy_", 0.3), "into deg2rad": changed("deg2rad_"),
    }),
    "two": ({"x": reals(3, 4), "y": reals(4)}, {
        **by_name(torch, "multiply", "arctan2", "greater", "greater_equal", "less", "less_equal", "not_equal", "xlogy"),
        "special_xlogy": special.xlogy, "special_xlogy other": lambda x, y: special.xlogy(x, 0.3), "special_xlogy self": lambda x, y: special.xlogy(0.3, x),
        "xlogy other": lambda x, y: torch.xlogy(x, 2), "xlogy self": lambda x, y: torch.xlogy(0.5, x), "special_xlog1py": special.xlog1py,
        "special_xlog1py other": lambda x, y: special.xlog1py(x, 2),
        "multiply number": lambda x, y: torch.multiply(x, 3), "greater number": lambda x, y: torch.greater(x, 0.5), "not_equal number": lambda x, y: x.not_equal(2),
        "multiply to float": lambda x, y: torch.multiply((x * 10).int(), y), "linalg_matmul": torch.linalg.matmul,
        "float_power": torch.float_power, "float_power number": lambda x, y: torch.float_power(x, 2), "float_power of number": lambda x, y: torch.float_power(2, x),
    }),
    "edges": ({"x": torch.tensor([nan, inf, -inf, 0.0, -0.0, 1e-8, -0.5, 100.0]), "y": torch.tensor([0.0, 0.0, nan, nan, inf, 1e-8, 0.0, -0.5])}, {
        "xlogy": torch.xlogy, "xlogy back": lambda x, y: torch.xlogy(y, x), "special_xlog1py": special.xlog1py, "special_xlog1py back": lambda x, y: special.xlog1py(y, x),
        **of_one({"special_entr": special.entr, **by_name(torch, "isneginf", "isposinf", "deg2rad", "rad2deg")}),
        "sinc": lambda x, y: torch.sinc(y), "logcumsumexp": lambda x, y: torch.logcumsumexp(x.flip(0)[:7], 0), "nanmedian": lambda x, y: x.nanmedian(),
        "logcumsumexp far": lambda x, y: torch.logcumsumexp(torch.stack([x[2], x[7] * 10, x[2], x[5]]), 0), "logcumsumexp none": lambda x, y: torch.logcumsumexp(x[2:3], 0),
        "median": lambda x, y: x.median(), "median other": lambda x, y: x[1:].median(), "isneginf ints": lambda x, y: torch.isneginf(x[3:].int()),
    }),
    # those of passes/decompose, on every pair of edges
    "shared": ({"x": EDGES.repeat_interleave(len(EDGES)), "y": EDGES.repeat(len(EDGES))}, {
        **by_name(torch, "atan2", "hypot", "remainder", "fmod", "floor_divide", "logaddexp", "copysign", "fmax", "fmin"),
        **of_one(by_name(torch, "erfc", "lgamma", "digamma", "expm1", "log1p", "sign", "trunc", "frac", "log2", "log10", "isfinite", "rsqrt", "logit")),
        "floor_divide ints": lambda x, y: torch.floor_divide((x[60:132] * 7).long() + (1 << 53), (y[60:132].nan_to_num(4, 5, -6) * 2).long() | 1),
        "divide floor": lambda x, y: torch.div(x, y, rounding_mode="floor"), "divide trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    }),
    "matrices": ({"x": wide(2, 3, 3), "y": wide(2, 3, 3)}, {
        **of_one({"mT": lambda x: x.mT, "mH": lambda x: x.mH, "matrix_H": lambda x: x[0].H, "adjoint": torch.adjoint, "numpy_T": lambda x: x[0].T}),
        **of_one(by_name(torch, "positive", "ravel", "conj_physical", "real")), "frobenius_norm": lambda x, y: torch.frobenius_norm(x, (1, 2)),
        "trace": lambda x, y: torch.trace(x[0]), "trace 2": lambda x, y: torch.trace(x[0, :2]), "trace ints": lambda x, y: torch.trace((x[0] * 10).int()),
        "cross": torch.cross, "cross 1": lambda x, y: torch.cross(x, y, 1), "linalg_cross": torch.linalg.cross, "linalg_cross one": lambda x, y: torch.linalg.cross(x[:1], y),
        "inner": torch.inner, "inner line": lambda x, y: torch.inner(x[0, 0], y[0, 0]), "inner lines": lambda x, y: torch.inner(x, y[0, 0]),
        "linalg_vecdot": torch.linalg.vecdot, "linalg_vecdot 1": lambda x, y: torch.linalg.vecdot(x, y, dim=1), "linalg_vecdot less": lambda x, y: torch.linalg.vecdot(x, y[0]),
        "linalg_diagonal": lambda x, y: torch.linalg.diagonal(x), "linalg_diagonal 1": lambda x, y: torch.linalg.diagonal(x, offset=1, dim1=0, dim2=1),
        "linalg_norm": lambda x, y: torch.linalg.norm(x), "linalg_norm dim": lambda x, y: torch.linalg.norm(x, dim=1), "linalg_norm 1": lambda x, y: torch.linalg.norm(x, 1, -1, True),
        "linalg_norm inf": lambda x, y: torch.linalg.norm(x, inf, 0), "linalg_norm fro": lambda x, y: torch.linalg.norm(x, "fro", (0, 1)),
        "linalg_norm dims": lambda x, y: torch.linalg.norm(x, dim=(1, 2), keepdim=True), "linalg_matrix_norm": lambda x, y: torch.linalg.matrix_norm(x),
        "pairwise_distance": F.pairwise_distance, "pairwise_distance 1": lambda x, y: F.pairwise_distance(x, y, 1.0, keepdim=True), "dist": torch.dist,
        "dist 1": lambda x, y: torch.dist(x, y, 1),
        "into mT": lambda x, y: into_transposed(x), "row of mT": lambda x, y: x.mT[0].clone(),
    }),
    "order": ({"x": wide(3, 5, 4), "y": LINE}, {
        "median": lambda x, y: x.median(), "median odd": lambda x, y: y.median(), "median ints": lambda x, y: (x * 9).int().median(),
        "nanmedian": lambda x, y: torch.nanmedian(x), "nanmedian 1": lambda x, y: torch.nanmedian(x, 1).values,
        "nanmedian some": lambda x, y: torch.nanmedian(torch.where(x > 0.5, nan, x), 1, keepdim=True).values, "nanmedian last": lambda x, y: torch.nanmedian(x, -1).indices,
        "quantile": lambda x, y: torch.quantile(x, 0.3), "quantile 1": lambda x, y: torch.quantile(x, 0.3, dim=1), "quantile keepdim": lambda x, y: torch.quantile(x, 0.7, dim=2, keepdim=True),
        "quantile q": lambda x, y: torch.quantile(x, torch.tensor([0.25, 0.5, 1.0])), "quantile q 1": lambda x, y: torch.quantile(x, torch.tensor([0.25, 0.5]), dim=1),
        "quantile q keepdim": lambda x, y: torch.quantile(x, torch.tensor([0.25, 0.5]), dim=1, keepdim=True), "quantile q all": lambda x, y: torch.quantile(x, torch.tensor([0.1]), keepdim=True),
        "quantile all": lambda x, y: torch.quantile(x, 0.6, keepdim=True), "quantile nan": lambda x, y: torch.quantile(torch.where(x > 2.5, nan, x), 0.3, dim=0),
        **{f"quantile {how}": lambda x, y, how=how: torch.quantile(x, 0.37, dim=1, interpolation=how) for how in ("lower", "higher", "nearest", "midpoint")},
        "msort": lambda x, y: torch.msort(x), "logcumsumexp": lambda x, y: torch.logcumsumexp(x, 1), "logcumsumexp last": lambda x, y: torch.logcumsumexp(x * 50, -1),
    }),
    "joined": ({"x": wide(2, 4, 6), "y": wide(4)}, {
        "vstack": lambda x, y: torch.vstack((x[0, :, 0], y)), "vstack 2": lambda x, y: torch.vstack((x[0], x[1, :2])), "row_stack": lambda x, y: torch.row_stack((x, x)),
        "dstack": lambda x, y: torch.dstack((y, y + 1)), "dstack 2": lambda x, y: torch.dstack((x[0], x[1])), "dstack 3": lambda x, y: torch.dstack((x, x)),
        "column_stack": lambda x, y: torch.column_stack((x[0], y)), "column_stack mixed": lambda x, y: torch.column_stack((y.int(), y)),
        "broadcast_tensors": lambda x, y: sum(torch.broadcast_tensors(x[:, :, :1], y, x[0, 0, 0])), "broadcast_tensors 2": lambda x, y: torch.broadcast_tensors(y, x[..., 0])[0].clone(),
        "fliplr": lambda x, y: torch.fliplr(x), "flipud": lambda x, y: torch.flipud(x),
        "hsplit": lambda x, y: torch.hsplit(x, 2)[1].clone(), "hsplit line": lambda x, y: torch.hsplit(y, 2)[1].clone(), "vsplit": lambda x, y: torch.vsplit(x, 2)[1].clone(),
        "dsplit": lambda x, y: torch.dsplit(x, [2, 3])[1].clone(), "unsafe_chunk": lambda x, y: torch.unsafe_chunk(x, 3, 1)[1].clone(),
        "unsafe_split": lambda x, y: torch.unsafe_split(x, 4, 2)[1].clone(), "unsafe_split_with_sizes": lambda x, y: torch.unsafe_split_with_sizes(x, [1, 3], 1)[1].clone(),
        "where 0": lambda x, y: torch.where(x > 0)[0].clone(), "where 2": lambda x, y: torch.where(x > 0)[2].clone(),
    }),
    "losses": ({"x": wide(3, 4), "y": wide(3, 4)}, {
        f"{name} {how}": lambda x, y, function=function, how=how: function(x, y, reduction=how)
        for name, function in {"mse": F.mse_loss, "l1": F.l1_loss, "smooth_l1": F.smooth_l1_loss, "huber": F.huber_loss,
                               "smooth_l1 beta": lambda x, y, reduction: F.smooth_l1_loss(x, y, reduction=reduction, beta=0.5),
                               "huber delta": lambda x, y, reduction: F.huber_loss(x, y, reduction=reduction, delta=2.0)}.items()
        for how in ("none", "mean", "sum")}),
}


def into_transposed(x):
    whole = x * 2
    whole.mT[0, 1] = 5
    return whole


class Functions(torch.nn.Module):
    def __init__(self, functions):
        super().__init__()
        self.functions = functions

    def forward(self, x, y):
        return {name: function(x, y) for name, function in self.functions.items()}


class Cells(torch.nn.Module):
    def __init__(self):
        super().__init__()
        nn = torch.nn
        self.cells = nn.ModuleDict({"gru": nn.GRUCell(4, 5), "lstm": nn.LSTMCell(4, 5), "rnn tanh": nn.RNNCell(4, 5), "rnn relu": nn.RNNCell(4, 5, nonlinearity="relu"),
                                    "gru bare": nn.GRUCell(4, 5, bias=False), "lstm bare": nn.LSTMCell(4, 5, bias=False)})

    def forward(self, x, y):
        made = {name: cell(x, (y, y * 0.5)) if "lstm" in name else cell(x, y) for name, cell in self.cells.items()}
        steps = self.cells["lstm"](x * 2, made["lstm"])
        return {name: value[0] if isinstance(value, tuple) else value for name, value in made.items()} | {"lstm c": made["lstm"][1], "lstm twice": steps[0],
                                                                                                       "lstm c twice": steps[1], "gru line": self.cells["gru"](x[0], y[0])}


def programs():
    for name, (inputs, functions) in PROGRAMS.items():
        yield name, Functions(functions), inputs
    torch.manual_seed(0)
    yield "cells", Cells(), {"x": wide(3, 4), "y": wide(3, 5)}


def exported(module, inputs):
    return torch.export.export(module.eval(), (inputs["x"], inputs["y"]))


def targets():
    return sorted({str(node.target) for _, module, inputs in programs() for node in exported(module, inputs).graph.nodes if node.op == "call_function"})


def save(program, path):
    """Deflated, and without the lines of source that each node has."""
    with tempfile.TemporaryDirectory() as folder:
        torch.export.save(program, f"{folder}/a.pt2")
        with zipfile.ZipFile(f"{folder}/a.pt2") as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
            for item in old.infolist():
                new.writestr(zipfile.ZipInfo(item.filename), old.read(item), zipfile.ZIP_DEFLATED, 9)


def main():
    if sys.argv[1:] == ["--targets"]:
        print("\n".join(targets()))
        return
    folder, wanted = sys.argv[1], sys.argv[2:]
    os.makedirs(folder, exist_ok=True)
    for name, module, inputs in programs():
        if wanted and name not in wanted:
            continue
        program = exported(module, inputs)
        for node in program.graph.nodes:
            node.meta.pop("stack_trace", None)
        save(program, f"{folder}/{name}.pt2")
        with torch.no_grad():
            results = module(**inputs)
        np.savez_compressed(f"{folder}/{name}.npz", **{key: value.numpy() for key, value in inputs.items()},
                            **{f"output {key}": value.numpy() for key, value in results.items()})


main()
