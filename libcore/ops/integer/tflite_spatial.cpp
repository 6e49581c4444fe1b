// The tflite profile: average pools and bilinear resizing of codes.
#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/tflite_resize.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/window.h"

namespace quern {
namespace {

// The mean of a window's codes, ties away from zero; what lies outside does not count.
void eval_average_pool(EvalCtx& ctx) {
    const CodeGrid y(*ctx.out_encoding(0));
    const bool last = channels_last(ctx);
    const Dims in = spatial_dims(ctx.need(0), last);
    const Shape shape = Shape::of(in);
    const Dims kernel = ctx.integers("kernel_shape");
    const Window window = window_of(ctx, std::span(shape.dims).subspan(2), kernel);
    Dims out = in;
    for (size_t i = 0; i < 2; ++i) out[i + 2] = window_count(window, i, shape.dims[i + 2]).value;
    const Codes x = to_ints(ctx.need(0));
    Codes codes(static_cast<size_t>(count_of(out)));
    const auto place = [last](const Dims& d, int64_t n, int64_t c, int64_t h, int64_t w) {
        return static_cast<size_t>(last ? ((n * d[2] + h) * d[3] + w) * d[1] + c : ((n * d[1] + c) * d[2] + h) * d[3] + w);
    };
    for (int64_t n = 0; n < out[0]; ++n)
        for (int64_t c = 0; c < out[1]; ++c)
            for (int64_t h = 0; h < out[2]; ++h)
                for (int64_t w = 0; w < out[3]; ++w) {
                    const int64_t top = h * window.stride[0] - window.before[0], left = w * window.stride[1] - window.before[1];
                    int64_t sum = 0, count = 0;
                    for (int64_t i = std::max<int64_t>(top, 0); i < std::min(top + kernel[0], in[2]); ++i)
                        for (int64_t j = std::max<int64_t>(left, 0); j < std::min(left + kernel[1], in[3]); ++j, ++count)
                            sum += x[place(in, n, c, i, j)];
                    if (count > 0) sum = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
                    codes[place(out, n, c, h, w)] = y.clipped(sum);
                }
    give_codes(ctx, last ? to_channels_last(out) : out, codes);
}

// ---- bilinear resizing -----------------------------------------------------------------------------------------------------

// Unsigned codes are cut off behind a half.
struct LitertResize {
    static constexpr bool next_is_upper = false;
    static int64_t mixed(const std::array<int64_t, 4>& x, const Tap<float>& h, const Tap<float>& w) {
        const auto item = [&](size_t i) { return static_cast<float>(x[i]); };
        return static_cast<int64_t>(item(0) * (1 - h.part) * (1 - w.part) + item(1) * h.part * (1 - w.part) +
                                    item(2) * (1 - h.part) * w.part + item(3) * h.part * w.part + 0.5f);
    }
};

void eval_resize(EvalCtx& ctx) { resize_codes<LitertResize>(ctx); }

// ---- what is taken ---------------------------------------------------------------------------------------------------------

// Is each mean that of a window of neighbours, whole or cut off at the picture's edge? Padding that is there and counts is not.
bool is_mean_of_neighbours(const NodeView& view, const Shape& shape) {
    const auto picture = std::span(shape.dims).subspan(view.text("layout") == "NHWC" ? 1 : 2, 2);
    const Window window = window_of(view, picture, view.integers("kernel_shape"));
    const auto all = [](const Dims& numbers, int64_t number) {
        return std::ranges::all_of(numbers, [number](int64_t x) { return x == number; });
    };
    if (!all(window.dilation, 1) || (view.integer("count_include_pad") != 0 && !(all(window.before, 0) && all(window.after, 0))))
        return false;
    for (size_t i = 0; view.integer("ceil_mode") != 0 && i < picture.size(); ++i)
        if (const Dim down = window_count(window, i, picture[i]); !down.known() || down != window_count(window, i, picture[i], true))
            return false;
    return true;
}

bool fits_pool(const Graph& graph, const Node& node, const Encoding& out) {
    const Shape& shape = graph.value(node.in[0]).type.shape;
    return takes_one(graph, node, out) && shape.ranked && shape.rank() == 4 && is_mean_of_neighbours(NodeView(node), shape) &&
           scale_of(*encoding_at(graph, node, 0)) == scale_of(out);
}
constexpr Takes takes_pool{fits_pool,
                           "images in codes of one type, one scale for data and result, a mean of neighbours without padding in it"};

constexpr std::array rows{
    ProfileRow{ops::AveragePool, takes_pool, eval_average_pool, true},
    ProfileRow{ops::Resize, takes_resize, eval_resize},
};

}  // namespace

std::span<const ProfileRow> tflite_spatial_rows() { return rows; }

}  // namespace quern
