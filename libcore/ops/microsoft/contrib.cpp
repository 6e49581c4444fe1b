// com.microsoft: the Gelu family, and the rows of the float operators.
#include "libcore/ops/microsoft/contrib.h"

#include <array>

#include "libcore/ops/shared/activation.h"
#include "libcore/ops/shared/conv.h"
#include "libcore/ops/shared/cost.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/matmul.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/spatial.h"
#include "libcore/ops/shared/window.h"

namespace quern {
namespace {

void eval_gelu(EvalCtx& ctx) {
    map_floats(ctx, [](auto x) { return act::gelu(x); });
}

void eval_quick_gelu(EvalCtx& ctx) {
    const float alpha = ctx.real("alpha");
    map_floats(ctx, [alpha](auto x) { return act::swish(x, static_cast<decltype(x)>(alpha)); });
}

// fn(x + bias), the bias along the last dim; absent: 0.
template <class Fn>
void map_biased(EvalCtx& ctx, const Fn& fn) {
    const Tensor& data = ctx.need(0);
    const Tensor* bias = ctx.in(1);
    const int64_t columns = data.dims.empty() ? 1 : data.dims.back();
    if (bias && bias->count() != columns) throw bad_input("bias has {} numbers, need {}", bias->count(), columns);
    with_float(data.dtype, [&](auto zero) {
        using T = decltype(zero);
        const Numbers<T> x(data);
        std::vector<T> shift(static_cast<size_t>(columns), T{0});
        if (bias) {
            const Numbers<T> items(*bias);
            std::copy(items.span().begin(), items.span().end(), shift.begin());
        }
        NumbersOut<T> y(ctx, 0, data.dtype, data.dims);
        for (size_t i = 0; i < x.size(); ++i) y[i] = fn(x[i] + shift[i % shift.size()]);
    });
}

void eval_bias_gelu(EvalCtx& ctx) {
    map_biased(ctx, [](auto x) { return act::gelu(x); });
}
void eval_fast_gelu(EvalCtx& ctx) {
    map_biased(ctx, [](auto x) { return act::gelu_by_tanh(x); });
}

Cost element_cost(const CostCtx& ctx) { return {elements(ctx.out.empty() ? Dims{} : ctx.out[0]), moved_bytes(ctx)}; }

Cost attention_cost(const CostCtx& ctx) {
    const Dims &x = ctx.in[0], &w = ctx.in[1];
    if (x.size() != 3 || w.empty()) return element_cost(ctx);
    const double rows = static_cast<double>(x[0]) * static_cast<double>(x[1]);
    const double products = 2 * elements(ctx.out[0]) * static_cast<double>(x[1]);
    return {(w.size() == 2 ? rows * elements(w) : 0) + products, moved_bytes(ctx)};
}

constexpr std::string_view ms = "com.microsoft";
constexpr AttrDef tiny_epsilon{"epsilon", AttrKind::real, "1e-12"}, heads{"num_heads", AttrKind::integer, {}, true},
    scale{"scale", AttrKind::real}, filter{"mask_filter_value", AttrKind::real, "-10000"}, causal{"unidirectional", AttrKind::integer, "0"};
constexpr std::array quick_attrs{AttrDef{"alpha", AttrKind::real, "1.702"}};
constexpr std::array skip_attrs{tiny_epsilon};
constexpr std::array simplified_attrs{AttrDef{"axis", AttrKind::integer, "-1"}, AttrDef{"epsilon", AttrKind::real, "1e-5"},
                                      AttrDef{"stash_type", AttrKind::integer, "1"}};
constexpr std::array embed_attrs{tiny_epsilon, AttrDef{"mask_index_type", AttrKind::integer, "0"}};
constexpr std::array matmul_attrs{AttrDef{"alpha", AttrKind::real, "1"}, AttrDef{"transA", AttrKind::integer, "0"},
                                  AttrDef{"transB", AttrKind::integer, "0"}, AttrDef{"transBatchA", AttrKind::integer, "0"},
                                  AttrDef{"transBatchB", AttrKind::integer, "0"}};
using namespace window_attrs;
constexpr std::array conv_attrs{AttrDef{"activation", AttrKind::text},
                                AttrDef{"activation_params", AttrKind::reals},
                                auto_pad,
                                dilations,
                                group,
                                kernel_as_filter,
                                pads,
                                strides};
constexpr std::array gemm_attrs{
    AttrDef{"activation", AttrKind::text},       AttrDef{"activation_alpha", AttrKind::real}, AttrDef{"activation_beta", AttrKind::real},
    AttrDef{"activation_gamma", AttrKind::real}, AttrDef{"alpha", AttrKind::real, "1"},       AttrDef{"beta", AttrKind::real, "1"},
    AttrDef{"transA", AttrKind::integer, "0"},   AttrDef{"transB", AttrKind::integer, "0"},
};
constexpr std::array attention_attrs{
    AttrDef{"do_rotary", AttrKind::integer, "0"},
    filter,
    heads,
    AttrDef{"past_present_share_buffer", AttrKind::integer, "0"},
    AttrDef{"qkv_hidden_sizes", AttrKind::integers},
    AttrDef{"rotary_embedding_dim", AttrKind::integer, "0"},
    scale,
    causal,
};
constexpr std::array multi_head_attrs{filter, heads, scale, causal};
constexpr std::array grouped_attrs{
    AttrDef{"do_rotary", AttrKind::integer, "0"},          AttrDef{"kv_num_heads", AttrKind::integer, {}, true},
    AttrDef{"local_window_size", AttrKind::integer, "-1"}, heads,
    AttrDef{"rotary_interleaved", AttrKind::integer, "0"}, AttrDef{"scale", AttrKind::real, "0"},
    AttrDef{"smooth_softmax", AttrKind::integer, "0"},     AttrDef{"softcap", AttrKind::real, "0"},
};
constexpr std::array rotary_attrs{
    AttrDef{"interleaved", AttrKind::integer, "0"}, AttrDef{"is_packed_batching", AttrKind::integer, "0"},
    AttrDef{"num_heads", AttrKind::integer, "0"},   AttrDef{"rotary_embedding_dim", AttrKind::integer, "0"},
    AttrDef{"scale", AttrKind::real, "1"},
};

constexpr QuantRule own = rules::own;
constexpr QuantRule filtered{.kind = QuantRule::Kind::own, .activations = 9, .weight = 1, .weight_axis = 0, .bias = 2};
constexpr DTypes fused_types = DType::f32 | DType::f16 | DType::bf16;

constexpr Op microsoft(std::string_view name, Arity in, Arity out, std::span<const AttrDef> attrs, DTypes types, void (*infer)(InferCtx&),
                       void (*eval)(EvalCtx&), Cost (*cost)(const CostCtx&), std::string_view doc, QuantRule quant = {}) {
    return {.name = name,
            .domain = ms,
            .in = in,
            .out = out,
            .attrs = attrs,
            .types = types,
            .infer = infer,
            .eval = eval,
            .quant = quant,
            .cost = cost,
            .doc = doc};
}

constexpr std::array contrib_table{
    Op{.name = "Gelu",
       .domain = ms,
       .traits = pointwise | Trait::activation,
       .types = dtypes::floats,
       .infer = infer_same,
       .eval = eval_gelu,
       .quant = own,
       .layout = Layout::agnostic,
       .cost = element_cost,
       .doc = "x * P(normal < x)"},
    Op{.name = "QuickGelu",
       .domain = ms,
       .attrs = quick_attrs,
       .traits = pointwise | Trait::activation,
       .types = dtypes::floats,
       .infer = infer_same,
       .eval = eval_quick_gelu,
       .quant = own,
       .layout = Layout::agnostic,
       .cost = element_cost,
       .doc = "x * sigmoid(alpha * x)"},
    microsoft("BiasGelu", {2, 2}, {1, 1}, {}, dtypes::floats, infer_same, eval_bias_gelu, element_cost, "Gelu of x + bias", own),
    microsoft("FastGelu", {1, 2}, {1, 1}, {}, dtypes::floats, infer_same, eval_fast_gelu, element_cost, "Gelu by tanh of x + bias", own),
    Op{.name = "SimplifiedLayerNormalization",
       .in = {2, 2},
       .out = {1, 2},
       .attrs = simplified_attrs,
       .types = dtypes::floats,
       .infer = infer_simplified_layer_norm,
       .eval = eval_simplified_layer_norm,
       .quant = own,
       .cost = element_cost,
       .doc = "onnxruntime's RMSNormalization, in the default domain"},
    microsoft("SkipLayerNormalization", {3, 5}, {1, 4}, skip_attrs, dtypes::floats, infer_skip_layer_norm, eval_skip_layer_norm,
              element_cost, "LayerNormalization of input + skip + bias", own),
    microsoft("SkipSimplifiedLayerNormalization", {3, 4}, {1, 4}, skip_attrs, dtypes::floats, infer_skip_layer_norm,
              eval_skip_simplified_layer_norm, element_cost, "RMSNormalization of input + skip + bias", own),
    microsoft("EmbedLayerNormalization", {1, 9}, {1, 3}, embed_attrs, DType::i32, infer_embed_layer_norm, eval_embed_layer_norm,
              element_cost, "LayerNormalization of word, position and segment embeddings"),
    microsoft("FusedMatMul", {2, 2}, {1, 1}, matmul_attrs, dtypes::floats, infer_fused_matmul, eval_fused_matmul, matmul_cost,
              "scaled MatMul of matrices that may be transposed", rules::product),
    microsoft("FusedConv", {2, 4}, {1, 1}, conv_attrs, fused_types, infer_conv, eval_fused_conv, conv_cost,
              "Conv, an addition and an activation", filtered),
    microsoft("FusedGemm", {2, 3}, {1, 1}, gemm_attrs, fused_types, infer_gemm, eval_fused_gemm, gemm_cost, "Gemm and an activation",
              rules::biased_product),
    microsoft("Attention", {2, 7}, {1, 2}, attention_attrs, dtypes::floats, infer_packed_attention, eval_packed_attention, attention_cost,
              "self attention with its input projection"),
    microsoft("MultiHeadAttention", {1, 10}, {1, 4}, multi_head_attrs, dtypes::floats, infer_multi_head_attention,
              eval_multi_head_attention, attention_cost, "attention of projected query, key and value"),
    microsoft("GroupQueryAttention", {1, 14}, {1, 4}, grouped_attrs, dtypes::floats, infer_grouped_attention, eval_grouped_attention,
              attention_cost, "causal attention with shared key heads, a cache and rotation"),
    microsoft("RotaryEmbedding", {4, 4}, {1, 1}, rotary_attrs, dtypes::floats, infer_same, eval_contrib_rotary, element_cost,
              "rotates pairs of features by the position's angles"),
};

}  // namespace

std::span<const Op> contrib_ops() { return contrib_table; }

}  // namespace quern
