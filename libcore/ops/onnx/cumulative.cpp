// Running sums and products along an axis.
#include <array>

#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/quant_rules.h"

namespace quern {
namespace {

template <class Join>
void cumulate(EvalCtx& ctx, int64_t start, const Join& join) {
    const Tensor &x = ctx.need(0), &where = ctx.need(1);
    if (where.count() != 1) throw bad_input("axis is {}, need one number", to_string(where.dims));
    const size_t axis = normal_axis(to_ints(where)[0], x.dims.size());
    const bool reverse = ctx.integer("reverse") != 0, exclusive = ctx.integer("exclusive") != 0;
    const size_t outer = span_count(x.dims, 0, axis), inner = span_count(x.dims, axis + 1, x.dims.size());
    const auto length = static_cast<size_t>(x.dims[axis]);
    with_ordered(x.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> in(x);
        NumbersOut<T> out(ctx, 0, x.dtype, x.dims);
        std::vector<T> held(inner);
        for (size_t o = 0; o < outer; ++o) {
            std::fill(held.begin(), held.end(), static_cast<T>(start));
            for (size_t step = 0; step < length; ++step) {
                const size_t at = (o * length + (reverse ? length - 1 - step : step)) * inner;
                for (size_t i = 0; i < inner; ++i) {
                    const T next = join(held[i], in[at + i]);
                    out[at + i] = exclusive ? held[i] : next;
                    held[i] = next;
                }
            }
        }
    });
}

void eval_cumsum(EvalCtx& ctx) {
    cumulate(ctx, 0, [](auto a, auto b) {
        if constexpr (std::is_integral_v<decltype(a)>)
            return static_cast<decltype(a)>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
        else
            return a + b;
    });
}
void eval_cumprod(EvalCtx& ctx) {
    cumulate(ctx, 1, [](auto a, auto b) {
        if constexpr (std::is_integral_v<decltype(a)>)
            return static_cast<decltype(a)>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
        else
            return a * b;
    });
}

constexpr std::array attrs{AttrDef{"exclusive", AttrKind::integer, "0"}, AttrDef{"reverse", AttrKind::integer, "0"}};
constexpr DTypes summable = dtypes::floats | DType::i32 | DType::i64 | DType::u32 | DType::u64;

constexpr std::array cumulative_table{
    Op{.name = "CumSum",
       .in = {2, 2},
       .attrs = attrs,
       .types = summable,
       .infer = infer_same,
       .eval = eval_cumsum,
       .quant = rules::none.with_places(0b10),
       .cost = cost_reading,
       .doc = "running sum along an axis"},
    plain("CumProd", {2, 2}, attrs, summable, infer_same, eval_cumprod, "running product along an axis", cost_reading),
};

}  // namespace

std::span<const Op> cumulative_ops() { return cumulative_table; }

}  // namespace quern
