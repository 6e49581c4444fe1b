"""One-operator TFLite files, written with the schema classes that come with LiteRT."""
import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TYPES = {np.dtype(np.float32): 0, np.dtype(np.int32): 2, np.dtype(np.uint8): 3, np.dtype(np.int64): 4, np.dtype(bool): 6, np.dtype(np.int16): 7, np.dtype(np.int8): 9,
         np.dtype(np.uint64): 12, np.dtype(np.uint32): 15, np.dtype(np.uint16): 16}
RESOURCE, STRING, COMPLEX64 = 13, 5, 8


def texts(words):
    """A tensor of texts as a buffer holds it."""
    at, head = 4 * (len(words) + 2), [len(words)]
    for word in [*words, None]:
        head.append(at)
        at += len(word or "")
    return np.array(head, np.int32).tobytes() + "".join(words).encode()


class Case:
    """inputs are fed in order; `operator` names the builtin, `options` its fields."""

    types, tolerance, positive, avoided = TYPES, 1e-6, False, ()

    def __init__(self, operator, options_type=None, version=1, **options):
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.buffers = [schema.BufferT()]
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.inputs, self.graph.outputs = [], [], []
        self.operator = schema.OperatorT()
        self.operator.inputs, self.operator.outputs, self.operator.intermediates = [], [], []
        self.more, self.others = [], []  # operators behind it, other subgraphs
        self.model.operatorCodes = []
        self.set_code(self.operator, operator, options_type, version, options)

    def set_code(self, target, operator, options_type=None, version=1, options={}):
        code = schema.OperatorCodeT()
        custom = not hasattr(schema.BuiltinOperator, operator)
        code.builtinCode = schema.BuiltinOperator.CUSTOM if custom else getattr(schema.BuiltinOperator, operator)
        code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        code.version = version
        if custom:
            code.customCode = operator
        target.opcodeIndex = len(self.model.operatorCodes)
        self.model.operatorCodes.append(code)
        if not options_type:
            return
        second = hasattr(schema.BuiltinOptions2, options_type)
        made = getattr(schema, options_type + "T")()
        for name, value in options.items():
            setattr(made, name, value)
        if second:
            target.builtinOptions2Type, target.builtinOptions2 = getattr(schema.BuiltinOptions2, options_type), made
        else:
            target.builtinOptionsType, target.builtinOptions = getattr(schema.BuiltinOptions, options_type), made

    def then(self, operator, inputs, outputs, options_type=None, version=1, first=False, **options):
        """One more operator, between tensors by number; `first`: in front of all others."""
        target = schema.OperatorT()
        target.inputs, target.outputs = inputs, outputs
        self.set_code(target, operator, options_type, version, options)
        self.more.insert(0, (first, target))
        return self

    def subgraph(self, fill):
        """Another subgraph: `fill` adds to it as to the first one, and returns its inputs and outputs."""
        outer = self.graph, self.more
        self.graph, self.more = schema.SubGraphT(), []
        self.graph.tensors = []
        self.graph.inputs, self.graph.outputs = fill(self)
        self.graph.operators = [target for _, target in reversed(self.more)]
        self.others.append(self.graph)
        self.graph, self.more = outer
        return self

    def tensor(self, dtype, shape, scale=None, zero=0, data=None, axis=0, variable=False):
        tensor = schema.TensorT()
        tensor.name = f"t{len(self.graph.tensors)}"
        tensor.type = dtype if isinstance(dtype, int) else TYPES[np.dtype(dtype)]
        tensor.shape, tensor.isVariable = list(shape), variable
        if scale is not None:
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale = [float(np.float32(s)) for s in np.atleast_1d(scale)]
            tensor.quantization.zeroPoint = [int(zero)] * len(tensor.quantization.scale)
            tensor.quantization.quantizedDimension = axis
        if data is not None:
            buffer = schema.BufferT()
            raw = data if isinstance(data, bytes) else np.ascontiguousarray(data, dtype).tobytes()
            buffer.data = np.frombuffer(raw, np.uint8)
            tensor.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        self.graph.tensors.append(tensor)
        return len(self.graph.tensors) - 1

    def fed(self, *args, positive=False, avoided=(), **kwargs):
        self.graph.inputs.append(self.tensor(*args, **kwargs))
        self.positive |= positive
        self.avoided = avoided
        self.operator.inputs.append(self.graph.inputs[-1])
        return self

    def constant(self, data, scale=None, zero=0, axis=0):
        data = np.asarray(data)
        self.operator.inputs.append(self.tensor(data.dtype, data.shape, scale, zero, data, axis))
        return self

    def variable(self, dtype, shape, scale=None, zero=0):
        self.operator.inputs.append(self.tensor(dtype, shape, scale, zero, variable=True))
        return self

    def absent(self, count=1):
        self.operator.inputs += [-1] * count
        return self

    def intermediate(self, dtype, scale, zero=0):
        self.operator.intermediates.append(self.tensor(dtype, [], scale, zero))
        return self

    def output(self, *args, **kwargs):
        self.graph.outputs.append(self.tensor(*args, **kwargs))
        self.operator.outputs.append(self.graph.outputs[-1])
        return self

    def write(self, path):
        behind = list(reversed(self.more))
        self.graph.operators = [t for first, t in behind if first] + [self.operator] + [t for first, t in behind if not first]
        self.model.subgraphs = [self.graph, *self.others]
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        with open(path, "wb") as file:
            file.write(bytes(builder.Output()))
