// FusedMatMul, FusedConv and FusedGemm.
#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/ops/microsoft/contrib.h"
#include "libcore/ops/shared/activation.h"
#include "libcore/ops/shared/conv.h"
#include "libcore/ops/shared/dense.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/matmul.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {
namespace {

// ---- FusedMatMul -----------------------------------------------------------------------------------------------------------------------

// A vector is not transposed, as onnxruntime has it.
bool turns(const NodeView& node, std::string_view which, size_t rank) { return rank > 1 && node.integer(which) != 0; }

void no_batch_turns(const NodeView& node) {
    if (node.integer("transBatchA") || node.integer("transBatchB")) throw unsupported("transBatchA and transBatchB");
}

template <class Items>
Items swap_last(Items items, bool turn) {
    if (turn) std::swap(items[items.size() - 1], items[items.size() - 2]);
    return items;
}

template <class T>
std::vector<T> matrices(const Tensor& tensor, bool turn) {
    const Numbers<T> in(tensor);
    std::vector<T> out(in.span().begin(), in.span().end());
    if (!turn || out.empty()) return out;
    const int64_t rows = tensor.dims[tensor.dims.size() - 2], columns = tensor.dims.back();
    swap_axes(in.span().data(), out.data(), tensor.count() / (rows * columns), rows, columns);
    return out;
}

// ---- activations -----------------------------------------------------------------------------------------------------------------------

// The activation of a fused node with up to two parameters, or nothing.
std::function<float(float)> activation_of(const NodeView& node, std::span<const float> p) {
    const std::string name = node.text("activation");
    const auto parameter = [&](size_t i, float fallback) { return i < p.size() ? p[i] : fallback; };
    const float a = parameter(0, name == "LeakyRelu"     ? 0.01f
                                 : name == "HardSigmoid" ? 0.2f
                                                         : 0),
                b = parameter(1, name == "HardSigmoid" ? 0.5f : 0);
    if (name.empty()) return {};
    if (name == "Relu") return [](float x) { return act::relu(x); };
    if (name == "Tanh") return [](float x) { return act::tanh(x); };
    if (name == "Sigmoid") return [](float x) { return act::sigmoid(x); };
    if (name == "LeakyRelu") return [a](float x) { return act::leaky_relu(x, a); };
    if (name == "Clip") return [a, b](float x) { return act::clip(x, a, b); };
    if (name == "HardSigmoid") return [a, b](float x) { return act::hard_sigmoid(x, a, b); };
    throw unsupported("activation \"{}\"", escape(name));
}

}  // namespace

void infer_fused_matmul(InferCtx& ctx) {
    no_batch_turns(ctx);
    const Shape &a = ctx.shape(0), &b = ctx.shape(1);
    if (!a.ranked || !b.ranked) return ctx.set(0, Type::tensor(ctx.dtype(0)));
    const Shape left = Shape::of_dims(swap_last(a.dims, turns(ctx, "transA", a.rank())));
    const Shape right = Shape::of_dims(swap_last(b.dims, turns(ctx, "transB", b.rank())));
    ctx.set(0, Type::tensor(ctx.dtype(0), product_shape(left, right)));
}

void eval_fused_matmul(EvalCtx& ctx) {
    no_batch_turns(ctx);
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    const bool turn_a = turns(ctx, "transA", a.dims.size()), turn_b = turns(ctx, "transB", b.dims.size());
    const ProductShape shape = product_shape(swap_last(a.dims, turn_a), swap_last(b.dims, turn_b));
    const BroadcastIndex at_a(shape.a_batch, shape.batch), at_b(shape.b_batch, shape.batch);
    with_float(a.dtype, [&](auto zero) {
        using T = decltype(zero);
        const auto x = matrices<T>(a, turn_a), y = matrices<T>(b, turn_b);
        NumbersOut<T> out(ctx, 0, a.dtype, shape.out);
        std::fill(out.span().begin(), out.span().end(), T{0});
        for (size_t i = 0; i < static_cast<size_t>(count_of(shape.batch)); ++i)
            add_product<T>(out.span().data() + static_cast<int64_t>(i) * shape.m * shape.n,
                           x.data() + static_cast<int64_t>(at_a(i)) * shape.m * shape.k,
                           y.data() + static_cast<int64_t>(at_b(i)) * shape.k * shape.n, shape.m, shape.k, shape.n);
        const T alpha = static_cast<T>(ctx.real("alpha"));
        for (T& item : out.span()) item *= alpha;
    });
}

void eval_fused_conv(EvalCtx& ctx) {
    const auto activation = activation_of(ctx, ctx.reals("activation_params"));
    eval_conv_finished(ctx, [&](std::span<float> y, const Dims& dims) {
        if (const Tensor* sum = ctx.in(3)) {
            if (sum->dims != dims) throw bad_input("input 3 is {}, need {}", to_string(sum->dims), to_string(dims));
            const Numbers<float> items(*sum);
            for (size_t i = 0; i < y.size(); ++i) y[i] += items[i];
        }
        if (activation) std::transform(y.begin(), y.end(), y.begin(), activation);
    });
}

void eval_fused_gemm(EvalCtx& ctx) {
    std::vector<float> parameters;
    for (const std::string_view name : {"activation_alpha", "activation_beta"})
        if (ctx.has(name)) parameters.push_back(ctx.real(name));
    const auto activation = activation_of(ctx, parameters);
    eval_gemm_finished(ctx, [&](std::span<float> y) {
        if (activation) std::transform(y.begin(), y.end(), y.begin(), activation);
    });
}

}  // namespace quern
