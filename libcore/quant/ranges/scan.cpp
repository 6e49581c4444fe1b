#include "libcore/quant/ranges/scan.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace quern {
namespace {

constexpr size_t lanes = 16, accumulators = 4, stride = lanes * accumulators;
constexpr uint32_t magnitude = 0x7fffffffu, infinity = 0x7f800000u;  // of a pattern; patterns above are NaN

using Floats = float __attribute__((vector_size(lanes * 4)));
using Words = uint32_t __attribute__((vector_size(lanes * 4)));

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define QUERN_CLONES __attribute__((target_clones("avx512f", "default")))
#define QUERN_X86 1
#else
#define QUERN_CLONES
#endif

// False if an element is NaN or infinite. `count` is a multiple of `stride`. Several accumulators, so that no step waits for the last.
QUERN_CLONES bool scan_lanes(const float* values, size_t count, float* least, float* greatest) {
    Floats lo[accumulators], hi[accumulators];
    Words odd{};
#pragma GCC unroll 4
    for (size_t k = 0; k < accumulators; ++k) {
        std::memcpy(&lo[k], values + k * lanes, sizeof lo[k]);
        hi[k] = lo[k];
    }
    for (size_t i = 0; i < count; i += stride)
#pragma GCC unroll 4
        for (size_t k = 0; k < accumulators; ++k) {
            Floats v;
            Words w;
            std::memcpy(&v, values + i + k * lanes, sizeof v);
            std::memcpy(&w, values + i + k * lanes, sizeof w);
            lo[k] = v < lo[k] ? v : lo[k];
            hi[k] = v > hi[k] ? v : hi[k];
            w &= magnitude;
            odd = w > odd ? w : odd;
        }
#pragma GCC unroll 4
    for (size_t k = 1; k < accumulators; ++k) {
        lo[0] = lo[k] < lo[0] ? lo[k] : lo[0];
        hi[0] = hi[k] > hi[0] ? hi[k] : hi[0];
    }
    uint32_t any = 0;
    for (size_t i = 0; i < lanes; ++i) {
        *least = lo[0][i] < *least ? lo[0][i] : *least;
        *greatest = hi[0][i] > *greatest ? hi[0][i] : *greatest;
        any |= odd[i] >= infinity;
    }
    return any == 0;
}

#ifdef QUERN_X86
// The same with half the lanes, which is what its registers have room for.
[[gnu::target("avx2")]] bool scan_avx2(const float* values, size_t count, float* least, float* greatest) {
    constexpr size_t width = 8;
    const __m256i mask = _mm256_set1_epi32(magnitude);
    __m256 lo[accumulators], hi[accumulators];
    __m256i odd[accumulators];
#pragma GCC unroll 4
    for (size_t k = 0; k < accumulators; ++k) {
        lo[k] = hi[k] = _mm256_loadu_ps(values + k * width);
        odd[k] = _mm256_setzero_si256();
    }
    for (size_t i = 0; i < count; i += width * accumulators)
#pragma GCC unroll 4
        for (size_t k = 0; k < accumulators; ++k) {
            const __m256 v = _mm256_loadu_ps(values + i + k * width);
            lo[k] = _mm256_min_ps(v, lo[k]);
            hi[k] = _mm256_max_ps(v, hi[k]);
            odd[k] = _mm256_max_epu32(odd[k], _mm256_and_si256(_mm256_castps_si256(v), mask));
        }
    uint32_t any = 0;
    for (size_t k = 0; k < accumulators; ++k) {
        float low[width], high[width];
        uint32_t strange[width];
        _mm256_storeu_ps(low, lo[k]);
        _mm256_storeu_ps(high, hi[k]);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(strange), odd[k]);
        for (size_t i = 0; i < width; ++i) {
            *least = low[i] < *least ? low[i] : *least;
            *greatest = high[i] > *greatest ? high[i] : *greatest;
            any |= strange[i] >= infinity;
        }
    }
    return any == 0;
}
#endif

using Scan = bool (*)(const float*, size_t, float*, float*);
Scan best_scan() {
#ifdef QUERN_X86
    static const bool halves = __builtin_cpu_supports("avx2") && !__builtin_cpu_supports("avx512f");
    if (halves) return scan_avx2;
#endif
    return scan_lanes;
}

size_t nonzero_bins_base(const float* values, size_t count, uint32_t* to) {
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        const auto bits = std::bit_cast<uint32_t>(values[i]);
        to[n] = bits >> 16;
        n += (bits & magnitude) != 0;
    }
    return n;
}

#ifdef QUERN_X86
[[gnu::target("avx512f")]] size_t nonzero_bins_avx512(const float* values, size_t count, uint32_t* to) {
    const __m512i mask = _mm512_set1_epi32(magnitude);
    const size_t whole = count / lanes * lanes;
    size_t n = 0;
    for (size_t i = 0; i < whole; i += lanes) {
        const __m512i bits = _mm512_loadu_si512(values + i);
        const __mmask16 nonzero = _mm512_test_epi32_mask(bits, mask);
        _mm512_storeu_si512(to + n, _mm512_maskz_compress_epi32(nonzero, _mm512_maskz_srli_epi32(nonzero, bits, 16)));
        n += static_cast<size_t>(std::popcount(static_cast<uint32_t>(nonzero)));
    }
    return n + nonzero_bins_base(values + whole, count - whole, to + n);
}

// For each set of lanes their numbers, in order, and then others.
constexpr auto lanes_of_sets = [] {
    std::array<std::array<uint32_t, 8>, 256> table{};
    for (size_t set = 0; set < table.size(); ++set)
        for (uint32_t lane = 0, n = 0; lane < 8; ++lane)
            if (set >> lane & 1) table[set][n++] = lane;
    return table;
}();

[[gnu::target("avx2,popcnt")]] size_t nonzero_bins_avx2(const float* values, size_t count, uint32_t* to) {
    constexpr size_t width = 8;
    const __m256i mask = _mm256_set1_epi32(magnitude);
    const size_t whole = count / width * width;
    size_t n = 0;
    for (size_t i = 0; i < whole; i += width) {
        const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i));
        const __m256i zeros = _mm256_cmpeq_epi32(_mm256_and_si256(bits, mask), _mm256_setzero_si256());
        const auto set = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(zeros))) ^ 0xffu;
        const __m256i places = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes_of_sets[set].data()));
        const __m256i found = _mm256_permutevar8x32_epi32(_mm256_srli_epi32(bits, 16), places);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + n), found);
        n += static_cast<size_t>(std::popcount(set));
    }
    return n + nonzero_bins_base(values + whole, count - whole, to + n);
}
#endif

using NonzeroBins = size_t (*)(const float*, size_t, uint32_t*);
NonzeroBins best_bins() {
#ifdef QUERN_X86
    static const NonzeroBins best = __builtin_cpu_supports("avx512f") ? nonzero_bins_avx512
                                    : __builtin_cpu_supports("avx2")  ? nonzero_bins_avx2
                                                                      : nonzero_bins_base;
    return best;
#else
    return nonzero_bins_base;
#endif
}

}  // namespace

std::optional<Extremes> scan(std::span<const float> values) {
    Extremes e;
    const size_t whole = values.size() / stride * stride;
    if (whole && !best_scan()(values.data(), whole, &e.min, &e.max)) return std::nullopt;
    for (size_t i = whole; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) return std::nullopt;
        e.add({values[i], values[i]});
    }
    e.min += 0.0f;
    e.max += 0.0f;
    return e;
}

size_t nonzero_bins(std::span<const float> values, uint32_t* to) { return best_bins()(values.data(), values.size(), to); }

}  // namespace quern
