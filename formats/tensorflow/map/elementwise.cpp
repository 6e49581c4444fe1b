// Operators of one, two or many operands, element by element.
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "libcore/passes/decompose/math.h"

namespace quern::tensorflow_format {
namespace {

using namespace decompose;

// ---- one operand ----

bool rounded(Site& site) {
    if (!is_float(site.dtype(0))) return give(site, site.in(0));
    const std::string& kind = site.of().op;
    return give(site, site.add(kind == "Ceil" ? ops::Ceil : kind == "Floor" ? ops::Floor : ops::Round, {site.in(0)}));
}
// Functions of passes/decompose.
template <Term (*function)(const Term&)>
bool composed(Site& site) {
    return give(site, function(Term{&site, site.in(0)}));
}
template <Term (*function)(const Term&, const Term&)>
bool composed_of_two(Site& site) {
    const Term a{&site, site.in(0)}, b{&site, site.in(1)};
    return give(site, function(a, b));
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

bool not_equal(Site& site) { return give(site, site.add(ops::Not, {site.add(ops::Equal, site.ins())})); }
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
bool shift(Site& site) {
    const DType dtype = site.dtype(0);
    const bool left = site.of().op == "LeftShift";
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

// A condition of rank 1 chooses whole rows.
bool select(Site& site) {
    const size_t rank = site.rank(1);
    ValueId condition = site.in(0);
    if (site.rank(0) == 1 && rank > 1) {
        Ints column(rank, 1);
        column[0] = -1;
        condition = site.reshape(condition, column);
    }
    return give(site, site.add(ops::Where, {condition, site.in(1), site.in(2)}));
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
    MapRow{"Add AddV2", "Add", direct},
    MapRow{"Sub", "Sub", direct},
    MapRow{"Mul", "Mul", direct},
    MapRow{"Div RealDiv", "Div", direct},
    MapRow{"Pow", "Pow", direct},
    MapRow{"Maximum", "Max", direct},
    MapRow{"Minimum", "Min", direct},
    MapRow{"SquaredDifference", "Sub Mul", composed_of_two<squared_difference>},
    MapRow{"DivNoNan", "Div Where", composed_of_two<quotient_or_zero>},
    MapRow{"MulNoNan", "Mul Where", composed_of_two<product_or_zero>},
    MapRow{"Xdivy", "Div Where", composed_of_two<none_or_quotient>},
    MapRow{"Xlogy", "Log Mul Where", composed_of_two<times_log>},
    MapRow{"Xlog1py", "Log Mul Where", composed_of_two<times_log1p>},
    MapRow{"FloorDiv", "Floor Div", composed_of_two<floor_quotient>},
    MapRow{"FloorMod", "Mod", composed_of_two<floor_remainder>},
    MapRow{"TruncateDiv", "Div", composed_of_two<truncated_quotient>},
    MapRow{"Mod TruncateMod", "Mod", composed_of_two<truncated_remainder>},
    MapRow{"Atan2", "Atan Div Where", composed_of_two<decompose::atan2>},
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
