// The tflite profile: activations in fixed point.
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/functions.h"
#include "libcore/integer/requantize.h"
#include "libcore/integer/rounding.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/fixed_point.h"
#include "libcore/ops/integer/parameters.h"

namespace quern {
namespace {

// ---- slopes and bounds -------------------------------------------------------------------------------------------------------

constexpr auto leaky = [](const CodeSite& site) { return leaky_parameters(*site.a, *site.y, site.node.real("alpha")); };
constexpr auto sized = [](const CodeSite& site) { return size_parameters(*site.a, *site.y); };
constexpr auto sloped = [](const CodeSite& site) { return slope_parameters(*site.a, *site.b, *site.y); };
constexpr auto positive = [](const CodeSite& site) { return bounded_parameters(*site.a, *site.y, 0.0f, std::nullopt); };
constexpr auto bounded = [](const CodeSite& site) { return bounded_parameters(*site.a, *site.y, site.min, site.max); };

// RELU6 of TFLite Micro: its bounds in the operand's scale, and the codes as they are.
void eval_relu6_micro(EvalCtx& ctx) {
    const Encoding& x = *ctx.in_encoding(0);
    const int64_t zero = x.zero_at(), six = static_cast<int64_t>(std::round(6.0f / scale_of(x))) + zero, top = int_range(x.storage).max;
    auto codes = to_ints(ctx.need(0));
    for (int64_t& code : codes) code = std::clamp(code, zero, std::min(six, top));
    give_codes(ctx, ctx.need(0).dims, codes);
}

// ---- HardSwish -------------------------------------------------------------------------------------------------------------

constexpr float input_bits = 1.0f / 128, unit = 3.0f / 32768;  // scales of the input with 7 bits more, and of a third of its bound

// A factor with 15 bits.
struct ShortFactor {
    int16_t factor;
    int shift;

    explicit ShortFactor(float real) {
        const FixedFactor full = FixedFactor::of(static_cast<double>(real));
        factor = full.factor >= INT32_MAX - (1 << 15) ? INT16_MAX : static_cast<int16_t>((full.factor + (1 << 15)) >> 16);
        shift = full.shift;
    }
};

// All in 16 bits: x in the result's scale before its shift, times (x + 3) / 6 as a fraction between 0 and 1.
int64_t hard_swish(int32_t code, const ShortFactor& out, const ShortFactor& gate) {
    const auto x = static_cast<int16_t>(code * 128);
    const int16_t scaled = high_16(x, out.factor);
    int16_t share = gate.shift > 0 ? to_16(int64_t{x} * (int64_t{1} << (gate.shift - 1))) : x;
    share = high_16(share, gate.factor);
    if (gate.shift > 0) share = to_16(int64_t{share} * 2);
    if (gate.shift < 0) share = shifted_16(share, gate.shift);
    share = static_cast<int16_t>((share + (1 << 15)) >> 1);
    const auto product = static_cast<int16_t>(int32_t{share} * scaled / (1 << 15));
    return shifted_16(product, out.shift);
}

void eval_hard_swish(EvalCtx& ctx) {
    const float x = input_bits * scale_of(*ctx.in_encoding(0)), y = scale_of(*ctx.out_encoding(0));
    const ShortFactor out(x / y), gate(x / unit);
    each_code(ctx, [&](int32_t code) { return hard_swish(code, out, gate); });
}

// ---- roots -----------------------------------------------------------------------------------------------------------------

// In float32, cut off.
void eval_sqrt(EvalCtx& ctx) {
    const float x = scale_of(*ctx.in_encoding(0)), y = scale_of(*ctx.out_encoding(0));
    each_code(ctx, [&](int32_t code) {
        if (code < 0) throw bad_input("the root of a negative number is wanted");
        return root_code(code, x, y);
    });
}

// Sqrt and Reciprocal, of 8-bit codes. What has no root gives the greatest number.
void eval_rsqrt(EvalCtx& ctx) {
    constexpr int shift = 20;
    const double scale = 1. / static_cast<double>(std::sqrt(scale_of(*ctx.in_encoding(0))) * scale_of(*ctx.out_encoding(0)));
    const FixedFactor factor = FixedFactor::of(scale);
    each_code(ctx, [&](int32_t code) {
        if (code < 0) throw bad_input("the root of a negative number is wanted");
        if (code == 0) return int64_t{INT16_MAX};
        int32_t power = 0;
        const int32_t inverse = inverse_root(code, &power), root = scaled(1, inverse, power + shift);
        return int64_t{scaled(root, factor.factor, factor.shift - shift)};
    });
}

// ---- what is taken ---------------------------------------------------------------------------------------------------------

bool fits_leaky_relu(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_one(graph, node, out) && NodeView(node).real("alpha") >= 0;
}
constexpr Takes takes_leaky_relu{fits_leaky_relu, "codes of one type of up to 16 bits, a slope of 0 at least"};

bool fits_prelu(const Graph& graph, const Node& node, const Encoding& out) {
    const auto& slope = encoding_at(graph, node, 1);
    return takes_one(graph, node, out) && integer_grid(slope) && bits_of(slope->storage) <= 16;
}
constexpr Takes takes_prelu{fits_prelu, "data, slopes and the result in codes of up to 16 bits, one scale each"};

// The result's scale is not so fine that its factor is above 1.
bool fits_hard_swish(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_8_bits(graph, node, out) && ShortFactor(input_bits * scale_of(*encoding_at(graph, node, 0)) / scale_of(out)).shift <= 0 &&
           ShortFactor(input_bits * scale_of(*encoding_at(graph, node, 0)) / unit).shift < 15;
}
constexpr Takes takes_hard_swish{fits_hard_swish, "8-bit codes, a result whose scale is not finer than the input's by more than 128"};

bool fits_signed(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_one(graph, node, out) && kind_of(out.storage) == NumberKind::signed_int;
}
constexpr Takes takes_signed{fits_signed, "signed codes of one type, one scale each"};

bool fits_int8(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_one(graph, node, out) && out.storage == DType::i8;
}
constexpr Takes takes_int8{fits_int8, "int8 codes, one scale each"};

bool is_reciprocal(const Graph&, std::span<const Node* const>) { return true; }

bool fits_bounded(const Graph& graph, const Node& node, const Encoding& out) {
    if (!takes_one(graph, node, out)) return false;
    return std::all_of(node.in.begin() + 1, node.in.end(), [&](ValueId id) {
        if (id == ValueId::none) return true;
        const auto bound = graph.constant(id);
        return bound && !graph.value(id).enc && bound->count() == 1 && is_float(bound->dtype) &&
               std::abs(to_floats(*bound)[0] / scale_of(out)) < 1e9f;
    });
}
constexpr Takes takes_bounded{fits_bounded, "codes of one type of up to 16 bits, bounds that are constant numbers"};

bool is_relu6(const Graph& graph, const Node& node) {
    const auto bound = [&](size_t i) {
        const auto constant = i < node.in.size() && node.in[i] != ValueId::none ? graph.constant(node.in[i]) : std::nullopt;
        return constant && constant->count() == 1 ? to_floats(*constant)[0] : -1.0f;
    };
    return bound(1) == 0 && bound(2) == 6;
}
bool fits_relu6(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_signed(graph, node, out) && is_relu6(graph, node);
}
constexpr Takes takes_relu6{fits_relu6, "signed codes and bounds of 0 and 6"};

constexpr std::array reciprocal{ProfileLink{ops::Reciprocal}};

constexpr std::array micro{
    ProfileRow{ops::Clip, takes_relu6, eval_relu6_micro},
    ProfileRow{.op = ops::Sqrt, .takes = takes_signed, .eval = eval_rsqrt, .links = reciprocal, .joins = is_reciprocal},
};

constexpr std::array tflite_activation_table{
    by_text<leaky_code, leaky>(ops::LeakyRelu, takes_leaky_relu, "leaky_code", "leaky_t"),
    by_text<slope_code, sloped>(ops::PRelu, takes_prelu, "slope_code", "slope_t"),
    ProfileRow{ops::HardSwish, takes_hard_swish, eval_hard_swish},
    by_text<size_code, sized>(ops::Abs, takes_signed, "size_code", "rescale_t"),
    ProfileRow{.op = ops::Sqrt, .takes = takes_int8, .eval = eval_rsqrt, .links = reciprocal, .joins = is_reciprocal},
    ProfileRow{ops::Sqrt, takes_signed, eval_sqrt},
    by_text<rescale_code, positive>(ops::Relu, takes_bounded, "rescale_code", "rescale_t"),
    by_text<rescale_code, bounded>(ops::Clip, takes_bounded, "rescale_code", "rescale_t"),
};

}  // namespace

std::span<const ProfileRow> tflite_activation_rows() { return tflite_activation_table; }
std::span<const ProfileRow> tflm_activation_rows() { return micro; }

}  // namespace quern
