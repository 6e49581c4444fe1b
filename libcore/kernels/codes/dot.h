// Sums of products of codes: the inner loops of integer convolutions and matrix products, one family an instruction set. All give the same
// sums, which wrap at 32 bits. Data are unsigned bytes, weights signed ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace quern::codes {

// Weights lie as [columns / 16][depth / 4][16][4] whatever the instruction set, filled up with zeros.
constexpr int block_columns = 16, step_depth = 4;
// The most results (pixels, rows of a matrix) that are gathered at once.
constexpr int max_rows = 6;
constexpr int depth_rows = 4;

// What the results of a tile read: each a sum over `taps` runs of `depth` codes, which is a multiple of step_depth.
struct TileRows {
    const uint8_t* const* starts;  // [taps][max_rows]: where the run of a tap begins for each result
    int count, taps, depth;
    bool filled = false;  // runs may be read, and panels written, up to a multiple of sixteen codes
    int64_t steps() const { return int64_t{taps} * depth / step_depth; }
};

// Some tiles whose codes were gathered, each into a panel.
struct Panels {
    const std::byte* first;
    int64_t bytes;        // of a panel
    const int64_t* rows;  // [tiles + 1]: tile i has results [rows[i], rows[i + 1])
    int64_t tiles, steps;
    int count(int64_t i) const { return static_cast<int>(rows[i + 1] - rows[i]); }
};

// Channels that are taken at once where a line of results is made together; the most lines of a window, and the most places that are read.
constexpr int line_columns = 4 * block_columns, line_height = 4, line_places = 80;

// Results side by side, whose windows share most of what they read.
struct DepthLine {
    const uint8_t* const* starts;         // [places][height]: where the codes begin, at each place that any of them reads
    int height, width, stride, dilation;  // windows have `height` codes at each of `width` places
    int count;                            // of results

    int places() const { return (count - 1) * stride + (width - 1) * dilation + 1; }
};

// Depthwise sums by lines.
struct DepthLines {
    // Weights of at most line_columns channels, in blocks `block_bytes` apart, as `sums` reads them: [width][line_columns][line_height].
    void (*arrange)(const int8_t* weights, int64_t block_bytes, int blocks, const DepthLine& line, int8_t* to);
    // sums[blocks][count][block_columns] of channels [channel, channel + columns), the blocks `next` sums apart.
    void (*sums)(const DepthLine& line, int64_t channel, int columns, const int8_t* weights, int32_t* sums, int64_t next);
};

struct Dot {
    std::string_view name;
    int rows;        // the most that a tile has; more than max_rows only where the rows of a panel lie one after the other
    int code_bytes;  // of a panel, for one code of one row; a panel is as large as if it had all rows
    // Writes the rows' codes as `sums` reads them.
    void (*gather)(const TileRows& rows, std::byte* panel);
    // The sum of the codes of each row.
    void (*row_sums)(const TileRows& rows, int32_t* sums);
    // sums[row][block_columns] of the tiles' rows, one after the other, with one block of weights.
    void (*sums)(const Panels& panels, const int8_t* weights, int32_t* sums);
    // Depthwise: sums[count][block_columns] of channels [channel, channel + columns), each with its own weights for the taps (the depth of
    // a block of weights). Of at most depth_rows rows.
    void (*depth_sums)(const TileRows& rows, int64_t channel, int columns, const int8_t* weights, int32_t* sums);
    const DepthLines* lines = nullptr;  // where it has them
};

// Dot::sums by a function of one tile: sums_of(count, panel, steps, weights, sums).
template <auto sums_of>
void sums_of_tiles(const Panels& panels, const int8_t* weights, int32_t* sums) {
    for (int64_t i = 0; i < panels.tiles; ++i)
        sums_of(panels.count(i), panels.first + i * panels.bytes, panels.steps, weights,
                sums + (panels.rows[i] - panels.rows[0]) * block_columns);
}

// run<Rows>() with Rows = count, from 1 to Most.
template <int Most, class Run>
void with_rows(int count, const Run& run) {
    if constexpr (Most > 1)
        if (count < Most) return with_rows<Most - 1>(count, run);
    run.template operator()<Most>();
}

// The fastest that this machine, or its limit (isa.h), has.
const Dot& dot();
// All that it has, for tests.
std::span<const Dot* const> all_dots();

// One file each.
extern const DepthLines avx512_depth_lines;
extern const Dot portable_dot, sse2_dot, avx2_dot, avx_vnni_dot, avx512_vnni_dot, amx_dot, neon_dot, dotprod_dot, i8mm_dot;
bool has_avx_vnni();
bool has_avx512_vnni();
bool has_amx();  // asks the kernel to let this process use it
bool has_dotprod();
bool has_i8mm();
void avx2_row_sums(const TileRows& rows, int32_t* sums);
void avx2_depth_sums(const TileRows& rows, int64_t channel, int columns, const int8_t* weights, int32_t* sums);
void avx512_depth_sums(const TileRows& rows, int64_t channel, int columns, const int8_t* weights, int32_t* sums);

}  // namespace quern::codes
