#include "libcore/quant/assign/assign.h"

#include <algorithm>
#include <set>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/quant/assign/grid_cells.h"
#include "libcore/quant/plan/sensitivity.h"

namespace quern {
namespace {

using Kind = QuantRule::Kind;

class Assigner {
   public:
    Assigner(Graph& graph, bool top, const GraphPlan& plan, const Statistics& statistics, const QuantWork& work, QuantReport& report)
        : graph_(graph),
          top_(top),
          plan_(plan),
          statistics_(statistics),
          work_(work),
          report_(report),
          uses_(graph.all_uses()),
          cells_(graph, statistics, work) {}

    void run() {
        for (const NodeId id : graph_.order())
            if (plan_.quantized(id)) collect(id);
        for (size_t i = 0; i < wants_.size(); ++i) wants_of_[wants_[i].node].push_back(i);
        find_homes();
        for (const NodeId id : graph_.order())
            if (plan_.quantized(id)) share(id);
        encode();
    }

   private:
    struct Want {
        NodeId node;
        size_t input;
        size_t cell;
    };

    const std::string& key(ValueId id) const { return statistics_.key(graph_, id); }

    // ---- which grids are wanted -----------------------------------------------------------------------------------

    GridSpec spec_for(ValueId id, const GridSpec& usual) const {
        const auto wanted = override_of(work_.overrides, key(id), usual.storage);
        if (!wanted) return usual;
        return grid_spec(wanted->storage, wanted->symmetric);
    }

    bool wants_type(ValueId id) const { return override_of(work_.overrides, key(id), DType::none).has_value(); }

    bool stays_float(ValueId id) const {
        const auto wanted = override_of(work_.overrides, key(id), DType::none);
        return wanted && !is_scaled(wanted->storage);
    }

    size_t cell(ValueId id, const GridSpec& usual, const NodePlan& plan, const std::string& rule) {
        const GridSpec spec = spec_for(id, usual);
        for (const size_t i : cells_of_[id])
            if (cells_[i].spec == spec) return i;
        cells_of_[id].push_back(cells_.size());
        const Recipe& recipe = plan.scheme ? recipe_of(*plan.scheme, work_) : recipe_named("onnx");
        return cells_.add({.value = id, .spec = spec, .search = plan.search, .rule = rule, .recipe = &recipe});
    }

    // A range that an operator fixes holds what calibration did not see; where it keeps next to nothing of what was seen (a Tanh of small
    // numbers) and the measured one does, that counts.
    std::optional<RealRange> range_of_row(const Op& op, ValueId out, const GridCell& made) const {
        const RealRange fixed{op.quant.lo, op.quant.hi};
        if (!statistics_.has(graph_, out)) return fixed;
        const Grid measured = statistics_.grid(graph_, out, made.spec, made.search).grid;
        const bool lost = loses_to(op, masses_of(statistics_.of(graph_, out)), grid_of(fixed, made.spec), measured, made.spec);
        return lost ? std::nullopt : std::optional(fixed);
    }

    // The constant operand of an Add that ends a matrix product: its bias, whose encoding follows from the weight's.
    bool is_unit_bias(const Node& node, size_t i) const {
        if (!node.is(ops::Add) || node.in.size() != 2 || !graph_.value(node.in[i]).constant()) return false;
        const ValueId product = node.in[1 - i];
        const NodeId producer = graph_.value(product).producer;
        return plan_.inner[index_of(product)] && producer != NodeId::none && weight_input(graph_, graph_.node(producer)) >= 0;
    }

    void collect_taken(NodeId id, const Node& node, const NodePlan& plan) {
        if (!plan.takes_codes()) return;
        const GridSpec spec = taken_spec(*plan.scheme, work_);
        for (size_t i = 0; i < node.in.size(); ++i) {
            if (!is_activation(graph_, node, i) || plan_.inner[index_of(node.in[i])] || is_unit_bias(node, i)) continue;
            if (graph_.value(node.in[i]).enc || stays_float(node.in[i])) continue;
            wants_.push_back({id, i, cell(node.in[i], spec, plan, fmt::format("{}, input of {}", plan.rule, node.op->name))});
        }
    }

    void collect(NodeId id) {
        const Node& node = graph_.node(id);
        const NodePlan& plan = plan_.nodes.at(id);
        if (!plan.scheme->full()) return;
        collect_taken(id, node, plan);
        const Recipe& recipe = recipe_of(*plan.scheme, work_);
        for (const ValueId out : node.out) {
            if (out == ValueId::none || plan_.inner[index_of(out)] || graph_.value(out).type.dtype != DType::f32) continue;
            if (graph_.value(out).enc || stays_float(out) || (uses_[index_of(out)].empty() && out != node.out[0])) continue;
            if (!plan.makes_codes() && !wants_type(out)) continue;
            const GridSpec spec = plan.scheme->made_as().is_codes() ? made_spec(*plan.scheme, work_) : activation_spec(*plan.scheme, work_);
            const size_t made = cell(out, spec, plan, fmt::format("{}, output of {}", plan.rule, node.op->name));
            if (node.op->quant.kind == Kind::fixed && recipe.fixed_by_rows) cells_[made].fixed = range_of_row(*node.op, out, cells_[made]);
            if (!wants_type(out)) cells_[made].exact = recipe.fixed_as(*node.op, cells_[made].spec.storage);
            cells_[made].whole = recipe.rule_of(*node.op).whole;
            homes_[out] = made;
        }
    }

    // ---- where a value itself is stored; other grids are recoded from it ----------------------------------------------

    void find_homes() {
        apply_io_rule();
        std::map<ValueId, std::map<size_t, size_t>> wanted;  // how many uses want each cell
        for (const Want& want : wants_) ++wanted[cells_[want.cell].value][want.cell];
        for (const auto& [id, cells] : wanted) {
            if (homes_.contains(id) || float_io_.contains(id) || cells.size() != 1 || is_apart(graph_.value(id).producer)) continue;
            const auto& uses = uses_[index_of(id)];
            const auto real_uses = std::count_if(uses.begin(), uses.end(), [&](const Use& use) {
                return use.node == NodeId::none || !has(graph_.node(use.node).op->traits, Trait::shape_only);
            });
            if (static_cast<size_t>(real_uses) == cells.begin()->second) homes_[id] = cells.begin()->first;
        }
    }

    // Where its result had codes, a runtime would take the operator for one on codes.
    bool is_apart(NodeId id) const { return id != NodeId::none && plan_.nodes.at(id).apart; }

    void apply_io_rule() {
        if (!top_ || !work_.request.rules || !work_.request.rules->io) return;
        const Rule& io = *work_.request.rules->io;
        io.used = true;
        NodePlan plan;
        plan.search = work_.request.search;
        plan.scheme = io.scheme;
        if (io.scheme) plan.search = search_of(*io.scheme, work_);
        if (io.method) plan.search.method = io.method;
        const auto apply = [&](ValueId id, const char* what) {
            if (graph_.value(id).type.dtype != DType::f32 || graph_.value(id).enc || stays_float(id)) return;
            homes_.erase(id);
            if (io.scheme && io.scheme->full())
                homes_[id] = cell(id, activation_spec(*io.scheme, work_), plan, fmt::format("io, {}", what));
            else
                float_io_.insert(id);
        };
        for (const ValueId id : graph_.inputs) apply(id, "model input");
        for (const ValueId id : graph_.outputs)
            if (!graph_.value(id).constant()) apply(id, "model output");
    }

    // ---- values that share one encoding ----------------------------------------------------------------------------------

    // Operands whose encodings are fixed differently cannot share one: they are recoded.
    void part_fixed(const std::vector<size_t>& wants) {
        std::set<const FixedResult*> kinds;
        for (const size_t want : wants) kinds.insert(cells_.exact_of(wants_[want].cell));
        if (kinds.size() < 2) return;
        for (const size_t want : wants) {
            if (!cells_.exact_of(wants_[want].cell)) continue;
            GridCell copy = cells_[wants_[want].cell];
            copy.exact = nullptr;
            copy.fixed.reset();
            wants_[want].cell = cells_.add(std::move(copy));
        }
    }

    void share(NodeId id) {
        const Node& node = graph_.node(id);
        const Sharing sharing = recipe_of(*plan_.nodes.at(id).scheme, work_).sharing_of(*node.op);
        if (sharing == Sharing::none) return;
        if (sharing == Sharing::backward) return follow_result(id);
        std::vector<size_t> wants, cells;
        for (const size_t want : wants_of_[id])
            if (node.op->quant.kind != Kind::same_as_input || wants_[want].input == 0) wants.push_back(want);
        part_fixed(wants);
        std::vector<size_t> results;
        for (const ValueId out : node.out)
            if (const auto home = homes_.find(out); home != homes_.end()) results.push_back(home->second);
        const bool apart = is_apart(id, results);
        for (const size_t want : wants)
            if (!apart || !loses_steps(id, wants_[want].cell, results.front())) cells.push_back(wants_[want].cell);
        cells.insert(cells.end(), results.begin(), results.end());
        if (cells.empty()) return;
        const size_t lead = sharing == Sharing::forward ? cells_[cells_.root(cells.front())].lead : GridCells::none;
        for (const size_t cell : cells) cells_.join(cells.front(), cell, lead);
    }

    // May the operands of a node have other grids than its result? Where no runtime asks for one, those of a Concat may: its result is
    // rounded to the widest anyway, but what else reads an operand, or what that is moved from, need not be.
    bool is_apart(NodeId id, const std::vector<size_t>& results) const {
        if (!graph_.node(id).is(ops::Concat) || recipe_of(*plan_.nodes.at(id).scheme, work_).rules || results.size() != 1) return false;
        const GridSpec& spec = cells_[results.front()].spec;
        return is_integer(spec.storage) && bits_of(spec.storage) == 8;
    }

    double width_of(size_t group) const {
        double lo = 0, hi = 0;
        for (const size_t i : cells_[group].members)
            if (const ValueRange* seen = statistics_.seen(key(cells_[i].value))) {
                lo = std::min(lo, static_cast<double>(seen->min));
                hi = std::max(hi, static_cast<double>(seen->max));
            }
        return hi - lo;
    }

    // Is the group of an operand read elsewhere, where a grid as wide as the result's would cost half a bit or more?
    bool loses_steps(NodeId concat, size_t operand, size_t result) const {
        constexpr double most = 1.5;
        const size_t group = cells_.root(operand);
        if (group == cells_.root(result) || !is_read_elsewhere(group, concat)) return false;
        return width_of(cells_.root(result)) > most * width_of(group);
    }

    // By others than the node and what moves one member of the group to another.
    bool is_read_elsewhere(size_t group, NodeId reader) const {
        std::set<ValueId> values;
        for (const size_t i : cells_[group].members) values.insert(cells_[i].value);
        return std::ranges::any_of(values, [&](ValueId value) {
            return std::ranges::any_of(uses_[index_of(value)], [&](const Use& use) {
                if (use.node == reader) return false;
                return use.node == NodeId::none || graph_.node(use.node).out.empty() || !values.contains(graph_.node(use.node).out[0]);
            });
        });
    }

    // Readers of a value: nodes, and the graph where it is an output.
    size_t readers(ValueId id) const {
        std::set<NodeId> nodes;
        for (const Use& use : uses_[index_of(id)]) nodes.insert(use.node);
        return nodes.size();
    }

    // Does the value have a grid that its reader does not change: one that is fixed, or handed on from what it is moved from?
    bool has_own_grid(size_t cell, const Node& reader) const {
        const NodeId producer = graph_.value(cells_[cell].value).producer;
        if (cells_[cell].exact || cells_.pinned(cell)) return true;
        if (producer == NodeId::none) return false;
        const Op& op = *graph_.node(producer).op;
        const auto plan = plan_.nodes.find(producer);
        const bool moved =
            plan != plan_.nodes.end() && plan->second.scheme && recipe_of(*plan->second.scheme, work_).sharing_of(op) == Sharing::forward;
        return moved || &op == reader.op;
    }

    // The result's grid, as it was measured, goes back to constants and to operands that nobody else reads.
    void follow_result(NodeId id) {
        const Node& node = graph_.node(id);
        const auto home = homes_.find(node.out.at(0));
        if (home == homes_.end()) return;
        for (const size_t want : wants_of_[id]) {
            size_t& cell = wants_[want].cell;
            const bool constant = graph_.value(cells_[cell].value).constant();
            if (node.op->quant.kind == Kind::same_as_input && wants_[want].input != 0) continue;
            if (!(cells_[cell].spec == cells_[home->second].spec) || has_own_grid(cell, node)) continue;
            if (readers(cells_[cell].value) > 1) {
                if (!constant) continue;
                GridCell copy = cells_[cell];
                cell = cells_.add(std::move(copy));
            }
            cells_[cell].follows = home->second;
        }
    }

    // ---- encodings ------------------------------------------------------------------------------------------------------

    void encode() {
        const std::vector<bool> used = used_cells();
        std::map<size_t, std::vector<size_t>> groups;
        for (size_t i = 0; i < cells_.size(); ++i)
            if (used[i]) groups[cells_.root(i)].push_back(i);
        std::vector<const GridDecision*> decisions(cells_.size());
        std::map<size_t, GridDecision> made;
        for (const auto& [group, members] : groups) {
            const GridDecision& decision = made.emplace(group, cells_.decide(members)).first->second;
            for (const size_t member : members) decisions[member] = &decision;
        }
        for (const auto& [id, cell] : homes_) {
            store(id, *decisions[cell], *cells_[cell].recipe);
            report(key(id), graph_.value(id).constant() ? "constant" : "activation", cells_[cell], *decisions[cell]);
        }
        for (const Want& want : wants_) {
            const auto home = homes_.find(cells_[want.cell].value);
            if (home == homes_.end() || home->second != want.cell)
                graph_.node(want.node).in[want.input] = recoded(want, *decisions[want.cell]);
        }
    }

    std::vector<bool> used_cells() const {
        std::vector<bool> used(cells_.size(), false);
        for (const auto& [id, cell] : homes_) used[cell] = true;
        for (const Want& want : wants_) used[want.cell] = true;
        return used;
    }

    void store(ValueId id, const GridDecision& decision, const Recipe& recipe) {
        Value& value = graph_.value(id);
        if (const auto constant = graph_.constant(id)) value.data = constant_codes(*constant, decision.encoding, recipe).data;
        value.enc = decision.encoding;
    }

    // The value of a want's cell, made once: a copy of a constant in its codes, or a Recode before the first reader.
    ValueId recoded(const Want& want, const GridDecision& decision) {
        if (const auto found = recoded_.find(want.cell); found != recoded_.end()) return found->second;
        const GridCell& cell = cells_[want.cell];
        const std::string name = fmt::format("{}_{}", graph_.value(cell.value).name, name_of(cell.spec.storage));
        ValueId made;
        if (const auto constant = graph_.constant(cell.value)) {
            made = graph_.add_constant(name, *constant);
            store(made, decision, *cell.recipe);
        } else {
            made = graph_.add_value(graph_.unique_name(name), graph_.value(cell.value).type);
            graph_.value(made).enc = decision.encoding;
            graph_.value(made).permutation = graph_.value(cell.value).permutation;
            graph_.add_node(find_op("Recode", "quern"), graph_.unique_node_name(name + "_Recode"), {cell.value}, {made}, {}, want.node);
        }
        report(key(cell.value), graph_.value(made).constant() ? "constant" : "activation", cell, decision, name);
        return recoded_[want.cell] = made;
    }

    void report(const std::string& name, const char* role, const GridCell& cell, const GridDecision& decision, const std::string& as = {}) {
        ValueReport entry;
        entry.key = name;
        entry.role = role;
        entry.rule = cell.rule;
        entry.method = decision.method;
        if (decision.shared_with != name) entry.shared_with = decision.shared_with;
        if (!as.empty()) entry.note = fmt::format("stored a second time, as \"{}\"", as);
        entry.observed = decision.found.observed;
        entry.range = decision.found.range;
        if (decision.found.known) {
            entry.sqnr_db = decision.found.error.sqnr_db();
            entry.clipped = decision.found.error.clipped;
            entry.optimum = decision.found.optimum;
            if (statistics_.has(graph_, cell.value)) entry.masses = masses_of(statistics_.of(graph_, cell.value), 64);
        }
        entry.encoding = decision.encoding;
        report_.values.push_back(std::move(entry));
    }

    Graph& graph_;
    bool top_;
    const GraphPlan& plan_;
    const Statistics& statistics_;
    const QuantWork& work_;
    QuantReport& report_;
    std::vector<std::vector<Use>> uses_;
    GridCells cells_;
    std::map<ValueId, std::vector<size_t>> cells_of_;
    std::vector<Want> wants_;
    std::map<NodeId, std::vector<size_t>> wants_of_;
    std::map<ValueId, size_t> homes_;
    std::set<ValueId> float_io_;
    std::map<size_t, ValueId> recoded_;
};

}  // namespace

void assign_activations(Graph& graph, bool top, const GraphPlan& plan, const Statistics& statistics, const QuantWork& work,
                        QuantReport& report) {
    Assigner(graph, top, plan, statistics, work, report).run();
}

}  // namespace quern
