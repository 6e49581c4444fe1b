#include "libcore/kernels/blocks/rounded_rows.h"

#include "libcore/kernels/isa.h"

namespace quern::block_kernels {

RoundBlock quick_rounding() {
#if defined(__x86_64__)
    if (isa() >= Isa::avx2) return round_block_avx2;
#endif
    return ggml::round_block;
}

RoundedRows::RoundedRows(const float* x, int64_t rows, int64_t depth, ggml::Rounding rounding, ThreadPool& pool)
    : rounding_(rounding), rows_(rows), depth_(depth), block_(ggml::block_of(rounding)) {
    constexpr size_t grain = 1 << 13;  // numbers that are worth a task
    const auto all = static_cast<size_t>(rows * depth);
    codes_.resize(all);
    scales_.resize(all / static_cast<size_t>(block_));
    sums_.resize(all / 32);
    sums_16_.resize(all / 16);
    sums_32_.resize(all / 32);
    pool.run_ranges(scales_.size(), grain / static_cast<size_t>(block_), [&](size_t begin, size_t end) {
        for (size_t b = begin; b < end; ++b) round(x + static_cast<int64_t>(b) * block_, static_cast<int64_t>(b));
    });
}

void RoundedRows::round(const float* x, int64_t block) {
    const int64_t first = block * block_;
    const int8_t* codes = codes_.data() + first;
    scales_[static_cast<size_t>(block)] = quick_rounding()(rounding_, x, codes_.data() + first, &sums_[static_cast<size_t>(first / 32)]);
    for (int64_t i = 0; i < block_; i += 16) {
        int sum = 0;
        for (int64_t k = i; k < i + 16; ++k) sum += codes[k];
        sums_16_[static_cast<size_t>((first + i) / 16)] = static_cast<int16_t>(sum);
    }
    for (auto i = static_cast<size_t>(first / 32); i < static_cast<size_t>((first + block_) / 32); ++i)
        sums_32_[i] = static_cast<int16_t>(sums_16_[2 * i] + sums_16_[2 * i + 1]);
}

}  // namespace quern::block_kernels
