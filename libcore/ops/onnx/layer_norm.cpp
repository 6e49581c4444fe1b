// LayerNormalization and RMSNormalization over the dims from `axis` on. Mean and variance are taken in double and the two stages are
// rounded once, whatever `stash_type` says; it decides the type of the statistics that are given out.
#include <algorithm>

#include "libcore/ops/shared/norm.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

DType stash_type(const NodeView& node) {
    const auto dtype = dtype_of_onnx(static_cast<int>(std::clamp<int64_t>(node.integer("stash_type"), -1, 1 << 20)));
    if (!dtype || !is_float(*dtype)) throw bad_input("attribute \"stash_type\" is {}, need a float type", node.integer("stash_type"));
    return *dtype;
}

// The dims of the statistics: 1 from `axis` on.
Dims statistic_dims(const Dims& dims, size_t axis) {
    Dims out = dims;
    std::fill(out.begin() + static_cast<int64_t>(axis), out.end(), 1);
    return out;
}

// scale[i] or bias[i] for element i of a normalized group; broadcast to its dims.
template <class T>
std::vector<T> broadcast_to(const Tensor& tensor, const Dims& dims, std::string_view what) {
    if (broadcast(tensor.dims, dims) != dims)
        throw bad_input("{} is {}, which does not broadcast to {}", what, to_string(tensor.dims), to_string(dims));
    const Numbers<T> items(tensor);
    const BroadcastIndex at(tensor.dims, dims);
    std::vector<T> out(static_cast<size_t>(count_of(dims)));
    for (size_t i = 0; i < out.size(); ++i) out[i] = items[at(i)];
    return out;
}

struct Groups {
    Dims inner;
    size_t axis, count, size;
    Groups(const NodeView& node, const Dims& dims) : axis(normal_axis(node.integer("axis"), dims.size())) {
        inner.assign(dims.begin() + static_cast<int64_t>(axis), dims.end());
        size = static_cast<size_t>(count_of(inner));
        count = static_cast<size_t>(count_of(std::span(dims).first(axis)));
    }
};

}  // namespace

void infer_layer_norm(InferCtx& ctx) {
    infer_same(ctx);
    const Type& type = ctx.in(0);
    Shape shape = type.shape;
    if (shape.ranked)
        std::fill(shape.dims.begin() + static_cast<int64_t>(normal_axis(ctx.integer("axis"), shape.rank())), shape.dims.end(), Dim::of(1));
    const DType stash = stash_type(ctx);
    ctx.set(1, Type::tensor(stash, shape));
    ctx.set(2, Type::tensor(stash, std::move(shape)));
}

void eval_layer_norm(EvalCtx& ctx) {
    const Tensor& data = ctx.need(0);
    const Groups groups(ctx, data.dims);
    const double epsilon = ctx.real("epsilon");
    std::vector<double> means(groups.count), inverses(groups.count);
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data);
        const auto scale = broadcast_to<T>(ctx.need(1), groups.inner, "scale");
        const auto bias = ctx.in(2) ? broadcast_to<T>(*ctx.in(2), groups.inner, "bias") : std::vector<T>(groups.size, T{0});
        NumbersOut<T> y(ctx, 0, data.dtype, data.dims);
        for (size_t g = 0; g < groups.count; ++g) {
            const auto group = x.span().subspan(g * groups.size, groups.size);
            const LineMoments m = moments_of(group);
            means[g] = m.mean;
            inverses[g] = 1 / std::sqrt(m.variance + epsilon);
            for (size_t i = 0; i < groups.size; ++i)
                y[g * groups.size + i] = static_cast<T>((group[i] - m.mean) * inverses[g]) * scale[i] + bias[i];
        }
    });
    const DType stash = stash_type(ctx);
    const Dims dims = statistic_dims(data.dims, groups.axis);
    if (ctx.wants(1)) ctx.give(1, from_doubles(stash, dims, means));
    if (ctx.wants(2)) ctx.give(2, from_doubles(stash, dims, inverses));
}

void infer_rms_norm(InferCtx& ctx) {
    if (ctx.shape(0).ranked) normal_axis(ctx.integer("axis"), ctx.shape(0).rank());
    ctx.set(0, Type::tensor(ctx.dtype(1), ctx.shape(0)));
}

void eval_rms_norm(EvalCtx& ctx) {
    const Tensor &data = ctx.need(0), &scale_tensor = ctx.need(1);
    const Groups groups(ctx, data.dims);
    const double epsilon = ctx.real("epsilon");
    with_float(scale_tensor.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data);
        const auto scale = broadcast_to<T>(scale_tensor, groups.inner, "scale");
        NumbersOut<T> y(ctx, 0, scale_tensor.dtype, data.dims);
        for (size_t g = 0; g < groups.count; ++g) {
            const auto group = x.span().subspan(g * groups.size, groups.size);
            double squares = 0;
            for (const T item : group) squares += static_cast<double>(item) * item;
            const double rms = std::sqrt(squares / static_cast<double>(groups.size) + epsilon);
            for (size_t i = 0; i < groups.size; ++i) y[g * groups.size + i] = static_cast<T>(group[i] / rms) * scale[i];
        }
    });
}

}  // namespace quern
