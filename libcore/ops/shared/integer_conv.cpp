// Convolutions of integers: the taps of a result laid side by side, multiplied with rows of filters.
#include <algorithm>

#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/row_products.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/spatial_steps.h"

namespace quern {
namespace {

// Numbers that are laid side by side at a time.
constexpr int64_t patch_numbers = 1 << 17;

int64_t taps_of(const volume_t& s) { return int64_t{s.kernel[0]} * s.kernel[1] * s.kernel[2]; }
int64_t places_of(const volume_t& s) { return int64_t{s.out[0]} * s.out[1] * s.out[2]; }

// Where a tap reads along an axis; below 0: outside.
int64_t source(const volume_t& s, size_t axis, int64_t at, int64_t tap) {
    const int64_t place = at * s.stride[axis] - s.pad[axis] + tap * s.dilation[axis];
    return place < s.in[axis] ? place : -1;
}

// What the two kinds of convolutions below read and write: data [N, places, channels], sums to which products times `scale` are added.
template <class Y>
struct Side {
    const volume_t& s;
    const int16_t *x, *w;
    int64_t scale, block;
    Y* y;
    int64_t y_place, y_channel;  // steps
};

// The numbers under the taps of a place of the result, from channel `x` on.
void lay_taps(const volume_t& s, const int16_t* x, int64_t place, int16_t* to) {
    const int64_t i = place / s.out[2] / s.out[1], j = place / s.out[2] % s.out[1], l = place % s.out[2];
    const int64_t taken = s.in_channels, all = taken * s.groups;
    for (int64_t d = 0; d < s.kernel[0]; ++d)
        for (int64_t h = 0; h < s.kernel[1]; ++h) {
            const int64_t plane = source(s, 0, i, d), row = source(s, 1, j, h);
            for (int64_t k = 0; k < s.kernel[2]; ++k, to += taken) {
                const int64_t column = source(s, 2, l, k);
                if (plane >= 0 && row >= 0 && column >= 0)
                    std::copy_n(x + ((plane * s.in[1] + row) * s.in[2] + column) * all, taken, to);
                else
                    std::fill_n(to, taken, int16_t{0});
            }
        }
}

// Filters [M, taps, channels of a group]: rows of laid taps times rows of filters.
template <class Y>
void convolve_groups(const Side<Y>& side) {
    const volume_t& s = side.s;
    const int64_t depth = taps_of(s) * s.in_channels, places = places_of(s);
    const int64_t step = std::clamp<int64_t>(patch_numbers / std::max<int64_t>(depth, 1), 12, places);
    std::vector<int16_t> patches(static_cast<size_t>(step * depth));
    for (int64_t n = 0; n < s.batch; ++n)
        for (int64_t g = 0; g < s.groups; ++g)
            for (int64_t first = 0; first < places; first += step) {
                const int64_t rows = std::min(step, places - first);
                for (int64_t i = 0; i < rows; ++i)
                    lay_taps(s, side.x + n * s.x_n + g * s.in_channels, first + i, patches.data() + i * depth);
                Y* y = side.y + n * s.y_n + first * side.y_place + g * s.out_channels * side.y_channel;
                add_products({patches.data(), side.w + g * s.out_channels * depth, rows, s.out_channels, depth, side.block, side.scale,
                              side.y_place, side.y_channel},
                             y);
            }
}

// One channel a group, filters [taps, M]: the channels of a row of the image times those of a tap. `y`: of one image, channels last.
template <class Y>
void convolve_channels(const Side<Y>& side, const int16_t* x, Y* y) {
    const volume_t& s = side.s;
    const int64_t channels = int64_t{s.groups} * s.out_channels;
    for (int64_t i = 0; i < s.out[0]; ++i)
        for (int64_t j = 0; j < s.out[1]; ++j)
            for (int64_t tap = 0; tap < taps_of(s); ++tap) {
                const int64_t k = tap % s.kernel[2];
                const int64_t plane = source(s, 0, i, tap / s.kernel[2] / s.kernel[1]),
                              row = source(s, 1, j, tap / s.kernel[2] % s.kernel[1]);
                if (plane < 0 || row < 0) continue;
                int64_t first = 0, end = s.out[2];
                while (first < end && source(s, 2, first, k) < 0) ++first;
                while (end > first && source(s, 2, end - 1, k) < 0) --end;
                if (first == end) continue;
                const int64_t pixel = (plane * s.in[1] + row) * s.in[2] + source(s, 2, first, k);
                add_pair_products(
                    {x + pixel * channels, side.w + tap * channels, end - first, channels, side.scale, s.stride[2] * channels},
                    y + ((i * s.out[1] + j) * s.out[2] + first) * channels);
            }
}

// The same for all images, into their own order.
template <class Y>
void convolve_channels(const Side<Y>& side) {
    const volume_t& s = side.s;
    const int64_t channels = int64_t{s.groups} * s.out_channels, pixels = int64_t{s.in[0]} * s.in[1] * s.in[2], places = places_of(s);
    std::vector<Y> sums(static_cast<size_t>(places * channels));
    for (int64_t n = 0; n < s.batch; ++n) {
        std::ranges::fill(sums, Y{0});
        convolve_channels(side, side.x + n * pixels * channels, sums.data());
        for (int64_t c = 0; c < channels; ++c)
            for (int64_t place = 0; place < places; ++place)
                side.y[n * s.y_n + c * side.y_channel + place * side.y_place] += sums[static_cast<size_t>(place * channels + c)];
    }
}

// A channel for each of the group's filters.
Factors repeated(Factors x, int64_t times) {
    if (times == 1) return x;
    for (Factors::Part& part : x.parts) {
        std::vector<int16_t> items;
        items.reserve(part.items.size() * static_cast<size_t>(times));
        for (const int16_t item : part.items) items.insert(items.end(), static_cast<size_t>(times), item);
        part.items = std::move(items);
    }
    return x;
}

template <class Y>
std::vector<Y> convolved(const volume_t& s, const Factors& x, const Factors& w, size_t count) {
    std::vector<Y> sums(count, 0);
    const auto over_all = [&](const Factors& data, const Factors& filters, void (*convolve)(const Side<Y>&)) {
        over_parts(data, filters, [&](const int16_t* a, const int16_t* b, int64_t scale, int64_t block) {
            convolve({s, a, b, scale, block, sums.data(), s.y[2], s.y_c});
        });
    };
    if (s.groups == 1 || s.in_channels > 1)
        over_all(x, w, convolve_groups<Y>);
    else
        over_all(repeated(x, s.out_channels), w.swapped(1, int64_t{s.groups} * s.out_channels, taps_of(s)), convolve_channels<Y>);
    return sums;
}

// As one of three spatial dims.
Spatial deep(Spatial x) {
    x.rank = 3;
    return x;
}
Window deep(Window window) {
    for (Dims* dims : {&window.kernel, &window.stride, &window.dilation}) dims->insert(dims->begin(), 3 - dims->size(), 1);
    for (Dims* dims : {&window.before, &window.after}) dims->insert(dims->begin(), 3 - dims->size(), 0);
    return window;
}

Dims moved_last(const Dims& dims, bool last) { return last ? dims : to_channels_last(dims); }

// Channels after the space.
Factors arranged(const Factors& from, const Spatial& dims, bool last) {
    return last ? from : from.swapped(dims.batch, dims.channels, dims.depth * dims.rows * dims.columns);
}

Factors for_products(const Factors& a, Factors b) {
    if (must_split(a, b)) return b.halves();
    return b;
}

}  // namespace

template <class Acc>
std::vector<Acc> integer_conv(const NodeView& node, const Dims& x_dims, const Factors& x, const Dims& w_dims, const Factors& w, Dims& out,
                              bool last) {
    const auto first = [last](const Dims& dims) { return Shape::of(last ? to_channels_first(dims) : dims); };
    out = conv_type(node, DType::i32, first(x_dims), first(w_dims)).shape.concrete().value();
    if (last) out = to_channels_last(out);
    const auto count = static_cast<size_t>(count_of(out));
    if (count == 0) return {};
    const Spatial from(moved_last(x_dims, last), true, 3), filter(moved_last(w_dims, last), true, 3), made(out, last, 3);
    const volume_t s = volume_sizes(deep(from), deep(made), deep(window_over(node, from, filter.space())), node.integer("group"));
    const Factors data = arranged(x, from, last), filters = for_products(data, arranged(w, filter, last));
    if (has_narrow_sums(data, filters, count_of(w_dims) / w_dims[0])) return as_sums<Acc>(convolved<int32_t>(s, data, filters, count));
    return as_sums<Acc>(convolved<int64_t>(s, data, filters, count));
}
template std::vector<int32_t> integer_conv(const NodeView&, const Dims&, const Factors&, const Dims&, const Factors&, Dims&, bool);
template std::vector<int64_t> integer_conv(const NodeView&, const Dims&, const Factors&, const Dims&, const Factors&, Dims&, bool);

namespace {

// Rows [pixels, channels of a filter, taps] or, channels last, [pixels, taps, channels of a filter] to the places where they meet.
template <class Y>
void spread(const conv_t& s, const Y* rows, int64_t n, int64_t* y) {
    const int64_t taps = int64_t{s.kernel_h} * s.kernel_w;
    for (int64_t i = 0; i < s.in_h; ++i)
        for (int64_t j = 0; j < s.in_w; ++j, rows += taps * s.out_channels)
            for (int64_t tap = 0; tap < taps; ++tap) {
                const int64_t row = i * s.stride_h - s.pad_h + tap / s.kernel_w, column = j * s.stride_w - s.pad_w + tap % s.kernel_w;
                if (row < 0 || column < 0 || row >= s.out_h || column >= s.out_w) continue;
                const Y* from = rows + tap * s.w_w;
                for (int64_t m = 0; m < s.out_channels; ++m) y[n * s.y_n + row * s.y_h + column * s.y_w + m * s.y_c] += from[m * s.w_m];
            }
}

template <class Y>
std::vector<int64_t> transposed(const conv_t& s, const Factors& x, const Factors& w, size_t count) {
    const int64_t columns = int64_t{s.kernel_h} * s.kernel_w * s.out_channels, pixels = int64_t{s.in_h} * s.in_w, depth = s.in_channels;
    std::vector<int64_t> sums(count, 0);
    std::vector<Y> rows(static_cast<size_t>(pixels * columns));
    for (int64_t n = 0; n < s.batch; ++n) {
        std::ranges::fill(rows, Y{0});
        over_parts(x, w, [&](const int16_t* a, const int16_t* b, int64_t scale, int64_t block) {
            add_products({a + n * pixels * depth, b, pixels, columns, depth, block, scale, columns, 1}, rows.data());
        });
        spread(s, rows.data(), n, sums.data());
    }
    return sums;
}

}  // namespace

Dims transposed_space(const NodeView& node, const Dims& space, const Dims& kernel) {
    const Dims strides = window_numbers(node, "strides", 2, 1, 1), pads = window_numbers(node, "pads", 4, 0, 0),
               extra = window_numbers(node, "output_padding", 2, 0, 0);
    Dims out(2);
    for (size_t i = 0; i < 2; ++i) {
        out[i] = (space[i] - 1) * strides[i] + kernel[i] + extra[i] - pads[i] - pads[i + 2];
        if (out[i] < 0) throw bad_input("the padding is larger than the result");
    }
    return out;
}

std::vector<int64_t> integer_conv_transpose(const NodeView& node, const Dims& x_dims, const Factors& x, const Dims& w_dims,
                                            const Factors& w, Dims& out, bool last) {
    const Dims strides = window_numbers(node, "strides", 2, 1, 1), pads = window_numbers(node, "pads", 4, 0, 0);
    if (x_dims.size() != 4 || w_dims.size() != 4)
        throw bad_input("operands are {} and {}, need rank 4", to_string(x_dims), to_string(w_dims));
    const Spatial from(moved_last(x_dims, last), true), filter(w_dims, last);
    if (from.channels != filter.batch)
        throw bad_input("operands are {} and {}, need as many input channels", to_string(x_dims), to_string(w_dims));
    const Dims space = from.space(), kernel = filter.space();
    const Dims made = transposed_space(node, space, kernel);
    out = {x_dims[0], filter.channels, made[0], made[1]};
    if (last) out = to_channels_last(out);
    conv_t s = conv_sizes(from, Spatial(out, last), {kernel, strides, {1, 1}, {pads[0], pads[1]}, {}});
    set_filter(s, filter, true);
    const Factors data = arranged(x, from, last),
                  filters = for_products(data, w.swapped(1, filter.batch, count_of(w_dims) / std::max<int64_t>(filter.batch, 1)));
    const auto count = static_cast<size_t>(count_of(out));
    if (has_narrow_sums(data, filters, from.channels)) return transposed<int32_t>(s, data, filters, count);
    return transposed<int64_t>(s, data, filters, count);
}

bool is_plain_conv_transpose(const Graph& graph, const Node& node) {
    const NodeView view(node);
    const Shape& w = graph.value(node.in[1]).type.shape;
    return w.ranked && w.rank() == 4 && view.integer("group") == 1 && view.text("auto_pad") == "NOTSET" && !view.has("output_shape") &&
           !view.has("dilations");
}

}  // namespace quern
