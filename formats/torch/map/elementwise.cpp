// Operators of one and two operands, element by element.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "formats/torch/map/map.h"
#include "libcore/passes/decompose/math.h"
#include "libcore/passes/decompose/row.h"

namespace quern::torch_format {
namespace {

using namespace decompose;

// Integers become what the result is, where that is a float.
ValueId operand(Site& site, std::string_view name = "self") {
    const DType out = site.out_meta().dtype;
    return is_real(out) ? site.in_as(name, out) : site.in(name);
}

template <const OpId& op>
bool unary(Site& site) {
    site.result(op, {operand(site)});
    return true;
}

template <const OpId& op>
bool rounded(Site& site) {
    if (site.integer("decimals", 0) != 0) return false;
    if (is_real(site.dtype("self"))) return unary<op>(site);
    site.bind(site.in("self"));
    return true;
}

// Of integers, which are all numbers.
template <const OpId& op>
bool is_odd(Site& site) {
    site.result(op, {site.in_as("self", is_real(site.dtype("self")) ? site.dtype("self") : DType::f32)});
    return true;
}

// Whole numbers stay as they are.
template <Term (*function)(const Term&)>
bool of_fractions(Site& site) {
    if (is_real(site.dtype("self"))) return composed<function>(site);
    site.bind(site.in("self"));
    return true;
}

bool sign(Site& site) { return is_real(site.dtype("self")) ? composed<sign_or_zero>(site) : unary<ops::Sign>(site); }
template <int base>
Term log_of(const Term& x) {
    return logarithm(x, base);
}
Term two_to(const Term& x) { return of(ops::Pow, number(x, 2), x); }

bool logical_not(Site& site) {
    site.result(ops::Not, {site.in_as("self", DType::boolean)});
    return true;
}
bool bitwise_not(Site& site) {
    site.result(site.dtype("self") == DType::boolean ? ops::Not : ops::BitwiseNot, {site.in("self")});
    return true;
}
bool signbit(Site& site) {
    site.result(ops::Less, {site.in("self"), site.scalar(int64_t{0}, site.dtype("self"), "zero")});
    return true;
}
bool isfinite(Site& site) {
    const ValueId x = site.in_as("self", is_real(site.dtype("self")) ? site.dtype("self") : DType::f32);
    site.bind(is_finite(Term{&site, x}));
    return true;
}
bool nan_to_num(Site& site) {
    const DType dtype = site.dtype("self");
    if (dtype != DType::f32 && dtype != DType::f64) return false;
    const double most = dtype == DType::f32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    const ValueId x = site.in("self");
    const ValueId number = site.add(ops::Where, {site.add(ops::IsNaN, {x}), site.scalar(site.real("nan", 0), dtype, "nan"), x});
    const ValueId above = site.add(ops::IsInf, {number}, {{"detect_negative", int64_t{0}}}),
                  below = site.add(ops::IsInf, {number}, {{"detect_positive", int64_t{0}}});
    const ValueId capped = site.add(ops::Where, {above, site.scalar(site.real("posinf", most), dtype, "posinf"), number});
    site.result(ops::Where, {below, site.scalar(site.real("neginf", -most), dtype, "neginf"), capped});
    return true;
}
bool logit_within(Site& site) {
    const ValueId x = operand(site);
    if (!site.has("eps")) {
        site.bind(logit(Term{&site, x}));
        return true;
    }
    const DType dtype = site.out_meta().dtype;
    const double eps = site.real("eps", 0);
    site.bind(logit(Term{&site, site.add(ops::Clip, {x, site.scalar(eps, dtype, "least"), site.scalar(1 - eps, dtype, "most")})}));
    return true;
}

// ---- two operands ----

bool plain(const Site& site, std::string_view name) { return !site.is_tensor(name) || site.shape(name).rank() == 0; }

DType number_dtype(const Site& site, std::string_view name) {
    if (site.is_tensor(name)) return site.dtype(name);
    const Argument& argument = site.need(name);
    if (argument.kind == Argument::Kind::real) return DType::f32;
    if (argument.kind == Argument::Kind::symbol) return site.number(argument).dtype;
    return argument.boolean ? DType::boolean : DType::i64;
}

DType common(const Site& site, std::string_view a = "self", std::string_view b = "other") {
    return promoted(number_dtype(site, a), number_dtype(site, b), plain(site, a), plain(site, b));
}

ValueId scaled(Site& site, std::string_view name, DType dtype) {
    const ValueId x = site.in_as(name, dtype);
    const double alpha = site.real("alpha", 1);
    return alpha == 1 ? x : site.add(ops::Mul, {x, site.scalar(alpha, dtype, "alpha")});
}

bool add(Site& site) {
    const DType dtype = site.out_meta().dtype;
    if (dtype == DType::boolean) {
        site.result(ops::Or, {site.in("self"), site.in("other")});
        return true;
    }
    site.result(ops::Add, {site.in_as("self", dtype), scaled(site, "other", dtype)});
    return true;
}
bool sub(Site& site) {
    const DType dtype = site.out_meta().dtype;
    site.result(ops::Sub, {site.in_as("self", dtype), scaled(site, "other", dtype)});
    return true;
}
bool rsub(Site& site) {
    const DType dtype = site.out_meta().dtype;
    site.result(ops::Sub, {site.in_as("other", dtype), scaled(site, "self", dtype)});
    return true;
}

// In truth values, `truth`.
template <const OpId& op, const OpId& truth>
bool arithmetic(Site& site) {
    const DType dtype = site.out_meta().dtype;
    site.result(dtype == DType::boolean ? truth : op, {site.in_as("self", dtype), site.in_as("other", dtype)});
    return true;
}

// NaN only where both are.
template <const OpId& op>
Term greater_or_lesser(const Term& a, const Term& b) {
    return among_numbers(op, a, b);
}

Term quotient(const Term& a, const Term& b) { return a / b; }
bool div(Site& site) {
    const std::string mode = site.word("rounding_mode", "");
    if (mode.empty()) return composed<quotient>(site);
    return mode == "floor" ? composed<decompose::floor_divide>(site) : composed<truncated_quotient>(site);
}

bool pow(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const Argument& exponent = site.need("exponent");
    const ValueId base = site.in_as("self", dtype);
    const bool known = exponent.kind == Argument::Kind::integer || exponent.kind == Argument::Kind::real;
    const double power = exponent.kind == Argument::Kind::real ? exponent.real : static_cast<double>(exponent.integer);
    if (known && power == 2)
        site.result(ops::Mul, {base, base});
    else if (known && power == 0.5)
        site.result(ops::Sqrt, {base});
    else
        site.result(ops::Pow, {base, site.in_as("exponent", dtype)});
    return true;
}

// In place, the result is of the operand's type.
template <const OpId& op, bool opposite = false>
bool compare(Site& site) {
    DType dtype = common(site);
    if (dtype == DType::boolean && !(op == ops::Equal)) dtype = DType::i32;
    ValueId made = site.add(op, {site.in_as("self", dtype), site.in_as("other", dtype)});
    if (opposite) made = site.add(ops::Not, {made});
    site.result_as(made, DType::boolean);
    return true;
}

template <const OpId& op>
bool logic(Site& site) {
    site.result_as(site.add(op, {site.in_as("self", DType::boolean), site.in_as("other", DType::boolean)}), DType::boolean);
    return true;
}

// Shifts of negative numbers keep the sign: a product, or a quotient rounded down.
template <bool left>
bool shift(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId power = site.add(ops::Pow, {site.scalar(2.0, DType::f64, "two"), site.in_as("other", DType::f64)});
    const Term factor{&site, site.cast(power, dtype)}, x{&site, site.in_as("self", dtype)};
    site.bind(left ? x * factor : decompose::floor_divide(x, factor));
    return true;
}

// ---- three ----

bool where(Site& site) {
    if (!site.has("self") || !site.has("other")) return false;
    const DType dtype = site.out_meta().dtype;
    site.result(ops::Where, {site.in_as("condition", DType::boolean), site.in_as("self", dtype), site.in_as("other", dtype)});
    return true;
}
bool masked_fill(Site& site) {
    const DType dtype = site.out_meta().dtype;
    site.result(ops::Where, {site.in_as("mask", DType::boolean), site.in_as("value", dtype), site.in_as("self", dtype)});
    return true;
}

bool clamp(Site& site) {
    const DType dtype = site.out_meta().dtype;
    ValueId x = site.in_as("self", dtype);
    const bool numbers = !site.is_tensor("min") && !site.is_tensor("max");
    if (numbers && is_real(dtype)) {
        const auto bound = [&](std::string_view name) { return site.has(name) ? site.in_as(name, dtype) : ValueId::none; };
        site.result(ops::Clip, {x, bound("min"), bound("max")});
        return true;
    }
    if (site.has("min")) x = site.add(ops::Max, {x, site.in_as("min", dtype)});
    if (site.has("max")) x = site.add(ops::Min, {x, site.in_as("max", dtype)});
    site.bind(x);
    return true;
}

bool lerp(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId a = site.in_as("self", dtype), b = site.in_as("end", dtype);
    site.result(ops::Add, {a, site.add(ops::Mul, {site.in_as("weight", dtype), site.add(ops::Sub, {b, a})})});
    return true;
}
template <const OpId& op>
bool add_term(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId term = site.add(op, {site.in_as("tensor1", dtype), site.in_as("tensor2", dtype)});
    site.result(ops::Add, {site.in_as("self", dtype), site.add(ops::Mul, {term, site.scalar(site.real("value", 1), dtype, "value")})});
    return true;
}

bool heaviside(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId x = site.in_as("self", dtype), zero = site.scalar(int64_t{0}, dtype, "zero");
    const ValueId above = site.cast(site.add(ops::Greater, {x, zero}), dtype);
    site.result(ops::Where, {site.add(ops::Equal, {x, zero}), site.in_as("values", dtype), above});
    return true;
}
constexpr std::array elementwise_table{
    MapRow{"aten.abs", "Abs", unary<ops::Abs>},
    MapRow{"aten.acos", "Acos", unary<ops::Acos>},
    MapRow{"aten.acosh", "Acosh", unary<ops::Acosh>},
    MapRow{"aten.asin", "Asin", unary<ops::Asin>},
    MapRow{"aten.asinh", "Asinh", unary<ops::Asinh>},
    MapRow{"aten.atan", "Atan", unary<ops::Atan>},
    MapRow{"aten.atanh", "Atanh", unary<ops::Atanh>},
    MapRow{"aten.cos", "Cos", unary<ops::Cos>},
    MapRow{"aten.cosh", "Cosh", unary<ops::Cosh>},
    MapRow{"aten.erf", "Erf", unary<ops::Erf>},
    MapRow{"aten.exp", "Exp", unary<ops::Exp>},
    MapRow{"aten.log", "Log", unary<ops::Log>},
    MapRow{"aten.neg", "Neg", unary<ops::Neg>},
    MapRow{"aten.sigmoid", "Sigmoid", unary<ops::Sigmoid>},
    MapRow{"aten.sin", "Sin", unary<ops::Sin>},
    MapRow{"aten.sinh", "Sinh", unary<ops::Sinh>},
    MapRow{"aten.sqrt", "Sqrt", unary<ops::Sqrt>},
    MapRow{"aten.tan", "Tan", unary<ops::Tan>},
    MapRow{"aten.tanh", "Tanh", unary<ops::Tanh>},
    MapRow{"aten.reciprocal", "Reciprocal", unary<ops::Reciprocal>},
    MapRow{"aten.ceil", "Ceil", rounded<ops::Ceil>},
    MapRow{"aten.floor", "Floor", rounded<ops::Floor>},
    MapRow{"aten.round", "Round", rounded<ops::Round>, nullptr, false, "decimals other than 0"},
    MapRow{"aten.isnan", "IsNaN", is_odd<ops::IsNaN>},
    MapRow{"aten.isinf", "IsInf", is_odd<ops::IsInf>},
    MapRow{"aten.sign aten.sgn", "Sign Equal Where", sign},
    MapRow{"aten.rsqrt", "Sqrt Reciprocal", composed<reciprocal_root>},
    MapRow{"aten.square", "Mul", composed<square>},
    MapRow{"aten.log2", "Log Mul", composed<log_of<2>>},
    MapRow{"aten.log10", "Log Mul", composed<log_of<10>>},
    MapRow{"aten.log1p", "Add Log Sub Div Mul Where", composed<decompose::log1p>},
    MapRow{"aten.expm1", "Tanh Exp Add Mul", composed<decompose::expm1>},
    MapRow{"aten.exp2", "Pow", composed<two_to>},
    MapRow{"aten.erfc", "Exp Mul Add Div Where, in float64", composed<decompose::erfc>},
    MapRow{"aten.lgamma", "Log Sin Div Where, in float64", composed<decompose::lgamma>},
    MapRow{"aten.digamma", "Log Sin Cos Div Where, in float64", composed<digamma>},
    MapRow{"aten.trunc aten.fix", "Floor Ceil Where", of_fractions<truncated>},
    MapRow{"aten.frac", "Floor Ceil Where Sub", composed<fraction>},
    MapRow{"aten.logical_not", "Not", logical_not},
    MapRow{"aten.bitwise_not", "Not BitwiseNot", bitwise_not},
    MapRow{"aten.signbit", "Less", signbit},
    MapRow{"aten.isfinite", "Abs Less", isfinite},
    MapRow{"aten.nan_to_num", "IsNaN IsInf Where", nan_to_num, nullptr, false, "float16 and bfloat16"},
    MapRow{"aten.logit", "Clip Sub Div Log", logit_within},
    MapRow{"aten.add", "Add Mul Or", add},
    MapRow{"aten.sub aten.subtract", "Sub Mul", sub},
    MapRow{"aten.rsub", "Sub Mul", rsub},
    MapRow{"aten.mul", "Mul And", arithmetic<ops::Mul, ops::And>},
    MapRow{"aten.maximum aten.max.other", "Max Or", arithmetic<ops::Max, ops::Or>},
    MapRow{"aten.minimum aten.min.other", "Min And", arithmetic<ops::Min, ops::And>},
    MapRow{"aten.fmax", "Equal Where Max", composed<greater_or_lesser<ops::Max>>},
    MapRow{"aten.fmin", "Equal Where Min", composed<greater_or_lesser<ops::Min>>},
    MapRow{"aten.div aten.divide aten.true_divide", "Div Mod Round Where Floor Ceil", div},
    MapRow{"aten.floor_divide", "Mod Sub Div Round Where", composed<decompose::floor_divide>},
    MapRow{"aten.remainder", "Mod Add Where", composed<floor_remainder>},
    MapRow{"aten.fmod", "Mod", composed<truncated_remainder>},
    MapRow{"aten.pow", "Pow Mul Sqrt", pow},
    MapRow{"aten.atan2", "Atan Div Where", composed<decompose::atan2>},
    MapRow{"aten.eq", "Equal", compare<ops::Equal>},
    MapRow{"aten.ne", "Equal Not", compare<ops::Equal, true>},
    MapRow{"aten.lt", "Less", compare<ops::Less>},
    MapRow{"aten.le", "LessOrEqual", compare<ops::LessOrEqual>},
    MapRow{"aten.gt", "Greater", compare<ops::Greater>},
    MapRow{"aten.ge", "GreaterOrEqual", compare<ops::GreaterOrEqual>},
    MapRow{"aten.logical_and", "And", logic<ops::And>},
    MapRow{"aten.logical_or", "Or", logic<ops::Or>},
    MapRow{"aten.logical_xor", "Xor", logic<ops::Xor>},
    MapRow{"aten.bitwise_and aten.__and__ aten.__iand__", "And BitwiseAnd", arithmetic<ops::BitwiseAnd, ops::And>},
    MapRow{"aten.bitwise_or aten.__or__ aten.__ior__", "Or BitwiseOr", arithmetic<ops::BitwiseOr, ops::Or>},
    MapRow{"aten.bitwise_xor aten.__xor__ aten.__ixor__", "Xor BitwiseXor", arithmetic<ops::BitwiseXor, ops::Xor>},
    MapRow{"aten.bitwise_left_shift aten.__lshift__", "Pow Mul", shift<true>},
    MapRow{"aten.bitwise_right_shift aten.__rshift__", "Pow Mod Sub Div", shift<false>},
    MapRow{"aten.where", "Where", where},
    MapRow{"aten.masked_fill", "Where", masked_fill},
    MapRow{"aten.clamp aten.clip aten.clamp_min aten.clamp_max", "Clip Max Min", clamp},
    MapRow{"aten.lerp", "Sub Mul Add", lerp},
    MapRow{"aten.addcmul", "Mul Add", add_term<ops::Mul>},
    MapRow{"aten.addcdiv", "Div Mul Add", add_term<ops::Div>},
    MapRow{"aten.hypot", "Max Min Div Sqrt Mul Where", composed<decompose::hypot>},
    MapRow{"aten.logaddexp", "Max Sub Exp Log Where", composed<logaddexp>},
    MapRow{"aten.heaviside", "Greater Equal Where", heaviside},
    MapRow{"aten.copysign", "Abs Neg Where", composed<copy_sign>},
};

}  // namespace

std::span<const MapRow> elementwise_rows() { return elementwise_table; }

}  // namespace quern::torch_format
