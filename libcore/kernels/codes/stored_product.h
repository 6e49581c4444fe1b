// Weights in codes, packed for the loops of decode.h, and the product of rows with them.
#pragma once

#include <functional>
#include <vector>

#include "libcore/base/bytes.h"
#include "libcore/kernels/codes/decode.h"
#include "libcore/kernels/stored_weights.h"
#include "libcore/os/threads.h"

namespace quern::codes {

class StoredWeights {
   public:
    // `code(k, column)`: what is stored, of 4 bits unsigned, of 8 bits signed. Scales and zero points as `layout` has blocks:
    // [columns][blocks].
    StoredWeights(const StoredLayout& layout, int bits, const std::function<int(int64_t k, int64_t column)>& code,
                  std::span<const float> scales, std::span<const float> zeros);
    // What state() gave in another process. Throws Exit::bad_input if it is of another size.
    StoredWeights(const StoredLayout& layout, int bits, std::span<const Bytes> state);

    const StoredLayout& layout() const { return layout_; }
    std::vector<Bytes> state() const { return {codes_, scales_, zeros_}; }

    // x [rows, depth] to out [rows, columns]; `bias`: added last, one number a column; empty: nothing is.
    void multiply(const float* x, int64_t rows, std::span<const float> bias, float* out, ThreadPool& pool) const;

   private:
    int64_t blocks() const { return (layout_.columns + stored_columns - 1) / stored_columns; }
    int64_t block_bytes() const { return (bits_ == 8 ? layout_.depth : (layout_.depth + 1) / 2) * stored_columns; }
    size_t scale_count() const { return static_cast<size_t>(blocks() * layout_.blocks() * stored_columns); }
    StoredBlock block(int64_t i) const;
    void multiply_tile(int64_t block, const float* x, int64_t rows, std::span<const float> bias, float* out) const;

    StoredLayout layout_;
    int bits_;
    Bytes codes_, scales_, zeros_;
};

}  // namespace quern::codes
