// Bias correction by means of inputs: Nagel et al. 2019, "Data-Free Quantization Through Weight Equalization and Bias Correction", section
// 4.2.
//
// Rounding a weight by W~ - W moves the mean of an output by (W~ - W) E[x], which its bias takes away. E[x] follows from the
// BatchNormalization before the layer, limited normal distributions behind its activation (4.2.1), or was measured on the float model. What
// is padding counts as if it were not.
#include "libcore/base/text.h"
#include "libcore/graph/quantize.h"
#include "libcore/quant/algorithms/refine.h"
#include "libcore/quant/algorithms/stored_bias.h"

namespace quern {
namespace {

struct Correction {
    std::vector<float> bias;
    double most = 0;  // that a bias moves by
};

Correction corrected(const LayerPair& pair, const std::vector<double>& means) {
    const Layer& own = pair.own;
    const std::vector<float> real = to_floats(*pair.reference.constant(pair.real.weight)),
                             rounded = to_floats(dequantize(*pair.graph.constant(own.weight), *pair.graph.value(own.weight).enc));
    const Tensor stored = *pair.graph.constant(own.bias);
    const auto& encoding = pair.graph.value(own.bias).enc;
    Correction made{to_floats(encoding ? dequantize(stored, *encoding) : stored)};
    for (size_t out = 0; out < own.outs; ++out) {
        double moved = 0;
        for (size_t k = 0; k < own.depth; ++k) {
            const double error = static_cast<double>(rounded[own.at(out, k)]) - static_cast<double>(real[pair.real.at(out, k)]);
            moved += error * means[own.channel_of(pair.graph, out, k)];
        }
        made.bias[out] = static_cast<float>(static_cast<double>(made.bias[out]) - moved);
        made.most = std::max(made.most, std::abs(moved));
    }
    return made;
}

using Means = std::optional<std::vector<double>>;  // by channel of a layer's input

Means measured_means(const AlgorithmRun& run, const LayerPair& pair) {
    const auto found = run.options.means.find(pair.path + pair.reference.value(pair.real.input).name);
    if (found == run.options.means.end() || found->second.axis != pair.real.channel_axis(pair.reference)) return {};
    return found->second.mean;
}

LayerGain correct(AlgorithmRun& run, const LayerPair& pair, const Means& means, std::string_view unknown, bool& known) {
    LayerGain gain{.layer = name_of(pair), .changed = false, .note = why_bias_stays(pair.graph, pair.own)};
    const bool fits = means && means->size() == pair.real.in_channels(pair.reference);
    known |= fits;
    if (!gain.note.empty()) return gain;
    if (!fits) {
        gain.note = unknown;
        return gain;
    }
    const Correction correction = corrected(pair, *means);
    store_bias(part_of(run, pair), pair.own.bias, correction.bias);
    gain.changed = correction.most > 0;
    gain.note = fmt::format("biases move by at most {:.3g}", correction.most);
    return gain;
}

}  // namespace

AlgorithmReport correct_biases_by_normals(AlgorithmRun& run) {
    AlgorithmReport report{"analytic-bias-correction", ""};
    bool known = false;
    const std::vector<LayerPair> pairs = layer_pairs(run, report);
    for (const LayerPair& pair : pairs)
        report.layers.push_back(correct(run, pair, expected_means(pair.reference, pair.real.input, run.options.normals),
                                        "its input does not come from a BatchNormalization", known));
    if (known || pairs.empty()) return report;
    throw unsupported(
        "algorithm analytic-bias-correction goes by BatchNormalization: no layer that is quantized reads the results of one, or they were "
        "folded into layers before this file was written")
        .with_hint("fast-bias-correction and bias-correction measure over samples");
}

AlgorithmReport correct_biases_by_means(AlgorithmRun& run) {
    AlgorithmReport report{"fast-bias-correction", ""};
    bool known = false;
    const std::vector<LayerPair> pairs = layer_pairs(run, report);
    for (const LayerPair& pair : pairs)
        report.layers.push_back(correct(run, pair, measured_means(run, pair), "the means of its input are not known", known));
    if (known || pairs.empty()) return report;
    throw usage_error("algorithm fast-bias-correction needs the means of channels")
        .with_hint("give ranges of minmax-collect --per-channel, or samples (--input-list, --input)");
}

}  // namespace quern
