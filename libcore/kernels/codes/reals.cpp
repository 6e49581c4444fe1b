#include "libcore/kernels/codes/reals.h"

#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/kinds.h"

namespace quern::codes {
namespace {

void run(const RealsParameters& p, const RealsTile& tile) {
    for (int r = 0; r < tile.count; ++r) {
        const Slice& slice = tile.slices[r * tile.slice_step];
        for (int c = 0; c < tile.columns; ++c) {
            const auto at = static_cast<size_t>(tile.place + c);
            auto sum = static_cast<uint32_t>(tile.sums[r * block_columns + c]);
            sum -= static_cast<uint32_t>(slice.zero) * static_cast<uint32_t>(p.column_sums[at]);
            const auto real = static_cast<float>(static_cast<int32_t>(sum));
            float y = p.column_first ? real * p.scales[at] * slice.scale : real * (slice.scale * p.scales[at]);
            if (!p.bias.empty()) y += p.bias[at];
            tile.out[r * tile.stride + c] = y;
        }
    }
}

}  // namespace

const Reals portable_reals{"portable", run};

std::span<const Reals* const> all_reals() { return all_kinds<vectors_reals, portable_reals>(); }

const Reals& reals() { return *all_reals().front(); }

void RealsSink::take(const SumsTile& tile) const {
    const int64_t step = slices_.size() == 1 ? 0 : 1;
    reals().run(parameters_, {tile.sums, tile.place, tile.rows, tile.columns, slices_.data() + step * tile.row, step,
                              out_ + tile.row * width_ + tile.column, width_});
}

}  // namespace quern::codes
