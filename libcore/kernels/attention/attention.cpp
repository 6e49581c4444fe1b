// Attention of ai.onnx in float32, on tiles of queries.
#include "libcore/kernels/attention/rows.h"
#include "libcore/kernels/attention/tiles.h"
#include "libcore/kernels/isa.h"

namespace quern::attention {
namespace {

// past and fresh rows of one operand joined: [batch, heads, past + length, size].
Tensor joined(const Tensor& past, const Tensor& fresh, const AttentionHeads& h, Memory& memory) {
    const int64_t before = past.dims[2], after = before + h.length;
    const Buffer out = memory.take(static_cast<size_t>(count_of(Dims{h.batch, h.heads, after, h.size})) * sizeof(float));
    auto* to = reinterpret_cast<float*>(out.data.get());
    const auto *old = past.view<float>().data(), *from = fresh.view<float>().data();
    const Strides strides(h);
    for (int64_t b = 0; b < h.batch; ++b)
        for (int64_t head = 0; head < h.heads; ++head) {
            to = std::copy_n(old + (b * h.heads + head) * before * h.size, before * h.size, to);
            for (int64_t i = 0; i < h.length; ++i) to = std::copy_n(from + strides.at(b, head) + i * strides.row, h.size, to);
        }
    return {DType::f32, {h.batch, h.heads, after, h.size}, out.freeze()};
}

// All keys or values of a run: the operand as it is or behind the state, and whether that is a tensor [batch, heads, length, size].
struct Joined {
    Tensor tensor;
    AttentionHeads heads;
    Joined(const Tensor* past, const Tensor& fresh, const AttentionHeads& h, Memory& memory)
        : tensor(past ? joined(*past, fresh, h, memory) : fresh), heads(h) {
        if (past) heads = attention_heads(tensor.dims, 0, "");
    }
    Operand operand() const { return {tensor.view<float>().data(), Strides(heads)}; }
};

class AttentionKernel : public Kernel {
   public:
    explicit AttentionKernel(const NodeView& node)
        : rules_(node), name_(fmt::format("{} attention", isa() == Isa::base ? "base" : "avx2")) {}
    std::string name() const override { return name_; }
    bool takes_empty() const override { return true; }

    void run(KernelCtx& ctx) override {
        const Tensor &query = *ctx.in(0), &key = *ctx.in(1), &value = *ctx.in(2);
        const Tensor *mask = ctx.in(3), *past_key = ctx.in(4), *past_value = ctx.in(5);
        const AttentionHeads q = attention_heads(query.dims, rules_.q_heads, "q_num_heads"),
                             k = attention_heads(key.dims, rules_.kv_heads, "kv_num_heads"),
                             v = attention_heads(value.dims, rules_.kv_heads, "kv_num_heads");
        const AttentionShape shape =
            attention_shape(q, k, v, past_key ? &past_key->dims : nullptr, past_value ? &past_value->dims : nullptr);
        const Joined keys(past_key, key, k, ctx.memory()), values(past_value, value, v, ctx.memory());
        AttentionHeads result = q;
        result.size = shape.v_size;
        const Dims dims = q.packed ? Dims{q.batch, q.length, q.heads * result.size} : Dims{q.batch, q.heads, q.length, result.size};
        const Buffer out = ctx.memory().take(static_cast<size_t>(count_of(dims)) * sizeof(float));
        attend({.shape = shape,
                .scale = static_cast<float>(rules_.scale_of(shape.size)),
                .softcap = rules_.softcap,
                .q = {query.view<float>().data(), Strides(q)},
                .k = keys.operand(),
                .v = values.operand(),
                .y = reinterpret_cast<float*>(out.data.get()),
                .y_strides = Strides(result),
                .mask = mask ? Mask(*mask, shape) : Mask(),
                .visible = VisibleKeys(rules_, shape, past_key ? past_key->dims[2] : 0, ctx.in(6))},
               ctx.memory(), ctx.pool());
        ctx.give({DType::f32, dims, out.freeze()});
        give_state(ctx, 1, keys);
        give_state(ctx, 2, values);
    }

   private:
    static void give_state(KernelCtx& ctx, size_t i, const Joined& joined) {
        if (!ctx.wants(i)) return;
        const AttentionHeads& h = joined.heads;
        Dims dims{h.batch, h.heads, h.length, h.size};
        if (!h.packed) return ctx.give_beside(i, {DType::f32, std::move(dims), joined.tensor.data});
        const Buffer out = ctx.memory().take(joined.tensor.data.size());
        split_heads(joined.tensor.view<float>().data(), reinterpret_cast<float*>(out.data.get()), h.batch, h.length, h.heads, h.size);
        ctx.give_beside(i, {DType::f32, std::move(dims), out.freeze()});
    }

    AttentionRules rules_;
    std::string name_;
};

}  // namespace

std::unique_ptr<Kernel> make_attention(const Site& site, std::string& refusal) {
    const Node& node = site.first();
    const auto has = [&](size_t i) { return i < node.in.size() && node.in[i] != ValueId::none; };
    for (const size_t i : {0, 1, 2, 4, 5})
        if (has(i) && !is_f32(site, node.in[i])) return refusal = "is not float32", nullptr;
    if (has(3) && !is_f32(site, node.in[3]) && site.value(node.in[3]).type.dtype != DType::boolean)
        return refusal = "its mask is neither float32 nor boolean", nullptr;
    if (node.out.size() > 3 && node.out[3] != ValueId::none) return refusal = "its scores are wanted", nullptr;
    const NodeView view(node);
    if (view.has("softmax_precision") && view.integer("softmax_precision") != 1 && view.integer("softmax_precision") != 11)
        return refusal = "its softmax is rounded", nullptr;
    return std::make_unique<AttentionKernel>(view);
}

}  // namespace quern::attention
