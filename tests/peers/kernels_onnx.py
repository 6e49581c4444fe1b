"""What onnxruntime's CPU provider has kernels for, by opset: one-operator models of every quantized operator that a writer may choose, in each form, are loaded
and run. A form names the element types of the operands once each, then those of the results, as libcore/support/quantity_data.cpp says it: "float32[c]" are
scales for each channel, "float32[b]" for each block. Called by kernels.py."""
import collections

import numpy as np
import onnx
from onnx import TensorProto, helper

import ort_session

OPSETS = (13, 19, 21, 23, 24, 25, 26, 27, 28)
TYPES = {TensorProto.FLOAT: "float32", TensorProto.FLOAT16: "float16", TensorProto.INT8: "int8", TensorProto.UINT8: "uint8", TensorProto.INT16: "int16",
         TensorProto.UINT16: "uint16", TensorProto.INT32: "int32", TensorProto.INT4: "int4", TensorProto.UINT4: "uint4", TensorProto.INT2: "int2",
         TensorProto.UINT2: "uint2", TensorProto.FLOAT8E4M3FN: "float8e4m3fn", TensorProto.FLOAT8E5M2: "float8e5m2", TensorProto.BOOL: "bool"}
CODES = {name: code for code, name in TYPES.items()}
FED = {"float32": np.float32, "float16": np.float16, "int8": np.int8, "uint8": np.uint8, "int16": np.int16, "uint16": np.uint16, "int32": np.int32, "bool": bool}
WIDTH = {"int16": 2, "uint16": 2, "int32": 4}
BITS = {"int4": 4, "uint4": 4, "int2": 2, "uint2": 2}
BYTES, WORDS = ("int8", "uint8"), ("int8", "uint8", "int16", "uint16")
STORED = (*WORDS, "int4", "uint4", "int2", "uint2", "float8e4m3fn", "float8e5m2")
MOVERS = {"Concat": {"axis": 0}, "Expand": {}, "Flatten": {}, "Gather": {}, "Identity": {}, "MaxPool": {"kernel_shape": [2, 2]}, "Reshape": {}, "Slice": {},
          "Squeeze": {}, "Transpose": {}, "Unsqueeze": {}}
LISTS = {"Expand": [[1, 2, 4, 4]], "Gather": [[0]], "Reshape": [[1, 32]], "Slice": [[0], [1], [1]], "Squeeze": [[0]], "Unsqueeze": [[0]]}


def constant(name, kind, shape):
    count = int(np.prod(shape)) if shape else 1
    data = np.ones(count, FED[kind]).tobytes() if kind.startswith("float1") or kind == "float32" else bytes(-(-count * BITS[kind] // 8) if kind in BITS else count * WIDTH.get(kind, 1))
    return helper.make_tensor(name, CODES[kind], shape, data, raw=True)


class Net:
    """One operator; operands in order, `fed` or constant ("int8", shape); scales of more than one number are [c], of more than one dim [b]."""

    def __init__(self, op, result, domain="", **attributes):
        self.op, self.domain, self.results, self.attributes = op, domain, [result] if isinstance(result, str) else list(result), attributes
        self.inputs, self.constants, self.names, self.words = [], [], [], []

    def named(self, kind, word):
        self.names.append(f"t{len(self.names)}")
        if word not in self.words:
            self.words.append(word)
        return self.names[-1], kind

    def fed(self, kind, *shape):
        name, _ = self.named(kind, kind)
        self.inputs.append((name, kind, list(shape)))
        return self

    def put(self, kind, *shape):
        count = int(np.prod(shape)) if shape else 1
        many = kind in ("float32", "float16") and count > 1
        name, _ = self.named(kind, kind + (("[b]" if len(shape) > 1 else "[c]") if many else ""))
        self.constants.append(constant(name, kind, list(shape)))
        return self

    def integers(self, *lists):
        for numbers in lists:
            self.names.append(f"t{len(self.names)}")
            self.constants.append(helper.make_tensor(self.names[-1], TensorProto.INT64, [len(numbers)], numbers))
        return self

    def absent(self):
        self.names.append("")
        return self

    def form(self):
        right = list(dict.fromkeys(self.results))
        return right[0] if self.words == right else f"{' '.join(self.words)} -> {' '.join(right)}"

    def operator(self):
        return f"{self.domain}.{self.op}" if self.domain else self.op

    def runs(self, opset):
        node = helper.make_node(self.op, self.names, [f"y{i}" for i in range(len(self.results))], domain=self.domain, **self.attributes)
        graph = helper.make_graph([node], "net", [helper.make_tensor_value_info(name, CODES[kind], shape) for name, kind, shape in self.inputs],
                                  [helper.make_tensor_value_info(f"y{i}", CODES[kind], None) for i, kind in enumerate(self.results)], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)], ir_version=10)
        try:
            session = ort_session.made(model.SerializeToString(), ort_session.NONE, 1, False)
            if all(kind in FED for kind in self.results):
                session.run(None, {name: np.ones(shape, FED[kind]) for name, kind, shape in self.inputs})
            return True
        except Exception:  # onnxruntime's own kinds
            return False


def recodings():
    for domain in ("", "com.microsoft"):
        for kind in STORED:
            for real in ("float32", "float16"):
                for scales, attributes in (((), {}), ((4,), {"axis": 1}), ((2, 2), {"axis": 1, "block_size": 2})):
                    yield Net("QuantizeLinear", kind, domain, **attributes).fed(real, 2, 4).put(real, *scales).put(kind, *scales)
                    yield Net("DequantizeLinear", real, domain, **attributes).put(kind, 2, 4).put(real, *scales).put(kind, *scales)
        for scales, attributes in (((), {}), ((4,), {"axis": 1})):
            yield Net("DequantizeLinear", "float32", domain, **attributes).put("int32", 2, 4).put("float32", *scales)
    yield Net("DynamicQuantizeLinear", ("uint8", "float32", "uint8")).fed("float32", 2, 4)


def products():
    for x in BYTES:
        for w in BYTES:
            for scales in ((), (4,)):
                for y in BYTES:
                    for bias in (False, True):
                        net = Net("QLinearConv", y).fed(x, 1, 4, 5, 5).put("float32").put(x).put(w, 4, 4, 3, 3).put("float32", *scales).put(w, *scales).put("float32").put(y)
                        yield net.put("int32", 4) if bias else net
                        net = Net("QGemm", y, "com.microsoft", transB=0).fed(x, 2, 4).put("float32").put(x).put(w, 4, 4).put("float32", *scales).put(w, *scales)
                        yield (net.put("int32", 4) if bias else net.absent()).put("float32").put(y)
                    yield Net("QLinearMatMul", y).fed(x, 2, 4).put("float32").put(x).put(w, 4, 4).put("float32", *scales).put(w, *scales).put("float32").put(y)
                yield Net("MatMulIntegerToFloat", "float32", "com.microsoft").fed(x, 2, 4).put(w, 4, 4).put("float32").put("float32", *scales).put(x).put(w, *scales)
            yield Net("ConvInteger", "int32").fed(x, 1, 4, 5, 5).put(w, 4, 4, 3, 3).put(x).put(w)
            yield Net("MatMulInteger", "int32").fed(x, 2, 4).put(w, 4, 4).put(x).put(w)
    for w in BYTES:
        yield Net("DynamicQuantizeMatMul", "float32", "com.microsoft").fed("float32", 2, 4).put(w, 4, 4).put("float32").put(w)
    for real in ("float32", "float16"):
        for bits in (2, 4, 8):
            net = Net("MatMulNBits", real, "com.microsoft", K=32, N=4, bits=bits, block_size=16, accuracy_level=0)
            yield net.fed(real, 2, 32).put("uint8", 4, 2, 2 * bits).put(real, 4, 2).put("uint8", 4, -(-2 * bits // 8))
            net = Net("MatMulNBits", real, "com.microsoft", K=32, N=4, bits=bits, block_size=16)  # scales in one dim
            yield net.fed(real, 2, 32).put("uint8", 4, 2, 2 * bits).put(real, 8)
        for kind in ("int4", "uint4", "uint8"):
            for narrow in (False, True):
                net = Net("GatherBlockQuantized", real, "com.microsoft", gather_axis=0, quantize_axis=1, block_size=16, bits=8 if kind == "uint8" else 4).put(kind, 4, 32)
                net = net.put("int32", 1) if narrow else net.integers([0])
                yield net.put(real, 4, 2).put(kind, 4, 2)


def arithmetic():
    for kind in WORDS:
        def codes(net, *shape):
            return net.fed(kind, *shape).put("float32").put(kind)

        def like(op, **attributes):
            return Net(op, kind, "com.microsoft", **attributes)

        for op in ("QLinearAdd", "QLinearMul"):
            yield codes(codes(like(op), 2, 4), 2, 4).put("float32").put(kind)
        for op, attributes in (("QLinearSigmoid", {}), ("QLinearLeakyRelu", {"alpha": 0.1}), ("QLinearSoftmax", {"axis": -1, "opset": 13})):
            yield codes(like(op, **attributes), 2, 4).put("float32").put(kind)
        for op, attributes in (("QLinearAveragePool", {"kernel_shape": [2, 2]}), ("QLinearGlobalAveragePool", {"channels_last": 0})):
            yield codes(like(op, **attributes), 1, 2, 4, 4).put("float32").put(kind)
        yield codes(codes(like("QLinearConcat", axis=0).put("float32").put(kind), 2, 4), 2, 4)
        yield codes(codes(like("QLinearWhere").fed("bool", 2, 4), 2, 4), 2, 4).put("float32").put(kind)
        for op, attributes in MOVERS.items():
            yield Net(op, kind, **attributes).fed(kind, 1, 2, 4, 4).integers(*LISTS.get(op, []))


def nets():
    yield from recodings()
    yield from products()
    yield from arithmetic()


def lost():
    """Of real numbers: operators whose newer forms it may have no kernel for."""
    real = "float32"
    yield Net("GlobalLpPool", real).fed(real, 1, 2, 4, 4)
    yield Net("MaxRoiPool", real, pooled_shape=[2, 2]).fed(real, 2, 2, 4, 4).fed(real, 1, 5)
    yield Net("RoiAlign", real, output_height=2, output_width=2).fed(real, 1, 2, 4, 4).fed(real, 1, 4).integers([0])
    yield Net("Swish", real).fed(real, 2, 4)


def newest():
    """The greatest opset that it loads."""
    return max(opset for opset in range(13, 40) if Net("Identity", "float32").fed("float32", 2).runs(opset))


def table():
    last = newest()
    forms = collections.defaultdict(lambda: collections.defaultdict(list))
    for net in nets():
        for opset in (opset for opset in OPSETS if opset <= last):
            words = forms[net.operator()][opset]
            if net.form() not in words and net.runs(opset):
                words.append(net.form())
    rows = []
    for op, by_opset in sorted(forms.items()):
        opsets = sorted(by_opset)
        for i, opset in enumerate(opsets):
            if i > 0 and sorted(by_opset[opset]) == sorted(by_opset[opsets[i - 1]]):
                continue
            end = next((o for o in opsets[i + 1:] if sorted(by_opset[o]) != sorted(by_opset[opset])), None)
            span = {"min": opset} if i > 0 else {}
            span |= {"max": end - 1} if end else {}
            rows.append({"ops": [op]} | ({"opset": span} if span else {}) | {"constraints": [{"check": "types", "is": sorted(by_opset[opset]) or ["none"]}]})
    for net in lost():
        known = max(opset for opset in range(13, last + 1) if net.runs(opset))
        if known < last:
            rows.append({"ops": [net.operator()], "opset": {"min": known + 1}, "real": False})
    rows.sort(key=lambda row: row["ops"])
    return {"kind": "runtime", "version": 1, "name": "onnxruntime", "doc": "onnxruntime, CPU provider", "opset": last, "ops": rows}
