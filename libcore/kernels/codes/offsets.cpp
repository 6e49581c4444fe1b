#include "libcore/kernels/codes/offsets.h"

#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/isa.h"

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

#if defined(__x86_64__)

template <bool ByRow>
QUERN_AVX2 void take_eights(const int32_t* offsets, const int32_t* data, int64_t count, int32_t* sums) {
    const __m256i first = load(offsets), second = load(offsets + 8);
    for (int64_t r = 0; r < count; ++r, sums += block_columns) {
        const __m256i a = ByRow ? _mm256_set1_epi32(data[r]) : load(data + r * block_columns);
        const __m256i b = ByRow ? a : load(data + r * block_columns + 8);
        auto* to = reinterpret_cast<__m256i*>(sums);
        _mm256_storeu_si256(to, _mm256_sub_epi32(load(sums), _mm256_mullo_epi32(a, first)));
        _mm256_storeu_si256(to + 1, _mm256_sub_epi32(load(sums + 8), _mm256_mullo_epi32(b, second)));
    }
}

#endif

template <bool ByRow>
void take_any(const int32_t* offsets, const int32_t* data, int64_t count, int32_t* sums) {
#if defined(__x86_64__)
    if (isa() >= Isa::avx2) return take_eights<ByRow>(offsets, data, count, sums);
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
