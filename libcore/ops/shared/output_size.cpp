#include "libcore/ops/shared/output_size.h"

#include <deque>

#include "libcore/base/memory_limit.h"

namespace quern {
namespace {

constexpr int64_t dims_value_limit = 64;  // as inference over graphs follows

// Inference over tensors that are there.
class Foreseen : public InferCtx {
   public:
    Foreseen(const Node& node, std::span<const Tensor* const> inputs, std::span<const Type> types)
        : InferCtx(node), inputs_(inputs), types_(types), outputs(node.out.size()) {}

    size_t in_count() const override { return inputs_.size(); }
    size_t out_count() const override { return outputs.size(); }
    bool has_in(size_t i) const override { return i < inputs_.size() && inputs_[i]; }
    const Type& in(size_t i) const override {
        if (!has_in(i)) throw bad_input("input {} is missing", i);
        return types_[i];
    }
    const Tensor* constant(size_t i) const override { return has_in(i) && inputs_[i]->dtype == types_[i].dtype ? inputs_[i] : nullptr; }
    const std::vector<Dim>* dims_value(size_t i) const override {
        const Tensor* tensor = constant(i);
        const bool small = tensor && tensor->dims.size() <= 1 && tensor->count() <= dims_value_limit;
        if (!small || (tensor->dtype != DType::i64 && tensor->dtype != DType::i32)) return nullptr;
        std::vector<Dim>& dims = numbers_.emplace_back();
        for (const int64_t item : to_ints(*tensor)) dims.push_back(item < 0 ? negative_dim(item) : Dim::of(item));
        return &dims;
    }
    void set(size_t i, Type type) override {
        if (i < outputs.size()) outputs[i] = std::move(type);
    }
    void set_dims_value(size_t, std::vector<Dim>) override {}
    std::vector<Type> infer_body(size_t, std::span<const Type>) override { throw unsupported("bodies"); }

   private:
    std::span<const Tensor* const> inputs_;
    std::span<const Type> types_;
    mutable std::deque<std::vector<Dim>> numbers_;

   public:
    std::vector<Type> outputs;
};

}  // namespace

void check_output_size(size_t i, const Type& type, uint64_t limit) {
    const auto dims = type.kind == Type::Kind::tensor ? type.shape.concrete() : std::nullopt;
    if (!dims) return;
    const DType dtype = type.dtype == DType::none ? DType::u8 : type.dtype;
    uint64_t bytes = 0;
    try {
        bytes = storage_size(dtype, static_cast<uint64_t>(count_of(*dims)));
    } catch (const Error&) {
        bytes = ~uint64_t{0} >> 1;  // more than can be counted
    }
    if (bytes > limit) need_memory(bytes, fmt::format("output {} as {}", i, to_string(type)), limit);
}

std::vector<Type> foreseen_outputs(const Node& node, std::span<const Tensor* const> inputs, std::span<const Type> types) {
    if (!node.op->infer || !node.bodies.empty()) return {};
    Foreseen ctx(node, inputs, types);
    try {
        node.op->infer(ctx);
    } catch (const Error&) {
        return {};  // the run says what is wrong
    }
    return std::move(ctx.outputs);
}

void check_output_sizes(const Node& node, std::span<const Tensor* const> inputs, std::span<const Type> types, uint64_t limit) {
    const std::vector<Type> outputs = foreseen_outputs(node, inputs, types);
    for (size_t i = 0; i < outputs.size(); ++i) check_output_size(i, outputs[i], limit);
}

}  // namespace quern
