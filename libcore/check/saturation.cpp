#include "libcore/check/saturation.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"

namespace quern {
namespace {

const Node* maker_of(const Graph& graph, ValueId id) {
    const NodeId node = id == ValueId::none ? NodeId::none : graph.value(id).producer;
    return node == NodeId::none ? nullptr : &graph.node(node);
}

// nullptr: the output does not saturate, or is made of an input. A softmax that is spelled out is a quotient of exponentials: what counts
// is what their exponential reads.
const Node* saturating_maker(const Graph& graph, ValueId output) {
    const Node* maker = maker_of(graph, output);
    if (maker && maker->is(ops::Div)) {
        maker = maker_of(graph, maker->in[0]);
        if (maker && !maker->is(ops::Exp)) maker = nullptr;
    } else if (maker && !maker->is(ops::Softmax, ops::Sigmoid, ops::HardSigmoid, ops::Tanh)) {
        maker = nullptr;
    }
    return maker && maker_of(graph, maker->in[0]) ? maker : nullptr;
}

}  // namespace

BeforeSaturation::BeforeSaturation(const Graph& exact) {
    for (const ValueId output : exact.outputs) {
        const Node* maker = saturating_maker(exact, output);
        names_.push_back(exact.value(maker ? maker->in[0] : output).name);
        if (maker && std::ranges::find(operators_, maker->op->name) == operators_.end()) operators_.emplace_back(maker->op->name);
    }
}

Graph BeforeSaturation::operator()(const Graph& graph) const {
    Graph out = graph;
    for (size_t i = 0; i < names_.size(); ++i)
        if (const ValueId read = out.find(names_[i]); read != ValueId::none) out.outputs[i] = read;
    return out;
}

}  // namespace quern
