// Sums of products to float32 (reals.h) by vectors.
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/reals.h"
#include "libcore/kernels/vectors.h"

#if defined(QUERN_VECTORS)
HWY_BEFORE_NAMESPACE();
namespace quern::codes {
namespace {

using namespace vectors;

struct OfColumns {
    Int32 sums;
    Float scales, bias;
    HWY_INLINE OfColumns(const RealsParameters& p, size_t at)
        : sums(load(p.column_sums + at)), scales(load(p.scales.data() + at)), bias(p.bias.empty() ? all(0.0f) : load(p.bias.data() + at)) {}
};

void run(const RealsParameters& p, const RealsTile& tile) {
    const Columns<OfColumns> by(p, static_cast<size_t>(tile.place));
    const bool column_first = p.column_first, has_bias = !p.bias.empty(), is_whole = tile.columns == block_columns;
    for (int r = 0; r < tile.count; ++r) {
        const Slice& slice = tile.slices[r * tile.slice_step];
        const Int32 zero = all(slice.zero);
        const Float scale = all(slice.scale);
        float items[block_columns], *const out = tile.out + r * tile.stride, *const to = is_whole ? out : items;
#pragma GCC unroll 4
        for (int i = 0; i < parts; ++i) {
            const OfColumns& own = by.items[i];
            const Float real = floats(load(tile.sums + r * block_columns + lanes * i) - zero * own.sums);
            const Float y = column_first ? real * own.scales * scale : real * (scale * own.scales);
            hn::StoreU(has_bias ? y + own.bias : y, DFloat(), to + lanes * i);
        }
        if (!is_whole) std::memcpy(out, items, static_cast<size_t>(tile.columns) * sizeof(float));
    }
}

}  // namespace

const Reals vectors_reals{name, run};

}  // namespace quern::codes
HWY_AFTER_NAMESPACE();
#endif
