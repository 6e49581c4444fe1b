// AVX2 has no exact product of bytes (vpmaddubsw saturates): the even and the odd codes of each step are multiplied as 16-bit numbers.
#include "libcore/kernels/codes/dot.h"

#if defined(__x86_64__)
#include "libcore/kernels/codes/avx2.h"
#include "libcore/kernels/codes/halves.h"

namespace quern::codes {
namespace {

// ---- panels ----------------------------------------------------------------------------------------------------------------

// Four steps of six rows.
QUERN_INLINE_AVX2 void gather_four_steps(const uint8_t* const* rows, int k, int32_t* to) {
    constexpr int step = 2 * max_rows;  // items
    __m128i x[max_rows];
#pragma GCC unroll 6
    for (int r = 0; r < max_rows; ++r) x[r] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[r] + k));
    __m128i part[max_rows];
#pragma GCC unroll 6
    for (int r = 0; r < max_rows; ++r) part[r] = _mm_and_si128(x[r], _mm_set1_epi16(0xff));
    store_lanes(part[0], part[1], part[2], part[3], to, step);
    store_lane_pairs(part[4], part[5], to + 4, step);
#pragma GCC unroll 6
    for (int r = 0; r < max_rows; ++r) part[r] = _mm_srli_epi16(x[r], 8);
    store_lanes(part[0], part[1], part[2], part[3], to + max_rows, step);
    store_lane_pairs(part[4], part[5], to + max_rows + 4, step);
}

QUERN_AVX2 void gather(const TileRows& rows, std::byte* panel) {
    auto* to = reinterpret_cast<int32_t*>(panel);
    const int last = rows.filled ? rows.depth - 1 : rows.depth - 4 * step_depth;  // where four steps may begin
    for (int tap = 0; tap < rows.taps; ++tap) {
        const uint8_t* const* starts = rows.starts + tap * max_rows;
        int k = 0;
        if (rows.count == max_rows)
            for (; k <= last; k += 4 * step_depth, to += 8 * max_rows) gather_four_steps(starts, k, to);
        for (; k < rows.depth; k += step_depth, to += 2 * rows.count) gather_step(starts, rows.count, k, to);
    }
}

// ---- sums ------------------------------------------------------------------------------------------------------------------

QUERN_INLINE_AVX2 __m256i even(const int8_t* weights) {
    return _mm256_srai_epi16(_mm256_slli_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights)), 8), 8);
}
QUERN_INLINE_AVX2 __m256i odd(const int8_t* weights) {
    return _mm256_srai_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights)), 8);
}

template <int Rows>
QUERN_INLINE_AVX2 void add_half(__m256i (&sums)[Rows][2], const int32_t* x, __m256i a, __m256i b) {
#pragma GCC unroll 5
    for (int r = 0; r < Rows; ++r) {
        const __m256i pair = _mm256_set1_epi32(x[r]);
        sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(pair, a));
        sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(pair, b));
    }
}

template <int Rows>
QUERN_AVX2 void sums_of(const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    const auto* x = reinterpret_cast<const int32_t*>(panel);
    __m256i sums[Rows][2];
#pragma GCC unroll 5
    for (int r = 0; r < Rows; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_si256();
    for (; steps > 0; --steps, weights += block_columns * step_depth, x += 2 * Rows) {
        add_half<Rows>(sums, x, even(weights), even(weights + 32));
        add_half<Rows>(sums, x + Rows, odd(weights), odd(weights + 32));
    }
    store_sums<Rows>(sums, to);
}

// Six rows take all sixteen registers, which compilers do not manage without spilling.
#define QUERN_ROW(offset, first, second)          \
    "vpbroadcastd " offset                        \
    "(%[x]), %%ymm14\n"                           \
    "vpmaddwd %%ymm12, %%ymm14, %%ymm15\n"        \
    "vpmaddwd %%ymm13, %%ymm14, %%ymm14\n"        \
    "vpaddd %%ymm15, %%ymm" first ", %%ymm" first \
    "\n"                                          \
    "vpaddd %%ymm14, %%ymm" second ", %%ymm" second "\n"
#define QUERN_CLEAR(i) "vpxor %%xmm" i ", %%xmm" i ", %%xmm" i "\n"
#define QUERN_STORE(offset, i) "vmovdqu %%ymm" i ", " offset "(%[sums])\n"

template <>
QUERN_AVX2 void sums_of<max_rows>(const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    asm volatile(
        QUERN_CLEAR("0") QUERN_CLEAR("1") QUERN_CLEAR("2") QUERN_CLEAR("3") QUERN_CLEAR("4") QUERN_CLEAR("5")
        QUERN_CLEAR("6") QUERN_CLEAR("7") QUERN_CLEAR("8") QUERN_CLEAR("9") QUERN_CLEAR("10") QUERN_CLEAR("11")
        "test %[steps], %[steps]\n"
        "jle 2f\n"
        ".p2align 5\n"
        "1:\n"
        "vmovdqu (%[weights]), %%ymm12\n"
        "vmovdqu 32(%[weights]), %%ymm13\n"
        "vpsllw $8, %%ymm12, %%ymm12\n"
        "vpsllw $8, %%ymm13, %%ymm13\n"
        "vpsraw $8, %%ymm12, %%ymm12\n"
        "vpsraw $8, %%ymm13, %%ymm13\n"
        QUERN_ROW("0", "0", "1") QUERN_ROW("4", "2", "3") QUERN_ROW("8", "4", "5")
        QUERN_ROW("12", "6", "7") QUERN_ROW("16", "8", "9") QUERN_ROW("20", "10", "11")
        "vmovdqu (%[weights]), %%ymm12\n"
        "vmovdqu 32(%[weights]), %%ymm13\n"
        "vpsraw $8, %%ymm12, %%ymm12\n"
        "vpsraw $8, %%ymm13, %%ymm13\n"
        QUERN_ROW("24", "0", "1") QUERN_ROW("28", "2", "3") QUERN_ROW("32", "4", "5")
        QUERN_ROW("36", "6", "7") QUERN_ROW("40", "8", "9") QUERN_ROW("44", "10", "11")
        "add $64, %[weights]\n"
        "add $48, %[x]\n"
        "dec %[steps]\n"
        "jnz 1b\n"
        "2:\n"
        QUERN_STORE("0", "0") QUERN_STORE("32", "1") QUERN_STORE("64", "2") QUERN_STORE("96", "3")
        QUERN_STORE("128", "4") QUERN_STORE("160", "5") QUERN_STORE("192", "6") QUERN_STORE("224", "7")
        QUERN_STORE("256", "8") QUERN_STORE("288", "9") QUERN_STORE("320", "10") QUERN_STORE("352", "11")
        "vzeroupper\n"
        : [x] "+r"(panel), [steps] "+r"(steps), [weights] "+r"(weights)
        : [sums] "r"(to)
        : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
          "xmm14", "xmm15");
}

void sums(int count, const std::byte* panel, int64_t steps, const int8_t* weights, int32_t* to) {
    with_rows<max_rows>(count, [&]<int Rows>() { sums_of<Rows>(panel, steps, weights, to); });
}

// ---- depthwise -------------------------------------------------------------------------------------------------------------

// Adds taps `tap` and `tap + 2`, of which the second may not be there; a and b are their weights.
template <int Rows, Columns Kind>
QUERN_INLINE_AVX2 void add_taps(__m256i (&sums)[Rows][2], const TileRows& rows, int tap, int64_t channel, int columns, __m256i a,
                                __m256i b) {
    const uint8_t* const* starts = rows.starts + tap * max_rows;
    const bool two = tap + 2 < rows.taps;
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) {
        const __m128i x = load_codes<Kind>(starts[r] + channel, columns);
        const __m128i y = two ? load_codes<Kind>(starts[2 * max_rows + r] + channel, columns) : _mm_setzero_si128();
        sums[r][0] = _mm256_add_epi32(sums[r][0], _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpacklo_epi8(x, y)), a));
        if (Kind != Columns::half)
            sums[r][1] = _mm256_add_epi32(sums[r][1], _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm_unpackhi_epi8(x, y)), b));
    }
}

template <int Rows, Columns Kind>
QUERN_AVX2 void depth_sums_of(const TileRows& rows, int64_t channel, int columns, const int8_t* weights, int32_t* to) {
    __m256i sums[Rows][2];
#pragma GCC unroll 4
    for (int r = 0; r < Rows; ++r) sums[r][0] = sums[r][1] = _mm256_setzero_si256();
    for (int tap = 0; tap < rows.taps; tap += step_depth, weights += block_columns * step_depth) {
        add_taps<Rows, Kind>(sums, rows, tap, channel, columns, even(weights), even(weights + 32));
        if (tap + 1 < rows.taps) add_taps<Rows, Kind>(sums, rows, tap + 1, channel, columns, odd(weights), odd(weights + 32));
    }
    store_sums<Rows>(sums, to);
}

}  // namespace

QUERN_AVX2 void avx2_row_sums(const TileRows& rows, int32_t* sums) {
    for (int r = 0; r < rows.count; ++r) {
        __m256i all = _mm256_setzero_si256();
        __m128i some = _mm_setzero_si128();
        int32_t rest = 0;
        for (int tap = 0; tap < rows.taps; ++tap) {
            const uint8_t* x = rows.starts[tap * max_rows + r];
            int k = 0;
            for (; k + 32 <= rows.depth; k += 32)
                all = _mm256_add_epi64(
                    all, _mm256_sad_epu8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + k)), _mm256_setzero_si256()));
            for (; k + 8 <= rows.depth; k += 8)
                some = _mm_add_epi64(some, _mm_sad_epu8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(x + k)), _mm_setzero_si128()));
            for (; k < rows.depth; ++k) rest += x[k];
        }
        const __m128i two = _mm_add_epi64(some, _mm_add_epi64(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)));
        sums[r] = rest + _mm_cvtsi128_si32(_mm_add_epi64(two, _mm_srli_si128(two, 8)));
    }
}

void avx2_depth_sums(const TileRows& rows, int64_t channel, int columns, const int8_t* weights, int32_t* to) {
    with_rows<depth_rows>(rows.count, [&]<int Rows>() {
        with_columns(columns, [&]<Columns Kind>() { depth_sums_of<Rows, Kind>(rows, channel, columns, weights, to); });
    });
}

const Dot avx2_dot{"avx2", max_rows, 2, gather, avx2_row_sums, sums_of_tiles<sums>, avx2_depth_sums};

}  // namespace quern::codes
#endif
