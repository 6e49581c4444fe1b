#include "libcore/passes/expansion.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace quern {

NodeId Expansion::node(OpId op, std::vector<ValueId> in, ValueId out, Attrs attrs) {
    const NodeId id = graph_.add_node(need_op(op), graph_.unique_node_name(fmt::format("{}_{}", name_, op.name)), std::move(in), {out},
                                      std::move(attrs), id_);
    graph_.node(id).scope = graph_.node(id_).scope;
    graph_.node(id).device = graph_.node(id_).device;
    return id;
}

ValueId Expansion::add(OpId op, std::vector<ValueId> in, DType dtype, Attrs attrs) {
    const ValueId out = graph_.add_value(graph_.unique_name(fmt::format("{}_{}", name_, op.name)), Type::tensor(dtype));
    node(op, std::move(in), out, std::move(attrs));
    return out;
}

ValueId Expansion::number(DType dtype, double value) {
    return graph_.add_constant(name_ + "_number", from_doubles(dtype, {}, std::array{value}));
}

ValueId Expansion::integers(std::string_view what, std::vector<int64_t> items) {
    return graph_.add_constant(fmt::format("{}_{}", name_, what), Tensor::vector<int64_t>(items));
}

ValueId Expansion::give(size_t i, OpId op, std::vector<ValueId> in, Attrs attrs) {
    const ValueId out = std::exchange(graph_.node(id_).out.at(i), ValueId::none);
    node(op, std::move(in), out, std::move(attrs));
    return out;
}

void Expansion::finish(OpId op, std::vector<ValueId> in, Attrs attrs) {
    const ValueId out = graph_.node(id_).out.at(0);
    const NodeId last = node(op, std::move(in), out, std::move(attrs));
    graph_.erase(id_);
    graph_.rename(last, name_);
}

}  // namespace quern
