#include "libcore/place/partition.h"

#include <algorithm>
#include <map>
#include <set>

#include "libcore/base/text.h"
#include "libcore/ops/integer/qlinear_forms.h"
#include "libcore/place/cost.h"

namespace quern::place {
namespace {

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

// How a Softmax of codes computes goes by readers that a part may lack.
void keep_between_types(const Graph& graph, const Partition& partition, Graph& part) {
    for (size_t i = 0; i < partition.nodes.size(); ++i) {
        Node& node = part.node(part.order()[i]);
        const bool whole = is_between_types(graph, graph.node(partition.nodes[i]));
        if (is_between_types(part, node) != whole) node.attrs[between_types_key] = int64_t{whole};
    }
}

}  // namespace

std::string to_string(const MemorySplit& split) {
    return fmt::format("partitions {} to {} on {} are one that is split for memory: {}, most at \"{}\"", split.first,
                       split.first + split.parts - 1, split.device, split.why, printable(split.peak));
}

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
    keep_between_types(graph, partition, out);
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
