#include "libcore/kernels/codes/phases.h"

#include <algorithm>

#include "libcore/kernels/codes/dot.h"

namespace quern::codes {

Phase::Phase(const Spread& spread, int64_t first_)
    : number((first_ + spread.before) % spread.stride),
      taps(spread.taps(number)),
      first(first_),
      count(first < spread.out ? (spread.out - 1 - first) / spread.stride + 1 : 0),
      before(taps - 1 - (first + spread.before - number) / spread.stride) {}

Geometry PhasePlace::geometry(int64_t batches) const {
    Geometry g;
    g.batches = batches;
    for (size_t i = 0; i < 2; ++i) {
        g.in[i + 1] = spread[i].in;
        g.out[i + 1] = phase[i].count;
        g.kernel[i + 1] = is_empty() ? spread[i].taps(0) : phase[i].taps;
        g.before[i + 1] = is_empty() ? phase[i].count + g.kernel[i + 1] : phase[i].before;
    }
    return g;
}

// In pieces of a line.
void PhaseSink::take(const SumsTile& tile) const {
    const Phase &rows = at_.phase[0], &columns = at_.phase[1];
    const int64_t end = tile.row + tile.rows, stride = at_.spread[1].stride;
    for (int64_t row = tile.row; row < end;) {
        const int64_t column = row % columns.count, line = row / columns.count % rows.count, batch = row / columns.count / rows.count;
        const int64_t count = std::min(columns.count - column, end - row);
        const int64_t place =
            (batch * at_.spread[0].out + rows.first + line * at_.spread[0].stride) * at_.spread[1].out + columns.first + column * stride;
        finish_tile(finish_, {tile.sums + (row - tile.row) * block_columns, tile.place, static_cast<int>(count), tile.columns,
                              out_ + place * width_ + tile.column, stride * width_, tile.next_sums, next_out_});
        row += count;
    }
}

}  // namespace quern::codes
