#include "libcore/exec/lookup.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "libcore/ops/shared/eval_node.h"

namespace quern {
namespace {

bool is_byte_encoding(const std::optional<Encoding>& enc) {
    return enc && enc->plain_integer(8) && (enc->storage == DType::i8 || enc->storage == DType::u8);
}

bool is_pure(const Graph& graph, const Node& node) {
    return has(node.op->traits, Trait::elementwise) && !has(node.op->traits, Trait::random) && node.bodies.empty() && node.op->eval &&
           node.out.size() == 1 && node.out[0] != ValueId::none && graph.value(node.out[0]).type.kind == Type::Kind::tensor;
}

bool is_scalar(const Value& value) { return value.constant() && !value.enc && value.type.shape.rank() == 0; }

// The value with codes that the node reads beside constant scalars; none if it reads anything else.
ValueId looked_up(const Graph& graph, const Node& node) {
    ValueId found = ValueId::none;
    for (const ValueId id : node.in) {
        if (id == ValueId::none || id == found || is_scalar(graph.value(id))) continue;
        if (found != ValueId::none || graph.value(id).constant() || !is_byte_encoding(graph.value(id).enc)) return ValueId::none;
        found = id;
    }
    return found;
}

// Grows a function of `input` node by node, each when all that it reads is there.
class Region {
   public:
    Region(const Graph& graph, ValueId input, const Node& first) : graph_(graph), known_{input} { add(first); }

    void grow() {
        for (size_t i = 1; i < known_.size() && nodes_.size() <= most_nodes; ++i)
            for (const Use& use : graph_.uses(known_[i]))
                if (use.node != NodeId::none && use.index >= 0) consider(graph_.node(use.node));
    }

    // Those of a whole function; the nodes are in an order in which they run.
    std::vector<const Node*> nodes() const {
        const auto inside = [&](const Use& use) { return use.node != NodeId::none && use.index >= 0 && holds(graph_.node(use.node)); };
        if (ends_ != 1 || nodes_.size() > most_nodes) return {};
        for (size_t i = 1; i < known_.size(); ++i) {
            const std::vector<Use> uses = graph_.uses(known_[i]);
            if (uses.empty() || !std::ranges::all_of(uses, inside)) return {};
        }
        return nodes_;
    }

   private:
    static constexpr size_t most_nodes = 32;

    bool holds(const Node& node) const { return std::ranges::find(nodes_, &node) != nodes_.end(); }

    void add(const Node& node) {
        nodes_.push_back(&node);
        const Value& result = graph_.value(node.out[0]);
        if (result.enc)
            ++ends_;
        else
            known_.push_back(node.out[0]);
    }

    void consider(const Node& node) {
        if (holds(node) || !is_pure(graph_, node)) return;
        const auto& encoding = graph_.value(node.out[0]).enc;
        const auto there = [&](ValueId id) {
            return id == ValueId::none || std::ranges::find(known_, id) != known_.end() || is_scalar(graph_.value(id));
        };
        if ((!encoding || is_byte_encoding(encoding)) && std::ranges::all_of(node.in, there)) add(node);
    }

    const Graph& graph_;
    std::vector<ValueId> known_;  // the input, and results that are not encoded
    std::vector<const Node*> nodes_;
    size_t ends_ = 0;  // nodes with encoded results
};

}  // namespace

std::vector<const Node*> Lookup::nodes_from(const Graph& graph, const Node& first) {
    if (!is_pure(graph, first)) return {};
    const ValueId input = looked_up(graph, first);
    const auto& encoding = graph.value(first.out[0]).enc;
    if (input == ValueId::none || (encoding && !is_byte_encoding(encoding))) return {};
    Region region(graph, input, first);
    region.grow();
    return region.nodes();
}

std::shared_ptr<const Lookup> Lookup::make(const Graph& graph, std::span<const Node* const> nodes, std::span<const Bytes> state) {
    auto lookup = std::make_shared<Lookup>();
    const ValueId result = nodes.back()->out[0];
    lookup->input_ = looked_up(graph, *nodes.front());
    const Encoding &from = *graph.value(lookup->input_).enc, &to = *graph.value(result).enc;
    lookup->storage_ = to.storage;
    if (!state.empty()) {
        if (state[0].size() != lookup->table_.size()) throw bad_input("its table has {} bytes", state[0].size());
        std::memcpy(lookup->table_.data(), state[0].data(), lookup->table_.size());
        return lookup;
    }
    std::array<std::byte, 256> codes;
    for (size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::byte>(i);
    std::map<ValueId, Tensor> known;
    known[lookup->input_] = dequantize({from.storage, {256}, Bytes::borrow(codes.data(), codes.size())}, from);
    try {
        for (const Node* node : nodes) {
            std::vector<Tensor> inputs;
            for (const ValueId id : node->in)
                inputs.push_back(id == ValueId::none ? Tensor() : known.contains(id) ? known.at(id) : *graph.constant(id));
            known[node->out[0]] = eval_node(*node, inputs).at(0);
        }
        const Tensor& out = known.at(result);
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
