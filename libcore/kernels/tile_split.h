// How a product in tiles (some results with a block of columns each) is cut into parts for threads.
#pragma once

#include <algorithm>
#include <cstdint>

namespace quern {

// Runs of tiles, and runs of blocks of columns.
struct TileSplit {
    int64_t rows, blocks;
    int64_t parts() const { return rows * blocks; }
};

// Of `tiles` by `blocks` that are `work` multiplications, of which `min_work` are worth a task: small work is not split.
TileSplit split_tiles(int64_t tiles, int64_t blocks, int64_t work, int64_t min_work, int64_t threads);

// Item i of `count` in `parts` runs that differ by one at most.
inline int64_t begin_of(int64_t i, int64_t count, int64_t parts) { return count / parts * i + std::min(i, count % parts); }

}  // namespace quern
