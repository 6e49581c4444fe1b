// Functions of logarithms, angles and infinities, element by element; running sums of exponentials.
#include <array>
#include <limits>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

constexpr double pi = 3.14159265358979323846, infinite = std::numeric_limits<double>::infinity();

// x * log(y): 0 where x is 0, whatever y is but NaN. 1 + y near 1 loses what counts: in float64.
bool x_log(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const bool one_more = site.of().target.find("log1p") != std::string::npos;
    const ValueId x = site.in_as("self", dtype), y = site.in_as("other", dtype), zero = site.scalar("zero", 0.0, dtype);
    ValueId log = ValueId::none;
    if (one_more) {
        const ValueId sum = site.node(ops::Add, {site.cast(y, dtype, DType::f64), site.scalar("one", 1.0, DType::f64)});
        log = site.cast(site.node(ops::Log, {sum}), DType::f64, dtype);
    } else {
        log = site.node(ops::Log, {y});
    }
    const ValueId product = site.node(ops::Where, {site.node(ops::Equal, {x, zero}), zero, site.node(ops::Mul, {x, log})});
    site.result(ops::Where, {site.node(ops::IsNaN, {y}), y, product});
    return true;
}

// -x * log(x), its limit at 0, and what lies below has none.
bool entropy(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId x = site.in_as("self", dtype), zero = site.scalar("zero", 0.0, dtype);
    const ValueId inside = site.node(ops::Neg, {site.node(ops::Mul, {x, site.node(ops::Log, {x})})});
    const ValueId below = site.node(ops::Where, {site.node(ops::Less, {x, zero}), site.scalar("none", -infinite, dtype), inside});
    site.result(ops::Where, {site.node(ops::Equal, {x, zero}), zero, below});
    return true;
}

// sin(pi x) / (pi x)
bool sinc(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId x = site.in_as("self", dtype), angle = site.node(ops::Mul, {x, site.scalar("pi", pi, dtype)});
    const ValueId at_zero = site.node(ops::Equal, {x, site.scalar("zero", 0.0, dtype)});
    site.result(ops::Where, {at_zero, site.scalar("one", 1.0, dtype), site.node(ops::Div, {site.node(ops::Sin, {angle}), angle})});
    return true;
}

bool scaled_angle(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const double scale = site.of().target.find("deg2rad") != std::string::npos ? pi / 180 : 180 / pi;
    site.result(ops::Mul, {site.in_as("self", dtype), site.scalar("scale", scale, dtype)});
    return true;
}

bool float_power(Site& site) {
    const DType dtype = site.out_meta().dtype;
    site.result(ops::Pow, {site.in_as("self", dtype), site.in_as("exponent", dtype)});
    return true;
}

bool is_one_infinity(Site& site) {
    const bool above = site.of().target.find("isposinf") != std::string::npos;
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
    const ValueId odd = site.node(ops::Or, {site.node(ops::IsNaN, {x}), site.node(ops::IsInf, {x})});
    const ValueId plain = site.node(ops::Where, {odd, site.scalar("least", -1e300, wide), x});
    const ValueId most = site.node(ops::ReduceMax, {plain, site.numbers("axes", {axis})});
    const ValueId sums =
        site.node(ops::CumSum, {site.node(ops::Exp, {site.node(ops::Sub, {x, most})}), site.scalar("axis", axis, DType::i64)});
    site.result_as(site.node(ops::Add, {site.node(ops::Log, {sums}), most}), wide);
    return true;
}

constexpr std::array special_table{
    MapRow{"aten.xlogy aten.special_xlog1py", "Log Mul Where", x_log},
    MapRow{"aten.special_entr", "Log Mul Neg Where", entropy},
    MapRow{"aten.sinc", "Sin Div Where", sinc},
    MapRow{"aten.deg2rad aten.rad2deg", "Mul", scaled_angle},
    MapRow{"aten.float_power", "Pow, in float64", float_power},
    MapRow{"aten.isneginf aten.isposinf", "IsInf", is_one_infinity},
    MapRow{"aten.logcumsumexp", "ReduceMax Exp CumSum Log, in float64", running_log_sum},
};

}  // namespace

std::span<const MapRow> special_rows() { return special_table; }

}  // namespace quern::torch_format
