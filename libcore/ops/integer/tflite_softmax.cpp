// The tflite profile: Softmax and L2 normalization, over the last dimension.
#include <array>
#include <bit>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/fixed_point.h"
#include "libcore/ops/integer/table16.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

// ---- softmax ---------------------------------------------------------------------------------------------------------------

// Of 8-bit codes: exponentials and their sum in fixed point; results from the least code on, in steps of the reciprocal of their count.
void eval_softmax_8(EvalCtx& ctx) {
    constexpr int integer_bits = 5, sum_bits = 12;
    const CodeGrid x(*ctx.in_encoding(0)), y(*ctx.out_encoding(0));
    const double scale = static_cast<double>(beta_of(ctx)) * static_cast<double>(x.scale) * (1 << (31 - integer_bits));
    const FixedFactor factor = FixedFactor::of(std::min(scale, static_cast<double>((int64_t{1} << 31) - 1)));
    const auto reach = static_cast<int64_t>(std::floor(((1 << integer_bits) - 1) * static_cast<double>(int64_t{1} << (31 - integer_bits)) /
                                                       static_cast<double>(int64_t{1} << factor.shift)));
    const Codes in = to_ints(ctx.need(0));
    const auto depth = static_cast<size_t>(ctx.need(0).dims.back());
    const auto [least, greatest] = int_range(y.storage);
    Codes codes(in.size());
    const auto exponential = [&](int64_t difference) {
        return exp_of_negative(doubling_high_product(narrow(difference * (int64_t{1} << factor.shift)), factor.factor));
    };
    for (size_t row = 0; depth > 0 && row < in.size(); row += depth) {
        const std::span items(in.data() + row, depth);
        const int64_t top = *std::ranges::max_element(items);
        int32_t sum = 0;
        for (const int64_t item : items)
            if (item - top >= -reach) sum = narrow(int64_t{sum} + rounded_shift(exponential(item - top), sum_bits));
        const int headroom = std::countl_zero(static_cast<uint32_t>(sum));
        const int32_t reciprocal =
            reciprocal_of_one_plus(narrow(static_cast<int64_t>(static_cast<uint32_t>(sum) << headroom) - (int64_t{1} << 31)));
        const int exponent = sum_bits - headroom + 31 - bits_of(y.storage);
        for (size_t i = 0; i < depth; ++i) {
            codes[row + i] = least;
            if (items[i] - top < -reach) continue;
            const int32_t share = rounded_shift(doubling_high_product(reciprocal, exponential(items[i] - top)), exponent);
            codes[row + i] = std::clamp(share + least, least, greatest);
        }
    }
    give_codes(ctx, ctx.need(0).dims, codes);
}

// Of 16-bit codes: exponentials of differences above -10, and the reciprocal of their sum, by tables. LiteRT fills them in double, and
// multiplies scale and beta in float32; TFLite Micro does both the other way round.
template <class Table, class Product>
void eval_softmax_16(EvalCtx& ctx) {
    constexpr Table range = 65535;
    static const Table16 exponential(10 / range, 32767, 2 / range, [](Table x) { return portable::exp(x); });
    static const Table16 reciprocal(1 / range, -32768, 2 / range, [](Table x) { return 1 / (1 + x); });
    const Product scale = static_cast<Product>(scale_of(*ctx.in_encoding(0))) * static_cast<Product>(beta_of(ctx));
    const FixedFactor factor = FixedFactor::of(static_cast<double>(scale) / (10.0 / 65535.0));
    Codes codes = to_ints(ctx.need(0));
    const auto depth = static_cast<size_t>(ctx.need(0).dims.back());
    const auto to_16 = [](int64_t x) { return static_cast<int32_t>(std::clamp<int64_t>(x, INT16_MIN, INT16_MAX)); };
    for (size_t row = 0; depth > 0 && row < codes.size(); row += depth) {
        const std::span items(codes.data() + row, depth);
        const int64_t top = *std::ranges::max_element(items);
        int64_t sum = 0;
        for (int64_t& item : items) sum += item = exponential(to_16(int64_t{factor.times(narrow(item - top))} + 32767));
        if (sum > INT32_MAX) throw unsupported("softmax over {} codes of 16 bits", depth);
        const int headroom = std::countl_zero(static_cast<uint32_t>(sum)), shift = 31 - headroom;
        const int64_t shifted = ((sum << (headroom - 1)) + (1 << 13)) >> 14;
        const int64_t inverse = reciprocal(to_16(shifted - (1 << 15) - (1 << 16)));
        for (int64_t& item : items) item = std::clamp<int64_t>((item * inverse + (int64_t{1} << (shift - 1))) >> shift, 0, INT16_MAX);
    }
    give_codes(ctx, ctx.need(0).dims, codes);
}

// ---- L2 normalization ------------------------------------------------------------------------------------------------------

// Mul, ReduceSum, Sqrt, Max and Div, to steps of 1/128.
void eval_l2(EvalCtx& ctx) {
    const CodeGrid x(*ctx.in_encoding(0)), y(*ctx.out_encoding(0));
    Codes codes = to_ints(ctx.need(0));
    const auto depth = static_cast<size_t>(ctx.need(0).dims.back());
    for (size_t row = 0; depth > 0 && row < codes.size(); row += depth) {
        const std::span items(codes.data() + row, depth);
        int64_t squares = 0;
        for (int64_t& item : items) {
            item -= x.zero;
            squares += item * item;
        }
        FixedFactor inverse = inverse_root(narrow(squares));
        if (y.storage == DType::i8) inverse.shift += 7;
        for (int64_t& item : items) item = y.clipped(inverse.times(narrow(y.storage == DType::i8 ? item : 128 * item)) + y.zero);
    }
    give_codes(ctx, ctx.need(0).dims, codes);
}

// ---- what is taken ---------------------------------------------------------------------------------------------------------

// Results are whole steps of 1/256 or 1/65536. The kernel does not read the scale of unsigned ones: 1/255, which files have, too, is taken
// as 1/256.
bool has_share_steps(const Encoding& out) {
    const float units = scale_of(out) * std::ldexp(1.0f, bits_of(out.storage));
    return units == 1 || (out.storage == DType::u8 && std::abs(units - 256.0f / 255) < 1e-4f);
}

// Results count from the least code on; differences are scaled up.
bool takes_8(const Graph& graph, const Node& node, const Encoding& out, float beta) {
    const auto& x = encoding_at(graph, node, 0);
    return integer_grid(x) && integer_grid(out) && bits_of(x->storage) == 8 && (out.storage == x->storage || out.storage == DType::i16) &&
           has_share_steps(out) && out.zero_at() == int_range(out.storage).min &&
           static_cast<double>(beta) * static_cast<double>(scale_of(*x)) * (1 << 26) > 1;
}

bool fits_16(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_one(graph, node, out) && out.storage == DType::i16 && out.symmetric() && encoding_at(graph, node, 0)->symmetric() &&
           std::abs(scale_of(out) * 32768 - 1) < 0.001f;
}
constexpr Takes takes_16{fits_16, "symmetric int16 codes, a result with a scale of 1/32768"};

bool fits_softmax_8(const Graph& graph, const Node& node, const Encoding& out) {
    return over_last(graph, node, NodeView(node).integer("axis")) && takes_8(graph, node, out, 1);
}
constexpr Takes takes_softmax_8{fits_softmax_8, "8-bit codes along the last axis, a result with a scale of 1/256 and its least code for 0"};
bool fits_softmax_16(const Graph& graph, const Node& node, const Encoding& out) {
    return over_last(graph, node, NodeView(node).integer("axis")) && takes_16(graph, node, out);
}
constexpr Takes takes_softmax_16{fits_softmax_16, "symmetric int16 codes along the last axis, a result with a scale of 1/32768"};

std::optional<float> number(const Graph& graph, ValueId id) {
    const auto constant = id == ValueId::none || graph.value(id).enc ? std::nullopt : graph.constant(id);
    return constant && constant->count() == 1 && is_float(constant->dtype) ? std::optional(to_floats(*constant)[0]) : std::nullopt;
}

bool fits_scaled_8(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_8(graph, node, out, *number(graph, node.in[1]));
}
constexpr Takes takes_scaled_8{fits_scaled_8, "8-bit codes, a result with a scale of 1/256 and its least code for 0"};

bool normalizes(const Graph& graph, std::span<const Node* const> nodes) {
    const Node &square = *nodes[0], &sum = *nodes[1], &bound = *nodes[3], &quotient = *nodes[4];
    if (square.in[0] != square.in[1] || quotient.in[0] != square.in[0] || bound.in.size() != 2) return false;
    const auto axes = sum.in.size() > 1 && sum.in[1] != ValueId::none ? graph.constant(sum.in[1]) : std::nullopt;
    return axes && axes->count() == 1 && over_last(graph, square, to_ints(*axes)[0]) && NodeView(sum).integer("keepdims") != 0 &&
           number(graph, bound.in[1]).value_or(1) <= 1e-6f;
}
bool fits_l2(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_8_bits(graph, node, out) && scale_of(out) == 1.0f / 128 && out.zero_at() == (out.storage == DType::u8 ? 128 : 0);
}
constexpr Takes takes_l2{fits_l2, "8-bit codes, a result with a scale of 1/128"};

constexpr std::array softmax{ProfileLink{ops::Softmax}};
constexpr std::array norm{ProfileLink{ops::ReduceSum}, ProfileLink{ops::Sqrt}, ProfileLink{ops::Max}, ProfileLink{ops::Div, 1}};

constexpr auto eval_softmax_litert = eval_softmax_16<double, float>, eval_softmax_micro = eval_softmax_16<float, double>;

constexpr std::array micro{
    ProfileRow{ops::Softmax, takes_softmax_16, eval_softmax_micro},
    ProfileRow{.op = ops::Mul, .takes = takes_16, .eval = eval_softmax_micro, .links = softmax, .joins = scales_softmax},
};

constexpr std::array rows{
    ProfileRow{ops::Softmax, takes_softmax_8, eval_softmax_8},
    ProfileRow{ops::Softmax, takes_softmax_16, eval_softmax_litert},
    ProfileRow{.op = ops::Mul, .takes = takes_scaled_8, .eval = eval_softmax_8, .links = softmax, .joins = scales_softmax},
    ProfileRow{.op = ops::Mul, .takes = takes_16, .eval = eval_softmax_litert, .links = softmax, .joins = scales_softmax},
    ProfileRow{.op = ops::Mul, .takes = takes_l2, .eval = eval_l2, .links = norm, .joins = normalizes},
};

}  // namespace

bool scales_softmax(const Graph& graph, std::span<const Node* const> nodes) {
    return number(graph, nodes[0]->in[1]).value_or(0) > 0 && over_last(graph, *nodes[1], NodeView(*nodes[1]).integer("axis"));
}

std::span<const ProfileRow> tflite_softmax_rows() { return rows; }
std::span<const ProfileRow> tflm_softmax_rows() { return micro; }

}  // namespace quern
