// MatMul and Gemm, and the rows of their family.
#include <algorithm>
#include <array>

#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/dense.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/matmul.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

// Integer products wrap: they are computed unsigned.
template <class T>
auto computed(T* items) {
    if constexpr (std::is_same_v<std::remove_const_t<T>, int64_t>) {
        return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const uint64_t, uint64_t>*>(items);
    } else {
        return items;
    }
}

void same_dtypes(const Tensor& a, const Tensor& b) {
    if (a.dtype != b.dtype) throw bad_input("inputs are {} and {}, need the same", name_of(a.dtype), name_of(b.dtype));
}

void infer_matmul(InferCtx& ctx) { ctx.set(0, Type::tensor(ctx.dtype(0), product_shape(ctx.shape(0), ctx.shape(1)))); }

void eval_matmul(EvalCtx& ctx) {
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    same_dtypes(a, b);
    const ProductShape shape = product_shape(a.dims, b.dims);
    const BroadcastIndex at_a(shape.a_batch, shape.batch), at_b(shape.b_batch, shape.batch);
    with_arithmetic(a.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(a), y(b);
        NumbersOut<T> out(ctx, 0, a.dtype, shape.out);
        std::fill(out.span().begin(), out.span().end(), T{0});
        for (size_t i = 0; i < static_cast<size_t>(count_of(shape.batch)); ++i)
            add_product(computed(out.span().data() + static_cast<int64_t>(i) * shape.m * shape.n),
                        computed(x.span().data() + static_cast<int64_t>(at_a(i)) * shape.m * shape.k),
                        computed(y.span().data() + static_cast<int64_t>(at_b(i)) * shape.k * shape.n), shape.m, shape.k, shape.n);
    });
}

}  // namespace

Cost matmul_cost(const CostCtx& ctx) {
    const double inner = ctx.in[0].empty() ? 1 : static_cast<double>(ctx.in[0].back());
    return {elements(ctx.out[0]) * inner, moved_bytes(ctx)};
}

// ---- Gemm ------------------------------------------------------------------------------------------------------------------

void infer_gemm(InferCtx& ctx) {
    const Shape &a = ctx.shape(0), &b = ctx.shape(1);
    Shape out = Shape::of_rank(2);
    if ((a.ranked && a.rank() != 2) || (b.ranked && b.rank() != 2))
        throw bad_input("inputs are {} and {}, need matrices", to_string(a), to_string(b));
    const size_t m = ctx.integer("transA") ? 1 : 0, n = ctx.integer("transB") ? 0 : 1;
    if (a.ranked) out.dims[0] = a.dims[m];
    if (b.ranked) out.dims[1] = b.dims[n];
    if (a.ranked && b.ranked) {
        const Dim &left = a.dims[1 - m], &right = b.dims[1 - n];
        if (left.known() && right.known() && left != right)
            throw bad_input("inner lengths are {} and {}, need equal ones", left.value, right.value);
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), std::move(out)));
}

namespace {

template <class T>
std::vector<T> transposed(std::span<const T> items, const Dims& dims) {
    std::vector<T> out(items.size());
    const auto rows = static_cast<size_t>(dims[0]), columns = static_cast<size_t>(dims[1]);
    for (size_t r = 0; r < rows; ++r)
        for (size_t c = 0; c < columns; ++c) out[c * rows + r] = items[r * columns + c];
    return out;
}

// A matrix operand, transposed if the node says so.
template <class T>
class Operand {
   public:
    Operand(const Tensor& tensor, bool turn) : numbers_(tensor), dims_(tensor.dims), items_(numbers_.span()) {
        if (!turn) return;
        turned_ = transposed(items_, dims_);
        items_ = turned_;
        std::swap(dims_[0], dims_[1]);
    }
    int64_t rows() const { return dims_[0]; }
    int64_t columns() const { return dims_[1]; }
    const T* data() const { return items_.data(); }

   private:
    Numbers<T> numbers_;
    Dims dims_;
    std::vector<T> turned_;
    std::span<const T> items_;
};

// factor * item; integers stay inside their range.
template <class T>
T scaled(float factor, T item) {
    if (factor == 1) return item;
    if constexpr (!std::is_same_v<T, int64_t>) return static_cast<T>(factor * item);
    constexpr double limit = 9223372036854774784.0;  // the greatest double below 2^63
    const double wide = static_cast<double>(factor) * static_cast<double>(item);
    return wide == wide ? static_cast<T>(std::clamp(wide, -limit, limit)) : T{0};
}

template <class T>
void add_bias(std::span<T> out, const Dims& dims, const Tensor& bias, float beta) {
    if (broadcast(bias.dims, dims) != dims)
        throw bad_input("input 2 is {}, which does not broadcast to {}", to_string(bias.dims), to_string(dims));
    const Numbers<T> c(bias);
    const BroadcastIndex at(bias.dims, dims);
    for (size_t i = 0; i < out.size(); ++i) *computed(&out[i]) += scaled(beta, T{c[at(i)]});
}

template <class Finishing>
void multiply(EvalCtx& ctx, const Finishing& finish) {
    const Tensor &left = ctx.need(0), &right = ctx.need(1);
    same_dtypes(left, right);
    if (left.dims.size() != 2 || right.dims.size() != 2)
        throw bad_input("inputs are {} and {}, need matrices", to_string(left.dims), to_string(right.dims));
    const float alpha = ctx.real("alpha"), beta = ctx.real("beta");
    with_arithmetic(left.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Operand<T> a(left, ctx.integer("transA") != 0), b(right, ctx.integer("transB") != 0);
        if (a.columns() != b.rows()) throw bad_input("inner lengths are {} and {}, need equal ones", a.columns(), b.rows());
        const Dims dims{a.rows(), b.columns()};
        NumbersOut<T> out(ctx, 0, left.dtype, dims);
        std::fill(out.span().begin(), out.span().end(), T{0});
        add_product(computed(out.span().data()), computed(a.data()), computed(b.data()), a.rows(), a.columns(), b.columns());
        for (T& item : out.span()) item = scaled(alpha, item);
        if (ctx.in(2)) add_bias(out.span(), dims, *ctx.in(2), beta);
        finish(out.span());
    });
}

void eval_gemm(EvalCtx& ctx) {
    multiply(ctx, [](const auto&) {});
}

}  // namespace

void eval_gemm_finished(EvalCtx& ctx, const std::function<void(std::span<float>)>& finish) {
    multiply(ctx, [&](const auto& out) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(out)>, std::span<float>>)
            finish(out);
        else
            throw unsupported("data of another type than float32, float16 and bfloat16");
    });
}

Cost gemm_cost(const CostCtx& ctx) {
    const Dims& a = ctx.in[0];
    const size_t inner = NodeView(ctx.node).integer("transA") ? 0 : 1;
    return {elements(ctx.out[0]) * (a.size() == 2 ? static_cast<double>(a[inner]) : 1), moved_bytes(ctx)};
}

// ---- rows ------------------------------------------------------------------------------------------------------------------

namespace {

constexpr std::array gemm_attrs{AttrDef{"alpha", AttrKind::real, "1"}, AttrDef{"beta", AttrKind::real, "1"},
                                AttrDef{"transA", AttrKind::integer, "0"}, AttrDef{"transB", AttrKind::integer, "0"}};
constexpr std::array einsum_attrs{AttrDef{"equation", AttrKind::text, {}, true}};

constexpr QuantRule product = rules::product.with(rules::friendly).with_runtimes({}, {.weight_only = true});
constexpr QuantRule biased_product = rules::biased_product.with(rules::friendly).with_runtimes({}, {.weight_only = true});
constexpr DTypes product_types = dtypes::floats | DType::i32 | DType::i64 | DType::u32 | DType::u64;

constexpr std::array matmul_table{
    Op{.name = "MatMul",
       .in = {2, 2},
       .types = product_types,
       .infer = infer_matmul,
       .eval = eval_matmul,
       .quant = product,
       .cost = matmul_cost,
       .doc = "matrix product as NumPy's matmul"},
    Op{.name = "Gemm",
       .in = {2, 3},
       .attrs = gemm_attrs,
       .types = product_types,
       .infer = infer_gemm,
       .eval = eval_gemm,
       .quant = biased_product,
       .cost = gemm_cost,
       .doc = "alpha * A * B + beta * C"},
    Op{.name = "Einsum",
       .in = {1, 255},
       .attrs = einsum_attrs,
       .traits = Trait::variadic_in,
       .types = dtypes::numbers,
       .infer = infer_einsum,
       .eval = eval_einsum,
       .cost = einsum_cost,
       .doc = "sum of products over named indices"},
    plain("Det", {1, 1}, {}, dtypes::floats, infer_det, eval_det, "determinants of square matrices"),
};

}  // namespace

std::span<const Op> matmul_ops() { return matmul_table; }

}  // namespace quern
