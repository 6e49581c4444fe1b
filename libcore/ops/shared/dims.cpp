#include "libcore/ops/shared/dims.h"

#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

constexpr size_t longest_symbol = 48;  // longer expressions become unknown

std::optional<int64_t> compute(int64_t a, int64_t b, char op) {
    int64_t out = 0;
    switch (op) {
        case '+': return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
        case '-': return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
        case '*': return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
        case '/': return b == 0 || b == -1 ? std::nullopt : std::optional(a / b);
        case '<': return std::min(a, b);
        case '>': return std::max(a, b);
        default: throw bug("shape arithmetic with '{}'", op);
    }
}

bool is(const Dim& dim, int64_t number) { return number_of(dim) == number; }

std::string operand(const Dim& dim) {
    const std::string text = to_string(dim);
    return text.find_first_of("+-*/") == std::string::npos ? text : "(" + text + ")";
}

}  // namespace

std::optional<int64_t> number_of(const Dim& dim) {
    if (dim.known()) return dim.value;
    return negative_number(dim);
}

Dim dim_of_number(int64_t number) { return number < 0 ? negative_dim(number) : Dim::of(number); }

std::optional<std::vector<int64_t>> known_integers(const InferCtx& ctx, size_t i) {
    if (!ctx.has_in(i)) return std::nullopt;
    if (const Tensor* t = ctx.constant(i)) return to_ints(*t);
    const auto* dims = ctx.dims_value(i);
    if (!dims) return std::nullopt;
    std::vector<int64_t> out;
    for (const Dim& dim : *dims) {
        const auto number = number_of(dim);
        if (!number) return std::nullopt;
        out.push_back(*number);
    }
    return out;
}

Dim checked_dim(const Dim& dim) {
    if (const auto number = number_of(dim); number && *number < 0) throw bad_input("dimension {} is negative", *number);
    return dim;
}

void forward_dims_value(InferCtx& ctx, size_t i) {
    if (const auto* dims = ctx.dims_value(i)) ctx.set_dims_value(0, *dims);
}

Dim combine(const Dim& a, const Dim& b, char op) {
    const auto x = number_of(a), y = number_of(b);
    if (x && y) {
        const auto number = compute(*x, *y, op);
        return number ? dim_of_number(*number) : Dim::unknown();
    }
    if ((is(b, 0) && (op == '+' || op == '-')) || (is(b, 1) && (op == '*' || op == '/'))) return a;
    if ((is(a, 0) && op == '+') || (is(a, 1) && op == '*')) return b;
    if (op == '-' && same(a, b)) return Dim::of(0);
    if (op == '/' && same(a, b)) return Dim::of(1);
    if ((op == '<' || op == '>') && same(a, b)) return a;
    const bool named = (x || !a.symbol.empty()) && (y || !b.symbol.empty());
    if (!named || op == '<' || op == '>') return Dim::unknown();
    std::string left = operand(a), right = operand(b);
    if ((op == '+' || op == '*') && (x || (!y && right < left))) std::swap(left, right);  // one spelling for both orders
    std::string text = left + op + right;
    return text.size() > longest_symbol ? Dim::unknown() : Dim::named(std::move(text));
}

void combine_dims_values(InferCtx& ctx, char op) {
    const auto *a = ctx.dims_value(0), *b = ctx.dims_value(1);
    if (!a || !b || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return;
    std::vector<Dim> out;
    const size_t count = a->empty() || b->empty() ? 0 : std::max(a->size(), b->size());
    for (size_t i = 0; i < count; ++i) out.push_back(combine((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i], op));
    ctx.set_dims_value(0, std::move(out));
}

Dim product_of(std::span<const Dim> dims) {
    Dim out = Dim::of(1);
    for (const Dim& dim : dims) {
        if (dim == Dim::of(0)) return dim;
        out = combine(out, dim, '*');
    }
    return out;
}

std::vector<bool> axis_flags(std::span<const int64_t> axes, size_t count) {
    std::vector<bool> flags(count);
    for (const int64_t axis : axes) {
        const size_t at = normal_axis(axis, count);
        if (flags[at]) throw bad_input("axis {} is named twice", axis);
        flags[at] = true;
    }
    return flags;
}

}  // namespace quern
