// Quantities of weights, biases and parameters.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/support/observe.h"
#include "libcore/support/units.h"

namespace quern::support {
namespace {

using List = std::vector<Observed>;

// The input at `index` of the operator's row, nullptr if the node has none there.
const Value* operand(const Graph& graph, const Node& node, int index) {
    if (index < 0 || static_cast<size_t>(index) >= node.in.size() || node.in[static_cast<size_t>(index)] == ValueId::none) return nullptr;
    return &graph.value(node.in[static_cast<size_t>(index)]);
}
const Value* weight_of(const Graph& graph, const Node& node) { return operand(graph, node, node.op->quant.weight); }
const Value* bias_of(const Graph& graph, const Node& node) {
    const ValueId id = bias_in_unit(graph, node);
    return id == ValueId::none ? nullptr : &graph.value(id);
}

template <class Fn>
List of_operand(const Value* value, const Fn& fact) {
    return value ? one(fact(*value)) : List{};
}
Fact constancy(const Value& value) { return yes_no(value.constant()); }
Fact rank(const Value& value) { return value.type.shape.ranked ? number(static_cast<double>(value.type.shape.rank())) : Fact(); }

List weight_constant(const Graph& graph, const Node& node, std::string_view) { return of_operand(weight_of(graph, node), constancy); }
List weight_storage(const Graph& graph, const Node& node, std::string_view) { return of_operand(weight_of(graph, node), storage_of); }
List weight_rank(const Graph& graph, const Node& node, std::string_view) { return of_operand(weight_of(graph, node), rank); }
List bias_constant(const Graph& graph, const Node& node, std::string_view) { return of_operand(bias_of(graph, node), constancy); }
List bias_storage(const Graph& graph, const Node& node, std::string_view) { return of_operand(bias_of(graph, node), storage_of); }
List bias_rank(const Graph& graph, const Node& node, std::string_view) { return of_operand(bias_of(graph, node), rank); }

List weight_zero(const Graph& graph, const Node& node, std::string_view) {
    return of_operand(weight_of(graph, node), [](const Value& value) { return yes_no(!value.enc || value.enc->symmetric()); });
}

List weight_per_channel(const Graph& graph, const Node& node, std::string_view) {
    return of_operand(weight_of(graph, node), [](const Value& value) { return yes_no(value.enc && !value.enc->per_tensor()); });
}

// The axis of output channels in a weight as it lies there.
size_t output_axis(const Node& node, size_t rank) {
    if (node.is(ops::MatMul)) return rank - 1;
    if (node.is(ops::Gemm)) return NodeView(node).integer("transB") ? 0 : 1;
    return static_cast<size_t>(node.op->quant.weight_axis);
}

// The greatest sum, over output channels, of the absolute codes (less the zero point).
List weight_sum(const Graph& graph, const Node& node, std::string_view) {
    const Value* value = weight_of(graph, node);
    if (!value || !value->constant() || !value->enc || !is_integer(value->enc->storage)) return {};
    const auto weight = graph.constant(node.in[static_cast<size_t>(node.op->quant.weight)]);
    const size_t axis = output_axis(node, weight->dims.size());
    if (axis >= weight->dims.size() || weight->count() == 0) return {};
    size_t inner = 1;
    for (size_t i = axis + 1; i < weight->dims.size(); ++i) inner *= static_cast<size_t>(weight->dims[i]);
    const auto channels = static_cast<size_t>(weight->dims[axis]);
    const std::vector<int64_t> codes = to_ints(*weight);
    const std::vector<int64_t> zeros = value->enc->zeros();
    std::vector<double> sums(channels, 0);
    for (size_t i = 0; i < codes.size(); ++i) {
        const size_t channel = i / inner % channels;
        const int64_t zero = zeros.size() == channels ? zeros[channel] : zeros.empty() ? 0 : zeros[0];
        sums[channel] += static_cast<double>(std::abs(codes[i] - zero));
    }
    return one(number(*std::max_element(sums.begin(), sums.end())));
}

List bias_bits(const Graph& graph, const Node& node, std::string_view) {
    const Value* value = bias_of(graph, node);
    if (!value || !value->constant() || !is_integer(value->storage())) return {};
    const auto bias = graph.constant(bias_in_unit(graph, node));
    int64_t max = 0;
    for (const int64_t code : to_ints(*bias)) max = std::max(max, code < 0 ? ~code : code);
    return one(number(static_cast<double>(std::bit_width(static_cast<uint64_t>(max)) + 1)));
}

// Every input that is not data, weight or bias.
List parameters_constant(const Graph& graph, const Node& node, std::string_view) {
    std::vector<bool> known(node.in.size());
    for (size_t i = 0; i < node.in.size(); ++i) known[i] = is_unit_bias(graph, node, i);
    for (const Datum& datum : inputs_of(graph, node)) known[datum.index] = true;
    List out;
    for (size_t i = 0; i < node.in.size(); ++i) {
        const bool other = static_cast<int>(i) == node.op->quant.weight || static_cast<int>(i) == node.op->quant.bias;
        if (node.in[i] != ValueId::none && !known[i] && !other)
            out.push_back({fmt::format("input {}", i), yes_no(graph.value(node.in[i]).constant())});
    }
    return out;
}

constexpr std::array weights_table{
    Quantity{"weight_constant", "constant weight", "yes if the weight is a constant", weight_constant},
    Quantity{"weight_storage", "storage of the weight", "", weight_storage},
    Quantity{"weight_rank", "rank of the weight", "", weight_rank},
    Quantity{"weight_symmetric", "symmetric weight", "yes if the weight's zero points are 0", weight_zero},
    Quantity{"weight_per_channel", "weight with scales per channel", "", weight_per_channel},
    Quantity{"weight_sum", "sum of absolute weights of a channel", "of the codes, the greatest of all output channels", weight_sum},
    Quantity{"bias_constant", "constant bias", "", bias_constant},
    Quantity{"bias_storage", "storage of the bias", "", bias_storage},
    Quantity{"bias_rank", "rank of the bias", "", bias_rank},
    Quantity{"bias_bits", "bits of the bias", "bits that the widest code of the bias takes", bias_bits},
    Quantity{"parameters_constant", "constant parameters", "yes for each shape, axis or other parameter that is a constant",
             parameters_constant},
};

}  // namespace

std::span<const Quantity> weight_quantities() { return weights_table; }

}  // namespace quern::support
