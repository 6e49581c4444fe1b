#include "libcore/passes/pin.h"

#include <cmath>

#include "libcore/base/text.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/op.h"
#include "libcore/graph/quantize.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/pipelines.h"

namespace quern {
namespace {

double number_of(const std::string& item, DType dtype, const std::string& spec) {
    const std::string text(trim(item));
    if (dtype == DType::boolean && (text == "true" || text == "false")) return text == "true";
    const auto number = parse_double(text);
    const bool whole = number && *number == std::floor(*number) && std::abs(*number) < 0x1p53;
    if (!number || (!is_float(dtype) && !whole) || (dtype == DType::boolean && *number != 0 && *number != 1))
        throw usage_error("--pin {}: got \"{}\", need a {}", escape(spec), escape(text), name_of(dtype));
    if (is_integer(dtype) && (*number < static_cast<double>(int_range(dtype).min) || *number > static_cast<double>(int_range(dtype).max)))
        throw usage_error("--pin {}: {} does not fit {}", escape(spec), escape(text), name_of(dtype));
    return *number;
}

Tensor tensor_of(const Type& type, const std::string& values, const std::string& spec) {
    const auto dims = type.kind == Type::Kind::tensor ? type.shape.concrete() : std::nullopt;
    const bool numbers = is_float(type.dtype) || is_integer(type.dtype) || type.dtype == DType::boolean;
    if (!numbers) throw usage_error("--pin {}: the input is {}, need numbers", escape(spec), to_string(type));
    if (!dims) throw usage_error("--pin {}: the input is {}", escape(spec), to_string(type)).with_hint("--shape fixes its open dims");
    std::vector<double> items;
    for (const std::string& item : split(values, ',')) items.push_back(number_of(item, type.dtype, spec));
    const auto count = static_cast<size_t>(count_of(*dims));
    if (items.size() == 1) items.resize(count, items[0]);
    if (items.size() != count)
        throw usage_error("--pin {}: got {} numbers, need 1 or {} ({})", escape(spec), items.size(), count, to_string(type));
    if (type.dtype == DType::f64) return from_doubles(type.dtype, *dims, items);
    if (is_float(type.dtype)) return from_floats(type.dtype, *dims, std::vector<float>(items.begin(), items.end()));
    return from_ints(type.dtype, *dims, std::vector<int64_t>(items.begin(), items.end()));
}

void pin(Graph& graph, const std::string& spec) {
    const size_t equals = spec.rfind('=');
    if (equals == std::string::npos) throw usage_error("--pin {}: need NAME=NUMBER", escape(spec));
    const std::string name = spec.substr(0, equals);
    const ValueId id = input_named(graph, name, "--pin");
    Value& value = graph.value(id);
    const Tensor tensor = tensor_of(value.type, spec.substr(equals + 1), spec);
    value.data = (value.enc ? quantize(tensor, *value.enc) : tensor).data;
    std::erase(graph.inputs, id);
}

}  // namespace

void pin_inputs(Graph& graph, std::span<const std::string> specs) {
    if (specs.empty()) return;
    for (const std::string& spec : specs) pin(graph, spec);
    infer_types(graph);
    run_pipeline(graph, pipelines::pinned);
}

void fix_inputs(Graph& graph, const FixedInputs& fixed) {
    set_input_shapes(graph, fixed.shapes);
    pin_inputs(graph, fixed.pins);
}

}  // namespace quern
