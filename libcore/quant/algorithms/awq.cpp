// AWQ: Lin et al. 2023, "AWQ: Activation-aware Weight Quantization for LLM Compression and Acceleration", section 3.2.
//
// Channel j of what matrix products read is divided, and row j of their weights multiplied, by s = mean|x|^alpha: weights that meet great
// inputs are rounded more finely. s is divided by sqrt(max s * min s). Of 20 values of alpha, 0 (nothing is scaled) to 0.95, the one that
// leaves the least error of the products, all readers of the value together, each relative to its results. Inputs are taken as they are.
// Every fourth row has no part in the choice: where it says that the products are no better for it, they stay.
#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/quant/algorithms/product_noise.h"
#include "libcore/quant/algorithms/refine.h"
#include "libcore/quant/algorithms/smoothing.h"
#include "libcore/quant/algorithms/type_spec.h"

namespace quern {
namespace {

constexpr int alphas = 20;
constexpr size_t least_rows = 32;    // fewer say nothing
constexpr double least_mean = 1e-4;  // of the greatest channel

std::vector<double> mean_magnitudes(const LayerRows& rows) {
    std::vector<double> means(rows.depth, 0.0);
    for (size_t r = 0; r < rows.rows; ++r)
        for (size_t k = 0; k < rows.depth && !is_judge(r); ++k) means[k] += std::abs(static_cast<double>(rows.x[r * rows.depth + k]));
    const double least = least_mean * *std::ranges::max_element(means);
    for (double& mean : means) mean = least > 0 ? std::max(mean, least) : 1;
    return means;
}

std::vector<double> factors_of(const std::vector<double>& means, double alpha) {
    std::vector<double> factors;
    factors.reserve(means.size());
    for (const double mean : means) factors.push_back(portable::pow(mean, alpha));
    const auto [least, greatest] = std::ranges::minmax(factors);
    const double middle = std::sqrt(least * greatest);
    for (double& factor : factors) factor /= middle;
    return factors;
}

double fitted(const RowSums& sums) { return sums.fitted; }
double judged(const RowSums& sums) { return sums.judged; }

std::vector<RowSums> noise_of(const std::vector<ProductNoise>& readers, const std::vector<double>& factors) {
    std::vector<RowSums> noise;
    noise.reserve(readers.size());
    for (const ProductNoise& reader : readers) noise.push_back(reader.noise(factors));
    return noise;
}

struct ChosenFactors {
    double alpha = 0;
    std::vector<double> factors;
    std::vector<RowSums> plain, noise;  // of each reader
};

ChosenFactors choose(const std::vector<ProductNoise>& readers, const std::vector<double>& means) {
    ChosenFactors choice;
    choice.factors = factors_of(means, 0);
    choice.plain = choice.noise = noise_of(readers, choice.factors);
    for (int i = 1; i < alphas; ++i) {
        const double alpha = static_cast<double>(i) / alphas;
        std::vector<double> factors = factors_of(means, alpha);
        std::vector<RowSums> noise = noise_of(readers, factors);
        if (total_noise(readers, noise, fitted) < total_noise(readers, choice.noise, fitted))
            choice = {alpha, std::move(factors), std::move(choice.plain), std::move(noise)};
    }
    return choice;
}

void scale_channels(AlgorithmRun& run, const Smoothing& smoothing, const Fold& fold, AlgorithmReport& report) {
    const LayerRows rows = rows_to_measure(run, smoothing.readers.front());
    std::vector<ProductNoise> readers;
    for (const NodeId node : smoothing.readers)
        readers.emplace_back(run.graph, node, type_spec(run.graph, *layer_of(run.graph, node), *run.work.request.scheme, run.work), rows,
                             run.pool);
    std::string note;
    ChosenFactors choice;
    bool changed = false;
    if (rows.rows < least_rows) {
        note = fmt::format("stays as it was: its input has {} rows, need {}", rows.rows, least_rows);
    } else {
        choice = choose(readers, mean_magnitudes(rows));
        changed = total_noise(readers, choice.noise, judged) < total_noise(readers, choice.plain, judged);
        note = changed ? fmt::format("alpha {:.2f}", choice.alpha) : "stays as it was: no scaling gives less error";
    }
    for (size_t i = 0; i < readers.size(); ++i) {
        LayerGain gain{.layer = run.graph.node(readers[i].node).name, .changed = changed, .note = note};
        if (!choice.plain.empty()) {
            gain.before_db = decibel_of(readers[i].signal.judged, choice.plain[i].judged);
            gain.after_db = decibel_of(readers[i].signal.judged, (changed ? choice.noise : choice.plain)[i].judged);
        }
        report.layers.push_back(std::move(gain));
    }
    if (changed) smooth(run, smoothing, choice.factors, [&] { return fold.apply(run.graph, choice.factors); });
}

}  // namespace

AlgorithmReport weigh_by_activations(AlgorithmRun& run) {
    AlgorithmReport report{"awq", "its results"};
    if (!is_integer(run.work.request.scheme->weight)) return report;
    const bool layers = has_output_scales(run.work) || run.work.request.scheme->blocks;
    for (const Smoothing& smoothing : smoothings_of(run, layers))
        if (const Fold fold(run, smoothing.value, smoothing.channels, layers); fold.possible())
            at_place(fmt::format("awq: value \"{}\"", escape(run.graph.value(smoothing.value).name)),
                     [&] { scale_channels(run, smoothing, fold, report); });
    return report;
}

}  // namespace quern
