// The tflite profile: functions of one number by tables. 8-bit codes have a table of 256, filled in float32. 16-bit codes have 513
// numbers (table16.h); logistic and tanh of 16 bits have a table of their own, the logistic function at multiples of 1/24.
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/functions.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/logistic16.h"
#include "libcore/ops/integer/table16.h"
#include "libcore/ops/shared/activation.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

// ---- 8 bits ----------------------------------------------------------------------------------------------------------------

// The result's scale is inverted first.
template <class Fn>
void by_table_8(EvalCtx& ctx, const Fn& fn) {
    const CodeGrid x(*ctx.in_encoding(0)), y(*ctx.out_encoding(0));
    const float inverse = 1 / y.scale;
    std::array<int64_t, 256> table{};
    const auto [min, max] = int_range(x.storage);
    for (int64_t code = min; code <= max; ++code) {
        const float steps = std::round(fn(x.scale * static_cast<float>(code - x.zero)) * inverse) + static_cast<float>(y.zero);
        table[static_cast<size_t>(code - min)] = static_cast<int64_t>(
            std::clamp(steps == steps ? steps : static_cast<float>(y.zero), static_cast<float>(y.min), static_cast<float>(y.max)));
    }
    Codes codes = to_ints(ctx.need(0));
    for (int64_t& code : codes) code = table[static_cast<size_t>(code - min)];
    give_codes(ctx, ctx.need(0).dims, codes);
}

// ---- 16 bits ---------------------------------------------------------------------------------------------------------------

template <class Fn>
void by_table_16(EvalCtx& ctx, const Fn& fn) {
    const Encoding &x = *ctx.in_encoding(0), &y = *ctx.out_encoding(0);
    const Table16 table(scale_of(x), 0, scale_of(y), fn);
    Codes codes = to_ints(ctx.need(0));
    for (int64_t& code : codes) code = static_cast<int16_t>(on_lines(narrow(code), table.items().data()));
    give_codes(ctx, ctx.need(0).dims, codes);
}

template <class Fn>
void by_table(EvalCtx& ctx, const Fn& fn) {
    bits_of(ctx.in_encoding(0)->storage) > 8 ? by_table_16(ctx, fn) : by_table_8(ctx, fn);
}

// ---- logistic and tanh -----------------------------------------------------------------------------------------------------

void eval_logistic(EvalCtx& ctx, bool is_tanh) {
    const ToTwelveBits to(scale_of(*ctx.in_encoding(0)), is_tanh ? 2 : 1);
    const auto* table = logistic_table().data();
    each_code(ctx, [&](int32_t code) { return int64_t{logistic_codes(code, to.factor, to.shift, is_tanh ? 1 : 0, table)}; });
}

void eval_sigmoid(EvalCtx& ctx) {
    if (bits_of(ctx.in_encoding(0)->storage) > 8) return eval_logistic(ctx, false);
    by_table_8(ctx, [](float x) { return act::sigmoid(x); });
}

void eval_tanh(EvalCtx& ctx) {
    bits_of(ctx.in_encoding(0)->storage) > 8 ? eval_logistic(ctx, true) : by_table_8(ctx, portable::tanh_of_fdlibm);
}

// ---- other functions -------------------------------------------------------------------------------------------------------

void eval_exp(EvalCtx& ctx) {
    by_table(ctx, [](float x) { return portable::exp(x); });
}

// What has no logarithm gives the least number that has a code.
void eval_log(EvalCtx& ctx) {
    const Encoding& y = *ctx.out_encoding(0);
    const float min = static_cast<float>(int_range(y.storage).min - y.zero_at()) * scale_of(y);
    by_table(ctx, [&](float x) { return x <= 0 ? min : portable::log(x); });
}

void eval_rsqrt(EvalCtx& ctx) {
    const float max = 32767 * scale_of(*ctx.out_encoding(0));
    by_table_16(ctx, [&](float x) { return x <= 0 ? max : 1.0f / std::sqrt(x); });
}

void eval_elu(EvalCtx& ctx) {
    by_table_8(ctx, [](float x) { return act::elu(x, 1.0f); });
}

void eval_gelu(EvalCtx& ctx) {
    constexpr auto root_half = static_cast<float>(-M_SQRT1_2), root_two_by_pi = static_cast<float>(M_2_SQRTPI * M_SQRT1_2);
    if (ctx.text("approximate") == "tanh")
        return by_table(ctx,
                        [](float x) { return 0.5f * x * (1.0f + portable::tanh_of_fdlibm(root_two_by_pi * (x + 0.044715f * x * x * x))); });
    by_table(ctx, [](float x) { return 0.5f * x * portable::erfc(x * root_half); });
}

// ---- what is taken ---------------------------------------------------------------------------------------------------------

bool fits_table(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_one(graph, node, out) && (bits_of(out.storage) == 8 || (out.symmetric() && encoding_at(graph, node, 0)->symmetric()));
}
constexpr Takes takes_table{fits_table, "8-bit codes of one type, or symmetric ones of int16"};

bool fits_16(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_table(graph, node, out) && out.storage == DType::i16;
}
constexpr Takes takes_16{fits_16, "symmetric int16 codes"};

// Results of 16 bits have 15 after the point.
bool fits_fraction(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_table(graph, node, out) && (bits_of(out.storage) == 8 || scale_of(out) == 1.0f / 32768);
}
constexpr Takes takes_fraction{fits_fraction, "8-bit codes of one type, or symmetric ones of int16 with a scale of 1/32768 for the result"};

bool fits_elu(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_8_bits(graph, node, out) && NodeView(node).real("alpha") == 1;
}
constexpr Takes takes_elu{fits_elu, "8-bit codes of one type, alpha of 1"};

bool is_reciprocal(const Graph&, std::span<const Node* const>) { return true; }

constexpr std::array reciprocal{ProfileLink{ops::Reciprocal}};

constexpr std::array tflite_tables_table{
    ProfileRow{ops::Sigmoid, takes_fraction, eval_sigmoid},
    ProfileRow{ops::Tanh, takes_fraction, eval_tanh},
    ProfileRow{ops::Exp, takes_table, eval_exp},
    ProfileRow{ops::Log, takes_table, eval_log},
    ProfileRow{ops::Elu, takes_elu, eval_elu},
    ProfileRow{ops::Gelu, takes_table, eval_gelu},
    ProfileRow{.op = ops::Sqrt, .takes = takes_16, .eval = eval_rsqrt, .links = reciprocal, .joins = is_reciprocal},
};

}  // namespace

std::span<const ProfileRow> tflite_table_rows() { return tflite_tables_table; }

}  // namespace quern
