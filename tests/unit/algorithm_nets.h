// Nets, samples and runs of the tests of the quantizer's algorithms.
#pragma once

#include <string>
#include <vector>

#include "libcore/exec/session.h"
#include "libcore/quant/algorithms/apply.h"

namespace quern {

Tensor random_tensor(Dims dims, unsigned seed, double width = 1, double middle = 0);
// Channels of very different sizes: of dim `axis`, multiplied or divided by powers of 2.
Tensor uneven(Tensor tensor, size_t axis, bool divided);

// Two convolutions, a depthwise one between them, then a pool, a Flatten and a Gemm: chains of every kind. What the first makes uneven, the
// last makes even again.
Graph small_net();

Tensor sample_of(const Graph& graph, uint64_t i);
SampleFeed feed_of(const Graph& graph, uint64_t count);

std::vector<float> outputs_of(const Graph& graph, Mode mode, uint64_t sample);
double sqnr(const Graph& reference, const Graph& graph, uint64_t first, uint64_t count);
std::vector<float> constant(const Graph& graph, const std::string& node, size_t at);
double greatest(const std::vector<float>& numbers, size_t first, size_t count, size_t step = 1);

struct Quantized {
    Graph reference, graph;
    std::vector<AlgorithmReport> reports;
};
Quantized quantized(const Graph& source, const char* type, std::vector<std::string> names, int threads = 2, bool per_tensor = false,
                    const Rules* rules = nullptr, SmoothMul smooth_mul = SmoothMul::none);

// As numbers, that algorithms before encodings keep.
void same_function(const Graph& source, const Graph& changed);

}  // namespace quern
