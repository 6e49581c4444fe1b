#include "libcore/support/units.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <set>

#include "libcore/graph/op_ids.h"

namespace quern::support {
namespace {

using Edges = std::vector<std::pair<size_t, size_t>>;

// Does an Add of a unit go on with its input `sum`? Codes of 32 bits are made for nothing else than sums of products.
bool adds_bias(const Graph& graph, const Node& node, size_t sum) {
    if (!node.is(ops::Add) || node.in.size() != 2 || node.in[1 - sum] == ValueId::none) return false;
    const Value& bias = graph.value(node.in[1 - sum]);
    return node.unit >= 0 || (bias.constant() && bias.enc && bias.enc->storage == DType::i32);
}

// The node that alone reads `id` and goes on with it before anything is stored; none: the value is stored.
NodeId next_in_unit(const Graph& graph, ValueId id, const std::vector<Use>& uses) {
    const Value& value = graph.value(id);
    if (value.enc || value.constant() || value.type.dtype != DType::f32 || value.producer == NodeId::none) return NodeId::none;
    if (uses.size() != 1 || uses[0].node == NodeId::none || uses[0].index < 0) return NodeId::none;
    const bool product = graph.node(value.producer).op->quant.weight >= 0;
    const Node& reader = graph.node(uses[0].node);
    const bool follows =
        has(reader.op->traits, Trait::activation) || (product && adds_bias(graph, reader, static_cast<size_t>(uses[0].index)));
    return follows && !reader.out.empty() && reader.out[0] != ValueId::none ? uses[0].node : NodeId::none;
}

constexpr int longest_unit = 4;  // a product, its bias, an activation, a clip

// The integer unit of each node, by node id; -1: none.
std::vector<UnitId> integer_units(const Graph& graph, const std::vector<NodeId>& order) {
    std::vector<UnitId> unit(graph.node_count(), -1);
    UnitId fresh = 0;
    bool encoded = false;
    for (const NodeId id : order) {
        unit[index_of(id)] = graph.node(id).unit;
        if (graph.node(id).unit < std::numeric_limits<UnitId>::max()) fresh = std::max(fresh, graph.node(id).unit + 1);
        for (const ValueId out : graph.node(id).out) encoded = encoded || (out != ValueId::none && graph.value(out).enc);
    }
    if (!encoded) return unit;
    const auto uses = graph.all_uses();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const Node& node = graph.node(*it);
        if (unit[index_of(*it)] >= 0 || node.out.empty() || node.out[0] == ValueId::none || !inside_unit(graph, node.out[0])) continue;
        UnitId& behind = unit[index_of(next_in_unit(graph, node.out[0], uses[index_of(node.out[0])]))];
        if (behind < 0) behind = fresh++;
        unit[index_of(*it)] = behind;
    }
    return unit;
}

// Units by number in the order of their first nodes; `whole` are the integer units to keep together.
Units numbered(const std::vector<UnitId>& unit_of, const std::vector<NodeId>& order, const std::set<UnitId>& whole) {
    Units units;
    units.of.assign(unit_of.size(), 0);
    std::map<UnitId, size_t> known;
    for (const NodeId id : order) {
        const UnitId unit = unit_of[index_of(id)];
        const auto found = whole.contains(unit) ? known.try_emplace(unit, units.members.size()).first->second : units.members.size();
        if (found == units.members.size()) units.members.emplace_back();
        units.members[found].push_back(id);
        units.of[index_of(id)] = found;
    }
    return units;
}

// Units in the order in which they are ready; those on cycles are missing.
std::vector<size_t> ready_order(size_t count, const Edges& edges) {
    std::vector<std::vector<size_t>> next(count);
    std::vector<size_t> waits(count, 0), order;
    for (const auto& [from, to] : edges) {
        next[from].push_back(to);
        ++waits[to];
    }
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t u = 0; u < count; ++u)
        if (waits[u] == 0) ready.push(u);
    while (!ready.empty()) {
        const size_t u = ready.top();
        ready.pop();
        order.push_back(u);
        for (const size_t reader : next[u])
            if (--waits[reader] == 0) ready.push(reader);
    }
    return order;
}

void reorder(Units& units, const std::vector<size_t>& order) {
    std::vector<std::vector<NodeId>> members;
    for (const size_t u : order) {
        for (const NodeId id : units.members[u]) units.of[index_of(id)] = members.size();
        members.push_back(std::move(units.members[u]));
    }
    units.members = std::move(members);
}

}  // namespace

const Value& stored_value(const Graph& graph, ValueId id) {
    for (int steps = 0; steps < longest_unit; ++steps) {
        const Value& value = graph.value(id);
        if (value.enc || value.constant() || value.producer == NodeId::none) return value;
        const NodeId next = next_in_unit(graph, id, graph.uses(id));
        if (next == NodeId::none) return value;
        id = graph.node(next).out[0];
    }
    return graph.value(id);
}

bool inside_unit(const Graph& graph, ValueId id) {
    const Value &value = graph.value(id), &stored = stored_value(graph, id);
    if (&value == &stored || !stored.enc) return false;
    const Node& maker = graph.node(value.producer);
    return maker.unit >= 0 || std::any_of(maker.in.begin(), maker.in.end(), [&](ValueId in) {
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
    const NodeId next = next_in_unit(graph, node.out[0], graph.uses(node.out[0]));
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

Edges unit_edges(const Graph& graph, const Units& units) {
    Edges edges;
    for (size_t u = 0; u < units.members.size(); ++u)
        for (const NodeId id : units.members[u])
            for (const ValueId value : values_read(graph.node(id)))
                if (const NodeId producer = graph.value(value).producer; producer != NodeId::none && units.of[index_of(producer)] != u)
                    edges.emplace_back(units.of[index_of(producer)], u);
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

Units units_of(const Graph& graph) {
    const std::vector<NodeId> order = graph.topo();
    const std::vector<UnitId> unit_of = integer_units(graph, order);
    std::set<UnitId> whole;
    for (const NodeId id : order)
        if (unit_of[index_of(id)] >= 0) whole.insert(unit_of[index_of(id)]);
    const size_t given = whole.size();
    for (;;) {
        Units units = numbered(unit_of, order, whole);
        const std::vector<size_t> ready = ready_order(units.members.size(), unit_edges(graph, units));
        if (ready.size() == units.members.size()) {
            reorder(units, ready);
            units.dissolved = given - whole.size();
            return units;
        }
        std::vector<bool> seen(units.members.size(), false);
        for (const size_t u : ready) seen[u] = true;
        for (size_t u = 0; u < seen.size(); ++u)
            if (!seen[u] && units.members[u].size() > 1) whole.erase(unit_of[index_of(units.members[u][0])]);
    }
}

}  // namespace quern::support
