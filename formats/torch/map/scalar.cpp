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

std::string name_of_target(const Site& site) { return site.of().target.substr(site.of().target.find('.') + 1); }

// Floor, as Python's // and % have it.
int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

std::optional<int64_t> known_result(const std::string& name, int64_t a, int64_t b) {
    int64_t result = 0;
    if (name == "add") return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    if (name == "sub") return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    if (name == "mul") return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    if (name == "floordiv" && b > 0) return floor_div(a, b);
    if (name == "mod" && b > 0) return a - floor_div(a, b) * b;
    if (name == "sym_max") return std::max(a, b);
    if (name == "sym_min") return std::min(a, b);
    return std::nullopt;
}

struct Pair {
    std::string_view torch;
    OpId ours;
};
constexpr std::array numbers{Pair{"add", ops::Add},     Pair{"sub", ops::Sub},     Pair{"mul", ops::Mul},
                             Pair{"sym_max", ops::Max}, Pair{"sym_min", ops::Min}, Pair{"mod", ops::Mod}};
constexpr std::array comparisons{Pair{"eq", ops::Equal},       Pair{"ne", ops::Equal},   Pair{"lt", ops::Less},
                                 Pair{"le", ops::LessOrEqual}, Pair{"gt", ops::Greater}, Pair{"ge", ops::GreaterOrEqual}};

bool arithmetic(Site& site) {
    const std::string name = name_of_target(site);
    const Argument &a = operand(site, 0), &b = operand(site, 1);
    const DType dtype = is_float(site, a) || is_float(site, b) || name == "truediv" ? DType::f32 : DType::i64;
    if (dtype == DType::i64) {
        const Number left = site.number(a), right = site.number(b);
        if (left.known && right.known)
            if (const auto known = known_result(name, *left.known, *right.known)) {
                site.bind(Number{.known = known});
                return true;
            }
    }
    const ValueId x = site.in_as(a, dtype), y = site.in_as(b, dtype);
    if (name == "floordiv") {
        const ValueId quotient = site.add(ops::Floor, {site.add(ops::Div, {site.cast(x, DType::f64), site.cast(y, DType::f64)})});
        site.bind(Number{.value = site.cast(quotient, dtype), .dtype = dtype});
        return true;
    }
    if (name == "truediv" || name == "pow") {
        site.bind(Number{.value = site.add(name == "pow" ? ops::Pow : ops::Div, {x, y}), .dtype = dtype});
        return true;
    }
    for (const Pair& pair : numbers)
        if (pair.torch == name) {
            site.bind(Number{.value = site.add(pair.ours, {x, y}), .dtype = dtype});
            return true;
        }
    return false;
}

bool comparison(Site& site) {
    const std::string name = name_of_target(site);
    const Argument &a = operand(site, 0), &b = operand(site, 1);
    const DType dtype = is_float(site, a) || is_float(site, b) ? DType::f32 : DType::i64;
    for (const Pair& pair : comparisons) {
        if (pair.torch != name) continue;
        ValueId made = site.add(pair.ours, {site.in_as(a, dtype), site.in_as(b, dtype)});
        if (name == "ne") made = site.add(ops::Not, {made});
        site.bind(Number{.value = made, .dtype = DType::boolean});
        return true;
    }
    return false;
}

bool logic(Site& site) {
    const std::string name = name_of_target(site);
    const ValueId x = site.in_as(operand(site, 0), DType::boolean);
    if (name == "sym_not")
        site.bind(Number{.value = site.add(ops::Not, {x}), .dtype = DType::boolean});
    else
        site.bind(Number{.value = site.add(name == "and_" ? ops::And : ops::Or, {x, site.in_as(operand(site, 1), DType::boolean)}),
                         .dtype = DType::boolean});
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

// To an integer, truncated or rounded to one side.
bool to_integer(Site& site) {
    const Argument& a = operand(site, 0);
    const std::string name = name_of_target(site);
    if (!is_float(site, a)) {
        site.bind(site.number(a));
        return true;
    }
    ValueId x = site.in_as(a, DType::f32);
    if (name == "ceil" || name == "floor") x = site.add(name == "ceil" ? ops::Ceil : ops::Floor, {x});
    site.bind(Number{.value = site.cast(x, DType::i64)});
    return true;
}
bool to_float(Site& site) {
    const ValueId x = site.in_as(operand(site, 0), DType::f32);
    const bool root = site.of().target.find("sqrt") != std::string::npos;
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
    MapRow{"_operator.add _operator.sub _operator.mul _operator.floordiv _operator.mod _operator.truediv _operator.pow torch.sym_max "
           "torch.sym_min",
           "Add Sub Mul Floor Div Mod Pow Max Min", arithmetic},
    MapRow{"_operator.eq _operator.ne _operator.lt _operator.le _operator.gt _operator.ge",
           "Equal Less LessOrEqual Greater GreaterOrEqual Not", comparison},
    MapRow{"_operator.and_ _operator.or_ torch.sym_not", "And Or Not", logic},
    MapRow{"_operator.neg", "Neg", neg},
    MapRow{"torch.sym_int math.trunc math.ceil math.floor", "Ceil Floor Cast", to_integer},
    MapRow{"torch.sym_float torch.sym_sqrt torch._sym_sqrt", "Cast Sqrt", to_float},
    MapRow{"torch.sym_ite", "Where", choose},
    MapRow{"aten._assert_scalar aten._assert_tensor_metadata aten.sym_constrain_range aten.sym_constrain_range_for_size aten._assert_async "
           "aten._functional_assert_async "
           "_guards_fn",
           "nothing", promise},
};

}  // namespace

std::span<const MapRow> scalar_rows() { return scalar_table; }

}  // namespace quern::torch_format
