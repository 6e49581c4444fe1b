// Refining: new codes for the weights of a quantized graph, layer by layer in the order of the graph, so that each sees what the layers
// before it became. Scales, zero points and biases stay.
#pragma once

#include <functional>
#include <vector>

#include "libcore/quant/algorithms/algorithm.h"
#include "libcore/quant/algorithms/layer_rows.h"
#include "libcore/quant/algorithms/weight_grid.h"

namespace quern {

// One output of a layer: rows of its inputs, what it should give, its weights and what they may be rounded to.
struct Channel {
    const float* x = nullptr;  // [rows, depth]
    const float* y = nullptr;  // [rows], before the activation
    size_t rows = 0, depth = 0;
    std::vector<float> weight, scale, zero;  // [depth]
    float qmin = 0, qmax = 0, bias = 0;
    Bend bend;

    const float* row(size_t r) const { return x + r * depth; }
    float number(size_t k, float code) const { return (code - zero[k]) * scale[k]; }
    std::vector<float> nearest() const;  // codes
    // Sum of squares over the rows that are judges, or over the others: of the results, and of what codes make of them less that, both
    // behind the activation.
    double signal(bool judges) const;
    double noise(const std::vector<float>& codes, bool judges) const;
};

// The outputs of a layer: `real` is its float weight. Holds references.
class Channels {
   public:
    Channels(const Graph& graph, const Layer& own, const std::vector<float>& real, const LayerRows& rows);
    Channel channel(size_t out) const;
    // Codes that are stored now, of one output.
    std::vector<float> stored(size_t out) const;

   private:
    const Layer& own_;
    const std::vector<float>& real_;
    const LayerRows& rows_;
    WeightGrid grid_;
    std::vector<int64_t> codes_;
    std::vector<float> bias_;
};

// Codes for one output; fits to rows that are no judges. Any thread.
using FitChannel = std::function<std::vector<float>(const Channel&)>;
// Prepares what outputs with the same inputs [rows, depth] share.
using FitGroup = std::function<FitChannel(const float* x, size_t rows, size_t depth, ThreadPool& pool)>;

struct Refined {
    double signal = 0, before = 0, after = 0;  // over judges, all outputs
    bool better() const { return after < before; }
};
// The codes of a layer's weight, fitted and stored if the rows that were not fitted to say that they are better.
Refined refine_layer(Graph& graph, const Layer& own, const std::vector<float>& real, const LayerRows& rows, const FitGroup& fit,
                     ThreadPool& pool);

// All layers; throws Exit::usage if there are no samples.
AlgorithmReport refine_weights(AlgorithmRun& run, std::string_view name, const FitGroup& fit);

// The graph or body that has the quantized layer, to be changed.
Graph& part_of(AlgorithmRun& run, const LayerPair& pair);

// The layers of a quantized graph and its bodies whose weight is stored as codes of its own, beside those of the float graph; what is left
// out is noted.
std::vector<LayerPair> layer_pairs(AlgorithmRun& run, AlgorithmReport& report);

std::string name_of(const LayerPair& pair);  // "node" or "if/then_branch/node"

// 10 log10(signal / noise).
double decibel_of(double signal, double noise);

// The sum of x[k] * w[k] in a fixed order.
float dot(const float* x, const float* w, size_t count);

}  // namespace quern
