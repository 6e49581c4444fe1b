// Pad and CenterCropPad: a frame put around a tensor, or cut off.
#include <array>
#include <cstring>
#include <numeric>

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/quant_rules.h"

namespace quern {
namespace {

enum class Mode : uint8_t { constant, edge, reflect, wrap };

Mode mode_of(const NodeView& node) {
    const std::string text = node.text("mode");
    constexpr std::array names{"constant", "edge", "reflect", "wrap"};
    for (size_t i = 0; i < names.size(); ++i)
        if (text == names[i]) return static_cast<Mode>(i);
    throw bad_input("mode is \"{}\", need constant, edge, reflect or wrap", text);
}

// Elements added (or, below 0, cut off) at both ends of every dim.
struct Frame {
    std::vector<int64_t> before, after;
};

Frame frame_of(std::span<const int64_t> pads, std::span<const int64_t> axes, size_t rank) {
    if (pads.size() != 2 * axes.size()) throw bad_input("pads has {} items, need {}", pads.size(), 2 * axes.size());
    axis_flags(axes, rank);
    Frame frame{std::vector<int64_t>(rank), std::vector<int64_t>(rank)};
    for (size_t i = 0; i < axes.size(); ++i) {
        const size_t axis = normal_axis(axes[i], rank);
        frame.before[axis] = pads[i];
        frame.after[axis] = pads[axes.size() + i];
    }
    return frame;
}

std::vector<int64_t> every_axis(size_t rank) {
    std::vector<int64_t> axes(rank);
    std::iota(axes.begin(), axes.end(), int64_t{0});
    return axes;
}

Dims framed(const Dims& dims, const Frame& frame) {
    Dims out(dims.size());
    for (size_t d = 0; d < dims.size(); ++d)
        if (__builtin_add_overflow(dims[d], frame.before[d], &out[d]) || __builtin_add_overflow(out[d], frame.after[d], &out[d]) ||
            out[d] < 0)
            throw bad_input("pads {} and {} do not fit a dimension of {}", frame.before[d], frame.after[d], dims[d]);
    return out;
}

// Where element `at` of an endless row comes from that repeats `length` elements by `mode`.
int64_t source_of(int64_t at, int64_t length, Mode mode) {
    if (at >= 0 && at < length) return at;
    if (mode == Mode::edge) return at < 0 ? 0 : length - 1;
    if (mode == Mode::wrap) return (at % length + length) % length;
    if (length == 1) return 0;
    const int64_t period = 2 * (length - 1), place = (at % period + period) % period;
    return place < length ? place : period - place;
}

void copy_framed(std::byte* to, const std::byte* from, std::span<const std::vector<int64_t>> sources, std::span<const int64_t> to_strides,
                 std::span<const int64_t> from_strides, size_t run) {
    if (sources.empty()) {
        std::memcpy(to, from, run);
        return;
    }
    for (const int64_t source : sources[0]) {
        copy_framed(to, from + source * from_strides[0], sources.subspan(1), to_strides.subspan(1), from_strides.subspan(1), run);
        to += to_strides[0];
    }
}

// Every element from another one: the last dims, which have no frame, move as one run.
void repeat_into(ElementsOut& out, const Elements& in, const Dims& from, const Dims& to, const Frame& frame, Mode mode) {
    size_t framed_dims = 0;
    for (size_t d = 0; d < from.size(); ++d)
        if (frame.before[d] != 0 || frame.after[d] != 0) framed_dims = d + 1;
    std::vector<std::vector<int64_t>> sources(framed_dims);
    for (size_t d = 0; d < framed_dims; ++d) {
        if (from[d] == 0) throw bad_input("an empty dimension of {} cannot be repeated", to_string(from));
        for (int64_t i = 0; i < to[d]; ++i) sources[d].push_back(source_of(i - frame.before[d], from[d], mode));
    }
    const size_t run = span_count(from, framed_dims, from.size()) * in.size();
    copy_framed(out.data(), in.data(), sources, byte_strides(to, in.size()), byte_strides(from, in.size()), run);
}

// The part of the input that is kept, at its place in the output.
void place_into(ElementsOut& out, const Elements& in, const Dims& from, const Dims& to, const Frame& frame) {
    Dims kept(from.size());
    int64_t in_at = 0, out_at = 0;
    const auto in_strides = byte_strides(from, in.size()), out_strides = byte_strides(to, in.size());
    for (size_t d = 0; d < from.size(); ++d) {
        const int64_t first = std::max<int64_t>(0, -frame.before[d]), last = std::min(from[d], to[d] - frame.before[d]);
        if (last <= first) return;
        kept[d] = last - first;
        in_at += first * in_strides[d];
        out_at += (first + frame.before[d]) * out_strides[d];
    }
    copy_strided(out.data() + out_at, out_strides, in.data() + in_at, in_strides, kept, in.size());
}

void pad(EvalCtx& ctx, const Frame& frame, Mode mode, const Tensor* filler) {
    const Tensor& x = ctx.need(0);
    const Dims dims = framed(x.dims, frame);
    check_size(x.dtype, dims);
    std::vector<std::byte> zero(element_size(x.dtype));
    const Elements in(x);
    ElementsOut out(ctx, 0, x.dtype, dims);
    if (out.count() == 0) return out.finish();
    if (mode != Mode::constant) {
        repeat_into(out, in, x.dims, dims, frame, mode);
    } else {
        if (filler) {
            need_same_type(x, *filler);
            if (filler->count() != 1) throw bad_input("constant value is {}, need a scalar", to_string(filler->dims));
            fill_elements(out.data(), out.count(), Elements(*filler).data(), in.size());
        } else {
            fill_elements(out.data(), out.count(), zero.data(), in.size());
        }
        place_into(out, in, x.dims, dims, frame);
    }
    out.finish();
}

void infer_pad(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    const auto pads = known_integers(ctx, 1), axes = known_integers(ctx, 3);
    mode_of(ctx);
    Shape out = shape.ranked ? Shape::of_rank(shape.rank()) : Shape();
    if (shape.ranked && !pads && axes) {
        out = shape;
        for (const int64_t axis : *axes) out.dims[normal_axis(axis, shape.rank())] = Dim::unknown();
    }
    if (shape.ranked && pads && (axes || !ctx.has_in(3))) {
        const Frame frame = frame_of(*pads, axes ? *axes : every_axis(shape.rank()), shape.rank());
        for (size_t d = 0; d < shape.rank(); ++d) {
            const Dim wider = combine(shape.dims[d], dim_of_number(frame.before[d]), '+');
            out.dims[d] =
                frame.before[d] + frame.after[d] == 0 ? shape.dims[d] : checked_dim(combine(wider, dim_of_number(frame.after[d]), '+'));
        }
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
}
void eval_pad(EvalCtx& ctx) {
    const size_t rank = ctx.need(0).dims.size();
    const auto axes = ctx.in(3) ? to_ints(*ctx.in(3)) : every_axis(rank);
    const Mode mode = mode_of(ctx);
    pad(ctx, frame_of(to_ints(ctx.need(1)), axes, rank), mode, ctx.in(2));
}

// ---- CenterCropPad -----------------------------------------------------------------------------------------------------------

std::vector<int64_t> crop_axes(const NodeView& node, size_t rank) { return node.has("axes") ? node.integers("axes") : every_axis(rank); }

void infer_center_crop_pad(InferCtx& ctx) {
    Shape out = ctx.shape(0);
    if (out.ranked) {
        const auto axes = crop_axes(ctx, out.rank());
        const auto* wish = ctx.dims_value(1);
        for (size_t i = 0; i < axes.size(); ++i)
            out.dims[normal_axis(axes[i], out.rank())] = wish && wish->size() == axes.size() ? checked_dim((*wish)[i]) : Dim::unknown();
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
}
void eval_center_crop_pad(EvalCtx& ctx) {
    const Dims& dims = ctx.need(0).dims;
    const auto axes = crop_axes(ctx, dims.size()), wish = to_ints(ctx.need(1));
    if (axes.size() != wish.size()) throw bad_input("shape has {} items, need {}, one per axis", wish.size(), axes.size());
    axis_flags(axes, dims.size());
    Frame frame{std::vector<int64_t>(dims.size()), std::vector<int64_t>(dims.size())};
    for (size_t i = 0; i < axes.size(); ++i) {
        const size_t axis = normal_axis(axes[i], dims.size());
        if (wish[i] < 0) throw bad_input("shape has the dimension {}, need 0 or more", wish[i]);
        const int64_t wider = wish[i] - dims[axis];
        frame.before[axis] = wider / 2;  // truncated: the odd element goes to the end
        frame.after[axis] = wider - wider / 2;
    }
    pad(ctx, frame, Mode::constant, nullptr);
}

constexpr std::array pad_attrs{AttrDef{"mode", AttrKind::text, "constant"}};
constexpr std::array crop_attrs{AttrDef{"axes", AttrKind::integers}};

constexpr std::array pad_table{
    moving("Pad", {2, 4}, pad_attrs, infer_pad, eval_pad, rules::same.with_places(0b1010).with_runtimes(rules::together, rules::backward),
           "a frame of constants or repeated elements"),
    moving("CenterCropPad", {2, 2}, crop_attrs, infer_center_crop_pad, eval_center_crop_pad, rules::same.with_places(0b10),
           "the centre cut out, or framed with zeros"),
};

}  // namespace

std::span<const Op> pad_ops() { return pad_table; }

}  // namespace quern
