#include "libcore/kernels/codes/depth_product.h"

#include <algorithm>
#include <array>
#include <functional>

#include "libcore/kernels/codes/depth_lines.h"
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/offsets.h"
#include "libcore/kernels/tile_split.h"

namespace quern::codes {
namespace {

constexpr int64_t together = 16;  // tiles whose results lie one after the other are finished together
constexpr int64_t part_sums = together * depth_rows * block_columns;

// Where the taps of these tiles begin in one part of the data, and what lies beside it.
struct Starts {
    std::vector<const uint8_t*> items;
    std::vector<uint8_t> padding;
};
std::span<Starts> all_starts() {
    thread_local std::array<Starts, max_parts> own;
    return own;
}

// The sum of each channel's data is that of its products with ones.
void take_offsets(const Weights& weights, const TileRows& rows, int64_t channel, int columns, int32_t* sums) {
    thread_local std::vector<int8_t> ones;
    ones.resize(static_cast<size_t>(weights.layout().block_bytes()), 1);
    alignas(64) int32_t data[depth_rows * block_columns] = {};
    dot().depth_sums(rows, channel, columns, ones.data(), data);
    take_column_offsets(weights.offsets() + channel, data, rows.count, sums);
}

}  // namespace

int64_t DepthProduct::tiles() const { return (geometry_.places() + depth_rows - 1) / depth_rows; }

void DepthProduct::point(const DataParts& x, std::span<const int64_t> rows) const {
    const int64_t channels = layout_.columns, size = geometry_.taps() * max_rows;
    const uint8_t* from = x.first;
    for (size_t a = 0; a < parts_.data_parts; ++a, from += x.next) {
        Starts& starts = all_starts()[a];
        starts.items.resize(static_cast<size_t>(together * size));
        starts.padding.assign(static_cast<size_t>(channels), parts_.padding[a]);
        Cursor at(geometry_, rows[0]);
        for (size_t i = 0; i + 1 < rows.size(); ++i)
            point_at_taps(geometry_, at, rows[i + 1] - rows[i], from, channels, starts.padding.data(),
                          starts.items.data() + static_cast<int64_t>(i) * size);
    }
}

void DepthProduct::run_block(std::span<const int64_t> rows, int64_t block, const TileSink& sink) const {
    const int64_t channels = layout_.columns, channel = block * block_columns, size = geometry_.taps() * max_rows;
    const auto columns = static_cast<int>(std::min<int64_t>(block_columns, channels - channel));
    alignas(64) int32_t sums[max_parts * max_parts * part_sums];
    int32_t* to = sums;
    for (size_t a = 0; a < parts_.data_parts; ++a)
        for (const Weights& weights : parts_.weights) {
            const uint8_t* const* starts = all_starts()[a].items.data();
            for (size_t i = 0; i + 1 < rows.size(); ++i, starts += size) {
                const TileRows some{starts, static_cast<int>(rows[i + 1] - rows[i]), static_cast<int>(geometry_.taps()), 1};
                int32_t* own = to + (rows[i] - rows[0]) * block_columns;
                dot().depth_sums(some, channel, columns, weights.block(0, block), own);
                if (weights.offsets()) take_offsets(weights, some, channel, columns, own);
            }
            to += part_sums;
        }
    sink.take({sums, rows[0], channel, channel, static_cast<int>(rows.back() - rows[0]), columns, part_sums});
}

void DepthProduct::run(const DataParts& x, const TileSink& sink, ThreadPool& pool) const {
    if (has_depth_lines(geometry_)) return run_depth_lines(geometry_, parts_, x, sink, pool);
    const int64_t work = std::max<int64_t>(depth_rows * layout_.columns * geometry_.taps(), 1);
    const auto range = [&](size_t begin, size_t end) {
        const auto last = static_cast<int64_t>(end);
        for (auto tile = static_cast<int64_t>(begin); tile < last; tile += together) {
            std::array<int64_t, together + 1> firsts;
            const std::span<int64_t> rows(firsts.data(), static_cast<size_t>(std::min(together, last - tile) + 1));
            for (size_t i = 0; i < rows.size(); ++i) rows[i] = begin_of(tile + static_cast<int64_t>(i), geometry_.places(), tiles());
            point(x, rows);
            for (int64_t block = 0; block < layout_.blocks(); ++block) run_block(rows, block, sink);
        }
    };
    pool.run_ranges(static_cast<size_t>(tiles()), static_cast<size_t>(std::max<int64_t>(min_depth_work / work, 1)), std::ref(range));
}

}  // namespace quern::codes
