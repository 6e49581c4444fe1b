// LSTM, GRU and RNN of sequences of a known length, step by step: for runtimes that have no such operator, and for the quantizer.
#pragma once

#include <functional>

#include "libcore/graph/op.h"

namespace quern {

inline constexpr int64_t unrolled_limit = 1024;  // steps

// Puts products, sums and activations in the place of the nodes of which `wanted` says so: of float32, with constant weights that are not
// codes, a known batch and number of steps, without clipping, coupled gates or peepholes. Others stay. The number of changes.
int unroll_recurrent_where(Graph& graph, const std::function<bool(const Graph& graph, const Node& node)>& wanted);

}  // namespace quern
