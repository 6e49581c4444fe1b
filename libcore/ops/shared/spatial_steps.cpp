#include "libcore/ops/shared/spatial_steps.h"

#include <algorithm>

namespace quern {

int32_t to_int32(int64_t number) {
    if (number != static_cast<int32_t>(number)) throw unsupported("{} elements in a row, need at most {}", number, INT32_MAX);
    return static_cast<int32_t>(number);
}

Spatial::Spatial(const Dims& dims, bool last, size_t max) {
    if (dims.size() < 3 || dims.size() > max + 2) throw unsupported("data of {}, need 1 to {} spatial dims", to_string(dims), max);
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

namespace {

constexpr auto n = to_int32;
// Numbers of windows, which kernels add up.
int32_t w(int64_t number) {
    if (std::abs(number) > 1 << 28) throw unsupported("a window with the number {}, need at most {}", number, 1 << 28);
    return static_cast<int32_t>(number);
}

// What conv_t and volume_t have in common.
template <class Sizes>
Sizes common_sizes(const Spatial& x, const Spatial& y, int64_t groups) {
    Sizes s{};
    for (const Spatial& side : {x, y}) n(side.batch * side.image_step);  // which steps reach
    s.batch = n(x.batch), s.groups = n(groups), s.in_channels = n(x.channels / groups), s.out_channels = n(y.channels / groups);
    s.x_n = n(x.image_step), s.x_c = n(x.channel_step), s.y_n = n(y.image_step), s.y_c = n(y.channel_step);
    return s;
}

template <class Sizes>
void set_channels(Sizes& s, const Spatial& w, bool transposed) {
    s.w_m = n(transposed ? w.channel_step : w.image_step), s.w_c = n(transposed ? w.image_step : w.channel_step);
}

}  // namespace

conv_t conv_sizes(const Spatial& x, const Spatial& y, const Window& window, int64_t groups) {
    auto s = common_sizes<conv_t>(x, y, groups);
    s.in_h = n(x.rows), s.in_w = n(x.columns), s.out_h = n(y.rows), s.out_w = n(y.columns);
    s.kernel_h = w(window.kernel[0]), s.kernel_w = w(window.kernel[1]), s.stride_h = w(window.stride[0]), s.stride_w = w(window.stride[1]);
    s.pad_h = w(window.before[0]), s.pad_w = w(window.before[1]), s.dilation_h = w(window.dilation[0]),
    s.dilation_w = w(window.dilation[1]);
    s.x_g = s.in_channels * s.x_c, s.x_h = n(x.row_step), s.x_w = n(x.column_step), s.y_h = n(y.row_step), s.y_w = n(y.column_step);
    return s;
}

void set_filter(conv_t& sizes, const Spatial& filter, bool transposed) {
    set_channels(sizes, filter, transposed);
    sizes.w_h = n(filter.row_step), sizes.w_w = n(filter.column_step);
}

volume_t volume_sizes(const Spatial& x, const Spatial& y, const Window& window, int64_t groups) {
    auto s = common_sizes<volume_t>(x, y, groups);
    const auto set = [&](int32_t(&to)[3], const Dims& from) { std::ranges::transform(from, to, w); };
    set(s.in, x.space()), set(s.out, y.space()), set(s.kernel, window.kernel), set(s.stride, window.stride);
    set(s.dilation, window.dilation), set(s.pad, window.before), set(s.after, window.after);
    s.x[0] = n(x.depth_step), s.x[1] = n(x.row_step), s.x[2] = n(x.column_step);
    s.y[0] = n(y.depth_step), s.y[1] = n(y.row_step), s.y[2] = n(y.column_step);
    return s;
}

void set_filter(volume_t& sizes, const Spatial& filter, bool transposed) {
    set_channels(sizes, filter, transposed);
    sizes.w[0] = n(filter.depth_step), sizes.w[1] = n(filter.row_step), sizes.w[2] = n(filter.column_step);
}

}  // namespace quern
