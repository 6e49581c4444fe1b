// Attention as ai.onnx has it: grouped heads, masks, windows, a cache.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

#include "libcore/codegen/c/emit.h"
#include "libcore/ops/attention/rotary.h"
#include "libcore/ops/shared/shared.h"

namespace quern::cgen {
namespace {

// [batch, heads, length, size] or [batch, length, heads * size], with steps from image to image, head to head and position to position.
struct Heads {
    int64_t batch = 1, heads = 1, length = 1, size = 1;
    Dims steps;
    Heads(const Dims& dims, int64_t given_heads) : batch(dims[0]) {
        const bool packed = dims.size() == 3;
        heads = packed ? given_heads : dims[1];
        length = packed ? dims[1] : dims[2];
        size = packed ? dims[2] / heads : dims[3];
        steps = packed ? Dims{length * heads * size, size, heads * size} : Dims{heads * length * size, length * size, size};
    }
};

Heads heads_of(Emit& e, size_t i, std::string_view attribute) {
    return {e.in_dims(i), e.view.has(attribute) ? e.view.integer(attribute) : 1};
}

std::string list(const Dims& items) { return fmt::format("{{{}}}", fmt::join(items, ", ")); }

// Keys or values with those of the past before them, in memory of their own where there are such or they are a result.
std::string joined(Emit& e, Heads& h, size_t fresh, size_t past, size_t result) {
    std::string x = e.real_in(fresh);
    if (!e.has_in(past) && !e.wants(result)) return x;
    const int64_t before = e.has_in(past) ? e.in_dims(past)[2] : 0, total = before + h.length;
    const Dims to{h.heads * total * h.size, total * h.size, h.size};
    std::string y = e.wants(result) ? e.real_out(result) : e.f.scratch(DType::f32, h.batch * to[0]);
    const std::string fn = e.source.kernel("copy", {{"A", "float"}});
    const auto place = [&](const std::string& from, const Dims& steps, int64_t length, int64_t offset) {
        const Dims dims{h.batch, h.heads, length, h.size};
        e.call(fn, {from, offset == 0 ? y : fmt::format("{} + {}", y, offset),
                    walk(e, dims, {{steps[0], steps[1], steps[2], 1}, {to[0], to[1], to[2], 1}}, "keys")});
    };
    if (before > 0) place(e.real_in(past), {h.heads * before * h.size, before * h.size, h.size}, before, 0);
    place(x, h.steps, h.length, before * h.size);
    h.steps = to;
    h.length = total;
    return y;
}

struct Mask {
    std::string pointer = "0", type = "float", masked = "line[j] + item";
    Dims steps = Dims(4, 0);
    int64_t columns = 1;
};

Mask mask_of(Emit& e, const Dims& scores) {
    Mask mask;
    if (!e.has_in(3)) return mask;
    if (e.f.held(e.in_id(3)) == DType::boolean) {
        mask.type = "uint8_t";
        mask.masked = "item ? line[j] : -1.0f / 0.0f";
    } else if (e.real_in_type(3) != "float") {
        throw unsupported("a mask of type {}", e.real_in_type(3));
    }
    const Dims& dims = e.in_dims(3);
    mask.columns = dims.back();
    Dims whole = scores;
    if (mask.columns != 1) whole.back() = mask.columns;
    mask.steps = broadcast_steps(dims, whole);
    mask.pointer = e.real_in(3);
    return mask;
}

// Scores take on the precision that the softmax is asked to have.
struct ScoreRounding {
    std::string bits;  // room for a line
    std::string_view variant;
};

ScoreRounding score_rounding(Emit& e, Words& words, int64_t keys) {
    const auto precision =
        e.view.has("softmax_precision") ? dtype_of_onnx(static_cast<int>(e.view.integer("softmax_precision"))) : std::nullopt;
    if (!precision || !is_short_float(*precision)) {
        words.emplace_back("ROUND", "");
        words.emplace_back("ROUNDING", "");
        return {};
    }
    const bool half = *precision == DType::f16;
    words.emplace_back("ROUND", fmt::format("{}(line, bits, s->kv_len);\n                {}(bits, line, s->kv_len);",
                                            e.source.kernel(half ? "floats_to_halves" : "floats_to_bfloats"),
                                            e.source.kernel(half ? "halves_to_floats" : "bfloats_to_floats")));
    words.emplace_back("ROUNDING", "uint16_t* bits,");
    return {e.f.scratch(*precision, keys), half ? "_in_half" : "_in_bfloat"};
}

// Pairs of features turned by the angle of their position.
void emit_rotary(Emit& e) {
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const Rotary r =
        rotary_of(e.in_dims(0), e.view.integer("num_heads"), e.view.integer("rotary_embedding_dim"), e.view.integer("interleaved") != 0);
    if (e.has_in(3) && e.in_type(3) != "int64_t") throw unsupported("positions of type {}", e.in_type(3));
    e.source.kernel("rotary_t");
    const Dims steps = r.packed ? Dims{r.length * r.heads * r.size, r.size, r.heads * r.size}
                                : Dims{r.heads * r.length * r.size, r.length * r.size, r.size};
    const std::string shape =
        "&" + e.source.structure(
                  "rotary_t",
                  fmt::format("    .batch = {}, .heads = {}, .length = {}, .size = {}, .half = {}, .rows = {},\n"
                              "    .step = {}, .first = {}, .second = {}",
                              r.batch, r.heads, r.length, r.size, r.rotated / 2, e.in_count(1) / std::max<int64_t>(r.rotated / 2, 1),
                              list(steps), r.interleaved ? 2 : 1, r.interleaved ? 1 : r.rotated / 2),
                  e.label("shape"));
    const std::string x = e.real_in(0), cosines = e.real_in(1), sines = e.real_in(2);
    e.call(e.source.kernel("rotary"), {x, cosines, sines, e.has_in(3) ? e.in(3) : "0", e.real_out(), shape});
}

void emit_attention(Emit& e) {
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const Heads q = heads_of(e, 0, "q_num_heads");
    Heads k = heads_of(e, 1, "kv_num_heads"), v = heads_of(e, 2, "kv_num_heads");
    const int64_t past = e.has_in(4) ? e.in_dims(4)[2] : 0;
    const std::string query = e.real_in(0), keys = joined(e, k, 1, 4, 1), values = joined(e, v, 2, 5, 2);
    const Mask mask = mask_of(e, {q.batch, q.heads, q.length, k.length});
    const double scale = e.view.has("scale") ? static_cast<double>(e.view.real("scale")) : 1 / std::sqrt(static_cast<double>(q.size));
    const float root = static_cast<float>(std::sqrt(std::abs(scale)));
    Dims y_steps = {q.heads * q.length * v.size, q.length * v.size, v.size};
    if (e.in_dims(0).size() == 3) y_steps = {q.length * q.heads * v.size, v.size, q.heads * v.size};
    Words words{{"M", mask.type}, {"MASKED", mask.masked}};
    e.add_math(words, "expf tanhf");
    const ScoreRounding rounded = score_rounding(e, words, k.length);
    if (e.has_in(6) && e.in_type(6) != "int64_t") throw unsupported("lengths of type {}", e.in_type(6));
    const auto bound = [&](std::string_view name) { return std::min(e.view.integer(name), q.length + k.length); };
    e.source.kernel("attention_t");
    const std::string shape =
        "&" +
        e.source.structure(
            "attention_t",
            fmt::format("    .batch = {}, .q_heads = {}, .kv_heads = {}, .q_len = {}, .kv_len = {}, .past = {}, .size = {}, .v_size = {},\n"
                        "    .q = {}, .k = {}, .v = {}, .y = {},\n"
                        "    .mask = {}, .mask_columns = {}, .causal = {}, .left = {}, .right = {},\n"
                        "    .root = {}, .signed_root = {}, .cap = {}, .shown = {}",
                        q.batch, q.heads, k.heads, q.length, k.length, past, q.size, v.size, list(q.steps), list(k.steps), list(v.steps),
                        list(y_steps), list(mask.steps), mask.columns, e.view.integer("is_causal") != 0 ? 1 : 0, bound("left_window_size"),
                        bound("right_window_size"), c_float(root), c_float(scale < 0 ? -root : root), c_float(e.view.real("softcap")),
                        e.view.integer("qk_matmul_output_mode")),
            e.label("shape"));
    const std::string y = e.wants(0) ? e.real_out(0) : e.f.scratch(DType::f32, q.batch * y_steps[0]);
    std::vector<std::string> arguments{query,
                                       keys,
                                       values,
                                       mask.pointer,
                                       e.has_in(6) ? e.in(6) : "0",
                                       y,
                                       e.wants(3) ? e.real_out(3) : "0",
                                       e.f.scratch(DType::f32, k.length)};
    if (!rounded.bits.empty()) arguments.push_back(rounded.bits);
    arguments.push_back(shape);
    e.call(e.source.kernel("attention", words, (mask.type == "float" ? "" : "of_truths") + std::string(rounded.variant)), arguments);
}

constexpr std::array attention_table{
    EmitRow{Kind::real, "Attention", emit_attention},
    EmitRow{Kind::real, "RotaryEmbedding", emit_rotary},
};

}  // namespace

std::span<const EmitRow> attention_rows() { return attention_table; }

}  // namespace quern::cgen
