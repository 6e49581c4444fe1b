// Layers: products with a constant weight, as the algorithms see them - a matrix [outs, depth] over rows of inputs, whatever the operator
// and the layout.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/op.h"

namespace quern {

// What follows a layer and works element by element: f(u) = clamp(u < 0 ? slope * u : u, low, high).
struct Bend {
    float slope = 1, low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
    float operator()(float u) const { return std::min(std::max(u < 0 ? slope * u : u, low), high); }
    // The derivative; 0 where the result is clamped.
    float slope_at(float u) const {
        const float bent = u < 0 ? slope * u : u;
        return bent < low || bent > high ? 0 : u < 0 ? slope : 1;
    }
};

struct Layer {
    NodeId node = NodeId::none;
    ValueId input = ValueId::none, weight = ValueId::none;
    ValueId bias = ValueId::none;     // a constant with a number for each output; none: there is none
    ValueId output = ValueId::none;   // with the bias, before the activation
    NodeId bias_node = NodeId::none;  // that adds the bias: the product itself, or an Add behind it
    size_t groups = 1, outs = 0;      // all outputs; those of a group share its inputs
    size_t depth = 0;                 // products that an output is the sum of
    size_t out_stride = 0, depth_stride = 0;
    bool convolution = false, channels_last = false;
    bool transposed = false;              // ConvTranspose: its weight begins with the input channels of all groups
    size_t taps = 1, channel_stride = 0;  // of a transposed one: products of an input channel, and what is between two channels
    Bend bend;                            // of the activation that alone reads the output; where it is another function: none

    size_t group_outs() const { return outs / groups; }
    size_t group_of(size_t out) const { return out / group_outs(); }
    size_t columns() const { return groups * depth; }  // of a row of inputs, group after group
    // The weight's element of output `out` and column `k` of its group.
    size_t at(size_t out, size_t k) const {
        if (!transposed) return out * out_stride + k * depth_stride;
        const size_t channel = group_of(out) * (depth / taps) + k / taps;
        return channel * channel_stride + k % taps * depth_stride + out % group_outs() * out_stride;
    }
    // The input channel that column k of an output's group belongs to.
    size_t channel_of(const Graph& graph, size_t out, size_t k) const;
    size_t in_channels(const Graph& graph) const;
    int channel_axis(const Graph& graph) const;  // of the input
};

// Conv, ConvTranspose, MatMul and Gemm (alpha, beta 1, A as it is) with a constant float32 weight of rank 2 (of convolutions 3 to 5);
// nullopt: the node is not one.
std::optional<Layer> layer_of(const Graph& graph, NodeId id);
// Those of the graph itself, bodies not among them, in a topological order.
std::vector<Layer> layers_of(const Graph& graph);

// Gives a layer without a bias, whose operator has one, zeros; false: it has no bias and cannot have one.
bool give_bias(Graph& graph, Layer& layer);
// Makes the constant that an Add behind a convolution adds its own bias: runtimes keep that in 32 bits. Names of values stay.
void take_added_bias(Graph& graph, const Layer& layer);

// The numbers of a float constant that others may read, too, become these: then they get a copy of their own for input `at` of `node`.
void replace_constant(Graph& graph, NodeId node, size_t at, std::span<const float> numbers);
// That of a layer's weight or bias.
void replace_weight(Graph& graph, const Layer& layer, std::span<const float> numbers);
void replace_bias(Graph& graph, const Layer& layer, std::span<const float> numbers);

}  // namespace quern
