// SVDF's sizes, for its float and its integer kernel. Inputs: x [batch, input], filters [filters, input], time filters [filters, memory],
// state of batch * filters * memory numbers, bias [units] or absent; filters = units * rank. Outputs: y [batch, units], the next state.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

struct SvdfSizes {
    int64_t batch, input, filters, memory, rank;
    int64_t units() const { return filters / rank; }
};

// Throws Exit::bad_input if the operands do not belong together.
SvdfSizes svdf_sizes(EvalCtx& ctx);

}  // namespace quern
