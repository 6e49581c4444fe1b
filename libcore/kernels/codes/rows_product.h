// Convolutions of up to three spatial dims and matrix products of codes, in tiles (dot.h): results are rows, output channels columns. Data
// have their channels last.
#pragma once

#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/geometry.h"
#include "libcore/kernels/codes/tile_sink.h"
#include "libcore/kernels/codes/weights.h"
#include "libcore/kernels/tile_split.h"
#include "libcore/os/threads.h"

namespace quern::codes {

class RowsProduct {
   public:
    // The weights' layout says groups, columns and channels.
    RowsProduct(const Geometry& geometry, const ProductParts& parts, const Dot& kernel = dot());

    // x [batches, in..., groups * channels] to results [batches, out..., groups * columns].
    void run(const DataParts& x, const TileSink& sink, ThreadPool& pool) const;

   private:
    class Tiles;
    // The tiles that were gathered by blocks [first, last) of one group.
    struct BlockRange {
        int64_t tiles, group, first, last;
    };

    int64_t tiles() const { return (geometry_.places() + kernel_.rows - 1) / kernel_.rows; }
    int64_t all_blocks() const { return layout_.groups * layout_.blocks(); }
    void run_part(const DataParts& x, const TileSink& sink, const TileSplit& split, int64_t part) const;
    void run_blocks(std::span<const Tiles> all, const BlockRange& range, const TileSink& sink) const;

    Geometry geometry_;
    ProductParts parts_;
    const WeightLayout& layout_;
    const Dot& kernel_;
    bool copied_;  // the taps of a result are laid side by side first: their channels do not fill whole steps, or are few
};

}  // namespace quern::codes
