// SmoothQuant: Xiao et al. 2022, "SmoothQuant: Accurate and Efficient Post-Training Quantization for Large Language Models".
//
// Channel j of what matrix products read is divided, and row j of their weights multiplied, by s = max|x|^alpha / max|w|^(1 - alpha);
// layers are divided where their weights have a scale for each output. Done only where rounding both costs the results of the products
// less so, all readers of the value together, each relative to its results, as measured over rows of the samples. Where nothing can take
// the division, a Mul may be put before the products.
#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/quant/algorithms/extremes.h"
#include "libcore/quant/algorithms/product_noise.h"
#include "libcore/quant/algorithms/refine.h"
#include "libcore/quant/algorithms/smoothing_mul.h"
#include "libcore/quant/algorithms/type_spec.h"
#include "libcore/quant/types/asked.h"

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

// What a value costs the products that read it and round: their inputs, on the grid of what its channels are seen to reach, and weights.
class Trial {
   public:
    // Holds all of them.
    Trial(const AlgorithmRun& run, const Smoothing& smoothing, const ChannelExtremes& extremes)
        : run_(run), extremes_(extremes), rows_(rows_to_measure(run, smoothing.readers.front())) {
        for (const NodeId node : smoothing.readers) {
            const Scheme* scheme = asked_of(run.graph.node(node), "", run.work).scheme;
            if (!scheme) continue;  // it stays float and loses nothing
            const Layer layer = *layer_of(run.graph, node);
            products_.emplace_back(run.graph, node, type_spec(run.graph, layer, *scheme, run.work), rows_, run.pool);
            grids_.push_back(rounding_scheme(run, node) ? std::optional(activation_spec(*scheme, run.work)) : std::nullopt);
        }
    }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    const std::vector<ProductNoise>& products() const { return products_; }

    // Of each product, where the channels are divided by `factors`.
    std::vector<RowSums> noise(const std::vector<double>& factors) const {
        std::vector<RowSums> noise;
        for (size_t i = 0; i < products_.size(); ++i)
            noise.push_back(products_[i].noise(factors, grids_[i] ? rounded(factors, *grids_[i]) : std::vector<float>()));
        return noise;
    }

   private:
    std::vector<float> rounded(const std::vector<double>& factors, const GridSpec& spec) const {
        RealRange range;
        for (size_t c = 0; c < factors.size(); ++c) {
            range.lo = std::min(range.lo, extremes_.least[c] / factors[c]);
            range.hi = std::max(range.hi, extremes_.most[c] / factors[c]);
        }
        const Grid grid = grid_of(range, spec);
        std::vector<float> numbers = rows_.x;
        run_.pool.run(rows_.rows, [&](size_t r) {
            for (size_t c = 0; c < factors.size(); ++c) {
                float& number = numbers[r * factors.size() + c];
                number = static_cast<float>(grid.rounded(static_cast<double>(number) / factors[c], spec));
            }
        });
        return numbers;
    }

    const AlgorithmRun& run_;
    const ChannelExtremes& extremes_;
    LayerRows rows_;
    std::vector<ProductNoise> products_;
    std::vector<std::optional<GridSpec>> grids_;  // of their inputs; nothing: not rounded
};

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

void report_all(const AlgorithmRun& run, const Smoothing& smoothing, const std::string& note, AlgorithmReport& report) {
    for (const NodeId reader : smoothing.readers)
        report.layers.push_back({.layer = run.graph.node(reader).name, .changed = false, .note = "stays as it was: " + note});
}

// Divides the input by factors, as `divide`(factors) does, if what is measured of the products is better so.
template <class DivideBy>
void judge(AlgorithmRun& run, const Smoothing& smoothing, const ChannelExtremes& input, AlgorithmReport& report, DivideBy divide) {
    if (input.rows < least_rows)
        return report_all(run, smoothing,
                          fmt::format("the greatest numbers of its input are those of {} rows, need {}", input.rows, least_rows), report);
    const std::vector<double> factors = factors_of(run, smoothing, input), ones(factors.size(), 1.0);
    const Trial trial(run, smoothing, input);
    const std::vector<RowSums> before = trial.noise(ones), after = trial.noise(factors);
    const auto all = [](const RowSums& sums) { return sums.all(); };
    const bool changed = total_noise(trial.products(), after, all) < total_noise(trial.products(), before, all);
    const std::string note = changed ? outliers(input, factors) : "stays as it was: its weights would lose more than its input gains";
    for (size_t i = 0; i < before.size(); ++i) {
        const ProductNoise& product = trial.products()[i];
        report.layers.push_back({.layer = run.graph.node(product.node).name,
                                 .before_db = decibel_of(product.signal.all(), before[i].all()),
                                 .after_db = decibel_of(product.signal.all(), (changed ? after : before)[i].all()),
                                 .changed = changed,
                                 .note = note});
    }
    if (changed) smooth(run, smoothing, factors, [&] { return divide(factors); });
}

bool rounds_any(const AlgorithmRun& run, const Smoothing& smoothing) {
    return std::ranges::any_of(smoothing.readers, [&](NodeId reader) { return rounding_scheme(run, reader) != nullptr; });
}

// The values that were judged.
std::set<ValueId> fold_factors(AlgorithmRun& run, AlgorithmReport& report) {
    // Where a weight has one scale, outputs that are divided unevenly would cost it more than their readers gain.
    const bool layers = has_output_scales(run.work);
    std::vector<Smoothing> found = smoothings_of(run, layers);
    std::set<ValueId> judged;
    std::erase_if(found, [&](const Smoothing& one) {
        if (rounds_any(run, one)) return false;
        judged.insert(one.value);
        report_all(run, one, "its input is not rounded, so that nothing would be gained", report);
        return true;
    });
    const std::vector<ChannelExtremes> inputs = inputs_of(run, found);
    for (size_t v = 0; v < found.size(); ++v) {
        const Fold fold(run, found[v].value, found[v].channels, layers);
        if (!fold.possible()) continue;  // an earlier one has taken what it needs
        judged.insert(found[v].value);
        judge(run, found[v], inputs[v], report, [&](const std::vector<double>& factors) { return fold.apply(run.graph, factors); });
    }
    return judged;
}

void put_muls(AlgorithmRun& run, const std::set<ValueId>& judged, AlgorithmReport& report) {
    std::vector<Smoothing> found;
    for (const MulSmoothing& one : mul_smoothings_of(run, judged, run.options.smooth_mul)) {
        if (!one.rounded) {
            found.push_back(one.smoothing);
            continue;
        }
        report_all(run, one.smoothing, "its input is rounded where it is made, a Mul behind that gains nothing", report);
    }
    const std::vector<ChannelExtremes> inputs = inputs_of(run, found);
    for (size_t v = 0; v < found.size(); ++v)
        judge(run, found[v], inputs[v], report,
              [&](const std::vector<double>& factors) { return std::set<ValueId>{put_mul(run, found[v], factors)}; });
}

}  // namespace

AlgorithmReport smooth_activations(AlgorithmRun& run) {
    AlgorithmReport report{"smoothquant", "its results"};
    const SmoothMul muls = run.options.smooth_mul;
    const std::set<ValueId> judged = muls == SmoothMul::each ? std::set<ValueId>() : fold_factors(run, report);
    if (muls != SmoothMul::none) put_muls(run, judged, report);
    return report;
}

}  // namespace quern
