#include "libcore/quant/algorithms/product_noise.h"

#include <algorithm>

#include "libcore/graph/quantize.h"
#include "libcore/quant/algorithms/refine.h"

namespace quern {
namespace {

constexpr size_t most_rows = 512;

// error(out, row) of all outputs and rows, squared and added in their order.
template <class Error>
RowSums squares(size_t outs, size_t rows, ThreadPool& pool, const Error& error) {
    std::vector<RowSums> parts(outs);
    pool.run(outs, [&](size_t out) {
        const auto of_row = error(out);
        for (size_t r = 0; r < rows; ++r) {
            const double number = of_row(r);
            (is_judge(r) ? parts[out].judged : parts[out].fitted) += number * number;
        }
    });
    RowSums sums;
    for (const RowSums& part : parts) sums.add(part);
    return sums;
}

// The product of row r of `x` with `numbers`.
double product(const std::vector<float>& x, size_t r, const std::vector<float>& numbers) {
    return static_cast<double>(dot(x.data() + r * numbers.size(), numbers.data(), numbers.size()));
}

// What an output multiplies its inputs with.
std::vector<float> numbers_of(const Layer& layer, const std::vector<float>& weight, size_t out) {
    std::vector<float> numbers(layer.depth);
    for (size_t k = 0; k < numbers.size(); ++k) numbers[k] = weight[layer.at(out, k)];
    return numbers;
}

}  // namespace

void RowSums::add(const RowSums& other) {
    fitted += other.fitted;
    judged += other.judged;
}

ProductNoise::ProductNoise(const Graph& graph, NodeId node, std::optional<WeightSpec> spec, const LayerRows& rows, ThreadPool& pool)
    : node(node), layer_(*layer_of(graph, node)), spec_(spec), rows_(rows), pool_(pool) {
    const Tensor weight = *graph.constant(layer_.weight);
    dims_ = weight.dims;
    weight_ = to_floats(weight);
    signal = squares(layer_.outs, rows_.rows, pool_, [&](size_t out) {
        return [&, numbers = numbers_of(layer_, weight_, out)](size_t r) { return product(rows_.x, r, numbers); };
    });
}

std::vector<float> ProductNoise::rounded(const std::vector<double>& factors) const {
    std::vector<float> scaled = weight_;
    for (size_t out = 0; out < layer_.outs; ++out)
        for (size_t k = 0; k < layer_.depth; ++k) {
            float& number = scaled[layer_.at(out, k)];
            number = static_cast<float>(static_cast<double>(number) * factors[k]);
        }
    if (!spec_) return scaled;
    const Tensor tensor = Tensor::make<float>(dims_, scaled);
    const Encoding encoding = weight_encoding(tensor, *spec_);
    return to_floats(dequantize(quantize(tensor, encoding), encoding));
}

RowSums ProductNoise::noise(const std::vector<double>& factors, const std::vector<float>& inputs) const {
    const std::vector<float> weight = rounded(factors);
    return squares(layer_.outs, rows_.rows, pool_, [&](size_t out) {
        std::vector<float> own = numbers_of(layer_, weight, out), real = numbers_of(layer_, weight_, out);
        if (inputs.empty())  // the error of the weight alone, by what it multiplies
            for (size_t k = 0; k < own.size(); ++k)
                real[k] = static_cast<float>(static_cast<double>(own[k]) / factors[k] - static_cast<double>(real[k]));
        return [&, own = std::move(own), real = std::move(real)](size_t r) {
            return (inputs.empty() ? 0 : product(inputs, r, own)) - product(rows_.x, r, real);
        };
    });
}

LayerRows rows_to_measure(const AlgorithmRun& run, NodeId first) {
    const Layer layer = *layer_of(run.graph, first);
    RowGatherer gatherer(run.graph, run.graph, *run.options.feed, std::min(run.options.rows, most_rows), false, run.pool,
                         Between::forgotten);
    return gatherer.gather({run.graph, layer, run.graph, layer});
}

double total_noise(const std::vector<ProductNoise>& products, const std::vector<RowSums>& noise, double (*part)(const RowSums&)) {
    double sum = 0;
    for (size_t i = 0; i < products.size(); ++i)
        if (const double signal = part(products[i].signal); signal > 0) sum += part(noise[i]) / signal;
    return sum;
}

}  // namespace quern
