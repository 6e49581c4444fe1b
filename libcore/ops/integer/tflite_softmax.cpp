// The tflite profile: Softmax and L2 normalization, over the last dimension.
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/reduce.h"
#include "libcore/integer/softmax.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/parameters.h"

namespace quern {
namespace {

// ---- softmax ---------------------------------------------------------------------------------------------------------------

// kernel(codes, results, lines, length) over the last dimension.
template <class Kernel>
void each_line(EvalCtx& ctx, const Kernel& kernel) {
    const Codes in = to_ints(ctx.need(0));
    Codes out(in.size());
    const int64_t length = ctx.need(0).dims.back();
    if (!in.empty()) kernel(in.data(), out.data(), to_int32(static_cast<int64_t>(in.size()) / length), to_int32(length));
    give_codes(ctx, ctx.need(0).dims, out);
}

void eval_softmax_8(EvalCtx& ctx) {
    const softmax_t t = softmax_parameters(*ctx.in_encoding(0), *ctx.out_encoding(0), beta_of(ctx));
    each_line(ctx, [&](const int64_t* x, int64_t* y, int32_t lines, int32_t length) { softmax_codes(x, y, lines, length, &t); });
}

template <bool micro>
void eval_softmax_16(EvalCtx& ctx) {
    const Tensor x = aligned(ctx.need(0));
    const FixedFactor factor = softmax_factor_16(*ctx.in_encoding(0), beta_of(ctx), micro);
    std::vector<int16_t> y(static_cast<size_t>(x.count()));
    if (!y.empty()) {
        const int64_t length = x.dims.back();
        if (length > max_softmax_16) throw unsupported("softmax over {} codes of 16 bits, need at most {}", length, max_softmax_16);
        softmax_16(x.view<int16_t>().data(), y.data(), to_int32(x.count() / length), to_int32(length), factor.factor, factor.shift,
                   softmax_exponentials(micro).data(), softmax_reciprocals(micro).data());
    }
    ctx.give(0, Tensor::make<int16_t>(x.dims, y));
}

// Mul, ReduceSum, Sqrt, Max and Div.
void eval_l2(EvalCtx& ctx) {
    const normalize_t t = normalize_parameters(*ctx.in_encoding(0), *ctx.out_encoding(0));
    each_line(ctx, [&](const int64_t* x, int64_t* y, int32_t lines, int32_t length) { l2_codes(x, y, lines, length, &t); });
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

constexpr auto eval_softmax_litert = eval_softmax_16<false>, eval_softmax_micro = eval_softmax_16<true>;

constexpr std::array micro{
    ProfileRow{ops::Softmax, takes_softmax_16, eval_softmax_micro},
    ProfileRow{.op = ops::Mul, .takes = takes_16, .eval = eval_softmax_micro, .links = softmax, .joins = scales_softmax},
};

constexpr std::array tflite_softmax_table{
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

std::span<const ProfileRow> tflite_softmax_rows() { return tflite_softmax_table; }
std::span<const ProfileRow> tflm_softmax_rows() { return micro; }

}  // namespace quern
