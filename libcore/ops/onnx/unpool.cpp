// MaxUnpool and MaxRoiPool.
#include <algorithm>
#include <cmath>

#include "libcore/ops/onnx/pool.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/window.h"

namespace quern {
namespace {

// The natural shape of an unpooled input: (n - 1) * stride - pads + kernel along each spatial dim.
Dims unpooled_dims(const NodeView& node, const Dims& in) {
    const Dims kernel = node.integers("kernel_shape");
    if (in.size() < 3 || kernel.size() != in.size() - 2)
        throw bad_input("input is {} and kernel_shape {}, need a length for each of one or more spatial dims", to_string(in),
                        to_string(kernel));
    const Shape space = Shape::of(space_of(in));
    const Window window = window_of(node, space.dims, kernel);
    Dims out = in;
    for (size_t i = 0; i < kernel.size(); ++i) {
        if (in[i + 2] < 1 || in[i + 2] >= int64_t{1} << 31)
            throw bad_input("input is {}, need spatial lengths from 1 to below 2^31", to_string(in));
        out[i + 2] = (in[i + 2] - 1) * window.stride[i] - window.before[i] - window.after[i] + kernel[i];
        if (out[i + 2] < 1) throw bad_input("output length along spatial dim {} would be {}", i, out[i + 2]);
    }
    return out;
}

// The indices are linear in the natural shape; the output may be larger: the corner is kept, as onnx's reference does it.
int64_t moved(int64_t index, std::span<const int64_t> from, std::span<const int64_t> from_strides, std::span<const int64_t> to_strides) {
    int64_t at = 0;
    for (size_t i = 0; i < from.size(); ++i) at += index / from_strides[i] % from[i] * to_strides[i];
    return at;
}

}  // namespace

void infer_max_unpool(InferCtx& ctx) {
    Shape out = ctx.shape(0).ranked ? Shape::of_rank(ctx.shape(0).rank()) : Shape::unranked();
    if (const Tensor* wanted = ctx.constant(2)) {
        out = Shape::of(to_ints(*wanted));
    } else if (const auto dims = ctx.shape(0).concrete(); dims && !ctx.has_in(2)) {
        out = Shape::of(unpooled_dims(ctx, *dims));
    } else if (out.ranked && out.rank() > 1) {
        std::copy_n(ctx.shape(0).dims.begin(), 2, out.dims.begin());
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
}

void eval_max_unpool(EvalCtx& ctx) {
    const Tensor &data = ctx.need(0), &indices = ctx.need(1);
    if (indices.dims != data.dims) throw bad_input("indices are {}, need {}", to_string(indices.dims), to_string(data.dims));
    const Dims natural = unpooled_dims(ctx, data.dims);
    Dims out = natural;
    if (const Tensor* wanted = ctx.in(2)) {
        out = to_ints(*wanted);
        if (out.size() != natural.size()) throw bad_input("output_shape has {} numbers, need {}", out.size(), natural.size());
        for (size_t i = 0; i < out.size(); ++i)
            if (out[i] < natural[i]) throw bad_input("output_shape is {}, need at least {}", to_string(out), to_string(natural));
    }
    const auto from = strides_of(natural), to = strides_of(out);
    const int64_t room = count_of(natural);
    const Numbers<int64_t> places(indices);
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data);
        NumbersOut<T> y(ctx, 0, data.dtype, out);
        std::fill(y.span().begin(), y.span().end(), T{0});
        for (size_t i = 0; i < x.size(); ++i) {
            if (places[i] < 0 || places[i] >= room) throw bad_input("index {} is outside of {}", places[i], to_string(natural));
            y[static_cast<size_t>(moved(places[i], natural, from, to))] = x[i];
        }
    });
}

void infer_max_roi_pool(InferCtx& ctx) {
    const Dims pooled = ctx.integers("pooled_shape");
    if (pooled.size() != 2 || pooled[0] < 1 || pooled[1] < 1)
        throw bad_input("pooled_shape is {}, need two positive lengths", to_string(pooled));
    Shape out = Shape::of_rank(4);
    if (ctx.shape(1).ranked && ctx.shape(1).rank() > 0) out.dims[0] = ctx.shape(1).dims[0];
    if (ctx.shape(0).ranked && ctx.shape(0).rank() > 1) out.dims[1] = ctx.shape(0).dims[1];
    out.dims[2] = Dim::of(pooled[0]);
    out.dims[3] = Dim::of(pooled[1]);
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
}

namespace {

// The rows (or columns) of cell `i` of a region [start, start + length) cut into `cells`.
struct Cell {
    int64_t first, end;
    Cell(int64_t i, int64_t cells, int64_t start, int64_t length, int64_t limit) {
        const double step = static_cast<double>(length) / static_cast<double>(cells);
        const auto at = [&](double x) { return std::clamp<int64_t>(static_cast<int64_t>(x) + start, 0, limit); };
        first = at(std::floor(static_cast<double>(i) * step));
        end = at(std::ceil(static_cast<double>(i + 1) * step));
    }
};

int64_t scaled(double coordinate, double scale) {
    const double at = coordinate * scale;
    return at == at ? static_cast<int64_t>(std::round(std::clamp(at, -1e9, 1e9))) : 0;
}

template <class T>
T max_of(const T* plane, int64_t width, const Cell& rows, const Cell& columns) {
    if (rows.end <= rows.first || columns.end <= columns.first) return 0;
    T max = plane[rows.first * width + columns.first];
    for (int64_t h = rows.first; h < rows.end; ++h)
        for (int64_t w = columns.first; w < columns.end; ++w) max = std::max(max, plane[h * width + w]);
    return max;
}

}  // namespace

void eval_max_roi_pool(EvalCtx& ctx) {
    const Tensor &data = ctx.need(0), &regions = ctx.need(1);
    if (data.dims.size() != 4 || regions.dims.size() != 2 || regions.dims[1] != 5)
        throw bad_input("inputs are {} and {}, need [N,C,H,W] and [R,5]", to_string(data.dims), to_string(regions.dims));
    const Dims pooled = ctx.integers("pooled_shape");
    const int64_t height = data.dims[2], width = data.dims[3], channels = data.dims[1];
    const Numbers<double> rois(regions);
    const double scale = ctx.real("spatial_scale");
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data);
        NumbersOut<T> y(ctx, 0, data.dtype, {regions.dims[0], channels, pooled.at(0), pooled.at(1)});
        size_t at = 0;
        for (int64_t r = 0; r < regions.dims[0]; ++r) {
            const double* roi = rois.span().data() + r * 5;
            if (!(roi[0] >= 0 && roi[0] < static_cast<double>(data.dims[0])))
                throw bad_input("region {} is of image {}, there are {}", r, roi[0], data.dims[0]);
            const int64_t left = scaled(roi[1], scale), top = scaled(roi[2], scale);
            const int64_t w = std::max<int64_t>(scaled(roi[3], scale) - left + 1, 1),
                          h = std::max<int64_t>(scaled(roi[4], scale) - top + 1, 1);
            const T* image = x.span().data() + static_cast<int64_t>(roi[0]) * channels * height * width;
            for (int64_t c = 0; c < channels; ++c)
                for (int64_t i = 0; i < pooled[0]; ++i)
                    for (int64_t j = 0; j < pooled[1]; ++j, ++at)
                        y[at] = max_of(image + c * height * width, width, Cell(i, pooled[0], top, h, height),
                                       Cell(j, pooled[1], left, w, width));
        }
    });
}

}  // namespace quern
