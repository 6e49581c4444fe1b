// What becomes of the sums of a product whose result is real numbers: those of data that were rounded to codes on the way in, each slice
// (the whole tensor, an image, a row) by a scale and a zero point of its own.
//
//     float(sum) * (slice's scale * column's scale) + bias, or (float(sum) * column's scale) * slice's scale + bias
//
// in float32, in this order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/kernels/codes/tile_sink.h"

namespace quern::codes {

// How a slice of the data became bytes.
struct Slice {
    float scale = 1;
    int32_t zero = 0;  // the byte of 0
};

// One item for each column, filled up to whole blocks (weights.h). The sums are those of bytes with weights: what the slice's zero point
// adds to them, `zero` times the sum of the weights, is taken from them.
struct RealsParameters {
    const int32_t* column_sums = nullptr;  // of weights
    std::vector<float> scales;
    std::vector<float> bias;  // empty: nothing is added
    bool column_first = false;
};

// Sums [count][block_columns] of the block that begins at `place`, of which `columns` are there.
struct RealsTile {
    const int32_t* sums;
    int64_t place;
    int count, columns;
    const Slice* slices;
    int64_t slice_step;  // 0: all rows are of one slice, else 1
    float* out;          // of the first row; the others `stride` items on
    int64_t stride;
};

void make_reals(const RealsParameters& parameters, const RealsTile& tile);

// Makes real numbers of sums: out [results][width].
class RealsSink : public TileSink {
   public:
    // One slice for all results or one each.
    RealsSink(const RealsParameters& parameters, std::span<const Slice> slices, float* out, int64_t width)
        : parameters_(parameters), slices_(slices), out_(out), width_(width) {}
    void take(const SumsTile& tile) const override;

   private:
    const RealsParameters& parameters_;
    std::span<const Slice> slices_;
    float* out_;
    int64_t width_;
};

}  // namespace quern::codes
