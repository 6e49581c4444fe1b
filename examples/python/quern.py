"""quern's sessions (quern/quern.h) for Python: models run, recorded and quantized on numpy arrays, by ctypes alone.

    import numpy, quern
    with quern.Session("net.onnx") as session:
        scores = session.run(image=numpy.zeros((1, 8, 8), numpy.float32))["scores"]

libquern.so.0 is found as the system finds libraries, or named by the variable QUERN_LIBRARY. A call that fails raises Error, whose text is the
library's and whose `status` is the exit code that quern's tools have for it: 2 usage, 3 bad input, 4 unsupported, 5 I/O, 70 a bug of quern.
"""
import contextlib
import ctypes
import json
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

import numpy

DTYPES = {1: numpy.float32, 2: numpy.float64, 3: numpy.float16, 11: numpy.int8, 12: numpy.int16, 13: numpy.int32, 14: numpy.int64, 15: numpy.uint8,
          16: numpy.uint16, 17: numpy.uint32, 18: numpy.uint64, 23: numpy.bool_, 25: numpy.complex64, 26: numpy.complex128}
CODES = {numpy.dtype(dtype): code for code, dtype in DTYPES.items()}
PREFERENCES = {"default": 0, "speed": 1, "size": 2}
STATES = {0: "created", 1: "loaded", 2: "prepared"}
RECORD_MINMAX = 1
USAGE = 2
LOG = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)


class Error(RuntimeError):
    """What quern_last_error() says."""

    def __init__(self, text, status):
        super().__init__(text)
        self.status = status


class IoInfo(ctypes.Structure):
    """quern_io_info"""
    _fields_ = [("struct_size", c_uint32), ("name", c_char_p), ("dtype", c_int32), ("storage", c_int32), ("scale", c_double), ("zero", c_int64),
                ("rank", c_int32), ("dims", POINTER(c_int64))]


# What each function takes behind the session.
FUNCTIONS = {
    "get_state": [POINTER(c_int32)], "set_log": [LOG, c_void_p], "set_threads": [c_int32], "load_model_from_file": [c_char_p],
    "load_model_from_memory": [c_char_p, c_size_t], "set_signature": [c_char_p], "set_input_shape": [c_size_t, c_int32, POINTER(c_int64)],
    "pin_input": [c_char_p], "set_available_backends": [c_char_p], "available_backends": [POINTER(c_char_p)],
    "set_backend_options": [c_char_p], "set_codegen_option": [c_char_p, c_char_p], "prepare": [],
    "input_count": [POINTER(c_size_t)], "output_count": [POINTER(c_size_t)], "input_info": [c_size_t, POINTER(IoInfo)],
    "output_info": [c_size_t, POINTER(IoInfo)], "set_input": [c_size_t, c_int32, c_void_p, c_size_t],
    "set_output": [c_size_t, c_int32, c_void_p, c_size_t], "run": [], "output_data": [c_size_t, POINTER(c_void_p), POINTER(c_size_t)],
    "set_execute_config": [c_int32], "reset_execute_config": [], "recorded_runs": [POINTER(c_uint64)], "set_quantization_type": [c_char_p],
    "set_quantization_target": [c_char_p], "is_quantized": [POINTER(c_int32)], "set_quantized_model_path": [c_char_p], "quantize": [], "set_codegen_model_path": [c_char_p], "codegen": [c_char_p, c_int32],
    "set_minmax_runs": [c_uint64], "run_with_auto_compilation": [c_char_p, c_int32], "model_path": [POINTER(c_char_p)]}


def _load():
    library = ctypes.CDLL(os.environ.get("QUERN_LIBRARY", "libquern.so.0"))
    for name, arguments in FUNCTIONS.items():
        function = getattr(library, "quern_" + name)
        function.argtypes, function.restype = [c_void_p, *arguments], c_int32
    library.quern_create_session.argtypes, library.quern_create_session.restype = [POINTER(c_void_p)], c_int32
    library.quern_close_session.argtypes, library.quern_close_session.restype = [c_void_p], None
    library.quern_last_error.argtypes, library.quern_last_error.restype = [], c_char_p
    return library


_library = _load()


def _check(status):
    if status:
        raise Error(_library.quern_last_error().decode(), status)


class Port:
    """An input or an output: name, dtype and dims (-1: open; None: not known); if it is quantized storage, scale and zero, too."""

    def __init__(self, info):
        self.name = info.name.decode()
        self.dtype, self.storage = (_dtype(code, self.name) for code in (info.dtype, info.storage))
        self.scale, self.zero = info.scale, info.zero
        self.dims = None if info.rank < 0 else tuple(info.dims[: info.rank])

    def __repr__(self):
        return f"{self.name}: {self.dtype} {self.dims}"


def _dtype(code, name):
    if code not in DTYPES:
        raise Error(f'"{name}": numpy has no type for dtype {code} of quern/graph.h', 4)
    return numpy.dtype(DTYPES[code])


class Session:
    """A model in use. `model`: a path, or the bytes of a file. `backend_options`: a dictionary for back ends that are libraries. `log` is called with
    the texts of notices."""

    def __init__(self, model, *, threads=None, backends=None, backend_options=None, signature=None, log=None):
        self._session, self._kept, self._bound = c_void_p(), {}, {}
        _check(_library.quern_create_session(byref(self._session)))
        try:
            if log:
                self._log = LOG(lambda _, text: log(text.decode()))
                self._call("set_log", self._log, None)
            if threads is not None:
                self._call("set_threads", threads)
            if backends is not None:
                self._call("set_available_backends", backends.encode())
            if backend_options is not None:
                self._call("set_backend_options", json.dumps(backend_options).encode())
            if signature is not None:
                self._call("set_signature", signature.encode())
            if isinstance(model, (bytes, bytearray)):
                self._call("load_model_from_memory", bytes(model), len(model))
            else:
                self._call("load_model_from_file", os.fsencode(model))
        except BaseException:
            self.close()
            raise

    def close(self):
        _library.quern_close_session(self._session)
        self._session = c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_session", None):
            self.close()

    def _call(self, name, *arguments):
        if not self._session:
            raise Error(f"{name}: the session is closed", USAGE)
        _check(getattr(_library, "quern_" + name)(self._session, *arguments))

    def _get(self, name, kind):
        value = kind()
        self._call(name, byref(value))
        return value.value

    def _ports(self, kind):
        ports = []
        for index in range(self._get(kind + "_count", c_size_t)):
            info = IoInfo(struct_size=ctypes.sizeof(IoInfo))
            self._call(kind + "_info", index, byref(info))
            ports.append(Port(info))
        return ports

    @property
    def inputs(self):
        return self._ports("input")

    @property
    def outputs(self):
        return self._ports("output")

    @property
    def state(self):
        return STATES[self._get("get_state", c_int32)]

    @property
    def path(self):
        """The file that runs: the model, or what was made of it."""
        return os.fsdecode(self._get("model_path", c_char_p))

    @property
    def backends(self):
        return self._get("available_backends", c_char_p).decode()

    @property
    def recorded_runs(self):
        return self._get("recorded_runs", c_uint64)

    @property
    def is_quantized(self):
        return bool(self._get("is_quantized", c_int32))

    def pin(self, name, value):
        """The input always has this value, and is no longer one."""
        self._call("pin_input", f"{name}={','.join(str(v) for v in numpy.ravel(value).tolist())}".encode())

    def prepare(self):
        self._call("prepare")

    def run(self, *arrays, auto=None, preference="default", **named):
        """Runs on one array for each input, by place or by name, of the input's dtype or its storage type; numbers and lists become its dtype.
        Gives {name: array} of the outputs. auto: a codegen target, or "": quern_run_with_auto_compilation()."""
        if self.state != "prepared":  # from now on shapes are those of the runs, not the model's for good
            self.prepare()
        ports = self.inputs
        for index, array in self._given(ports, arrays, named):
            self._set_input(index, ports[index], array)
        if auto is None:
            self._call("run")
        else:
            self._call("run_with_auto_compilation", auto.encode(), _preference(preference))
        return {port.name: self._bound[port.name] if port.name in self._bound else self._output(index, port)
                for index, port in enumerate(self.outputs)}

    def bind_output(self, name, array):
        """Runs write the output into this array, of its dtype or its storage type, and run() gives it; None: no longer."""
        ports = {port.name: (index, port) for index, port in enumerate(self.outputs)}
        if name not in ports:
            raise Error(f'no output "{name}"; the outputs are {", ".join(ports)}', USAGE)
        index, port = ports[name]
        if array is None:
            self._call("set_output", index, CODES[port.dtype], None, 0)
            self._bound.pop(name, None)
            return
        if not (array.flags.c_contiguous and array.flags.writeable and array.dtype in (port.dtype, port.storage)):
            raise Error(f'output "{name}": want a writable, contiguous array of {port.dtype}, got {array.dtype}', USAGE)
        self._call("set_output", index, CODES[array.dtype], array.ctypes.data, array.nbytes)
        self._bound[name] = array

    @staticmethod
    def _given(ports, arrays, named):
        names = [port.name for port in ports]
        for name in named:
            if name not in names:
                raise Error(f'no input "{name}"; the inputs are {", ".join(names)}', USAGE)
        if len(arrays) + len(named) != len(names) or set(names[: len(arrays)]) & set(named):
            raise Error(f"want one array for each of {', '.join(names)}; got {len(arrays)} by place, {len(named)} by name", USAGE)
        return [*enumerate(arrays), *((names.index(name), array) for name, array in named.items())]

    def _set_input(self, index, port, array):
        if not isinstance(array, numpy.ndarray):
            array = numpy.asarray(array, port.dtype)
        if array.dtype not in (port.dtype, port.storage):
            wanted = " or ".join(str(dtype) for dtype in dict.fromkeys((port.dtype, port.storage)))
            raise Error(f'input "{port.name}": want {wanted}, got {array.dtype}', USAGE)
        if array.shape != port.dims:
            self._call("set_input_shape", index, array.ndim, (c_int64 * array.ndim)(*array.shape))
        array = numpy.require(array, requirements="C")
        self._call("set_input", index, CODES[array.dtype], array.ctypes.data, array.nbytes)
        self._kept[index] = array  # which the library reads in each run from now on

    def _output(self, index, port):
        data, size = c_void_p(), c_size_t()
        self._call("output_data", index, byref(data), byref(size))
        return numpy.frombuffer(ctypes.string_at(data, size.value), port.dtype).reshape(port.dims).copy()

    @contextlib.contextmanager
    def recording(self):
        """Runs in this block record the ranges of all values, for quantize()."""
        if self.state != "prepared":
            self.prepare()
        self._call("set_execute_config", RECORD_MINMAX)
        try:
            yield self
        finally:
            self._call("reset_execute_config")

    def set_minmax_runs(self, runs):
        self._call("set_minmax_runs", runs)

    def set_quantization(self, type, path=None, target=None):
        """What quantize() and automatic compilation make: a type of `quern quantize --list-types`, where it goes, and by the rules of which
        target of `quern place --list-targets` (None: of the file)."""
        self._call("set_quantization_type", type.encode())
        self._call("set_quantization_target", target.encode() if target else None)
        self._call("set_quantized_model_path", os.fsencode(path) if path else None)

    def quantize(self, type, path=None, target=None):
        """The session goes on with the quantized model, which is also written: to `path`, in the format of its suffix."""
        self.set_quantization(type, path, target)
        self._call("quantize")

    def codegen(self, target, path=None, preference="default", **options):
        """Generates by a plugin of `quern codegen --list-plugins`, with options of its own; what can be run is loaded."""
        for name, text in options.items():
            self._call("set_codegen_option", name.encode(), str(text).encode())
        self._call("set_codegen_model_path", os.fsencode(path) if path else None)
        self._call("codegen", target.encode(), _preference(preference))


def _preference(name):
    if name not in PREFERENCES:
        raise Error(f'preference "{name}": want one of {", ".join(PREFERENCES)}', USAGE)
    return PREFERENCES[name]
