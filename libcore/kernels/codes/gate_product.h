// The product of rows of codes with weights that are rows of codes, too, as recurrent layers have it; its sums are gates of 16 bits.
#pragma once

#include "libcore/kernels/codes/gates.h"
#include "libcore/kernels/codes/rows_product.h"
#include "libcore/ops/integer/fixed_point.h"

namespace quern::codes {

// Of weights [rows, depth], behind leading dims of 1.
WeightLayout row_layout(const Dims& weights);
// Why int8 weights (operand i) cannot be packed so; empty if they can.
std::string_view row_weights_obstacle(const Site& site, size_t i);
// As many rows of a matrix, one after the other.
Geometry rows_geometry(int64_t count);

class GateProduct {
   public:
    // Operand i of the site, whose zero points are 0; `bias` one per row of weights. `x_zero`: of int8 data. `state`: as Weights has it.
    GateProduct(const Site& site, size_t i, std::span<const int64_t> bias, int64_t x_zero, std::span<const FixedFactor> factors,
                std::span<const Bytes> state);

    // Rows of bytes (int8 codes with 128 added) to gates, `stride` items from row to row.
    void run(const uint8_t* x, int64_t rows, int16_t* gates, int64_t stride, bool adds, ThreadPool& pool) const;
    const Weights& weights() const { return weights_; }

   private:
    uint8_t zero_;
    Weights weights_;
    GateParameters parameters_;
};

}  // namespace quern::codes
