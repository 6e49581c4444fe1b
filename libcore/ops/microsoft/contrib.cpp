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
constexpr std::array conv_attrs{
    AttrDef{"activation", AttrKind::text},    AttrDef{"activation_params", AttrKind::reals}, AttrDef{"auto_pad", AttrKind::text, "NOTSET"},
    AttrDef{"dilations", AttrKind::integers}, AttrDef{"group", AttrKind::integer, "1"},      AttrDef{"kernel_shape", AttrKind::integers},
    AttrDef{"pads", AttrKind::integers},      AttrDef{"strides", AttrKind::integers},
};
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

constexpr std::array rows{
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
    Op{.name = "BiasGelu",
       .domain = ms,
       .in_min = 2,
       .in_max = 2,
       .types = dtypes::floats,
       .infer = infer_same,
       .eval = eval_bias_gelu,
       .quant = own,
       .cost = element_cost,
       .doc = "Gelu of x + bias"},
    Op{.name = "FastGelu",
       .domain = ms,
       .in_min = 1,
       .in_max = 2,
       .types = dtypes::floats,
       .infer = infer_same,
       .eval = eval_fast_gelu,
       .quant = own,
       .cost = element_cost,
       .doc = "Gelu by tanh of x + bias"},
    Op{.name = "SimplifiedLayerNormalization",
       .in_min = 2,
       .in_max = 2,
       .out_max = 2,
       .attrs = simplified_attrs,
       .types = dtypes::floats,
       .infer = infer_simplified_layer_norm,
       .eval = eval_simplified_layer_norm,
       .quant = own,
       .cost = element_cost,
       .doc = "onnxruntime's RMSNormalization, in the default domain"},
    Op{.name = "SkipLayerNormalization",
       .domain = ms,
       .in_min = 3,
       .in_max = 5,
       .out_max = 4,
       .attrs = skip_attrs,
       .types = dtypes::floats,
       .infer = infer_skip_layer_norm,
       .eval = eval_skip_layer_norm,
       .quant = own,
       .cost = element_cost,
       .doc = "LayerNormalization of input + skip + bias"},
    Op{.name = "SkipSimplifiedLayerNormalization",
       .domain = ms,
       .in_min = 3,
       .in_max = 4,
       .out_max = 4,
       .attrs = skip_attrs,
       .types = dtypes::floats,
       .infer = infer_skip_layer_norm,
       .eval = eval_skip_simplified_layer_norm,
       .quant = own,
       .cost = element_cost,
       .doc = "RMSNormalization of input + skip + bias"},
    Op{.name = "EmbedLayerNormalization",
       .domain = ms,
       .in_min = 1,
       .in_max = 9,
       .out_max = 3,
       .attrs = embed_attrs,
       .types = DType::i32,
       .infer = infer_embed_layer_norm,
       .eval = eval_embed_layer_norm,
       .cost = element_cost,
       .doc = "LayerNormalization of word, position and segment embeddings"},
    Op{.name = "FusedMatMul",
       .domain = ms,
       .in_min = 2,
       .in_max = 2,
       .attrs = matmul_attrs,
       .types = dtypes::floats,
       .infer = infer_fused_matmul,
       .eval = eval_fused_matmul,
       .quant = rules::product,
       .cost = matmul_cost,
       .doc = "scaled MatMul of matrices that may be transposed"},
    Op{.name = "FusedConv",
       .domain = ms,
       .in_min = 2,
       .in_max = 4,
       .attrs = conv_attrs,
       .types = fused_types,
       .infer = infer_conv,
       .eval = eval_fused_conv,
       .quant = filtered,
       .cost = conv_cost,
       .doc = "Conv, an addition and an activation"},
    Op{.name = "FusedGemm",
       .domain = ms,
       .in_min = 2,
       .in_max = 3,
       .attrs = gemm_attrs,
       .types = fused_types,
       .infer = infer_gemm,
       .eval = eval_fused_gemm,
       .quant = rules::biased_product,
       .cost = gemm_cost,
       .doc = "Gemm and an activation"},
    Op{.name = "Attention",
       .domain = ms,
       .in_min = 2,
       .in_max = 7,
       .out_max = 2,
       .attrs = attention_attrs,
       .types = dtypes::floats,
       .infer = infer_packed_attention,
       .eval = eval_packed_attention,
       .cost = attention_cost,
       .doc = "self attention with its input projection"},
    Op{.name = "MultiHeadAttention",
       .domain = ms,
       .in_min = 1,
       .in_max = 10,
       .out_max = 4,
       .attrs = multi_head_attrs,
       .types = dtypes::floats,
       .infer = infer_multi_head_attention,
       .eval = eval_multi_head_attention,
       .cost = attention_cost,
       .doc = "attention of projected query, key and value"},
    Op{.name = "GroupQueryAttention",
       .domain = ms,
       .in_min = 1,
       .in_max = 14,
       .out_min = 1,
       .out_max = 4,
       .attrs = grouped_attrs,
       .types = dtypes::floats,
       .infer = infer_grouped_attention,
       .eval = eval_grouped_attention,
       .cost = attention_cost,
       .doc = "causal attention with shared key heads, a cache and rotation"},
    Op{.name = "RotaryEmbedding",
       .domain = ms,
       .in_min = 4,
       .in_max = 4,
       .attrs = rotary_attrs,
       .types = dtypes::floats,
       .infer = infer_same,
       .eval = eval_contrib_rotary,
       .cost = element_cost,
       .doc = "rotates pairs of features by the position's angles"},
};

}  // namespace

std::span<const Op> contrib_ops() { return rows; }

}  // namespace quern
