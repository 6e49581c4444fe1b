#include "libcore/exec/lookup.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "libcore/graph/quantize.h"
#include "libcore/ops/shared/eval_node.h"

namespace quern {
namespace {

bool has_table_codes(const std::optional<Encoding>& enc) {
    return enc && enc->plain_integer(16) && (bits_of(enc->storage) == 8 || bits_of(enc->storage) == 16);
}

// Is there so much to look up that a table pays?
bool pays(const Value& value) {
    if (bits_of(value.enc->storage) == 8) return true;
    const auto dims = value.type.shape.concrete();
    return dims && count_of(*dims) >= Lookup::min_for_words;
}

bool is_pure(const Graph& graph, const Node& node) {
    return has(node.op->traits, Trait::elementwise) && !has(node.op->traits, Trait::random) && node.bodies.empty() && node.op->eval &&
           node.out.size() == 1 && node.out[0] != ValueId::none && graph.value(node.out[0]).type.kind == Type::Kind::tensor;
}

bool is_scalar(const Value& value) { return value.constant() && !value.enc && value.type.shape.rank() == 0; }
bool is_coded_scalar(const Value& value) {
    return value.constant() && value.enc && value.type.shape.ranked && value.type.shape.rank() == 0;
}

// The value with codes that the node reads beside constant scalars, which may be codes where the node is computed `on_codes`; none if it
// reads anything else, or there is too little to look up.
ValueId looked_up(const Graph& graph, const Node& node, bool on_codes) {
    ValueId found = ValueId::none;
    for (const ValueId id : node.in) {
        if (id == ValueId::none || id == found || is_scalar(graph.value(id))) continue;
        if (on_codes && is_coded_scalar(graph.value(id))) continue;
        if (found != ValueId::none || graph.value(id).constant() || !has_table_codes(graph.value(id).enc)) return ValueId::none;
        found = id;
    }
    return found != ValueId::none && pays(graph.value(found)) ? found : ValueId::none;
}

// Grows a function of `input` node by node, each when all that it reads is there.
class Region {
   public:
    Region(const Graph& graph, ValueId input, const Node& first) : graph_(graph), known_{input} { add(first); }

    void grow() {
        for (size_t i = 1; i < known_.size() && nodes_.size() <= max_nodes; ++i)
            for (const Use& use : graph_.uses(known_[i]))
                if (use.node != NodeId::none && use.index >= 0) consider(graph_.node(use.node));
    }

    // Those of a whole function; the nodes are in an order in which they run.
    std::vector<const Node*> nodes() const {
        const auto inside = [&](const Use& use) { return use.node != NodeId::none && use.index >= 0 && holds(graph_.node(use.node)); };
        if (ends_ != 1 || nodes_.size() > max_nodes) return {};
        for (size_t i = 1; i < known_.size(); ++i) {
            const std::vector<Use> uses = graph_.uses(known_[i]);
            if (uses.empty() || !std::ranges::all_of(uses, inside)) return {};
        }
        return nodes_;
    }

   private:
    static constexpr size_t max_nodes = 32;

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
        if ((!encoding || has_table_codes(encoding)) && std::ranges::all_of(node.in, there)) add(node);
    }

    const Graph& graph_;
    std::vector<ValueId> known_;  // the input, and results that are not encoded
    std::vector<const Node*> nodes_;
    size_t ends_ = 0;  // nodes with encoded results
};

std::vector<const Node*> nodes_on_real_numbers(const Graph& graph, const Node& first) {
    const ValueId input = looked_up(graph, first, false);
    const auto& encoding = graph.value(first.out[0]).enc;
    if (input == ValueId::none || (encoding && !has_table_codes(encoding))) return {};
    Region region(graph, input, first);
    region.grow();
    return region.nodes();
}

// Do the nodes of a unit compute a function of `input` alone?
bool are_function_of(const Graph& graph, std::span<const Node* const> nodes, ValueId input) {
    std::vector<ValueId> known{input};
    const auto there = [&](ValueId id) {
        return id == ValueId::none || std::ranges::find(known, id) != known.end() || is_scalar(graph.value(id)) ||
               is_coded_scalar(graph.value(id));
    };
    for (const Node* node : nodes) {
        if (!is_pure(graph, *node) || !std::ranges::all_of(node->in, there)) return false;
        known.push_back(node->out[0]);
    }
    return true;
}

const std::optional<Encoding>& result_of(const Graph& graph, const StepDecision& decided) {
    return decided.unit_out ? decided.unit_out : graph.value(decided.nodes.back()->out[0]).enc;
}

// Every code that there is.
Tensor all_codes(DType storage) {
    std::vector<int64_t> items(size_t{1} << bits_of(storage));
    const auto [min, max] = int_range(storage);
    for (size_t i = 0; i < items.size(); ++i) {
        const auto pattern = static_cast<int64_t>(i);
        items[i] = pattern > max ? pattern - static_cast<int64_t>(items.size()) : pattern;
    }
    return from_ints(storage, {static_cast<int64_t>(items.size())}, items);
}

// What the nodes make of `numbers` in place of their input.
Tensor computed(const Graph& graph, std::span<const Node* const> nodes, ValueId input, const Tensor& numbers) {
    std::map<ValueId, Tensor> known{{input, numbers}};
    for (const Node* node : nodes) {
        std::vector<Tensor> inputs;
        for (const ValueId id : node->in)
            inputs.push_back(id == ValueId::none ? Tensor() : known.contains(id) ? known.at(id) : *graph.constant(id));
        known[node->out[0]] = eval_node(*node, inputs).at(0);
    }
    return known.at(nodes.back()->out[0]);
}

Tensor computed_on_codes(const Graph& graph, const StepDecision& decided, ValueId input, const Tensor& codes) {
    const Node& node = *decided.nodes[0];
    std::vector<Tensor> inputs;
    std::vector<const Encoding*> encodings;
    for (const ValueId id : node.in) {
        inputs.push_back(id == ValueId::none ? Tensor() : id == input ? codes : *graph.constant(id));
        encodings.push_back(id == ValueId::none || !graph.value(id).enc ? nullptr : &*graph.value(id).enc);
    }
    return eval_node_on_codes(node, inputs, {encodings, &*result_of(graph, decided), decided.eval}).at(0);
}

}  // namespace

std::vector<const Node*> Lookup::nodes_of(const Graph& graph, const StepDecision& decided) {
    const Node& first = *decided.nodes[0];
    if (!is_pure(graph, first)) return {};
    if (!decided.eval) return nodes_on_real_numbers(graph, first);
    const ValueId input = looked_up(graph, first, true);
    if (input == ValueId::none || !has_table_codes(result_of(graph, decided))) return {};
    return are_function_of(graph, decided.nodes, input) ? decided.nodes : std::vector<const Node*>();
}

std::shared_ptr<const Lookup> Lookup::make(const Graph& graph, const StepDecision& decided, std::span<const Node* const> nodes,
                                           std::span<const Bytes> state) {
    auto lookup = std::make_shared<Lookup>();
    const ValueId input = looked_up(graph, *nodes.front(), decided.eval != nullptr);
    const Encoding& from = *graph.value(input).enc;
    const Encoding& to = decided.eval ? *result_of(graph, decided) : *graph.value(nodes.back()->out[0]).enc;
    lookup->input_ = input;
    lookup->from_ = from.storage;
    lookup->to_ = to.storage;
    const uint64_t bytes = storage_size(to.storage, uint64_t{1} << bits_of(from.storage));
    if (!state.empty()) {
        if (state[0].size() != bytes) throw bad_input("its table has {} bytes, need {}", state[0].size(), bytes);
        lookup->entries_ = state[0];
        return lookup;
    }
    const Tensor codes = all_codes(from.storage);
    try {
        const Tensor made =
            decided.eval ? computed_on_codes(graph, decided, input, codes) : computed(graph, nodes, input, dequantize(codes, from));
        if (made.dims != codes.dims || is_float(made.dtype) == (decided.eval != nullptr)) return nullptr;
        lookup->entries_ = (decided.eval ? made : quantize(made, to)).data;
    } catch (const Error&) {
        return nullptr;  // the node will say it when it runs
    }
    return lookup->entries_.size() == bytes ? lookup : nullptr;
}

Tensor Lookup::run(const Tensor& codes, Memory& memory, ThreadPool& pool) const {
    return {to_, codes.dims, looked_up(table(), codes.data.data(), static_cast<size_t>(codes.count()), memory, pool).freeze()};
}

}  // namespace quern
