// Empirical bias correction: Nagel et al. 2019, "Data-Free Quantization Through Weight Equalization and Bias Correction", section 4.2.
//
// The mean of an output over all positions of all samples is linear in the mean of what it multiplies: the bias that leaves no mean error
// before the activation is E[y] - W~ E[x~], y of the float model, x~ with all layers before quantized and corrected.
#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/graph/quantize.h"
#include "libcore/quant/algorithms/refine.h"
#include "libcore/quant/algorithms/stored_bias.h"

namespace quern {
namespace {

std::vector<float> corrected(const LayerPair& pair, const LayerRows& rows) {
    const Graph& graph = pair.graph;
    const Layer& own = pair.own;
    const std::vector<float> weight = to_floats(dequantize(*graph.constant(own.weight), *graph.value(own.weight).enc));
    std::vector<float> bias(own.outs);
    for (size_t out = 0; out < own.outs; ++out) {
        double sum = 0;
        for (size_t k = 0; k < own.depth; ++k)
            sum += static_cast<double>(weight[own.at(out, k)]) * rows.mean_x[own.group_of(out) * own.depth + k];
        bias[out] = static_cast<float>(rows.mean_y[out] - sum);
    }
    return bias;
}

struct Noise {
    double signal = 0, noise = 0;
};

Noise noise_of(const LayerPair& pair, const LayerRows& rows, ThreadPool& pool) {
    const std::vector<float> real(pair.own.outs * pair.own.depth, 0.0f);  // codes are compared, not weights
    const Channels channels(pair.graph, pair.own, real, rows);
    std::vector<Noise> parts(pair.own.outs);
    pool.run(pair.own.outs, [&](size_t out) {
        const Channel channel = channels.channel(out);
        const std::vector<float> codes = channels.stored(out);
        parts[out] = {channel.signal(true) + channel.signal(false), channel.noise(codes, true) + channel.noise(codes, false)};
    });
    Noise all;
    for (const Noise& part : parts) {
        all.signal += part.signal;
        all.noise += part.noise;
    }
    return all;
}

// Is the Add of a bias, if there is one, of the layer's type? Rules may give it another.
bool is_of_one_type(const AlgorithmRun& run, const Graph& graph, const Layer& layer, const std::string& path) {
    const Rules* rules = run.work.request.rules;
    if (!rules || layer.bias_node == NodeId::none || layer.bias_node == layer.node) return true;
    const Rules::Match added = rules->match(graph.node(layer.bias_node), path), own = rules->match(graph.node(layer.node), path);
    const auto scheme_of = [&](const Rules::Match& match) { return match.rule ? match.rule->scheme : run.work.request.scheme; };
    return !added.by_kind || scheme_of(added) == scheme_of(own);
}

}  // namespace

std::string why_bias_stays(const Graph& graph, const Layer& own) {
    if (own.bias == ValueId::none) return "it has no bias";
    if (graph.uses(own.bias).size() > 1) return "its bias has other readers";
    const auto& encoding = graph.value(own.bias).enc;
    return encoding && bits_of(encoding->storage) < 32 ? fmt::format("its bias is stored as {}", name_of(encoding->storage)) : "";
}

Bytes store_bias(Graph& graph, ValueId id, const std::vector<float>& numbers) {
    Value& bias = graph.value(id);
    const Tensor real = Tensor::make<float>(graph.constant(id)->dims, numbers);
    Bytes before = *bias.data;
    bias.data = bias.enc ? quantize(real, *bias.enc).data : real.data;
    return before;
}

AlgorithmReport prepare_biases(AlgorithmRun& run) {
    for_each_graph(run.graph, [&](Graph& part, const std::string& path) {
        for (Layer layer : layers_of(part)) {
            if (!run.takes(part.node(layer.node), path)) continue;
            if (is_of_one_type(run, part, layer, path)) take_added_bias(part, layer);
            if (layer.bias == ValueId::none) give_bias(part, layer);
        }
    });
    return {};
}

AlgorithmReport correct_biases(AlgorithmRun& run) {
    AlgorithmReport report{"bias-correction", "its results"};
    RowGatherer gatherer(run.reference, run.graph, *run.options.feed, run.options.rows, true, run.pool);
    for (const LayerPair& pair : layer_pairs(run, report)) {
        LayerGain gain{.layer = name_of(pair), .note = why_bias_stays(pair.graph, pair.own)};
        gain.changed = gain.note.empty();
        if (gain.changed)
            at_place(fmt::format("bias-correction: node \"{}\"", escape(gain.layer)), [&] {
                const LayerRows rows = gatherer.gather(pair);
                gain.note = rows.missing;
                gain.changed = rows.missing.empty();
                if (!gain.changed) return;
                Graph& graph = part_of(run, pair);
                const Noise before = noise_of(pair, rows, run.pool);
                const Bytes old = store_bias(graph, pair.own.bias, corrected(pair, rows));
                const Noise after = noise_of(pair, rows, run.pool);
                gain.before_db = decibel_of(before.signal, before.noise);
                gain.after_db = decibel_of(after.signal, after.noise);
                if (after.noise < before.noise) return;
                graph.value(pair.own.bias).data = old;
                gain.note = fmt::format("stays as it was: the corrected bias gives {:.1f} dB", gain.after_db);
                gain.after_db = gain.before_db;
                gain.changed = false;
            });
        report.layers.push_back(std::move(gain));
    }
    return report;
}

}  // namespace quern
