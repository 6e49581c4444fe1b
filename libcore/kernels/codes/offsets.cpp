#include "libcore/kernels/codes/offsets.h"

#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/vectors.h"

namespace quern::codes {
namespace {

// Data of row r and column c: data[r] where they are `by_row`, or data[r][c].
template <bool ByRow>
void take(const int32_t* offsets, const int32_t* data, int64_t count, int32_t* sums) {
    for (int64_t i = 0; i < count * block_columns; ++i) {
        const int64_t column = i % block_columns;
        const auto product = static_cast<uint32_t>(offsets[column]) * static_cast<uint32_t>(data[ByRow ? i / block_columns : i]);
        sums[i] = static_cast<int32_t>(static_cast<uint32_t>(sums[i]) - product);
    }
}

#if defined(QUERN_VECTORS)
HWY_BEFORE_NAMESPACE();
template <bool ByRow>
void take_vectors(const int32_t* offsets, const int32_t* data, int64_t count, int32_t* sums) {
    using namespace vectors;
    Int32 of_columns[parts];
#pragma GCC unroll 4
    for (int i = 0; i < parts; ++i) of_columns[i] = load(offsets + lanes * i);
    for (int64_t r = 0; r < count; ++r, sums += block_columns) {
        const Int32 row = all(data[ByRow ? r : 0]);
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) {
            const Int32 own = ByRow ? row : load(data + r * block_columns + lanes * i);
            hn::StoreU(load(sums + lanes * i) - own * of_columns[i], D32(), sums + lanes * i);
        }
    }
}

HWY_AFTER_NAMESPACE();
#endif

template <bool ByRow>
void take_any(const int32_t* offsets, const int32_t* data, int64_t count, int32_t* sums) {
#if defined(QUERN_VECTORS)
    if (has_vectors()) return take_vectors<ByRow>(offsets, data, count, sums);
#endif
    take<ByRow>(offsets, data, count, sums);
}

}  // namespace

void take_row_offsets(const int32_t* offsets, const int32_t* row_sums, int64_t count, int32_t* sums) {
    take_any<true>(offsets, row_sums, count, sums);
}

void take_column_offsets(const int32_t* offsets, const int32_t* column_sums, int64_t count, int32_t* sums) {
    take_any<false>(offsets, column_sums, count, sums);
}

}  // namespace quern::codes
