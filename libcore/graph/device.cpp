#include "libcore/graph/device.h"

#include <algorithm>
#include <set>
#include <vector>

#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"

namespace quern {
namespace {

bool has_only(std::string_view name, std::string_view signs) {
    constexpr size_t longest = 255;
    return !name.empty() && name.size() <= longest && std::ranges::all_of(name, [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || signs.find(c) != signs.npos;
    });
}

bool waits(const Node& node) { return node.device.empty() && node.is(ops::own::Recode); }

std::string device_of_maker(const Graph& graph, const Node& recode) {
    const NodeId maker = recode.in[0] == ValueId::none ? NodeId::none : graph.value(recode.in[0]).producer;
    return maker == NodeId::none ? std::string() : graph.node(maker).device;
}

std::string device_of_reader(const Graph& graph, const Node& recode) {
    for (const Use& use : graph.uses(recode.out[0]))
        if (use.node != NodeId::none && !graph.node(use.node).device.empty()) return graph.node(use.node).device;
    return {};
}

}  // namespace

bool is_device_name(std::string_view name) { return has_only(name, "_-.:"); }

bool is_backend_name(std::string_view name) { return has_only(name, "_-.:,="); }

void place_recodes(Graph& graph) {
    const std::vector<NodeId> order = graph.topo();
    for (const NodeId id : order)
        if (waits(graph.node(id))) graph.node(id).device = device_of_maker(graph, graph.node(id));
    for (auto id = order.rbegin(); id != order.rend(); ++id)
        if (waits(graph.node(*id))) graph.node(*id).device = device_of_reader(graph, graph.node(*id));
}

std::optional<std::string> device_between(const Graph& graph, ValueId result, ValueId source) {
    std::string device;
    std::set<ValueId> seen{source};
    std::vector<ValueId> open{result};
    while (!open.empty()) {
        const ValueId id = open.back();
        open.pop_back();
        if (id == ValueId::none || !seen.insert(id).second || graph.value(id).producer == NodeId::none) continue;
        const Node& node = graph.node(graph.value(id).producer);
        if (device.empty()) device = node.device;
        if (!node.device.empty() && node.device != device) return std::nullopt;
        open.insert(open.end(), node.in.begin(), node.in.end());
    }
    return device;
}

}  // namespace quern
