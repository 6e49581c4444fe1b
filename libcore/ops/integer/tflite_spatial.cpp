// The tflite profile: average pools and bilinear resizing of codes.
#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/reduce.h"
#include "libcore/integer/resize.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/tflite_resize.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/spatial_steps.h"
#include "libcore/ops/shared/window.h"

namespace quern {
namespace {

// The mean of a window's codes, ties away from zero; what lies outside does not count.
void eval_average_pool(EvalCtx& ctx) {
    const CodeGrid y(*ctx.out_encoding(0));
    const bool last = channels_last(ctx);
    Dims out = spatial_dims(ctx.need(0), last);
    const Shape space = Shape::of(space_of(out));
    const Window window = window_of(ctx, space.dims, ctx.integers("kernel_shape"));
    for (size_t i = 0; i < 2; ++i) out[i + 2] = window_count(window, i, space.dims[i]).value;
    if (last) out = to_channels_last(out);
    const conv_t sizes = conv_sizes(Spatial(ctx.need(0).dims, last), Spatial(out, last), window);
    const Codes x = to_ints(ctx.need(0));
    Codes codes(static_cast<size_t>(count_of(out)));
    average_codes(x.data(), codes.data(), &sizes, narrow(y.min), narrow(y.max));
    give_codes(ctx, out, codes);
}

// Unsigned codes are truncated after a half is added.
void eval_resize(EvalCtx& ctx) { eval_resized_codes(ctx, resize_unsigned, false); }

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

constexpr std::array tflite_spatial_table{
    ProfileRow{ops::AveragePool, takes_pool, eval_average_pool, true},
    ProfileRow{ops::Resize, takes_resize, eval_resize},
};

}  // namespace

std::span<const ProfileRow> tflite_spatial_rows() { return tflite_spatial_table; }

}  // namespace quern
