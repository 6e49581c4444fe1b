"""HDF5 files by h5py as samples: rows and records equal to the bit, in every type and layout that is read; what onert_run writes is what h5py reads."""
import os
import tempfile

import h5py
import numpy as np
import onnx
from onnx import TensorProto, helper

from checks import check, finish, said

random = np.random.default_rng(5)
ROW = (3, 5)
TYPES = {"float16": TensorProto.FLOAT16, "float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "int8": TensorProto.INT8, "int16": TensorProto.INT16,
         "int32": TensorProto.INT32, "int64": TensorProto.INT64, "uint8": TensorProto.UINT8, "uint16": TensorProto.UINT16, "uint32": TensorProto.UINT32,
         "uint64": TensorProto.UINT64, "bool": TensorProto.BOOL}
LAYOUTS = {"contiguous": {}, "chunked": {"chunks": (2, 3, 2)}, "gzip": {"chunks": (3, 3, 5), "compression": "gzip", "compression_opts": 9},
           "gzip, shuffle, fletcher32": {"chunks": True, "compression": "gzip", "shuffle": True, "fletcher32": True},
           "resizable": {"maxshape": (None, None, None), "chunks": (4, 4, 4)}, "compact": {}}


def numbers(kind, shape):
    if kind == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if kind.startswith("float"):
        return random.normal(0, 3, shape).astype(kind)
    limits = np.iinfo(kind)
    return random.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)


def net(inputs, path="net.onnx"):
    """Identities of inputs (name, type, dims)."""
    values = [helper.make_tensor_value_info(name, kind, dims) for name, kind, dims in inputs]
    outputs = [helper.make_tensor_value_info(f"{name}_out", kind, dims) for name, kind, dims in inputs]
    nodes = [helper.make_node("Identity", [name], [f"{name}_out"]) for name, _, _ in inputs]
    graph = helper.make_graph(nodes, "net", values, outputs)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def results(*inputs):
    """What run gives, by output: all samples behind one another, of the output's own type."""
    said("run", "net.onnx", *[word for text in inputs for word in ("--input", text)], "--native-io", "-o", "out.npz", "--format", "npz")
    found = {}
    with np.load("out.npz") as archive:
        for name in sorted(archive, key=lambda n: int(n.split("/")[0].split("_")[1])):
            found.setdefault(name.split("/", 1)[1], []).append(archive[name])
    return found


def equal(what, got, want):
    same = got.dtype == want.dtype and got.shape == want.shape and got.tobytes() == want.tobytes()
    check(same, f"{what}: {got.dtype}{list(got.shape)}, h5py {want.dtype}{list(want.shape)}, {'equal' if same else 'not equal'}")


def check_rows():
    for kind, code in TYPES.items():
        net([("x", code, [1, *ROW])])
        values = numbers(kind, (7, *ROW))
        for order in ("<", ">"):
            for layout, settings in LAYOUTS.items():
                if kind == "bool" and order == ">":
                    continue
                with h5py.File("rows.h5", "w") as file:
                    stored = values if kind == "bool" else values.astype(values.dtype.newbyteorder(order))
                    if layout == "compact":
                        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                        properties.set_layout(h5py.h5d.COMPACT)
                        space = h5py.h5s.create_simple(stored.shape)
                        h5py.h5d.create(file.id, b"x", h5py.h5t.py_create(stored.dtype, logical=True), space, properties).write(h5py.h5s.ALL, h5py.h5s.ALL, stored)
                    else:
                        file.create_dataset("x", data=stored, **settings)
                got = np.concatenate(results("x=rows.h5")["x_out"])
                equal(f"rows, {order}{kind}, {layout}", got, values)


def check_layouts():
    net([("a", TensorProto.FLOAT, [1, 4]), ("b", TensorProto.INT64, [1, "n"])])
    a, b = numbers("float32", (5, 1, 4)), [numbers("int64", (1, 2 + i)) for i in range(5)]
    with h5py.File("records.h5", "w") as file:  # ONE's: a group for each record, a dataset for each input
        for i in range(5):
            file[f"value/{i}/0"], file[f"value/{i}/1"] = a[i], b[i]
    found = results("records.h5")
    equal("records, first input", np.stack(found["a_out"]), a)
    for i in range(5):
        equal(f"records, second input of record {i}", found["b_out"][i], b[i])
    with h5py.File("one.h5", "w") as file:  # onert's: a dataset for each input
        file["value/0"], file["value/1"] = a[2].astype(">f4"), b[2]
    found = results("one.h5")
    equal("a dataset for each input", found["a_out"][0], a[2])
    equal("a dataset for each input, open dims", found["b_out"][0], b[2])
    with h5py.File("named.h5", "w", libver="latest") as file:
        file["train/a"], file["train/b"], file["other"] = a[:, 0], np.concatenate([x[:, :2] for x in b]), a[:1, 0]
    found = results("a=named.h5:/train/a", "b=named.h5:/train/b")
    equal("named datasets", np.concatenate(found["a_out"]), a[:, 0])
    equal("named datasets, second", np.concatenate(found["b_out"]), np.concatenate([x[:, :2] for x in b]))
    with open("list.txt", "w") as file:
        file.write("\n".join(f"a:=named.h5:/train/a b:=named.h5:/train/b" for _ in range(2)) + "\n")
    check(len(np.load(list_results())) == 20, "a list of two lines of five rows gives ten results of two outputs")
    for version in ("earliest", "v108", "v110"):
        with h5py.File("version.h5", "w", libver=(version, version) if version != "earliest" else "earliest") as file:
            file.create_dataset("a", data=a[:, 0], chunks=(1, 4), maxshape=(None, 4))
            file["b"] = np.concatenate([x[:, :2] for x in b])
        equal(f"file of libhdf5 {version}", np.concatenate(results("version.h5")["a_out"]), a[:, 0])


def list_results():
    said("run", "net.onnx", "--input-list", "list.txt", "-o", "list.npz", "--format", "npz")
    return "list.npz"


def check_onert_run():
    net([("a", TensorProto.FLOAT, [1, 4]), ("b", TensorProto.INT64, [1, "n"]), ("c", TensorProto.BOOL, [2])])
    a, b, c = numbers("float32", (1, 4)), numbers("int64", (1, 3)), numbers("bool", (2,))
    with h5py.File("in.h5", "w") as file:
        file["value/0"], file["value/1"], file["value/2"] = a, b, c
    said("onert_run", "net.onnx", "--load", "in.h5", "--dump", "out.h5", "--shape_prepare", "h5")
    with h5py.File("out.h5") as file:
        check(sorted(file["value"]) == ["0", "1", "2"], f"onert_run writes {sorted(file['value'])}")
        check(file["value/0"].dtype == np.dtype(">f4"), f"floats are {file['value/0'].dtype}")
        equal("onert_run, floats", file["value/0"][()].astype("<f4"), a)
        equal("onert_run, integers", file["value/1"][()].astype("<i8"), b)
        equal("onert_run, booleans", file["value/2"][()].astype(bool), c)


def refused(what, path, words):
    _, error = said("run", "net.onnx", "--input", f"x={path}", fails=False)
    check(words in error and error.count("\n") <= 2, f"{what}: {error.strip().splitlines()[0] if error else 'nothing was said'}")


def check_refused():
    net([("x", TensorProto.FLOAT, [1, 4])])
    row = numbers("float32", (3, 4))
    with h5py.File("other.h5", "w") as file:
        file["x"] = row
    with h5py.File("odd.h5", "w") as file:
        file.create_dataset("lzf", data=row, compression="lzf")
        file.create_dataset("rounded", data=row, scaleoffset=2)
        file.create_dataset("claims", shape=(1 << 40, 4), dtype="f4", chunks=(1024, 4), compression="gzip")
        file.create_dataset("chunk", shape=(4, 4), maxshape=(None, None), dtype="f4", chunks=(1 << 15, 1 << 14))
        file.create_dataset("complex", data=row.astype("complex64"))
        file.create_dataset("text", data=["a", "b"])
        file.create_dataset("none", data=h5py.Empty("f4"))
        file["soft"], file["far"] = h5py.SoftLink("/lzf"), h5py.ExternalLink("other.h5", "/x")
        layout = h5py.VirtualLayout(shape=(3, 4), dtype="f4")
        layout[:] = h5py.VirtualSource("other.h5", "x", shape=(3, 4))
        file.create_virtual_dataset("virtual", layout)
        file.create_dataset("outside", shape=(3, 4), dtype="f4", external=[("/etc/passwd", 0, 48)])
    refused("a filter that is a plugin's", "odd.h5:/lzf", "packed by filter 32000")
    refused("a filter that rounds", "odd.h5:/rounded", "packed by filter 6")
    refused("2^44 bytes that are not there", "odd.h5:/claims", "claims 17592186044416 bytes, 0 are in the file")
    refused("chunks of 2 GB", "odd.h5:/chunk", "chunks have more than")
    refused("complex numbers", "odd.h5:/complex", "elements are records")
    refused("strings", "odd.h5:/text", "elements are strings")
    refused("no numbers", "odd.h5:/none", "is empty")
    refused("a soft link", "odd.h5:/soft", 'has no dataset "soft"')
    refused("a link to another file", "odd.h5:/far", 'has no dataset "far"')
    refused("numbers of another file", "odd.h5:/virtual", "its numbers are in other files")
    refused("numbers of any file", "odd.h5:/outside", "its numbers are in other files")
    with h5py.File("circle.h5", "w") as file:
        file["a/b/x"] = row
        file["a/b/back"] = file["a"]
    equal("groups in a circle", np.concatenate(results("x=circle.h5:/a/b/x")["x_out"]), row)
    with h5py.File("deep.h5", "w") as file:
        file["/".join("d" * 100) + "/x"] = row
    refused("groups 100 deep", "deep.h5", "groups inside of one another more than 32 deep")
    with h5py.File("many.h5", "w", libver="latest") as file:
        for i in range(3000):
            file[f"value/{i}/0"] = row[i % 3 : i % 3 + 1]
    equal("3,000 records", np.concatenate(results("many.h5")["x_out"]), row[np.arange(3000) % 3])


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    check_rows()
    check_layouts()
    check_onert_run()
    check_refused()
finish("HDF5")
