// Geometry of a window that slides over the spatial dims: padding, strides, dilations as ONNX's Conv has them.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

// The attributes of windows, for rows.
namespace window_attrs {
inline constexpr AttrDef auto_pad{"auto_pad", AttrKind::text, "NOTSET"}, ceil_mode{"ceil_mode", AttrKind::integer, "0"},
    count_include_pad{"count_include_pad", AttrKind::integer, "0"}, dilations{"dilations", AttrKind::integers},
    group{"group", AttrKind::integer, "1"}, kernel_shape{"kernel_shape", AttrKind::integers, {}, true},
    kernel_as_filter{"kernel_shape", AttrKind::integers}, pads{"pads", AttrKind::integers}, strides{"strides", AttrKind::integers};
}

struct Window {
    Dims kernel, stride, dilation, before, after;  // one number a spatial dim; before/after: padding
    size_t rank() const { return kernel.size(); }
};

// The numbers of a window attribute, one a dim: `fallback` if it is absent. A wrong count or a number below `min` throws Exit::bad_input.
Dims window_numbers(const NodeView& node, std::string_view name, size_t count, int64_t fallback, int64_t min);

// Reads strides, dilations, pads and auto_pad for a window of `kernel` over `spatial` (dims that auto_pad needs but are not known leave
// the padding -1). Throws Exit::bad_input on wrong counts or numbers out of range.
Window window_of(const NodeView& node, std::span<const Dim> spatial, std::span<const int64_t> kernel);

// The length of the output along spatial dim i, unknown if it cannot be told; an input shorter than the window throws Exit::bad_input.
// `ceil` rounds up, as long as the last window starts inside the input or the padding before it (pools).
Dim window_count(const Window& window, size_t i, const Dim& length, bool ceil = false);

// The type of a convolution's output: data [N,C,spatial...], filter [M,C/group,kernel...]. Checks ranks, group and channels.
Type conv_type(const NodeView& node, DType dtype, const Shape& data, const Shape& filter);

}  // namespace quern
