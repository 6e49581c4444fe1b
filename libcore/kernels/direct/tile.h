// The inner loops of direct convolutions and products, compiled with the library: unlike generated code they are there at once, which is
// what a start from a context waits for. Data have their channels last.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quern::direct {

// A tile is up to `tile_rows` results (pixels) of one block of `tile_columns` channels: sums over `taps` runs of `depth` floats each.
constexpr int tile_rows = 14, tile_columns = 32;

struct Tile {
    const float* const* rows;  // [taps][tile_rows]: where the run of a tap begins for each result
    int taps, depth;
    const float* filter;  // [taps][depth][tile_columns]; in all, [blocks][taps][depth][tile_columns], filled up with zeros
    const float* bias;    // [columns]
    float* out;           // of the first result; the next ones `stride` floats on
    size_t stride;
    int columns;  // at most tile_columns are written
    bool sum;     // add what `out` has
    float low, high;
};

// Multiplications that are worth a task of their own: some 20 microseconds.
constexpr int64_t min_work = 800'000;

// Whether this machine, or its limit, has what the loops need.
bool has_tiles();

// `count` results, 1 to tile_rows. One result is computed in one order (taps, then depth, each a fused multiply-add; bias; sum; clamp),
// whatever the others in its tile are. NaN passes the clamp.
void run_tile(const Tile& tile, int count);

}  // namespace quern::direct
