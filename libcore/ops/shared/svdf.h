// SVDF's sizes, for its float and its integer kernel. Inputs: x [batch, input], filters [filters, input], time filters [filters, memory],
// state of batch * filters * memory numbers, bias [units] or absent; filters = units * rank. Outputs: y [batch, units], the next state.
#pragma once

#include <span>

#include "libcore/graph/op.h"

namespace quern {

// Operands by their place.
namespace svdf_operands {
inline constexpr size_t filters_at = 1, times_at = 2, state_at = 3, bias_at = 4;
}

struct SvdfSizes {
    int64_t batch, input, filters, memory, rank;
    int64_t units() const { return filters / rank; }
};

// Throw Exit::bad_input if the operands do not belong together.
struct SvdfDims {
    const Dims &x, &filters, &times, &state;
};
SvdfSizes svdf_sizes(const SvdfDims& dims, int64_t rank);
SvdfSizes svdf_sizes(EvalCtx& ctx);

// The last step of the state, [batch, filters, memory], is `fresh` [batch, filters]; the older ones move. A unit is the sum over `rank`
// filters of the state weighted over time, and the bias. Gives y and the next state.
void give_svdf(EvalCtx& ctx, const SvdfSizes& sizes, std::span<const float> fresh, std::span<const float> times);

}  // namespace quern
