#include "libcore/check/saturation.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// nullptr: the output does not saturate, or is made of an input. A softmax that is spelled out is a quotient of exponentials: what counts
// is what their exponential reads.
const Node* saturating_maker(const Graph& graph, ValueId output) {
    const NodeId id = graph.value(output).producer;
    if (id == NodeId::none) return nullptr;
    const Node* maker = &graph.node(id);
    if (maker->is(ops::Div))
        maker = made_by(graph, maker->in[0], ops::Exp);
    else if (!maker->is(ops::Softmax, ops::Sigmoid, ops::HardSigmoid, ops::Tanh))
        maker = nullptr;
    if (!maker) return nullptr;
    return graph.value(maker->in[0]).producer == NodeId::none ? nullptr : maker;
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
