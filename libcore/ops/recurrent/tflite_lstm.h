// What the LSTM on codes takes beside them, for the interpreter, for kernels and for generated code.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "libcore/graph/op.h"
#include "libcore/integer/recurrent.h"
#include "libcore/ops/recurrent/recurrent.h"

namespace quern {

struct LstmEncodings {
    const Encoding *x, *weights, *hidden, *recurrence;
};
// What brings the sums of gates to 12 fractional bits: of the input's rows, then of the state's, 4 * hidden each.
struct LstmFactors {
    std::vector<int32_t> factors;
    std::vector<int8_t> shifts;
};
LstmFactors lstm_factors(const LstmEncodings& encodings, int64_t hidden);
// `internal`: of the node.
lstm_codes_t lstm_sizes(const NodeView& node, const Encoding& x, const Encoding& hidden, const Encoding& cells,
                        const std::map<std::string, Encoding>& internal, const Recurrent& shape);
// One number for each of the factors; nullptr: zeros.
std::vector<int32_t> lstm_bias(const Tensor* codes, int64_t hidden);

// Results of all steps, and states, which change: int8 h and int16 cells, [batch, hidden].
struct LstmRun {
    lstm_codes_t sizes;
    int8_t *y, *h;
    int16_t* c;
};
// Checks the operands, has `loop` compute all steps, and gives the results.
void compute_lstm(EvalCtx& ctx, const std::function<void(const LstmRun&)>& loop);

}  // namespace quern
