// Functions of one number and of two, broadcast: in float, and of codes by tables.
#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/opencl/functions.h"
#include "libcore/opencl/lowering.h"

namespace quern::opencl {
namespace {

size_t items_of(const Operand& y) { return static_cast<size_t>(y.count()); }

// The numbers u and v of a function by its node's attributes.
std::pair<float, float> numbers_of(const UnaryFunction& function, const Node& node) {
    return {node.real(function.attributes[0].name, function.attributes[0].fallback),
            node.real(function.attributes[1].name, function.attributes[1].fallback)};
}

int64_t lowest_code(const Operand& x) { return x.tag == "s8" ? -128 : x.tag == "s16" ? -32768 : 0; }
size_t codes_in(const Operand& x) { return x.tag == "s8" || x.tag == "u8" ? 256 : 65536; }

// Codes of y for every code of x.
std::vector<std::byte> table_of(const UnaryFunction& function, const Operand& x, const Operand& y, std::pair<float, float> numbers) {
    std::vector<int16_t> wide;
    std::vector<int8_t> narrow;
    for (size_t i = 0; i < codes_in(x); ++i) {
        const auto code = static_cast<int32_t>(lowest_code(x) + static_cast<int64_t>(i));
        const float real = (static_cast<float>(code) - static_cast<float>(x.zero)) * x.scale;
        const int32_t result = code_of(function.compute(real, numbers.first, numbers.second), y.scale, y.zero, y.low, y.high);
        codes_in(y) == 256 ? narrow.push_back(static_cast<int8_t>(result)) : wide.push_back(static_cast<int16_t>(result));
    }
    return codes_in(y) == 256 ? bytes_of_items(narrow) : bytes_of_items(wide);
}

void add_unary(Lowering& to, const Node& node, const UnaryFunction& function, std::pair<float, float> numbers) {
    to.need_one_result(node);
    const Operand x = to.real_in(node, 0), y = to.result(node);
    to.need_dims(node, x.dims);
    const size_t count = items_of(y);
    if (x.coded && y.coded) {
        const size_t bytes = codes_in(x) * (codes_in(y) == 256 ? 1 : 2);
        const Operand table =
            to.constant(y.tag, {static_cast<int64_t>(codes_in(x))}, bytes, [=] { return table_of(function, x, y, numbers); });
        to.add(node, "table", y, {x, table}, "", {static_cast<int32_t>(count), static_cast<int32_t>(lowest_code(x))}, {count, 1, 1});
        return;
    }
    if (!function.exact) to.need_doubles(y, node.op);
    to.add(node, "unary", y, {x}, fmt::format("-DFN={}{}", function.kernel, y.coded && !function.exact ? " -DWIDE" : ""),
           {static_cast<int32_t>(count), bits(numbers.first), bits(numbers.second)}, {count, 1, 1});
}

void lower_unary(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 1);
    const UnaryFunction& function = unary_function(node.op);
    add_unary(to, node, function, numbers_of(function, node));
}

void lower_gelu(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 1);
    add_unary(to, node, unary_function(node.text("approximate", "none") == "tanh" ? "GeluTanh" : "Gelu"), {0, 0});
}

void lower_clip(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 3);
    float low = 0, high = 0;
    if (!activation_limits(to.net, node, low, high)) throw refused("its bounds are not constants in order");
    add_unary(to, node, unary_function("Clip"), {low, high});
}

// ---- functions of two numbers ----

struct Binary {
    std::string_view op, kernel;
};
constexpr Binary binaries[] = {
    {"Add", "fn_add"},
    {"Sub", "fn_sub"},
    {"Mul", "fn_mul"},
    {"Div", "fn_div"},
    {"Min", "fn_min"},
    {"Max", "fn_max"},
    {"Pow", "fn_pow"},
    {"PRelu", "fn_prelu"},
    {"Sum", "fn_add"},
    {"Mean", "fn_add"},
    {"Equal", "fn_equal"},
    {"Less", "fn_less"},
    {"Greater", "fn_greater"},
    {"LessOrEqual", "fn_less_or_equal"},
    {"GreaterOrEqual", "fn_greater_or_equal"},
};

std::string_view kernel_of(const Node& node) { return std::ranges::find(binaries, node.op, &Binary::op)->kernel; }

// The rank of a walk over both operands, and its numbers behind those that are there; 0: all lie alike.
size_t append_walk(std::vector<int32_t>& numbers, const Operand& y, const Operand& a, const Operand& b) {
    if (a.dims == y.dims && b.dims == y.dims) return 0;
    Walk walk = joined(y.dims, {broadcast_steps(a.dims, y.dims), broadcast_steps(b.dims, y.dims)});
    if (walk.lengths.empty()) walk = {{1}, {{0}, {0}}};
    for (size_t i = 0; i < walk.lengths.size(); ++i)
        for (const int64_t number : {walk.lengths[i], walk.steps[0][i], walk.steps[1][i]}) numbers.push_back(static_cast<int32_t>(number));
    return walk.lengths.size();
}

void add_binary(Lowering& to, const Node& node, const Operand& y, const Operand& a, const Operand& b) {
    add_pair(to, node, kernel_of(node), y, a, b);
}

// Add and Mul of codes as QLinearAdd and QLinearMul: one function of both codes, with the activation behind it if that does nothing to
// codes. False: this is none.
bool lower_pair(Lowering& to, const Node& node, const Operand& a, const Operand& b) {
    if (node.op != "Add" && node.op != "Mul") return false;
    float low = 0, high = 0;
    const Node* behind = activation_behind(to, node, low, high);
    const Node& last = behind && !to.out(node).encoding ? *behind : node;
    if (!to.out(last).encoding) return false;
    const Operand y = to.result(last);
    if (!are_plain_bytes(y, {a, b})) return false;
    if (&last != &node) {
        if (code_of(low, y.scale, y.zero, y.low, y.high) != y.low || code_of(high, y.scale, y.zero, y.low, y.high) != y.high) return false;
        to.take(last);
    }
    const size_t count = items_of(y);
    std::vector<int32_t> numbers{static_cast<int32_t>(count)};
    const auto za = static_cast<float>(a.zero), zb = static_cast<float>(b.zero), zy = static_cast<float>(y.zero);
    if (node.op == "Add") {
        const float fa = a.scale / y.scale, fb = b.scale / y.scale;
        numbers.insert(numbers.end(), {bits(fa), bits(fb), bits(zy - (fa * za + fb * zb)), 0, 0});
    } else {
        numbers.insert(numbers.end(), {bits(za), bits(zb), bits(a.scale * b.scale / y.scale), bits(zy), 0});
    }
    const size_t rank = append_walk(numbers, y, a, b);
    to.add(node, "pairs", y, {a, b}, fmt::format("{}-DRANK={}", node.op == "Add" ? "-DSUM " : "", rank), std::move(numbers), {count, 1, 1});
    return true;
}

void lower_binary(Lowering& to, const Node& node) {
    to.need_operands(node, 2, 2);
    to.need_dims(node, node.op == "PRelu" ? to.in(node, 0).dims : broadcast(to.in(node, 0).dims, to.in(node, 1).dims));
    const Operand a = to.real_in(node, 0), b = to.real_in(node, 1);
    if (to.net.integer && lower_pair(to, node, a, b)) return;
    const Operand y = to.result(node);
    if (node.op == "Pow" && y.coded) throw refused("its codes hang on the last bit of a power");
    add_binary(to, node, y, a, b);
}

void lower_comparison(Lowering& to, const Node& node) {
    to.need_operands(node, 2, 2);
    const Operand a = to.real_in(node, 0), b = to.real_in(node, 1), y = to.stored(node.outputs.at(0));
    if (y.tag != "b8") throw broken("\"{}\" is not bool", to.out(node).name);
    to.need_dims(node, broadcast(a.dims, b.dims));
    add_binary(to, node, y, a, b);
}

// One after the other, rounded at the end.
void lower_fold(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 64);
    Operand sum = to.real_in(node, 0);
    const Operand y = to.result(node);
    Dims dims = sum.dims;
    for (size_t i = 1; i < node.inputs.size(); ++i) dims = broadcast(dims, to.in(node, i).dims);
    to.need_dims(node, dims);
    const bool mean = node.op == "Mean", alone = node.inputs.size() == 1;
    for (size_t i = 1; i < node.inputs.size(); ++i) {
        const Operand next = to.real_in(node, i);
        const Operand into = i + 1 == node.inputs.size() && !mean ? y : to.scratch(broadcast(sum.dims, next.dims));
        add_binary(to, node, into, sum, next);
        sum = into;
    }
    const size_t count = items_of(y);
    if (mean)
        to.add(node, "unary", y, {sum}, "-DFN=fn_divided", {static_cast<int32_t>(count), bits(static_cast<float>(node.inputs.size())), 0},
               {count, 1, 1});
    else if (alone)
        to.add(node, "unary", y, {sum}, "-DFN=fn_identity", {static_cast<int32_t>(count), 0, 0}, {count, 1, 1});
}

void lower_where(Lowering& to, const Node& node) {
    to.need_operands(node, 3, 3);
    const Operand c = to.stored(node.inputs[0]), a = to.stored(node.inputs[1]), b = to.stored(node.inputs[2]),
                  y = to.stored(node.outputs.at(0));
    if (c.tag != "b8") throw broken("the condition is not bool");
    if (!same_storage(a, y) || !same_storage(b, y)) throw refused("its operands are stored otherwise than its result");
    to.need_dims(node, broadcast(c.dims, broadcast(a.dims, b.dims)));
    const Walk walk = joined(y.dims, {broadcast_steps(c.dims, y.dims), broadcast_steps(a.dims, y.dims), broadcast_steps(b.dims, y.dims)});
    const size_t count = items_of(y);
    std::vector<int32_t> numbers{static_cast<int32_t>(count)};
    for (size_t i = 0; i < walk.lengths.size(); ++i)
        for (const int64_t number : {walk.lengths[i], walk.steps[0][i], walk.steps[1][i], walk.steps[2][i]})
            numbers.push_back(static_cast<int32_t>(number));
    to.add(node, "where", y, {c, a, b}, fmt::format("-DRANK={}", walk.lengths.size()), std::move(numbers), {count, 1, 1});
}

constexpr OpRow table[] = {
    {"Relu", lower_unary},
    {"LeakyRelu", lower_unary},
    {"ThresholdedRelu", lower_unary},
    {"Sigmoid", lower_unary},
    {"Swish", lower_unary},
    {"Tanh", lower_unary},
    {"Erf", lower_unary},
    {"HardSigmoid", lower_unary},
    {"HardSwish", lower_unary},
    {"Softplus", lower_unary},
    {"Softsign", lower_unary},
    {"Elu", lower_unary},
    {"Celu", lower_unary},
    {"Selu", lower_unary},
    {"Mish", lower_unary},
    {"Exp", lower_unary},
    {"Log", lower_unary},
    {"Sqrt", lower_unary},
    {"Sin", lower_unary},
    {"Cos", lower_unary},
    {"Neg", lower_unary},
    {"Abs", lower_unary},
    {"Sign", lower_unary},
    {"Reciprocal", lower_unary},
    {"Floor", lower_unary},
    {"Ceil", lower_unary},
    {"Round", lower_unary},
    {"Gelu", lower_gelu},
    {"Clip", lower_clip},
    {"Add", lower_binary},
    {"Sub", lower_binary},
    {"Mul", lower_binary},
    {"Div", lower_binary},
    {"Pow", lower_binary},
    {"PRelu", lower_binary},
    {"Min", lower_fold},
    {"Max", lower_fold},
    {"Sum", lower_fold},
    {"Mean", lower_fold},
    {"Equal", lower_comparison},
    {"Less", lower_comparison},
    {"LessOrEqual", lower_comparison},
    {"Greater", lower_comparison},
    {"GreaterOrEqual", lower_comparison},
    {"Where", lower_where},
};

}  // namespace

void add_pair(Lowering& to, const Node& node, std::string_view kernel, const Operand& y, const Operand& a, const Operand& b) {
    const size_t count = items_of(y);
    std::vector<int32_t> numbers{static_cast<int32_t>(count)};
    const size_t rank = append_walk(numbers, y, a, b);
    to.add(node, "binary", y, {a, b}, fmt::format("-DFN={} -DRANK={}", kernel, rank), std::move(numbers), {count, 1, 1});
}

std::span<const OpRow> elementwise_rows() { return table; }

}  // namespace quern::opencl
