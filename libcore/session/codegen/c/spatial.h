// Data with channels and one or two spatial dims, in either layout, as lengths and steps in elements.
#pragma once

#include <string>

#include "libcore/graph/op.h"
#include "libcore/ops/window.h"

namespace quern::cgen {

struct Spatial {
    int64_t batch = 1, channels = 1, rows = 1, columns = 1;
    int64_t image_step = 0, channel_step = 0, row_step = 0, column_step = 0;
    size_t rank = 2;  // spatial dims of the data

    Spatial() = default;
    // [N, C, space...] or with `last` [N, space..., C]; throws Exit::unsupported for more than two spatial dims.
    Spatial(const Dims& dims, bool last);
    Dims space() const { return rank == 1 ? Dims{columns} : Dims{rows, columns}; }
};

// The window of a node over x, as one of two dims (rows first). Of a transposed convolution (`transposed`: its output) padding is what
// the outputs' places say.
Window window_in_2d(const NodeView& node, const Spatial& x, const Dims& kernel, const Spatial* transposed = nullptr);

// The fields of conv_t but the filter's.
std::string spatial_fields(const Spatial& x, const Spatial& y, const Window& window, int64_t groups, int64_t in_channels,
                           int64_t out_channels);

}  // namespace quern::cgen
