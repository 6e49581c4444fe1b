// Rows of real numbers, rounded as profile ggml does it, with the sums that products of unsigned codes and minima take.
#pragma once

#include <cstdint>
#include <vector>

#include "libcore/ops/integer/ggml_blocks.h"
#include "libcore/os/threads.h"

namespace quern::block_kernels {

// One row, or a part of it that begins with a block.
struct RowView {
    const int8_t* codes;
    const float* scales;     // one per block of 32 or 256
    const float* sums;       // q8_1: one per block
    const int16_t* sums_16;  // of codes, sixteen each
    const int16_t* sums_32;  // of codes, thirty-two each
};

class RoundedRows {
   public:
    // x [rows, depth]; depth is a multiple of the block.
    RoundedRows(const float* x, int64_t rows, int64_t depth, ggml::Rounding rounding, ThreadPool& pool);

    int64_t rows() const { return rows_; }
    // Of a row from element `first` on, which begins a block.
    RowView view(int64_t row, int64_t first = 0) const {
        const int64_t at = row * depth_ + first;
        return {codes_.data() + at, scales_.data() + at / block_, sums_.data() + at / 32, sums_16_.data() + at / 16,
                sums_32_.data() + at / 32};
    }

   private:
    void round(const float* x, int64_t block);

    ggml::Rounding rounding_;
    int64_t rows_, depth_, block_;
    std::vector<int8_t> codes_;
    std::vector<float> scales_, sums_;
    std::vector<int16_t> sums_16_, sums_32_;
};

// ggml::round_block by an instruction set.
using RoundBlock = float (*)(ggml::Rounding rounding, const float* x, int8_t* codes, float* sum);
RoundBlock quick_rounding();
float round_block_avx2(ggml::Rounding rounding, const float* x, int8_t* codes, float* sum);

}  // namespace quern::block_kernels
