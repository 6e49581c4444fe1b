#include "libcore/place/partition.h"

#include <algorithm>
#include <map>
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

// To the caller, unless a partition is named.
Boundary edge_from(const Graph& graph, const std::vector<int>& part_of, ValueId id) {
    const Value& value = graph.value(id);
    Boundary edge;
    edge.value = id;
    edge.form = value.enc ? to_string(*value.enc) : std::string(name_of(value.type.dtype));
    if (value.producer == NodeId::none) return edge;
    const Node& maker = graph.node(value.producer);
    edge.from = part_of[index_of(value.producer)];
    if (value.enc && computes_reals(graph, maker)) edge.maker_recodes = maker.name;
    return edge;
}

// Nodes of the partition that compute on what the codes of `id` stand for.
std::vector<std::string> recoding_readers(const Graph& graph, const Partition& part, ValueId id) {
    std::vector<std::string> names;
    const bool inside = graph.value(id).producer != NodeId::none && inside_unit(graph, id);
    for (const NodeId reader : part.nodes) {
        const Node& node = graph.node(reader);
        if (std::find(node.in.begin(), node.in.end(), id) == node.in.end()) continue;
        if (inside)
            throw bad_input("value \"{}\": lies inside an integer unit, whose nodes are on several partitions",
                            escape(graph.value(id).name));
        if (graph.value(id).enc && computes_reals(graph, node)) names.push_back(node.name);
    }
    return names;
}

}  // namespace

Ends::Ends(const Graph& graph) : graph_(graph), readers_(graph.value_count()), stamp_(graph.node_count(), 0) {
    for (const NodeId id : graph.order())
        for (const ValueId value : values_read(graph.node(id)))
            if (graph.value(value).producer != NodeId::none) readers_[index_of(value)].push_back(id);
    for (const ValueId id : graph.outputs) readers_[index_of(id)].push_back(NodeId::none);
}

void Ends::find(Partition& part) {
    ++now_;
    for (const NodeId id : part.nodes) stamp_[index_of(id)] = now_;
    const auto here = [&](NodeId id) { return id != NodeId::none && stamp_[index_of(id)] == now_; };
    std::set<ValueId> seen;
    for (const NodeId id : part.nodes) {
        for (const ValueId value : values_read(graph_.node(id)))
            if (!graph_.value(value).constant() && !here(graph_.value(value).producer) && seen.insert(value).second)
                part.inputs.push_back(value);
        for (const ValueId value : graph_.node(id).out)
            if (value != ValueId::none && !std::all_of(readers_[index_of(value)].begin(), readers_[index_of(value)].end(), here))
                part.outputs.push_back(value);
    }
}

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

Graph extract_partition(const Graph& graph, const Partition& partition) {
    Graph out;
    out.name = graph.name;
    out.metadata = graph.metadata;
    std::map<ValueId, ValueId> made;
    const auto take = [&](ValueId id) {
        if (id == ValueId::none) return id;
        const auto [at, fresh] = made.try_emplace(id, ValueId::none);
        if (fresh) {
            const Value& from = graph.value(id);
            at->second = out.add_value(from.name, from.type);
            Value& to = out.value(at->second);
            to.enc = from.enc;
            to.data = from.data;
            to.permutation = from.permutation;
        }
        return at->second;
    };
    const auto take_all = [&](const std::vector<ValueId>& ids) {
        std::vector<ValueId> taken(ids.size());
        std::ranges::transform(ids, taken.begin(), take);
        return taken;
    };
    out.inputs = take_all(partition.inputs);
    for (const NodeId id : partition.nodes) {
        const Node& from = graph.node(id);
        const std::vector<ValueId> in = take_all(from.in), made_here = take_all(from.out);
        const NodeId added = out.add_node(from.op, from.name, in, made_here, from.attrs);
        Node& to = out.node(added);
        to.scope = from.scope;
        for (size_t i = 0; i < from.bodies.size(); ++i) out.add_body(added, from.body_names[i], from.bodies[i]);
        to.internal = from.internal;
        to.device = from.device;
        for (Graph& body : to.bodies)
            for (Graph::Capture& capture : body.captures) capture.outer = take(capture.outer);
    }
    out.outputs = take_all(partition.outputs);
    return out;
}

std::vector<Boundary> boundaries(const Graph& graph, const std::vector<Partition>& parts) {
    std::vector<int> part_of(graph.node_count(), -1);
    for (const Partition& part : parts)
        for (const NodeId id : part.nodes) part_of[index_of(id)] = part.id;
    std::vector<Boundary> out;
    for (const Partition& part : parts)
        for (const ValueId id : part.inputs) {
            Boundary edge = edge_from(graph, part_of, id);
            edge.to = part.id;
            edge.reader_recodes = recoding_readers(graph, part, id);
            out.push_back(std::move(edge));
        }
    for (const ValueId id : graph.outputs)
        if (!graph.value(id).constant()) out.push_back(edge_from(graph, part_of, id));
    return out;
}

}  // namespace quern::place
