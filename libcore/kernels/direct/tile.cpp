#include "libcore/kernels/direct/tile.h"

#include <array>
#include <utility>

#include "libcore/kernels/direct/vectors.h"
#include "libcore/kernels/isa.h"

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
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
        const __mmask16 mask = mask_of(tile.columns - v * 16);
        const __m512 bias = _mm512_maskz_loadu_ps(mask, tile.bias + v * 16);
#pragma GCC unroll 14
        for (int r = 0; r < Rows; ++r) finish(tile, sums[r][v], bias, mask, tile.out + static_cast<size_t>(r) * tile.stride + v * 16);
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
