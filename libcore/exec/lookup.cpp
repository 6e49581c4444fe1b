#include "libcore/exec/lookup.h"

#include <cstring>
#include <optional>
#include <vector>

#include "libcore/ops/shared/eval_node.h"

namespace quern {
namespace {

bool is_byte_encoding(const std::optional<Encoding>& enc) {
    return enc && enc->plain_integer(8) && (enc->storage == DType::i8 || enc->storage == DType::u8);
}

// The inputs of `node`, the one that is looked up undefined; nothing if the others are no plain scalars.
std::optional<std::vector<Tensor>> scalar_inputs(const Graph& graph, const Node& node, size_t& looked_up) {
    std::vector<Tensor> inputs(node.in.size());
    bool found = false;
    for (size_t i = 0; i < node.in.size(); ++i) {
        if (node.in[i] == ValueId::none) continue;
        const Value& value = graph.value(node.in[i]);
        if (!value.constant() && !found && is_byte_encoding(value.enc)) {
            looked_up = i;
            found = true;
        } else if (value.constant() && !value.enc && value.type.shape.rank() == 0) {
            inputs[i] = *graph.constant(node.in[i]);
        } else {
            return std::nullopt;
        }
    }
    return found ? std::optional(std::move(inputs)) : std::nullopt;
}

}  // namespace

std::shared_ptr<const Lookup> Lookup::make(const Graph& graph, const Node& node, std::span<const Bytes> state) {
    const bool pure = has(node.op->traits, Trait::elementwise) && !has(node.op->traits, Trait::random) && node.bodies.empty();
    if (!pure || !node.op->eval || node.out.size() != 1 || !is_byte_encoding(graph.value(node.out[0]).enc)) return nullptr;
    auto lookup = std::make_shared<Lookup>();
    auto inputs = scalar_inputs(graph, node, lookup->input_);
    if (!inputs) return nullptr;
    lookup->storage_ = graph.value(node.out[0]).enc->storage;
    if (!state.empty()) {
        if (state[0].size() != lookup->table_.size()) throw bad_input("its table has {} bytes", state[0].size());
        std::memcpy(lookup->table_.data(), state[0].data(), lookup->table_.size());
        return lookup;
    }
    const Encoding &from = *graph.value(node.in[lookup->input_]).enc, &to = *graph.value(node.out[0]).enc;
    std::array<std::byte, 256> codes;
    for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::byte>(i);
    (*inputs)[lookup->input_] = dequantize({from.storage, {256}, Bytes::borrow(codes.data(), codes.size())}, from);
    try {
        const Tensor out = eval_node(node, *inputs).at(0);
        if (out.dims != Dims{256} || !is_float(out.dtype)) return nullptr;
        const Tensor quantized = quantize(out, to);
        std::memcpy(lookup->table_.data(), quantized.data.data(), lookup->table_.size());
    } catch (const Error&) {
        return nullptr;  // the node will say it when it runs
    }
    return lookup;
}

Tensor Lookup::run(const Tensor& codes, Memory& memory, ThreadPool& pool) const {
    constexpr size_t grain = 1 << 16;
    const Buffer out = memory.take(codes.data.size());
    const std::byte* from = codes.data.data();
    std::byte* to = out.data.get();
    pool.run_ranges(codes.data.size(), grain, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) to[i] = table_[static_cast<size_t>(from[i])];
    });
    return {storage_, codes.dims, out.freeze()};
}

}  // namespace quern
