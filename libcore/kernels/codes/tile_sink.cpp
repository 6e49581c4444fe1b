#include "libcore/kernels/codes/tile_sink.h"

namespace quern::codes {

void CodesSink::take(const SumsTile& tile) const {
    uint8_t* out = out_ + tile.row * width_ + tile.column;
    finish_tile(finish_, {tile.sums, tile.place, tile.rows, tile.columns, out, width_, tile.next_sums, next_out_});
}

}  // namespace quern::codes
