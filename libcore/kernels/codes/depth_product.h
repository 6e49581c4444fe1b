// Depthwise convolutions of codes: each channel has weights of its own. Data have their channels last.
#pragma once

#include "libcore/kernels/codes/geometry.h"
#include "libcore/kernels/codes/tile_sink.h"
#include "libcore/kernels/codes/weights.h"
#include "libcore/os/threads.h"

namespace quern::codes {

class DepthProduct {
   public:
    // The weights' columns are the channels, of one group, their depth the taps.
    DepthProduct(const Geometry& geometry, const ProductParts& parts)
        : geometry_(geometry), parts_(parts), layout_(parts.weights[0].layout()) {}

    // x [batches, in..., channels] to results [batches, out..., channels], as columns of one group.
    void run(const DataParts& x, const TileSink& sink, ThreadPool& pool) const;

   private:
    int64_t tiles() const;
    // Tile i of a few has results [rows[i], rows[i + 1]).
    void point(const DataParts& x, std::span<const int64_t> rows) const;
    void run_block(std::span<const int64_t> rows, int64_t block, const TileSink& sink) const;

    Geometry geometry_;
    ProductParts parts_;
    const WeightLayout& layout_;
};

}  // namespace quern::codes
