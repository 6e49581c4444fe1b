// Sums of products to float32 (reals.h) for AVX2.
#include "libcore/kernels/codes/reals.h"

#if defined(__x86_64__)
#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/dot.h"

namespace quern::codes {
namespace {

// Eight columns.
struct Columns {
    __m256i sums;
    __m256 scales, bias;
    bool column_first, has_bias;
    QUERN_INLINE_AVX2 Columns(const RealsParameters& p, size_t at)
        : sums(load(p.column_sums + at)),
          scales(_mm256_loadu_ps(p.scales.data() + at)),
          bias(p.bias.empty() ? _mm256_setzero_ps() : _mm256_loadu_ps(p.bias.data() + at)),
          column_first(p.column_first),
          has_bias(!p.bias.empty()) {}

    QUERN_INLINE_AVX2 __m256 reals(__m256i sum, const Slice& slice) const {
        sum = _mm256_sub_epi32(sum, _mm256_mullo_epi32(_mm256_set1_epi32(slice.zero), sums));
        const __m256 real = _mm256_cvtepi32_ps(sum), scale = _mm256_set1_ps(slice.scale);
        const __m256 y =
            column_first ? _mm256_mul_ps(_mm256_mul_ps(real, scales), scale) : _mm256_mul_ps(real, _mm256_mul_ps(scale, scales));
        return has_bias ? _mm256_add_ps(y, bias) : y;
    }
};

QUERN_INLINE_AVX2 void store(__m256 a, __m256 b, float* out, int columns) {
    if (columns == block_columns) {
        _mm256_storeu_ps(out, a);
        _mm256_storeu_ps(out + 8, b);
        return;
    }
    alignas(32) float items[block_columns];
    _mm256_store_ps(items, a);
    _mm256_store_ps(items + 8, b);
    std::memcpy(out, items, static_cast<size_t>(columns) * sizeof(float));
}

QUERN_AVX2 void run(const RealsParameters& p, const RealsTile& tile) {
    const auto at = static_cast<size_t>(tile.place);
    const Columns first(p, at), second(p, at + 8);
    for (int r = 0; r < tile.count; ++r) {
        const Slice& slice = tile.slices[r * tile.slice_step];
        const int32_t* sums = tile.sums + r * block_columns;
        store(first.reals(load(sums), slice), second.reals(load(sums + 8), slice), tile.out + r * tile.stride, tile.columns);
    }
}

}  // namespace

const Reals avx2_reals{"avx2", run};

}  // namespace quern::codes
#endif
