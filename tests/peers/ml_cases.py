#!/usr/bin/env python3
"""Writes single-operator cases of ai.onnx.ml with onnxruntime's outputs, in the layout of the ONNX backend cases.

    ml_cases.py FOLDER        then: conformance --folder FOLDER
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import helper, numpy_helper

from ort_session import NONE, session

ML = "ai.onnx.ml"
rng = np.random.default_rng(5)
out_folder = pathlib.Path(sys.argv[1])


def type_of(array):
    return onnx.TensorProto.STRING if array.dtype.kind in "OUS" else helper.np_dtype_to_tensor_dtype(array.dtype)


def proto_of(array):
    if type_of(array) != onnx.TensorProto.STRING:
        return numpy_helper.from_array(array)
    return helper.make_tensor("t", onnx.TensorProto.STRING, array.shape, [str(s).encode() for s in array.reshape(-1)])


def model_of(node, feed, outputs, version):
    inputs = [helper.make_tensor_value_info(n, type_of(a), a.shape) for n, a in feed.items()]
    graph = helper.make_graph([node], "case", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(ML, version)], ir_version=9)


def case(name, op, inputs, outputs=1, version=3, **attrs):
    feed = {f"x{i}": array for i, array in enumerate(inputs)}
    names = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, list(feed), names, name="node", domain=ML, **attrs)
    untyped = model_of(node, feed, [helper.make_value_info(n, onnx.TypeProto()) for n in names], version)
    results = [np.asarray(r) for r in session(untyped.SerializeToString(), NONE).run(None, feed)]
    types = [helper.make_tensor_value_info(n, type_of(r), r.shape) for n, r in zip(names, results)]
    data = out_folder / ("test_" + name) / "test_data_set_0"
    data.mkdir(parents=True)
    (data.parent / "model.onnx").write_bytes(model_of(node, feed, types, version).SerializeToString())
    for kind, arrays in (("input", feed.values()), ("output", results)):
        for i, array in enumerate(arrays):
            (data / f"{kind}_{i}.pb").write_bytes(proto_of(array).SerializeToString())


def numbers(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def labels():
    words = np.array([["b", "zz"], ["a", ""]], dtype=object)
    case("words_to_numbers", "LabelEncoder", [words], keys_strings=["a", "b"], values_int64s=[7, 9], default_int64=3, version=4)
    case("words_to_words", "LabelEncoder", [words], keys_strings=["a", "b"], values_strings=["x", "y"], version=4)
    case("numbers_to_reals", "LabelEncoder", [np.array([1, 5, -2], np.int64)], keys_int64s=[5, -2], values_floats=[0.5, 2.0], version=4)
    reals = np.array([0.5, np.nan, -0.0, 3.0], np.float32)
    case("reals_to_words", "LabelEncoder", [reals], keys_floats=[float("nan"), 0.0], values_strings=["none", "zero"], default_string="more", version=4)
    keys, values = (numpy_helper.from_array(np.array(items, np.float64), "t") for items in ([0.1, 2.0], [7.5, -1.0]))
    otherwise = numpy_helper.from_array(np.array([3.25]), "t")
    case("doubles", "LabelEncoder", [np.array([2.0, 0.1, 5.0])], keys_tensor=keys, values_tensor=values, default_tensor=otherwise, version=4)
    case("binarizer", "Binarizer", [numbers(3, 4)], threshold=0.25)
    case("columns", "ArrayFeatureExtractor", [numbers(3, 5), np.array([4, 0], np.int64)], version=1)
    case("columns_of_line", "ArrayFeatureExtractor", [numbers(5), np.array([1, 1, 2], np.int64)], version=1)


def grow(tree, features, targets, depth, leaf):
    """Nodes of one random tree as a dict of attribute lists; `leaf(node)` gives [(target, weight)]."""
    nodes = {key: [] for key in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids", "missing_value_tracks_true")}
    leaves = []

    def add(mode, feature=0, value=0.0, yes=0, no=0, missing=0):
        row = (tree, len(nodes["nodeids"]), feature, mode, value, yes, no, missing)
        for key, item in zip(nodes, row):
            nodes[key].append(item)
        return row[1]

    def build(level):
        if level == depth or (level > 1 and rng.random() < 0.2):
            at = add("LEAF")
            leaves.extend((tree, at, target, weight) for target, weight in leaf())
            return at
        mode = rng.choice(["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"], p=[0.5, 0.2, 0.1, 0.1, 0.05, 0.05])
        at = add(str(mode), int(rng.integers(features)), float(np.float32(rng.standard_normal())), missing=int(rng.integers(2)))
        nodes["truenodeids"][at] = build(level + 1)
        nodes["falsenodeids"][at] = build(level + 1)
        return at

    build(0)
    return nodes, leaves


def forest(kind, features, targets, trees=5, depth=4, spoken=None, positive=False):
    spoken = list(range(targets)) if spoken is None else spoken

    def leaf():
        return [(t, float(np.float32(abs(rng.standard_normal()) if positive else rng.standard_normal()))) for t in spoken]

    attrs, ends = {}, []
    for tree in range(trees):
        nodes, leaves = grow(tree, features, targets, depth, leaf)
        for key, items in nodes.items():
            attrs.setdefault(f"nodes_{key}", []).extend(items)
        ends += leaves
    for i, name in enumerate(("treeids", "nodeids", "ids", "weights")):
        attrs[f"{kind}_{name}"] = [end[i] for end in ends]
    return attrs


def samples(features=4, rows=12):
    x = numbers(rows, features)
    x[1, 2] = x[3, 0] = np.nan
    return x


def regressors():
    for how in ("SUM", "AVERAGE", "MIN", "MAX"):
        case(f"regressor_{how}", "TreeEnsembleRegressor", [samples()], aggregate_function=how, n_targets=2, base_values=[0.5, -1.0],
             **forest("target", 4, 2))
    for after in ("SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"):
        case(f"regressor_{after}", "TreeEnsembleRegressor", [samples()], post_transform=after, n_targets=3, **forest("target", 4, 3))
    case("regressor_one", "TreeEnsembleRegressor", [samples()], n_targets=1, **forest("target", 4, 1, trees=1, depth=1))


def classifiers():
    for after in ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"):
        for name, classes, spoken, positive in (("three", 3, None, False), ("second", 2, [1], False), ("second_positive", 2, [1], True), ("first", 2, [0], False),
                                                ("first_positive", 2, [0], True)):
            case(f"classifier_{name}_{after}", "TreeEnsembleClassifier", [samples()], outputs=2, post_transform=after,
                 classlabels_int64s=[4, 7, 9][:classes], **forest("class", 4, classes, spoken=spoken, positive=positive))
    case("classifier_words", "TreeEnsembleClassifier", [samples()], outputs=2, classlabels_strings=["a", "b", "c"],
         base_values=[0.1, 0.2, -0.3], **forest("class", 4, 3))


labels()
regressors()
classifiers()
