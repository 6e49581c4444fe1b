// Cross-layer equalization and the absorption of high biases: Nagel et al. 2019, "Data-Free Quantization Through Weight Equalization and
// Bias Correction", section 4.1.
//
// Outputs of a layer are divided, and the input channels of the next multiplied, by s = sqrt(r1 / r2), r the greatest weights of the
// channel: both are then sqrt(r1 r2). All pairs in turn until nothing moves; the factors gather in float64 and are applied once.
// A channel of tiny weights may still be great by its bias: none gets greater than the greatest of its value was.
// Absorption: what a channel before a Relu never falls below, over everything that was measured, is moved from the first bias into the
// second; the Relu is linear there. The paper takes beta - 3 gamma of a BatchNormalization for it, which cuts off one value in a thousand.
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/quant/algorithms/chains.h"
#include "libcore/quant/algorithms/extremes.h"
#include "libcore/quant/algorithms/type_spec.h"
#include "libcore/quant/assign/weights.h"
#include "libcore/support/operands.h"

namespace quern {
namespace {

constexpr int most_sweeps = 200;
constexpr double settled = 1e-5;  // of all factors from 1

// A layer's weight with the factors that it is to be multiplied by.
struct Scaled {
    std::vector<float> weight;
    std::vector<double> outs, ins;  // by output; by channel of the chain that it ends, if there is one
    std::vector<size_t> channels;   // [groups * depth] of that chain
};

class Equalizer {
   public:
    explicit Equalizer(const AlgorithmRun& run) : graph_(run.graph), found_(chains_of(run)), scaled_(found_.layers.size()) {
        find_limits(run);
        for (const Chain& chain : found_.chains) {
            load(chain.first);
            load(chain.second);
            const Layer& layer = found_.layers[chain.second];
            Scaled& second = scaled_[chain.second];
            second.ins.assign(found_.layers[chain.first].outs, 1.0);
            for (size_t g = 0; g < layer.groups; ++g)
                for (size_t k = 0; k < layer.depth; ++k) second.channels.push_back(chain.channel(graph_, layer, g * layer.group_outs(), k));
        }
    }

    void balance() {
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            double moved = 0;
            for (size_t i = 0; i < found_.chains.size(); ++i) moved = std::max(moved, balance(found_.chains[i], limits_[i]));
            if (moved < settled) return;
        }
    }

    void apply(ChangedValues& changed) {
        for (size_t i = 0; i < scaled_.size(); ++i)
            if (!scaled_[i].weight.empty()) apply(found_.layers[i], scaled_[i]);
        for (const Chain& chain : found_.chains) {
            const std::vector<double>& scale = scaled_[chain.first].outs;
            const std::vector<double> none(scale.size(), 0.0);
            change_between(graph_, chain, scale, none, changed);
            const Layer& first = found_.layers[chain.first];
            if (const ValueId product = graph_.node(first.node).out[0]; product != first.output)
                change_value(changed, graph_.value(product).name, chain.between[0].axis, scale, none);
        }
    }

    const Chains& found() const { return found_; }

   private:
    // Of each chain, by channel: the factor at which it is as great as the greatest; empty: nothing is known.
    void find_limits(const AlgorithmRun& run) {
        std::vector<ChannelValue> values;
        for (const Chain& chain : found_.chains) {
            const auto last = std::ranges::find_if(chain.between.rbegin(), chain.between.rend(),
                                                   [](const Chain::Between& value) { return value.spread == 1; });
            values.push_back({last->id, last->axis, found_.layers[chain.first].outs});
        }
        for (const ChannelExtremes& extremes : channel_extremes(run, values)) {
            std::vector<double>& limits = limits_.emplace_back();
            double most = 0;
            for (size_t c = 0; c < extremes.least.size(); ++c) most = std::max(most, extremes.magnitude(c));
            for (size_t c = 0; c < extremes.least.size(); ++c)
                limits.push_back(extremes.magnitude(c) > 0 ? most / extremes.magnitude(c) : 1.0);
        }
    }
    void load(size_t i) {
        Scaled& scaled = scaled_[i];
        if (!scaled.weight.empty()) return;
        scaled.weight = to_floats(*graph_.constant(found_.layers[i].weight));
        scaled.outs.assign(found_.layers[i].outs, 1.0);
    }

    double in_factor(const Scaled& scaled, size_t column) const { return scaled.ins.empty() ? 1.0 : scaled.ins[scaled.channels[column]]; }

    // Greatest weights by output, without the output's own factor.
    std::vector<double> out_ranges(size_t i) const {
        const Layer& layer = found_.layers[i];
        std::vector<double> ranges(layer.outs, 0.0);
        for (size_t out = 0; out < layer.outs; ++out)
            for (size_t k = 0; k < layer.depth; ++k)
                ranges[out] = std::max(ranges[out], std::abs(static_cast<double>(scaled_[i].weight[layer.at(out, k)])) *
                                                        in_factor(scaled_[i], layer.group_of(out) * layer.depth + k));
        return ranges;
    }
    // By channel of the chain, without the channel's own factor.
    std::vector<double> in_ranges(size_t i) const {
        const Layer& layer = found_.layers[i];
        std::vector<double> ranges(scaled_[i].ins.size(), 0.0);
        for (size_t out = 0; out < layer.outs; ++out)
            for (size_t k = 0; k < layer.depth; ++k) {
                double& range = ranges[scaled_[i].channels[layer.group_of(out) * layer.depth + k]];
                range = std::max(range, std::abs(static_cast<double>(scaled_[i].weight[layer.at(out, k)])) * scaled_[i].outs[out]);
            }
        return ranges;
    }

    // How far the factors of a chain have moved from where they were.
    double balance(const Chain& chain, const std::vector<double>& limits) {
        const std::vector<double> first = out_ranges(chain.first), second = in_ranges(chain.second);
        double moved = 0;
        for (size_t c = 0; c < first.size(); ++c) {
            if (first[c] <= 0 || second[c] <= 0) continue;
            // The two share one degree of freedom: what one gets, the other gives.
            double factor = std::sqrt(second[c] / first[c]);
            if (!limits.empty()) factor = std::min(factor, limits[c]);
            moved = std::max(moved, std::abs(factor / scaled_[chain.first].outs[c] - 1));
            scaled_[chain.first].outs[c] = factor;
            scaled_[chain.second].ins[c] = 1 / factor;
        }
        return moved;
    }

    void apply(const Layer& layer, const Scaled& scaled) {
        std::vector<float> weight(scaled.weight.size());
        for (size_t out = 0; out < layer.outs; ++out)
            for (size_t k = 0; k < layer.depth; ++k) {
                const size_t at = layer.at(out, k);
                weight[at] = static_cast<float>(static_cast<double>(scaled.weight[at]) * scaled.outs[out] *
                                                in_factor(scaled, layer.group_of(out) * layer.depth + k));
            }
        replace_weight(graph_, layer, weight);
        if (layer.bias == ValueId::none) return;
        std::vector<float> bias = to_floats(*graph_.constant(layer.bias));
        for (size_t out = 0; out < layer.outs; ++out) bias[out] = static_cast<float>(static_cast<double>(bias[out]) * scaled.outs[out]);
        replace_bias(graph_, layer, bias);
    }

    Graph& graph_;
    Chains found_;
    std::vector<Scaled> scaled_;
    std::vector<std::vector<double>> limits_;
};

// Are there positions that other numbers of inputs add to than to others? What is absorbed would have to be there, too.
bool has_edges(const Graph& graph, const Layer& layer) {
    if (!layer.convolution) return false;
    if (layer.transposed) return true;  // at its edges fewer products add up
    const NodeView view(graph.node(layer.node));
    if (view.text("auto_pad") != "NOTSET" && view.text("auto_pad") != "VALID") return true;
    return std::ranges::any_of(view.integers("pads"), [](int64_t pad) { return pad != 0; });
}

// Moves high biases over one chain; returns the number of channels.
size_t absorb(AlgorithmRun& run, const Chain& chain, NodeId first_node, NodeId second_node) {
    auto first = layer_of(run.graph, first_node), second = layer_of(run.graph, second_node);
    if (!chain.relu || has_edges(run.graph, *second)) return 0;
    std::vector<double> moved = channel_extremes(run, {{first->output, chain.between[0].axis, first->outs}})[0].least;
    for (double& least : moved) least = std::isfinite(least) ? std::max(least, 0.0) : 0.0;
    const auto count = static_cast<size_t>(std::ranges::count_if(moved, [](double least) { return least > 0; }));
    if (count == 0 || !give_bias(run.graph, *first) || !give_bias(run.graph, *second)) return 0;
    std::vector<float> bias = to_floats(*run.graph.constant(first->bias)), next = to_floats(*run.graph.constant(second->bias));
    const std::vector<float> weight = to_floats(*run.graph.constant(second->weight));
    for (size_t c = 0; c < moved.size(); ++c) bias[c] = static_cast<float>(static_cast<double>(bias[c]) - moved[c]);
    for (size_t out = 0; out < second->outs; ++out) {
        double sum = static_cast<double>(next[out]);
        for (size_t k = 0; k < second->depth; ++k)
            sum += static_cast<double>(weight[second->at(out, k)]) * moved[chain.channel(run.graph, *second, out, k)];
        next[out] = static_cast<float>(sum);
    }
    replace_bias(run.graph, *first, bias);
    replace_bias(run.graph, *second, next);
    for (double& shift : moved) shift = -shift;
    const std::vector<double> ones(moved.size(), 1.0);
    change_between(run.graph, chain, ones, moved, run.changed);
    return count;
}

// How well a layer's weight keeps its numbers in the type's format, in dB; NaN where that is no integer.
double weight_db(const AlgorithmRun& run, const Layer& layer) {
    const auto spec = type_spec(run.graph, layer, *run.work.request.scheme, run.work);
    if (!spec) return std::numeric_limits<double>::quiet_NaN();
    const Tensor weight = *run.graph.constant(layer.weight);
    const Encoding encoding = weight_encoding(weight, *spec);
    return weight_sqnr_db(weight, quantize(weight, encoding), encoding);
}

}  // namespace

AlgorithmReport equalize_layers(AlgorithmRun& run) {
    AlgorithmReport report{"cle", "its weight"};
    Equalizer equalizer(run);
    const Chains& found = equalizer.found();
    if (!found.bounded.empty())
        report.notes.push_back(fmt::format("{} chain{} not equalized: scaling would move the upper bound of {}", found.bounded.size(),
                                           found.bounded.size() > 1 ? "s are" : " is", join(found.bounded, ", ")));
    std::vector<bool> touched(found.layers.size(), false);
    for (const Chain& chain : found.chains) touched[chain.first] = touched[chain.second] = true;
    for (size_t i = 0; i < touched.size(); ++i)
        if (touched[i])
            report.layers.push_back({.layer = run.graph.node(found.layers[i].node).name, .before_db = weight_db(run, found.layers[i])});
    equalizer.balance();
    equalizer.apply(run.changed);
    size_t absorbed = 0;
    for (const Chain& chain : found.chains) absorbed += absorb(run, chain, found.layers[chain.first].node, found.layers[chain.second].node);
    if (absorbed > 0) report.notes.push_back(fmt::format("high biases of {} channels are absorbed by the next layer", absorbed));
    for (size_t i = 0, at = 0; i < touched.size(); ++i)
        if (touched[i]) report.layers[at++].after_db = weight_db(run, *layer_of(run.graph, found.layers[i].node));
    return report;
}

}  // namespace quern
