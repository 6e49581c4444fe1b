// Loops over contiguous float32 elements, compiled for several instruction sets and chosen at run time.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "libcore/graph/graph.h"

namespace quern::simd {

// to[i] = f(from[i]); a and b are the function's parameters. `to` may be `from`.
using UnaryLoop = void (*)(const float* from, float* to, size_t count, float a, float b);
// to[i] = f(x[i], y[i]). `to` may be x or y.
using BinaryLoop = void (*)(const float* x, const float* y, float* to, size_t count);

struct Unary {
    UnaryLoop loop;
    float a = 0, b = 0;
};

// The loop of a node that is a function of its input 0 alone; nothing if there is none or its parameters are not constants.
std::optional<Unary> unary_of(const Graph& graph, const Node& node);
// The loop of a node that is a function of two inputs; nullptr if there is none.
BinaryLoop binary_of(const Node& node);
// "avx512", "avx2" or "base".

}  // namespace quern::simd
