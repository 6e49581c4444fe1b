// The tflite profile: sums, products, quotients and comparisons of codes in fixed point, and changes of encoding.
#include <array>
#include <bit>
#include <limits>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/fixed_number.h"
#include "libcore/ops/integer/fixed_point.h"
#include "libcore/ops/shared/elements.h"

namespace quern {
namespace {

// ---- sums ----------------------------------------------------------------------------------------------------------------

// Two scales brought to twice the greater one.
struct CommonScale {
    double common;
    FixedFactor left, right;

    explicit CommonScale(EvalCtx& ctx) {
        const float a = scale_of(*ctx.in_encoding(0)), b = scale_of(*ctx.in_encoding(1));
        common = static_cast<double>(2 * std::max(a, b));
        left = FixedFactor::of(static_cast<double>(a) / common);
        right = FixedFactor::of(static_cast<double>(b) / common);
    }
};

// 16-bit codes whose scales are powers of two: one operand has the result's scale, the other is shifted to it.
bool adds_powers(const Graph& graph, const Node& node, const Encoding& out) {
    int a = 0, b = 0, y = 0;
    return NodeView(node).has(powers_key) && out.storage == DType::i16 && is_power_of_two(scale_of(out), y) &&
           is_power_of_two(scale_of(*encoding_at(graph, node, 0)), a) && is_power_of_two(scale_of(*encoding_at(graph, node, 1)), b) &&
           std::max(a, b) == y && std::min(a, b) >= y - 15;
}

template <int sign>
void eval_sum_of_powers(EvalCtx& ctx) {
    int a = 0, b = 0, y = 0;
    is_power_of_two(scale_of(*ctx.in_encoding(0)), a);
    is_power_of_two(scale_of(*ctx.in_encoding(1)), b);
    is_power_of_two(scale_of(*ctx.out_encoding(0)), y);
    each_pair(ctx, [&](int32_t x, int32_t z) {
        const int64_t sum = int64_t{fixed::divide_by_power(x, y - a)} + sign * fixed::divide_by_power(z, y - b);
        return std::clamp<int64_t>(sum, INT16_MIN, INT16_MAX);
    });
}

// Both operands are brought to twice the greater scale with 20 more bits (15 for 16-bit codes), summed, and brought to the result's.
template <int sign>
void eval_sum(EvalCtx& ctx) {
    const int bits = bits_of(ctx.out_encoding(0)->storage) > 8 ? 15 : 20;
    const CommonScale scale(ctx);
    const float y = scale_of(*ctx.out_encoding(0));
    const FixedFactor out = FixedFactor::of(scale.common / static_cast<double>(static_cast<float>(1 << bits) * y));
    each_pair(ctx, [&](int32_t x, int32_t z) {
        const int32_t p = scale.left.times(narrow(int64_t{x} << bits)), q = scale.right.times(narrow(int64_t{z} << bits));
        return int64_t{out.times(narrow(int64_t{p} + sign * int64_t{q}))};
    });
}

// Sub, and Mul of the difference with itself.
template <int bits>
void eval_squared_difference(EvalCtx& ctx) {
    const CommonScale scale(ctx);
    const float y = scale_of(*ctx.out_encoding(0));
    const FixedFactor out = FixedFactor::of(scale.common * scale.common / static_cast<double>(static_cast<float>(1 << (2 * bits)) * y));
    each_pair(ctx, [&](int32_t x, int32_t z) {
        const int32_t difference =
            narrow(int64_t{scale.left.times(narrow(int64_t{x} << bits))} - scale.right.times(narrow(int64_t{z} << bits)));
        return int64_t{out.times(narrow(int64_t{difference} * difference))};
    });
}

// ---- products and quotients ----------------------------------------------------------------------------------------------

void eval_mul(EvalCtx& ctx) {
    const float a = scale_of(*ctx.in_encoding(0)), b = scale_of(*ctx.in_encoding(1)), y = scale_of(*ctx.out_encoding(0));
    const FixedFactor factor = FixedFactor::of(static_cast<double>(a * b / y));
    each_pair(ctx, [&](int32_t x, int32_t z) { return int64_t{factor.times(narrow(int64_t{x} * z))}; });
}

// Division by 2^exponent as LiteRT's kernel has it on 64-bit processors: beyond 31 bits, where dividends of 0 and -1 come, its mask is all
// ones and what is shifted is shifted by the count modulo 32.
int32_t shifted_far(int32_t x, int exponent) {
    const auto mask = static_cast<int32_t>((uint64_t{1} << (exponent % 64)) - 1);
    return (x >> (exponent % 32)) + ((x & mask) > (mask >> 1) + (x < 0));
}

// The dividend with all its bits used, by the reciprocal of the divisor. Division by zero, which LiteRT leaves open, saturates.
int64_t quotient(int32_t x, int32_t z, const FixedFactor& factor) {
    if (z == 0) return x == 0 ? 0 : x > 0 ? INT32_MAX : INT32_MIN;
    if (z < 0) {
        x = narrow(-int64_t{x});
        z = narrow(-int64_t{z});
    }
    const int headroom = std::countl_zero(static_cast<uint32_t>(z));
    const int32_t inverse = reciprocal_of_one_plus(narrow((int64_t{z} << headroom) - (int64_t{1} << 31)));
    const int spare = std::countl_zero(static_cast<uint32_t>(x < 0 ? 2 * (-int64_t{x}) - 1 : int64_t{x})) - (x < 0 ? 0 : 1);
    const int32_t ratio = doubling_high_product(narrow(int64_t{x} << spare), inverse);
    const int shift = factor.shift - (31 - headroom) - spare;
    const int32_t scaled = doubling_high_product(ratio, factor.factor);
    return shift > 0 ? saturated_shift(scaled, std::min(shift, 31)) : shifted_far(scaled, -shift);
}

void eval_div(EvalCtx& ctx) {
    const float a = scale_of(*ctx.in_encoding(0)), b = scale_of(*ctx.in_encoding(1)), y = scale_of(*ctx.out_encoding(0));
    const FixedFactor factor = FixedFactor::of(static_cast<double>(a / (b * y)));
    each_pair(ctx, [&](int32_t x, int32_t z) { return quotient(x, z, factor); });
}

// ---- comparisons ---------------------------------------------------------------------------------------------------------

// Both sides by their scales, with 8 more bits. The order of 16-bit codes is that of the codes, whatever their scales are.
template <class Fn>
void eval_compare(EvalCtx& ctx) {
    const Encoding &a = *ctx.in_encoding(0), &b = *ctx.in_encoding(1);
    const bool plain = a.storage == DType::i16 && !Fn::scales_16;
    const FixedFactor left = FixedFactor::of(static_cast<double>(scale_of(a))), right = FixedFactor::of(static_cast<double>(scale_of(b)));
    Dims dims;
    const Codes codes = broadcast_codes(ctx, dims, [&](int32_t x, int32_t z) -> int64_t {
        if (plain) return Fn::of(x, z);
        return Fn::of(left.times(narrow(int64_t{x} << 8)), right.times(narrow(int64_t{z} << 8)));
    });
    ctx.give(0, from_ints(DType::boolean, dims, codes));
}

struct Equal {
    static constexpr bool scales_16 = true;
    static bool of(int32_t a, int32_t b) { return a == b; }
};
struct Less {
    static constexpr bool scales_16 = false;
    static bool of(int32_t a, int32_t b) { return a < b; }
};
struct LessOrEqual {
    static constexpr bool scales_16 = false;
    static bool of(int32_t a, int32_t b) { return a <= b; }
};
struct Greater {
    static constexpr bool scales_16 = false;
    static bool of(int32_t a, int32_t b) { return a > b; }
};
struct GreaterOrEqual {
    static constexpr bool scales_16 = false;
    static bool of(int32_t a, int32_t b) { return a >= b; }
};

// ---- changes of encoding -------------------------------------------------------------------------------------------------

// Codes to codes by one factor; real numbers to codes rounded with ties away from zero.
void eval_recode(EvalCtx& ctx) {
    const CodeGrid y(*ctx.out_encoding(0));
    if (const Encoding* from = ctx.in_encoding(0)) {
        const FixedFactor factor = FixedFactor::of(static_cast<double>(scale_of(*from)) / static_cast<double>(y.scale));
        return each_code(ctx, [&](int32_t code) { return int64_t{factor.times(code)}; });
    }
    Codes codes;
    for (const float item : to_floats(ctx.need(0))) {
        const float steps = std::round(item / y.scale);
        const float limit = 2147483520.0f;
        codes.push_back(y.clipped((steps == steps ? static_cast<int64_t>(std::clamp(steps, -limit, limit)) : 0) + y.zero));
    }
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
    ProfileRow{.op = ops::Equal, .takes = takes_compared, .eval = eval_compare<Equal>, .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::Less, .takes = takes_compared, .eval = eval_compare<Less>, .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::LessOrEqual, .takes = takes_compared, .eval = eval_compare<LessOrEqual>, .result = ProfileRow::Result::real},
    ProfileRow{.op = ops::Greater, .takes = takes_compared, .eval = eval_compare<Greater>, .result = ProfileRow::Result::real},
    ProfileRow{
        .op = ops::GreaterOrEqual, .takes = takes_compared, .eval = eval_compare<GreaterOrEqual>, .result = ProfileRow::Result::real},
    ProfileRow{ops::own::Recode, takes_recode, eval_recode},
    ProfileRow{ops::Concat, takes_concat, eval_concat},
};

}  // namespace

std::span<const ProfileRow> tflite_elementwise_rows() { return rows; }
std::span<const ProfileRow> tflite_power_rows() { return powers; }
std::span<const ProfileRow> tflm_elementwise_rows() { return micro; }

}  // namespace quern
