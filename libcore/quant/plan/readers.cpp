#include "libcore/quant/plan/readers.h"

#include <algorithm>

#include "libcore/graph/op_ids.h"
#include "libcore/quant/plan/followers.h"
#include "libcore/quant/plan/node_kinds.h"

namespace quern {
namespace {

class Readers {
   public:
    Readers(const Graph& graph, const std::string& path, const QuantWork& work, GraphPlan& plan)
        : graph_(graph), path_(path), work_(work), plan_(plan), uses_(graph.all_uses()) {}

    void run() {
        find_units();
        const auto& order = graph_.order();
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            NodePlan& node_plan = plan_.nodes.at(*it);
            if (!node_plan.scheme || !node_plan.scheme->full() || graph_.node(*it).out.size() != 1) continue;
            if (units_.contains(*it))
                settle_unit(*it, node_plan);
            else
                settle_arithmetic(graph_.node(*it), node_plan);
        }
    }

   private:
    struct Read {
        bool as_codes = false, as_reals = false;
    };

    // Products of matrices, and what goes on with them before anything is stored.
    void find_units() {
        for (const NodeId first : graph_.order()) {
            if (!graph_.node(first).is(ops::MatMul, ops::Gemm) || !plan_.quantized(first)) continue;
            if (!recipe_of(*plan_.nodes.at(first).scheme, work_).edges_apart) continue;
            for (NodeId last = first; last != NodeId::none; last = next_of_unit(graph_, first, last, false)) units_.insert(last);
        }
    }

    void look(ValueId value, Read& read) const {
        for (const Use& use : uses_[index_of(value)]) {
            if (use.node == NodeId::none) {
                read.as_codes = true;
                continue;
            }
            const Node& reader = graph_.node(use.node);
            if (!moves(*reader.op))
                (plan_.nodes.at(use.node).takes_codes() ? read.as_codes : read.as_reals) |=
                    plan_.quantized(use.node) || float_node(graph_, reader);
            else if (!reader.out.empty() && reader.out[0] != ValueId::none)
                look(reader.out[0], read);
        }
    }

    bool is_told(const Node& node, const NodePlan& node_plan) const {
        return node_plan.scheme->outputs || override_of(work_.overrides, path_ + graph_.value(node.out[0]).name, DType::none);
    }

    void settle_unit(NodeId id, NodePlan& node_plan) {
        const Node& node = graph_.node(id);
        Read read;
        look(node.out[0], read);
        if (read.as_codes || !read.as_reals || is_told(node, node_plan)) return;
        if (!has(node.op->traits, Trait::activation))
            node_plan.real_result = true;
        else if (!node_plan.demanded)
            node_plan.leave_float(only_float_reason);
    }

    // Does a constant go in beside the result of a product?
    bool adds_bias(const Node& node) const {
        const auto product = [&](ValueId id) {
            const NodeId producer = id == ValueId::none ? NodeId::none : graph_.value(id).producer;
            return producer != NodeId::none && is_anchor(*graph_.node(producer).op);
        };
        return node.in.size() == 2 && ((product(node.in[0]) && graph_.value(node.in[1]).constant()) ||
                                       (product(node.in[1]) && graph_.value(node.in[0]).constant()));
    }

    void settle_arithmetic(const Node& node, NodePlan& node_plan) {
        if (node_plan.demanded || !is_arithmetic(*node.op) || adds_bias(node)) return;
        Read read;
        look(node.out[0], read);
        if (!read.as_codes)
            node_plan.leave_float(only_float_reason);
        else if (read.as_reals)
            node_plan.leave_float("operators that stay float read its result, too");
    }

    static constexpr const char* only_float_reason = "only operators that stay float read its result";

    const Graph& graph_;
    const std::string& path_;
    const QuantWork& work_;
    GraphPlan& plan_;
    const std::vector<std::vector<Use>> uses_;
    std::set<NodeId> units_;
};

}  // namespace

void keep_real_results(const Graph& graph, const std::string& path, const QuantWork& work, GraphPlan& plan) {
    Readers(graph, path, work, plan).run();
}

}  // namespace quern
