// ProductNoise: what rounding costs the results of a product, measured with rows of its inputs; the channels of these are divided, and
// the rows of its weight multiplied, by the same factors before both are rounded. What smoothquant and awq choose by.
#pragma once

#include <optional>
#include <vector>

#include "libcore/quant/algorithms/algorithm.h"
#include "libcore/quant/algorithms/layer_rows.h"
#include "libcore/quant/assign/weights.h"

namespace quern {

// Sums over outputs of a product and those rows that are no judges, or that are.
struct RowSums {
    double fitted = 0, judged = 0;
    double all() const { return fitted + judged; }
    void add(const RowSums& other);
};

class ProductNoise {
   public:
    // `spec`: nothing rounds its weight. `rows` is not copied.
    ProductNoise(const Graph& graph, NodeId node, std::optional<WeightSpec> spec, const LayerRows& rows, ThreadPool& pool);

    // Squared errors of its results. `inputs`: what rounding makes of the divided rows; empty: they are not rounded.
    RowSums noise(const std::vector<double>& factors, const std::vector<float>& inputs = {}) const;

    const NodeId node;
    RowSums signal;  // squares of its results

   private:
    std::vector<float> rounded(const std::vector<double>& factors) const;

    Layer layer_;
    std::optional<WeightSpec> spec_;
    const LayerRows& rows_;
    ThreadPool& pool_;
    Dims dims_;
    std::vector<float> weight_;
};

// The rows with which the products that read a value like `first` are measured.
LayerRows rows_to_measure(const AlgorithmRun& run, NodeId first);

// Of several products together, each relative to its results; the sums of `part`.
double total_noise(const std::vector<ProductNoise>& products, const std::vector<RowSums>& noise, double (*part)(const RowSums&));

}  // namespace quern
