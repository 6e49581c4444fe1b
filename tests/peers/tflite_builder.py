"""One-operator TFLite files, written with the schema classes that come with LiteRT."""
import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TYPES = {np.dtype(np.float32): 0, np.dtype(np.int32): 2, np.dtype(np.uint8): 3, np.dtype(np.int64): 4, np.dtype(bool): 6, np.dtype(np.int16): 7, np.dtype(np.int8): 9}


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
        code = schema.OperatorCodeT()
        code.builtinCode = getattr(schema.BuiltinOperator, operator)
        code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        code.version = version
        self.model.operatorCodes = [code]
        if options_type:
            self.operator.builtinOptionsType = getattr(schema.BuiltinOptions, options_type)
            self.operator.builtinOptions = getattr(schema, options_type + "T")()
            for name, value in options.items():
                setattr(self.operator.builtinOptions, name, value)

    def tensor(self, dtype, shape, scale=None, zero=0, data=None, axis=0, variable=False):
        tensor = schema.TensorT()
        tensor.name = f"t{len(self.graph.tensors)}"
        tensor.type, tensor.shape, tensor.isVariable = TYPES[np.dtype(dtype)], list(shape), variable
        if scale is not None:
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale = [float(np.float32(s)) for s in np.atleast_1d(scale)]
            tensor.quantization.zeroPoint = [int(zero)] * len(tensor.quantization.scale)
            tensor.quantization.quantizedDimension = axis
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(data, dtype).tobytes(), np.uint8)
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
        self.graph.operators = [self.operator]
        self.model.subgraphs = [self.graph]
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        with open(path, "wb") as file:
            file.write(bytes(builder.Output()))
