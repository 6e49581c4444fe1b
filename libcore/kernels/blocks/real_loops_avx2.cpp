// Loops on decoded blocks (real_loops.h) for AVX2.
#include "libcore/kernels/blocks/avx2_formats.h"
#include "libcore/kernels/blocks/real_loops.h"

#if defined(__x86_64__)
namespace quern::block_kernels {
namespace {

// ---- decoding --------------------------------------------------------------------------------------------------------------

// Eight codes as numbers: code * scale (+ min), each rounded.
template <class F>
QUERN_INLINE_AVX2 __m256 real_of(__m128i codes, __m256 scale, __m256 min) {
    __m256i wide = F::is_signed ? _mm256_cvtepi8_epi32(codes) : _mm256_cvtepu8_epi32(codes);
    if constexpr (F::offset != 0) wide = _mm256_sub_epi32(wide, _mm256_set1_epi32(F::offset));
    const __m256 real = _mm256_mul_ps(_mm256_cvtepi32_ps(wide), scale);
    return F::has_min ? _mm256_add_ps(real, min) : real;
}

template <class F>
QUERN_INLINE_AVX2 void store_16(__m128i codes, float scale, float min, float* to) {
    const __m256 scales = _mm256_set1_ps(scale), mins = _mm256_set1_ps(min);
    _mm256_storeu_ps(to, real_of<F>(codes, scales, mins));
    _mm256_storeu_ps(to + 8, real_of<F>(_mm_unpackhi_epi64(codes, codes), scales, mins));
}

// Whole numbers of the parts times the block's one.
QUERN_INLINE_AVX2 void store_products(__m256i numbers, float scale, float* to) {
    const __m128i low = _mm256_castsi256_si128(numbers), high = _mm256_extracti128_si256(numbers, 1);
    _mm256_store_ps(to, _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(low)), _mm256_set1_ps(scale)));
    _mm256_store_ps(to + 8, _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(high)), _mm256_set1_ps(scale)));
}

template <class F>
QUERN_INLINE_AVX2 void decode_block(Block block, float* to) {
    if constexpr (F::elements == 32) {
        const __m256i codes = F::codes(block, 0);
        const float scale = F::scale(block), min = F::has_min ? F::min(block) : 0.0f;
        store_16<F>(_mm256_castsi256_si128(codes), scale, min, to);
        store_16<F>(_mm256_extracti128_si256(codes, 1), scale, min, to + 16);
    } else {
        const Super own = F::scales(block);
        alignas(32) float scales[16], mins[16] = {};
        store_products(own.scales, own.scale, scales);
        if constexpr (F::has_min) store_products(own.mins, -own.min_scale, mins);
#pragma GCC unroll 8
        for (int g = 0; g < 8; ++g) {
            const __m256i codes = F::codes(block, g);
            const int low = 32 * g / F::part, high = (32 * g + 16) / F::part;
            store_16<F>(_mm256_castsi256_si128(codes), scales[low], mins[low], to + 32 * g);
            store_16<F>(_mm256_extracti128_si256(codes, 1), scales[high], mins[high], to + 32 * g + 16);
        }
    }
}

template <class F>
QUERN_AVX2 void decode(const std::byte* blocks, size_t count, float* to) {
    for (; count > 0; --count, blocks += F::bytes, to += F::elements) decode_block<F>(blocks, to);
}

template <class F>
struct DecodeLoops {
    static constexpr DecodeLoop loops{decode<F>};
};

// ---- numbers of 16 bits ----------------------------------------------------------------------------------------------------

struct Half {
    QUERN_INLINE_AVX2 static __m256 real(__m128i bits) { return _mm256_cvtph_ps(bits); }
};
struct Brain {
    QUERN_INLINE_AVX2 static __m256 real(__m128i bits) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16)); }
};

template <class Number>
QUERN_AVX2 void widen(const std::byte* from, size_t count, float* to) {
    for (; count >= 8; count -= 8, from += 16, to += 8) _mm256_storeu_ps(to, Number::real(load_128(from)));
    if (count == 0) return;
    uint16_t rest[8] = {};
    std::memcpy(rest, from, 2 * count);
    alignas(32) float all[8];
    _mm256_store_ps(all, Number::real(load_128(rest)));
    std::memcpy(to, all, count * sizeof(float));
}
constexpr DecodeLoop half_loop{widen<Half>}, brain_loop{widen<Brain>};

// ---- sums ------------------------------------------------------------------------------------------------------------------

// `rows` by `columns` results, twelve at most: their sums stay in registers.
template <int rows, int columns>
struct Sums {
    __m256 own[rows][columns];

    QUERN_INLINE_AVX2 void load(const float* from) {
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r)
#pragma GCC unroll 12
            for (int c = 0; c < columns; ++c) own[r][c] = _mm256_loadu_ps(from + (r * real_columns + c) * real_lanes);
    }
    QUERN_INLINE_AVX2 void store(float* to) const {
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r)
#pragma GCC unroll 12
            for (int c = 0; c < columns; ++c) _mm256_storeu_ps(to + (r * real_columns + c) * real_lanes, own[r][c]);
    }
    // Eight elements, those of x that `there` has.
    template <bool all>
    QUERN_INLINE_AVX2 void add(const float* weights, const float* x, int64_t stride, __m256i there) {
        __m256 data[rows];
#pragma GCC unroll 4
        for (int r = 0; r < rows; ++r) data[r] = all ? _mm256_loadu_ps(x + r * stride) : _mm256_maskload_ps(x + r * stride, there);
#pragma GCC unroll 12
        for (int c = 0; c < columns; ++c) {
            const __m256 w = _mm256_loadu_ps(weights + c * real_elements);
#pragma GCC unroll 4
            for (int r = 0; r < rows; ++r) own[r][c] = _mm256_fmadd_ps(data[r], w, own[r][c]);
        }
    }
};

template <int rows, int columns>
QUERN_INLINE_AVX2 void add_tile(const float* weights, int64_t count, const float* x, int64_t stride, float* sums) {
    Sums<rows, columns> own;
    own.load(sums);
    int64_t k = 0;
    for (; k + real_lanes <= count; k += real_lanes) own.template add<true>(weights + k, x + k, stride, __m256i{});
    if (k < count) {
        const __m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count - k)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        own.template add<false>(weights + k, x + k, stride, there);
    }
    own.store(sums);
}

template <int rows, int columns>
QUERN_AVX2 void add_rows(const float* weights, int64_t count, const float* x, int64_t stride, float* sums) {
    for (int c = 0; c < real_columns; c += columns)
        add_tile<rows, columns>(weights + c * real_elements, count, x, stride, sums + c * real_lanes);
}

}  // namespace

const DecodeLoop* avx2_decode(std::string_view format) {
    return format == "f16" ? &half_loop : format == "bf16" ? &brain_loop : loops_of<DecodeLoop, DecodeLoops>(format);
}

void add_real_avx2(const float* weights, int64_t count, const float* x, int64_t stride, int64_t rows, float* sums) {
    constexpr int64_t line = int64_t{real_columns} * real_lanes;
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) add_rows<4, 3>(weights, count, x + r * stride, stride, sums + r * line);
    for (; r + 2 <= rows; r += 2) add_rows<2, 6>(weights, count, x + r * stride, stride, sums + r * line);
    if (r < rows) add_rows<1, 12>(weights, count, x + r * stride, stride, sums + r * line);
}

}  // namespace quern::block_kernels
#endif
