// Bilinear resizing of codes, as kernels that stem from TensorFlow Lite compute it.
#pragma once

#include <cmath>
#include <type_traits>

#include "libcore/integer/resize.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/shared/image.h"

namespace quern {

enum class Corners : uint8_t { asymmetric, aligned, centres };

inline Corners corners_of(const NodeView& node) {
    const std::string mode = node.text("coordinate_transformation_mode");
    return mode == "align_corners" ? Corners::aligned : mode == "asymmetric" ? Corners::asymmetric : Corners::centres;
}

// Of each position along an axis two neighbours, and how far it lies from the first: in units of 1/1024, or as a float.
template <class Part>
struct AxisTaps {
    std::vector<int32_t> places;
    std::vector<Part> parts;

    // `next_is_upper`: the upper neighbour of a position that is one of the input's is the next one.
    AxisTaps(int64_t in, int64_t out, Corners mode, bool next_is_upper) {
        const bool aligned = mode == Corners::aligned && out > 1;
        const int64_t from = aligned ? in - 1 : in, to = aligned ? out - 1 : out;
        for (int64_t i = 0; i < out; ++i) {
            if constexpr (std::is_same_v<Part, float>) {
                const float step = static_cast<float>(from) / static_cast<float>(to);
                const float at = mode == Corners::centres ? (static_cast<float>(i) + 0.5f) * step - 0.5f : static_cast<float>(i) * step;
                const int64_t low = std::max<int64_t>(static_cast<int64_t>(std::floor(at)), 0);
                add(low, std::min(static_cast<int64_t>(std::ceil(at)), in - 1), at - static_cast<float>(low));
            } else {
                const int64_t step = (1024 * from + to / 2) / to, at = i * step + (mode == Corners::centres ? step / 2 - 512 : 0);
                const int64_t low = std::clamp<int64_t>(at / 1024, 0, in - 1);  // steps are rounded: they may lead beyond
                add(low, std::min(next_is_upper ? at / 1024 + 1 : (at + 1023) / 1024, in - 1), static_cast<Part>(at - 1024 * low));
            }
        }
    }

   private:
    void add(int64_t low, int64_t high, Part part) {
        places.push_back(static_cast<int32_t>(low));
        places.push_back(static_cast<int32_t>(high));
        parts.push_back(part);
    }
};

// Do the channels lie behind height and width? `in`, `out`: what is resized to what, of rank 4.
inline bool has_channels_last(const NodeView& node, const Dims& in, const Dims& out) {
    return in[1] != out[1] || node.integers("axes") == Dims{1, 2};
}
// Dims of rank 4 as [N, H, W, C]; channels before the height count as samples.
inline Dims image_dims(const Dims& dims, const NodeView& node, const Dims& in, const Dims& out) {
    return has_channels_last(node, in, out) ? dims : Dims{dims[0] * dims[1], dims[2], dims[3], 1};
}

// What the kernels take: of images of codes, `given` and `made`, in the node's layout.
template <class Part>
struct ResizeTaps {
    Dims in, out;
    AxisTaps<Part> rows, columns;
    resize_t sizes;

    ResizeTaps(const NodeView& node, const Dims& given, const Dims& made, bool next_is_upper)
        : in(image_dims(given, node, given, made)),
          out(image_dims(made, node, given, made)),
          rows(in[1], out[1], corners_of(node), next_is_upper),
          columns(in[2], out[2], corners_of(node), next_is_upper),
          sizes{to_int32(in[0]), to_int32(in[1]), to_int32(in[2]), to_int32(out[1]), to_int32(out[2]), to_int32(in[3])} {
        to_int32(count_of(in));  // which steps reach
    }
};

// `kernel`: of the parts.
template <class Part, class Kernel>
void resize(EvalCtx& ctx, const Kernel& kernel, bool next_is_upper) {
    const Dims given = ctx.need(0).dims, made = resized_dims(ctx, given, ctx.in(2), ctx.in(3));
    if (count_of(given) == 0 && count_of(made) != 0) throw bad_input("{} is resized to {}", to_string(given), to_string(made));
    const Codes x = to_ints(ctx.need(0));
    Codes codes(static_cast<size_t>(count_of(made)));
    if (!codes.empty()) {
        const ResizeTaps<Part> taps(ctx, given, made, next_is_upper);
        kernel(x.data(), codes.data(), taps.rows.places.data(), taps.rows.parts.data(), taps.columns.places.data(),
               taps.columns.parts.data(), &taps.sizes);
    }
    give_codes(ctx, made, codes);
}

// Unsigned codes are mixed by a kernel of their own.
template <class Kernel>
void eval_resized_codes(EvalCtx& ctx, const Kernel& of_unsigned, bool next_is_upper) {
    ctx.in_encoding(0)->storage == DType::u8 ? resize<float>(ctx, of_unsigned, next_is_upper)
                                             : resize<int32_t>(ctx, resize_codes, next_is_upper);
}

// Is it height and width that change, after the channels or before them?
inline bool resizes_images(const Graph& graph, const Node& node) {
    const Shape &in = graph.value(node.in[0]).type.shape, &out = graph.value(node.out[0]).type.shape;
    if (!in.ranked || in.rank() != 4) return false;
    if (NodeView(node).integers("axes") == Dims{1, 2}) return true;
    const auto kept = [&](size_t i) { return in.dims[i].known() && in.dims[i] == out.dims[i]; };
    return out.ranked && out.rank() == 4 && in.dims[0] == out.dims[0] && (kept(1) || kept(3));
}

// Does the node take what one takes that is given its sizes alone?
inline bool by_sizes(const Graph& graph, const Node& node) {
    const auto given = [&](size_t i) { return i < node.in.size() ? graph.constant(node.in[i]) : std::nullopt; };
    const auto scales = given(2), sizes = given(3);
    return beyond_sizes(NodeView(node), graph.value(node.in[0]).type.shape, scales ? &*scales : nullptr, sizes ? &*sizes : nullptr).empty();
}

inline bool fits_resize(const Graph& graph, const Node& node, const Encoding& out) {
    const NodeView view(node);
    const std::string mode = view.text("coordinate_transformation_mode");
    return takes_one(graph, node, out) && same_grid(*encoding_at(graph, node, 0), out) && resizes_images(graph, node) &&
           view.text("mode") == "linear" && (mode == "asymmetric" || mode == "align_corners" || mode.ends_with("half_pixel")) &&
           by_sizes(graph, node);
}
inline constexpr Takes takes_resize{fits_resize, "images and the result in the same codes, linear or nearest"};

}  // namespace quern
