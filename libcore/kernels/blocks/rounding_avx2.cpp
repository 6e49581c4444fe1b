// Rows rounded to 8-bit codes (rounded_rows.h) for AVX2.
#include <cmath>

#include "libcore/base/small_float.h"
#include "libcore/kernels/blocks/avx2_formats.h"
#include "libcore/kernels/blocks/rounded_rows.h"

#if defined(__x86_64__)

namespace quern::block_kernels {
namespace {

QUERN_INLINE_AVX2 __m256 size_of(__m256 x) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x); }

// The largest size of `count` numbers; infinity if one is not finite.
QUERN_INLINE_AVX2 float largest(const float* x, int count) {
    __m256 max = _mm256_setzero_ps(), usual = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    const __m256 limit = _mm256_set1_ps(HUGE_VALF);
    for (int i = 0; i < count; i += 8) {
        const __m256 size = size_of(_mm256_loadu_ps(x + i));
        max = _mm256_max_ps(max, size);
        usual = _mm256_and_ps(usual, _mm256_cmp_ps(size, limit, _CMP_LT_OQ));
    }
    if (_mm256_movemask_ps(usual) != 255) return HUGE_VALF;
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(max), _mm256_extractf128_ps(max, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
}

// Four vectors of whole numbers from -127 to 127 as 32 codes.
QUERN_INLINE_AVX2 void store_codes(__m256i a, __m256i b, __m256i c, __m256i d, int8_t* to) {
    const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

// Ties away from zero.
QUERN_INLINE_AVX2 __m256i away(__m256 x) {
    const __m256 size = size_of(x), whole = _mm256_floor_ps(size);
    const __m256 up = _mm256_and_ps(_mm256_cmp_ps(_mm256_sub_ps(size, whole), _mm256_set1_ps(0.5f), _CMP_GE_OQ), _mm256_set1_ps(1.0f));
    return _mm256_cvttps_epi32(_mm256_or_ps(_mm256_add_ps(whole, up), _mm256_and_ps(x, _mm256_set1_ps(-0.0f))));
}

QUERN_AVX2 float round_32(ggml::Rounding rounding, const float* x, int8_t* codes, float* sum) {
    const float scale = largest(x, 32) / 127.0f, inverse = 1.0f / scale;
    const __m256 factor = _mm256_set1_ps(inverse <= 3.402823466e+38f ? inverse : 0.0f);
    __m256i all[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) all[i] = away(_mm256_mul_ps(_mm256_loadu_ps(x + 8 * i), factor));
    store_codes(all[0], all[1], all[2], all[3], codes);
    const float stored = _cvtsh_ss(_cvtss_sh(scale, 0));
    bool usual = stored < HUGE_VALF;
    if (rounding == ggml::Rounding::q8_1) {
        int total = 0;
        for (int i = 0; i < 32; ++i) total += codes[i];
        *sum = _cvtsh_ss(_cvtss_sh(static_cast<float>(total) * scale, 0));
        usual = usual && std::fabs(*sum) < HUGE_VALF;
    }
    if (!usual) ggml::refuse_number();
    return stored;
}

QUERN_AVX2 float round_256(const float* x, int8_t* codes) {
    const float range = largest(x, 256);
    if (!(range < HUGE_VALF)) ggml::refuse_number();
    int first = 0;
    while (std::fabs(x[first]) < range) ++first;
    const float inverse = -127.0f / x[first];
    const bool usual = std::fabs(inverse) <= 3.402823466e+38f;
    const __m256 factor = _mm256_set1_ps(usual ? inverse : 0.0f);
    for (int i = 0; i < 256; i += 32) {
        __m256i all[4];
#pragma GCC unroll 4
        for (int k = 0; k < 4; ++k)  // a number beyond 127 cannot be: the largest one is -127 or 127
            all[k] = _mm256_min_epi32(_mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(x + i + 8 * k), factor)), _mm256_set1_epi32(127));
        store_codes(all[0], all[1], all[2], all[3], codes + i);
    }
    return usual ? 1.0f / inverse : 0.0f;
}

}  // namespace

QUERN_AVX2 float round_block_avx2(ggml::Rounding rounding, const float* x, int8_t* codes, float* sum) {
    return rounding == ggml::Rounding::q8_k ? round_256(x, codes) : round_32(rounding, x, codes, sum);
}

}  // namespace quern::block_kernels
#endif
