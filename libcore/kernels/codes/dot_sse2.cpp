// What every x86-64 has: the even and the odd codes of each step are multiplied as 16-bit numbers, as for AVX2, four columns a register.
#include "libcore/kernels/codes/dot.h"

#if defined(__x86_64__)
#include <emmintrin.h>

#include <cstring>

#include "libcore/kernels/codes/halves.h"

namespace quern::codes {
namespace {

constexpr int lanes = 4, registers = block_columns / lanes;

void gather(const TileRows& rows, std::byte* panel) {
    auto* to = reinterpret_cast<int32_t*>(panel);
    for (int tap = 0; tap < rows.taps; ++tap)
        for (int k = 0; k < rows.depth; k += step_depth, to += 2 * rows.count) gather_step(rows.starts + tap * max_rows, rows.count, k, to);
}

void row_sums(const TileRows& rows, int32_t* sums) {
    for (int r = 0; r < rows.count; ++r) {
        __m128i some = _mm_setzero_si128();
        int32_t rest = 0;
        for (int tap = 0; tap < rows.taps; ++tap) {
            const uint8_t* x = rows.starts[tap * max_rows + r];
            int k = 0;
            for (; k + 8 <= rows.depth; k += 8)
                some = _mm_add_epi64(some, _mm_sad_epu8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x + k)), _mm_setzero_si128()));
            for (; k < rows.depth; ++k) rest += x[k];
        }
        sums[r] = rest + _mm_cvtsi128_si32(some);
    }
}

// Codes of one row's step with the weights of four columns: those of even depth, then those of odd depth.
__m128i product(int32_t even, int32_t odd, __m128i weights) {
    const __m128i low = _mm_srai_epi16(_mm_slli_epi16(weights, 8), 8), high = _mm_srai_epi16(weights, 8);
    return _mm_add_epi32(_mm_madd_epi16(_mm_set1_epi32(even), low), _mm_madd_epi16(_mm_set1_epi32(odd), high));
}

// Of two rows, or one, beginning at row `first` of a panel of `count`.
template <int Rows>
void sums_of_rows(int first, int count, const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    const auto* x = reinterpret_cast<const int32_t*>(panel) + first;
    __m128i sums[Rows][registers];
    for (auto& row : sums)
        for (__m128i& sum : row) sum = _mm_setzero_si128();
    for (; steps > 0; --steps, weights += block_columns * step_depth, x += 2 * count)
#pragma GCC unroll 4
        for (int i = 0; i < registers; ++i) {
            const __m128i w = _mm_loadu_si128(reinterpret_cast<const __m128i*>(weights) + i);
#pragma GCC unroll 2
            for (int r = 0; r < Rows; ++r) sums[r][i] = _mm_add_epi32(sums[r][i], product(x[r], x[count + r], w));
        }
    for (int r = 0; r < Rows; ++r)
        for (int i = 0; i < registers; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + (first + r) * block_columns) + i, sums[r][i]);
}

void sums(int count, const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    int r = 0;
    for (; r + 2 <= count; r += 2) sums_of_rows<2>(r, count, panel, steps, weights, to);
    if (r < count) sums_of_rows<1>(r, count, panel, steps, weights, to);
}

// Sixteen codes of a tap, or those that are there.
__m128i codes_of(const uint8_t* from, int columns) {
    if (columns == block_columns) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    if (columns == 8) return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
    uint8_t some[block_columns] = {};
    std::memcpy(some, from, static_cast<size_t>(columns));
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(some));
}

// Four taps at a time, whose codes side by side are what one product takes.
void depth_sums(const TileRows& rows, int64_t channel, int columns, const int8_t* all_weights, int32_t* to) {
    const __m128i zero = _mm_setzero_si128();
    for (int r = 0; r < rows.count; ++r, to += block_columns) {
        __m128i sums[registers] = {zero, zero, zero, zero};
        const auto* weights = reinterpret_cast<const __m128i*>(all_weights);
        for (int tap = 0; tap < rows.taps; tap += step_depth, weights += registers) {
            __m128i x[step_depth];
            for (int i = 0; i < step_depth; ++i)
                x[i] = tap + i < rows.taps ? codes_of(rows.starts[(tap + i) * max_rows + r] + channel, columns) : zero;
            const __m128i even[2] = {_mm_unpacklo_epi8(x[0], x[2]), _mm_unpackhi_epi8(x[0], x[2])};
            const __m128i odd[2] = {_mm_unpacklo_epi8(x[1], x[3]), _mm_unpackhi_epi8(x[1], x[3])};
            for (int i = 0; i < registers; ++i) {
                const __m128i w = _mm_loadu_si128(weights + i), low = _mm_srai_epi16(_mm_slli_epi16(w, 8), 8), high = _mm_srai_epi16(w, 8);
                const bool upper = i % 2 == 1;
                const __m128i a = upper ? _mm_unpackhi_epi8(even[i / 2], zero) : _mm_unpacklo_epi8(even[i / 2], zero);
                const __m128i b = upper ? _mm_unpackhi_epi8(odd[i / 2], zero) : _mm_unpacklo_epi8(odd[i / 2], zero);
                sums[i] = _mm_add_epi32(sums[i], _mm_add_epi32(_mm_madd_epi16(a, low), _mm_madd_epi16(b, high)));
            }
        }
        for (int i = 0; i < registers; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(to) + i, sums[i]);
    }
}

}  // namespace

const Dot sse2_dot{"sse2", max_rows, 2, gather, row_sums, sums_of_tiles<sums>, depth_sums};

}  // namespace quern::codes
#endif
