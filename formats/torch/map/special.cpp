// Functions of logarithms, angles and infinities, element by element; running sums of exponentials.
#include <array>
#include <limits>

#include "formats/torch/map/map.h"
#include "libcore/passes/decompose/math.h"

namespace quern::torch_format {
namespace {

using namespace decompose;

constexpr double pi = 3.14159265358979323846, infinite = std::numeric_limits<double>::infinity();

// x * function(y): 0 where x is 0, whatever y is but NaN.
template <Term (*function)(const Term&)>
bool weighted(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const Term x{&site, site.in_as("self", dtype)}, y{&site, site.in_as("other", dtype)};
    site.bind(where(y == y, unless_zero(x, x * function(y)), y));
    return true;
}
Term log_of(const Term& x) { return of(ops::Log, x); }

// -x * log(x), its limit at 0, and what lies below has none.
bool entropy(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId x = site.in_as("self", dtype), zero = site.scalar(0.0, dtype, "zero");
    const ValueId inside = site.add(ops::Neg, {site.add(ops::Mul, {x, site.add(ops::Log, {x})})});
    const ValueId below = site.add(ops::Where, {site.add(ops::Less, {x, zero}), site.scalar(-infinite, dtype, "none"), inside});
    site.result(ops::Where, {site.add(ops::Equal, {x, zero}), zero, below});
    return true;
}

// sin(pi x) / (pi x)
bool sinc(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId x = site.in_as("self", dtype), angle = site.add(ops::Mul, {x, site.scalar(pi, dtype, "pi")});
    const ValueId at_zero = site.add(ops::Equal, {x, site.scalar(0.0, dtype, "zero")});
    site.result(ops::Where, {at_zero, site.scalar(1.0, dtype, "one"), site.add(ops::Div, {site.add(ops::Sin, {angle}), angle})});
    return true;
}

template <int from, int to>  // halves of a turn
bool scaled_angle(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const double unit_of[] = {180, pi};
    site.result(ops::Mul, {site.in_as("self", dtype), site.scalar(unit_of[to] / unit_of[from], dtype, "scale")});
    return true;
}

bool float_power(Site& site) {
    const DType dtype = site.out_meta().dtype;
    site.result(ops::Pow, {site.in_as("self", dtype), site.in_as("exponent", dtype)});
    return true;
}

template <bool above>
bool is_one_infinity(Site& site) {
    const DType dtype = is_real(site.dtype("self")) ? site.dtype("self") : DType::f32;
    site.result(ops::IsInf, {site.in_as("self", dtype)}, {{above ? "detect_negative" : "detect_positive", int64_t{0}}});
    return true;
}

// Sums of what each is beside the greatest of all, in float64, whose exponentials reach 745 below it.
bool running_log_sum(Site& site) {
    const DType dtype = site.out_meta().dtype, wide = DType::f64;
    if (site.rank("self") == 0) {
        site.bind(site.in_as("self", dtype));
        return true;
    }
    const int64_t axis = site.axis("dim", site.rank("self"), 0);
    const ValueId x = site.in_as("self", wide);
    const ValueId odd = site.add(ops::Or, {site.add(ops::IsNaN, {x}), site.add(ops::IsInf, {x})});
    const ValueId plain = site.add(ops::Where, {odd, site.scalar(-1e300, wide, "least"), x});
    const ValueId most = site.add(ops::ReduceMax, {plain, site.integers({axis}, "axes")});
    const ValueId sums =
        site.add(ops::CumSum, {site.add(ops::Exp, {site.add(ops::Sub, {x, most})}), site.scalar(axis, DType::i64, "axis")});
    site.result_as(site.add(ops::Add, {site.add(ops::Log, {sums}), most}), wide);
    return true;
}

constexpr std::array special_table{
    MapRow{"aten.xlogy", "Log Mul Equal Where", weighted<log_of>},
    MapRow{"aten.special_xlog1py", "Add Log Sub Div Mul Where", weighted<decompose::log1p>},
    MapRow{"aten.special_entr", "Log Mul Neg Where", entropy},
    MapRow{"aten.sinc", "Sin Div Where", sinc},
    MapRow{"aten.deg2rad", "Mul", scaled_angle<0, 1>},
    MapRow{"aten.rad2deg", "Mul", scaled_angle<1, 0>},
    MapRow{"aten.float_power", "Pow, in float64", float_power},
    MapRow{"aten.isneginf", "IsInf", is_one_infinity<false>},
    MapRow{"aten.isposinf", "IsInf", is_one_infinity<true>},
    MapRow{"aten.logcumsumexp", "ReduceMax Exp CumSum Log, in float64", running_log_sum},
};

}  // namespace

std::span<const MapRow> special_rows() { return special_table; }

}  // namespace quern::torch_format
