#include "libcore/quant/plan/joins.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/quant/plan/sensitivity.h"
#include "libcore/quant/types/asked.h"

namespace quern {
namespace {

class Joins {
   public:
    Joins(const Graph& graph, const QuantWork& work, const Insight& insight)
        : graph_(graph), work_(work), insight_(insight), uses_(graph.all_uses()) {}

    std::optional<UnevenJoin> look(NodeId id, const NodePlan& plan) const {
        const Node& node = graph_.node(id);
        if (!plan.makes_codes()) return std::nullopt;
        const GridSpec spec = made_spec(*plan.scheme, work_);
        const auto grid = insight_.grid(node.out[0], spec, plan.search);
        if (!grid) return std::nullopt;
        std::optional<ValueId> worst;
        double worst_db = least_response_db;
        for (const ValueId in : node.in) {
            const double db = kept(in, *grid, spec);
            const auto own = insight_.grid(in, spec, plan.search);
            if (db >= worst_db || !own || kept(in, *own, spec) < least_response_db) continue;
            worst = in;
            worst_db = db;
        }
        if (!worst) return std::nullopt;
        return UnevenJoin{id, reaches_output(node.out[0]),
                          fmt::format("joins \"{}\" ({}) into a range of {}, of which it would keep {:.1f} dB",
                                      escape(graph_.value(*worst).name), range_of(*worst), range_of(node.out[0]), std::max(worst_db, 0.0))};
    }

   private:
    double kept(ValueId id, const Grid& grid, const GridSpec& spec) const { return kept_db(insight_.masses(id), grid, spec); }

    std::string range_of(ValueId id) const {
        double lo = std::numeric_limits<double>::infinity(), hi = -lo;
        for (const Mass& mass : insight_.masses(id)) lo = std::min(lo, mass.lo), hi = std::max(hi, mass.hi);
        return fmt::format("{:.4g} to {:.4g}", lo, hi);
    }

    bool reaches_output(ValueId id) const {
        return std::ranges::any_of(uses_[index_of(id)], [&](const Use& use) {
            if (use.node == NodeId::none) return true;
            const Node& reader = graph_.node(use.node);
            return has(reader.op->traits, Trait::data_movement) && !reader.is(ops::Concat) && use.index == 0 && reader.out.size() == 1 &&
                   reaches_output(reader.out[0]);
        });
    }

    const Graph& graph_;
    const QuantWork& work_;
    const Insight& insight_;
    const std::vector<std::vector<Use>> uses_;
};

}  // namespace

std::vector<UnevenJoin> uneven_joins(const Graph& graph, const GraphPlan& plan, const QuantWork& work, const Insight& insight) {
    std::vector<UnevenJoin> found;
    const Joins joins(graph, work, insight);
    for (const auto& [id, node_plan] : plan.nodes) {
        if (!graph.node(id).is(ops::Concat) || !node_plan.scheme || !node_plan.scheme->full() || node_plan.demanded) continue;
        if (auto join = joins.look(id, node_plan)) found.push_back(std::move(*join));
    }
    return found;
}

}  // namespace quern
