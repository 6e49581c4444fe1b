#include "libcore/exec/arithmetic.h"

#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/graph/questions.h"
#include "libcore/passes/shared.h"
#include "libcore/support/units.h"

namespace quern {
namespace {

const Profile& onnx_profile() {
    static const Profile& profile = need_profile("onnx");
    return profile;
}

bool is_encoded(const Graph& graph, ValueId id) { return id != ValueId::none && graph.value(id).enc.has_value(); }
bool is_dynamic(const Graph& graph, ValueId id) { return is_encoded(graph, id) && graph.value(id).enc->is_dynamic(); }
bool is_coded(const Graph& graph, ValueId id) { return is_encoded(graph, id) && is_integer(graph.value(id).enc->storage); }

bool takes(const ProfileRow& row, const Graph& graph, const Node& node, const std::optional<Encoding>& out) {
    using Result = ProfileRow::Result;
    return (row.result == Result::any || (row.result == Result::encoded) == out.has_value()) &&
           row.takes(graph, node, out ? *out : Encoding{});
}

// Functions of operator packages see whatever their operands are encoded in; products only if both sides are codes.
bool takes_registered(const Graph& graph, const Node& node) {
    if (!registered_on_codes(*node.op)) return false;
    const auto& out = graph.value(node.out[0]).enc;
    const int weight = node.op->quant.weight;
    return (!out || out->is_fixed()) && (weight < 0 || (is_coded(graph, node.in[0]) && static_cast<size_t>(weight) < node.in.size() &&
                                                        is_coded(graph, node.in[static_cast<size_t>(weight)])));
}

// Data movement moves codes if everything it moves has one encoding per tensor.
bool moves_codes(const Graph& graph, const Node& node) {
    if (!has(node.op->traits, Trait::data_movement)) return false;
    const auto fixed = [&](ValueId id) {
        const auto& enc = graph.value(id).enc;
        return enc && enc->is_fixed() ? &*enc : nullptr;
    };
    const Encoding* out = fixed(node.out[0]);
    if (!out || !out->per_tensor()) return false;
    if (makes_zeros(node) && !out->symmetric()) return false;
    const auto fits = [&](ValueId id) {
        if (id == ValueId::none) return true;
        return graph.value(id).enc ? fixed(id) && *fixed(id) == *out : graph.value(id).type.dtype != out->real;
    };
    return std::all_of(node.in.begin(), node.in.end(), fits) && std::all_of(node.out.begin(), node.out.end(), fits);
}

// A product whose real result goes to one Relu or Clip with an encoded output is requantized once, behind it.
void add_activation(const Graph& graph, StepDecision& unit) {
    const Node& node = *unit.nodes[0];
    if (std::ranges::any_of(node.in, [&](ValueId id) { return is_dynamic(graph, id); })) return;  // its sum is real
    const NodeId next = support::next_in_unit(graph, node.out[0]);
    if (next == NodeId::none) return;
    const Node& activation = graph.node(next);
    const auto& encoding = graph.value(activation.out[0]).enc;
    const auto bounds = encoding && encoding->plain_integer() ? clip_bounds(graph, activation) : std::nullopt;
    if (!bounds) return;
    const auto codes = to_ints(quantize(Tensor::vector<float>(std::array{bounds->low, bounds->high}), *encoding));
    unit.unit_out = encoding->with_limits(codes[0], codes[1]);
    unit.nodes.push_back(&activation);
}

// A row that takes the operands as they are encoded, with what it joins and the activation behind it where the row allows.
bool joins_rows(const Graph& graph, const Profile& profile, StepArithmetic how, StepDecision& decided) {
    const Node& node = *decided.nodes[0];
    if (std::any_of(node.in.begin(), node.in.begin() + node.op->in.min, [](ValueId id) { return id == ValueId::none; })) return false;
    for (const ProfileRow& row : profile.rows) {
        if (!node.is(row.op)) continue;
        StepDecision unit{joined_by(row, graph, node), {}, how, &row, row.eval};
        if (unit.nodes.empty()) continue;
        if (unit.nodes.size() > 1) unit.unit_out = graph.value(unit.nodes.back()->out[0]).enc;
        if (row.unit) add_activation(graph, unit);
        if (!takes(row, graph, node, unit.unit_out ? unit.unit_out : graph.value(node.out[0]).enc)) continue;
        decided = std::move(unit);
        return true;
    }
    return false;
}

// Does the node give one of its operands, in their encoding? Then real numbers give the same codes.
bool selects(const Graph& graph, const Node& node) {
    const auto& out = graph.value(node.out[0]).enc;
    return has(node.op->quant.traits, QuantTrait::selects) && std::ranges::all_of(node.in, [&](ValueId id) {
               return id == ValueId::none || graph.value(id).enc == out || !is_float(graph.value(id).type.dtype);
           });
}

// Does the node compute on weights that are codes, where the profile's kernels round the activations to codes, too?
bool leaves_activations_real(const Graph& graph, const Node& node, const Profile* profile) {
    return profile && profile->name != onnx_profile().name && node.is(ops::LSTM, ops::RNN, ops::own::SVDF) &&
           std::ranges::any_of(node.in, [&](ValueId id) { return is_encoded(graph, id) && graph.value(id).constant(); }) &&
           std::ranges::none_of(node.out, [&](ValueId id) { return is_encoded(graph, id); });
}

}  // namespace

StepDecision decide_arithmetic(const Graph& graph, const Node& node, const Profile* profile) {
    StepDecision decided{{&node}};
    if (node.out.empty() || node.out[0] == ValueId::none) return decided;
    if (profile && profile->name != onnx_profile().name && joins_rows(graph, *profile, StepArithmetic::profile, decided)) return decided;
    if (joins_rows(graph, onnx_profile(), StepArithmetic::onnx, decided)) return decided;
    if (takes_registered(graph, node)) {
        decided.how = StepArithmetic::onnx;
        decided.eval = registered_on_codes(*node.op);
    } else if (moves_codes(graph, node)) {
        decided.how = StepArithmetic::moves;
    }
    return decided;
}

std::string why_real(const Graph& graph, const Node& node, const Profile* profile) {
    if (node.out.empty()) return {};
    if (leaves_activations_real(graph, node, profile))
        return fmt::format("profile {} has no kernel for it that rounds the activations beside its weights", profile->name);
    const bool reads_codes = std::ranges::any_of(node.in, [&](ValueId id) { return is_coded(graph, id); });
    if (!node.bodies.empty() || !is_coded(graph, node.out[0]) || !reads_codes || selects(graph, node)) return {};
    if (has(node.op->traits, Trait::data_movement)) return "its operands have other encodings than its result";
    const Profile& rows = profile ? *profile : onnx_profile();
    std::string needs;
    for (const ProfileRow& row : rows.rows)
        if (node.is(row.op) && row.links.empty()) needs += fmt::format("{}{}", needs.empty() ? "" : "; or ", row.takes.needs);
    return needs.empty() ? fmt::format("profile {} has no integer kernel for it", rows.name)
                         : fmt::format("profile {} takes only {}", rows.name, needs);
}

}  // namespace quern
