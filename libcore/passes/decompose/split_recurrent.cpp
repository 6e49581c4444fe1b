#include "libcore/passes/decompose/split_recurrent.h"

#include <algorithm>
#include <limits>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/recurrent/recurrent.h"
#include "libcore/passes/expansion.h"
#include "libcore/passes/shared.h"
#include "libcore/passes/taken.h"

namespace quern {
namespace {

using namespace recurrent_operands;
using Values = std::vector<ValueId>;

bool wanted(const Graph& graph, const Node& node, size_t out) {
    return out < node.out.size() && node.out[out] != ValueId::none && !graph.uses(node.out[out]).empty();
}

bool begins_with_zeros(const Graph& graph, const Node& node) {
    return is_plain_zero(graph, input_of(node, hidden_at)) && is_plain_zero(graph, input_of(node, cell_at));
}

int64_t time_axis(const Node& node) { return NodeView(node).integer("layout") == 1 ? 1 : 0; }

// Every sequence is as long as the longest.
bool lengths_are_whole(const Graph& graph, const Node& node) {
    if (input_of(node, lengths_at) == ValueId::none) return true;
    const auto lengths = ints_of(graph, node.in[lengths_at]);
    const Shape& x = graph.value(node.in[0]).type.shape;
    if (!lengths || x.rank() != 3) return false;
    const Dim steps = x.dims[static_cast<size_t>(time_axis(node))];
    return steps.known() && std::ranges::all_of(*lengths, [&](int64_t length) { return length >= steps.value; });
}

class Splitting {
   public:
    Splitting(Graph& graph, NodeId id) : graph_(graph), id_(id), node_(graph.node(id)), view_(node_), add_(graph, id) {}

    bool possible() {
        if (!lengths_are_whole(graph_, node_) || !begins_with_zeros(graph_, node_) || wanted(graph_, node_, 2)) return false;
        directions_ = direction_count(view_);
        if (directions_ == 1 && input_of(node_, lengths_at) == ValueId::none && !wanted(graph_, node_, 1)) return false;
        for (const size_t i : {weights_at, recurrence_at, bias_at, peepholes_at})
            if (const ValueId id = input_of(node_, i); id != ValueId::none && !graph_.value(id).constant()) return false;
        return find_weights();
    }

    void run() {
        Values sequences, last;
        for (int64_t d = 0; d < directions_; ++d) {
            sequences.push_back(sequence(d));
            if (wanted(graph_, node_, 1)) last.push_back(last_of(sequences.back(), backwards(d)));
        }
        const int64_t time = time_axis(node_);
        if (last.size() == 1) add_.hand_over(1, last[0]);
        if (last.size() > 1) add_.give(1, ops::Concat, last, {{"axis", time}});
        if (directions_ > 1 && wanted(graph_, node_, 0)) add_.give(0, ops::Concat, sequences, {{"axis", time + 1}});
        const std::string name = node_.name;
        const NodeId layer = graph_.value(sequences[0]).producer;
        graph_.erase(id_);
        graph_.rename(layer, name);
        for (const ValueId out : node_.out)
            if (out != ValueId::none && graph_.value(out).producer == NodeId::none) graph_.erase(out);
    }

   private:
    bool backwards(int64_t d) const { return d == 1 || view_.text("direction") == "reverse"; }

    // The constants of each direction, all that the layers have beside data.
    bool find_weights() {
        for (int64_t d = 0; d < directions_; ++d) {
            Values& own = weights_.emplace_back(node_.in.begin(), node_.in.end());
            for (const size_t i : {lengths_at, hidden_at, cell_at})
                if (i < own.size()) own[i] = ValueId::none;
            for (const size_t i : {weights_at, recurrence_at, bias_at, peepholes_at}) {
                if (directions_ == 1 || i >= own.size() || own[i] == ValueId::none) continue;
                own[i] = taken(add_, own[i], 0, {d});
                if (own[i] == ValueId::none) return false;
            }
        }
        return true;
    }

    Attrs attrs_of(int64_t d) const {
        Attrs attrs = node_.attrs;
        attrs["direction"] = std::string(backwards(d) ? "reverse" : "forward");
        for (const char* name : {"activations", "activation_alpha", "activation_beta"}) {
            const auto found = attrs.find(name);
            if (found == attrs.end()) continue;
            std::visit([&](auto& items) { halve(items, d); }, found->second);
        }
        return attrs;
    }
    template <class T>
    void halve(T& items, int64_t d) const {
        if constexpr (requires { items.assign(items.begin(), items.end()); } && !std::is_same_v<T, std::string>) {
            const auto each = static_cast<std::ptrdiff_t>(items.size()) / directions_;
            items = T(items.begin() + d * each, items.begin() + (d + 1) * each);
        }
    }

    ValueId sequence(int64_t d) {
        const Values& in = weights_[static_cast<size_t>(d)];
        const ValueId whole = node_.out[0];
        if (directions_ == 1 && whole != ValueId::none) return add_.give(0, node_.op->id(), in, attrs_of(d));
        const ValueId made = add_.add(node_.op->id(), in, attrs_of(d));
        if (whole != ValueId::none) graph_.value(made).enc = graph_.value(whole).enc;
        return made;
    }

    // Of a sequence the step that is computed last, without its dim.
    ValueId last_of(ValueId sequence, bool first) {
        const int64_t axis = time_axis(node_);
        const ValueId step =
            add_.add(ops::Slice, {sequence, add_.integers({first ? 0 : -1}, "first"),
                                  add_.integers({first ? 1 : std::numeric_limits<int64_t>::max()}, "end"), add_.integers({axis}, "axis")});
        const ValueId state = add_.add(ops::Squeeze, {step, add_.integers({axis}, "axis")});
        graph_.value(step).enc = graph_.value(state).enc = graph_.value(sequence).enc;
        return state;
    }

    Graph& graph_;
    NodeId id_;
    const Node node_;  // as it was
    NodeView view_;
    Expansion add_;
    int64_t directions_ = 1;
    std::vector<Values> weights_;
};

}  // namespace

int split_recurrent(Graph& graph) {
    int changes = 0;
    for_each_graph(graph, [&](Graph& part, const std::string&) {
        for (const NodeId id : std::vector<NodeId>(part.order())) {
            if (!part.node(id).is(ops::LSTM, ops::RNN)) continue;
            Splitting splitting(part, id);
            if (!splitting.possible()) continue;
            splitting.run();
            ++changes;
        }
    });
    if (changes > 0) infer_types(graph);
    return changes;
}

bool needs_steps(const Graph& graph, const Node& node) {
    if (!node.is(ops::LSTM, ops::RNN)) return node.is(ops::GRU);
    return direction_count(NodeView(node)) != 1 || input_of(node, lengths_at) != ValueId::none || !begins_with_zeros(graph, node) ||
           wanted(graph, node, 1) || wanted(graph, node, 2);
}

}  // namespace quern
