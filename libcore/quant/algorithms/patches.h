// Patches: the rows of inputs that a layer multiplies its matrix with - of a convolution what its window covers at each position, of a
// transposed one what adds to that position of the output, zeros where there is nothing.
#pragma once

#include <vector>

#include "libcore/ops/shared/window.h"
#include "libcore/quant/algorithms/layer.h"

namespace quern {

class Patches {
   public:
    // `input`: dims of the layer's input in this sample, as the graph has them.
    Patches(const Graph& graph, const Layer& layer, const Dims& input);

    size_t count() const { return count_; }  // rows: batch times positions
    // Row r, columns() numbers: groups one after the other, each in the order of the weight's columns.
    void row(const float* input, size_t r, float* to) const;
    // Where the output of row r and output `out` lies.
    size_t output_at(size_t r, size_t out) const {
        return layer_.convolution && !layer_.channels_last ? ((r / space_) * layer_.outs + out) * space_ + r % space_
                                                           : r * layer_.outs + out;
    }

   private:
    void window_row(const float* input, size_t r, float* to) const;
    // The input position under tap `tap` at output position `position`; -1: padding, or between inputs.
    int64_t input_position(size_t position, size_t tap) const;

    const Layer& layer_;
    size_t count_ = 0, space_ = 1, taps_ = 1, channels_ = 0;  // positions of the output; of a window; input channels
    Dims in_space_, out_space_;
    Window window_;
};

}  // namespace quern
