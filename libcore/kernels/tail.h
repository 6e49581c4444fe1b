// What a convolution or matrix product does to its result before it writes it: the nodes that a site absorbs after the first.
#pragma once

#include <optional>

#include "libcore/kernels/kernel.h"

namespace quern {

// relu: alpha x below 0. clip: to [alpha, beta]. linear: alpha x + beta. swish: x / (1 + exp(-alpha x)).
enum class EltwiseKind : uint8_t { relu, logistic, tanh, elu, hardswish, swish, clip, gelu_tanh, gelu_erf, linear };
struct Eltwise {
    EltwiseKind kind;
    float alpha = 0, beta = 0;
};
// That of a unary node (Relu, Clip with constant bounds, Sigmoid, Gelu, scalar Mul/Add ...), if it is one.
std::optional<Eltwise> eltwise_of(const Graph& graph, const Node& node, ValueId chained);

// Can `next` be one more elementwise operation behind the site? Not two of one kind: oneDNN 2.6 mixes up their parameters.
bool is_chained_eltwise(const Site& site, const Node& next);

// Add of a value that certainly has the shape of the result.
bool is_residual_add(const Site& site, const Node& next);

// The steps after the first nodes of a site, in order: an elementwise operation, or (nothing) the sum with input `residual`.
struct Tail {
    std::vector<std::optional<Eltwise>> steps;
    std::optional<size_t> residual;  // index in site.in
    std::string name;                // "+Add+Relu"
};
Tail tail_of(const Site& site, size_t begin);  // site.nodes from number `begin` on

// A tail that is no more than one sum and then one clamp.
struct SumAndClamp {
    bool sum = false;
    float low, high;
};
std::optional<SumAndClamp> sum_and_clamp(const Tail& tail);

}  // namespace quern
