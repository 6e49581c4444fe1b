// Operators of one, two or many operands, element by element.
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"

namespace quern::tensorflow_format {
namespace {

// ---- one operand ----

bool rounded(Site& site) {
    if (!is_float(site.dtype(0))) return give(site, site.in(0));
    const std::string& kind = site.of().op;
    return give(site, site.emit(kind == "Ceil" ? ops::Ceil : kind == "Floor" ? ops::Floor : ops::Round, {site.in(0)}));
}
bool rsqrt(Site& site) { return give(site, site.emit(ops::Reciprocal, {site.emit(ops::Sqrt, {site.in(0)})})); }
bool square(Site& site) {
    const ValueId x = site.in(0);
    return give(site, site.emit(ops::Mul, {x, x}));
}
bool erfc(Site& site) { return give(site, site.emit(ops::Sub, {site.scalar(1, site.dtype(0)), site.emit(ops::Erf, {site.in(0)})})); }

// tanh(x / 2) (e^x + 1) is e^x - 1 without a difference of what is nearly equal.
bool expm1(Site& site) {
    const DType dtype = site.dtype(0);
    const ValueId x = site.in(0), half = site.emit(ops::Tanh, {site.emit(ops::Mul, {x, site.scalar(0.5, dtype)})});
    const ValueId sum = site.emit(ops::Add, {site.emit(ops::Exp, {x}), site.scalar(1, dtype)});
    return give(site, site.emit(ops::Mul, {half, sum}));
}

// Near 0 the sum with 1 loses what counts: computed in float64.
ValueId log1p_of(Site& site, ValueId x) {
    const DType dtype = site.type_of(x).dtype;
    const ValueId sum = site.emit(ops::Add, {site.cast(x, DType::f64), site.scalar(1, DType::f64)});
    return site.cast(site.emit(ops::Log, {sum}), dtype);
}
bool log1p(Site& site) { return give(site, log1p_of(site, site.in(0))); }

bool is_finite(Site& site) {
    const ValueId x = site.in(0);
    return give(site, site.emit(ops::Not, {site.emit(ops::Or, {site.emit(ops::IsNaN, {x}), site.emit(ops::IsInf, {x})})}));
}

bool cast(Site& site) {
    if (site.flag("Truncate", false)) return false;
    const DType to = site.type("DstT", DType::none);
    if (to == DType::none) return false;
    return give(site, site.cast(site.in(0), to));
}
bool bitcast(Site& site) {
    const DType from = site.dtype(0), to = site.type("type", DType::none);
    if (bits_of(from) != bits_of(to) || bits_of(to) == 0) return false;
    return give(site, from == to ? site.in(0) : site.emit(ops::BitCast, {site.in(0)}, {{"to", onnx_type(to)}}));
}
bool clip(Site& site) {
    const ValueId least = site.in(1), most = site.in(2);
    if (site.rank(1) == 0 && site.rank(2) == 0) return give(site, site.emit(ops::Clip, {site.in(0), least, most}));
    return give(site, site.emit(ops::Max, {site.emit(ops::Min, {site.in(0), most}), least}));
}

// ---- two operands ----

bool not_equal(Site& site) { return give(site, site.emit(ops::Not, {site.emit(ops::Equal, site.ins())})); }
bool nearly_equal(Site& site) {
    const ValueId apart = site.emit(ops::Abs, {site.emit(ops::Sub, site.ins())});
    return give(site, site.emit(ops::Less, {apart, site.scalar(site.real("tolerance", 1e-5), site.dtype(0))}));
}
bool squared_difference(Site& site) {
    const ValueId difference = site.emit(ops::Sub, site.ins());
    return give(site, site.emit(ops::Mul, {difference, difference}));
}

// 0 where one operand is 0, whatever the other is.
ValueId unless_zero(Site& site, ValueId guard, ValueId otherwise) {
    const ValueId zero = site.scalar(0, site.dtype(0));
    return site.emit(ops::Where, {site.emit(ops::Equal, {guard, zero}), zero, otherwise});
}
bool div_no_nan(Site& site) { return give(site, unless_zero(site, site.in(1), site.emit(ops::Div, site.ins()))); }
bool mul_no_nan(Site& site) { return give(site, unless_zero(site, site.in(1), site.emit(ops::Mul, site.ins()))); }
bool xdivy(Site& site) { return give(site, unless_zero(site, site.in(0), site.emit(ops::Div, site.ins()))); }
bool xlogy(Site& site) {
    return give(site, unless_zero(site, site.in(0), site.emit(ops::Mul, {site.in(0), site.emit(ops::Log, {site.in(1)})})));
}
bool xlog1py(Site& site) {
    return give(site, unless_zero(site, site.in(0), site.emit(ops::Mul, {site.in(0), log1p_of(site, site.in(1))})));
}

// Rounded down for integers, too, where Div cuts off: the remainder has the sign of the divisor.
bool floor_div(Site& site) {
    const ValueId a = site.in(0), b = site.in(1);
    if (is_float(site.dtype(0))) return give(site, site.emit(ops::Floor, {site.emit(ops::Div, {a, b})}));
    return give(site, site.emit(ops::Div, {site.emit(ops::Sub, {a, site.emit(ops::Mod, {a, b})}), b}));
}
bool truncate_div(Site& site) {
    const ValueId quotient = site.emit(ops::Div, site.ins());
    if (!is_float(site.dtype(0))) return give(site, quotient);
    return give(site, site.emit(ops::Mul, {site.emit(ops::Sign, {quotient}), site.emit(ops::Floor, {site.emit(ops::Abs, {quotient})})}));
}
bool truncate_mod(Site& site) { return give(site, site.emit(ops::Mod, site.ins(), {{"fmod", int64_t{1}}})); }

// The remainder has the sign of the divisor; of floats, fmod has that of the dividend.
bool floor_mod(Site& site) {
    const DType dtype = site.dtype(0);
    const ValueId a = site.in(0), b = site.in(1);
    if (!is_float(dtype)) return give(site, site.emit(ops::Mod, {a, b}));
    const ValueId rest = site.emit(ops::Mod, {a, b}, {{"fmod", int64_t{1}}}), zero = site.scalar(0, dtype);
    const ValueId differs = site.emit(ops::Xor, {site.emit(ops::Less, {rest, zero}), site.emit(ops::Less, {b, zero})});
    const ValueId some = site.emit(ops::Not, {site.emit(ops::Equal, {rest, zero})});
    return give(site, site.emit(ops::Where, {site.emit(ops::And, {differs, some}), site.emit(ops::Add, {rest, b}), rest}));
}

bool atan2(Site& site) {
    const DType dtype = site.dtype(0);
    constexpr double pi = 3.14159265358979323846;
    const ValueId y = site.in(0), x = site.in(1), zero = site.scalar(0, dtype);
    const auto signed_as_y = [&](double size) {
        return site.emit(ops::Where, {site.emit(ops::Less, {y, zero}), site.scalar(-size, dtype), site.scalar(size, dtype)});
    };
    const ValueId near = site.emit(ops::Atan, {site.emit(ops::Div, {y, x})});
    const ValueId left = site.emit(ops::Where, {site.emit(ops::Less, {x, zero}), site.emit(ops::Add, {near, signed_as_y(pi)}), near});
    const ValueId upright = site.emit(ops::Where, {site.emit(ops::Equal, {y, zero}), zero, signed_as_y(pi / 2)});
    return give(site, site.emit(ops::Where, {site.emit(ops::Equal, {x, zero}), upright, left}));
}

// Signed numbers are multiplied and divided, in 64 bits, by a power of two; shifts beyond their width stop there.
bool shift(Site& site) {
    const DType dtype = site.dtype(0);
    const bool left = site.of().op == "LeftShift";
    if (kind_of(dtype) == NumberKind::unsigned_int)
        return give(site, site.emit(ops::BitShift, site.ins(), {{"direction", std::string(left ? "LEFT" : "RIGHT")}}));
    if (bits_of(dtype) > 32) return false;
    const ValueId x = site.cast(site.in(0), DType::i64), last = site.scalar(bits_of(dtype) - 1, DType::i64);
    const ValueId places = site.emit(ops::Min, {site.cast(site.in(1), DType::i64), last});
    const ValueId power = site.emit(ops::Pow, {site.scalar(2, DType::i64), places});
    if (left) return give(site, site.cast(site.emit(ops::Mul, {x, power}), dtype));
    const ValueId whole = site.emit(ops::Sub, {x, site.emit(ops::Mod, {x, power})});
    return give(site, site.cast(site.emit(ops::Div, {whole, power}), dtype));
}

// ---- many ----

bool add_n(Site& site) {
    const Values in = site.ins();
    if (in.empty()) return false;
    if (in.size() > 2 && is_float(site.dtype(0))) return give(site, site.emit(ops::Sum, in));
    ValueId sum = in[0];
    for (size_t i = 1; i < in.size(); ++i) sum = site.emit(ops::Add, {sum, in[i]});
    return give(site, sum);
}

// A condition of rank 1 chooses whole rows.
bool select(Site& site) {
    const size_t rank = site.rank(1);
    ValueId condition = site.in(0);
    if (site.rank(0) == 1 && rank > 1) {
        Ints column(rank, 1);
        column[0] = -1;
        condition = site.reshape(condition, column);
    }
    return give(site, site.emit(ops::Where, {condition, site.in(1), site.in(2)}));
}

constexpr std::array elementwise_table{
    MapRow{"Abs", "Abs", direct},
    MapRow{"Acos", "Acos", direct},
    MapRow{"Acosh", "Acosh", direct},
    MapRow{"Asin", "Asin", direct},
    MapRow{"Asinh", "Asinh", direct},
    MapRow{"Atan", "Atan", direct},
    MapRow{"Atanh", "Atanh", direct},
    MapRow{"Cos", "Cos", direct},
    MapRow{"Cosh", "Cosh", direct},
    MapRow{"Erf", "Erf", direct},
    MapRow{"Exp", "Exp", direct},
    MapRow{"IsInf", "IsInf", direct},
    MapRow{"IsNan", "IsNaN", direct},
    MapRow{"Log", "Log", direct},
    MapRow{"Neg", "Neg", direct},
    MapRow{"Reciprocal Inv", "Reciprocal", direct},
    MapRow{"Sign", "Sign", direct},
    MapRow{"Sin", "Sin", direct},
    MapRow{"Sinh", "Sinh", direct},
    MapRow{"Sqrt", "Sqrt", direct},
    MapRow{"Tan", "Tan", direct},
    MapRow{"Ceil Floor Rint Round", "Ceil Floor Round", rounded},
    MapRow{"Rsqrt", "Sqrt Reciprocal", rsqrt},
    MapRow{"Square", "Mul", square},
    MapRow{"Erfc", "Erf Sub", erfc},
    MapRow{"Expm1", "Tanh Exp Add Mul", expm1},
    MapRow{"Log1p", "Add Log", log1p},
    MapRow{"IsFinite", "IsNaN IsInf Or Not", is_finite},
    MapRow{"Cast", "Cast", cast},
    MapRow{"Bitcast", "BitCast", bitcast},
    MapRow{"ClipByValue", "Clip Min Max", clip},
    MapRow{"Add AddV2", "Add", direct},
    MapRow{"Sub", "Sub", direct},
    MapRow{"Mul", "Mul", direct},
    MapRow{"Div RealDiv", "Div", direct},
    MapRow{"Pow", "Pow", direct},
    MapRow{"Maximum", "Max", direct},
    MapRow{"Minimum", "Min", direct},
    MapRow{"SquaredDifference", "Sub Mul", squared_difference},
    MapRow{"DivNoNan", "Div Where", div_no_nan},
    MapRow{"MulNoNan", "Mul Where", mul_no_nan},
    MapRow{"Xdivy", "Div Where", xdivy},
    MapRow{"Xlogy", "Log Mul Where", xlogy},
    MapRow{"Xlog1py", "Log Mul Where", xlog1py},
    MapRow{"FloorDiv", "Floor Div", floor_div},
    MapRow{"FloorMod", "Mod", floor_mod},
    MapRow{"TruncateDiv", "Div", truncate_div},
    MapRow{"Mod TruncateMod", "Mod", truncate_mod},
    MapRow{"Atan2", "Atan Where", atan2},
    MapRow{"Equal", "Equal", direct},
    MapRow{"Greater", "Greater", direct},
    MapRow{"GreaterEqual", "GreaterOrEqual", direct},
    MapRow{"Less", "Less", direct},
    MapRow{"LessEqual", "LessOrEqual", direct},
    MapRow{"NotEqual", "Equal Not", not_equal},
    MapRow{"ApproximateEqual", "Sub Abs Less", nearly_equal},
    MapRow{"LogicalAnd", "And", direct},
    MapRow{"LogicalOr", "Or", direct},
    MapRow{"LogicalNot", "Not", direct},
    MapRow{"BitwiseAnd", "BitwiseAnd", direct},
    MapRow{"BitwiseOr", "BitwiseOr", direct},
    MapRow{"BitwiseXor", "BitwiseXor", direct},
    MapRow{"Invert", "BitwiseNot", direct},
    MapRow{"LeftShift RightShift", "BitShift Pow Mul Div", shift},
    MapRow{"AddN AccumulateNV2", "Sum Add", add_n},
    MapRow{"Select", "Where", select},
    MapRow{"SelectV2", "Where", direct},
};

}  // namespace

std::span<const MapRow> elementwise_rows() { return elementwise_table; }

}  // namespace quern::tensorflow_format
