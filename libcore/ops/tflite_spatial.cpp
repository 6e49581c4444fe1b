// The tflite profile: average pools and bilinear resizing of codes.
#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/ops/codes.h"
#include "libcore/ops/image.h"
#include "libcore/ops/spatial.h"
#include "libcore/ops/window.h"

namespace quern {
namespace {

// The mean of a window's codes, ties away from zero; what lies outside does not count.
void eval_average_pool(EvalCtx& ctx) {
    const Grid y(*ctx.out_encoding(0));
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

// Two neighbours of a position, and how far it lies from the first: in units of 1/1024, or as a float.
template <class Real>
struct Tap {
    int64_t low, high;
    Real part;
};

enum class Corners : uint8_t { asymmetric, aligned, centres };

std::vector<Tap<int64_t>> taps_of(int64_t in, int64_t out, Corners mode, int64_t) {
    const bool aligned = mode == Corners::aligned && out > 1;
    const int64_t from = aligned ? in - 1 : in, to = aligned ? out - 1 : out, step = (1024 * from + to / 2) / to;
    std::vector<Tap<int64_t>> taps;
    for (int64_t i = 0; i < out; ++i) {
        const int64_t at = i * step + (mode == Corners::centres ? step / 2 - 512 : 0);
        const int64_t low = std::max<int64_t>(at / 1024, 0);
        taps.push_back({low, std::min((at + 1023) / 1024, in - 1), at - 1024 * low});
    }
    return taps;
}

std::vector<Tap<float>> taps_of(int64_t in, int64_t out, Corners mode, float) {
    const bool aligned = mode == Corners::aligned && out > 1;
    const float step = static_cast<float>(aligned ? in - 1 : in) / static_cast<float>(aligned ? out - 1 : out);
    std::vector<Tap<float>> taps;
    for (int64_t i = 0; i < out; ++i) {
        const float at = mode == Corners::centres ? (static_cast<float>(i) + 0.5f) * step - 0.5f : static_cast<float>(i) * step;
        const int64_t low = std::max<int64_t>(static_cast<int64_t>(std::floor(at)), 0);
        taps.push_back({low, std::min(static_cast<int64_t>(std::ceil(at)), in - 1), at - static_cast<float>(low)});
    }
    return taps;
}

// Of four neighbours: signed codes in whole numbers with 20 fractional bits, unsigned ones in float32, cut off behind a half.
int64_t mixed(const std::array<int64_t, 4>& x, const Tap<int64_t>& h, const Tap<int64_t>& w) {
    const int64_t sum = x[0] * (1024 - h.part) * (1024 - w.part) + x[1] * h.part * (1024 - w.part) + x[2] * (1024 - h.part) * w.part +
                        x[3] * h.part * w.part;
    return (sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20);
}
int64_t mixed(const std::array<int64_t, 4>& x, const Tap<float>& h, const Tap<float>& w) {
    const auto item = [&](size_t i) { return static_cast<float>(x[i]); };
    return static_cast<int64_t>(item(0) * (1 - h.part) * (1 - w.part) + item(1) * h.part * (1 - w.part) + item(2) * (1 - h.part) * w.part +
                                item(3) * h.part * w.part + 0.5f);
}

Corners corners_of(const NodeView& node) {
    const std::string mode = node.text("coordinate_transformation_mode");
    return mode == "align_corners" ? Corners::aligned : mode == "half_pixel" ? Corners::centres : Corners::asymmetric;
}

// [N, H, W, C], resized along axes 1 and 2.
template <class Real>
void resize(EvalCtx& ctx) {
    const Dims& in = ctx.need(0).dims;
    const auto sizes = to_ints(ctx.need(3));
    if (sizes.size() != 2 || std::min(sizes[0], sizes[1]) < 0 || (count_of(in) == 0 && sizes[0] * sizes[1] != 0))
        throw bad_input("{} is resized to {} numbers", to_string(in), sizes.size());
    const Dims out{in[0], sizes[0], sizes[1], in[3]};
    const auto rows = taps_of(in[1], out[1], corners_of(ctx), Real{}), columns = taps_of(in[2], out[2], corners_of(ctx), Real{});
    const Codes x = to_ints(ctx.need(0));
    Codes codes;
    codes.reserve(static_cast<size_t>(count_of(out)));
    for (int64_t n = 0; n < out[0]; ++n)
        for (const auto& h : rows)
            for (const auto& w : columns)
                for (int64_t c = 0; c < out[3]; ++c) {
                    const auto item = [&](int64_t i, int64_t j) {
                        return x[static_cast<size_t>(((n * in[1] + i) * in[2] + j) * in[3] + c)];
                    };
                    codes.push_back(mixed({item(h.low, w.low), item(h.high, w.low), item(h.low, w.high), item(h.high, w.high)}, h, w));
                }
    give_codes(ctx, out, codes);
}

void eval_resize(EvalCtx& ctx) { ctx.in_encoding(0)->storage == DType::u8 ? resize<float>(ctx) : resize<int64_t>(ctx); }

// ---- what is taken ---------------------------------------------------------------------------------------------------------

bool takes_pool(const Graph& graph, const Node& node, const Encoding& out) {
    const NodeView view(node);
    const Shape& shape = graph.value(node.in[0]).type.shape;
    return takes_one(graph, node, out) && shape.ranked && shape.rank() == 4 && view.integer("count_include_pad") == 0 &&
           view.integer("ceil_mode") == 0 && !view.has("dilations") && scale_of(*encoding_at(graph, node, 0)) == scale_of(out);
}

bool takes_resize(const Graph& graph, const Node& node, const Encoding& out) {
    const NodeView view(node);
    const Shape& shape = graph.value(node.in[0]).type.shape;
    const std::string mode = view.text("coordinate_transformation_mode");
    return takes_one(graph, node, out) && same_grid(*encoding_at(graph, node, 0), out) && shape.ranked && shape.rank() == 4 &&
           view.text("mode") == "linear" && view.integers("axes") == Dims{1, 2} && node.in.size() == 4 && node.in[2] == ValueId::none &&
           node.in[3] != ValueId::none && (mode == "asymmetric" || mode == "align_corners" || mode == "half_pixel") &&
           view.integer("antialias") == 0 && view.text("keep_aspect_ratio_policy") == "stretch";
}

constexpr std::array rows{
    ProfileRow{"AveragePool", "", takes_pool, eval_average_pool, true},
    ProfileRow{"Resize", "", takes_resize, eval_resize},
};

}  // namespace

std::span<const ProfileRow> tflite_spatial_rows() { return rows; }

}  // namespace quern
