#include "libcore/quant/algorithms/chains.h"

#include <algorithm>
#include <map>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/questions.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

bool is_pool(const Node& node) { return node.is(ops::MaxPool, ops::AveragePool, ops::GlobalAveragePool, ops::GlobalMaxPool); }

bool keeps_scale(const Graph& graph, const Node& node) {
    if (node.out.size() > 1 && node.out[1] != ValueId::none) return false;
    if (node.is(ops::PRelu)) return graph.value(node.in[1]).constant();
    if (const auto bounds = clip_bounds(graph, node)) return (bounds->low == 0 || bounds->low == -infinity) && bounds->high == infinity;
    return node.is(ops::LeakyRelu, ops::Identity) || is_pool(node);
}

bool is_reshape(const Node& node) { return node.is(ops::Reshape, ops::Flatten, ops::Squeeze); }

// Follows what alone reads a value, from the results of a layer on.
class Walk {
   public:
    Walk(const Graph& graph, const Layer& first, const std::map<NodeId, size_t>& layers) : graph_(graph), layers_(layers) {
        const auto rank = static_cast<int>(graph.value(first.output).type.shape.rank());
        channels_ = first.outs;
        last_ = !first.convolution || first.channels_last;
        add(first.output, last_ ? rank - 1 : 1);
    }

    // The chain's end; nullopt: there is none.
    std::optional<Chain> run(std::vector<std::string>& bounded) {
        for (;;) {
            const ValueId id = chain_.between.back().id;
            const NodeId next = graph_.only_reader(id);
            if (next == NodeId::none) return std::nullopt;
            const Node& node = graph_.node(next);
            if (const auto found = layers_.find(next); found != layers_.end() && node.in[0] == id) {
                chain_.second = found->second;
                chain_.relu = steps_ == 1 && relus_ == 1;
                return chain_;
            }
            if (node.in.empty() || node.in[0] != id) return std::nullopt;
            if (is_reshape(node)) {
                if (!flatten(node)) return std::nullopt;
            } else if (keeps_scale(graph_, node)) {
                add(node.out[0], chain_.between.back().axis);
            } else {
                if (clip_bounds(graph_, node)) bounded.push_back(node.name);
                return std::nullopt;
            }
            ++steps_;
            relus_ += node.is(ops::Relu) ? 1 : 0;
        }
    }

   private:
    void add(ValueId id, int axis) { chain_.between.push_back({id, axis, chain_.spread, chain_.cyclic}); }

    // [N, channels, space] or [N, space, channels] to a row a sample.
    bool flatten(const Node& node) {
        const Shape &from = graph_.value(node.in[0]).type.shape, &to = graph_.value(node.out[0]).type.shape;
        if (!from.ranked || !to.ranked || to.rank() != 2 || from.rank() < 2 || chain_.spread != 1) return false;
        int64_t each = 1;
        for (size_t i = 1; i < from.rank(); ++i) {
            if (!from.dims[i].known()) return false;
            each *= from.dims[i].value;
        }
        const bool same_samples = from.dims[0].known() ? to.dims[0].known() && from.dims[0].value == to.dims[0].value : true;
        if (!to.dims[1].known() || to.dims[1].value != each || !same_samples) return false;
        chain_.spread = static_cast<size_t>(each) / channels_;
        chain_.cyclic = last_;
        add(node.out[0], 1);
        return true;
    }

    const Graph& graph_;
    const std::map<NodeId, size_t>& layers_;
    Chain chain_;
    size_t channels_ = 0;
    bool last_ = false;
    int steps_ = 0, relus_ = 0;
};

bool fits(const Graph& graph, const Layer& first, const Layer& second, const Chain& chain) {
    if (second.in_channels(graph) != first.outs * chain.spread) return false;
    const Chain::Between& last = chain.between.back();
    const auto rank = static_cast<int>(graph.value(last.id).type.shape.rank());
    const int wanted = second.convolution && !second.channels_last ? 1 : rank - 1;
    return last.axis == wanted;
}

}  // namespace

size_t Chain::channel(const Graph& graph, const Layer& second_layer, size_t out, size_t k) const {
    const size_t number = second_layer.channel_of(graph, out, k);
    return cyclic ? number % (second_layer.in_channels(graph) / spread) : number / spread;
}

Chains chains_of(const AlgorithmRun& run) {
    const Graph& graph = run.graph;
    Chains found;
    found.layers = layers_of(graph);
    std::erase_if(found.layers, [&](const Layer& layer) { return !run.takes(graph.node(layer.node)); });
    std::map<NodeId, size_t> by_node;
    for (size_t i = 0; i < found.layers.size(); ++i) by_node.emplace(found.layers[i].node, i);
    for (size_t i = 0; i < found.layers.size(); ++i) {
        const Layer& first = found.layers[i];
        if (!graph.value(first.output).type.shape.ranked || graph.value(first.weight).enc) continue;
        auto chain = Walk(graph, first, by_node).run(found.bounded);
        if (!chain || graph.value(found.layers[chain->second].weight).enc || !fits(graph, first, found.layers[chain->second], *chain))
            continue;
        chain->first = i;
        found.chains.push_back(std::move(*chain));
    }
    return found;
}

void change_between(const Graph& graph, const Chain& chain, std::span<const double> scale, std::span<const double> shift,
                    ChangedValues& changed) {
    for (const Chain::Between& value : chain.between) {
        std::vector<double> scales, shifts;
        for (size_t i = 0; i < scale.size() * value.spread; ++i) {
            const size_t channel = value.cyclic ? i % scale.size() : i / value.spread;
            scales.push_back(scale[channel]);
            shifts.push_back(shift[channel]);
        }
        change_value(changed, graph.value(value.id).name, value.axis, scales, shifts);
    }
}

}  // namespace quern
