// Normals: what BatchNormalization says of its results - each channel is taken for normally distributed around its shift, with its scale
// for deviation -, and the means that follow of what layers read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

struct Normal {
    std::vector<double> mean, deviation;  // by channel
};
using Normals = std::map<std::string, Normal>;  // by the name of the normalization's result, which stays when it is folded

// Of the graph itself, before its normalizations are folded into layers.
Normals normals_of(const Graph& graph);

// Means by channel of a value that comes from normalizations over Relu, Clip, sums and average pools; nothing: it does not. A limited
// normal distribution is taken for a normal one of its mean and deviation, summands for independent.
std::optional<std::vector<double>> expected_means(const Graph& graph, ValueId id, const Normals& normals);

}  // namespace quern
