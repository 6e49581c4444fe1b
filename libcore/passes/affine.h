// BatchNormalization as what it computes of stated statistics: a factor and a summand for each channel.
#pragma once

#include <optional>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

struct Affine {
    std::vector<float> factor, offset;  // as many as there are channels
};

struct NormStatistics {
    std::vector<float> scale, shift, mean, variance;  // of one length
};

Affine affine_of(const NormStatistics& statistics, float epsilon);

// Nothing in training mode, or where the statistics are not plain constants of one length.
std::optional<Affine> affine_of(const Graph& graph, const Node& norm);

}  // namespace quern
