#include "libcore/passes/shared.h"

#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"

namespace quern {
namespace {

std::optional<std::string> without_suffix(std::string_view name, std::span<const std::string_view> suffixes) {
    for (const std::string_view suffix : suffixes)
        if (name.size() > suffix.size() && name.ends_with(suffix)) return std::string(name.substr(0, name.size() - suffix.size()));
    return std::nullopt;
}

}  // namespace

int on_every_graph(Graph& graph, int (*fn)(Graph& graph)) {
    int changes = 0;
    for_each_graph(graph, [&](Graph& g, const std::string&) { changes += fn(g); });
    return changes;
}

const Node* made_by(const Graph& graph, ValueId id, OpId op) {
    if (id == ValueId::none || graph.value(id).producer == NodeId::none) return nullptr;
    const Node& node = graph.node(graph.value(id).producer);
    return node.is(op) && node.out[0] == id ? &node : nullptr;
}

bool makes_zeros(const Node& node) {
    return node.is(ops::Trilu, ops::CenterCropPad) || (node.is(ops::Pad) && input_of(node, 2) == ValueId::none);
}

ValueId input_of(const Node& node, size_t i) { return i < node.in.size() ? node.in[i] : ValueId::none; }

bool is_plain_constant(const Graph& graph, ValueId id) {
    return id != ValueId::none && graph.value(id).constant() && !graph.value(id).enc && graph.value(id).type.dtype == DType::f32;
}

bool is_plain_zero(const Graph& graph, ValueId id) {
    if (id == ValueId::none) return true;
    if (!is_plain_constant(graph, id)) return false;
    const auto numbers = to_floats(*graph.constant(id));
    return std::all_of(numbers.begin(), numbers.end(), [](float x) { return x == 0; });
}

std::optional<std::vector<int64_t>> ints_of(const Graph& graph, ValueId id) {
    if (id == ValueId::none || graph.value(id).enc) return std::nullopt;
    const auto tensor = graph.constant(id);
    if (!tensor || tensor->dims.size() > 1 || !is_integer(tensor->dtype)) return std::nullopt;
    return to_ints(*tensor);
}

std::vector<std::pair<NodeId, ValueId>> states_of(const Graph& graph) {
    std::vector<std::pair<NodeId, ValueId>> states;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (!node.is(ops::own::State)) continue;
        if (const ValueId next = graph.find(NodeView(node).text("next")); next != ValueId::none) states.emplace_back(id, next);
    }
    return states;
}

NodeId take_over(Graph& graph, ValueId out, const Op* op, std::vector<ValueId> in, Attrs attrs) {
    const NodeId old = graph.value(out).producer;
    const std::string name = graph.node(old).name, scope = graph.node(old).scope, device = graph.node(old).device;
    std::replace(graph.node(old).out.begin(), graph.node(old).out.end(), out, ValueId::none);
    graph.value(out).producer = NodeId::none;
    const NodeId added = graph.add_node(op, "", std::move(in), {out}, std::move(attrs), old);
    const auto& rest = graph.node(old).out;
    if (std::all_of(rest.begin(), rest.end(), [](ValueId id) { return id == ValueId::none; })) graph.erase(old);
    graph.rename(added, graph.unique_node_name(name));
    graph.node(added).scope = scope;
    graph.node(added).device = device;
    return added;
}

void erase_unread(Graph& graph, ValueId id) {
    std::vector<ValueId> open{id};
    while (!open.empty()) {
        const ValueId next = open.back();
        open.pop_back();
        if (next == ValueId::none || graph.value(next).erased || graph.value(next).producer == NodeId::none) continue;
        const NodeId maker = graph.value(next).producer;
        const std::vector<ValueId> out = graph.node(maker).out, in = graph.node(maker).in;
        if (!graph.node(maker).bodies.empty()) continue;
        if (!std::all_of(out.begin(), out.end(), [&](ValueId v) { return v == ValueId::none || graph.uses(v).empty(); })) continue;
        graph.erase(maker);
        for (const ValueId v : out)
            if (v != ValueId::none) graph.erase(v);
        open.insert(open.end(), in.begin(), in.end());
    }
}

void continue_states(Graph& graph, ValueId from, ValueId to) {
    for (const auto& [state, next] : states_of(graph))
        if (next == from) graph.node(state).attrs["next"] = graph.value(to).name;
}

std::optional<std::string> name_behind_codes(std::string_view codes) {
    return without_suffix(codes, std::array<std::string_view, 3>{"_codes", "_quantized", "_QuantizeLinear"});
}

std::string name_behind_integers(const std::string& node) {
    return without_suffix(node, std::array<std::string_view, 2>{"_sums", "_quant"}).value_or(node);
}

bool forward(Graph& graph, ValueId from, ValueId to) {
    if (!graph.is_output(from)) {
        graph.replace_uses(from, to);
        continue_states(graph, from, to);
        return true;
    }
    // The output's name must stay: the producer of `to` makes `from` from now on.
    const Value& target = graph.value(to);
    if (target.producer == NodeId::none || graph.is_output(to)) return false;
    const NodeId maker = target.producer;
    const Node& consumer = graph.node(graph.value(from).producer);
    if (&consumer == &graph.node(maker)) return false;
    graph.replace_uses(to, from);
    continue_states(graph, to, from);
    std::replace(graph.node(maker).out.begin(), graph.node(maker).out.end(), to, from);
    graph.value(to).producer = NodeId::none;
    if (!graph.value(from).enc) graph.value(from).enc = graph.value(to).enc;
    // The node between the two now reads its own output; it goes.
    const NodeId between = graph.value(from).producer;
    graph.value(from).producer = maker;
    auto& outs = graph.node(between).out;
    std::replace(outs.begin(), outs.end(), from, ValueId::none);
    graph.erase(between);
    graph.erase(to);
    return true;
}

}  // namespace quern
