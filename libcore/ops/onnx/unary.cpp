// Unary elementwise mathematics.
#include <array>
#include <cmath>

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

void eval_erf(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    if (x.dtype == DType::f64) return map_floats(ctx, [](auto item) { return portable::erf(item); });
    if (!is_float(x.dtype)) throw bad_input("input 0 is {}, need a float type", name_of(x.dtype));
    const Numbers<float> in(x);
    NumbersOut<float> out(ctx, 0, x.dtype, x.dims);
    portable::erf(in.span().data(), out.span().data(), out.size());
}

constexpr std::array is_inf_attrs{AttrDef{"detect_negative", AttrKind::integer, "1"}, AttrDef{"detect_positive", AttrKind::integer, "1"}};

constexpr QuantRule steep(double (*curve)(double), QuantRule rule = rules::own) {
    rule.steep = {0, curve};
    return rule;
}
constexpr QuantRule whole = rules::own.with_runtimes({}, {.whole = true});

// A function of floats that the quantizer may give codes of its own.
constexpr Op math(std::string_view name, void (*eval)(EvalCtx&), Formula formula, std::string_view doc, Trait more = Trait::none,
                  DTypes types = dtypes::floats, QuantRule quant = rules::own) {
    return elementwise({.name = name,
                        .traits = pointwise | more,
                        .types = types,
                        .infer = infer_same,
                        .eval = eval,
                        .formula = formula,
                        .quant = quant,
                        .doc = doc});
}
constexpr DTypes testable = dtypes::floats | dtypes::float8s;
constexpr DTypes negatable = dtypes::floats | dtypes::signed_ints;

constexpr std::array unary_table{
    math("Abs", eval_abs, of_all("u > 0 ? u : 0 - u"), "absolute value", Trait::idempotent, dtypes::numbers,
         rules::own.with_runtimes({.friendly = true})),
    math("Neg", eval_neg, of_all("-u"), "-x", Trait::none, negatable),
    math("Sign", eval_sign, of_all("u != u ? u : (@A@)(u > 0 ? 1 : u == 0 ? 0 : -1)"), "-1, 0 or 1", Trait::idempotent | Trait::monotone,
         dtypes::numbers),
    math("Exp", eval_floats<[](auto x) { return portable::exp(x); }>, {"@expf@(u)"}, "e to the power x", Trait::monotone),
    math("Log", eval_floats<[](auto x) { return portable::log(x); }>, {"@logf@(u)"}, "natural logarithm", Trait::none, dtypes::floats,
         steep([](double x) { return portable::log(x); })),
    math("Sqrt", eval_floats<[](auto x) { return std::sqrt(x); }>, {"@sqrtf@(u)"}, "square root", Trait::none, dtypes::floats,
         steep([](double x) { return std::sqrt(x); })),
    math("Reciprocal", eval_floats<[](auto x) { return 1 / x; }>, {"1.0f / u"}, "1 / x", Trait::none, dtypes::floats,
         steep([](double x) { return 1 / x; }, rules::own.with(rules::sets_scale))),
    math("Floor", eval_floats<[](auto x) { return std::floor(x); }>, {"@floorf@(u)"}, "the next integer at or below",
         Trait::idempotent | Trait::monotone, dtypes::floats, whole),
    math("Ceil", eval_floats<[](auto x) { return std::ceil(x); }>, {"@ceilf@(u)"}, "the next integer at or above",
         Trait::idempotent | Trait::monotone, dtypes::floats, whole),
    math("Round", eval_floats<[](auto x) { return std::nearbyint(x); }>, {"u < 0 ? -@round_even@(-u) : u == 0 ? u : @round_even@(u)"},
         "the nearest integer, ties to even", Trait::idempotent | Trait::monotone),
    math("Erf", eval_erf, {"@erff@(u)"}, "error function", Trait::monotone),
    math("Sin", eval_floats<[](auto x) { return portable::sin(x); }>, {"@sinf@(u)"}, "sine"),
    math("Cos", eval_floats<[](auto x) { return portable::cos(x); }>, {"@cosf@(u)"}, "cosine"),
    math("Tan", eval_floats<[](auto x) { return portable::tan(x); }>, {"@tanf@(u)"}, "tangent"),
    math("Asin", eval_floats<[](auto x) { return portable::asin(x); }>, {"@asinf@(u)"}, "arcsine"),
    math("Acos", eval_floats<[](auto x) { return portable::acos(x); }>, {"@acosf@(u)"}, "arccosine"),
    math("Atan", eval_floats<[](auto x) { return portable::atan(x); }>, {"@atanf@(u)"}, "arctangent", Trait::monotone),
    math("Sinh", eval_floats<[](auto x) { return portable::sinh(x); }>, {"@sinhf@(u)"}, "hyperbolic sine", Trait::monotone),
    math("Cosh", eval_floats<[](auto x) { return portable::cosh(x); }>, {"@coshf@(u)"}, "hyperbolic cosine"),
    math("Asinh", eval_floats<[](auto x) { return portable::asinh(x); }>, {"@asinhf@(u)"}, "inverse hyperbolic sine", Trait::monotone),
    math("Acosh", eval_floats<[](auto x) { return portable::acosh(x); }>, {"@acoshf@(u)"}, "inverse hyperbolic cosine"),
    math("Atanh", eval_floats<[](auto x) { return portable::atanh(x); }>, {"@atanhf@(u)"}, "inverse hyperbolic tangent"),
    elementwise({.name = "IsNaN",
                 .types = testable,
                 .infer = infer_test,
                 .eval = eval_is_nan,
                 .formula = {"u != u"},
                 .doc = "true where x is not a number"}),
    elementwise({.name = "IsInf",
                 .attrs = is_inf_attrs,
                 .types = testable,
                 .infer = infer_test,
                 .eval = eval_is_inf,
                 .doc = "true where x is infinite"}),
};

}  // namespace

std::span<const Op> unary_ops() { return unary_table; }

}  // namespace quern
