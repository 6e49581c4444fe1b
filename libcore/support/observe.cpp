#include "libcore/support/observe.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/support/operands.h"
#include "libcore/support/units.h"

namespace quern::support {
namespace {

bool carries_numbers(const Graph& graph, const Node& node, size_t i) {
    const Value& value = graph.value(node.in[i]);
    if (value.type.kind != Type::Kind::tensor) return false;
    if (static_cast<int>(i) == node.op->quant.bias) return false;
    if (static_cast<int>(i) == weight_input(graph, node) || is_unit_bias(graph, node, i)) return false;
    if (is_activation(graph, node, i)) return true;
    if (node.op->quant.kind != QuantRule::Kind::keep_float && is_float(value.type.dtype)) return i == 0 || !value.constant();
    return i == 0 || (!value.constant() && (is_float(value.type.dtype) || has(node.op->traits, Trait::elementwise)));
}

}  // namespace

std::vector<Datum> inputs_of(const Graph& graph, const Node& node) {
    std::vector<Datum> data;
    for (size_t i = 0; i < node.in.size(); ++i)
        if (node.in[i] != ValueId::none && carries_numbers(graph, node, i))
            data.push_back({fmt::format("input {}", i), &stored_value(graph, node.in[i]), i, false});
    return data;
}

std::vector<Datum> outputs_of(const Graph& graph, const Node& node) {
    std::vector<Datum> data;
    for (size_t i = 0; i < node.out.size(); ++i)
        if (node.out[i] != ValueId::none && graph.value(node.out[i]).type.kind == Type::Kind::tensor)
            data.push_back({fmt::format("output {}", i), &stored_value(graph, node.out[i]), i, true});
    return data;
}

std::vector<Datum> data_of(const Graph& graph, const Node& node) {
    std::vector<Datum> data = inputs_of(graph, node);
    for (Datum& datum : outputs_of(graph, node)) data.push_back(std::move(datum));
    return data;
}

std::optional<size_t> index_argument(std::string_view argument) {
    const auto index = parse_int(argument);
    return index && *index >= 0 && *index < 1024 ? std::optional(static_cast<size_t>(*index)) : std::nullopt;
}

std::vector<Dim> channels_last_dims(const Node& node, const Shape& shape) {
    if (!shape.ranked || shape.rank() < 2) return {};
    std::vector<Dim> dims = shape.dims;
    if (node.op->layout == Layout::spatial && !channels_last(NodeView(node))) std::rotate(dims.begin() + 1, dims.begin() + 2, dims.end());
    return dims;
}

std::optional<Window> node_window(const Graph& graph, const Node& node) {
    if (node.op->layout != Layout::spatial || node.in.empty() || node.in[0] == ValueId::none) return std::nullopt;
    const NodeView view(node);
    const Shape& shape = graph.value(node.in[0]).type.shape;
    const std::vector<Dim> dims = channels_last_dims(node, shape);
    if (dims.size() < 3) return std::nullopt;
    std::vector<Dim> space(dims.begin() + 1, dims.end() - 1);
    Dims kernel;
    const int weight = node.op->quant.weight;
    if (weight >= 0 && static_cast<size_t>(weight) < node.in.size() && node.in[static_cast<size_t>(weight)] != ValueId::none) {
        const auto filter = graph.value(node.in[static_cast<size_t>(weight)]).type.shape.concrete();
        if (!filter || filter->size() != dims.size()) return std::nullopt;
        const size_t first = channels_last(view) ? 1 : 2;
        kernel.assign(filter->begin() + static_cast<int64_t>(first), filter->begin() + static_cast<int64_t>(first + space.size()));
    } else if (view.has("kernel_shape")) {
        kernel = view.integers("kernel_shape");
    } else if (node.op->name.starts_with("Global")) {
        for (const Dim& dim : space) kernel.push_back(dim.value);
        if (std::any_of(space.begin(), space.end(), [](const Dim& dim) { return !dim.known(); })) return std::nullopt;
        Window window{kernel, Dims(kernel.size(), 1), Dims(kernel.size(), 1), Dims(kernel.size(), 0), Dims(kernel.size(), 0)};
        return window;
    } else {
        return std::nullopt;
    }
    if (kernel.size() != space.size() || std::any_of(kernel.begin(), kernel.end(), [](int64_t k) { return k < 1; })) return std::nullopt;
    return window_of(view, space, kernel);
}

std::optional<std::vector<int64_t>> constant_integers(const Graph& graph, const Node& node, size_t i) {
    if (i >= node.in.size()) return std::nullopt;
    const auto tensor = graph.constant(node.in[i]);
    if (!tensor || !is_integer(tensor->dtype) || tensor->count() > 64) return std::nullopt;
    return to_ints(*tensor);
}

}  // namespace quern::support
