#include "libcore/kernels/codes/offsets.h"

#include "libcore/base/wide.h"
#include "libcore/kernels/codes/dot.h"

namespace quern::codes {

static int32_t less(int32_t sum, int32_t offset, int32_t number) {  // wraps
    return static_cast<int32_t>(static_cast<uint32_t>(sum) - static_cast<uint32_t>(offset) * static_cast<uint32_t>(number));
}

QUERN_WIDE void take_row_offsets(const int32_t* __restrict offsets, const int32_t* __restrict row_sums, int64_t count,
                                 int32_t* __restrict sums) {
    for (int64_t r = 0; r < count; ++r, sums += block_columns)
        for (int c = 0; c < block_columns; ++c) sums[c] = less(sums[c], offsets[c], row_sums[r]);
}

QUERN_WIDE void take_column_offsets(const int32_t* __restrict offsets, const int32_t* __restrict column_sums, int64_t count,
                                    int32_t* __restrict sums) {
    for (int64_t r = 0; r < count; ++r, sums += block_columns, column_sums += block_columns)
        for (int c = 0; c < block_columns; ++c) sums[c] = less(sums[c], offsets[c], column_sums[c]);
}

}  // namespace quern::codes
