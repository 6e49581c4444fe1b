// Data with channels and one, two or three spatial dims, in either layout, as lengths and steps in elements.
#pragma once

#include "libcore/graph/op.h"
#include "libcore/integer/shapes.h"
#include "libcore/ops/shared/window.h"

namespace quern {

// A length or step as kernels take it; throws Exit::unsupported for what 32 bits do not hold.
int32_t to_int32(int64_t number);

struct Spatial {
    int64_t batch = 1, channels = 1, depth = 1, rows = 1, columns = 1;
    int64_t image_step = 0, channel_step = 0, depth_step = 0, row_step = 0, column_step = 0;
    size_t rank = 2;  // spatial dims of the data

    Spatial() = default;
    // [N, C, space...] or with `last` [N, space..., C]; throws Exit::unsupported for more than `max` spatial dims.
    Spatial(const Dims& dims, bool last, size_t max = 2);
    Dims space() const { return rank == 1 ? Dims{columns} : rank == 2 ? Dims{rows, columns} : Dims{depth, rows, columns}; }
};

// The window of a node over x. Of a transposed convolution (`transposed`: its output) padding is what
// the outputs' places say.
Window window_over(const NodeView& node, const Spatial& x, const Dims& kernel, const Spatial* transposed = nullptr);
// The same as one of two dims, rows first.
Window window_in_2d(const NodeView& node, const Spatial& x, const Dims& kernel, const Spatial* transposed = nullptr);

// All of it but the filter's steps; channels of one group.
conv_t conv_sizes(const Spatial& x, const Spatial& y, const Window& window, int64_t groups = 1);
// Steps of a filter [M, C/group, kernel...], transposed [C, M/group, kernel...].
void set_filter(conv_t& sizes, const Spatial& w, bool transposed);
// The same of three spatial dims.
volume_t volume_sizes(const Spatial& x, const Spatial& y, const Window& window, int64_t groups = 1);
void set_filter(volume_t& sizes, const Spatial& w, bool transposed);

}  // namespace quern
