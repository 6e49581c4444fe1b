#include "libcore/quant/algorithms/algorithm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/text.h"

namespace quern {
namespace {

constexpr std::array rows{
    Algorithm{.name = "cle",
              .doc = "cross-layer equalization: ranges of channels are balanced between consecutive layers, high biases moved on",
              .paper = "Nagel et al. 2019, Data-Free Quantization",
              .cost = "milliseconds; no samples if ranges are per channel",
              .when = "one scale per weight, depthwise convolutions",
              .before = equalize_layers},
    Algorithm{.name = "smoothquant",
              .doc = "outliers of activations are moved into the weights that multiply them",
              .paper = "Xiao et al. 2022, SmoothQuant",
              .cost = "a run over the samples",
              .when = "transformers with 8-bit activations",
              .samples = true,
              .before = smooth_activations},
    Algorithm{.name = "awq",
              .doc = "channels of weights that meet great activations are scaled up, what makes these down",
              .paper = "Lin et al. 2023, AWQ",
              .cost = "a run over the samples for each value, 20 products of what reads it with 512 rows",
              .when = "4-bit weights of transformers, before seqmse, adaround or gptq",
              .samples = true,
              .before = weigh_by_activations},
    Algorithm{.name = "recalibrate",
              .doc = "ranges of activations are measured again, layer by layer, with the layers before quantized",
              .paper = "Nagel et al. 2021, A White Paper on Neural Network Quantization, section 3; cf. Hubara et al. 2020, AdaQuant",
              .cost = "for each depth of the net a run of the layers before it over the samples, and the quantizer",
              .when = "one scale per weight, where activations move much; seldom a gain, so compare",
              .samples = true,
              .between = recalibrate},
    Algorithm{.name = "seqmse",
              .doc = "scales of weights are searched by the error of each layer's products, layer by layer",
              .paper = "sequential MSE of AIMET; cf. Nahshan et al. 2019, Loss Aware Post-Training Quantization",
              .cost = "seconds: 20 products of each layer with its rows",
              .when = "4-bit weights, before adaround or gptq",
              .samples = true,
              .after = search_scales},
    Algorithm{.name = "adaround",
              .doc = "rounding of each weight up or down is learned, layer by layer",
              .paper = "Nagel et al. 2020, Up or Down?",
              .cost = "seconds to minutes: --iterations times the rows of a batch and the weights",
              .when = "4-bit weights, 8-bit weights with one scale",
              .samples = true,
              .after = round_adaptively},
    Algorithm{.name = "gptq",
              .doc = "weights are rounded one by one, the others of a product make up for the error",
              .paper = "Frantar et al. 2022, GPTQ",
              .cost = "seconds: the cube of a layer's inputs, and their square times its outputs",
              .when = "4-bit weights of products",
              .samples = true,
              .after = round_by_hessian},
    Algorithm{.name = "analytic-bias-correction",
              .doc = "biases make up for the mean error of rounded weights, by what BatchNormalization says of inputs",
              .paper = "Nagel et al. 2019, Data-Free Quantization, section 4.2 (analytic)",
              .cost = "milliseconds, no samples",
              .when = "depthwise convolutions, few bits, no samples; BatchNormalization still in the file",
              .before = prepare_biases,
              .after = correct_biases_by_normals},
    Algorithm{.name = "fast-bias-correction",
              .doc = "biases make up for the mean error of rounded weights, by the measured means of inputs",
              .paper = "Nagel et al. 2019, Data-Free Quantization, section 4.2",
              .cost = "milliseconds with ranges of minmax-collect --per-channel, else a run over the samples",
              .when = "depthwise convolutions, few bits, no samples",
              .means = true,
              .before = prepare_biases,
              .after = correct_biases_by_means},
    Algorithm{.name = "bias-correction",
              .doc = "biases make up for the mean error of each output, measured with the layers before it quantized",
              .paper = "Nagel et al. 2019, Data-Free Quantization, section 4.2 (empirical)",
              .cost = "two runs over the samples",
              .when = "depthwise convolutions, few bits; last of several; quantize tries it by itself where it has samples",
              .samples = true,
              .before = prepare_biases,
              .after = correct_biases},
};

}  // namespace

std::span<const Algorithm> all_algorithms() { return rows; }

const Algorithm& algorithm_named(std::string_view name) {
    std::vector<std::string> names;
    for (const Algorithm& row : rows) {
        if (row.name == name) return row;
        names.emplace_back(row.name);
    }
    throw usage_error("unknown algorithm \"{}\"{}", escape(name), did_you_mean(name, names)).with_hint("one of " + join(names, ", "));
}

std::vector<const Algorithm*> algorithms_named(std::span<const std::string> names) {
    std::vector<const Algorithm*> chosen;
    for (const std::string& name : names) {
        const Algorithm& row = algorithm_named(name);
        if (std::ranges::find(chosen, &row) != chosen.end()) throw usage_error("algorithm \"{}\" is named twice", name);
        chosen.push_back(&row);
    }
    return chosen;
}

void change_value(ChangedValues& changed, const std::string& name, int axis, std::span<const double> scale, std::span<const double> shift) {
    ChannelChange& change = changed[name];
    if (change.axis < 0) change = {axis, std::vector<double>(scale.size(), 1.0), std::vector<double>(scale.size(), 0.0)};
    for (size_t i = 0; i < scale.size(); ++i) {
        change.scale[i] *= scale[i];
        change.shift[i] = change.shift[i] * scale[i] + shift[i];
    }
}

std::vector<std::string> rescale_ranges(Ranges& ranges, const ChangedValues& changed) {
    std::vector<std::string> unknown;
    for (const auto& [name, change] : changed) {
        const auto found = ranges.values.find(name);
        if (found == ranges.values.end()) continue;
        ValueRange& range = found->second;
        if (range.axis != change.axis || range.channel_min.size() != change.scale.size()) {
            unknown.push_back(name);
            continue;
        }
        for (size_t i = 0; i < change.scale.size(); ++i)
            for (float* extreme : {&range.channel_min[i], &range.channel_max[i]})
                *extreme = static_cast<float>(static_cast<double>(*extreme) * change.scale[i] + change.shift[i]);
        const double each = static_cast<double>(range.count) / static_cast<double>(change.scale.size());
        for (size_t i = 0; i < range.channel_sum.size(); ++i)
            range.channel_sum[i] = ExactSum(range.channel_sum[i].rounded() * change.scale[i] + change.shift[i] * each);
        range.min = *std::ranges::min_element(range.channel_min);
        range.max = *std::ranges::max_element(range.channel_max);
        range.histogram = {};
        range.runs.clear();
        range.runs_left_out = 0;
    }
    return unknown;
}

void rescale_normals(Normals& normals, const ChangedValues& changed) {
    for (const auto& [name, change] : changed) {
        const auto found = normals.find(name);
        if (found == normals.end()) continue;
        Normal& normal = found->second;
        if (normal.mean.size() != change.scale.size()) {
            normals.erase(found);
            continue;
        }
        for (size_t c = 0; c < change.scale.size(); ++c) {
            normal.mean[c] = normal.mean[c] * change.scale[c] + change.shift[c];
            normal.deviation[c] *= std::abs(change.scale[c]);
        }
    }
}

}  // namespace quern
