// Machines with dot products of four bytes: AVX512-VNNI in registers of sixteen columns, AVX-VNNI in those of eight. They wrap as the plain
// sums do (vpdpbusd, not the saturating vpdpbusds). A panel is [steps][count][4] codes.
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/vnni.h"

#if defined(__x86_64__)

#include <cstring>

#include "libcore/kernels/codes/avx2.h"

#ifndef QUERN_VNNI512  // tests/codes/stand_in.cpp compiles this file for machines without these instructions
#define QUERN_VNNI512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#define QUERN_VNNI256 __attribute__((target("avx2,fma,avxvnni")))
#endif

namespace quern::codes {
namespace {

// ---- panels ----------------------------------------------------------------------------------------------------------------

QUERN_AVX2 void gather(const TileRows& rows, std::byte* panel) {
    auto* to = reinterpret_cast<int32_t*>(panel);
    for (int tap = 0; tap < rows.taps; ++tap) {
        const uint8_t* const* starts = rows.starts + tap * max_rows;
        int k = 0;
        if (rows.count == max_rows)
            for (; k + 4 * step_depth <= rows.depth; k += 4 * step_depth, to += 4 * max_rows) {
                __m128i x[max_rows];
                for (int r = 0; r < max_rows; ++r) x[r] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(starts[r] + k));
                store_lanes(x[0], x[1], x[2], x[3], to, max_rows);
                store_lane_pairs(x[4], x[5], to + 4, max_rows);
            }
        for (; k < rows.depth; k += step_depth, to += rows.count)
            for (int r = 0; r < rows.count; ++r) std::memcpy(to + r, starts[r] + k, step_depth);
    }
}

// ---- sixteen columns a register --------------------------------------------------------------------------------------------

// Even and odd steps have sums of their own: there are not rows enough to hide the latency of the products.
template <int Rows>
QUERN_VNNI512 void sums_512(const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    const auto* x = reinterpret_cast<const int32_t*>(panel);
    __m512i even[Rows], odd[Rows];
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r) even[r] = odd[r] = _mm512_setzero_si512();
    for (; steps > 1; steps -= 2, weights += 2 * block_columns * step_depth, x += 2 * Rows) {
        const __m512i a = _mm512_loadu_si512(weights), b = _mm512_loadu_si512(weights + block_columns * step_depth);
#pragma GCC unroll 6
        for (int r = 0; r < Rows; ++r) {
            even[r] = _mm512_dpbusd_epi32(even[r], _mm512_set1_epi32(x[r]), a);
            odd[r] = _mm512_dpbusd_epi32(odd[r], _mm512_set1_epi32(x[Rows + r]), b);
        }
    }
    if (steps > 0) {
        const __m512i a = _mm512_loadu_si512(weights);
#pragma GCC unroll 6
        for (int r = 0; r < Rows; ++r) even[r] = _mm512_dpbusd_epi32(even[r], _mm512_set1_epi32(x[r]), a);
    }
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r) _mm512_storeu_si512(to + r * block_columns, _mm512_add_epi32(even[r], odd[r]));
}

// Four taps at a time of sixteen channels: their codes side by side are what one product takes.
template <int Rows, Columns Kind>
QUERN_VNNI512 void depth_sums_512(const TileRows& rows, int64_t channel, int columns, const int8_t* weights, int32_t* to) {
    __m512i sums[Rows];
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) sums[r] = _mm512_setzero_si512();
    for (int tap = 0; tap < rows.taps; tap += step_depth, weights += block_columns * step_depth) {
        const __m512i w = _mm512_loadu_si512(weights);
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            __m128i x[step_depth];
#pragma GCC unroll 4
            for (int i = 0; i < step_depth; ++i)
                x[i] =
                    tap + i < rows.taps ? load_codes<Kind>(rows.starts[(tap + i) * max_rows + r] + channel, columns) : _mm_setzero_si128();
            const __m128i ab = _mm_unpacklo_epi8(x[0], x[1]), cd = _mm_unpacklo_epi8(x[2], x[3]);
            const __m128i ab_high = _mm_unpackhi_epi8(x[0], x[1]), cd_high = _mm_unpackhi_epi8(x[2], x[3]);
            const __m256i low = _mm256_set_m128i(_mm_unpackhi_epi16(ab, cd), _mm_unpacklo_epi16(ab, cd));
            const __m256i high = _mm256_set_m128i(_mm_unpackhi_epi16(ab_high, cd_high), _mm_unpacklo_epi16(ab_high, cd_high));
            const __m512i both = _mm512_maskz_inserti64x4(0xff, _mm512_maskz_inserti64x4(0xff, _mm512_setzero_si512(), low, 0), high, 1);
            sums[r] = _mm512_dpbusd_epi32(sums[r], both, w);
        }
    }
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) _mm512_storeu_si512(to + r * block_columns, sums[r]);
}

void sums_by_512(int count, const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    with_rows<max_rows>(count, [&]<int Rows>() { sums_512<Rows>(panel, steps, weights, to); });
}

// ---- eight columns a register ----------------------------------------------------------------------------------------------

template <int Rows>
QUERN_VNNI256 void sums_256(const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    const auto* x = reinterpret_cast<const int32_t*>(panel);
    __m256i sums[Rows][2];
#pragma GCC unroll 6
    for (int r = 0; r < Rows; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_si256();
    for (; steps > 0; --steps, weights += block_columns * step_depth, x += Rows) {
        const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights));
        const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights + 32));
#pragma GCC unroll 6
        for (int r = 0; r < Rows; ++r) {
            const __m256i codes = _mm256_set1_epi32(x[r]);
            sums[r][0] = _mm256_dpbusd_avx_epi32(sums[r][0], codes, a);
            sums[r][1] = _mm256_dpbusd_avx_epi32(sums[r][1], codes, b);
        }
    }
    store_sums<Rows>(sums, to);
}

void sums_by_256(int count, const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    with_rows<max_rows>(count, [&]<int Rows>() { sums_256<Rows>(panel, steps, weights, to); });
}

}  // namespace

void avx512_depth_sums(const TileRows& rows, int64_t channel, int columns, const int8_t* weights, int32_t* to) {
    with_rows<depth_rows>(rows.count, [&]<int Rows>() {
        with_columns(columns, [&]<Columns Kind>() { depth_sums_512<Rows, Kind>(rows, channel, columns, weights, to); });
    });
}

const Dot avx512_vnni_dot{"avx512-vnni",     max_rows,           1, gather, avx2_row_sums, sums_of_tiles<sums_by_512>,
                          avx512_depth_sums, &avx512_depth_lines};
const Dot avx_vnni_dot{"avx-vnni", max_rows, 1, gather, avx2_row_sums, sums_of_tiles<sums_by_256>, avx2_depth_sums};

bool has_avx512_vnni() { return cpu_has_avx512_vnni(); }
bool has_avx_vnni() { return cpu_has_avx_vnni(); }

}  // namespace quern::codes
#endif
