#include "libcore/runs/other_runtime.h"

#include <algorithm>
#include <cstdlib>

#include "formats/read.h"
#include "formats/samples/results.h"
#include "libcore/base/text.h"
#include "libcore/exec/meaning.h"
#include "libcore/os/child.h"
#include "libcore/os/foreign_code.h"
#include "libcore/os/temporary.h"
#include "libcore/runs/runner.h"

namespace quern {
namespace {

// What Python is told: `open` binds `version` and what the rest calls; `load` makes `specs` and run(tensors) of the file `model`. On x86
// without VNNI onnxruntime's sums of products saturate unless asked not to, and so asked it loads no weights of 8 bits that two operators
// read. onert says on standard output what went wrong, and not how codes are stored: `own_inputs` and `own_outputs` do, [(element type,
// scale or 0, zero point, shape)] as the file was read here.
struct Row {
    std::string_view format, package, open, load;
};
constexpr Row rows[] = {
    {"onnx", "onnxruntime",
     R"py(
import onnxruntime
version = "onnxruntime " + onnxruntime.__version__
)py",
     R"py(
def opened(exact_sums):
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", exact_sums)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
try:
    session = opened("1")
except Exception as failure:
    if "replace the existing tensor" not in str(failure):
        raise
    session = opened("0")
specs = session.get_inputs()
def run(tensors):
    types = {"tensor(float16)": numpy.float16}
    return session.run(None, {spec.name: tensor.astype(types.get(spec.type, tensor.dtype)) for spec, tensor in zip(specs, tensors)})
)py"},
    {"tflite", "ai-edge-litert",
     R"py(
import importlib.metadata
from ai_edge_litert.interpreter import Interpreter
version = "LiteRT " + importlib.metadata.version("ai-edge-litert")
)py",
     R"py(
interpreter = Interpreter(model_path=model)
specs = interpreter.get_input_details()
def run(tensors):
    for spec, tensor in zip(specs, tensors):
        if tuple(spec["shape"]) != tensor.shape:
            interpreter.resize_tensor_input(spec["index"], tensor.shape)
    interpreter.allocate_tensors()
    for spec, tensor in zip(specs, tensors):
        interpreter.set_tensor(spec["index"], code(tensor, spec["dtype"], *spec["quantization"]))
    interpreter.invoke()
    return [number(interpreter.get_tensor(spec["index"]), *spec["quantization"]) for spec in interpreter.get_output_details()]
)py"},
    {"circle", "onert",
     R"py(
import importlib.metadata
from onert.native.libnnfw_api_pybind import infer, prepare_config
version = "onert " + importlib.metadata.version("onert")
)py",
     R"py(
os.dup2(2, 1)
specs = own_inputs
if any(kind == numpy.uint8 and scale != 0 for kind, scale, _, _ in own_inputs + own_outputs):
    sys.exit("onert's Python takes no uint8: --io float stores inputs and outputs as numbers")
def prepared(shapes):
    net = infer.nnfw_session(model, "cpu")
    net.set_prepare_config(prepare_config.ENABLE_INTERNAL_OUTPUT_ALLOC)
    for i, spec in enumerate(specs):
        if shapes[i] != spec[3]:
            info = net.input_tensorinfo(i)
            info.dims = list(shapes[i])
            net.set_input_tensorinfo(i, info)
    net.prepare()
    return net
nets = {}
def run(tensors):
    shapes = tuple(tensor.shape for tensor in tensors)
    net = nets.get(shapes) or prepared(shapes)
    nets.clear()
    nets[shapes] = net
    coded = [numpy.ascontiguousarray(code(tensor, *spec[:3])) for spec, tensor in zip(specs, tensors)]
    for i, tensor in enumerate(coded):
        net.set_input(i, tensor)
    net.run()
    results = [number(net.get_output(i).copy(), scale, zero) for i, (_, scale, zero, _) in enumerate(own_outputs)]
    return [result.reshape(shape) if shape and result.size == numpy.prod(shape) else result for result, (_, _, _, shape) in zip(results, own_outputs)]
)py"},
};

constexpr std::string_view before = R"py(
import os, sys
try:
    import numpy
)py",
                           missing = R"py(
except ImportError as error:
    sys.exit(str(error))
)py",
                           codes = R"py(
def code(tensor, kind, scale, zero):
    if scale == 0 or tensor.dtype == kind:
        return tensor.astype(kind)
    steps = tensor / numpy.float32(scale)
    steps = numpy.trunc(steps + numpy.copysign(numpy.float32(0.5), steps)) + zero
    limits = numpy.iinfo(kind)
    return numpy.clip(steps, limits.min, limits.max).astype(kind)
def number(tensor, scale, zero):
    is_code = scale != 0 and not numpy.issubdtype(tensor.dtype, numpy.floating)
    return (tensor.astype(numpy.float32) - zero) * numpy.float32(scale) if is_code else tensor
)py",
                           after = R"py(
at, inputs, outputs = 0, os.environ["QUERN_INPUT_NAMES"].split(), os.environ["QUERN_OUTPUT_NAMES"].split()
if len(inputs) != len(specs):
    sys.exit("the file has %d inputs there, not %d" % (len(specs), len(inputs)))
while os.path.isdir("%s/Result_%d" % (os.environ["QUERN_INPUTS"], at)):
    got = run([numpy.load("%s/Result_%d/%s.npy" % (os.environ["QUERN_INPUTS"], at, name)) for name in inputs])
    if len(got) != len(outputs):
        sys.exit("the file has %d outputs there, not %d" % (len(got), len(outputs)))
    os.makedirs("%s/Result_%d" % (os.environ["QUERN_OUTPUTS"], at))
    for name, tensor in zip(outputs, got):
        numpy.save("%s/Result_%d/%s.npy" % (os.environ["QUERN_OUTPUTS"], at, name), tensor)
    at += 1
)py";

std::string indented(std::string_view text) {
    std::string out;
    for (const std::string& line : split(text, '\n')) out += "    " + line + "\n";
    return out;
}

std::string opening(const Row& row) { return fmt::format("{}{}{}", before, indented(row.open), missing); }

std::string stems(const std::vector<InputSpec>& specs) {
    std::vector<std::string> names;
    for (const InputSpec& spec : specs) names.push_back(result_stem(spec.name));
    return join(names, " ");
}

// `name` bound to how the file stores these, as Python says it.
std::string stored_as(std::string_view name, const std::vector<InputSpec>& specs) {
    std::string rows;
    for (const InputSpec& spec : specs) {
        const bool coded = spec.enc && spec.enc->plain_integer();
        std::string dims;
        if (const auto shape = spec.type.shape.concrete())
            for (const int64_t dim : *shape) dims += fmt::format("{},", dim);
        rows += fmt::format("(numpy.dtype(\"{}\"), {}, {}, ({})), ", name_of(spec.raw_dtype(true)),
                            coded ? to_floats(spec.enc->scale).front() : 0.0f, coded ? spec.enc->zero_at() : 0, dims);
    }
    return fmt::format("{} = [{}]\n", name, rows);
}

}  // namespace

OtherRuntime::OtherRuntime(std::string_view name)
    : row_(static_cast<size_t>(std::ranges::find(other_runtimes, name) - other_runtimes.begin())) {
    const char* set = std::getenv("QUERN_PYTHON");
    python_ = set && *set ? set : "python3";
    const Row& row = rows[row_];
    need_foreign_code();
    if (!on_path(python_))
        throw unsupported("{} is not on the PATH", escape(python_))
            .with_hint(fmt::format("QUERN_PYTHON names a Python that has {}", row.package));
    const ChildResult asked = run_child({python_, "-c", opening(row) + "print(version)\n"}, {.folder = {}, .variables = {}, .apart = true});
    if (asked.status != 0)
        throw unsupported("{} has no {}", escape(python_), row.package)
            .with_details(last_lines(asked.errors, 1))
            .with_hint("QUERN_PYTHON names a Python that has it");
    version_ = printable(trim(asked.output));
}

std::string_view OtherRuntime::format() const { return rows[row_].format; }

Comparison OtherRuntime::compare(const std::string& path,
                                 const std::function<std::unique_ptr<SampleSource>(const std::vector<InputSpec>&)>& open,
                                 int threads) const {
    const Graph graph = as_encoded(read_model(path).graph);
    std::vector<InputSpec> inputs = input_specs(graph);
    const std::vector<InputSpec> outputs = output_specs(graph);
    for (InputSpec& spec : inputs) spec.open_batch = false;  // an array is run as it is
    const TemporaryFolder folder;
    const std::string own = folder.path() + "/own", others = folder.path() + "/others", samples = folder.path() + "/samples";
    const auto given = make_result_writer("npy", samples, inputs, false), got = make_result_writer("npy", own, outputs, false);
    const RunSettings settings{.compile = {.mode = own_mode(graph)}, .threads = threads};
    const auto source = open(inputs);
    run_samples(
        graph, *source, plan_states(graph, false, {}), settings,
        [&](const Result& result) {
            if (source->results(result.number) != 1)
                throw unsupported("samples that fill a batch together cannot be compared: give whole batches");
            given->write(result.number, result.inputs);
            got->write(result.number, result.outputs);
        },
        [] {});
    const ChildSettings how{.folder = {},
                            .variables = {"QUERN_MODEL=" + path, "QUERN_INPUTS=" + samples, "QUERN_OUTPUTS=" + others,
                                          "QUERN_INPUT_NAMES=" + stems(inputs), "QUERN_OUTPUT_NAMES=" + stems(outputs)},
                            .apart = true};
    const Row& row = rows[row_];
    const std::string script = fmt::format("{}{}{}{}model = os.environ[\"QUERN_MODEL\"]\n{}{}", opening(row), codes,
                                           stored_as("own_inputs", inputs), stored_as("own_outputs", outputs), row.load, after);
    const ChildResult result = run_child({python_, "-c", script}, how);
    if (result.status != 0)
        throw unsupported("{} could not run it (exit {})", version_, result.status).with_details(last_lines(result.errors, 3));
    Comparison comparison = compare_results(others, own);
    for (ComparedValue& value : comparison.values)
        for (const InputSpec& spec : outputs)
            if (result_stem(spec.name) == value.key) value.key = spec.name;
    return comparison;
}

}  // namespace quern
