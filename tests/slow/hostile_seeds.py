"""Small whole files of every kind that the tools read, for tests/slow/hostile: made by the tools of the nets that the tests have, or written here."""
import io
import json
import pathlib
import struct
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LARGEST = 20000  # bytes


def message(*fields):
    """A protobuf message of (number, value): integers as varints, others as bytes."""
    def varint(number):
        parts = bytearray()
        while number > 127:
            parts.append(number & 127 | 128)
            number >>= 7
        return bytes([*parts, number])
    made = b""
    for number, value in fields:
        if isinstance(value, int):
            made += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            made += varint(number << 3 | 2) + varint(len(value)) + value
    return made


def tensorflow_graph():
    """y = Neg(x + w) of frozen TensorFlow."""
    def attribute(key, value):
        return 5, message((1, key), (2, value))
    shape = message((2, message((1, 2))))
    real = attribute("T", message((6, 1)))
    weight = message((1, 1), (2, shape), (4, struct.pack("<ff", 1, 2)))
    nodes = [message((1, "x"), (2, "Placeholder"), attribute("dtype", message((6, 1))), attribute("shape", message((7, shape)))),
             message((1, "w"), (2, "Const"), attribute("dtype", message((6, 1))), attribute("value", message((8, weight)))),
             message((1, "sum"), (2, "AddV2"), (3, "x"), (3, "w"), real), message((1, "y"), (2, "Neg"), (3, "sum"), real)]
    return b"".join(message((1, node)) for node in nodes)


def saved_model():
    def port(key, tensor):
        return message((1, key), (2, message((1, tensor), (2, 1), (3, message((2, message((1, 2))))))))
    signature = message((1, port("in", "x:0")), (2, port("out", "y:0")))
    graph = message((1, message((4, "serve"))), (2, tensorflow_graph()), (5, message((1, "serving_default"), (2, signature))))
    return message((1, 1), (2, graph))


def torch_program():
    """y = relu(x + w) as torch.export.save writes it."""
    meta = {"dtype": 7, "sizes": [{"as_int": 2}, {"as_int": 3}], "strides": [{"as_int": 3}, {"as_int": 1}], "storage_offset": {"as_int": 0}, "layout": 7}

    def tensor(name):
        return {"as_tensor": {"name": name}}
    nodes = [{"target": "torch.ops.aten.add.Tensor", "inputs": [{"name": "self", "arg": tensor("x")}, {"name": "other", "arg": tensor("p_w")}],
              "outputs": [tensor("add")], "metadata": {"nn_module_stack": "L__self__,,m.Net;L__self__a,a.b,m.Part"}},
             {"target": "torch.ops.aten.relu.default", "inputs": [{"name": "self", "arg": tensor("add")}], "outputs": [tensor("relu")], "metadata": {}}]
    graph = {"inputs": [tensor("p_w"), tensor("x")], "outputs": [tensor("relu")], "nodes": nodes,
             "tensor_values": {name: meta for name in ("x", "p_w", "add", "relu")}}
    signature = {"input_specs": [{"parameter": {"arg": {"name": "p_w"}, "parameter_name": "a.w"}}, {"user_input": {"arg": tensor("x")}}],
                 "output_specs": [{"user_output": {"arg": tensor("relu")}}]}
    program = {"schema_version": {"major": 8, "minor": 20}, "torch_version": "2.15.0", "graph_module": {"graph": graph, "signature": signature}}
    table = {"config": {"a.w": {"path_name": "weight_0", "is_param": True, "use_pickle": False, "tensor_meta": meta}}}
    return zipped({"m/models/model.json": json.dumps(program).encode(), "m/data/weights/weight_0": struct.pack("<6f", 1, -2, 3, -4, 5, -6),
                   "m/data/weights/model_weights_config.json": json.dumps(table).encode()})


def zipped(members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return packed.getvalue()


def array(shape=(2, 2), kind="<f4"):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(shape)}, }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    count = 1
    for dim in shape:
        count *= dim
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + bytes(count * int(kind[-1]))


def stream():
    return b"sample 0\nx\n" + array()


class Seeds:
    """By kind the names and bytes of whole files, in `folder`; `net`: a net that takes the samples and sidecars among them."""

    def __init__(self, bin_folder, folder):
        self.bin, self.folder, self.kinds = bin_folder, folder, {}
        self.net = folder / "net.mlir"
        self.net.write_text((ROOT / "tests/text/nets/gemm_relu.mlir").read_text())
        for name, dims in {"seen": "1x3x8x8", "heard": "?x64"}.items():
            (folder / f"{name}.mlir").write_text(f'%y = "onnx.Relu"(%x) : (tensor<{dims}xf32>) -> tensor<{dims}xf32>\n')
        self._add_models()
        self._add_sidecars()
        self._add_samples()

    def add(self, kind, name, data):
        if 0 < len(data) <= LARGEST:
            self.kinds.setdefault(kind, {})[name] = data

    def _tool(self, *arguments):
        """Whether it made what it was asked for: not every net can become every file."""
        return subprocess.run([self.bin / arguments[0], *map(str, arguments[1:]), "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def _made(self, kind, suffix, source, *arguments):
        product = self.folder / f"{source.stem}{suffix}"
        if self._tool(*arguments, "-o", product):
            self.add(kind, product.name, product.read_bytes())
        product.unlink(missing_ok=True)

    def _add_models(self):
        nets = [path for folder in ("text/nets", "models", "laws/graphs", "random/graphs") for path in sorted((ROOT / "tests" / folder).glob("*.mlir"))]
        for net in nets:
            self.add("text", net.name, net.read_bytes())
            for suffix in (".onnx", ".tflite", ".circle", ".qn"):
                self._made(suffix[1:], suffix, net, "model-convert", net)
                self._made(suffix[1:], "-i8" + suffix, net, "quantize", net, "--type", "wo-i8-sym")
            self._made("qctx", ".qctx", net, "codegen", net, "-p", "context")
        for path in sorted((ROOT / "tests/models/exports").glob("*/*.*")):
            if path.suffix in (".onnx", ".tflite"):
                self.add(path.suffix[1:], path.name, path.read_bytes())
        gguf = self.folder / "gguf"
        gguf.mkdir()
        subprocess.run([sys.executable, ROOT / "tests/fuzz/gguf_seeds.py", gguf], check=True)
        for path in sorted(gguf.iterdir()):
            self.add("gguf", path.name, path.read_bytes())
        self.add("pb", "graph.pb", tensorflow_graph())
        self.add("pb", "saved_model.pb", saved_model())
        self.add("pt2", "program.pt2", torch_program())

    def _add_sidecars(self):
        ranges = self.folder / "ranges.json"
        if self._tool("minmax-collect", self.net, "--random", "1", "--rows", "2", "-o", ranges):
            self.add("ranges", ranges.name, ranges.read_bytes())
        for kind, files in {"rules": ["rules.json"], "encodings": ["list.json", "old.json", "qnn.json", "onnx.json", "ort.json", "tensorrt.txt"],
                            "quantsim": ["quantsim.json"]}.items():
            for name in files:
                self.add(kind, name, (ROOT / "tests/fuzz/seeds/json_fuzz" / name).read_bytes())
        self.add("minmax", "two_runs.bin", (ROOT / "tests/fuzz/seeds/minmax_fuzz/two_runs").read_bytes())
        for name in ("nnpa.json", "two-npu.json"):
            self.add("target", name, (ROOT / "tests/fuzz/seeds/place_fuzz" / name).read_bytes())
        for name in ("a.json", "a.part"):
            self.add("placement", name, (ROOT / "tests/fuzz/seeds/place_fuzz" / name).read_bytes())
        weights = self.folder / "weights.safetensors"
        if self._tool("model-convert", self.net, "--dump-weights", weights, "-o", self.folder / "net.qn"):
            self.add("safetensors", weights.name, weights.read_bytes())

    def _add_samples(self):
        self.add("npy", "x.npy", array())
        self.add("npz", "x.npz", zipped({"x.npy": array((3, 2, 2))}))
        self.add("stream", "x.stream", stream())
        self.add("csv", "x.csv", b"1,2,3,4\n5,6,7,-8.5\n")
        self.add("list", "x.txt", b"#y\nx:=x.npy\n")
        for path in sorted((ROOT / "tests/fuzz/seeds/picture_fuzz").iterdir()):
            self.add("picture", path.name, path.read_bytes())
        for path in sorted((ROOT / "tests/fuzz/seeds/sound_fuzz").iterdir()):
            self.add("sound", path.name, path.read_bytes())
        collected = self.folder / "x.h5"
        (self.folder / "x.npy").write_bytes(array())
        if subprocess.run([self.bin / "onert_run", self.net, "--load", self.folder / "x.npy", "--dump", collected], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0:
            self.add("hdf5", collected.name, collected.read_bytes())
