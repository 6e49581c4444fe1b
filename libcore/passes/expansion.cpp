#include "libcore/passes/expansion.h"

#include <fmt/format.h>

#include <utility>

#include "libcore/graph/op_ids.h"

namespace quern {

ValueId Expansion::declare(std::string_view what, Type type) {
    return graph_.add_value(graph_.unique_name(fmt::format("{}_{}", name_, what)), std::move(type));
}

std::string Expansion::node_name(OpId op, ValueId) { return graph_.unique_node_name(fmt::format("{}_{}", name_, op.name)); }

void Expansion::place(NodeId id) {
    graph_.node(id).scope = graph_.node(id_).scope;
    graph_.node(id).device = graph_.node(id_).device;
}

ValueId Expansion::give(size_t i, OpId op, Values in, Attrs attrs) {
    const ValueId out = std::exchange(graph_.node(id_).out.at(i), ValueId::none);
    put(op, std::move(in), {out}, std::move(attrs));
    return out;
}

void Expansion::hand_over(size_t i, ValueId made) {
    const ValueId out = graph_.node(id_).out.at(i);
    give(i, graph_.value(made).enc == graph_.value(out).enc ? ops::Identity : ops::own::Recode, {made});
}

void Expansion::finish(OpId op, Values in, Attrs attrs) {
    const NodeId last = put(op, std::move(in), {graph_.node(id_).out.at(0)}, std::move(attrs));
    graph_.erase(id_);
    graph_.rename(last, name_);
}

}  // namespace quern
