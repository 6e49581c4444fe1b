// Bilinear resizing of codes, as kernels that stem from TensorFlow Lite compute it.
#pragma once

#include <array>
#include <cmath>
#include <type_traits>

#include "libcore/ops/integer/codes.h"
#include "libcore/ops/shared/image.h"

namespace quern {

// Two neighbours of a position, and how far it lies from the first: in units of 1/1024, or as a float.
template <class Real>
struct Tap {
    int64_t low, high;
    Real part;
};

enum class Corners : uint8_t { asymmetric, aligned, centres };

// `next_is_upper`: the upper neighbour of a position that is one of the input's is the next one.
inline std::vector<Tap<int64_t>> taps_of(int64_t in, int64_t out, Corners mode, bool next_is_upper, int64_t) {
    const bool aligned = mode == Corners::aligned && out > 1;
    const int64_t from = aligned ? in - 1 : in, to = aligned ? out - 1 : out, step = (1024 * from + to / 2) / to;
    std::vector<Tap<int64_t>> taps;
    for (int64_t i = 0; i < out; ++i) {
        const int64_t at = i * step + (mode == Corners::centres ? step / 2 - 512 : 0);
        const int64_t low = std::max<int64_t>(at / 1024, 0);
        taps.push_back({low, std::min(next_is_upper ? at / 1024 + 1 : (at + 1023) / 1024, in - 1), at - 1024 * low});
    }
    return taps;
}

inline std::vector<Tap<float>> taps_of(int64_t in, int64_t out, Corners mode, bool, float) {
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

// Of four neighbours, signed codes in whole numbers with 20 fractional bits, rounded with ties away from zero.
inline int64_t mixed(const std::array<int64_t, 4>& x, const Tap<int64_t>& h, const Tap<int64_t>& w) {
    const int64_t sum = x[0] * (1024 - h.part) * (1024 - w.part) + x[1] * h.part * (1024 - w.part) + x[2] * (1024 - h.part) * w.part +
                        x[3] * h.part * w.part;
    return (sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20);
}

inline Corners corners_of(const NodeView& node) {
    const std::string mode = node.text("coordinate_transformation_mode");
    return mode == "align_corners" ? Corners::aligned : mode == "asymmetric" ? Corners::asymmetric : Corners::centres;
}

// Dims of rank 4 as [N, H, W, C]; channels before the height count as samples. `in`, `out`: what is resized to what.
inline Dims image_dims(const Dims& dims, const NodeView& node, const Dims& in, const Dims& out) {
    const bool last = in[1] != out[1] || node.integers("axes") == Dims{1, 2};
    return last ? dims : Dims{dims[0] * dims[1], dims[2], dims[3], 1};
}

// `Rule` mixes unsigned codes.
template <class Rule, class Real>
void resize(EvalCtx& ctx) {
    const Dims given = ctx.need(0).dims, made = resized_dims(ctx, given, ctx.in(2), ctx.in(3));
    const Dims in = image_dims(given, ctx, given, made), out = image_dims(made, ctx, given, made);
    if (count_of(in) == 0 && count_of(out) != 0) throw bad_input("{} is resized to {}", to_string(given), to_string(made));
    const auto rows = taps_of(in[1], out[1], corners_of(ctx), Rule::next_is_upper, Real{}),
               columns = taps_of(in[2], out[2], corners_of(ctx), Rule::next_is_upper, Real{});
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
                    const std::array<int64_t, 4> four{item(h.low, w.low), item(h.high, w.low), item(h.low, w.high), item(h.high, w.high)};
                    if constexpr (std::is_same_v<Real, float>)
                        codes.push_back(Rule::mixed(four, h, w));
                    else
                        codes.push_back(mixed(four, h, w));
                }
    give_codes(ctx, made, codes);
}

template <class Rule>
void resize_codes(EvalCtx& ctx) {
    ctx.in_encoding(0)->storage == DType::u8 ? resize<Rule, float>(ctx) : resize<Rule, int64_t>(ctx);
}

// Is it height and width that change, behind the channels or before them?
inline bool resizes_images(const Graph& graph, const Node& node) {
    const Shape &in = graph.value(node.in[0]).type.shape, &out = graph.value(node.out[0]).type.shape;
    if (!in.ranked || in.rank() != 4) return false;
    if (NodeView(node).integers("axes") == Dims{1, 2}) return true;
    const auto kept = [&](size_t i) { return in.dims[i].known() && in.dims[i] == out.dims[i]; };
    return out.ranked && out.rank() == 4 && in.dims[0] == out.dims[0] && (kept(1) || kept(3));
}

inline bool fits_resize(const Graph& graph, const Node& node, const Encoding& out) {
    const NodeView view(node);
    const std::string mode = view.text("coordinate_transformation_mode");
    return takes_one(graph, node, out) && same_grid(*encoding_at(graph, node, 0), out) && resizes_images(graph, node) &&
           view.text("mode") == "linear" && (mode == "asymmetric" || mode == "align_corners" || mode.ends_with("half_pixel")) &&
           view.integer("antialias") == 0 && view.text("keep_aspect_ratio_policy") == "stretch";
}
inline constexpr Takes takes_resize{fits_resize, "images and the result in the same codes, linear or nearest"};

}  // namespace quern
