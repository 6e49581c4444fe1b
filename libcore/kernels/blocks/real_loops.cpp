#include "libcore/kernels/blocks/real_loops.h"

#include <algorithm>
#include <vector>

#include "libcore/kernels/isa.h"

namespace quern::block_kernels {
namespace {

constexpr int64_t tile_rows = 128;
constexpr int64_t min_work = 100'000;  // weights and multiplications that are worth a task
constexpr int64_t line = int64_t{real_columns} * real_lanes;

bool has_avx2() {
#if defined(__x86_64__)
    return isa() >= Isa::avx2;
#else
    return false;
#endif
}

AddReal quick_add() {
#if defined(__x86_64__)
    if (has_avx2()) return add_real_avx2;
#endif
    return add_real_portable;
}

float sum_of(const float* lanes) {
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

void ask_for(const std::byte* from, size_t bytes) {
    for (size_t at = 0; at < bytes; at += 64)
        __builtin_prefetch(from + at, 0, 2);  // into the second cache: the first one is full of the rows at hand
}

// Elements [k, k + count) of the tile's columns; columns that are not there are 0.
void decode_tile(const BlockMatrix& weights, int64_t first, int64_t columns, int64_t k, int64_t count, float* to) {
    const BlockFormat& format = *weights.format;
    const Decode decode = quick_decode(format);
    const size_t offset = format.row_bytes(k), bytes = format.row_bytes(count);
    for (int64_t c = 0; c < columns; ++c) {
        float* row = to + c * real_elements;
        const std::byte* from = weights.row(first + c) + offset;
        ask_for(from + real_columns * weights.row_bytes, bytes);  // rows are too short for a processor to see how it goes on
        decode(from, static_cast<size_t>(count / format.elements), row);
        std::fill(row + count, row + (count + real_lanes - 1) / real_lanes * real_lanes, 0.0f);
    }
    std::fill(to + columns * real_elements, to + real_columns * real_elements, 0.0f);
}

void multiply_tile(const BlockMatrix& weights, int64_t first, const float* x, int64_t rows, float* out) {
    const int64_t columns = std::min<int64_t>(real_columns, weights.columns - first);
    std::vector<float> sums(static_cast<size_t>(rows * line), 0.0f);
    alignas(32) float numbers[real_columns * real_elements];
    for (int64_t k = 0; k < weights.depth; k += real_elements) {
        const int64_t count = std::min(real_elements, weights.depth - k);
        decode_tile(weights, first, columns, k, count, numbers);
        quick_add()(numbers, count, x + k, weights.depth, rows, sums.data());
    }
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) out[r * weights.columns + first + c] = sum_of(sums.data() + r * line + c * real_lanes);
}

}  // namespace

Decode quick_decode(const BlockFormat& format) {
#if defined(__x86_64__)
    if (has_avx2())
        if (const DecodeLoop* quick = avx2_decode(format.name)) return quick->run;
#endif
    return format.decode;
}

void add_real_portable(const float* weights, int64_t count, const float* x, int64_t stride, int64_t rows, float* sums) {
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < real_columns; ++c) {
            const float *w = weights + c * real_elements, *own = x + r * stride;
            float* lanes = sums + r * line + c * real_lanes;
            for (int64_t k = 0; k < count; k += real_lanes)
                for (int64_t i = 0; i < std::min<int64_t>(real_lanes, count - k); ++i) lanes[i] += own[k + i] * w[k + i];
        }
}

void multiply_real(const BlockMatrix& weights, const float* x, int64_t rows, float* out, ThreadPool& pool) {
    const int64_t tiles = (weights.columns + real_columns - 1) / real_columns, runs = (rows + tile_rows - 1) / tile_rows;
    const auto grain = static_cast<size_t>(min_work / (weights.depth * real_columns * std::min(rows, tile_rows) + 1) + 1);
    pool.run_ranges(static_cast<size_t>(tiles * runs), grain, [&](size_t begin, size_t end) {
        for (auto i = static_cast<int64_t>(begin); i < static_cast<int64_t>(end); ++i) {
            const int64_t row = i / tiles * tile_rows;
            multiply_tile(weights, i % tiles * real_columns, x + row * weights.depth, std::min(tile_rows, rows - row),
                          out + row * weights.columns);
        }
    });
}

}  // namespace quern::block_kernels
