#include "libcore/kernels/direct/depth_tile.h"

#include <array>
#include <utility>

#include "libcore/kernels/direct/vectors.h"

namespace quern::direct {

#if defined(__x86_64__)
namespace {

// `Count` results in `Vectors` registers of 16 channels each.
template <int Count, int Vectors>
QUERN_AVX512 void results(const DepthTile& tile) {
    __mmask16 mask[Vectors];
    __m512 sums[Count][Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
        mask[v] = mask_of(tile.columns - v * 16);
#pragma GCC unroll 8
        for (int r = 0; r < Count; ++r) sums[r][v] = _mm512_setzero_ps();
    }
    for (int line = 0; line < tile.lines; ++line) {
        const float *x = tile.x + line * tile.line_step, *filter = tile.filter + line * tile.filter_step;
        for (int tap = 0; tap < tile.taps; ++tap, x += tile.tap_step, filter += tile_columns) {
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v) {
                const __m512 factor = _mm512_loadu_ps(filter + v * 16);
#pragma GCC unroll 8
                for (int r = 0; r < Count; ++r)
                    sums[r][v] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask[v], x + r * tile.next_step + v * 16), factor, sums[r][v]);
            }
        }
    }
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
        const __m512 bias = _mm512_maskz_loadu_ps(mask[v], tile.bias + v * 16);
#pragma GCC unroll 8
        for (int r = 0; r < Count; ++r) finish(tile, sums[r][v], bias, mask[v], tile.out + r * tile.stride + v * 16);
    }
}

// Taps [Begin, End) of the three lines at data column `x`, which may lie outside where those taps do not.
template <int Begin, int End, int Vectors>
QUERN_AVX512 inline __attribute__((always_inline)) void result3(const DepthLine& line, const __m512 (&filter)[9][Vectors],
                                                                const __mmask16 (&mask)[Vectors], int64_t x, float* out) {
    __m512 sums[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) sums[v] = _mm512_setzero_ps();
#pragma GCC unroll 3
    for (int row = 0; row < 3; ++row) {
        if (!line.rows[row]) continue;
        const float* from = line.rows[row] + x * line.channels;
#pragma GCC unroll 3
        for (int tap = Begin; tap < End; ++tap)
#pragma GCC unroll 2
            for (int v = 0; v < Vectors; ++v)
                sums[v] =
                    _mm512_fmadd_ps(_mm512_maskz_loadu_ps(mask[v], from + tap * line.channels + v * 16), filter[row * 3 + tap][v], sums[v]);
    }
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) finish(line, sums[v], _mm512_maskz_loadu_ps(mask[v], line.bias + v * 16), mask[v], out + v * 16);
}

template <int Vectors>
QUERN_AVX512 void line3(const DepthLine& line) {
    __m512 filter[9][Vectors];
    __mmask16 mask[Vectors];
#pragma GCC unroll 2
    for (int v = 0; v < Vectors; ++v) {
        mask[v] = mask_of(line.count - v * 16);
#pragma GCC unroll 9
        for (int tap = 0; tap < 9; ++tap) filter[tap][v] = _mm512_loadu_ps(line.filter + tap * tile_columns + v * 16);
    }
    float* out = line.out;
    int64_t x = -line.before;
    for (int64_t i = 0; i < line.columns; ++i, x += line.stride, out += line.channels) {
        if (x >= 0 && x + 3 <= line.width) {
            result3<0, 3, Vectors>(line, filter, mask, x, out);
            continue;
        }
        const bool first = x >= 0 && x < line.width, second = x + 1 >= 0 && x + 1 < line.width, third = x + 2 >= 0 && x + 2 < line.width;
        if (first)
            second ? result3<0, 2, Vectors>(line, filter, mask, x, out) : result3<0, 1, Vectors>(line, filter, mask, x, out);
        else if (second)
            third ? result3<1, 3, Vectors>(line, filter, mask, x, out) : result3<1, 2, Vectors>(line, filter, mask, x, out);
        else
            third ? result3<2, 3, Vectors>(line, filter, mask, x, out) : result3<0, 0, Vectors>(line, filter, mask, x, out);
    }
}

constexpr int max = 8;
using Function = void (*)(const DepthTile&);
template <int... I>
constexpr std::array<std::array<Function, 2>, sizeof...(I)> functions_of(std::integer_sequence<int, I...>) {
    return {{{results<I + 1, 1>, results<I + 1, 2>}...}};
}
constexpr auto functions = functions_of(std::make_integer_sequence<int, max>());

}  // namespace

void run_depth_line(const DepthLine& line) { line.count > 16 ? line3<2>(line) : line3<1>(line); }

void run_depth_tile(const DepthTile& tile, int64_t count) {
    DepthTile rest = tile;
    for (int64_t left = (count + max - 1) / max; left > 0; --left) {
        const int64_t taken = (count + left - 1) / left;  // runs of nearly the same length
        functions[static_cast<size_t>(taken) - 1][tile.columns > 16 ? 1 : 0](rest);
        rest.x += taken * tile.next_step;
        rest.out += taken * tile.stride;
        count -= taken;
    }
}

#else

void run_depth_tile(const DepthTile&, int64_t) {}
void run_depth_line(const DepthLine&) {}

#endif

}  // namespace quern::direct
