// The tflite profile: sums, products, quotients and comparisons of codes in fixed point, and changes of encoding.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/code_of_real.h"
#include "libcore/integer/compare_codes.h"
#include "libcore/integer/divide_codes.h"
#include "libcore/integer/multiply_codes.h"
#include "libcore/integer/rescale_code.h"
#include "libcore/integer/square_difference.h"
#include "libcore/integer/sum_codes.h"
#include "libcore/integer/sum_of_powers.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/parameters.h"
#include "libcore/ops/shared/elements.h"

namespace quern {
namespace {

// 16-bit codes whose scales are powers of two: one operand has the result's scale, the other is shifted to it.
bool adds_powers(const Graph& graph, const Node& node, const Encoding& out) {
    int a = 0, b = 0, y = 0;
    return NodeView(node).has(powers_key) && out.storage == DType::i16 && is_power_of_two(scale_of(out), y) &&
           is_power_of_two(scale_of(*encoding_at(graph, node, 0)), a) && is_power_of_two(scale_of(*encoding_at(graph, node, 1)), b) &&
           std::max(a, b) == y && std::min(a, b) >= y - 15;
}

template <int sign>
void eval_sum_of_powers(EvalCtx& ctx) {
    each_pair(ctx, sum_of_powers, sum_of_powers_parameters(*ctx.in_encoding(0), *ctx.in_encoding(1), *ctx.out_encoding(0), sign));
}

template <int sign>
void eval_sum(EvalCtx& ctx) {
    each_pair(ctx, sum_codes, sum_parameters(*ctx.in_encoding(0), *ctx.in_encoding(1), *ctx.out_encoding(0), sign));
}

// Sub, and Mul of the difference with itself.
template <int bits>
void eval_squared_difference(EvalCtx& ctx) {
    each_pair(ctx, square_difference, squared_difference_parameters(*ctx.in_encoding(0), *ctx.in_encoding(1), *ctx.out_encoding(0), bits));
}

void eval_mul(EvalCtx& ctx) {
    each_pair(ctx, multiply_codes, product_parameters(*ctx.in_encoding(0), *ctx.in_encoding(1), *ctx.out_encoding(0)));
}

void eval_div(EvalCtx& ctx) {
    each_pair(ctx, divide_codes, quotient_parameters(*ctx.in_encoding(0), *ctx.in_encoding(1), *ctx.out_encoding(0)));
}

// `is` asks for an order below, at or above 0.
template <auto is>
void eval_compare(EvalCtx& ctx) {
    const compare_t t = compare_parameters(*ctx.in_encoding(0), *ctx.in_encoding(1), is(0) && !is(1) && !is(-1));
    map_pairs(ctx, DType::boolean, [&](int32_t a, int32_t b) { return is(compare_codes(a, b, &t)); });
}

// ---- changes of encoding -------------------------------------------------------------------------------------------------

// Codes to codes by one factor; real numbers to codes rounded with ties away from zero.
void eval_recode(EvalCtx& ctx) {
    const CodeGrid y(*ctx.out_encoding(0));
    if (const Encoding* from = ctx.in_encoding(0)) {
        const rescale_t t = recode_parameters(*from, *ctx.out_encoding(0));
        return map_codes(ctx, [&](int32_t code) { return rescale_code(code, &t); });
    }
    Codes codes;
    for (const float item : to_floats(ctx.need(0)))
        codes.push_back(code_of_real(item, y.scale, narrow(y.zero), narrow(y.least), narrow(y.greatest)));
    give_codes(ctx, ctx.need(0).dims, codes);
}

// Operands of other scales than the result's.
void eval_concat(EvalCtx& ctx) {
    const CodeGrid y(*ctx.out_encoding(0));
    const size_t count = ctx.node().in.size(), axis = normal_axis(ctx.integer("axis"), ctx.need(0).dims.size());
    Dims dims = ctx.need(0).dims;
    std::vector<Codes> parts;
    for (size_t i = 0; i < count; ++i) {
        const CodeGrid x(*ctx.in_encoding(i));
        parts.push_back(to_ints(ctx.need(i)));
        for (int64_t& code : parts.back()) code = concatenated(code, x, y);
        if (i > 0) dims[axis] += ctx.need(i).dims.at(axis);
    }
    Codes codes;
    const auto outer = static_cast<int64_t>(span_count(dims, 0, axis));
    for (int64_t row = 0; row < outer; ++row)
        for (const Codes& part : parts) {
            const int64_t width = static_cast<int64_t>(part.size()) / outer;
            codes.insert(codes.end(), part.begin() + row * width, part.begin() + (row + 1) * width);
        }
    give_codes(ctx, dims, codes);
}

// ---- what is taken -------------------------------------------------------------------------------------------------------

bool fits_concat(const Graph& graph, const Node& node, const Encoding& out) {
    bool same = true;
    for (size_t i = 0; i < node.in.size(); ++i) {
        if (node.in[i] == ValueId::none || !integer_grid(encoding_at(graph, node, i))) return false;
        const Encoding& x = *encoding_at(graph, node, i);
        if (x.storage != out.storage) return false;
        same &= same_grid(x, out);
    }
    return !same && integer_grid(out) && (out.storage == DType::u8 || out.storage == DType::i16);
}
constexpr Takes takes_concat{fits_concat, "operands in uint8 or int16 codes as the result, one scale each"};

bool fits_powers(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_two(graph, node, out) && adds_powers(graph, node, out);
}
constexpr Takes takes_powers{fits_powers, "int16 codes whose scales are powers of two, the attribute pot_scale_int16"};

bool fits_int8(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_two(graph, node, out) && out.storage == DType::i8;
}
constexpr Takes takes_int8{fits_int8, "two operands and the result in int8 codes, one scale each"};

bool fits_int16(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_two(graph, node, out) && out.storage == DType::i16;
}
constexpr Takes takes_int16{fits_int16, "two operands and the result in int16 codes, one scale each"};

bool squares(const Graph&, std::span<const Node* const> nodes) { return nodes[1]->in[0] == nodes[1]->in[1]; }

bool fits_compared(const Graph& graph, const Node& node, const Encoding&) {
    const auto &a = encoding_at(graph, node, 0), &b = encoding_at(graph, node, 1);
    return integer_grid(a) && integer_grid(b) && a->storage == b->storage && bits_of(a->storage) <= 16;
}
constexpr Takes takes_compared{fits_compared, "two operands in codes of one type of up to 16 bits, one scale each"};

bool fits_recode(const Graph& graph, const Node& node, const Encoding& out) {
    const auto& x = encoding_at(graph, node, 0);
    if (!integer_grid(out) || (x && !integer_grid(x))) return false;
    return bits_of(out.storage) <= 16 ? !x || bits_of(x->storage) <= 32 : out.storage == DType::i32 && x && bits_of(x->storage) <= 16;
}
constexpr Takes takes_recode{fits_recode, "one scale on both sides, codes of up to 16 bits on one of them"};

constexpr std::array square{ProfileLink{ops::Mul}};

constexpr std::array powers{
    ProfileRow{ops::Add, takes_powers, eval_sum_of_powers<1>, true},
    ProfileRow{ops::Sub, takes_powers, eval_sum_of_powers<-1>, true},
};

constexpr std::array micro{
    ProfileRow{.op = ops::Sub, .takes = takes_int16, .eval = eval_squared_difference<0>, .links = square, .joins = squares},
};

constexpr std::array rows{
    ProfileRow{ops::Add, takes_two, eval_sum<1>, true},
    ProfileRow{.op = ops::Sub, .takes = takes_int8, .eval = eval_squared_difference<7>, .links = square, .joins = squares},
    ProfileRow{ops::Sub, takes_two, eval_sum<-1>, true},
    ProfileRow{ops::Mul, takes_two, eval_mul, true},
    ProfileRow{ops::Div, takes_two, eval_div, true},
    ProfileRow{.op = ops::Equal,
               .takes = takes_compared,
               .eval = eval_compare<([](int order) { return order == 0; })>,
               .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::Less,
               .takes = takes_compared,
               .eval = eval_compare<([](int order) { return order < 0; })>,
               .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::LessOrEqual,
               .takes = takes_compared,
               .eval = eval_compare<([](int order) { return order <= 0; })>,
               .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::Greater,
               .takes = takes_compared,
               .eval = eval_compare<([](int order) { return order > 0; })>,
               .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::GreaterOrEqual,
               .takes = takes_compared,
               .eval = eval_compare<([](int order) { return order >= 0; })>,
               .result = ProfileRow::Result::real},
    ProfileRow{ops::own::Recode, takes_recode, eval_recode},
    ProfileRow{ops::Concat, takes_concat, eval_concat},
};

}  // namespace

std::span<const ProfileRow> tflite_elementwise_rows() { return rows; }
std::span<const ProfileRow> tflite_power_rows() { return powers; }
std::span<const ProfileRow> tflm_elementwise_rows() { return micro; }

}  // namespace quern
