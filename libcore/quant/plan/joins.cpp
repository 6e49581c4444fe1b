#include "libcore/quant/plan/joins.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/quant/plan/node_kinds.h"
#include "libcore/quant/plan/sensitivity.h"
#include "libcore/quant/types/asked.h"

namespace quern {
namespace {

class Joins {
   public:
    Joins(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight)
        : graph_(graph), plan_(plan), work_(work), insight_(insight), uses_(graph.all_uses()) {}

    std::optional<UnevenJoin> look(NodeId id) const {
        const Node& node = graph_.node(id);
        UnevenJoin join{id, {}, {}, {}};
        follow(node.out[0], join);
        const NodePlan* plan = deciding(join);
        if (!plan) return std::nullopt;
        const GridSpec spec = plan == &plan_.nodes.at(id) ? made_spec(*plan->scheme, work_) : taken_spec(*plan->scheme, work_);
        const auto grid = insight_.grid(node.out[0], spec, plan->search);
        if (!grid) return std::nullopt;
        std::optional<ValueId> worst;
        double worst_db = least_response_db;
        for (size_t i = 0; i < (node.is(ops::Concat) ? node.in.size() : 1); ++i) {
            const ValueId in = node.in[i];
            const double db = kept(in, *grid, spec);
            const auto own = insight_.grid(in, spec, plan->search);
            if (db >= worst_db || !own || kept(in, *own, spec) < least_response_db) continue;
            worst = in;
            worst_db = db;
        }
        if (!worst) return std::nullopt;
        join.text = fmt::format("joins \"{}\" ({}) into a range of {}, of which it would keep {:.1f} dB", escape(graph_.value(*worst).name),
                                range_of(*worst), range_of(node.out[0]), std::max(worst_db, 0.0));
        return join;
    }

   private:
    double kept(ValueId id, const Grid& grid, const GridSpec& spec) const { return kept_db(insight_.masses(id), grid, spec); }

    std::string range_of(ValueId id) const {
        double lo = std::numeric_limits<double>::infinity(), hi = -lo;
        for (const Mass& mass : insight_.masses(id)) lo = std::min(lo, mass.lo), hi = std::max(hi, mass.hi);
        return fmt::format("{:.4g} to {:.4g}", lo, hi);
    }

    // Does the node do the same to each number of its first operand, or move them?
    bool carries(const Node& reader) const {
        if (reader.is(ops::Concat)) return false;
        if (has(reader.op->traits, Trait::data_movement)) return true;
        const auto is_number = [&](ValueId in) { return in != ValueId::none && !graph_.value(in).constant() && is_f32(graph_, in); };
        return has(reader.op->traits, Trait::elementwise) && std::ranges::count_if(reader.in, is_number) == 1;
    }

    // Of a long way only the first carriers: what comes then counts as a mixer.
    void follow(ValueId joined, UnevenJoin& join) const {
        constexpr size_t max_carriers = 64;
        std::vector<ValueId> open{joined};
        std::set<NodeId> met;
        while (!open.empty()) {
            const ValueId id = open.back();
            open.pop_back();
            for (const Use& use : uses_[index_of(id)]) {
                if (use.node == NodeId::none || !met.insert(use.node).second) continue;
                const Node& reader = graph_.node(use.node);
                const bool carrier = join.carriers.size() < max_carriers && use.index == 0 && carries(reader);
                (carrier ? join.carriers : join.mixers).push_back(use.node);
                for (size_t o = 0; carrier && o < reader.out.size(); ++o)
                    if (reader.out[o] != ValueId::none) open.push_back(reader.out[o]);
            }
        }
    }

    // By whose type the joined value is stored: the join's own, else that of the first behind it; nullptr: it stays float.
    const NodePlan* deciding(const UnevenJoin& join) const {
        const auto full = [](const NodePlan& plan) { return plan.scheme && plan.scheme->full(); };
        if (const NodePlan& own = plan_.nodes.at(join.node); full(own) && own.makes_codes()) return &own;
        for (const auto* list : {&join.carriers, &join.mixers})
            for (const NodeId id : *list)
                if (const NodePlan& plan = plan_.nodes.at(id); full(plan) && plan.takes_codes()) return &plan;
        return nullptr;
    }

    const Graph& graph_;
    const GraphPlan& plan_;
    const QuantWork& work_;
    const Insight& insight_;
    const std::vector<std::vector<Use>> uses_;
};

}  // namespace

std::vector<UnevenJoin> uneven_joins(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight) {
    std::vector<UnevenJoin> found;
    const Joins joins(graph, plan, work, insight);
    for (const auto& [id, node_plan] : plan.nodes) {
        if (!graph.node(id).is(ops::Concat, ops::Pad)) continue;
        if (auto join = joins.look(id)) found.push_back(std::move(*join));
    }
    return found;
}

}  // namespace quern
