// Unary elementwise mathematics.
#include <array>
#include <cmath>
#include <limits>

#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/quant_rules.h"

namespace quern {
namespace {

void eval_abs(EvalCtx& ctx) {
    map_elements(ctx, [](auto x) {
        if constexpr (std::is_floating_point_v<decltype(x)>)
            return std::fabs(x);
        else if constexpr (std::is_signed_v<decltype(x)>)
            return x < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x;
        else
            return x;
    });
}
void eval_neg(EvalCtx& ctx) {
    map_elements(ctx, [](auto x) {
        if constexpr (std::is_integral_v<decltype(x)>)
            return static_cast<decltype(x)>(0 - static_cast<uint64_t>(x));
        else
            return -x;
    });
}
void eval_sign(EvalCtx& ctx) {
    map_elements(ctx, [](auto x) {
        using T = decltype(x);
        if (x != x) return x;
        return static_cast<T>(static_cast<T>(x > T{0}) - static_cast<T>(x < T{0}));
    });
}
void eval_exp(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::exp(x); });
}
void eval_log(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::log(x); });
}
void eval_sqrt(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return std::sqrt(x); });
}
void eval_reciprocal(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return 1 / x; });
}
void eval_floor(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return std::floor(x); });
}
void eval_ceil(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return std::ceil(x); });
}
void eval_round(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return std::nearbyint(x); });
}
void eval_erf(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::erf(x); });
}
void eval_sin(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::sin(x); });
}
void eval_cos(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::cos(x); });
}
void eval_tan(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::tan(x); });
}
void eval_asin(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::asin(x); });
}
void eval_acos(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::acos(x); });
}
void eval_atan(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::atan(x); });
}
void eval_sinh(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::sinh(x); });
}
void eval_cosh(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::cosh(x); });
}
void eval_asinh(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::asinh(x); });
}
void eval_acosh(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::acosh(x); });
}
void eval_atanh(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return portable::atanh(x); });
}

// ---- tests -------------------------------------------------------------------------------------------------------------

void infer_test(InferCtx& ctx) { ctx.set(0, Type::tensor(DType::boolean, ctx.shape(0))); }

template <class Fn>
void test_floats(EvalCtx& ctx, const Fn& fn) {
    const Tensor& x = ctx.need(0);
    with_floating(x.dtype, [&](auto zero) {
        const Numbers<decltype(zero)> in(x);
        const auto out = ctx.out_as<bool>(0, x.dims);
        for (size_t i = 0; i < in.size(); ++i) out[i] = fn(in[i]);
    });
}
void eval_is_nan(EvalCtx& ctx) {
    test_floats(ctx, [](auto x) { return x != x; });
}
void eval_is_inf(EvalCtx& ctx) {
    const bool negative = ctx.integer("detect_negative") != 0, positive = ctx.integer("detect_positive") != 0;
    test_floats(ctx, [=](auto x) { return std::isinf(x) && (x > 0 ? positive : negative); });
}

constexpr std::array is_inf_attrs{AttrDef{"detect_negative", AttrKind::integer, "1"}, AttrDef{"detect_positive", AttrKind::integer, "1"}};

constexpr QuantRule steep(double (*curve)(double), QuantRule rule = rules::own) {
    rule.steep = {0, curve};
    return rule;
}
constexpr QuantRule whole = rules::own.with_runtimes({}, {.whole = true});

// A function of floats that the quantizer may give codes of its own.
constexpr Op math(std::string_view name, void (*eval)(EvalCtx&), std::string_view doc, Trait more = Trait::none,
                  DTypes types = dtypes::floats, QuantRule quant = rules::own) {
    return {.name = name,
            .traits = pointwise | more,
            .types = types,
            .infer = infer_same,
            .eval = eval,
            .quant = quant,
            .layout = Layout::agnostic,
            .cost = cost_elementwise,
            .doc = doc};
}
constexpr DTypes testable = dtypes::floats | dtypes::float8s;
constexpr DTypes negatable = dtypes::floats | dtypes::signed_ints;

constexpr std::array rows{
    math("Abs", eval_abs, "absolute value", Trait::idempotent, dtypes::numbers, rules::own.with_runtimes({.friendly = true})),
    math("Neg", eval_neg, "-x", Trait::none, negatable),
    math("Sign", eval_sign, "-1, 0 or 1", Trait::idempotent | Trait::monotone, dtypes::numbers),
    math("Exp", eval_exp, "e to the power x", Trait::monotone),
    math("Log", eval_log, "natural logarithm", Trait::none, dtypes::floats, steep([](double x) { return portable::log(x); })),
    math("Sqrt", eval_sqrt, "square root", Trait::none, dtypes::floats, steep([](double x) { return std::sqrt(x); })),
    math("Reciprocal", eval_reciprocal, "1 / x", Trait::none, dtypes::floats,
         steep([](double x) { return 1 / x; }, rules::own.with(rules::sets_scale))),
    math("Floor", eval_floor, "the next integer at or below", Trait::idempotent | Trait::monotone, dtypes::floats, whole),
    math("Ceil", eval_ceil, "the next integer at or above", Trait::idempotent | Trait::monotone, dtypes::floats, whole),
    math("Round", eval_round, "the nearest integer, ties to even", Trait::idempotent | Trait::monotone),
    math("Erf", eval_erf, "error function", Trait::monotone),
    math("Sin", eval_sin, "sine"),
    math("Cos", eval_cos, "cosine"),
    math("Tan", eval_tan, "tangent"),
    math("Asin", eval_asin, "arcsine"),
    math("Acos", eval_acos, "arccosine"),
    math("Atan", eval_atan, "arctangent", Trait::monotone),
    math("Sinh", eval_sinh, "hyperbolic sine", Trait::monotone),
    math("Cosh", eval_cosh, "hyperbolic cosine"),
    math("Asinh", eval_asinh, "inverse hyperbolic sine", Trait::monotone),
    math("Acosh", eval_acosh, "inverse hyperbolic cosine"),
    math("Atanh", eval_atanh, "inverse hyperbolic tangent"),
    Op{.name = "IsNaN",
       .traits = Trait::elementwise,
       .types = testable,
       .infer = infer_test,
       .eval = eval_is_nan,
       .layout = Layout::agnostic,
       .cost = cost_elementwise,
       .doc = "true where x is not a number"},
    Op{.name = "IsInf",
       .attrs = is_inf_attrs,
       .traits = Trait::elementwise,
       .types = testable,
       .infer = infer_test,
       .eval = eval_is_inf,
       .layout = Layout::agnostic,
       .cost = cost_elementwise,
       .doc = "true where x is infinite"},
};

}  // namespace

std::span<const Op> unary_ops() { return rows; }

}  // namespace quern
