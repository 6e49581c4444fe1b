#include "libcore/quant/plan/unmeasured.h"

#include <algorithm>

namespace quern {
namespace {

class Unmeasured {
    const Graph& graph_;
    const std::string& path_;
    const QuantWork& work_;
    GraphPlan& plan_;
    std::vector<NodeId> order_;
    std::vector<bool> known_;  // by value: has an encoding, or is moved from one that has

   public:
    Unmeasured(const Graph& graph, const std::string& path, const QuantWork& work, GraphPlan& plan)
        : graph_(graph), path_(path), work_(work), plan_(plan), known_(graph.value_count()) {
        const auto& order = graph.order();
        order_.assign(order.begin(), order.end());
        for (size_t i = 0; i < known_.size(); ++i)
            if (const auto id = static_cast<ValueId>(i); !graph.value(id).erased) known_[i] = has_own(id);
    }

    void drop() {
        hand_on();
        while (drop_some()) {
        }
    }

   private:
    bool has_own(ValueId id) const {
        const Value& value = graph_.value(id);
        if (value.enc || value.constant() || value.type.dtype != DType::f32) return true;
        const auto wanted = override_of(work_.overrides, path_ + value.name, DType::none);
        return wanted && !wanted->scale.empty();
    }

    // Only among grids of one kind is one handed on.
    bool is_usual(ValueId id, const Scheme& scheme) const {
        const GridSpec usual = activation_spec(scheme, work_);
        const auto wanted = override_of(work_.overrides, path_ + graph_.value(id).name, usual.storage);
        return !wanted || grid_spec(wanted->storage, wanted->symmetric) == usual;
    }

    // The type that a node's activations get; nullptr: none.
    const Scheme* full_scheme(NodeId id) const {
        const auto found = plan_.nodes.find(id);
        return found != plan_.nodes.end() && found->second.scheme && found->second.scheme->full() ? found->second.scheme : nullptr;
    }

    // The encoding of what an operator moves or selects from is that of its results.
    void hand_on() {
        for (const NodeId id : order_) {
            const Node& node = graph_.node(id);
            const Scheme* scheme = full_scheme(id);
            if (!scheme || node.in.empty() || node.in[0] == ValueId::none || !known_[index_of(node.in[0])]) continue;
            const Sharing sharing = recipe_of(*scheme, work_).sharing_of(*node.op);
            if (sharing == Sharing::none || sharing == Sharing::backward || node.op->quant.kind != QuantRule::Kind::same_as_input) continue;
            if (!is_usual(node.in[0], *scheme)) continue;
            for (const ValueId out : node.out)
                if (out != ValueId::none) known_[index_of(out)] = true;
        }
    }

    // Inside of a unit nothing is stored, if both sides are quantized.
    bool is_inner(ValueId id) const {
        const NodeId producer = graph_.value(id).producer, reader = graph_.only_reader(id);
        return plan_.inner[index_of(id)] && full_scheme(producer) && full_scheme(reader) && fits(graph_.node(reader).out[0]);
    }

    bool fits(ValueId id) const { return id == ValueId::none || known_[index_of(id)] || is_inner(id); }

    bool drop_some() {
        bool dropped = false;
        for (const NodeId id : order_) {
            if (!full_scheme(id)) continue;
            const Node& node = graph_.node(id);
            NodePlan& node_plan = plan_.nodes.at(id);
            bool all = !node_plan.makes_codes() || std::ranges::all_of(node.out, [&](ValueId out) { return fits(out); });
            for (size_t i = 0; i < node.in.size(); ++i)
                all = all && (!node_plan.takes_codes() || !is_activation(graph_, node, i) || fits(node.in[i]));
            if (all) continue;
            node_plan.scheme = nullptr;
            node_plan.reason = unmeasured_reason;
            dropped = true;
        }
        return dropped;
    }
};

}  // namespace

void drop_unknown(const Graph& graph, const std::string& path, const QuantWork& work, GraphPlan& plan) {
    Unmeasured(graph, path, work, plan).drop();
}

}  // namespace quern
