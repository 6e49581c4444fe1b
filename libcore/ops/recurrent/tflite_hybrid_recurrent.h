// LSTM, RNN and SVDF of real numbers with weights in codes, but for their products, which are their reference's or a kernel's.
#pragma once

#include <vector>

#include "libcore/graph/op.h"

namespace quern {

// `count` rows of data, one after the other, and their sums, `next` numbers apart.
struct HybridRows {
    const float* x;
    float* sums;
    int64_t next, count;
};
class HybridProducts {
   public:
    enum class Which : uint8_t { input, state };  // operands 1 and 2 are the weights
    virtual ~HybridProducts() = default;
    // Rounds each row of data by itself (hybrid.h) and adds its product with the weights: float(sum) * (row's scale * column's scale).
    virtual void add(Which which, const HybridRows& rows) const = 0;
};

// Of weights in codes one scale for each row. Throws Exit::bad_input if they have others.
std::vector<float> row_scales(const Encoding& weights, int64_t rows);

// Checks the operands of a node that the tflite profile takes, computes it and gives the results.
void compute_hybrid(EvalCtx& ctx, const HybridProducts& products);

}  // namespace quern
