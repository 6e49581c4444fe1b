#include "libcore/kernels/direct/tile.h"

#include "libcore/kernels/isa.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <array>
#include <utility>
#define QUERN_AVX512 __attribute__((target("avx512f")))
#endif

namespace quern::direct {

#if defined(__x86_64__)
namespace {

// Sums of `Rows` results in `Vectors` registers of 16 channels each.
template <int Rows, int Vectors>
QUERN_AVX512 void tile_of(const Tile& tile) {
    __m512 sums[Rows][Vectors];
#pragma GCC unroll 14
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 2
        for (int v = 0; v < Vectors; ++v) sums[r][v] = _mm512_setzero_ps();
    const float* filter = tile.filter;
    const float* const* rows = tile.rows;
    for (int tap = 0; tap < tile.taps; ++tap, rows += tile_rows)
        for (int k = 0; k < tile.depth; ++k, filter += tile_columns) {
            __m512 column[Vectors];
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) column[v] = _mm512_loadu_ps(filter + v * 16);
#pragma GCC unroll 14
            for (int r = 0; r < Rows; ++r) {
                const __m512 x = _mm512_set1_ps(rows[r][k]);
#pragma GCC unroll 2
                for (int v = 0; v < Vectors; ++v) sums[r][v] = _mm512_fmadd_ps(x, column[v], sums[r][v]);
            }
        }
    const __m512 low = _mm512_set1_ps(tile.low), high = _mm512_set1_ps(tile.high);
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
        const int left = tile.columns - v * 16;
        const auto mask = static_cast<__mmask16>(left >= 16 ? 0xffff : (1 << left) - 1);
        const __m512 bias = _mm512_maskz_loadu_ps(mask, tile.bias + v * 16);
#pragma GCC unroll 14
        for (int r = 0; r < Rows; ++r) {
            float* out = tile.out + static_cast<size_t>(r) * tile.stride + v * 16;
            __m512 x = _mm512_add_ps(sums[r][v], bias);
            if (tile.sum) x = _mm512_add_ps(x, _mm512_maskz_loadu_ps(mask, out));
            x = _mm512_maskz_min_ps(mask, high, _mm512_maskz_max_ps(mask, low, x));  // of a NaN the second operand is taken
            _mm512_mask_storeu_ps(out, mask, x);
        }
    }
}

using Function = void (*)(const Tile&);
template <int... I>
constexpr std::array<std::array<Function, 2>, sizeof...(I)> functions_of(std::integer_sequence<int, I...>) {
    return {{{tile_of<I + 1, 1>, tile_of<I + 1, 2>}...}};
}
constexpr auto functions = functions_of(std::make_integer_sequence<int, tile_rows>());

}  // namespace

bool has_tiles() { return isa() >= Isa::avx512; }

void run_tile(const Tile& tile, int count) { functions[static_cast<size_t>(count) - 1][tile.columns > 16 ? 1 : 0](tile); }

#else

bool has_tiles() { return false; }
void run_tile(const Tile&, int) {}

#endif

}  // namespace quern::direct
