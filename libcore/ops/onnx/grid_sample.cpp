// GridSample and AffineGrid.
#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/ops/shared/image.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

enum class Sampling : uint8_t { nearest, linear, cubic };
enum class Padding : uint8_t { zeros, border, reflection };

constexpr size_t max_space = 3;

struct Sampler {
    Sampling sampling;
    Padding padding;
    bool align_corners;
    Dims lengths;  // spatial lengths of the image, slowest first
    std::vector<int64_t> strides;

    // From [-1, 1] to pixels.
    float to_pixel(float x, int64_t length) const {
        const auto n = static_cast<float>(length);
        return align_corners ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2;
    }
    float reflected(float x, int64_t length) const {
        const float low = align_corners ? 0.0f : -0.5f, high = static_cast<float>(length) - (align_corners ? 1.0f : 0.5f);
        const float span = high - low;
        if (span <= 0) return 0;
        if (x < low) {
            const float away = low - x, turns = std::floor(away / span), rest = away - turns * span;
            return std::fmod(turns, 2.0f) == 0 ? low + rest : high - rest;
        }
        if (x > high) {
            const float away = x - high, turns = std::floor(away / span), rest = away - turns * span;
            return std::fmod(turns, 2.0f) == 0 ? high - rest : low + rest;
        }
        return x;
    }
    // Keeps a coordinate near the image as the padding has it; not finite: far outside.
    float settled(float x, int64_t length) const {
        if (!std::isfinite(x)) x = -1e9f;
        x = std::clamp(x, -1e9f, 1e9f);
        if (padding == Padding::border) return std::clamp(x, 0.0f, static_cast<float>(length - 1));
        if (padding == Padding::reflection) return reflected(x, length);
        return x;
    }
    // The pixel index of a neighbour, -1: reads 0.
    int64_t neighbour(int64_t at, int64_t length) const {
        if (at >= 0 && at < length) return at;
        if (padding == Padding::zeros) return -1;
        if (padding == Padding::border) return std::clamp<int64_t>(at, 0, length - 1);
        return std::clamp<int64_t>(static_cast<int64_t>(reflected(static_cast<float>(at), length)), 0, length - 1);
    }
};

Sampler make_sampler(const NodeView& view, const Dims& image) {
    Sampler s{.sampling = Sampling::linear,
              .padding = Padding::zeros,
              .align_corners = view.integer("align_corners") != 0,
              .lengths = Dims(image.begin() + 2, image.end()),
              .strides = {}};
    s.strides = strides_of(s.lengths);
    const std::string mode = view.text("mode"), padding = view.text("padding_mode");
    if (mode == "nearest")
        s.sampling = Sampling::nearest;
    else if (mode == "cubic" || mode == "bicubic")
        s.sampling = Sampling::cubic;
    else if (mode != "linear" && mode != "bilinear")
        throw bad_input("mode is \"{}\"", mode);
    if (padding == "border")
        s.padding = Padding::border;
    else if (padding == "reflection")
        s.padding = Padding::reflection;
    else if (padding != "zeros")
        throw bad_input("padding_mode is \"{}\"", padding);
    if (s.sampling == Sampling::cubic && s.lengths.size() > 2) throw unsupported("cubic GridSample over {} spatial dims", s.lengths.size());
    return s;
}

// Neighbours and weights along one axis.
struct AxisTaps {
    size_t count = 1;
    std::array<int64_t, 4> index{};
    std::array<float, 4> weight{};
};

AxisTaps axis_taps(const Sampler& s, float x, int64_t length) {
    AxisTaps taps;
    if (s.sampling == Sampling::nearest) {
        taps.index[0] = s.neighbour(static_cast<int64_t>(std::nearbyint(s.settled(x, length))), length);
        taps.weight[0] = 1;
        return taps;
    }
    // Cubic neighbours are settled one by one, so that the curve is not bent by a clamped centre.
    if (s.sampling == Sampling::linear || !std::isfinite(x)) x = s.settled(x, length);
    x = std::clamp(x, -1e9f, 1e9f);
    const float base = std::floor(x), t = x - base;
    const auto first = static_cast<int64_t>(base);
    if (s.sampling == Sampling::linear) {
        taps.count = 2;
        taps.weight = {1 - t, t, 0, 0};
        for (size_t k = 0; k < 2; ++k) taps.index[k] = s.neighbour(first + static_cast<int64_t>(k), length);
        return taps;
    }
    taps.count = 4;
    for (size_t k = 0; k < 4; ++k) {
        taps.index[k] = s.neighbour(first + static_cast<int64_t>(k) - 1, length);
        taps.weight[k] = cubic_weight(static_cast<float>(k) - 1 - t, -0.75f);
    }
    return taps;
}

template <class T>
T sample(const Sampler& s, std::span<const AxisTaps> taps, const T* plane, size_t axis, int64_t at) {
    T sum = 0;
    for (size_t k = 0; k < taps[axis].count; ++k) {
        const int64_t index = taps[axis].index[k];
        if (index < 0) continue;
        const int64_t here = at + index * s.strides[axis];
        const T value = axis + 1 == taps.size() ? plane[here] : sample(s, taps, plane, axis + 1, here);
        sum += static_cast<T>(taps[axis].weight[k]) * value;
    }
    return sum;
}

void check_grid(const Shape& image, const Shape& grid) {
    if (!image.ranked || !grid.ranked) return;
    if (image.rank() < 3 || image.rank() > 2 + max_space || grid.rank() != image.rank())
        throw bad_input("image is {} and grid {}, need equal ranks of 3 to 5", to_string(image), to_string(grid));
    const Dim& last = grid.dims.back();
    if (last.known() && last.value != static_cast<int64_t>(image.rank() - 2))
        throw bad_input("grid has {} coordinates a point, need {}", last.value, image.rank() - 2);
    if (image.dims[0].known() && grid.dims[0].known() && image.dims[0] != grid.dims[0])
        throw bad_input("{} images and {} grids, need as many", image.dims[0].value, grid.dims[0].value);
}

}  // namespace

void infer_grid_sample(InferCtx& ctx) {
    const Shape &image = ctx.shape(0), &grid = ctx.shape(1);
    check_grid(image, grid);
    if (!image.ranked || !grid.ranked) return ctx.set(0, Type::tensor(ctx.dtype(0)));
    Shape out = image;
    for (size_t i = 2; i < out.rank(); ++i) out.dims[i] = grid.dims[i - 1];
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
}

void eval_grid_sample(EvalCtx& ctx) {
    const Tensor &image = ctx.need(0), &grid = ctx.need(1);
    check_grid(Shape::of(image.dims), Shape::of(grid.dims));
    const Sampler s = make_sampler(ctx, image.dims);
    const size_t space = s.lengths.size();
    Dims dims = image.dims;
    std::copy(grid.dims.begin() + 1, grid.dims.end() - 1, dims.begin() + 2);
    const auto points = static_cast<size_t>(count_of(std::span(dims).subspan(2))), plane = static_cast<size_t>(count_of(s.lengths));
    const auto channels = static_cast<size_t>(dims[1]);
    if (plane == 0 && count_of(dims) > 0) throw bad_input("image {} has no pixels to sample", to_string(image.dims));
    const auto where = to_floats(grid);
    with_arithmetic(image.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(image);
        NumbersOut<T> out(ctx, 0, image.dtype, dims);
        std::array<AxisTaps, max_space> taps;
        for (size_t n = 0; n < static_cast<size_t>(dims[0]); ++n)
            for (size_t p = 0; p < points; ++p) {
                for (size_t i = 0; i < space; ++i) {  // the grid names the fastest dim first
                    const float at = where[(n * points + p) * space + (space - 1 - i)];
                    taps[i] = axis_taps(s, s.to_pixel(at, s.lengths[i]), s.lengths[i]);
                }
                for (size_t c = 0; c < channels; ++c)
                    out[(n * channels + c) * points + p] =
                        sample(s, std::span(taps).first(space), x.span().data() + (n * channels + c) * plane, 0, int64_t{0});
            }
    });
}

void infer_affine_grid(InferCtx& ctx) {
    const auto* size = ctx.dims_value(1);
    const Tensor* constant = ctx.constant(1);
    if (!size && !constant) {
        const Shape& theta = ctx.shape(0);
        if (!theta.ranked || theta.rank() != 3 || !theta.dims[1].known()) return ctx.set(0, Type::tensor(ctx.dtype(0)));
        return ctx.set(0, Type::tensor(ctx.dtype(0), Shape::of_rank(static_cast<size_t>(theta.dims[1].value == 2 ? 4 : 5))));
    }
    std::vector<Dim> dims = size ? *size : std::vector<Dim>(constant->dims.empty() ? 0 : static_cast<size_t>(constant->dims[0]));
    if (dims.size() != 4 && dims.size() != 5) throw bad_input("size has {} numbers, need 4 or 5", dims.size());
    dims.erase(dims.begin() + 1);
    dims.push_back(Dim::of(static_cast<int64_t>(dims.size()) - 1));
    ctx.set(0, Type::tensor(ctx.dtype(0), Shape::of_dims(std::move(dims))));
}

void eval_affine_grid(EvalCtx& ctx) {
    const Tensor& theta = ctx.need(0);
    const auto size = to_ints(ctx.need(1));
    if (size.size() != 4 && size.size() != 5) throw bad_input("size has {} numbers, need 4 or 5", size.size());
    const size_t space = size.size() - 2;
    const Dims expected{size[0], static_cast<int64_t>(space), static_cast<int64_t>(space + 1)};
    if (theta.dims != expected) throw bad_input("theta is {}, need {}", to_string(theta.dims), to_string(expected));
    Dims dims{size[0]};
    dims.insert(dims.end(), size.begin() + 2, size.end());
    dims.push_back(static_cast<int64_t>(space));
    const bool align = ctx.integer("align_corners") != 0;
    with_arithmetic(theta.dtype, [&](auto zero) {
        using T = decltype(zero);
        if constexpr (!std::is_same_v<T, int64_t>) {
            const Numbers<T> matrix(theta);
            NumbersOut<T> out(ctx, 0, theta.dtype, dims);
            const Dims lengths(size.begin() + 2, size.end());
            const auto points = static_cast<size_t>(count_of(lengths));
            const auto strides = strides_of(lengths);
            for (size_t i = 0; i < out.size(); ++i) {
                const size_t row = i % space, p = i / space % points, n = i / space / points;
                const size_t base = (n * space + row) * (space + 1);
                T sum = matrix[base + space];
                for (size_t c = 0; c < space; ++c) {  // coordinates are x, y, (z): fastest first
                    const size_t axis = space - 1 - c;
                    const auto length = static_cast<T>(lengths[axis]);
                    const auto at = static_cast<T>(static_cast<int64_t>(p) / strides[axis] % lengths[axis]);
                    const T where = align ? (lengths[axis] == 1 ? T{-1} : -1 + at * 2 / (length - 1)) : (2 * at + 1) / length - 1;
                    sum += matrix[base + c] * where;
                }
                out[i] = sum;
            }
        } else {
            throw bad_input("theta is {}, need a float type", name_of(theta.dtype));
        }
    });
}

}  // namespace quern
