// Comparisons, logic, bits and selection: elementwise operators that are not arithmetic.
#include <array>
#include <cstring>
#include <functional>

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/quant_rules.h"

namespace quern {
namespace {

// ---- comparisons ---------------------------------------------------------------------------------------------------------

template <auto fn>
void eval_compare(EvalCtx& ctx) {
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    need_same_type(a, b);
    const Dims dims = broadcast(a.dims, b.dims);
    const auto out = ctx.out_as<bool>(0, dims);
    if (out.empty()) return;
    with_ordered(a.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(a), y(b);
        zip_spans(x.span().data(), a.dims, y.span().data(), b.dims, out.data(), dims, fn);
    });
}

void equal_strings(EvalCtx& ctx) {
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    const Dims dims = broadcast(a.dims, b.dims);
    const BroadcastIndex at_a(a.dims, dims), at_b(b.dims, dims);
    const auto out = ctx.out_as<bool>(0, dims);
    for (size_t i = 0; i < out.size(); ++i) out[i] = string_at(a, at_a(i)) == string_at(b, at_b(i));
}

void eval_equal(EvalCtx& ctx) {
    if (ctx.need(0).dtype == DType::string && ctx.need(1).dtype == DType::string) return equal_strings(ctx);
    eval_compare<std::equal_to<>{}>(ctx);
}

// Whether two dims are equal, as 0 or 1, if that is certain.
Dim equal_dims(const Dim& a, const Dim& b) {
    const auto x = number_of(a), y = number_of(b);
    if (x && y) return Dim::of(*x == *y);
    if (same(a, b)) return Dim::of(1);
    if ((x && *x < 0) || (y && *y < 0)) return Dim::of(0);
    return Dim::unknown();
}

void infer_equal(InferCtx& ctx) {
    infer_compare(ctx);
    const auto *a = ctx.dims_value(0), *b = ctx.dims_value(1);
    if (!a || !b || a->empty() || b->empty() || (a->size() != b->size() && a->size() != 1 && b->size() != 1)) return;
    std::vector<Dim> out;
    for (size_t i = 0; i < std::max(a->size(), b->size()); ++i)
        out.push_back(equal_dims((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]));
    ctx.set_dims_value(0, std::move(out));
}

// ---- logic ---------------------------------------------------------------------------------------------------------------

template <auto fn>
void eval_logic(EvalCtx& ctx) {
    const Tensor &a = ctx.need(0), &b = ctx.need(1);
    need_type(a.dtype, DType::boolean, "input 0");
    need_type(b.dtype, DType::boolean, "input 1");
    const Dims dims = broadcast(a.dims, b.dims);
    const auto out = ctx.out_as<bool>(0, dims);
    if (!out.empty()) zip_spans(a.view<bool>().data(), a.dims, b.view<bool>().data(), b.dims, out.data(), dims, fn);
}
void eval_not(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    need_type(x.dtype, DType::boolean, "input 0");
    const auto in = x.view<bool>();
    const auto out = ctx.out_as<bool>(0, x.dims);
    for (size_t i = 0; i < in.size(); ++i) out[i] = !in[i];
}

// ---- bits ----------------------------------------------------------------------------------------------------------------

// fn on integers; it sees them sign- or zero-extended to 64 bits.
template <class Fn>
void zip_bits(EvalCtx& ctx, const Fn& fn) {
    need_type(ctx.need(0).dtype, dtypes::ints, "input 0");
    zip_elements(ctx, [&](auto x, auto y) {
        if constexpr (std::is_integral_v<decltype(x)>)
            return fn(x, y);
        else
            return x;
    });
}
void eval_bitwise_not(EvalCtx& ctx) {
    need_type(ctx.need(0).dtype, dtypes::ints, "input 0");
    map_elements(ctx, [](auto x) {
        if constexpr (std::is_integral_v<decltype(x)>)
            return static_cast<decltype(x)>(~x);
        else
            return x;
    });
}

template <auto fn>
void eval_bits(EvalCtx& ctx) {
    zip_bits(ctx, fn);
}

void eval_bit_shift(EvalCtx& ctx) {
    const std::string direction = ctx.text("direction");
    if (direction != "LEFT" && direction != "RIGHT") throw bad_input("direction is \"{}\", need LEFT or RIGHT", direction);
    const bool left = direction == "LEFT";
    zip_bits(ctx, [left](auto x, auto y) {
        using T = decltype(x);
        if (y < T{0}) throw bad_input("shift by {} bits, need 0 or more", y);
        if (y > T{63}) return !left && x < T{0} ? static_cast<T>(-1) : T{0};
        return left ? static_cast<T>(static_cast<uint64_t>(x) << y) : static_cast<T>(x >> y);
    });
}

// ---- Where ---------------------------------------------------------------------------------------------------------------

Dim chosen(const Dim& condition, const Dim& x, const Dim& y) {
    const auto truth = number_of(condition);
    if (truth) return *truth ? x : y;
    return same(x, y) ? x : Dim::unknown();
}

void infer_where(InferCtx& ctx) {
    const Shape shape = broadcast(ctx.shape(0), broadcast(ctx.shape(1), ctx.shape(2)));
    ctx.set(0, Type::tensor(ctx.dtype(1) == DType::none ? ctx.dtype(2) : ctx.dtype(1), shape));
    const std::vector<Dim>* in[3] = {ctx.dims_value(0), ctx.dims_value(1), ctx.dims_value(2)};
    size_t count = 1;
    for (const auto* dims : in) {
        if (!dims || dims->empty()) return;
        if (dims->size() != 1 && count != 1 && dims->size() != count) return;
        count = std::max(count, dims->size());
    }
    const auto at = [](const std::vector<Dim>& dims, size_t i) { return dims[dims.size() == 1 ? 0 : i]; };
    std::vector<Dim> out;
    for (size_t i = 0; i < count; ++i) out.push_back(chosen(at(*in[0], i), at(*in[1], i), at(*in[2], i)));
    ctx.set_dims_value(0, std::move(out));
}

// The strides of `in` (in bytes) as an array of the broadcast `dims`: 0 along repeated dims.
std::vector<int64_t> repeated_strides(std::span<const int64_t> in, std::span<const int64_t> dims, size_t element) {
    const auto strides = byte_strides(in, element);
    std::vector<int64_t> out(dims.size(), 0);
    for (size_t i = 0; i < in.size(); ++i)
        if (in[i] != 1) out[dims.size() - in.size() + i] = strides[i];
    return out;
}

void broadcast_copy(std::byte* to, const std::byte* from, std::span<const int64_t> in, std::span<const int64_t> dims, size_t element) {
    copy_strided(to, byte_strides(dims, element), from, repeated_strides(in, dims, element), dims, element);
}

// to[i] = from[i] where condition[i].
template <size_t size>
void take(std::byte* to, const std::byte* from, std::span<const std::byte> condition) {
    for (size_t i = 0; i < condition.size(); ++i)
        if (condition[i] != std::byte{0}) std::memcpy(to + i * size, from + i * size, size);
}

void eval_where(EvalCtx& ctx) {
    const Tensor &c = ctx.need(0), &a = ctx.need(1), &b = ctx.need(2);
    need_type(c.dtype, DType::boolean, "input 0");
    need_same_type(a, b);
    const Dims dims = broadcast(c.dims, broadcast(a.dims, b.dims));
    const Elements x(a), y(b);
    ElementsOut out(ctx, 0, a.dtype, dims);
    if (out.count() > 0) {
        broadcast_copy(out.data(), y.data(), b.dims, dims, y.size());
        std::vector<std::byte> condition(out.count()), repeated;
        broadcast_copy(condition.data(), c.data.data(), c.dims, dims, 1);
        const std::byte* from = x.data();
        if (a.dims != dims) {
            repeated.resize(out.count() * x.size());
            broadcast_copy(repeated.data(), x.data(), a.dims, dims, x.size());
            from = repeated.data();
        }
        switch (x.size()) {
            case 1: take<1>(out.data(), from, condition); break;
            case 2: take<2>(out.data(), from, condition); break;
            case 4: take<4>(out.data(), from, condition); break;
            case 8: take<8>(out.data(), from, condition); break;
            default: take<16>(out.data(), from, condition); break;
        }
    }
    out.finish();
}

// ---- rows ----------------------------------------------------------------------------------------------------------------

constexpr Op comparison(std::string_view name, void (*infer)(InferCtx&), void (*eval)(EvalCtx&), Formula formula, DTypes types, Trait more,
                        std::string_view doc) {
    return elementwise({.name = name,
                        .in = {2, 2},
                        .traits = Trait::elementwise | more,
                        .types = types,
                        .infer = infer,
                        .eval = eval,
                        .formula = formula,
                        .doc = doc});
}
constexpr std::array shift_attrs{AttrDef{"direction", AttrKind::text, "", true}};
constexpr Trait symmetric = Trait::commutative;

constexpr std::array compare_table{
    comparison("Equal", infer_equal, eval_equal, of_all("u == v"), dtypes::numbers | DType::boolean | DType::string, symmetric, "a = b"),
    comparison("Greater", infer_compare, eval_compare<std::greater<>{}>, of_all("u > v"), dtypes::numbers, Trait::none, "a > b"),
    comparison("Less", infer_compare, eval_compare<std::less<>{}>, of_all("u < v"), dtypes::numbers, Trait::none, "a < b"),
    comparison("GreaterOrEqual", infer_compare, eval_compare<std::greater_equal<>{}>, of_all("u >= v"), dtypes::numbers, Trait::none,
               "a >= b"),
    comparison("LessOrEqual", infer_compare, eval_compare<std::less_equal<>{}>, of_all("u <= v"), dtypes::numbers, Trait::none, "a <= b"),
    comparison("And", infer_broadcast, eval_logic<std::bit_and<>{}>, {"", "u && v"}, DType::boolean, symmetric, "both are true"),
    comparison("Or", infer_broadcast, eval_logic<std::bit_or<>{}>, {"", "u || v"}, DType::boolean, symmetric, "one or both are true"),
    comparison("Xor", infer_broadcast, eval_logic<std::bit_xor<>{}>, {"", "!u != !v"}, DType::boolean, symmetric, "exactly one is true"),
    elementwise({.name = "Not",
                 .traits = pointwise,
                 .types = DType::boolean,
                 .infer = infer_same,
                 .eval = eval_not,
                 .formula = {"", "!u"},
                 .doc = "true becomes false and false true"}),
    comparison("BitwiseAnd", infer_broadcast, eval_bits<std::bit_and<>{}>, {"", "u & v"}, dtypes::ints, symmetric,
               "bits that are set in both"),
    comparison("BitwiseOr", infer_broadcast, eval_bits<std::bit_or<>{}>, {"", "u | v"}, dtypes::ints, symmetric,
               "bits that are set in one or both"),
    comparison("BitwiseXor", infer_broadcast, eval_bits<std::bit_xor<>{}>, {"", "u ^ v"}, dtypes::ints, symmetric,
               "bits that are set in exactly one"),
    elementwise({.name = "BitwiseNot",
                 .traits = pointwise,
                 .types = dtypes::ints,
                 .infer = infer_same,
                 .eval = eval_bitwise_not,
                 .formula = {"", "~u"},
                 .doc = "every bit turned over"}),
    elementwise({.name = "BitShift",
                 .in = {2, 2},
                 .attrs = shift_attrs,
                 .traits = pointwise,
                 .types = dtypes::ints,
                 .infer = infer_broadcast,
                 .eval = eval_bit_shift,
                 .doc = "bits shifted left or right"}),
    Op{.name = "Where",
       .in = {3, 3},
       .types = DType::boolean,
       .infer = infer_where,
       .eval = eval_where,
       .quant = QuantRule{.kind = rules::Kind::own, .activations = 6}.with(QuantTrait::hands_on),
       .layout = Layout::agnostic,
       .cost = cost_elementwise,
       .doc = "x where the condition holds, else y"},
};

}  // namespace

std::span<const Op> compare_ops() { return compare_table; }

}  // namespace quern
