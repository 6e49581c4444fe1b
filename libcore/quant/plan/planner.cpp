#include "libcore/quant/plan/planner.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/quant/plan/amplified.h"
#include "libcore/quant/plan/curves.h"
#include "libcore/quant/plan/followers.h"
#include "libcore/quant/plan/joins.h"
#include "libcore/quant/plan/node_kinds.h"
#include "libcore/quant/plan/readers.h"
#include "libcore/quant/plan/recurrent.h"
#include "libcore/quant/plan/sensitivity.h"
#include "libcore/quant/plan/tables.h"
#include "libcore/quant/plan/unmeasured.h"
#include "libcore/quant/ranges/numbers.h"
#include "libcore/quant/types/asked.h"
#include "libcore/support/runtime.h"
#include "libcore/support/units.h"

namespace quern {
namespace {

using Kind = QuantRule::Kind;

// Does a type quantize the operator unless a rule says otherwise?
bool friendly(const Op& op) {
    if (find_registered_op(op.name, op.domain) == &op) return true;  // its own rule says what it is
    return has(op.quant.traits, QuantTrait::friendly) || (op.domain.empty() && has(op.traits, Trait::data_movement));
}

// A mean or sum that a normalization takes, of squares or of what it then takes off: differences of large, nearly equal numbers follow.
bool normalizes(const Graph& graph, const std::vector<std::vector<Use>>& uses, const Node& node) {
    if (!node.op->name.starts_with("Reduce") || node.in[0] == ValueId::none || node.out[0] == ValueId::none) return false;
    const NodeId maker = graph.value(node.in[0]).producer;
    if (maker != NodeId::none) {
        const Node& before = graph.node(maker);
        if (before.is(ops::Pow) || (before.is(ops::Mul) && before.in[0] == before.in[1])) return true;
    }
    return std::ranges::any_of(uses[index_of(node.out[0])], [&](const Use& use) {
        if (use.node == NodeId::none || use.index < 0) return false;
        const Node& reader = graph.node(use.node);
        return reader.is(ops::Sub) && std::ranges::count(reader.in, node.in[0]) > 0;
    });
}

std::string type_of(const Graph& graph, const Node& node) {
    for (const ValueId id : node.out)
        if (id != ValueId::none && graph.value(id).type.kind == Type::Kind::tensor && is_float(graph.value(id).type.dtype))
            return std::string(name_of(graph.value(id).type.dtype));
    return {};
}

// Why a product whose input is quantized at run time is not; "" if it is.
std::string dynamic_obstacle(const Graph& graph, const Node& node, const Scheme& scheme, const QuantWork& work) {
    if (is_recurrent(node)) return dynamic_recurrent_obstacle(graph, node, scheme, recipe_of(scheme, work));
    if (is_table(graph, node)) return weights_obstacle(graph, node, scheme, work);
    if (!node.is(ops::MatMul, ops::Gemm) || weight_input(graph, node) < 0) return "has no weight that this type quantizes";
    if (scheme.recipe != "nnpa" || !node.is(ops::Gemm)) return "";
    const bool biased = node.in.size() > 2 && node.in[2] != ValueId::none;
    if (biased && !graph.value(node.in[2]).constant()) return "its bias is not a constant";
    return NodeView(node).integer("transA") != 0 ? "its first operand is transposed" : "";
}

// What a node is asked to be, and why it is not.
class Planner {
   public:
    Planner(const Graph& graph, const std::string& path, const QuantWork& work)
        : graph_(graph), path_(path), work_(work), uses_(graph.all_uses()) {}

    NodePlan plan(const Node& node) const { return plan(node, asked_of(node, path_, work_)); }

    // As the node that its unit begins with is asked to be, by a rule, where no rule is about itself; false if one is, or none about that.
    bool follow(const Node& first, const Node& node, NodePlan& plan) const {
        Asked asked = asked_of(first, path_, work_);
        const Asked own = asked_of(node, path_, work_);
        const bool has_own = own.rule != "type" && !(own.rule == "global" && own.scheme);
        if (asked.rule == "type" || asked.rule == "global" || has_own || node.device != first.device) return false;
        if (work_.keep_float.contains(path_ + node.name)) return false;
        asked.demanded = false;
        plan = this->plan(node, std::move(asked));
        return true;
    }

   private:
    NodePlan plan(const Node& node, Asked asked) const {
        NodePlan plan;
        plan.search = asked.search;
        plan.weight_method = asked.weight_method;
        plan.rule = std::move(asked.rule);
        plan.reason = std::move(asked.reason);
        plan.demanded = asked.demanded || work_.spelled.contains(path_ + node.name);
        plan.counts = !type_of(graph_, node).empty();
        if (!asked.scheme) return plan;
        if (std::string found = obstacle(node, *asked.scheme, plan.demanded); !found.empty()) plan.reason = std::move(found);
        const bool computes = float_node(graph_, node);
        plan.sensitive = !plan.reason.empty() && computes && asked.scheme->full();
        if (computes && (is_recurrent(node) || is_table(graph_, node))) plan.only_weights = asked.scheme;
        if (plan.reason.empty()) plan.scheme = asked.scheme;
        return plan;
    }

    // "" if there is none; so are all that follow.
    std::string obstacle(const Node& node, const Scheme& scheme, bool demanded) const {
        const Recipe& recipe = recipe_of(scheme, work_);
        if (node.is(ops::own::Recode)) return "is a change of encoding already";
        if (!float_node(graph_, node)) {
            const std::string type = type_of(graph_, node);
            return type.empty() || type == "float32" ? "does not map float32 to float32" : "computes in " + type;
        }
        if (scheme.activations == Scheme::Activations::dynamic) return dynamic_obstacle(graph_, node, scheme, work_);
        if (scheme.full()) return full_obstacle(node, scheme, recipe, demanded);
        if (weight_inputs(graph_, node).empty()) return "has no weight that this type quantizes";
        return weights_obstacle(graph_, node, scheme, work_);
    }

    std::string full_obstacle(const Node& node, const Scheme& scheme, const Recipe& recipe, bool demanded) const {
        const Op& op = *node.op;
        if (op.quant.kind == Kind::keep_float && !recipe.rule_of(op).whole && !(recipe.lstm && is_lstm(node)))
            return fmt::format("operator {} has no integer form{}", op.name,
                               node.is(ops::LSTM, ops::GRU, ops::RNN) ? "; its steps have (pass unroll_recurrent)" : "");
        if (op.domain.empty() && !recipe.runtime.empty() &&
            !support::has_kernel(support::runtime_named(recipe.runtime), op.name, name_of(scheme.activation)))
            return fmt::format("{} has no kernel for operator {} on {}", recipe.runtime, op.name, name_of(scheme.activation));
        if (demanded) return "";
        if (const std::string_view why = recipe.coarse_on(graph_, node, scheme.activation); !why.empty())
            return fmt::format("operator {}: {}", op.name, why);
        if (const auto found = work_.lost.find(path_ + node.name); found != work_.lost.end()) return found->second;
        const bool taken =
            work_.request.full_integer || friendly(op) || (recipe.is_precise(op, scheme.activation) && !normalizes(graph_, uses_, node));
        return taken ? "" : fmt::format("operator {} is sensitive: quantized only if a rule names it", op.name);
    }

    const Graph& graph_;
    const std::string& path_;
    const QuantWork& work_;
    const std::vector<std::vector<Use>> uses_;
};

// What was not measured, and need not be: bodies that no sample ran, and what only makes shapes, indices or integers.
void drop_unmeasured(const Graph& graph, GraphPlan& plan, const Insight& insight) {
    const std::vector<bool> numbers = numbers_of(graph);
    for (auto& [id, node_plan] : plan.nodes) {
        if (!node_plan.scheme || !node_plan.scheme->full()) continue;
        const auto& out = graph.node(id).out;
        const auto counts = [&](ValueId value) { return value != ValueId::none && numbers[index_of(value)]; };
        if (insight.never_ran)
            node_plan.leave_float(std::string(never_ran_reason));
        else if (std::none_of(out.begin(), out.end(), counts))
            node_plan.leave_float("only shapes, indices or integers depend on its results");
    }
}

// LSTMs that cannot be on codes.
void drop_lstms(const Graph& graph, GraphPlan& plan, const Insight& insight) {
    for (auto& [id, node_plan] : plan.nodes) {
        const Node& node = graph.node(id);
        if (!is_lstm(node) || !node_plan.scheme || !node_plan.scheme->full()) continue;
        std::string reason = lstm_obstacle(graph, node, *node_plan.scheme, insight.cells(node));
        node_plan.sensitive = !reason.empty();
        if (!reason.empty()) node_plan.leave_float(std::move(reason));
    }
}

// Recurrent operators that a type has no form for beside codes, and tables whose rows float operators read: their weights are codes all the
// same, those of the first in ONNX. Types and files that follow one runtime's rules store what that runtime reads.
void keep_only_weights(const Graph& graph, const QuantWork& work, GraphPlan& plan) {
    for (auto& [id, node_plan] : plan.nodes) {
        const Scheme* asked = node_plan.only_weights;
        if (node_plan.scheme || !asked || !asked->recipe.empty() || node_plan.reason == never_ran_reason) continue;
        const Node& node = graph.node(id);
        const Recipe& recipe = recipe_of(*asked, work);
        if (recipe.float_recurrent || (recipe.rules && !is_table(graph, node))) continue;
        if (weight_inputs(graph, node).empty() || !weights_obstacle(graph, node, *asked, work).empty()) continue;
        Scheme own = *asked;
        own.activations = Scheme::Activations::float32;
        own.bias_bits = 32;
        node_plan.scheme = &plan.only_weights.try_emplace(asked, own).first->second;
        node_plan.reason = fmt::format("computes in float on weights that are codes: {}", node_plan.reason);
    }
}

// Operators that read or make masks stay float: one step of a grid that reaches to -1e9 is greater than all other numbers.
void drop_masked(const Graph& graph, GraphPlan& plan, const Insight& insight) {
    for (auto& [id, node_plan] : plan.nodes) {
        const Node& node = graph.node(id);
        if (!node_plan.scheme || !node_plan.scheme->full()) continue;
        const auto look = [&, &node_plan = node_plan](ValueId value) {
            if (node_plan.scheme && is_f32(graph, value) && insight.mask(value))
                node_plan.leave_float(fmt::format("value \"{}\" holds mask values", escape(graph.value(value).name)));
        };
        for (size_t i = 0; i < node.in.size(); ++i)
            if (is_activation(graph, node, i)) look(node.in[i]);
        for (const ValueId out : node.out) look(out);
    }
}

// Elementwise operators whose values would drown in rounding noise stay float.
void drop_noisy(const Graph& graph, const QuantWork& work, GraphPlan& plan, const Insight& insight) {
    if (work.request.min_sqnr_db <= 0 || work.request.full_integer) return;
    for (auto& [id, node_plan] : plan.nodes) {
        const Node& node = graph.node(id);
        if (!node_plan.scheme || !node_plan.scheme->full() || node_plan.demanded || is_anchor(*node.op) || moves(*node.op)) continue;
        if (node.op->quant.kind == Kind::fixed) continue;
        const auto look = [&, &node_plan = node_plan](ValueId value, const GridSpec& spec) {
            const double db = insight.sqnr_db(value, spec, node_plan.search);
            if (node_plan.scheme && db < work.request.min_sqnr_db)
                node_plan.leave_float(fmt::format("value \"{}\" would keep only {:.1f} dB", escape(graph.value(value).name), db));
        };
        const Scheme& scheme = *node_plan.scheme;
        for (size_t i = 0; i < node.in.size(); ++i)
            if (is_activation(graph, node, i) && scheme.taken_as().is_codes()) look(node.in[i], taken_spec(scheme, work));
        for (const ValueId out : node.out)
            if (is_f32(graph, out) && scheme.made_as().is_codes()) look(out, made_spec(scheme, work));
    }
}

// The scale of a result: the one that the runtime fixes, or that of its grid; 0: not known.
double scale_of(const Node& node, const NodePlan& plan, const Recipe& recipe, const QuantWork& work, const Insight& insight) {
    const GridSpec spec = activation_spec(*plan.scheme, work);
    if (const FixedResult* fixed = recipe.fixed_as(*node.op, spec.storage)) return static_cast<double>(fixed->scale);
    const auto grid = insight.grid(node.out[0], spec, plan.search);
    return grid ? static_cast<double>(grid->scale) : 0;
}

// Operators whose results would drown in what the runtime's kernel is off stay float, as the probabilities of many classes do.
void drop_inexact(const Graph& graph, const QuantWork& work, GraphPlan& plan, const Insight& insight) {
    if (work.request.full_integer) return;
    for (auto& [id, node_plan] : plan.nodes) {
        const Node& node = graph.node(id);
        if (!node_plan.scheme || !node_plan.scheme->full() || node_plan.demanded || node.out[0] == ValueId::none) continue;
        const Recipe& recipe = recipe_of(*node_plan.scheme, work);
        const double steps = recipe.steps_off(*node.op, node_plan.scheme->activation);
        const double noise = steps > 0 ? steps * scale_of(node, node_plan, recipe, work, insight) : 0;
        const double variance = noise > 0 ? insight.moments(node.out[0]).variance : 0;
        if (variance <= 0) continue;
        if (const double db = 10 * portable::log10(variance / (noise * noise)); db < least_response_db)
            node_plan.leave_float(fmt::format("the kernel of {} is {:g} steps off, which leaves {:.1f} dB of what varies in its results",
                                              recipe.doc, steps, db));
    }
}

// Operators whose results a kernel stores on a grid of its own, as LiteRT's Tanh does over -1 to 1, stay float where that grid keeps next
// to nothing of what was seen, and a measured one would.
void drop_fixed(const Graph& graph, const QuantWork& work, GraphPlan& plan, const Insight& insight) {
    if (work.request.full_integer) return;
    for (auto& [id, node_plan] : plan.nodes) {
        const Node& node = graph.node(id);
        if (!node_plan.scheme || !node_plan.scheme->full() || node_plan.demanded || node.out[0] == ValueId::none) continue;
        const Recipe& recipe = recipe_of(*node_plan.scheme, work);
        const GridSpec spec = activation_spec(*node_plan.scheme, work);
        const FixedResult* fixed = recipe.fixed_as(*node.op, spec.storage);
        const auto measured = insight.grid(node.out[0], spec, node_plan.search);
        if (!fixed || !measured || recipe.joins_quantized || node.op->quant.kind != Kind::fixed) continue;
        const std::vector<Mass> masses = insight.masses(node.out[0]);
        const Grid own{fixed->scale, fixed->zero};
        if (!loses_to(*node.op, masses, own, *measured, spec)) continue;
        node_plan.apart = true;
        node_plan.leave_float(
            fmt::format("the kernel of {} stores results in steps of {:.6g}, which leave {:.1f} dB of what varies in them", recipe.doc,
                        fixed->scale, std::max(kept_db(masses, own, spec), 0.0)));
    }
}

// Arithmetic between the parts of something that stays float - a normalization or a softmax that is spelled out - stays float with it:
// differences of large, nearly equal numbers (mean(x^2) - mean(x)^2) do not survive eight bits.
void drop_behind_sensitive(const Graph& graph, GraphPlan& plan) {
    std::vector<bool> tainted(graph.value_count(), false);
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        NodePlan& node_plan = plan.nodes.at(id);
        bool reached = node_plan.sensitive;
        if (is_arithmetic(*node.op) || moves(*node.op) || has(node.op->traits, Trait::activation))
            for (size_t i = 0; i < node.in.size(); ++i)
                if (node.in[i] != ValueId::none && is_f32(graph, node.in[i])) reached = reached || tainted[index_of(node.in[i])];
        if (!reached) continue;
        for (const ValueId out : node.out)
            if (out != ValueId::none) tainted[index_of(out)] = true;
        if (node_plan.scheme && node_plan.scheme->full() && !node_plan.demanded && !moves(*node.op))
            node_plan.leave_float("computes on results of operators that stay float");
    }
}

// Operators that only move, select or join numbers follow their surroundings: quantized behind a quantized producer, or where all that
// they feed is quantized. Chains of them follow what stands at their ends.
class Movers {
   public:
    Movers(const Graph& graph, GraphPlan& plan) : graph_(graph), plan_(plan), uses_(graph.all_uses()) {
        for (const NodeId id : graph.order()) {
            const NodePlan& node_plan = plan.nodes[id];
            const Op& op = *graph.node(id).op;
            if (node_plan.scheme && node_plan.scheme->full() && !node_plan.demanded && (moves(op) || op.quant.kind == Kind::all_same))
                open_.insert(id);
        }
    }
    void settle() {
        const auto& order = graph_.order();
        for (bool changed = true; changed;) {  // forth and back, so that a chain takes one turn
            changed = false;
            for (const NodeId id : order) changed = settle(id) || changed;
            for (auto it = order.rbegin(); it != order.rend(); ++it) changed = settle(*it) || changed;
        }
        for (const NodeId id : open_) plan_.nodes.at(id).leave_float("only moves numbers, among operators that stay float");
    }

   private:
    bool settle(NodeId id) {
        if (!open_.contains(id)) return false;
        const Node& node = graph_.node(id);
        return (behind_quantized(node) || fed_is_quantized(node)) && open_.erase(id) > 0;
    }
    bool quantized(NodeId id) const { return id != NodeId::none && plan_.quantized(id) && !open_.contains(id); }
    bool behind_quantized(const Node& node) const {
        for (size_t i = 0; i < (moves(*node.op) ? 1 : node.in.size()); ++i)
            if (node.in[i] != ValueId::none && quantized(graph_.value(node.in[i]).producer) &&
                plan_.nodes.at(graph_.value(node.in[i]).producer).makes_codes())
                return true;
        return false;
    }
    bool fed_is_quantized(const Node& node) const {
        bool any = false;
        for (const ValueId out : node.out) {
            if (out == ValueId::none) continue;
            for (const Use& use : uses_[index_of(out)]) {
                if (!quantized(use.node)) return false;
                any = any || is_activation(graph_, graph_.node(use.node), use.index < 0 ? 0 : static_cast<size_t>(use.index));
            }
        }
        return any;
    }

    const Graph& graph_;
    GraphPlan& plan_;
    const std::vector<std::vector<Use>> uses_;
    std::set<NodeId> open_;  // not known to be quantized
};

// A join of parts that one grid cannot hold stays float where it makes an output, and with it what carries its result there; rules have the
// last word. -> the others, to be told where they are quantized
std::vector<UnevenJoin> drop_uneven(const Graph& graph, const QuantWork& work, GraphPlan& plan, const Insight& insight) {
    std::vector<UnevenJoin> others;
    for (UnevenJoin& join : uneven_joins(graph, plan, work, insight)) {
        std::vector<NodeId> nodes = join.carriers;
        nodes.push_back(join.node);
        const bool asked = std::ranges::any_of(nodes, [&](NodeId id) { return plan.nodes.at(id).scheme && plan.nodes.at(id).demanded; });
        if (!join.at_output() || work.request.full_integer || asked) {
            others.push_back(std::move(join));
            continue;
        }
        for (const NodeId id : join.carriers)
            if (plan.nodes.at(id).scheme) plan.nodes.at(id).leave_float("carries joined parts that one grid cannot hold");
        if (plan.nodes.at(join.node).scheme) plan.nodes.at(join.node).leave_float(std::move(join.text));
    }
    return others;
}

// With the rule that keeps the parts apart: everything up to the first that mix them computes in float.
void tell_uneven(const Graph& graph, const std::string& path, const std::vector<UnevenJoin>& joins, GraphPlan& plan) {
    for (const UnevenJoin& uneven : joins) {
        std::vector<NodeId> nodes{uneven.node};
        for (const auto* list : {&uneven.carriers, &uneven.mixers}) nodes.insert(nodes.end(), list->begin(), list->end());
        std::erase_if(nodes, [&](NodeId id) { return !plan.quantized(id); });
        if (nodes.empty()) continue;
        std::vector<std::string> rules;
        for (const NodeId id : nodes) rules.push_back(fmt::format("--set-node-name '{}=none'", escape(path + graph.node(id).name)));
        const Node& node = graph.node(uneven.node);
        plan.uneven.push_back(fmt::format("node \"{}\" ({}) {}; {} keeps them apart", escape(path + node.name), node.op->name, uneven.text,
                                          join(rules, " ")));
    }
}

// A rule is about a unit: what goes on with it before anything is stored follows, where it has no rule of its own; so does what moves its
// results as codes, which needs no change of encoding then.
class RuleFollowers {
   public:
    RuleFollowers(const Graph& graph, const Planner& planner, GraphPlan& plan) : graph_(graph), planner_(planner), plan_(plan) {}

    void run() {
        for (const NodeId id : graph_.order()) {
            const Node& node = graph_.node(id);
            if (moves(*node.op) || node.op->quant.kind == Kind::all_same)
                follow_moved(id, node);
            else if (begins_unit(*node.op) && !firsts_.contains(id))
                follow_unit(id);
        }
    }

   private:
    bool follow(NodeId first, NodeId id) {
        if (!planner_.follow(graph_.node(first), graph_.node(id), plan_.nodes.at(id))) return false;
        firsts_[id] = first;
        return true;
    }
    void follow_unit(NodeId first) {
        follow_wider(first);
        NodeId last = first;
        for (NodeId next; next = next_of_unit(graph_, first, last, false), next != NodeId::none; last = next)
            if (!follow(first, next)) break;
    }
    // A rule that gives more bits to what ends the unit gives them to all of it: between two grids the result would be rounded to the
    // coarser one before, and the range is that of the sums, which the activation cuts.
    void follow_wider(NodeId first) {
        const auto bits = [&](NodeId id) {
            const NodePlan& plan = plan_.nodes.at(id);
            return plan.scheme && plan.scheme->full() ? bits_of(plan.scheme->activation) : 0;
        };
        NodeId widest = first, last = first;
        for (NodeId next; next = next_of_unit(graph_, first, last, false), next != NodeId::none; last = next)
            if (bits(next) > bits(widest)) widest = next;
        if (widest != first && bits(first) > 0) follow(widest, first);
    }
    // Where operands are joined, all of them are of one type.
    void follow_moved(NodeId id, const Node& node) {
        std::optional<NodeId> first;
        for (size_t i = 0; i < (moves(*node.op) ? std::min<size_t>(1, node.in.size()) : node.in.size()); ++i) {
            if (node.in[i] == ValueId::none || graph_.value(node.in[i]).constant()) continue;
            const NodeId maker = graph_.value(node.in[i]).producer;
            if (maker == NodeId::none || !plan_.nodes.at(maker).makes_codes()) return;
            if (first && plan_.nodes.at(*first).scheme != plan_.nodes.at(maker).scheme) return;
            const auto found = firsts_.find(maker);
            first = found == firsts_.end() ? maker : found->second;
        }
        if (first) follow(*first, id);
    }

    const Graph& graph_;
    const Planner& planner_;
    GraphPlan& plan_;
    std::map<NodeId, NodeId> firsts_;  // of a node that follows: whose rule it follows
};

// What the scales of weights are chosen by, where they are chosen.
void measure_inputs(const Graph& graph, GraphPlan& plan, const Insight& insight) {
    for (auto& [id, node_plan] : plan.nodes) {
        const Node& node = graph.node(id);
        const Method* method = node_plan.weight_method ? node_plan.weight_method : node_plan.search.method;
        if (!node_plan.scheme || weight_input(graph, node) < 0 || !method->clips) continue;
        const Moments input = insight.moments(node.in[0]);
        if (input.variance > 0) node_plan.input_offset = input.mean * input.mean / input.variance;
    }
}

}  // namespace

GraphPlan plan_graph(Graph& graph, const std::string& path, const QuantWork& work, const Insight& insight) {
    GraphPlan plan;
    const Planner planner(graph, path, work);
    for (const NodeId id : graph.order()) plan.nodes[id] = planner.plan(graph.node(id));
    RuleFollowers(graph, planner, plan).run();
    drop_unmeasured(graph, plan, insight);
    if (!insight.measured) {
        find_inner(graph, path, work, plan);
        drop_unknown(graph, path, work, plan);
    }
    drop_lstms(graph, plan, insight);
    drop_masked(graph, plan, insight);
    drop_noisy(graph, work, plan, insight);
    drop_inexact(graph, work, plan, insight);
    drop_fixed(graph, work, plan, insight);
    const std::vector<UnevenJoin> uneven = drop_uneven(graph, work, plan, insight);
    if (!work.request.full_integer) {
        drop_behind_sensitive(graph, plan);
        for (const auto& [id, reason] : lost_to_rounding(graph, plan, work, insight)) plan.nodes.at(id).leave_float(reason);
        for (const auto& [id, reason] : lost_in_curves(graph, plan, work, insight)) plan.nodes.at(id).leave_float(reason);
        keep_amplified(graph, work, plan, insight);
        keep_real_results(graph, path, work, plan);
    }
    for (const auto& [id, reason] : coarse_tables(graph, plan, work, insight)) plan.nodes.at(id).leave_float(reason);
    Movers(graph, plan).settle();
    keep_only_weights(graph, work, plan);
    find_inner(graph, path, work, plan);
    measure_inputs(graph, plan, insight);
    tell_uneven(graph, path, uneven, plan);
    plan.amplified = tell_amplified(graph, path, plan);
    return plan;
}

}  // namespace quern
