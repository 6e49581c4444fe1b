#include "libcore/kernels/codes/depth_product.h"

#include <algorithm>

#include "libcore/kernels/codes/dot.h"

namespace quern::codes {
namespace {

constexpr int64_t least_work = 200'000;  // multiplications that are worth a task

}  // namespace

int64_t DepthProduct::tiles() const { return (geometry_.places() + depth_rows - 1) / depth_rows; }

void DepthProduct::run_tiles(const uint8_t* x, uint8_t* out, int64_t first, int64_t last) const {
    const Dot& kernel = dot();
    const Finish& end = finish();
    const WeightLayout& layout = weights_.layout();
    const int64_t channels = layout.columns, taps = geometry_.taps(),
                  image = geometry_.in[0] * geometry_.in[1] * geometry_.in[2] * channels;
    thread_local std::vector<const uint8_t*> starts;
    thread_local std::vector<uint8_t> padding;
    starts.resize(static_cast<size_t>(taps * most_rows));
    padding.assign(static_cast<size_t>(channels), padding_);
    alignas(64) int32_t sums[depth_rows * block_columns];
    const Walk walk(geometry_);
    for (int64_t tile = first; tile < last; ++tile) {
        const int64_t begin = begin_of(tile, geometry_.places(), tiles()), rows = begin_of(tile + 1, geometry_.places(), tiles()) - begin;
        const uint8_t** to = starts.data() - begin;
        walk.results(begin, begin + rows, [&](int64_t r, int64_t batch, const Space& place) {
            walk.taps(place, [&](int64_t tap, int64_t at) {
                to[tap * most_rows + r] = at < 0 ? padding.data() : x + batch * image + at * channels;
            });
        });
        const TileRows tap_rows{starts.data(), static_cast<int>(rows), static_cast<int>(taps), 1};
        for (int64_t block = 0; block < layout.blocks(); ++block) {
            const int64_t channel = block * block_columns;
            const auto columns = static_cast<int>(std::min<int64_t>(block_columns, channels - channel));
            kernel.depth_sums(tap_rows, channel, columns, weights_.block(0, block), sums);
            end.run(finish_, {sums, channel, tap_rows.count, columns, out + begin * channels + channel, channels});
        }
    }
}

void DepthProduct::run(const uint8_t* x, uint8_t* out, ThreadPool& pool) const {
    const int64_t work = std::max<int64_t>(depth_rows * weights_.layout().columns * geometry_.taps(), 1);
    pool.run_ranges(static_cast<size_t>(tiles()), static_cast<size_t>(std::max<int64_t>(least_work / work, 1)),
                    [&](size_t first, size_t last) { run_tiles(x, out, static_cast<int64_t>(first), static_cast<int64_t>(last)); });
}

}  // namespace quern::codes
