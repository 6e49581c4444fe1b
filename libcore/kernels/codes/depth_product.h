// Depthwise convolutions of codes: each channel has weights of its own. Data have their channels last.
#pragma once

#include "libcore/base/threads.h"
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/geometry.h"
#include "libcore/kernels/codes/tile_sink.h"
#include "libcore/kernels/codes/weights.h"

namespace quern::codes {

class DepthProduct {
   public:
    // The weights' columns are the channels, of one group, their depth the taps. `padding`: the byte beside the data.
    DepthProduct(const Geometry& geometry, const Weights& weights, uint8_t padding)
        : geometry_(geometry), weights_(weights), padding_(padding) {}

    // x [batches, in..., channels] to results [batches, out..., channels], as columns of one group.
    void run(const uint8_t* x, const TileSink& sink, ThreadPool& pool) const;

   private:
    void run_tiles(const uint8_t* x, const TileSink& sink, int64_t first, int64_t last) const;
    void take_offsets(const TileRows& rows, int64_t channel, int columns, int32_t* sums) const;
    int64_t tiles() const;

    Geometry geometry_;
    const Weights& weights_;
    uint8_t padding_;
};

}  // namespace quern::codes
