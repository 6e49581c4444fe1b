// Unary elementwise operators.
#include <array>
#include <cmath>

#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {
namespace {

// Applies fn to each element in the arithmetic class of input 0.
template <class Fn>
void map_elements(EvalCtx& ctx, const Fn& fn) {
    const Tensor& x = ctx.need(0);
    with_arithmetic(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> in(x);
        NumbersOut<T> out(ctx, 0, x.dtype, x.dims);
        for (size_t i = 0; i < in.size(); ++i) out[i] = fn(in[i]);
    });
}

void eval_relu(EvalCtx& ctx) {
    map_elements(ctx, [](auto x) { return x > 0 || x != x ? x : decltype(x){0}; });
}

constexpr Trait pointwise = Trait::elementwise | Trait::in_place;

constexpr std::array rows{
    Op{.name = "Relu", .traits = pointwise | Trait::activation | Trait::monotone | Trait::idempotent, .types = dtypes::floats | dtypes::signed_ints,
       .infer = infer_same, .eval = eval_relu, .quant = {.kind = QuantRule::Kind::same_as_input}, .layout = Layout::agnostic,
       .doc = "max(x, 0)"},
};

}  // namespace

std::span<const Op> unary_ops() { return rows; }

}  // namespace quern
