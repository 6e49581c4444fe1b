// Depthwise sums of a line of results for AVX512-VNNI: the codes of a window's column, of 64 channels, are put side by side by the
// instructions that the packs of results undo; each of these columns is read by as many results as windows are wide.
#include "libcore/kernels/codes/dot.h"

#if defined(__x86_64__)
#include <immintrin.h>

#ifndef QUERN_VNNI512  // tests/codes/stand_in.cpp compiles this file for machines without these instructions
#define QUERN_VNNI512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#endif
#define QUERN_INLINE_VNNI512 QUERN_VNNI512 inline __attribute__((always_inline))

namespace quern::codes {
namespace {

constexpr int quarters = line_columns / block_columns;
constexpr __mmask16 every = 0xffff;

// Sixteen channels a quarter. By blocks: those of a block, one after the other. By lanes, as unpacking leaves them: quarter i has
// channels 4 * i to 4 * i + 3 of each block.
struct Quarters {
    __m512i of[quarters];
};

// From one order to the other: a transposition of four by four lanes.
QUERN_INLINE_VNNI512 Quarters exchanged(const Quarters& x) {
    const __m512i a = _mm512_maskz_shuffle_i32x4(every, x.of[0], x.of[1], 0x44),
                  b = _mm512_maskz_shuffle_i32x4(every, x.of[0], x.of[1], 0xee);
    const __m512i c = _mm512_maskz_shuffle_i32x4(every, x.of[2], x.of[3], 0x44),
                  d = _mm512_maskz_shuffle_i32x4(every, x.of[2], x.of[3], 0xee);
    return {{_mm512_maskz_shuffle_i32x4(every, a, c, 0x88), _mm512_maskz_shuffle_i32x4(every, a, c, 0xdd),
             _mm512_maskz_shuffle_i32x4(every, b, d, 0x88), _mm512_maskz_shuffle_i32x4(every, b, d, 0xdd)}};
}

QUERN_INLINE_VNNI512 Quarters load(const uint8_t* from) {
    return {{_mm512_loadu_si512(from), _mm512_loadu_si512(from + 64), _mm512_loadu_si512(from + 128), _mm512_loadu_si512(from + 192)}};
}

// Codes of `Height` lines at one place, those of a channel side by side.
template <int Height>
QUERN_INLINE_VNNI512 Quarters side_by_side(const uint8_t* const* starts, int64_t channel, __mmask64 there) {
    __m512i x[line_height];
#pragma GCC unroll 4
    for (int i = 0; i < line_height; ++i) x[i] = i < Height ? _mm512_maskz_loadu_epi8(there, starts[i] + channel) : _mm512_setzero_si512();
    constexpr __mmask64 all = ~__mmask64{0};
    constexpr __mmask32 pairs = ~__mmask32{0};
    const __m512i low_ab = _mm512_maskz_unpacklo_epi8(all, x[0], x[1]), low_cd = _mm512_maskz_unpacklo_epi8(all, x[2], x[3]);
    const __m512i high_ab = _mm512_maskz_unpackhi_epi8(all, x[0], x[1]), high_cd = _mm512_maskz_unpackhi_epi8(all, x[2], x[3]);
    return {{_mm512_maskz_unpacklo_epi16(pairs, low_ab, low_cd), _mm512_maskz_unpackhi_epi16(pairs, low_ab, low_cd),
             _mm512_maskz_unpacklo_epi16(pairs, high_ab, high_cd), _mm512_maskz_unpackhi_epi16(pairs, high_ab, high_cd)}};
}

QUERN_VNNI512 void arrange(const int8_t* weights, int64_t block_bytes, int blocks, const DepthLine& line, int8_t* to) {
    const __m512i byte = _mm512_set1_epi32(0xff);
    for (int column = 0; column < line.width; ++column, to += line_columns * line_height) {
        Quarters all{{_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()}};
        for (int block = 0; block < blocks; ++block)
            for (int row = 0; row < line.height; ++row) {
                const int tap = row * line.width + column;
                const int8_t* four = weights + block * block_bytes + tap / step_depth * block_columns * step_depth;
                const auto right = static_cast<unsigned>(8 * (tap % step_depth)), left = static_cast<unsigned>(8 * row);
                const __m512i own = _mm512_and_si512(_mm512_maskz_srli_epi32(every, _mm512_loadu_si512(four), right), byte);
                all.of[block] = _mm512_or_si512(all.of[block], _mm512_maskz_slli_epi32(every, own, left));
            }
        all = exchanged(all);
        for (int i = 0; i < quarters; ++i) _mm512_storeu_si512(to + i * 64, all.of[i]);
    }
}

constexpr int place_bytes = line_columns * line_height;

template <int Height>
QUERN_VNNI512 void put_together(const DepthLine& line, int64_t channel, int columns, uint8_t* places) {
    const __mmask64 there = columns == line_columns ? ~__mmask64{0} : (__mmask64{1} << columns) - 1;
    for (int i = 0; i < line.places(); ++i) {
        const Quarters x = side_by_side<Height>(line.starts + i * Height, channel, there);
#pragma GCC unroll 4
        for (int q = 0; q < quarters; ++q) _mm512_storeu_si512(places + i * place_bytes + q * 64, x.of[q]);
    }
}

// Windows of `Width` places, whose weights stay in registers; 0: of any.
template <int Width>
QUERN_VNNI512 void sums_of(const DepthLine& line, int blocks, const uint8_t* places, const int8_t* weights, int32_t* sums, int64_t next) {
    Quarters own[Width > 0 ? Width : 1];
    if constexpr (Width > 0)
        for (int i = 0; i < Width; ++i) own[i] = load(reinterpret_cast<const uint8_t*>(weights) + i * place_bytes);
    for (int r = 0; r < line.count; ++r) {
        const uint8_t* from = places + r * line.stride * place_bytes;
        Quarters all{{_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()}};
#pragma GCC unroll 3
        for (int i = 0; i < (Width > 0 ? Width : line.width); ++i) {
            const Quarters x = load(from + i * line.dilation * place_bytes);
            const Quarters w = Width > 0 ? own[Width > 0 ? i : 0] : load(reinterpret_cast<const uint8_t*>(weights) + i * place_bytes);
#pragma GCC unroll 4
            for (int q = 0; q < quarters; ++q) all.of[q] = _mm512_dpbusd_epi32(all.of[q], x.of[q], w.of[q]);
        }
        all = exchanged(all);
#pragma GCC unroll 4
        for (int q = 0; q < quarters; ++q)
            if (q < blocks) _mm512_storeu_si512(sums + q * next + r * block_columns, all.of[q]);
    }
}

void sums(const DepthLine& line, int64_t channel, int columns, const int8_t* weights, int32_t* sums, int64_t next) {
    alignas(64) uint8_t places[line_places * place_bytes];
    (line.height == 2 ? put_together<2> : line.height == 3 ? put_together<3> : put_together<4>)(line, channel, columns, places);
    const int blocks = (columns + block_columns - 1) / block_columns;
    (line.width == 3 ? sums_of<3> : sums_of<0>)(line, blocks, places, weights, sums, next);
}

}  // namespace

const DepthLines avx512_depth_lines{arrange, sums};

}  // namespace quern::codes
#endif
