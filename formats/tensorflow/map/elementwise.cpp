// Operators of one, two or many operands, element by element.
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "libcore/passes/decompose/index.h"
#include "libcore/passes/decompose/math.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tensorflow_format {
namespace {

using namespace decompose;

// ---- one operand ----

template <const OpId& op>
bool rounded(Site& site) {
    return give(site, is_float(site.dtype(0)) ? site.add(op, {site.in(0)}) : site.in(0));
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
    return give(site, from == to ? site.in(0) : site.add(ops::BitCast, {site.in(0)}, {{"to", onnx_type(to)}}));
}
bool clip(Site& site) {
    const ValueId least = site.in(1), most = site.in(2);
    if (site.rank(1) == 0 && site.rank(2) == 0) return give(site, site.add(ops::Clip, {site.in(0), least, most}));
    return give(site, site.add(ops::Max, {site.add(ops::Min, {site.in(0), most}), least}));
}

// ---- two operands ----

bool nearly_equal(Site& site) {
    const ValueId apart = site.add(ops::Abs, {site.add(ops::Sub, site.ins())});
    return give(site, site.add(ops::Less, {apart, site.scalar(site.real("tolerance", 1e-5), site.dtype(0))}));
}
// The result is 0 where one operand is 0, whatever the other is.
Term quotient_or_zero(const Term& a, const Term& b) { return unless_zero(b, a / b); }
Term product_or_zero(const Term& a, const Term& b) { return unless_zero(b, a * b); }
Term none_or_quotient(const Term& a, const Term& b) { return unless_zero(a, a / b); }
Term times_log(const Term& a, const Term& b) { return unless_zero(a, a * of(ops::Log, b)); }
Term times_log1p(const Term& a, const Term& b) { return unless_zero(a, a * decompose::log1p(b)); }

// Signed numbers are multiplied and divided, in 64 bits, by a power of two; shifts beyond their width stop there.
template <bool left>
bool shift(Site& site) {
    const DType dtype = site.dtype(0);
    if (kind_of(dtype) == NumberKind::unsigned_int)
        return give(site, site.add(ops::BitShift, site.ins(), {{"direction", std::string(left ? "LEFT" : "RIGHT")}}));
    if (bits_of(dtype) > 32) return false;
    const ValueId x = site.cast(site.in(0), DType::i64), last = site.scalar(bits_of(dtype) - 1, DType::i64);
    const ValueId places = site.add(ops::Min, {site.cast(site.in(1), DType::i64), last});
    const ValueId power = site.add(ops::Pow, {site.scalar(2, DType::i64), places});
    if (left) return give(site, site.cast(site.add(ops::Mul, {x, power}), dtype));
    const ValueId whole = site.add(ops::Sub, {x, site.add(ops::Mod, {x, power})});
    return give(site, site.cast(site.add(ops::Div, {whole, power}), dtype));
}

// ---- many ----

bool add_n(Site& site) {
    const Values in = site.ins();
    if (in.empty()) return false;
    if (in.size() > 2 && is_float(site.dtype(0))) return give(site, site.add(ops::Sum, in));
    ValueId sum = in[0];
    for (size_t i = 1; i < in.size(); ++i) sum = site.add(ops::Add, {sum, in[i]});
    return give(site, sum);
}

bool select(Site& site) { return give(site, decompose::select(term(site, 0), site.rank(0), term(site, 1), term(site, 2), site.rank(1))); }

constexpr std::array elementwise_table{
    MapRow{"Abs", "Abs", direct<ops::Abs>},
    MapRow{"Acos", "Acos", direct<ops::Acos>},
    MapRow{"Acosh", "Acosh", direct<ops::Acosh>},
    MapRow{"Asin", "Asin", direct<ops::Asin>},
    MapRow{"Asinh", "Asinh", direct<ops::Asinh>},
    MapRow{"Atan", "Atan", direct<ops::Atan>},
    MapRow{"Atanh", "Atanh", direct<ops::Atanh>},
    MapRow{"Cos", "Cos", direct<ops::Cos>},
    MapRow{"Cosh", "Cosh", direct<ops::Cosh>},
    MapRow{"Erf", "Erf", direct<ops::Erf>},
    MapRow{"Exp", "Exp", direct<ops::Exp>},
    MapRow{"IsInf", "IsInf", direct<ops::IsInf>},
    MapRow{"IsNan", "IsNaN", direct<ops::IsNaN>},
    MapRow{"Log", "Log", direct<ops::Log>},
    MapRow{"Neg", "Neg", direct<ops::Neg>},
    MapRow{"Reciprocal Inv", "Reciprocal", direct<ops::Reciprocal>},
    MapRow{"Sign", "Sign", direct<ops::Sign>},
    MapRow{"Sin", "Sin", direct<ops::Sin>},
    MapRow{"Sinh", "Sinh", direct<ops::Sinh>},
    MapRow{"Sqrt", "Sqrt", direct<ops::Sqrt>},
    MapRow{"Tan", "Tan", direct<ops::Tan>},
    MapRow{"Ceil", "Ceil", rounded<ops::Ceil>},
    MapRow{"Floor", "Floor", rounded<ops::Floor>},
    MapRow{"Rint Round", "Round", rounded<ops::Round>},
    MapRow{"Rsqrt", "Sqrt Reciprocal", composed<reciprocal_root>},
    MapRow{"Square", "Mul", composed<square>},
    MapRow{"Erfc", "Exp Mul Add Div Where", composed<decompose::erfc>},
    MapRow{"Expm1", "Tanh Exp Add Mul", composed<decompose::expm1>},
    MapRow{"Log1p", "Add Log Sub Div Mul Where", composed<decompose::log1p>},
    MapRow{"Digamma", "Div Log Sin Cos Where", composed<digamma>},
    MapRow{"Lgamma", "Div Log Sin Where", composed<decompose::lgamma>},
    MapRow{"IsFinite", "Abs Less", composed<is_finite>},
    MapRow{"Cast", "Cast", cast},
    MapRow{"Bitcast", "BitCast", bitcast},
    MapRow{"ClipByValue", "Clip Min Max", clip},
    MapRow{"Add AddV2", "Add", direct<ops::Add>},
    MapRow{"Sub", "Sub", direct<ops::Sub>},
    MapRow{"Mul", "Mul", direct<ops::Mul>},
    MapRow{"Div RealDiv", "Div", direct<ops::Div>},
    MapRow{"Pow", "Pow", direct<ops::Pow>},
    MapRow{"Maximum", "Max", direct<ops::Max>},
    MapRow{"Minimum", "Min", direct<ops::Min>},
    MapRow{"SquaredDifference", "Sub Mul", composed<squared_difference>},
    MapRow{"DivNoNan", "Div Where", composed<quotient_or_zero>},
    MapRow{"MulNoNan", "Mul Where", composed<product_or_zero>},
    MapRow{"Xdivy", "Div Where", composed<none_or_quotient>},
    MapRow{"Xlogy", "Log Mul Where", composed<times_log>},
    MapRow{"Xlog1py", "Log Mul Where", composed<times_log1p>},
    MapRow{"FloorDiv", "Floor Div", composed<floor_quotient>},
    MapRow{"FloorMod", "Mod", composed<floor_remainder>},
    MapRow{"TruncateDiv", "Div", composed<truncated_quotient>},
    MapRow{"Mod TruncateMod", "Mod", composed<truncated_remainder>},
    MapRow{"Atan2", "Atan Div Where", composed<decompose::atan2>},
    MapRow{"Equal", "Equal", direct<ops::Equal>},
    MapRow{"Greater", "Greater", direct<ops::Greater>},
    MapRow{"GreaterEqual", "GreaterOrEqual", direct<ops::GreaterOrEqual>},
    MapRow{"Less", "Less", direct<ops::Less>},
    MapRow{"LessEqual", "LessOrEqual", direct<ops::LessOrEqual>},
    MapRow{"NotEqual", "Equal Not", composed<not_equal>},
    MapRow{"ApproximateEqual", "Sub Abs Less", nearly_equal},
    MapRow{"LogicalAnd", "And", direct<ops::And>},
    MapRow{"LogicalOr", "Or", direct<ops::Or>},
    MapRow{"LogicalNot", "Not", direct<ops::Not>},
    MapRow{"BitwiseAnd", "BitwiseAnd", direct<ops::BitwiseAnd>},
    MapRow{"BitwiseOr", "BitwiseOr", direct<ops::BitwiseOr>},
    MapRow{"BitwiseXor", "BitwiseXor", direct<ops::BitwiseXor>},
    MapRow{"Invert", "BitwiseNot", direct<ops::BitwiseNot>},
    MapRow{"LeftShift", "BitShift Pow Mul", shift<true>},
    MapRow{"RightShift", "BitShift Pow Mod Sub Div", shift<false>},
    MapRow{"AddN AccumulateNV2", "Sum Add", add_n},
    MapRow{"Select", "Where", select},
    MapRow{"SelectV2", "Where", direct<ops::Where>},
};

}  // namespace

std::span<const MapRow> elementwise_rows() { return elementwise_table; }

}  // namespace quern::tensorflow_format
