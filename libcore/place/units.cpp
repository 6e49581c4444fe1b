#include "libcore/place/units.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

namespace quern::place {
namespace {

using Edges = std::vector<std::pair<size_t, size_t>>;

// Units by number in the order of their first nodes; `whole` are the integer units to keep together.
Units numbered(const Graph& graph, const std::vector<NodeId>& order, const std::set<UnitId>& whole) {
    Units units;
    units.of.assign(graph.node_count(), 0);
    std::map<UnitId, size_t> known;
    for (const NodeId id : order) {
        const UnitId unit = graph.node(id).unit;
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

std::vector<ValueId> values_read(const Node& node) {
    std::vector<ValueId> ids;
    for (const ValueId id : node.in)
        if (id != ValueId::none) ids.push_back(id);
    for (const Graph& body : node.bodies)
        for (const Graph::Capture& capture : body.captures) ids.push_back(capture.outer);
    return ids;
}

Edges unit_edges(const Graph& graph, const Units& units) {
    std::set<std::pair<size_t, size_t>> edges;
    for (size_t u = 0; u < units.members.size(); ++u)
        for (const NodeId id : units.members[u])
            for (const ValueId value : values_read(graph.node(id)))
                if (const NodeId producer = graph.value(value).producer; producer != NodeId::none && units.of[index_of(producer)] != u)
                    edges.emplace(units.of[index_of(producer)], u);
    return {edges.begin(), edges.end()};
}

Units units_of(const Graph& graph) {
    const std::vector<NodeId> order = graph.topo();
    std::set<UnitId> whole;
    for (const NodeId id : order)
        if (graph.node(id).unit >= 0) whole.insert(graph.node(id).unit);
    const size_t given = whole.size();
    for (;;) {
        Units units = numbered(graph, order, whole);
        const std::vector<size_t> ready = ready_order(units.members.size(), unit_edges(graph, units));
        if (ready.size() == units.members.size()) {
            reorder(units, ready);
            units.dissolved = given - whole.size();
            return units;
        }
        std::vector<bool> seen(units.members.size(), false);
        for (const size_t u : ready) seen[u] = true;
        for (size_t u = 0; u < seen.size(); ++u)
            if (!seen[u] && units.members[u].size() > 1) whole.erase(graph.node(units.members[u][0]).unit);
    }
}

}  // namespace quern::place
