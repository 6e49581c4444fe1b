// Sums of products of wide codes, in parts of 8 bits, to codes (finish.h) for AVX2.
#include "libcore/kernels/codes/finish.h"

#if defined(__x86_64__)
#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/dot.h"

namespace quern::codes {
namespace {

// The low halves of eight numbers.
QUERN_INLINE_AVX2 __m256i halves_of(__m256i a, __m256i b) {
    const __m256i order = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    return _mm256_blend_epi32(_mm256_permutevar8x32_epi32(a, order), _mm256_permutevar8x32_epi32(b, order), 0xf0);
}

// Each numbers' steps from the zero point, of eight columns: between the limits.
struct ByFloats {
    __m256 low, high, factor;
    QUERN_INLINE_AVX2 ByFloats(const FinishParameters& p, size_t column)
        : low(_mm256_set1_ps(static_cast<float>(p.low - p.zero))),
          high(_mm256_set1_ps(static_cast<float>(p.high - p.zero))),
          factor(_mm256_loadu_ps(p.floats.data() + column)) {}
    QUERN_INLINE_AVX2 __m256i steps_of(__m256 sums) const {
        return _mm256_cvtps_epi32(_mm256_max_ps(_mm256_min_ps(_mm256_mul_ps(sums, factor), high), low));
    }
};

struct NarrowFloats : ByFloats {
    QUERN_INLINE_AVX2 NarrowFloats(const FinishParameters& p, size_t column) : ByFloats(p, column) {}
    QUERN_INLINE_AVX2 __m256i steps(__m256i a, __m256i b) const { return steps_of(_mm256_cvtepi32_ps(halves_of(a, b))); }
};

struct WideFloats : ByFloats {
    QUERN_INLINE_AVX2 WideFloats(const FinishParameters& p, size_t column) : ByFloats(p, column) {}
    // Numbers below 2^51: their bits are those of a double that far from 3 * 2^51.
    QUERN_INLINE_AVX2 static __m128 floats_of(__m256i x) {
        const __m256d base = _mm256_set1_pd(6755399441055744.0);
        return _mm256_cvtpd_ps(_mm256_sub_pd(_mm256_castsi256_pd(_mm256_add_epi64(x, _mm256_castpd_si256(base))), base));
    }
    QUERN_INLINE_AVX2 __m256i steps(__m256i a, __m256i b) const { return steps_of(_mm256_set_m128(floats_of(b), floats_of(a))); }
};

struct NarrowFixed {
    __m256i low, high;
    Scaled scaled;
    QUERN_INLINE_AVX2 NarrowFixed(const FinishParameters& p, size_t column)
        : low(_mm256_set1_epi32(p.low - p.zero)),
          high(_mm256_set1_epi32(p.high - p.zero)),
          scaled(load(p.factors.data() + column), load(p.shifts.data() + column)) {}
    QUERN_INLINE_AVX2 __m256i steps(__m256i a, __m256i b) const { return clamped(scaled(halves_of(a, b)), low, high); }
};

// libcore/integer/scaled_wide.h in four lanes, for shifts of at most max_left.
struct ScaledWide {
    __m256i small, half, total, sign;
    QUERN_INLINE_AVX2 ScaledWide(const int32_t* factors, const int32_t* shifts) {
        alignas(32) int64_t items[2][4];
        for (int i = 0; i < 4; ++i) {
            items[0][i] = factors[i] < 0x7fff0000 ? (factors[i] + (1 << 15)) >> 16 : 0x7fff;
            items[1][i] = 15 - shifts[i];
        }
        const __m256i one = _mm256_set1_epi64x(1);
        small = _mm256_load_si256(reinterpret_cast<const __m256i*>(items[0]));
        total = _mm256_load_si256(reinterpret_cast<const __m256i*>(items[1]));
        half = _mm256_sllv_epi64(one, _mm256_sub_epi64(total, one));
        sign = _mm256_sllv_epi64(one, _mm256_sub_epi64(_mm256_set1_epi64x(63), total));
    }
    QUERN_INLINE_AVX2 __m256i operator()(__m256i x) const {
        const __m256i above = _mm256_slli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), small), 32);
        const __m256i product = _mm256_add_epi64(_mm256_add_epi64(above, _mm256_mul_epu32(x, small)), half);
        return _mm256_sub_epi64(_mm256_xor_si256(_mm256_srlv_epi64(product, total), sign), sign);
    }
};

struct WideFixed {
    __m256i low, high;
    ScaledWide first, second;
    QUERN_INLINE_AVX2 WideFixed(const FinishParameters& p, size_t column)
        : low(_mm256_set1_epi32(p.low - p.zero)),
          high(_mm256_set1_epi32(p.high - p.zero)),
          first(p.factors.data() + column, p.shifts.data() + column),
          second(p.factors.data() + column + 4, p.shifts.data() + column + 4) {}
    QUERN_INLINE_AVX2 __m256i steps(__m256i a, __m256i b) const { return clamped(halves_of(first(a), second(b)), low, high); }
};

// Four sums, in 64 bits.
QUERN_INLINE_AVX2 __m256i joined(const FinishParameters& p, const int32_t* from, int64_t next, const int64_t* bias) {
    __m256i sum = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bias));
    for (int a = 0; a < p.data_parts; ++a)
        for (int b = 0; b < p.weight_parts; ++b, from += next) {
            const __m256i part = _mm256_cvtepi32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
            sum = _mm256_add_epi64(sum, _mm256_sll_epi64(part, _mm_cvtsi32_si128(8 * (a + b))));
        }
    return sum;
}

template <class By>
QUERN_AVX2 void run_by(const FinishParameters& p, const FinishedTile& tile) {
    const auto column = static_cast<size_t>(tile.column);
    const By first(p, column), second(p, column + 8);
    const int64_t* bias = p.wide_bias + tile.column;
    const __m256i zero = _mm256_set1_epi32(p.zero), byte = _mm256_set1_epi32(255);
    for (int r = 0; r < tile.count; ++r) {
        const int32_t* from = tile.sums + r * block_columns;
        __m256i sums[4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) sums[i] = joined(p, from + 4 * i, tile.next_sums, bias + 4 * i);
        const __m256i a = _mm256_add_epi32(first.steps(sums[0], sums[1]), zero), b = _mm256_add_epi32(second.steps(sums[2], sums[3]), zero);
        uint8_t* out = tile.out + r * tile.stride;
        store_codes(bytes_of(_mm256_and_si256(a, byte), _mm256_and_si256(b, byte)), out, tile.columns);
        if (p.out_parts > 1) store_codes(bytes_of(_mm256_srli_epi32(a, 8), _mm256_srli_epi32(b, 8)), out + tile.next_out, tile.columns);
    }
}

}  // namespace

void avx2_finish_parts(const FinishParameters& p, const FinishedTile& tile) {
    switch (way_of_parts(p, tile.column)) {
        case PartsWay::floats: return run_by<NarrowFloats>(p, tile);
        case PartsWay::wide_floats: return run_by<WideFloats>(p, tile);
        case PartsWay::fixed: return run_by<NarrowFixed>(p, tile);
        case PartsWay::wide_fixed: return run_by<WideFixed>(p, tile);
        case PartsWay::doubles:
        case PartsWay::wide_doubles:
        case PartsWay::any: return portable_finish.run_parts(p, tile);
    }
}

}  // namespace quern::codes
#endif
