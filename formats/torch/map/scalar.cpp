// Numbers beside the tensors: sizes, and what is computed of them. What is known when the file is read stays a number.
#include <array>
#include <cmath>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

bool sym_size(Site& site) {
    const int64_t axis = site.axis("dim", site.rank("self"), 0);
    if (const int64_t known = site.dim("self", axis); known >= 0) {
        site.bind(Number{.known = known});
        return true;
    }
    const ValueId shape = site.add(ops::Shape, {site.in("self")});
    site.bind(Number{.value = site.add(ops::Gather, {shape, site.scalar(axis, DType::i64, "dim")}, {{"axis", int64_t{0}}})});
    return true;
}
bool sym_numel(Site& site) {
    site.bind(Number{.value = site.add(ops::Size, {site.in("self")})});
    return true;
}

// The element of a tensor of one.
bool item(Site& site) {
    const DType dtype = site.dtype("self");
    const DType kept = is_real(dtype) ? DType::f32 : dtype == DType::boolean ? dtype : DType::i64;
    ValueId value = site.in_as("self", kept);
    if (site.rank("self") != 0) value = site.reshape(value, {});
    site.bind(Number{.value = value, .dtype = kept});
    return true;
}

// Operands by place: they have names in some versions only.
const Argument& operand(const Site& site, size_t i) {
    if (const Argument* argument = site.arg(i)) return *argument;
    throw bad_input("operand {} is missing", i);
}

bool is_float(const Site& site, const Argument& argument) {
    return argument.kind == Argument::Kind::real || (argument.kind == Argument::Kind::symbol && site.number(argument).dtype == DType::f32);
}

// Floor, as Python's // and % have it.
int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

// Of numbers that are known; nullopt: left to the run.
using Known = std::optional<int64_t>(int64_t a, int64_t b);
template <bool (*function)(int64_t a, int64_t b, int64_t* result)>
std::optional<int64_t> unless_too_large(int64_t a, int64_t b) {
    int64_t result = 0;
    return function(a, b, &result) ? std::nullopt : std::optional(result);
}
bool sum_overflows(int64_t a, int64_t b, int64_t* result) { return __builtin_add_overflow(a, b, result); }
bool difference_overflows(int64_t a, int64_t b, int64_t* result) { return __builtin_sub_overflow(a, b, result); }
bool product_overflows(int64_t a, int64_t b, int64_t* result) { return __builtin_mul_overflow(a, b, result); }
std::optional<int64_t> quotient(int64_t a, int64_t b) { return b > 0 ? std::optional(floor_div(a, b)) : std::nullopt; }
std::optional<int64_t> rest(int64_t a, int64_t b) { return b > 0 ? std::optional(a - floor_div(a, b) * b) : std::nullopt; }
std::optional<int64_t> greater(int64_t a, int64_t b) { return std::max(a, b); }
std::optional<int64_t> lesser(int64_t a, int64_t b) { return std::min(a, b); }
std::optional<int64_t> at_run(int64_t, int64_t) { return std::nullopt; }

ValueId floor_of_quotient(Site& site, ValueId x, ValueId y) {
    const ValueId wide_x = site.cast(x, DType::f64), wide_y = site.cast(y, DType::f64);
    return site.cast(site.add(ops::Floor, {site.add(ops::Div, {wide_x, wide_y})}), site.dtype_of(x));
}
template <const OpId& op>
ValueId of_both(Site& site, ValueId x, ValueId y) {
    return site.add(op, {x, y});
}

template <ValueId (*make)(Site& site, ValueId x, ValueId y), Known* known, bool real = false>
bool arithmetic(Site& site) {
    const Argument &a = operand(site, 0), &b = operand(site, 1);
    const DType dtype = real || is_float(site, a) || is_float(site, b) ? DType::f32 : DType::i64;
    if (dtype == DType::i64) {
        const Number left = site.number(a), right = site.number(b);
        if (left.known && right.known)
            if (const auto result = known(*left.known, *right.known)) {
                site.bind(Number{.known = result});
                return true;
            }
    }
    const ValueId x = site.in_as(a, dtype), y = site.in_as(b, dtype);
    site.bind(Number{.value = make(site, x, y), .dtype = dtype});
    return true;
}

template <const OpId& op, bool opposite = false>
bool comparison(Site& site) {
    const Argument &a = operand(site, 0), &b = operand(site, 1);
    const DType dtype = is_float(site, a) || is_float(site, b) ? DType::f32 : DType::i64;
    ValueId made = site.add(op, {site.in_as(a, dtype), site.in_as(b, dtype)});
    if (opposite) made = site.add(ops::Not, {made});
    site.bind(Number{.value = made, .dtype = DType::boolean});
    return true;
}

template <const OpId& op>
bool logic(Site& site) {
    const ValueId x = site.in_as(operand(site, 0), DType::boolean), y = site.in_as(operand(site, 1), DType::boolean);
    site.bind(Number{.value = site.add(op, {x, y}), .dtype = DType::boolean});
    return true;
}
bool logical_not(Site& site) {
    site.bind(Number{.value = site.add(ops::Not, {site.in_as(operand(site, 0), DType::boolean)}), .dtype = DType::boolean});
    return true;
}

bool neg(Site& site) {
    const Argument& a = operand(site, 0);
    const DType dtype = is_float(site, a) ? DType::f32 : DType::i64;
    if (dtype == DType::i64)
        if (const Number number = site.number(a); number.known && *number.known > INT64_MIN) {
            site.bind(Number{.known = -*number.known});
            return true;
        }
    site.bind(Number{.value = site.add(ops::Neg, {site.in_as(a, dtype)}), .dtype = dtype});
    return true;
}

// To an integer, truncated or rounded to one side before.
bool to_integer_by(Site& site, std::optional<OpId> rounding) {
    const Argument& a = operand(site, 0);
    if (!is_float(site, a)) {
        site.bind(site.number(a));
        return true;
    }
    ValueId x = site.in_as(a, DType::f32);
    if (rounding) x = site.add(*rounding, {x});
    site.bind(Number{.value = site.cast(x, DType::i64)});
    return true;
}
bool to_integer(Site& site) { return to_integer_by(site, std::nullopt); }
template <const OpId& op>
bool rounded(Site& site) {
    return to_integer_by(site, op);
}
template <bool root>
bool to_float(Site& site) {
    const ValueId x = site.in_as(operand(site, 0), DType::f32);
    site.bind(Number{.value = root ? site.add(ops::Sqrt, {x}) : x, .dtype = DType::f32});
    return true;
}
bool choose(Site& site) {
    const Argument &a = operand(site, 1), &b = operand(site, 2);
    const DType dtype = is_float(site, a) || is_float(site, b) ? DType::f32 : DType::i64;
    site.bind(
        Number{.value = site.add(ops::Where, {site.in_as(operand(site, 0), DType::boolean), site.in_as(a, dtype), site.in_as(b, dtype)}),
               .dtype = dtype});
    return true;
}

// Promises about numbers have no results.
bool promise(Site& site) {
    for (size_t i = 0; i < site.out_count(); ++i)
        if (site.arg("self") && site.arg("self")->kind == Argument::Kind::tensor) site.bind(site.in("self"), i);
    return true;
}

constexpr std::array scalar_table{
    MapRow{"aten.sym_size", "Shape Gather", sym_size},
    MapRow{"aten.sym_numel", "Size", sym_numel},
    MapRow{"aten.item aten._local_scalar_dense", "Reshape", item},
    MapRow{"_operator.add", "Add", arithmetic<of_both<ops::Add>, unless_too_large<sum_overflows>>},
    MapRow{"_operator.sub", "Sub", arithmetic<of_both<ops::Sub>, unless_too_large<difference_overflows>>},
    MapRow{"_operator.mul", "Mul", arithmetic<of_both<ops::Mul>, unless_too_large<product_overflows>>},
    MapRow{"_operator.floordiv", "Div Floor", arithmetic<floor_of_quotient, quotient>},
    MapRow{"_operator.mod", "Mod", arithmetic<of_both<ops::Mod>, rest>},
    MapRow{"_operator.truediv", "Div", arithmetic<of_both<ops::Div>, at_run, true>},
    MapRow{"_operator.pow", "Pow", arithmetic<of_both<ops::Pow>, at_run>},
    MapRow{"torch.sym_max", "Max", arithmetic<of_both<ops::Max>, greater>},
    MapRow{"torch.sym_min", "Min", arithmetic<of_both<ops::Min>, lesser>},
    MapRow{"_operator.eq", "Equal", comparison<ops::Equal>},
    MapRow{"_operator.ne", "Equal Not", comparison<ops::Equal, true>},
    MapRow{"_operator.lt", "Less", comparison<ops::Less>},
    MapRow{"_operator.le", "LessOrEqual", comparison<ops::LessOrEqual>},
    MapRow{"_operator.gt", "Greater", comparison<ops::Greater>},
    MapRow{"_operator.ge", "GreaterOrEqual", comparison<ops::GreaterOrEqual>},
    MapRow{"_operator.and_", "And", logic<ops::And>},
    MapRow{"_operator.or_", "Or", logic<ops::Or>},
    MapRow{"torch.sym_not", "Not", logical_not},
    MapRow{"_operator.neg", "Neg", neg},
    MapRow{"torch.sym_int math.trunc", "Cast", to_integer},
    MapRow{"math.ceil", "Ceil Cast", rounded<ops::Ceil>},
    MapRow{"math.floor", "Floor Cast", rounded<ops::Floor>},
    MapRow{"torch.sym_float", "Cast", to_float<false>},
    MapRow{"torch.sym_sqrt torch._sym_sqrt", "Cast Sqrt", to_float<true>},
    MapRow{"torch.sym_ite", "Where", choose},
    MapRow{"aten._assert_scalar aten._assert_tensor_metadata aten.sym_constrain_range aten.sym_constrain_range_for_size aten._assert_async "
           "aten._functional_assert_async "
           "_guards_fn",
           "nothing", promise},
};

}  // namespace

std::span<const MapRow> scalar_rows() { return scalar_table; }

}  // namespace quern::torch_format
