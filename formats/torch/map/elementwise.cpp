// Operators of one and two operands, element by element.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "formats/torch/map/map.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern::torch_format {
namespace {

struct Pair {
    std::string_view torch;
    OpId ours;
};

OpId paired(std::span<const Pair> pairs, const Site& site) {
    const std::string& target = site.of().target;
    const size_t from = target.find('.') + 1;
    std::string_view name = std::string_view(target).substr(from, target.find('.', from) - from);
    if (name.ends_with("_copy")) name.remove_suffix(5);
    if (name.ends_with('_') && !name.ends_with("__")) name.remove_suffix(1);
    for (const Pair& pair : pairs)
        if (pair.torch == name) return pair.ours;
    throw bug("no pair for {}", target);
}

constexpr std::array unary_pairs{Pair{"abs", ops::Abs},         Pair{"acos", ops::Acos},
                                 Pair{"acosh", ops::Acosh},     Pair{"asin", ops::Asin},
                                 Pair{"asinh", ops::Asinh},     Pair{"atan", ops::Atan},
                                 Pair{"atanh", ops::Atanh},     Pair{"ceil", ops::Ceil},
                                 Pair{"cos", ops::Cos},         Pair{"cosh", ops::Cosh},
                                 Pair{"erf", ops::Erf},         Pair{"exp", ops::Exp},
                                 Pair{"floor", ops::Floor},     Pair{"isnan", ops::IsNaN},
                                 Pair{"isinf", ops::IsInf},     Pair{"log", ops::Log},
                                 Pair{"neg", ops::Neg},         Pair{"round", ops::Round},
                                 Pair{"sigmoid", ops::Sigmoid}, Pair{"sign", ops::Sign},
                                 Pair{"sin", ops::Sin},         Pair{"sinh", ops::Sinh},
                                 Pair{"sqrt", ops::Sqrt},       Pair{"tan", ops::Tan},
                                 Pair{"tanh", ops::Tanh},       Pair{"reciprocal", ops::Reciprocal}};

// Integers become what the result is, where that is a float.
ValueId operand(Site& site, std::string_view name = "self") {
    const DType out = site.out_meta().dtype;
    return is_real(out) ? site.in_as(name, out) : site.in(name);
}

bool unary(Site& site) {
    const OpId op = paired(unary_pairs, site);
    const bool whole = !is_real(site.dtype("self"));
    if (whole && (op == ops::Floor || op == ops::Ceil || op == ops::Round)) {
        site.bind(site.in("self"));
        return true;
    }
    if (op == ops::Round && site.integer("decimals", 0) != 0) return false;
    if (whole && (op == ops::IsNaN || op == ops::IsInf)) {
        site.result(op, {site.in_as("self", DType::f32)});
        return true;
    }
    site.result(op, {operand(site)});
    return true;
}

// What is made of a few operators in the result's type.
template <class Fn>
bool composed(Site& site, const Fn& make) {
    const DType dtype = site.out_meta().dtype;
    site.bind(make(operand(site), dtype));
    return true;
}

bool rsqrt(Site& site) {
    return composed(site, [&](ValueId x, DType) { return site.node(ops::Reciprocal, {site.node(ops::Sqrt, {x})}); });
}
bool square(Site& site) {
    return composed(site, [&](ValueId x, DType) { return site.node(ops::Mul, {x, x}); });
}
bool log_of(Site& site, double base) {
    return composed(site, [&](ValueId x, DType dtype) {
        return site.node(ops::Mul, {site.node(ops::Log, {x}), site.scalar("scale", 1 / portable::log(base), dtype)});
    });
}
bool log2(Site& site) { return log_of(site, 2); }
bool log10(Site& site) { return log_of(site, 10); }
bool exp2(Site& site) {
    return composed(site, [&](ValueId x, DType dtype) { return site.node(ops::Pow, {site.scalar("two", 2.0, dtype), x}); });
}
bool erfc(Site& site) {
    return composed(site, [&](ValueId x, DType dtype) {
        return site.node(ops::Sub, {site.scalar("one", 1.0, dtype), site.node(ops::Erf, {x})});
    });
}

// Near 0 the sum with 1 loses what counts: computed in float64.
bool in_double(Site& site, ValueId (*make)(Site&, ValueId)) {
    const DType dtype = site.out_meta().dtype;
    site.result_as(make(site, site.in_as("self", DType::f64)), DType::f64);
    return is_real(dtype);
}
bool log1p(Site& site) {
    return in_double(site, [](Site& at, ValueId x) {
        return at.node(ops::Log, {at.node(ops::Add, {x, at.scalar("one", 1.0, DType::f64)})});
    });
}
bool expm1(Site& site) {
    return in_double(site, [](Site& at, ValueId x) {
        return at.node(ops::Sub, {at.node(ops::Exp, {x}), at.scalar("one", 1.0, DType::f64)});
    });
}

ValueId truncated(Site& site, ValueId x) {
    return site.node(ops::Mul, {site.node(ops::Sign, {x}), site.node(ops::Floor, {site.node(ops::Abs, {x})})});
}

bool trunc(Site& site) {
    if (!is_real(site.dtype("self"))) {
        site.bind(site.in("self"));
        return true;
    }
    return composed(site, [&](ValueId x, DType) { return truncated(site, x); });
}
bool frac(Site& site) {
    return composed(site, [&](ValueId x, DType) { return site.node(ops::Sub, {x, truncated(site, x)}); });
}

bool logical_not(Site& site) {
    site.result(ops::Not, {site.in_as("self", DType::boolean)});
    return true;
}
bool bitwise_not(Site& site) {
    site.result(site.dtype("self") == DType::boolean ? ops::Not : ops::BitwiseNot, {site.in("self")});
    return true;
}
bool signbit(Site& site) {
    site.result(ops::Less, {site.in("self"), site.scalar("zero", int64_t{0}, site.dtype("self"))});
    return true;
}
bool isfinite(Site& site) {
    const ValueId x = site.in_as("self", is_real(site.dtype("self")) ? site.dtype("self") : DType::f32);
    site.result(ops::Not, {site.node(ops::Or, {site.node(ops::IsNaN, {x}), site.node(ops::IsInf, {x})})});
    return true;
}
bool nan_to_num(Site& site) {
    const DType dtype = site.dtype("self");
    if (dtype != DType::f32 && dtype != DType::f64) return false;
    const double most = dtype == DType::f32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    const ValueId x = site.in("self");
    const ValueId number = site.node(ops::Where, {site.node(ops::IsNaN, {x}), site.scalar("nan", site.real("nan", 0), dtype), x});
    const ValueId above = site.node(ops::IsInf, {number}, {{"detect_negative", int64_t{0}}}),
                  below = site.node(ops::IsInf, {number}, {{"detect_positive", int64_t{0}}});
    const ValueId capped = site.node(ops::Where, {above, site.scalar("posinf", site.real("posinf", most), dtype), number});
    site.result(ops::Where, {below, site.scalar("neginf", site.real("neginf", -most), dtype), capped});
    return true;
}
bool logit(Site& site) {
    return composed(site, [&](ValueId x, DType dtype) {
        const ValueId one = site.scalar("one", 1.0, dtype);
        ValueId p = x;
        if (site.has("eps")) {
            const double eps = site.real("eps", 0);
            p = site.node(ops::Clip, {x, site.scalar("least", eps, dtype), site.scalar("most", 1 - eps, dtype)});
        }
        return site.node(ops::Log, {site.node(ops::Div, {p, site.node(ops::Sub, {one, p})})});
    });
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
    return alpha == 1 ? x : site.node(ops::Mul, {x, site.scalar("alpha", alpha, dtype)});
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

constexpr std::array arithmetic_pairs{Pair{"mul", ops::Mul}, Pair{"maximum", ops::Max}, Pair{"minimum", ops::Min}, Pair{"max", ops::Max},
                                      Pair{"min", ops::Min}};

bool arithmetic(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const OpId op = paired(arithmetic_pairs, site);
    if (dtype == DType::boolean) {
        site.result(op == ops::Max ? ops::Or : ops::And, {site.in("self"), site.in("other")});
        return true;
    }
    site.result(op, {site.in_as("self", dtype), site.in_as("other", dtype)});
    return true;
}

// NaN only where both are.
bool fmax(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId a = site.in_as("self", dtype), b = site.in_as("other", dtype);
    const bool most = site.of().target.find("fmax") != std::string::npos;
    const ValueId left = site.node(ops::Where, {site.node(ops::IsNaN, {a}), b, a}),
                  right = site.node(ops::Where, {site.node(ops::IsNaN, {b}), a, b});
    site.result(most ? ops::Max : ops::Min, {left, right});
    return true;
}

// Integers divide by float64, in which 32 bits are exact; those of 64 are to be below 2^53.
ValueId floor_quotient(Site& site, ValueId a, ValueId b, DType dtype) {
    if (is_real(dtype)) return site.node(ops::Floor, {site.node(ops::Div, {a, b})});
    const ValueId quotient = site.node(ops::Div, {site.cast(a, dtype, DType::f64), site.cast(b, dtype, DType::f64)});
    return site.cast(site.node(ops::Floor, {quotient}), DType::f64, dtype);
}

bool div(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const std::string mode = site.word("rounding_mode", "");
    const ValueId a = site.in_as("self", dtype), b = site.in_as("other", dtype);
    if (mode == "floor")
        site.bind(floor_quotient(site, a, b, dtype));
    else if (!mode.empty() && is_real(dtype))
        site.bind(truncated(site, site.node(ops::Div, {a, b})));
    else
        site.result(ops::Div, {a, b});
    return true;
}

bool floor_divide(Site& site) {
    const DType dtype = site.out_meta().dtype;
    site.bind(floor_quotient(site, site.in_as("self", dtype), site.in_as("other", dtype), dtype));
    return true;
}

// The sign of the divisor.
bool remainder(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId a = site.in_as("self", dtype), b = site.in_as("other", dtype);
    if (is_real(dtype))
        site.result(ops::Sub, {a, site.node(ops::Mul, {site.node(ops::Floor, {site.node(ops::Div, {a, b})}), b})});
    else
        site.result(ops::Mod, {a, b});
    return true;
}
bool fmod(Site& site) {
    const DType dtype = site.out_meta().dtype;
    site.result(ops::Mod, {site.in_as("self", dtype), site.in_as("other", dtype)}, {{"fmod", int64_t{1}}});
    return true;
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

bool atan2(Site& site) {
    const DType dtype = site.out_meta().dtype;
    if (dtype != DType::f32) return false;
    const double pi = 3.14159265358979323846;
    const ValueId y = site.in_as("self", dtype), x = site.in_as("other", dtype), zero = site.scalar("zero", 0.0, dtype);
    const ValueId near = site.node(ops::Atan, {site.node(ops::Div, {y, x})}), below = site.node(ops::Less, {y, zero});
    const ValueId turn = site.node(ops::Where, {below, site.scalar("turn", -pi, dtype), site.scalar("turn", pi, dtype)});
    const ValueId half = site.node(ops::Where, {below, site.scalar("half", -pi / 2, dtype), site.scalar("half", pi / 2, dtype)});
    const ValueId left = site.node(ops::Where, {site.node(ops::Less, {x, zero}), site.node(ops::Add, {near, turn}), near});
    const ValueId upright = site.node(ops::Equal, {x, zero}), flat = site.node(ops::Equal, {y, zero});
    const ValueId there = site.node(ops::Where, {upright, site.node(ops::Where, {flat, zero, half}), left});
    site.bind(there);
    return true;
}

constexpr std::array compare_pairs{Pair{"eq", ops::Equal},   Pair{"lt", ops::Less},           Pair{"le", ops::LessOrEqual},
                                   Pair{"gt", ops::Greater}, Pair{"ge", ops::GreaterOrEqual}, Pair{"ne", ops::Equal}};

bool compare(Site& site) {
    const OpId op = paired(compare_pairs, site);
    DType dtype = common(site);
    if (dtype == DType::boolean && op != ops::Equal) dtype = DType::i32;
    const Values in{site.in_as("self", dtype), site.in_as("other", dtype)};
    if (site.of().target.starts_with("aten.ne"))
        site.result(ops::Not, {site.node(ops::Equal, in)});
    else
        site.result(op, in);
    return true;
}

constexpr std::array logic_pairs{Pair{"logical_and", ops::And}, Pair{"logical_or", ops::Or}, Pair{"logical_xor", ops::Xor}};

bool logic(Site& site) {
    site.result(paired(logic_pairs, site), {site.in_as("self", DType::boolean), site.in_as("other", DType::boolean)});
    return true;
}

struct Bits {
    std::string_view torch;
    OpId truth, number;
};
constexpr std::array bit_pairs{Bits{"and", ops::And, ops::BitwiseAnd}, Bits{"xor", ops::Xor, ops::BitwiseXor},
                               Bits{"or", ops::Or, ops::BitwiseOr}};

bool bitwise(Site& site) {
    const DType dtype = site.out_meta().dtype;
    for (const Bits& row : bit_pairs)
        if (site.of().target.find(row.torch) != std::string::npos) {
            site.result(dtype == DType::boolean ? row.truth : row.number, {site.in_as("self", dtype), site.in_as("other", dtype)});
            return true;
        }
    return false;
}

// Shifts of negative numbers keep the sign: a product, or a quotient rounded down.
bool shift(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const bool left = site.of().target.find("lshift") != std::string::npos || site.of().target.find("left") != std::string::npos;
    const ValueId power = site.node(ops::Pow, {site.scalar("two", 2.0, DType::f64), site.in_as("other", DType::f64)});
    const ValueId factor = site.cast(power, DType::f64, dtype), x = site.in_as("self", dtype);
    site.bind(left ? site.node(ops::Mul, {x, factor}) : floor_quotient(site, x, factor, dtype));
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
    if (site.has("min")) x = site.node(ops::Max, {x, site.in_as("min", dtype)});
    if (site.has("max")) x = site.node(ops::Min, {x, site.in_as("max", dtype)});
    site.bind(x);
    return true;
}

bool lerp(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId a = site.in_as("self", dtype), b = site.in_as("end", dtype);
    site.result(ops::Add, {a, site.node(ops::Mul, {site.in_as("weight", dtype), site.node(ops::Sub, {b, a})})});
    return true;
}
bool addcmul(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const bool product = site.of().target.find("addcmul") != std::string::npos;
    const ValueId term = site.node(product ? ops::Mul : ops::Div, {site.in_as("tensor1", dtype), site.in_as("tensor2", dtype)});
    site.result(ops::Add, {site.in_as("self", dtype), site.node(ops::Mul, {term, site.scalar("value", site.real("value", 1), dtype)})});
    return true;
}

bool hypot(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId a = site.in_as("self", dtype), b = site.in_as("other", dtype);
    site.result(ops::Sqrt, {site.node(ops::Add, {site.node(ops::Mul, {a, a}), site.node(ops::Mul, {b, b})})});
    return true;
}
bool logaddexp(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId a = site.in_as("self", dtype), b = site.in_as("other", dtype), most = site.node(ops::Max, {a, b});
    const ValueId sum =
        site.node(ops::Add, {site.node(ops::Exp, {site.node(ops::Sub, {a, most})}), site.node(ops::Exp, {site.node(ops::Sub, {b, most})})});
    site.result(ops::Add, {most, site.node(ops::Log, {sum})});
    return true;
}
bool heaviside(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId x = site.in_as("self", dtype), zero = site.scalar("zero", int64_t{0}, dtype);
    const ValueId above = site.cast(site.node(ops::Greater, {x, zero}), DType::boolean, dtype);
    site.result(ops::Where, {site.node(ops::Equal, {x, zero}), site.in_as("values", dtype), above});
    return true;
}
bool copysign(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId size = site.node(ops::Abs, {site.in_as("self", dtype)}), sign = site.in_as("other", dtype);
    // 1 / -0 is below 0, as -0 itself is not
    const ValueId below = site.node(ops::Or, {site.node(ops::Less, {sign, site.scalar("zero", 0.0, dtype)}),
                                              site.node(ops::Less, {site.node(ops::Reciprocal, {sign}), site.scalar("zero", 0.0, dtype)})});
    site.result(ops::Where, {below, site.node(ops::Neg, {size}), size});
    return true;
}

constexpr std::array elementwise_table{
    MapRow{"aten.abs aten.acos aten.acosh aten.asin aten.asinh aten.atan aten.atanh aten.ceil aten.cos aten.cosh aten.erf aten.exp "
           "aten.floor aten.isnan aten.isinf "
           "aten.log aten.neg aten.round aten.sigmoid aten.sign aten.sin aten.sinh aten.sqrt aten.tan aten.tanh aten.reciprocal",
           "the operator of that name", unary},
    MapRow{"aten.rsqrt", "Sqrt Reciprocal", rsqrt},
    MapRow{"aten.square", "Mul", square},
    MapRow{"aten.log2", "Log Mul", log2},
    MapRow{"aten.log10", "Log Mul", log10},
    MapRow{"aten.log1p", "Add Log, in float64", log1p},
    MapRow{"aten.expm1", "Exp Sub, in float64", expm1},
    MapRow{"aten.exp2", "Pow", exp2},
    MapRow{"aten.erfc", "Erf Sub", erfc},
    MapRow{"aten.trunc aten.fix", "Sign Abs Floor Mul", trunc},
    MapRow{"aten.frac", "Sign Abs Floor Mul Sub", frac},
    MapRow{"aten.logical_not", "Not", logical_not},
    MapRow{"aten.bitwise_not", "Not BitwiseNot", bitwise_not},
    MapRow{"aten.signbit", "Less", signbit},
    MapRow{"aten.sgn", "Sign",
           [](Site& site) {
               site.result(ops::Sign, {site.in("self")});
               return true;
           }},
    MapRow{"aten.isfinite", "IsNaN IsInf Or Not", isfinite},
    MapRow{"aten.nan_to_num", "IsNaN IsInf Where", nan_to_num},
    MapRow{"aten.logit", "Clip Sub Div Log", logit},
    MapRow{"aten.add", "Add Mul Or", add},
    MapRow{"aten.sub aten.subtract", "Sub Mul", sub},
    MapRow{"aten.rsub", "Sub Mul", rsub},
    MapRow{"aten.mul aten.maximum aten.minimum aten.max.other aten.min.other", "Mul Max Min And Or", arithmetic},
    MapRow{"aten.fmax aten.fmin", "IsNaN Where Max Min", fmax},
    MapRow{"aten.div aten.divide aten.true_divide", "Div Floor", div},
    MapRow{"aten.floor_divide", "Div Floor", floor_divide},
    MapRow{"aten.remainder", "Mod Div Floor Mul Sub", remainder},
    MapRow{"aten.fmod", "Mod", fmod},
    MapRow{"aten.pow", "Pow Mul Sqrt", pow},
    MapRow{"aten.atan2", "Atan Where", atan2},
    MapRow{"aten.eq aten.ne aten.lt aten.le aten.gt aten.ge", "Equal Less LessOrEqual Greater GreaterOrEqual Not", compare},
    MapRow{"aten.logical_and aten.logical_or aten.logical_xor", "And Or Xor", logic},
    MapRow{
        "aten.bitwise_and aten.bitwise_or aten.bitwise_xor aten.__and__ aten.__or__ aten.__xor__ aten.__iand__ aten.__ior__ aten.__ixor__",
        "And Or Xor BitwiseAnd BitwiseOr BitwiseXor", bitwise},
    MapRow{"aten.bitwise_left_shift aten.bitwise_right_shift aten.__lshift__ aten.__rshift__", "Pow Mul Div Floor", shift},
    MapRow{"aten.where", "Where", where},
    MapRow{"aten.masked_fill", "Where", masked_fill},
    MapRow{"aten.clamp aten.clip aten.clamp_min aten.clamp_max", "Clip Max Min", clamp},
    MapRow{"aten.lerp", "Sub Mul Add", lerp},
    MapRow{"aten.addcmul aten.addcdiv", "Mul Div Add", addcmul},
    MapRow{"aten.hypot", "Mul Add Sqrt", hypot},
    MapRow{"aten.logaddexp", "Max Sub Exp Add Log", logaddexp},
    MapRow{"aten.heaviside", "Greater Equal Where", heaviside},
    MapRow{"aten.copysign", "Abs Neg Where", copysign},
};

}  // namespace

std::span<const MapRow> elementwise_rows() { return elementwise_table; }

}  // namespace quern::torch_format
