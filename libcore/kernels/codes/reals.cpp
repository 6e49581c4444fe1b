#include "libcore/kernels/codes/reals.h"

#include <cstring>

#include "libcore/base/wide.h"
#include "libcore/kernels/codes/dot.h"

namespace quern::codes {
namespace {

#define QUERN_ALWAYS_INLINE [[gnu::always_inline]] inline

// One row of a block: compilers make vectors of it.
template <bool column_first, bool has_bias>
QUERN_ALWAYS_INLINE void run_row(const int32_t* __restrict sums, const int32_t* __restrict column_sums, const float* __restrict scales,
                                 const float* __restrict bias, Slice slice, float* __restrict out) {
    for (int c = 0; c < block_columns; ++c) {
        const auto sum = static_cast<uint32_t>(sums[c]) - static_cast<uint32_t>(slice.zero) * static_cast<uint32_t>(column_sums[c]);
        const auto real = static_cast<float>(static_cast<int32_t>(sum));
        const float y = column_first ? real * scales[c] * slice.scale : real * (slice.scale * scales[c]);
        out[c] = has_bias ? y + bias[c] : y;
    }
}

template <bool column_first, bool has_bias>
QUERN_ALWAYS_INLINE void run(const RealsParameters& p, const RealsTile& tile) {
    for (int r = 0; r < tile.count; ++r) {
        float items[block_columns], *const out = tile.out + r * tile.stride;
        const bool is_whole = tile.columns == block_columns;
        run_row<column_first, has_bias>(tile.sums + r * block_columns, p.column_sums + tile.place, p.scales.data() + tile.place,
                                        has_bias ? p.bias.data() + tile.place : nullptr, tile.slices[r * tile.slice_step],
                                        is_whole ? out : items);
        if (!is_whole) std::memcpy(out, items, static_cast<size_t>(tile.columns) * sizeof(float));
    }
}

#undef QUERN_ALWAYS_INLINE

}  // namespace

QUERN_WIDE void make_reals(const RealsParameters& p, const RealsTile& tile) {
    if (p.column_first) return p.bias.empty() ? run<true, false>(p, tile) : run<true, true>(p, tile);
    p.bias.empty() ? run<false, false>(p, tile) : run<false, true>(p, tile);
}

void RealsSink::take(const SumsTile& tile) const {
    const int64_t step = slices_.size() == 1 ? 0 : 1;
    make_reals(parameters_, {tile.sums, tile.place, tile.rows, tile.columns, slices_.data() + step * tile.row, step,
                             out_ + tile.row * width_ + tile.column, width_});
}

}  // namespace quern::codes
