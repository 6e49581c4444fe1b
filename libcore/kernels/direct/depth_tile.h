// The inner loops of depthwise convolutions: neighbouring results of one line, each channel by its own filter. Data have their channels
// last.
#pragma once

#include <cstdint>

#include "libcore/kernels/direct/tile.h"

namespace quern::direct {

// `lines` x `taps` places of a window, those that lie inside the data; up to tile_columns channels.
struct DepthTile {
    const float* x;                          // the first place, of the first result
    int64_t line_step, tap_step, next_step;  // floats from line to line, from tap to tap, from result to result
    int lines, taps;
    const float* filter;  // of the first place: [lines][taps][tile_columns]
    int64_t filter_step;  // from line to line
    const float* bias;    // [columns]
    float* out;           // of the first result
    int64_t stride;       // floats from result to result
    int columns;
    bool sum;  // add what `out` has
    float low, high;
};

// A whole line of results of a 3 x 3 window that is not dilated, faster.
struct DepthLine {
    const float* rows[3];             // the lines under the window, at data column 0; nullptr: outside
    int64_t channels, width;          // floats from column to column; columns of the data
    int64_t columns, stride, before;  // results; data columns from result to result; those before the first that lie outside
    const float* filter;              // [9][tile_columns]
    const float* bias;
    float* out;
    int count;  // of channels, at most tile_columns
    bool sum;
    float low, high;
};
void run_depth_line(const DepthLine& line);

// `count` results one beside the other. Each is computed in one order (lines, then taps, each a fused multiply-add; bias; sum; clamp). NaN
// passes the clamp. For machines that have_tiles().
void run_depth_tile(const DepthTile& tile, int64_t count);

}  // namespace quern::direct
