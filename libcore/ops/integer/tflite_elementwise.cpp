// The tflite profile: sums, products, quotients and comparisons of codes in fixed point, and changes of encoding.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/pairs.h"
#include "libcore/integer/requantize.h"
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
        codes.push_back(code_of_real(item, y.scale, narrow(y.zero), narrow(y.min), narrow(y.max)));
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

template <int sign>
constexpr auto summed = [](const CodeSite& site) { return sum_parameters(*site.a, *site.b, *site.y, sign); };
template <int sign>
constexpr auto shifted = [](const CodeSite& site) { return sum_of_powers_parameters(*site.a, *site.b, *site.y, sign); };
constexpr auto multiplied = [](const CodeSite& site) { return product_parameters(*site.a, *site.b, *site.y); };
constexpr auto divided = [](const CodeSite& site) { return quotient_parameters(*site.a, *site.b, *site.y); };

// Sub, and Mul of the difference with itself.
template <int bits>
constexpr ProfileRow squared(Takes takes) {
    constexpr auto parameters = [](const CodeSite& site) { return squared_difference_parameters(*site.a, *site.b, *site.y, bits); };
    ProfileRow row = by_text<square_difference, parameters>(ops::Sub, takes, "square_difference", "sum_t");
    row.links = square;
    row.joins = squares;
    return row;
}

// `is` asks for an order below, at or above 0, as the C of `test` does.
template <auto is>
constexpr ProfileRow comparison(OpId op, std::string_view test) {
    constexpr auto parameters = [](const CodeSite& site) { return compare_parameters(*site.a, *site.b, is(0) && !is(1) && !is(-1)); };
    return by_text<compare_codes, parameters, is>(op, takes_compared, "compare_codes", "compare_t", test);
}

constexpr std::array powers{
    as_unit(by_text<sum_of_powers, shifted<1>>(ops::Add, takes_powers, "sum_of_powers", "sum_t")),
    as_unit(by_text<sum_of_powers, shifted<-1>>(ops::Sub, takes_powers, "sum_of_powers", "sum_t")),
};

constexpr std::array micro{squared<0>(takes_int16)};

constexpr std::array tflite_elementwise_table{
    as_unit(by_text<sum_codes, summed<1>>(ops::Add, takes_two, "sum_codes", "sum_t")),
    squared<7>(takes_int8),
    as_unit(by_text<sum_codes, summed<-1>>(ops::Sub, takes_two, "sum_codes", "sum_t")),
    as_unit(by_text<multiply_codes, multiplied>(ops::Mul, takes_two, "multiply_codes", "multiply_t")),
    as_unit(by_text<divide_codes, divided>(ops::Div, takes_two, "divide_codes", "multiply_t")),
    comparison<([](int order) { return order == 0; })>(ops::Equal, " == 0"),
    comparison<([](int order) { return order < 0; })>(ops::Less, " < 0"),
    comparison<([](int order) { return order <= 0; })>(ops::LessOrEqual, " <= 0"),
    comparison<([](int order) { return order > 0; })>(ops::Greater, " > 0"),
    comparison<([](int order) { return order >= 0; })>(ops::GreaterOrEqual, " >= 0"),
    ProfileRow{ops::own::Recode, takes_recode, eval_recode},
    ProfileRow{ops::Concat, takes_concat, eval_concat},
};

}  // namespace

std::span<const ProfileRow> tflite_elementwise_rows() { return tflite_elementwise_table; }
std::span<const ProfileRow> tflite_power_rows() { return powers; }
std::span<const ProfileRow> tflm_elementwise_rows() { return micro; }

}  // namespace quern
