// Binary (and n-ary) elementwise operators with NumPy broadcasting.
#include <array>
#include <cmath>

#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"

namespace quern {
namespace {

template <class Fn>
void zip_elements(EvalCtx& ctx, const Fn& fn) {
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    Dims dims = broadcast(a.dims, b.dims);
    const BroadcastIndex at_a(a.dims, dims), at_b(b.dims, dims);
    with_arithmetic(a.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(a), y(b);
        NumbersOut<T> out(ctx, 0, a.dtype, dims);
        for (size_t i = 0; i < out.size(); ++i) out[i] = fn(x[at_a(i)], y[at_b(i)]);
    });
}

void eval_add(EvalCtx& ctx) {
    zip_elements(ctx, [](auto x, auto y) { return x + y; });
}

constexpr std::array rows{
    Op{.name = "Add", .in_min = 2, .in_max = 2, .traits = Trait::elementwise | Trait::commutative, .types = dtypes::numbers,
       .infer = infer_broadcast, .eval = eval_add, .quant = {.kind = QuantRule::Kind::own, .activations = 3},
       .layout = Layout::agnostic, .doc = "a + b"},
};

}  // namespace

std::span<const Op> binary_ops() { return rows; }

}  // namespace quern
