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
#include "libcore/quant/algorithms/refine.h"
#include "libcore/quant/algorithms/smoothing.h"
#include "libcore/quant/algorithms/type_spec.h"

namespace quern {
namespace {

constexpr int alphas = 20;
constexpr size_t most_rows = 512;    // that are fitted to and judged by
constexpr size_t least_rows = 32;    // fewer say nothing
constexpr double least_mean = 1e-4;  // of the greatest channel

// Sums over rows and outputs of one reader.
struct Sums {
    double fitted = 0, judged = 0;
    void add(const Sums& other) {
        fitted += other.fitted;
        judged += other.judged;
    }
};

// fn(out) for every output, added in their order.
template <class Fn>
Sums sum_over(const Layer& layer, ThreadPool& pool, const Fn& fn) {
    std::vector<Sums> parts(layer.outs);
    pool.run(layer.outs, [&](size_t out) { parts[out] = fn(out); });
    Sums all;
    for (const Sums& part : parts) all.add(part);
    return all;
}

// Squares of the products of all rows with one output's numbers.
Sums squares(const LayerRows& rows, const std::vector<float>& numbers) {
    Sums sums;
    for (size_t r = 0; r < rows.rows; ++r) {
        const auto product = static_cast<double>(dot(rows.x.data() + r * rows.depth, numbers.data(), rows.depth));
        (is_judge(r) ? sums.judged : sums.fitted) += product * product;
    }
    return sums;
}

// A product that reads the value: its weight, and what rounding it costs.
class Reader {
   public:
    Reader(const AlgorithmRun& run, NodeId node, const LayerRows& rows)
        : node(node), layer_(*layer_of(run.graph, node)), spec_(*type_spec(run.graph, layer_, run.quant)), rows_(rows), pool_(run.pool) {
        const Tensor weight = *run.graph.constant(layer_.weight);
        dims_ = weight.dims;
        weight_ = to_floats(weight);
        signal = sum_over(layer_, pool_, [&](size_t out) {
            std::vector<float> numbers(layer_.depth);
            for (size_t k = 0; k < numbers.size(); ++k) numbers[k] = weight_[layer_.at(out, k)];
            return squares(rows_, numbers);
        });
    }

    // With rows multiplied by `factors`, inputs divided.
    Sums noise(const std::vector<double>& factors) const {
        std::vector<float> scaled = weight_;
        for (size_t out = 0; out < layer_.outs; ++out)
            for (size_t k = 0; k < layer_.depth; ++k) {
                float& number = scaled[layer_.at(out, k)];
                number = static_cast<float>(static_cast<double>(number) * factors[k]);
            }
        const Tensor tensor = Tensor::make<float>(dims_, scaled);
        const Encoding encoding = weight_encoding(tensor, spec_);
        const std::vector<float> rounded = to_floats(dequantize(quantize(tensor, encoding), encoding));
        return sum_over(layer_, pool_, [&](size_t out) {
            std::vector<float> errors(layer_.depth);
            for (size_t k = 0; k < errors.size(); ++k) {
                const size_t at = layer_.at(out, k);
                errors[k] = static_cast<float>(static_cast<double>(rounded[at]) / factors[k] - static_cast<double>(weight_[at]));
            }
            return squares(rows_, errors);
        });
    }

    NodeId node;
    Sums signal;

   private:
    Layer layer_;
    WeightSpec spec_;
    const LayerRows& rows_;
    ThreadPool& pool_;
    Dims dims_;
    std::vector<float> weight_;
};

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

double total(const std::vector<Reader>& readers, const std::vector<Sums>& noise, double Sums::*part) {
    double sum = 0;
    for (size_t i = 0; i < readers.size(); ++i)
        if (readers[i].signal.*part > 0) sum += noise[i].*part / (readers[i].signal.*part);
    return sum;
}

std::vector<Sums> noise_of(const std::vector<Reader>& readers, const std::vector<double>& factors) {
    std::vector<Sums> noise;
    noise.reserve(readers.size());
    for (const Reader& reader : readers) noise.push_back(reader.noise(factors));
    return noise;
}

struct Choice {
    double alpha = 0;
    std::vector<double> factors;
    std::vector<Sums> plain, noise;  // of each reader
};

Choice choose(const std::vector<Reader>& readers, const std::vector<double>& means) {
    Choice choice;
    choice.factors = factors_of(means, 0);
    choice.plain = choice.noise = noise_of(readers, choice.factors);
    for (int i = 1; i < alphas; ++i) {
        const double alpha = static_cast<double>(i) / alphas;
        std::vector<double> factors = factors_of(means, alpha);
        std::vector<Sums> noise = noise_of(readers, factors);
        if (total(readers, noise, &Sums::fitted) < total(readers, choice.noise, &Sums::fitted))
            choice = {alpha, std::move(factors), std::move(choice.plain), std::move(noise)};
    }
    return choice;
}

void scale_channels(AlgorithmRun& run, const Smoothing& smoothing, const Fold& fold, AlgorithmReport& report) {
    const Layer first = *layer_of(run.graph, smoothing.readers.front());
    const LayerRows rows = gather_rows({run.graph, run.graph, first, run.graph, run.graph, first}, *run.options.feed,
                                       std::min(run.options.rows, most_rows), false, run.pool);
    std::vector<Reader> readers;
    for (const NodeId node : smoothing.readers) readers.emplace_back(run, node, rows);
    std::string note;
    Choice choice;
    bool changed = false;
    if (rows.rows < least_rows) {
        note = fmt::format("stays as it was: its input has {} rows, need {}", rows.rows, least_rows);
    } else {
        choice = choose(readers, mean_magnitudes(rows));
        changed = total(readers, choice.noise, &Sums::judged) < total(readers, choice.plain, &Sums::judged);
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
    if (changed) smooth(run, fold, smoothing, choice.factors);
}

}  // namespace

AlgorithmReport weigh_by_activations(AlgorithmRun& run) {
    AlgorithmReport report{"awq", "its results"};
    if (!is_integer(run.quant.scheme->weight)) return report;
    const bool layers = has_output_scales(run.quant) || run.quant.scheme->blocks;
    for (const Smoothing& smoothing : smoothings_of(run, layers))
        if (const Fold fold(run, smoothing.value, smoothing.channels, layers); fold.possible())
            at_place(fmt::format("awq: value \"{}\"", escape(run.graph.value(smoothing.value).name)),
                     [&] { scale_channels(run, smoothing, fold, report); });
    return report;
}

}  // namespace quern
