// Recognizes attention over caches that are written in place, as make_static_caches makes it.
#include <array>
#include <numeric>
#include <variant>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/onnx/contrib.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

using Ints = std::vector<int64_t>;

class Reader {
   public:
    Reader(const Graph& graph, const Node& attention) : graph_(graph), node_(attention), positions_(graph.find("position_ids")) {}

    std::optional<InPlace> read() const {
        const NodeView view(node_);
        for (const size_t i : {size_t{4}, size_t{5}})
            if (input_of(node_, i) != ValueId::none) return std::nullopt;
        if (positions_ == ValueId::none || !graph_.is_input(positions_) || view.integer("is_causal") != 0 || node_.out.size() > 1)
            return std::nullopt;
        InPlace found;
        found.query = lines_of(node_.in[0]);
        found.result = joined(node_.out[0]);
        const auto window = window_of(input_of(node_, 3));
        if (found.query == ValueId::none || found.result == ValueId::none || !window || !is_length(input_of(node_, 6))) return std::nullopt;
        found.window = *window;
        if (!read_cache(node_.in[1], found.key, found.past_key) || !read_cache(node_.in[2], found.value, found.past_value))
            return std::nullopt;
        found.present_key = node_.in[1];
        found.present_value = node_.in[2];
        if (size_of(found.past_key) != size_of(found.past_value)) return std::nullopt;
        return found;
    }

   private:
    const Dim& size_of(ValueId cache) const { return graph_.value(cache).type.shape.dims.back(); }

    static bool swaps_heads(const Node& node) {
        const auto found = node.attrs.find("perm");
        const Ints* perm = found == node.attrs.end() ? nullptr : std::get_if<Ints>(&found->second);
        return perm && *perm == Ints{0, 2, 1, 3};
    }

    // What is split by head and turned into [batch, heads, sequence, size]; none if `id` is made otherwise.
    ValueId lines_of(ValueId id) const {
        const Node* turned = made_by(graph_, id, ops::Transpose);
        const Node* split = turned && swaps_heads(*turned) ? made_by(graph_, turned->in[0], ops::Reshape) : nullptr;
        if (!split || graph_.value(split->in[0]).type.shape.rank() != 3) return ValueId::none;
        const auto dims = ints_of(graph_, split->in[1]);
        return dims && dims->size() == 4 && (*dims)[0] == 0 && (*dims)[1] == 0 ? split->in[0] : ValueId::none;
    }

    // The opposite, of what this operator makes.
    ValueId joined(ValueId id) const {
        const NodeId turning = graph_.only_reader(id);
        if (turning == NodeId::none || !graph_.node(turning).is(ops::Transpose) || !swaps_heads(graph_.node(turning))) return ValueId::none;
        const NodeId joining = graph_.only_reader(graph_.node(turning).out[0]);
        if (joining == NodeId::none || !graph_.node(joining).is(ops::Reshape)) return ValueId::none;
        const auto dims = ints_of(graph_, graph_.node(joining).in[1]);
        return dims && dims->size() == 3 && (*dims)[0] == 0 && (*dims)[1] == 0 ? graph_.node(joining).out[0] : ValueId::none;
    }

    // A node of `op` whose operands are position_ids and these numbers.
    const Node* of_positions(ValueId id, OpId op, const Ints& numbers) const {
        const Node* node = made_by(graph_, id, op);
        return node && node->in[0] == positions_ && ints_of(graph_, input_of(*node, 1)) == numbers ? node : nullptr;
    }
    bool is_first(ValueId id) const {
        const Node* node = of_positions(id, ops::Gather, {0});
        return node && NodeView(*node).integer("axis") == 1;
    }
    bool is_length(ValueId id) const {
        const Node* sum = made_by(graph_, id, ops::Add);
        const Node* last = sum ? of_positions(sum->in[0], ops::ReduceMax, {1}) : nullptr;
        return last && NodeView(*last).integer("keepdims") == 0 && ints_of(graph_, sum->in[1]) == Ints{1};
    }
    bool are_rows(ValueId id) const { return of_positions(id, ops::Unsqueeze, {1, 3}) != nullptr; }

    bool read_cache(ValueId id, ValueId& fresh, ValueId& past) const {
        const Node* node = made_by(graph_, id, ops::TensorScatter);
        if (!node || !graph_.is_output(id) || !graph_.is_input(node->in[0])) return false;
        const NodeView view(*node);
        if (view.text("mode") != "linear" || view.integer("axis") != -2 || !is_first(input_of(*node, 2))) return false;
        past = node->in[0];
        fresh = lines_of(node->in[1]);
        return fresh != ValueId::none;
    }

    bool are_places(ValueId id) const {
        const auto places = ints_of(graph_, id);
        if (!places || places->empty()) return false;
        Ints all(places->size());
        std::iota(all.begin(), all.end(), 0);
        return all == *places && Dim::of(static_cast<int64_t>(all.size())) == graph_.value(node_.in[1]).type.shape.dims[2];
    }

    // How many tokens to the left a mask shows; -1: all. nullopt: it is another one.
    std::optional<int64_t> window_of(ValueId mask) const {
        if (mask == ValueId::none) return std::nullopt;
        if (const Node* seen = made_by(graph_, mask, ops::LessOrEqual))
            return are_places(seen->in[0]) && are_rows(seen->in[1]) ? std::optional<int64_t>(-1) : std::nullopt;
        const Node* both = made_by(graph_, mask, ops::And);
        const Node* near = both ? made_by(graph_, both->in[1], ops::GreaterOrEqual) : nullptr;
        const Node* first = near ? made_by(graph_, near->in[1], ops::Sub) : nullptr;
        if (!first || window_of(both->in[0]) != -1 || !are_places(near->in[0]) || !are_rows(first->in[0])) return std::nullopt;
        const auto window = ints_of(graph_, first->in[1]);
        return window && window->size() == 1 && (*window)[0] >= 0 ? std::optional(window->front()) : std::nullopt;
    }

    const Graph& graph_;
    const Node& node_;
    ValueId positions_;
};

}  // namespace

std::optional<InPlace> in_place_of(const Graph& graph, const Node& attention) { return Reader(graph, attention).read(); }

}  // namespace quern
