// Binary and n-ary elementwise arithmetic with NumPy broadcasting.
#include <array>
#include <cmath>

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/quant_rules.h"

namespace quern {
namespace {

struct Quotient {
    template <class T>
    T operator()(T x, T y) const {
        if constexpr (std::is_integral_v<T>) {
            if (y == 0) throw bad_input("integer division by zero");
            if constexpr (std::is_signed_v<T>)
                if (y == -1) return Minus()(T{0}, x);
        }
        return x / y;
    }
};
// The remainder with the sign of x (`fmod`), or of y.
struct Remainder {
    bool fmod;
    template <class T>
    T operator()(T x, T y) const {
        T r;
        if constexpr (std::is_integral_v<T>) {
            if (y == 0) throw bad_input("integer division by zero");
            if constexpr (std::is_signed_v<T>)
                if (y == -1) return 0;
            r = x % y;
        } else {
            r = std::fmod(x, y);
        }
        return !fmod && r != 0 && (r < 0) != (y < 0) ? r + y : r;
    }
};
void eval_mod(EvalCtx& ctx) { zip_elements(ctx, Remainder{ctx.integer("fmod") != 0}); }

// ---- Pow -----------------------------------------------------------------------------------------------------------------

int64_t whole_power(int64_t base, int64_t exponent) {
    if (exponent < 0) {
        if (base == 0) throw bad_input("0 to the power {}", exponent);
        return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    }
    uint64_t out = 1, factor = static_cast<uint64_t>(base);
    for (auto left = static_cast<uint64_t>(exponent); left; left >>= 1, factor *= factor)
        if (left & 1) out *= factor;
    return static_cast<int64_t>(out);
}

template <class T, class Fn>
void power(EvalCtx& ctx, const Fn& fn) {
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    const Dims dims = broadcast(a.dims, b.dims);
    const Numbers<T> x(a), y(b);
    NumbersOut<T> out(ctx, 0, a.dtype, dims);
    if (out.size() > 0) zip_spans(x.span().data(), a.dims, y.span().data(), b.dims, out.span().data(), dims, fn);
}

void eval_pow(EvalCtx& ctx) {
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    need_type(b.dtype, dtypes::numbers, "input 1");
    if (!is_float(a.dtype) && !is_float(b.dtype)) return power<int64_t>(ctx, whole_power);
    const auto general = [](auto x, auto y) { return y == 2 ? x * x : portable::pow(x, y); };
    if (is_float(a.dtype) && a.dtype != DType::f64 && is_float(b.dtype) && b.dtype != DType::f64)
        power<float>(ctx, general);
    else
        power<double>(ctx, general);
}

// ---- n-ary ---------------------------------------------------------------------------------------------------------------

// Output 0 = the inputs folded by fn, each result element finished by last(element).
template <class Fn, class Last>
void fold_inputs(EvalCtx& ctx, const Fn& fn, const Last& last) {
    const Tensor& first = ctx.need(0);
    Dims dims = first.dims;
    for (size_t i = 1; i < ctx.in_count(); ++i) {
        need_same_type(first, ctx.need(i));
        dims = broadcast(dims, ctx.need(i).dims);
    }
    with_ordered(first.dtype, [&](auto zero) {
        using T = decltype(zero);
        std::vector<T> sum(static_cast<size_t>(count_of(dims)));
        NumbersOut<T> out(ctx, 0, first.dtype, dims);
        if (sum.empty()) return;
        const Numbers<T> start(first);
        zip_spans(start.span().data(), first.dims, sum.data(), dims, sum.data(), dims, [](T x, T) { return x; });
        for (size_t i = 1; i < ctx.in_count(); ++i) {
            const Tensor& next = ctx.need(i);
            const Numbers<T> items(next);
            zip_spans(sum.data(), dims, items.span().data(), next.dims, sum.data(), dims, fn);
        }
        for (size_t i = 0; i < sum.size(); ++i) out[i] = last(sum[i]);
    });
}
constexpr auto as_is = [](auto x) { return x; };

void eval_min(EvalCtx& ctx) { fold_inputs(ctx, Least(), as_is); }
void eval_max(EvalCtx& ctx) { fold_inputs(ctx, Greatest(), as_is); }
void eval_sum(EvalCtx& ctx) { fold_inputs(ctx, Plus(), as_is); }
void eval_mean(EvalCtx& ctx) {
    const auto count = static_cast<double>(ctx.in_count());
    fold_inputs(ctx, Plus(), [count](auto x) { return static_cast<decltype(x)>(x / static_cast<decltype(x)>(count)); });
}

// ---- rows ----------------------------------------------------------------------------------------------------------------

template <char op>
void infer_arithmetic(InferCtx& ctx) {
    infer_broadcast(ctx);
    if (ctx.in_count() == 2) combine_dims_values(ctx, op);
}

constexpr QuantRule friendly = rules::own_both.with(rules::friendly);
constexpr QuantRule chosen = rules::own_all.with(rules::friendly | rules::selects).with_runtimes(rules::together);
constexpr QuantRule quotient = [] {
    QuantRule rule = rules::own_both.with(rules::sets_scale);
    rule.steep = {1, [](double x) { return 1 / x; }};
    return rule;
}();
constexpr Formula sum{"u + v", "(@A@)((uint64_t)u + (uint64_t)v)"}, difference{"u - v", "(@A@)((uint64_t)u - (uint64_t)v)"},
    times{"u * v", "(@A@)((uint64_t)u * (uint64_t)v)"};
constexpr std::array mod_attrs{AttrDef{"fmod", AttrKind::integer, "0"}};

constexpr Op binary(std::string_view name, void (*infer)(InferCtx&), void (*eval)(EvalCtx&), Formula formula, std::string_view doc,
                    Trait more = Trait::none, QuantRule quant = friendly) {
    return elementwise({.name = name,
                        .in = {2, 2},
                        .traits = pointwise | more,
                        .types = dtypes::numbers,
                        .infer = infer,
                        .eval = eval,
                        .formula = formula,
                        .quant = quant,
                        .doc = doc});
}
constexpr Op nary(std::string_view name, void (*infer)(InferCtx&), void (*eval)(EvalCtx&), Formula formula, DTypes types,
                  std::string_view doc, QuantRule quant = rules::own_all) {
    return elementwise({.name = name,
                        .traits = Trait::elementwise | Trait::commutative | Trait::variadic_in,
                        .types = types,
                        .infer = infer,
                        .eval = eval,
                        .formula = formula,
                        .quant = quant,
                        .doc = doc});
}

constexpr std::array binary_table{
    binary("Add", infer_arithmetic<'+'>, eval_pairs<Plus{}>, sum, "a + b", Trait::commutative),
    binary("Sub", infer_arithmetic<'-'>, eval_pairs<Minus{}>, difference, "a - b"),
    binary("Mul", infer_arithmetic<'*'>, eval_pairs<Times{}>, times, "a * b", Trait::commutative),
    binary("Div", infer_arithmetic<'/'>, eval_pairs<Quotient{}>, {"u / v"}, "a / b, of integers truncated", Trait::none, quotient),
    elementwise({.name = "Mod",
                 .in = {2, 2},
                 .attrs = mod_attrs,
                 .traits = pointwise,
                 .types = dtypes::numbers,
                 .infer = infer_broadcast,
                 .eval = eval_mod,
                 .quant = rules::none.with_runtimes({}, {.whole = true}),
                 .doc = "remainder of a / b"}),
    elementwise({.name = "Pow",
                 .in = {2, 2},
                 .traits = pointwise,
                 .types = dtypes::floats | DType::i32 | DType::i64,
                 .infer = infer_broadcast,
                 .eval = eval_pow,
                 .formula = {"v == 2 ? u * u : @powf@(u, (@A@)v)"},
                 .quant = rules::own,
                 .doc = "a to the power b"}),
    nary("Min", infer_arithmetic<'<'>, eval_min, {"u < v || u != u ? u : v", "u < v ? u : v"}, dtypes::numbers, "the least of the inputs",
         chosen),
    nary("Max", infer_arithmetic<'>'>, eval_max, {"u > v || u != u ? u : v", "u > v ? u : v"}, dtypes::numbers,
         "the greatest of the inputs", chosen),
    nary("Sum", infer_broadcast, eval_sum, sum, dtypes::floats, "the sum of the inputs"),
    nary("Mean", infer_broadcast, eval_mean, {"u + v"}, dtypes::floats, "the mean of the inputs"),
};

}  // namespace

std::span<const Op> binary_ops() { return binary_table; }

}  // namespace quern
