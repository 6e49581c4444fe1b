#include "libcore/ops/shared/eval_node.h"

#include <algorithm>

#include "libcore/base/memory_limit.h"
#include "libcore/ops/shared/output_size.h"
#include "libcore/ops/shared/work.h"

namespace quern {
namespace {

class OneNode : public EvalCtx {
   public:
    OneNode(const Node& node, std::span<const Tensor> inputs, uint64_t limit, const OnCodes& codes = {})
        : EvalCtx(node), inputs_(inputs), left_(limit), codes_(codes), outputs(node.out.size()) {}

    size_t in_count() const override { return node().in.size(); }
    size_t out_count() const override { return node().out.size(); }
    const Tensor* in(size_t i) const override { return i < inputs_.size() && inputs_[i].defined() ? &inputs_[i] : nullptr; }
    bool wants(size_t i) const override { return i < node().out.size() && node().out[i] != ValueId::none; }
    std::byte* out(size_t i, DType dtype, Dims dims) override {
        const uint64_t size = storage_size(dtype, static_cast<uint64_t>(count_of(dims)));
        if (size > left_) throw unsupported("an output of {} bytes is too large to be computed here", size);
        left_ -= size;
        MutableBytes bytes(size);
        std::byte* data = bytes.data();
        give(i, {dtype, std::move(dims), std::move(bytes).freeze()});
        return data;
    }
    void give(size_t i, Tensor tensor) override {
        if (i < outputs.size())
            outputs[i] = std::move(tensor);
        else
            unwanted_.push_back(std::move(tensor));
    }
    const Encoding* in_encoding(size_t i) const override { return i < codes_.in.size() ? codes_.in[i] : nullptr; }
    const Encoding* out_encoding(size_t i) const override { return i == 0 ? codes_.out : nullptr; }
    std::vector<Tensor> run_body(size_t, std::span<const Tensor>) override { throw unsupported("a node with bodies needs a Program"); }
    uint64_t seed() const override { return 0; }

   private:
    std::span<const Tensor> inputs_;
    uint64_t left_;  // bytes that outputs may still take
    OnCodes codes_;
    std::vector<Tensor> unwanted_;

   public:
    std::vector<Tensor> outputs;
};

}  // namespace

std::vector<Tensor> eval_node(const Node& node, std::span<const Tensor> inputs, uint64_t limit) {
    if (!node.op->eval) throw unsupported("operator {} has no implementation", node.op->name);
    std::vector<const Tensor*> given;
    std::vector<Type> types;
    for (const Tensor& input : inputs) {
        given.push_back(input.defined() ? &input : nullptr);
        types.push_back(Type::tensor(input.dtype, Shape::of(input.dims)));
    }
    if (!has(node.op->traits, Trait::shape_only)) check_output_sizes(node, given, types, std::min(limit, memory_limit()));
    OneNode ctx(node, inputs, limit);
    node.op->eval(ctx);
    return std::move(ctx.outputs);
}

std::vector<Tensor> eval_small(const Node& node, std::span<const Tensor> inputs, uint64_t limit) {
    const uint64_t given = bytes_of(inputs);
    if (!is_small(work_of(node, inputs, std::min(limit, given + small_work.growth)), given))
        throw unsupported("{} takes too much work to be computed here", node.op->name);
    return eval_node(node, inputs, limit);
}

std::vector<Tensor> eval_node_on_codes(const Node& node, std::span<const Tensor> inputs, const OnCodes& codes) {
    OneNode ctx(node, inputs, UINT64_MAX, codes);
    codes.eval(ctx);
    return std::move(ctx.outputs);
}

}  // namespace quern
