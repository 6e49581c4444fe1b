#include "libcore/support/units.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"

namespace quern::support {
namespace {

// What is added to `sum` by an Add; none if it is computed.
ValueId constant_summand(const Graph& graph, const Node& add, ValueId sum) {
    const ValueId other = add.in[add.in[0] == sum ? 1 : 0];
    return other != ValueId::none && graph.value(other).constant() ? other : ValueId::none;
}

// The first node of a row whose node number `at` is this one; none if it is not.
const Node* first_of(const ProfileRow& row, const Graph& graph, const Node& node, size_t at) {
    const Node* first = &node;
    for (size_t i = at; i > 0; --i) {
        const ProfileLink& link = row.links[i - 1];
        const bool linked = first->is(link.op) && link.at < first->in.size() && first->in[link.at] != ValueId::none;
        const NodeId before = linked ? graph.value(first->in[link.at]).producer : NodeId::none;
        if (before == NodeId::none) return nullptr;
        first = &graph.node(before);
    }
    return first->is(row.op) ? first : nullptr;
}

// The nodes that a row of the profile joins, `maker` among them; empty if none does.
std::vector<const Node*> joined_with(const Graph& graph, const Node& maker) {
    const Profile* profile = own_profile(graph);
    for (const ProfileRow& row : profile ? profile->rows : std::span<const ProfileRow>())
        for (size_t at = 0; at < row.links.size(); ++at) {
            const Node* first = first_of(row, graph, maker, at);
            if (!first) continue;
            std::vector<const Node*> nodes = joined_by(row, graph, *first);
            if (at < nodes.size() && nodes[at] == &maker) return nodes;
        }
    return {};
}

constexpr int longest_unit = 5;  // the nodes of an L2 norm; a product, its bias, an activation, a clip

}  // namespace

NodeId follower_of(const Graph& graph, ValueId id) {
    const Value& value = graph.value(id);
    const NodeId next = value.enc || value.constant() || !is_float(value.type.dtype) ? NodeId::none : graph.only_reader(id);
    if (next == NodeId::none || value.producer == NodeId::none) return NodeId::none;
    const Node& reader = graph.node(next);
    if (reader.out.empty() || reader.out[0] == ValueId::none) return NodeId::none;
    if (has(reader.op->traits, Trait::activation) && reader.in[0] == id) return next;
    const bool sums = reader.is(ops::Add) && graph.node(value.producer).op->quant.weight >= 0;
    return sums && constant_summand(graph, reader, id) != ValueId::none ? next : NodeId::none;
}

NodeId next_in_unit(const Graph& graph, ValueId id) {
    const NodeId next = follower_of(graph, id);
    if (next != NodeId::none && graph.node(next).is(ops::Add)) {  // codes of 32 bits are made for nothing else than sums of products
        const auto& bias = graph.value(constant_summand(graph, graph.node(next), id)).enc;
        return bias && bias->storage == DType::i32 ? next : NodeId::none;
    }
    const NodeId maker = graph.value(id).producer;
    if (next != NodeId::none || maker == NodeId::none || graph.value(id).enc) return next;
    const std::vector<const Node*> nodes = joined_with(graph, graph.node(maker));
    const auto found = std::ranges::find(nodes, &graph.node(maker));
    return found == nodes.end() || found + 1 == nodes.end() ? NodeId::none : graph.value((*(found + 1))->out[0]).producer;
}

NodeId before_in_unit(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    const ValueId read = node.in.empty() ? ValueId::none : node.in[0];
    const NodeId maker = read == ValueId::none ? NodeId::none : graph.value(read).producer;
    return maker != NodeId::none && graph.node(maker).out[0] == read && next_in_unit(graph, read) == id ? maker : NodeId::none;
}

const Value& stored_value(const Graph& graph, ValueId id) {
    for (int steps = 0; steps < longest_unit; ++steps) {
        const Value& value = graph.value(id);
        if (value.enc || value.constant() || value.producer == NodeId::none) return value;
        const NodeId next = next_in_unit(graph, id);
        if (next == NodeId::none) return value;
        id = graph.node(next).out[0];
    }
    return graph.value(id);
}

bool inside_unit(const Graph& graph, ValueId id) {
    const Value &value = graph.value(id), &stored = stored_value(graph, id);
    if (&value == &stored || !stored.enc) return false;
    const Node& maker = graph.node(value.producer);
    return std::any_of(maker.in.begin(), maker.in.end(), [&](ValueId in) {
        return in != ValueId::none && !graph.value(in).constant() && (graph.value(in).enc || inside_unit(graph, in));
    });
}

bool is_unit_bias(const Graph& graph, const Node& node, size_t i) {
    if (!node.is(ops::Add) || node.in.size() != 2 || i > 1 || node.in[i] == ValueId::none || !graph.value(node.in[i]).constant())
        return false;
    const ValueId sum = node.in[1 - i];
    if (sum == ValueId::none || graph.value(sum).producer == NodeId::none || !inside_unit(graph, sum)) return false;
    return graph.node(graph.value(sum).producer).op->quant.weight >= 0;
}

ValueId bias_in_unit(const Graph& graph, const Node& node) {
    if (const int own = node.op->quant.bias; own >= 0)
        return static_cast<size_t>(own) < node.in.size() ? node.in[static_cast<size_t>(own)] : ValueId::none;
    if (node.op->quant.weight < 0 || node.out.empty() || node.out[0] == ValueId::none) return ValueId::none;
    const NodeId next = next_in_unit(graph, node.out[0]);
    if (next == NodeId::none || !graph.node(next).is(ops::Add)) return ValueId::none;
    const Node& add = graph.node(next);
    const size_t at = add.in[0] == node.out[0] ? 1 : 0;
    return is_unit_bias(graph, add, at) ? add.in[at] : ValueId::none;
}

std::vector<ValueId> values_read(const Node& node) {
    std::vector<ValueId> ids;
    for (const ValueId id : node.in)
        if (id != ValueId::none) ids.push_back(id);
    for (const Graph& body : node.bodies)
        for (const Graph::Capture& capture : body.captures) ids.push_back(capture.outer);
    return ids;
}

std::vector<std::pair<size_t, size_t>> unit_edges(const Graph& graph, const Units& units) {
    std::vector<std::pair<size_t, size_t>> edges;
    for (size_t u = 0; u < units.members.size(); ++u)
        for (const NodeId id : units.members[u])
            for (const ValueId value : values_read(graph.node(id)))
                if (const NodeId producer = graph.value(value).producer; producer != NodeId::none && units.of[index_of(producer)] != u)
                    edges.emplace_back(units.of[index_of(producer)], u);
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

// Nothing but a unit's last node is read from outside, so that units are ready in the order of their last nodes.
Units units_of(const Graph& graph) {
    const std::vector<NodeId> order = graph.topo();
    Units units{{}, std::vector<size_t>(graph.node_count(), 0)};
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const Node& node = graph.node(*it);
        const bool inside = !node.out.empty() && node.out[0] != ValueId::none && inside_unit(graph, node.out[0]);
        size_t& unit = units.of[index_of(*it)];
        unit = inside ? units.of[index_of(next_in_unit(graph, node.out[0]))] : units.members.size();
        if (!inside) units.members.emplace_back();
        units.members[unit].push_back(*it);
    }
    std::ranges::reverse(units.members);
    for (auto& members : units.members) std::ranges::reverse(members);
    for (const NodeId id : order) units.of[index_of(id)] = units.members.size() - 1 - units.of[index_of(id)];
    return units;
}

}  // namespace quern::support
