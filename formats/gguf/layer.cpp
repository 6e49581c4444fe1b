#include "formats/gguf/layer.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"

namespace quern::gguf {

std::string LayerBuilder::in_layer(std::string_view name) const { return scope_ + "." + std::string(name); }

ValueId LayerBuilder::norm(ValueId x, const std::string& name, int64_t length) {
    if (!weights_.has(name + ".weight")) return x;
    std::vector<ValueId> in{x, weights_.vector(name + ".weight", {length})};
    if (weights_.has(name + ".bias")) in.push_back(weights_.vector(name + ".bias", {length}));
    const bool centred = hyper_.architecture->layer_norm;
    if (!centred && in.size() > 2) throw unsupported("tensor \"{}.bias\": a bias of RMSNormalization", name);
    return net_.add(centred ? ops::LayerNormalization : ops::RMSNormalization, name, in,
                    {{"axis", int64_t{-1}}, {"epsilon", static_cast<float>(hyper_.epsilon)}});
}

ValueId LayerBuilder::input_norm(ValueId x, const std::string& name) {
    if (!hyper_.architecture->bare_norms) return norm(x, name, hyper_.embedding);
    return net_.add(ops::LayerNormalization, name, {x, net_.ones(name + ".weight", hyper_.embedding)},
                    {{"axis", int64_t{-1}}, {"epsilon", static_cast<float>(hyper_.epsilon)}});
}

ValueId LayerBuilder::linear(ValueId x, const std::string& name, int64_t rows, int64_t columns) {
    const ValueId y = net_.add(ops::MatMul, name, {x, weights_.matrix(name + ".weight", rows, columns)});
    if (!weights_.has(name + ".bias")) return y;
    return net_.add(ops::Add, name + ".add", {y, weights_.vector(name + ".bias", {rows})});
}

// Q, K and V, of separate tensors or of one.
std::vector<ValueId> LayerBuilder::projections(ValueId x, const Heads& heads) {
    const int64_t q = heads.query * hyper_.key_length, k = heads.kv * hyper_.key_length, v = heads.kv * hyper_.value_length;
    if (!weights_.has(in_layer("attn_qkv.weight")))
        return {linear(x, in_layer("attn_q"), q, hyper_.embedding), linear(x, in_layer("attn_k"), k, hyper_.embedding),
                linear(x, in_layer("attn_v"), v, hyper_.embedding)};
    const ValueId all = linear(x, in_layer("attn_qkv"), q + k + v, hyper_.embedding);
    return net_.add_several(ops::Split, in_layer("attn_split"), {all, net_.integers({q, k, v}, in_layer("attn_split.sizes"))},
                            {in_layer("attn_q_out"), in_layer("attn_k_out"), in_layer("attn_v_out")}, {{"axis", int64_t{-1}}});
}

// Weights [heads, length].
ValueId LayerBuilder::own_norm_of_each(ValueId x, const std::string& name, int64_t heads) {
    const ValueId even = net_.add(hyper_.architecture->layer_norm ? ops::LayerNormalization : ops::RMSNormalization, name + ".even",
                                  {x, net_.ones(name + ".ones", hyper_.key_length)},
                                  {{"axis", int64_t{-1}}, {"epsilon", static_cast<float>(hyper_.epsilon)}});
    return net_.add(ops::Mul, name, {even, weights_.vector(name + ".weight", {heads, hyper_.key_length})});
}

// Over each head by itself, or over all of them, as the weight is long.
ValueId LayerBuilder::normed_heads(ValueId x, const std::string& name, int64_t heads) {
    if (!weights_.has(name + ".weight")) return x;
    const TensorInfo& weight = weights_.tensor(name + ".weight");
    if (weight.dims == Dims{heads * hyper_.key_length} && heads != 1) return norm(x, name, heads * hyper_.key_length);
    const ValueId apart = net_.add(ops::Reshape, name + ".apart", {x, net_.integers({0, 0, heads, hyper_.key_length}, name + ".shape")});
    const ValueId y = weight.dims.size() == 2 ? own_norm_of_each(apart, name, heads) : norm(apart, name, hyper_.key_length);
    return net_.add(ops::Reshape, name + ".joined", {y, net_.integers({0, 0, heads * hyper_.key_length}, name + ".joined.shape")});
}

ValueId LayerBuilder::turned(size_t i, ValueId x, std::string_view name, int64_t heads) {
    if (shared_.cosine == ValueId::none) return x;
    const Architecture& a = *hyper_.architecture;
    if (a.turns_local && hyper_.windows[i] == 0 && std::ranges::any_of(hyper_.windows, [](int64_t window) { return window > 0; })) return x;
    if (a.unturned_period != 0 && (static_cast<int64_t>(i) + 1) % a.unturned_period == 0) return x;
    const bool local = hyper_.windows[i] > 0 && shared_.local_cosine != ValueId::none;
    return net_.add(ops::RotaryEmbedding, in_layer(name),
                    {x, local ? shared_.local_cosine : shared_.cosine, local ? shared_.local_sine : shared_.sine},
                    {{"interleaved", int64_t{a.rope == Architecture::Rope::pairs}},
                     {"num_heads", heads},
                     {"rotary_embedding_dim", hyper_.rotated == hyper_.key_length ? int64_t{0} : hyper_.rotated}});
}

ValueId LayerBuilder::attended(size_t i, const std::vector<ValueId>& qkv, const Heads& heads) {
    Graph& graph = net_.graph();
    const auto cache = [&](std::string_view what, int64_t length) {
        const ValueId id = graph.add_value(fmt::format("past_key_values.{}.{}", i, what),
                                           Type::tensor(DType::f32, Shape::of_dims({Dim::named("batch"), Dim::of(heads.kv),
                                                                                    Dim::named("past_sequence"), Dim::of(length)})));
        graph.inputs.push_back(id);
        return id;
    };
    const ValueId past_key = cache("key", hyper_.key_length), past_value = cache("value", hyper_.value_length);
    Attrs attrs{{"q_num_heads", heads.query},
                {"kv_num_heads", heads.kv},
                {"is_causal", int64_t{1}},
                {"scale", static_cast<float>(hyper_.attention_scale)}};
    if (hyper_.attention_softcap != 0) attrs["softcap"] = static_cast<float>(hyper_.attention_softcap);
    if (hyper_.windows[i] > 0) attrs["left_window_size"] = hyper_.windows[i] - 1;
    const auto out = net_.add_several(ops::Attention, in_layer("attn"), {qkv[0], qkv[1], qkv[2], shared_.mask, past_key, past_value},
                                      {in_layer("attn_out"), fmt::format("present.{}.key", i), fmt::format("present.{}.value", i)}, attrs);
    graph.outputs.push_back(out[1]);
    graph.outputs.push_back(out[2]);
    return out[0];
}

ValueId LayerBuilder::attention(size_t i, ValueId x) {
    const Heads heads{hyper_.heads[i], hyper_.kv_heads[i]};
    std::vector<ValueId> qkv = projections(x, heads);
    const auto prepared = [&](ValueId x, const std::string& name, int64_t count) {
        const std::string norm_name = in_layer(name + "_norm"), rope_name = name + "_rope";
        if (hyper_.architecture->turned_then_normed) return normed_heads(turned(i, x, rope_name, count), norm_name, count);
        return turned(i, normed_heads(x, norm_name, count), rope_name, count);
    };
    qkv[0] = prepared(qkv[0], "attn_q", heads.query);
    qkv[1] = prepared(qkv[1], "attn_k", heads.kv);
    return linear(attended(i, qkv, heads), in_layer("attn_output"), hyper_.embedding, heads.query * hyper_.value_length);
}

ValueId LayerBuilder::activated(ValueId x, std::string_view name) {
    switch (hyper_.architecture->activation) {
        case Architecture::Activation::silu: return net_.add(ops::Swish, in_layer(name), {x});
        case Architecture::Activation::gelu: return net_.add(ops::Gelu, in_layer(name), {x}, {{"approximate", std::string("tanh")}});
        case Architecture::Activation::relu_squared: break;
    }
    const ValueId positive = net_.add(ops::Relu, in_layer(name), {x});
    return net_.add(ops::Mul, in_layer(std::string(name) + "_squared"), {positive, positive});
}

bool LayerBuilder::parallel() const {
    switch (hyper_.architecture->parallel) {
        case Architecture::Parallel::never: return false;
        case Architecture::Parallel::always: return true;
        case Architecture::Parallel::as_said: return hyper_.parallel;
        case Architecture::Parallel::by_tensors: break;
    }
    return !weights_.has(in_layer("ffn_norm.weight"));
}

ValueId LayerBuilder::mlp(size_t i, ValueId x) {
    if (weights_.has(in_layer("ffn_gate_inp.weight"))) return mixture(x);
    const int64_t inner = hyper_.feed_forward[i], outer = hyper_.embedding;
    ValueId y;
    if (weights_.has(in_layer("ffn_gate.weight"))) {
        const ValueId gate = linear(x, in_layer("ffn_gate"), inner, outer), up = linear(x, in_layer("ffn_up"), inner, outer);
        y = net_.add(ops::Mul, in_layer("ffn_gated"), {activated(gate, "ffn_act"), up});
    } else if (weights_.tensor(in_layer("ffn_up.weight")).dims == Dims{2 * inner, outer}) {  // gates above, then the rest
        const auto parts =
            net_.add_several(ops::Split, in_layer("ffn_split"),
                             {linear(x, in_layer("ffn_up"), 2 * inner, outer), net_.integers({inner, inner}, in_layer("ffn_split.sizes"))},
                             {in_layer("ffn_gate_out"), in_layer("ffn_up_half")}, {{"axis", int64_t{-1}}});
        y = net_.add(ops::Mul, in_layer("ffn_gated"), {activated(parts[0], "ffn_act"), parts[1]});
    } else {
        y = activated(linear(x, in_layer("ffn_up"), inner, outer), "ffn_act");
    }
    return linear(y, in_layer("ffn_down"), outer, inner);
}

ValueId LayerBuilder::layer(size_t i, ValueId x) {
    scope_ = fmt::format("blk.{}", i);
    const int64_t length = hyper_.embedding;
    const auto added = [&](ValueId to, ValueId what, std::string_view name) {
        return net_.add(ops::Add, in_layer(name), {to, net_.scaled(what, hyper_.residual_scale, in_layer(std::string(name) + ".scale"))});
    };
    const ValueId before = input_norm(x, in_layer("attn_norm"));
    if (parallel()) {
        const ValueId own = weights_.has(in_layer("attn_norm_2.weight")) ? norm(x, in_layer("attn_norm_2"), length) : before;
        const ValueId other = weights_.has(in_layer("ffn_norm.weight")) ? norm(x, in_layer("ffn_norm"), length) : before;
        return added(added(x, attention(i, own), "attn_add"), mlp(i, other), "ffn_add");
    }
    ValueId attended = attention(i, before);
    const bool early = !hyper_.architecture->norm_behind_attention;
    if (early) attended = norm(attended, in_layer("post_attention_norm"), length);
    const ValueId between = added(x, attended, "attn_add");
    const ValueId inner = mlp(i, input_norm(between, in_layer(early ? "ffn_norm" : "post_attention_norm")));
    return added(between, norm(inner, in_layer("post_ffw_norm"), length), "ffn_add");
}

}  // namespace quern::gguf
