#include "libcore/codegen/c/spatial.h"

#include <fmt/format.h>

namespace quern::cgen {

Spatial::Spatial(const Dims& dims, bool last, size_t most) {
    if (dims.size() < 3 || dims.size() > most + 2)
        throw unsupported("data of {}: 1 to {} spatial dims are generated", to_string(dims), most);
    rank = dims.size() - 2;
    const size_t first = last ? 1 : 2;
    batch = dims[0];
    channels = last ? dims.back() : dims[1];
    depth = rank == 3 ? dims[first] : 1;
    rows = rank >= 2 ? dims[first + rank - 2] : 1;
    columns = dims[first + rank - 1];
    column_step = last ? channels : 1;
    row_step = columns * column_step;
    depth_step = rows * row_step;
    channel_step = last ? 1 : depth * rows * columns;
    image_step = channels * depth * rows * columns;
}

Window window_over(const NodeView& node, const Spatial& x, const Dims& kernel, const Spatial* transposed) {
    const Dims space = x.space();
    const Shape shape = Shape::of(space);
    Window window;
    if (transposed) {
        const size_t rank = kernel.size();
        window = {kernel, window_numbers(node, "strides", rank, 1, 1), window_numbers(node, "dilations", rank, 1, 1), Dims(rank, 0),
                  Dims(rank, 0)};
        const Dims extra = window_numbers(node, "output_padding", rank, 0, 0), pads = window_numbers(node, "pads", 2 * rank, 0, 0),
                   made = transposed->space();
        for (size_t i = 0; i < rank; ++i) {
            const int64_t full = (space[i] - 1) * window.stride[i] + extra[i] + (kernel[i] - 1) * window.dilation[i] + 1;
            const int64_t total = std::max<int64_t>(full - made[i], 0);
            const std::string mode = node.text("auto_pad");
            const bool stated = (mode.empty() || mode == "NOTSET") && !node.has("output_shape");
            window.before[i] = stated ? pads[i] : mode == "SAME_UPPER" ? total / 2 : total - total / 2;
            if (mode == "VALID") window.before[i] = 0;
        }
    } else {
        window = window_of(node, shape.dims, kernel);
    }
    return window;
}

Window window_in_2d(const NodeView& node, const Spatial& x, const Dims& kernel, const Spatial* transposed) {
    Window window = window_over(node, x, kernel, transposed);
    if (window.rank() == 2) return window;
    return {{1, window.kernel[0]}, {1, window.stride[0]}, {1, window.dilation[0]}, {0, window.before[0]}, {0, window.after[0]}};
}

std::string spatial_fields(const Spatial& x, const Spatial& y, const Window& window, int64_t groups, int64_t in_channels,
                           int64_t out_channels) {
    return fmt::format(
        "    .batch = {}, .groups = {}, .in_channels = {}, .out_channels = {},\n"
        "    .in_h = {}, .in_w = {}, .out_h = {}, .out_w = {}, .kernel_h = {}, .kernel_w = {},\n"
        "    .stride_h = {}, .stride_w = {}, .pad_h = {}, .pad_w = {}, .dilation_h = {}, .dilation_w = {},\n"
        "    .x_n = {}, .x_c = {}, .x_h = {}, .x_w = {}, .y_n = {}, .y_c = {}, .y_h = {}, .y_w = {}",
        x.batch, groups, in_channels, out_channels, x.rows, x.columns, y.rows, y.columns, window.kernel[0], window.kernel[1],
        window.stride[0], window.stride[1], window.before[0], window.before[1], window.dilation[0], window.dilation[1], x.image_step,
        x.channel_step, x.row_step, x.column_step, y.image_step, y.channel_step, y.row_step, y.column_step);
}

}  // namespace quern::cgen
