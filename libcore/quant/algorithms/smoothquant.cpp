// SmoothQuant: Xiao et al. 2022, "SmoothQuant: Accurate and Efficient Post-Training Quantization for Large Language Models".
//
// Channel j of what matrix products read is divided, and row j of their weights multiplied, by s = max|x|^alpha / max|w|^(1 - alpha);
// layers are divided where their weights have a scale for each output. Done only where the noise that is to be expected of rounding both
// falls. Where nothing can take the division, a Mul may be put before the products.
#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/quant/algorithms/extremes.h"
#include "libcore/quant/algorithms/layer.h"
#include "libcore/quant/algorithms/smoothing_mul.h"

namespace quern {
namespace {

// Smoothed channels are as great as they were seen to be and have no room left for what other samples bring: few rows say too little.
constexpr size_t least_rows = 128;

std::vector<double> weight_magnitudes(const Graph& graph, const Smoothing& smoothing) {
    std::vector<double> greatest(smoothing.channels, 0.0);
    for (const NodeId reader : smoothing.readers) {
        const Layer layer = *layer_of(graph, reader);
        const std::vector<float> weight = to_floats(*graph.constant(layer.weight));
        for (size_t out = 0; out < layer.outs; ++out)
            for (size_t k = 0; k < layer.depth; ++k)
                greatest[k] = std::max(greatest[k], std::abs(static_cast<double>(weight[layer.at(out, k)])));
    }
    return greatest;
}

// What rounding inputs, on one grid, and weights, on one for each output or for all, is expected to add to the results when the input's
// channels are divided by `factors`: twelve times the sum of mean squared errors, which are a twelfth of a squared step.
double expected_noise(const AlgorithmRun& run, const Smoothing& smoothing, const ChannelExtremes& input,
                      const std::vector<double>& factors) {
    const Scheme& scheme = *run.quant.scheme;
    const double input_noise = scheme.activations == Scheme::Activations::float32 ? 0 : std::ldexp(1.0, -2 * bits_of(scheme.activation)),
                 weight_noise = std::ldexp(1.0, -2 * bits_of(scheme.weight));
    double low = 0, high = 0, squares = 0, noise = 0;
    for (size_t c = 0; c < factors.size(); ++c) {
        low = std::min(low, input.least[c] / factors[c]);
        high = std::max(high, input.most[c] / factors[c]);
        squares += input.power[c] / factors[c] / factors[c];
    }
    const bool one_scale = !has_output_scales(run.quant);
    for (const NodeId reader : smoothing.readers) {
        const Layer layer = *layer_of(run.graph, reader);
        const std::vector<float> weight = to_floats(*run.graph.constant(layer.weight));
        std::vector<double> most(layer.outs, 0.0);
        for (size_t out = 0; out < layer.outs; ++out)
            for (size_t k = 0; k < layer.depth; ++k) {
                const double number = static_cast<double>(weight[layer.at(out, k)]) * factors[k];
                most[out] = std::max(most[out], std::abs(number));
                noise += (high - low) * (high - low) * input_noise * number * number;
            }
        if (one_scale) std::ranges::fill(most, *std::ranges::max_element(most));
        for (const double own : most) noise += 4 * own * own * weight_noise * squares;
    }
    return noise;
}

// How far the greatest channel is from the middle one.
double outlier(std::vector<double> magnitudes) {
    std::ranges::sort(magnitudes);
    const double middle = magnitudes[magnitudes.size() / 2];
    return middle > 0 ? magnitudes.back() / middle : 1;
}

std::vector<double> factors_of(const AlgorithmRun& run, const Smoothing& smoothing, const ChannelExtremes& input) {
    const std::vector<double> weights = weight_magnitudes(run.graph, smoothing);
    std::vector<double> factors(smoothing.channels, 1.0);
    const double alpha = run.options.alpha;
    for (size_t c = 0; c < factors.size(); ++c)
        if (input.magnitude(c) > 0 && weights[c] > 0)
            factors[c] = std::clamp(portable::pow(input.magnitude(c), alpha) / portable::pow(weights[c], 1 - alpha), 1e-5, 1e5);
    return factors;
}

std::string why_not(const AlgorithmRun& run, const Smoothing& smoothing, const ChannelExtremes& input, const std::vector<double>& factors) {
    if (input.rows < least_rows)
        return fmt::format("stays as it was: the greatest numbers of its input are those of {} rows, need {}", input.rows, least_rows);
    const std::vector<double> ones(factors.size(), 1.0);
    if (expected_noise(run, smoothing, input, factors) < expected_noise(run, smoothing, input, ones)) return "";
    return "stays as it was: its weights would lose more than its input gains";
}

std::string outliers(const ChannelExtremes& input, const std::vector<double>& factors) {
    std::vector<double> before, after;
    for (size_t c = 0; c < factors.size(); ++c) {
        before.push_back(input.magnitude(c));
        after.push_back(before.back() / factors[c]);
    }
    return fmt::format("greatest channel of its input {:.1f} times the middle one, was {:.1f}", outlier(after), outlier(before));
}

std::vector<ChannelExtremes> inputs_of(const AlgorithmRun& run, const std::vector<Smoothing>& found) {
    std::vector<ChannelValue> values;
    values.reserve(found.size());
    for (const Smoothing& one : found)
        values.push_back({one.value, static_cast<int>(run.graph.value(one.value).type.shape.rank()) - 1, one.channels});
    return channel_extremes(run, values, true);
}

// Divides the input by `divide`(factors) if that is expected to gain.
template <class Divide>
void judge(const AlgorithmRun& run, const Smoothing& smoothing, const ChannelExtremes& input, AlgorithmReport& report, Divide divide) {
    const std::vector<double> factors = factors_of(run, smoothing, input);
    std::string note = why_not(run, smoothing, input, factors);
    const bool changed = note.empty();
    if (changed) {
        note = outliers(input, factors);
        divide(factors);
    }
    for (const NodeId reader : smoothing.readers)
        report.layers.push_back({.layer = run.graph.node(reader).name, .changed = changed, .note = note});
}

// The values that were judged.
std::set<ValueId> fold_factors(AlgorithmRun& run, AlgorithmReport& report) {
    // Where a weight has one scale, outputs that are divided unevenly would cost it more than their readers gain.
    const bool layers = has_output_scales(run.quant);
    const std::vector<Smoothing> found = smoothings_of(run, layers);
    const std::vector<ChannelExtremes> inputs = inputs_of(run, found);
    std::set<ValueId> judged;
    for (size_t v = 0; v < found.size(); ++v) {
        const Fold fold(run, found[v].value, found[v].channels, layers);
        if (!fold.possible()) continue;  // an earlier one has taken what it needs
        judged.insert(found[v].value);
        judge(run, found[v], inputs[v], report, [&](const std::vector<double>& factors) { smooth(run, fold, found[v], factors); });
    }
    return judged;
}

void put_muls(AlgorithmRun& run, const std::set<ValueId>& judged, AlgorithmReport& report) {
    std::vector<Smoothing> found;
    for (const MulSmoothing& one : mul_smoothings_of(run, judged)) {
        if (!one.rounded) {
            found.push_back(one.smoothing);
            continue;
        }
        for (const NodeId reader : one.smoothing.readers)
            report.layers.push_back({.layer = run.graph.node(reader).name,
                                     .changed = false,
                                     .note = "stays as it was: its input is rounded where it is made, a Mul behind that gains nothing"});
    }
    const std::vector<ChannelExtremes> inputs = inputs_of(run, found);
    for (size_t v = 0; v < found.size(); ++v)
        judge(run, found[v], inputs[v], report, [&](const std::vector<double>& factors) { smooth_by_mul(run, found[v], factors); });
}

}  // namespace

AlgorithmReport smooth_activations(AlgorithmRun& run) {
    AlgorithmReport report{"smoothquant", ""};
    const std::set<ValueId> judged = fold_factors(run, report);
    if (run.options.smooth_mul) put_muls(run, judged, report);
    return report;
}

}  // namespace quern
