#include "libcore/kernels/codes/depth_product.h"

#include <algorithm>

#include "libcore/kernels/codes/offsets.h"
#include "libcore/kernels/tile_split.h"

namespace quern::codes {
namespace {

constexpr int64_t least_work = 200'000;  // multiplications that are worth a task

}  // namespace

int64_t DepthProduct::tiles() const { return (geometry_.places() + depth_rows - 1) / depth_rows; }

// The sum of each channel's data is that of its products with ones.
void DepthProduct::take_offsets(const TileRows& rows, int64_t channel, int columns, int32_t* sums) const {
    thread_local std::vector<int8_t> ones;
    ones.resize(static_cast<size_t>(weights_.layout().block_bytes()), 1);
    alignas(64) int32_t data[depth_rows * block_columns] = {};
    dot().depth_sums(rows, channel, columns, ones.data(), data);
    take_column_offsets(weights_.offsets() + channel, data, rows.count, sums);
}

// A few tiles, whose results lie one after the other, are finished together.
void DepthProduct::run_tiles(const uint8_t* x, const TileSink& sink, int64_t first, int64_t last) const {
    constexpr int64_t together = 16;
    const WeightLayout& layout = weights_.layout();
    const int64_t channels = layout.columns, taps = geometry_.taps();
    thread_local std::vector<const uint8_t*> starts;
    thread_local std::vector<uint8_t> padding;
    starts.resize(static_cast<size_t>(together * taps * most_rows));
    padding.assign(static_cast<size_t>(channels), padding_);
    alignas(64) int32_t sums[together * depth_rows * block_columns];
    const auto row = [&](int64_t tile) { return begin_of(tile, geometry_.places(), tiles()); };
    for (int64_t tile = first; tile < last; tile += together) {
        const int64_t count = std::min(together, last - tile), begin = row(tile);
        for (int64_t i = 0; i < count; ++i)
            point_at_taps(geometry_, row(tile + i), row(tile + i + 1), x, channels, padding.data(), starts.data() + i * taps * most_rows);
        for (int64_t block = 0; block < layout.blocks(); ++block) {
            const int64_t channel = block * block_columns;
            const auto columns = static_cast<int>(std::min<int64_t>(block_columns, channels - channel));
            for (int64_t i = 0; i < count; ++i) {
                const auto rows = static_cast<int>(row(tile + i + 1) - row(tile + i));
                const TileRows some{starts.data() + i * taps * most_rows, rows, static_cast<int>(taps), 1};
                int32_t* own = sums + (row(tile + i) - begin) * block_columns;
                dot().depth_sums(some, channel, columns, weights_.block(0, block), own);
                if (weights_.offsets()) take_offsets(some, channel, columns, own);
            }
            sink.take({sums, begin, channel, channel, static_cast<int>(row(tile + count) - begin), columns});
        }
    }
}

void DepthProduct::run(const uint8_t* x, const TileSink& sink, ThreadPool& pool) const {
    const int64_t work = std::max<int64_t>(depth_rows * weights_.layout().columns * geometry_.taps(), 1);
    pool.run_ranges(static_cast<size_t>(tiles()), static_cast<size_t>(std::max<int64_t>(least_work / work, 1)),
                    [&](size_t first, size_t last) { run_tiles(x, sink, static_cast<int64_t>(first), static_cast<int64_t>(last)); });
}

}  // namespace quern::codes
