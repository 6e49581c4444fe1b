#include "libcore/kernels/codes/tile_sink.h"

namespace quern::codes {

void CodesSink::take(const SumsTile& tile) const {
    finish().run(finish_, {tile.sums, tile.place, tile.rows, tile.columns, out_ + tile.row * width_ + tile.column, width_});
}

}  // namespace quern::codes
