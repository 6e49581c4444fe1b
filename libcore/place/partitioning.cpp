#include "libcore/place/partitioning.h"

#include <set>

#include "libcore/base/text.h"
#include "libcore/place/acyclic.h"
#include "libcore/place/cost.h"
#include "libcore/place/memory_split.h"

namespace quern::place {
namespace {

size_t device_of(const Graph& graph, const std::vector<NodeId>& unit, const Target& target) {
    std::set<size_t> wanted;
    size_t cpu = 0;
    for (size_t d = 0; d < target.devices.size(); ++d)
        if (target.devices[d].name == cpu_device) cpu = d;
    for (const NodeId id : unit) {
        const Node& node = graph.node(id);
        const Device* device = find_device(target, node.device.empty() ? cpu_device : std::string_view(node.device));
        if (!device)
            throw bad_input("node \"{}\" ({}): device \"{}\" is not defined by target {}", escape(node.name), escape(node.op->name),
                            escape(node.device), target.name);
        wanted.insert(static_cast<size_t>(device - target.devices.data()));
    }
    return wanted.size() == 1 ? *wanted.begin() : cpu;
}

}  // namespace

Partitions partition_graph(const Graph& graph, const Target& target) {
    const Units units = units_of(graph);
    std::vector<size_t> labels;
    for (const auto& unit : units.members) labels.push_back(device_of(graph, unit, target));
    return partition_units(graph, target, units, labels);
}

Partitions partition_units(const Graph& graph, const Target& target, const Units& units, const std::vector<size_t>& devices) {
    const Grouping grouping = group_acyclically(units.members.size(), unit_edges(graph, units), devices);
    Partitions out;
    out.cyclic = grouping.cyclic;
    out.splits = grouping.splits;
    std::vector<std::vector<size_t>> groups(grouping.groups);
    for (size_t u = 0; u < units.members.size(); ++u) groups[grouping.group[u]].push_back(u);
    Ends ends(graph);
    MemorySplitter splitter(graph, target, units, ends);
    for (const std::vector<size_t>& group : groups) {
        const std::string& device = target.devices[devices[group.front()]].name;
        std::vector<Partition> parts = splitter.split(group, device);
        if (parts.size() > 1) {
            MemorySplit split = splitter.told();
            split.first = static_cast<int>(out.parts.size());
            split.parts = static_cast<int>(parts.size());
            out.memory_splits.push_back(std::move(split));
        }
        for (Partition& part : parts) {
            part.id = static_cast<int>(out.parts.size());
            out.parts.push_back(std::move(part));
        }
    }
    return out;
}

}  // namespace quern::place
