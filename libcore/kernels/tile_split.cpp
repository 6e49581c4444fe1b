#include "libcore/kernels/tile_split.h"

#include <limits>

namespace quern {
namespace {

int64_t max_of(int64_t count, int64_t parts) { return (count + parts - 1) / parts; }

// The least work for the busiest thread; then as few threads as possible on the same block of columns, whose weights come from far.
TileSplit even_split(int64_t tiles, int64_t blocks, int64_t threads) {
    TileSplit best{1, 1};
    int64_t min = std::numeric_limits<int64_t>::max();
    for (int64_t rows = 1; rows <= threads; ++rows) {
        const TileSplit split{std::min(rows, tiles), std::min(std::max<int64_t>(threads / rows, 1), blocks)};
        const int64_t load = max_of(tiles, split.rows) * max_of(blocks, split.blocks);
        if (load >= min) continue;
        best = split;
        min = load;
    }
    return best;
}

}  // namespace

// More parts than threads where there are results enough: a thread that others disturb takes fewer of them.
TileSplit split_tiles(int64_t tiles, int64_t blocks, int64_t work, int64_t min_work, int64_t threads) {
    const int64_t parts = std::clamp<int64_t>(work / min_work, 1, 4 * threads);
    TileSplit split = even_split(tiles, blocks, std::min(parts, threads));
    if (split.parts() > 1) split.rows = std::clamp<int64_t>(parts / split.blocks, split.rows, std::max(tiles, split.rows));
    return split;
}

}  // namespace quern
