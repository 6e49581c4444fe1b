#include "libcore/graph/summary.h"

#include <fmt/format.h>

#include <set>

#include "libcore/base/text.h"
#include "libcore/blocks/block_format.h"

namespace quern {
namespace {

// Shapes of the values, or nullopt if one is not fixed.
std::optional<std::vector<Dims>> shapes(const Graph& graph, std::span<const ValueId> ids) {
    std::vector<Dims> out;
    for (const ValueId id : ids) {
        if (id == ValueId::none) {
            out.emplace_back();
            continue;
        }
        auto dims = graph.value(id).type.shape.concrete();
        if (!dims) return std::nullopt;
        out.push_back(std::move(*dims));
    }
    return out;
}

std::optional<double> macs_of(const Graph& graph) {
    double sum = 0;
    for (const NodeId id : graph.order()) {
        const auto macs = node_macs(graph, graph.node(id));
        if (!macs) return std::nullopt;
        sum += *macs;
    }
    return sum;
}

std::string kind_of(const Encoding& e) {
    if (e.format) return std::string(e.format->name);
    std::string out(name_of(e.storage));
    if (e.is_dynamic()) out += " dynamic";
    if (e.block > 0) return out + " in blocks";
    return e.per_channel() ? out + " per channel" : out;
}

void count_values(const Graph& graph, Summary& to, std::set<const std::byte*>& seen) {
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value(static_cast<ValueId>(i));
        if (value.erased) continue;
        if (value.enc) {
            ++to.encoded;
            ++to.encodings[kind_of(*value.enc)];
        }
        if (!value.constant()) continue;
        const auto dims = value.type.shape.concrete();
        const uint64_t count = dims ? static_cast<uint64_t>(count_of(*dims)) : 0;
        to.parameters += count;
        to.weight_dtypes[value.enc && value.enc->format ? kind_of(*value.enc) : std::string(name_of(value.storage()))] += count;
        if (seen.insert(value.data->data()).second) to.weight_bytes += value.data->size();
    }
}

}  // namespace

std::string full_name(const Op& op) { return op.domain.empty() ? std::string(op.name) : fmt::format("{}.{}", op.domain, op.name); }

std::string described(const Node& node) { return fmt::format("node \"{}\" ({})", escape(node.name), escape(node.op->name)); }

std::optional<double> node_macs(const Graph& graph, const Node& node) {
    if (!node.op->cost) return 0;
    const auto in = shapes(graph, node.in), out = shapes(graph, node.out);
    if (!in || !out) return std::nullopt;
    return node.op->cost({node, *in, *out}).macs;
}

Summary summarize(const Graph& graph) {
    Summary out;
    std::set<const std::byte*> seen;
    std::set<std::string> unknown;
    for_each_graph(graph, [&](const Graph& g, const std::string&) {
        count_values(g, out, seen);
        for (const NodeId id : g.order()) {
            const Node& node = g.node(id);
            ++out.nodes;
            ++out.ops[full_name(*node.op)];
            if (!node.op->known()) unknown.insert(full_name(*node.op));
            if (!node.device.empty()) ++out.devices[node.device];
        }
    });
    out.unknown_ops.assign(unknown.begin(), unknown.end());
    out.macs = macs_of(graph);
    return out;
}

bool has_encodings(const Graph& graph) {
    bool any = false;
    for_each_graph(graph, [&](const Graph& g, const std::string&) {
        for (size_t i = 0; i < g.value_count(); ++i) {
            const Value& value = g.value(static_cast<ValueId>(i));
            any = any || (!value.erased && value.enc);
        }
    });
    return any;
}

}  // namespace quern
