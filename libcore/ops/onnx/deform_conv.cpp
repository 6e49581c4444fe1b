// DeformConv: the samples of each window are moved by offsets, linearly interpolated, and weighted by a mask. Any number of spatial dims.
#include <algorithm>
#include <cmath>

#include "libcore/ops/shared/conv.h"
#include "libcore/ops/shared/dense.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

void check_count(const Tensor& tensor, std::string_view what, const Dims& want) {
    if (tensor.dims != want) throw bad_input("{} is {}, need {}", what, to_string(tensor.dims), to_string(want));
}

// The plane at a fractional position, 0 outside.
template <class T>
T interpolate(const T* plane, std::span<const int64_t> lengths, std::span<const int64_t> strides, std::span<const T> at) {
    T sum = 0;
    for (size_t corner = 0; corner < size_t{1} << lengths.size(); ++corner) {
        T weight = 1;
        int64_t index = 0;
        bool inside = true;
        for (size_t d = 0; d < lengths.size() && inside; ++d) {
            const T low = std::floor(at[d]), part = at[d] - low;
            const bool upper = (corner >> d & 1) != 0;
            const T position = upper ? low + 1 : low;
            inside = position >= 0 && position < static_cast<T>(lengths[d]);
            if (!inside) break;
            index += static_cast<int64_t>(position) * strides[d];
            weight *= upper ? part : 1 - part;
        }
        if (inside && weight != 0) sum += weight * plane[index];
    }
    return sum;
}

struct Deform {
    Dims x, w, y;
    Window window;
    int64_t group, offset_group;
};

// The samples of one image for every channel: [C, taps, windows].
template <class T>
std::vector<T> sampled(const Deform& d, const T* x, const T* offset, const T* mask) {
    const size_t rank = d.window.rank();
    const auto lengths = space_of(d.x), out = space_of(d.y);
    const auto strides = strides_of(lengths), out_strides = strides_of(out), tap_strides = strides_of(d.window.kernel);
    const int64_t taps = count_of(d.window.kernel), windows = count_of(out), plane = count_of(lengths);
    std::vector<T> samples(static_cast<size_t>(count_of(Dims{d.x[1], taps, windows})));
    std::vector<T> at(rank);
    for (int64_t c = 0; c < d.x[1]; ++c) {
        const int64_t g = c / (d.x[1] / d.offset_group);
        for (int64_t tap = 0; tap < taps; ++tap)
            for (int64_t i = 0; i < windows; ++i) {
                for (size_t s = 0; s < rank; ++s) {
                    const int64_t base = i / out_strides[s] % out[s] * d.window.stride[s] +
                                         tap / tap_strides[s] % d.window.kernel[s] * d.window.dilation[s] - d.window.before[s];
                    const auto axis = static_cast<int64_t>(s), axes = static_cast<int64_t>(rank);
                    at[s] = static_cast<T>(base) + offset[(((g * taps + tap) * axes) + axis) * windows + i];
                }
                const T value = interpolate<T>(x + c * plane, lengths, strides, at);
                samples[static_cast<size_t>((c * taps + tap) * windows + i)] = mask ? value * mask[(g * taps + tap) * windows + i] : value;
            }
    }
    return samples;
}

template <class T>
void deform(const Deform& d, const T* x, const T* w, const T* offset, const T* mask, T* y) {
    const int64_t taps = count_of(d.window.kernel), windows = count_of(space_of(d.y)), plane = count_of(space_of(d.x));
    const int64_t axes = static_cast<int64_t>(d.window.rank()), inner = d.w[1] * taps, made = d.w[0] / d.group;
    for (int64_t n = 0; n < d.x[0]; ++n) {
        const auto samples = sampled<T>(d, x + n * d.x[1] * plane, offset + n * d.offset_group * taps * axes * windows,
                                        mask ? mask + n * d.offset_group * taps * windows : nullptr);
        for (int64_t g = 0; g < d.group; ++g)
            add_product<T>(y + (n * d.group + g) * made * windows, w + g * made * inner, samples.data() + g * inner * windows, made, inner,
                           windows);
    }
}

}  // namespace

void infer_deform_conv(InferCtx& ctx) {
    const int64_t groups = ctx.integer("offset_group");
    const Shape& x = ctx.shape(0);
    if (groups < 1 || (x.rank() > 1 && x.dims[1].known() && x.dims[1].value % groups != 0))
        throw bad_input("{} channels do not divide into {} offset groups", x.rank() > 1 ? to_string(x.dims[1]) : "the", groups);
    ctx.set(0, conv_type(ctx, ctx.dtype(0), x, ctx.shape(1)));
}

void eval_deform_conv(EvalCtx& ctx) {
    const Tensor &data = ctx.need(0), &filter = ctx.need(1), &offsets = ctx.need(2);
    const Tensor *bias = ctx.in(3), *masks = ctx.in(4);
    const Type type = conv_type(ctx, data.dtype, Shape::of(data.dims), Shape::of(filter.dims));
    const Shape space = Shape::of(space_of(data.dims));
    if (space.rank() > 8) throw unsupported("{} spatial dims, at most 8 are supported", space.rank());
    const Deform d{data.dims,
                   filter.dims,
                   *type.shape.concrete(),
                   window_of(ctx, space.dims, space_of(filter.dims)),
                   ctx.integer("group"),
                   ctx.integer("offset_group")};
    if (d.offset_group < 1 || d.x[1] % d.offset_group != 0)
        throw bad_input("{} channels do not divide into {} offset groups", d.x[1], d.offset_group);
    const int64_t taps = count_of(d.window.kernel);
    Dims want = d.y;
    want[1] = count_of(Dims{d.offset_group, taps});
    if (masks) check_count(*masks, "mask", want);
    want[1] = count_of(Dims{want[1], static_cast<int64_t>(space.rank())});
    check_count(offsets, "offset", want);
    if (bias && bias->count() != d.y[1]) throw bad_input("bias has {} numbers, need {}", bias->count(), d.y[1]);
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data), w(filter), offset(offsets);
        std::optional<Numbers<T>> mask;
        if (masks) mask.emplace(*masks);
        NumbersOut<T> y(ctx, 0, data.dtype, d.y);
        std::fill(y.span().begin(), y.span().end(), T{0});
        if (bias) fill_channels<T>(y.span(), d.y, Numbers<T>(*bias).span());
        deform<T>(d, x.span().data(), w.span().data(), offset.span().data(), mask ? mask->span().data() : nullptr, y.span().data());
    });
}

}  // namespace quern
