#include "libcore/quant/assign.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"

namespace quern {
namespace {

using Kind = QuantRule::Kind;

constexpr size_t none = static_cast<size_t>(-1);

// One value on one kind of grid. Cells that must share an encoding are joined into a group.
struct Cell {
    ValueId value;
    GridSpec spec;
    SearchOptions search;
    std::string rule;
    const Recipe* recipe;
    std::optional<RealRange> fixed;  // the operator fixes the range
    const FixedResult* exact;        // the recipe fixes the encoding
    bool whole;                      // the recipe wants a whole scale
    size_t group;                    // of the union-find
    std::vector<size_t> members;     // at the group's root: its cells, ascending
    size_t lead;                     // at the group's root: whose numbers decide; none: all of them
    size_t follows = none;           // the cell whose numbers decide instead: the result of a Concat that alone reads this one
};

class Assigner {
   public:
    Assigner(Graph& graph, bool top, const GraphPlan& plan, const Statistics& statistics, const QuantOptions& options, QuantReport& report)
        : graph_(graph), top_(top), plan_(plan), statistics_(statistics), options_(options), report_(report), uses_(graph.all_uses()) {}

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
        const auto wanted = override_of(options_, key(id), usual.storage);
        if (!wanted) return usual;
        return grid_spec(wanted->storage, wanted->symmetric);
    }

    bool wants_type(ValueId id) const { return override_of(options_, key(id), DType::none).has_value(); }

    bool stays_float(ValueId id) const {
        const auto wanted = override_of(options_, key(id), DType::none);
        return wanted && !is_scaled(wanted->storage);
    }

    size_t cell(ValueId id, const GridSpec& usual, const NodePlan& plan, const std::string& rule) {
        const GridSpec spec = spec_for(id, usual);
        for (const size_t i : cells_of_[id])
            if (cells_[i].spec == spec) return i;
        cells_of_[id].push_back(cells_.size());
        const Recipe& recipe = plan.scheme ? recipe_of(*plan.scheme, options_) : recipe_named("onnx");
        return add_cell({id, spec, plan.search, rule, &recipe, {}, nullptr, false, 0, {}, 0});
    }

    size_t add_cell(Cell cell) {
        cell.group = cell.lead = cells_.size();
        cell.members = {cell.group};
        cells_.push_back(std::move(cell));
        return cells_.size() - 1;
    }

    // The constant operand of an Add that ends a matrix product: its bias, whose encoding follows from the weight's.
    bool is_unit_bias(const Node& node, size_t i) const {
        if (!node.is(ops::Add) || node.in.size() != 2 || !graph_.value(node.in[i]).constant()) return false;
        const ValueId product = node.in[1 - i];
        const NodeId producer = graph_.value(product).producer;
        return plan_.inner[index_of(product)] && producer != NodeId::none && weight_input(graph_, graph_.node(producer)) >= 0;
    }

    void collect(NodeId id) {
        const Node& node = graph_.node(id);
        const NodePlan& plan = plan_.nodes.at(id);
        if (!plan.scheme->full()) return;
        const Recipe& recipe = recipe_of(*plan.scheme, options_);
        const GridSpec spec = activation_spec(*plan.scheme, options_);
        for (size_t i = 0; i < node.in.size(); ++i) {
            if (!is_activation(graph_, node, i) || plan_.inner[index_of(node.in[i])] || is_unit_bias(node, i)) continue;
            if (graph_.value(node.in[i]).enc || stays_float(node.in[i])) continue;
            wants_.push_back({id, i, cell(node.in[i], spec, plan, fmt::format("{}, input of {}", plan.rule, node.op->name))});
        }
        for (const ValueId out : node.out) {
            if (out == ValueId::none || plan_.inner[index_of(out)] || graph_.value(out).type.dtype != DType::f32) continue;
            if (graph_.value(out).enc || stays_float(out) || (uses_[index_of(out)].empty() && out != node.out[0])) continue;
            const size_t made = cell(out, spec, plan, fmt::format("{}, output of {}", plan.rule, node.op->name));
            if (node.op->quant.kind == Kind::fixed && recipe.fixed_by_rows)
                cells_[made].fixed = RealRange{node.op->quant.lo, node.op->quant.hi};
            if (!wants_type(out)) cells_[made].exact = recipe.rule_of(*node.op).fixed_as(cells_[made].spec.storage);
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
            if (homes_.contains(id) || float_io_.contains(id) || cells.size() != 1) continue;
            const auto& uses = uses_[index_of(id)];
            const auto real_uses = std::count_if(uses.begin(), uses.end(), [&](const Use& use) {
                return use.node == NodeId::none || !has(graph_.node(use.node).op->traits, Trait::shape_only);
            });
            if (static_cast<size_t>(real_uses) == cells.begin()->second) homes_[id] = cells.begin()->first;
        }
    }

    void apply_io_rule() {
        if (!top_ || !options_.rules || !options_.rules->io) return;
        const Rule& io = *options_.rules->io;
        io.used = true;
        NodePlan plan;
        plan.search = options_.search;
        plan.scheme = io.scheme;
        if (io.scheme) plan.search = search_of(*io.scheme, options_);
        if (io.method) plan.search.method = io.method;
        const auto apply = [&](ValueId id, const char* what) {
            if (graph_.value(id).type.dtype != DType::f32 || graph_.value(id).enc || stays_float(id)) return;
            homes_.erase(id);
            if (io.scheme && io.scheme->full())
                homes_[id] = cell(id, activation_spec(*io.scheme, options_), plan, fmt::format("io, {}", what));
            else
                float_io_.insert(id);
        };
        for (const ValueId id : graph_.inputs) apply(id, "model input");
        for (const ValueId id : graph_.outputs)
            if (!graph_.value(id).constant()) apply(id, "model output");
    }

    // ---- values that share one encoding ----------------------------------------------------------------------------------

    size_t root(size_t i) const {
        while (cells_[i].group != i) i = cells_[i].group;
        return i;
    }

    // Values whose overrides differ keep their own encodings.
    void join(size_t a, size_t b, size_t lead) {
        a = root(a);
        b = root(b);
        if (a == b || !(cells_[a].spec == cells_[b].spec)) return;
        const auto first = pinned_of_group(a), second = pinned_of_group(b);
        if (first && second && !(*first == *second)) return;
        Cell& into = cells_[std::min(a, b)];
        Cell& from = cells_[std::max(a, b)];
        std::vector<size_t> all;
        std::ranges::merge(into.members, from.members, std::back_inserter(all));
        from.group = std::min(a, b);
        from.members.clear();
        into.members = std::move(all);
        into.lead = lead;
    }

    const FixedResult* exact_of(size_t cell) const {
        for (const size_t i : cells_[root(cell)].members)
            if (cells_[i].exact) return cells_[i].exact;
        return nullptr;
    }

    // Operands whose encodings are fixed differently cannot share one: they are recoded.
    void part_fixed(const std::vector<size_t>& wants) {
        std::set<const FixedResult*> kinds;
        for (const size_t want : wants) kinds.insert(exact_of(wants_[want].cell));
        if (kinds.size() < 2) return;
        for (const size_t want : wants) {
            if (!exact_of(wants_[want].cell)) continue;
            Cell copy = cells_[wants_[want].cell];
            copy.exact = nullptr;
            copy.fixed.reset();
            wants_[want].cell = add_cell(std::move(copy));
        }
    }

    // The encoding that an override gives to a cell.
    std::optional<Encoding> pinned(size_t i) const {
        const auto wanted = override_of(options_, key(cells_[i].value), cells_[i].spec.storage);
        if (!wanted || wanted->scale.empty()) return std::nullopt;
        return with_all_codes(override_encoding(*wanted, {}, -1, key(cells_[i].value)));
    }

    std::optional<Encoding> pinned_of_group(size_t group) const {
        if (!options_.overrides) return std::nullopt;
        for (const size_t i : cells_[group].members)
            if (auto found = pinned(i)) return found;
        return std::nullopt;
    }

    void share(NodeId id) {
        const Node& node = graph_.node(id);
        const Sharing sharing = recipe_of(*plan_.nodes.at(id).scheme, options_).sharing_of(*node.op);
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
        const size_t lead = sharing == Sharing::forward ? cells_[root(cells.front())].lead : none;
        for (const size_t cell : cells) join(cells.front(), cell, lead);
    }

    // May the operands of a node have other grids than its result? Where no runtime asks for one, those of a Concat may: its result is
    // rounded to the widest anyway, but what else reads an operand, or what that is moved from, need not be.
    bool is_apart(NodeId id, const std::vector<size_t>& results) const {
        if (!graph_.node(id).is(ops::Concat) || recipe_of(*plan_.nodes.at(id).scheme, options_).rules || results.size() != 1) return false;
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
        const size_t group = root(operand);
        if (group == root(result) || !is_read_elsewhere(group, concat)) return false;
        return width_of(root(result)) > most * width_of(group);
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
        if (cells_[cell].exact || pinned(cell)) return true;
        if (producer == NodeId::none) return false;
        const Op& op = *graph_.node(producer).op;
        const auto plan = plan_.nodes.find(producer);
        const bool moved = plan != plan_.nodes.end() && plan->second.scheme &&
                           recipe_of(*plan->second.scheme, options_).sharing_of(op) == Sharing::forward;
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
                Cell copy = cells_[cell];
                cell = add_cell(std::move(copy));
            }
            cells_[cell].follows = home->second;
        }
    }

    // ---- encodings ------------------------------------------------------------------------------------------------------

    struct Decision {
        Encoding encoding;
        FoundGrid found;
        std::string method, shared_with;
    };

    static Encoding encoding_of(const GridSpec& spec, const Grid& grid) {
        if (is_float(spec.storage)) return make_encoding(spec.storage, Tensor::scalar(grid.scale), {});
        return make_encoding(spec.storage, Tensor::scalar(grid.scale), from_ints(spec.storage, {}, std::vector<int64_t>{grid.zero}));
    }

    // Only weights do without the least code: what is quantized at run time clips as QuantizeLinear does.
    static Encoding with_all_codes(const Encoding& encoding) {
        if (!is_integer(encoding.storage)) return encoding;
        const auto [min, max] = int_range(encoding.storage);
        return encoding.with_limits(min, max);
    }

    static void add_statistics(ValueRange& to, const ValueRange& from) {
        to.min = std::min(to.min, from.min);
        to.max = std::max(to.max, from.max);
        to.count += from.count;
        to.histogram.merge(from.histogram);
        for (const auto& [sample, ends] : from.runs) {
            const auto [run, fresh] = to.runs.emplace(sample, ends);
            if (!fresh) run->second = {std::min(run->second.first, ends.first), std::max(run->second.second, ends.second)};
        }
    }

    // A fixed range, widened by what was seen of the members that have none.
    RealRange with_seen(RealRange range, const std::vector<size_t>& members) const {
        for (const size_t member : members)
            if (!cells_[member].fixed && statistics_.has(graph_, cells_[member].value)) {
                const RealRange seen = search_minmax(statistics_.of(graph_, cells_[member].value));
                range = {std::min(range.lo, seen.lo), std::max(range.hi, seen.hi)};
            }
        return range;
    }

    ValueRange statistics_of_all(const std::vector<size_t>& members) const {
        ValueRange all = statistics_.of(graph_, cells_[members.front()].value);
        for (const size_t member : members)
            if (member != members.front() && statistics_.has(graph_, cells_[member].value))
                add_statistics(all, statistics_.of(graph_, cells_[member].value));
        return all;
    }

    Decision decide(const std::vector<size_t>& members) const {
        const Cell& first = cells_[members.front()];
        Decision decision;
        decision.method = first.search.method->name;
        const size_t lead = cells_[root(members.front())].lead;
        const Cell& base = members.size() == 1 || lead == none ? first : cells_[lead];
        std::vector<size_t> deciding = members;
        if (base.follows != none) deciding.push_back(base.follows);
        for (const size_t member : deciding)
            if (const auto wanted = pinned(member)) {
                decision.encoding = *wanted;
                decision.method = "override";
                describe(decision, first.value, first.spec);
                return decision;
            }
        if (const FixedResult* exact = exact_of(members.front())) {
            decision.encoding = encoding_of(first.spec, {exact->scale, exact->zero});
            decision.method = "fixed by the recipe";
            if (members.size() > 1) decision.shared_with = key(first.value);
            describe(decision, first.value, first.spec);
            return decision;
        }
        const auto fixed = std::find_if(members.begin(), members.end(), [&](size_t i) { return cells_[i].fixed.has_value(); });
        if (fixed != members.end()) {
            decision.method = "fixed by the operator";
            decision.encoding = encoding_of(first.spec, grid_of(with_seen(*cells_[*fixed].fixed, members), first.spec));
            describe(decision, first.value, first.spec);
        } else if (members.size() == 1 || lead != none) {
            const Cell& from = base.follows == none ? base : cells_[base.follows];
            decision.found = statistics_.grid(graph_, from.value, from.spec, from.search);
            if (base.whole) decision.found.grid = Recipe::whole(decision.found.grid);
            decision.encoding = encoding_of(first.spec, decision.found.grid);
            if (base.follows != none) decision.shared_with = key(from.value);
        } else {
            const ValueRange all = statistics_of_all(members);
            decision.found =
                at_place(fmt::format("value \"{}\"", escape(key(first.value))), [&] { return find_grid(all, first.spec, first.search); });
            decision.encoding = encoding_of(first.spec, decision.found.grid);
        }
        if (members.size() > 1) decision.shared_with = key(first.value);
        return decision;
    }

    // What a given encoding does to the numbers that were observed, if any were.
    void describe(Decision& decision, ValueId id, const GridSpec& spec) const {
        FoundGrid& found = decision.found;
        found.grid = {to_floats(decision.encoding.scale).at(0), decision.encoding.zero_at()};
        found.range = {found.grid.lowest(spec), found.grid.highest(spec)};
        if (!statistics_.has(graph_, id)) return;
        const ValueRange seen = statistics_.of(graph_, id);
        found.observed = {seen.min, seen.max};
        measure(found, seen, spec, options_.search);
    }

    void encode() {
        const std::vector<bool> used = used_cells();
        std::map<size_t, std::vector<size_t>> groups;
        for (size_t i = 0; i < cells_.size(); ++i)
            if (used[i]) groups[root(i)].push_back(i);
        std::vector<const Decision*> decisions(cells_.size());
        std::map<size_t, Decision> made;
        for (const auto& [group, members] : groups) {
            const Decision& decision = made.emplace(group, decide(members)).first->second;
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

    void store(ValueId id, const Decision& decision, const Recipe& recipe) {
        Value& value = graph_.value(id);
        if (const auto constant = graph_.constant(id)) value.data = constant_codes(*constant, decision.encoding, recipe).data;
        value.enc = decision.encoding;
    }

    // The value of a want's cell, made once: a copy of a constant in its codes, or a Recode before the first reader.
    ValueId recoded(const Want& want, const Decision& decision) {
        if (const auto found = recoded_.find(want.cell); found != recoded_.end()) return found->second;
        const Cell& cell = cells_[want.cell];
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

    void report(const std::string& name, const char* role, const Cell& cell, const Decision& decision, const std::string& as = {}) {
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
    const QuantOptions& options_;
    QuantReport& report_;
    std::vector<std::vector<Use>> uses_;
    std::vector<Cell> cells_;
    std::map<ValueId, std::vector<size_t>> cells_of_;
    std::vector<Want> wants_;
    std::map<NodeId, std::vector<size_t>> wants_of_;
    std::map<ValueId, size_t> homes_;
    std::set<ValueId> float_io_;
    std::map<size_t, ValueId> recoded_;
};

}  // namespace

void assign_activations(Graph& graph, bool top, const GraphPlan& plan, const Statistics& statistics, const QuantOptions& options,
                        QuantReport& report) {
    Assigner(graph, top, plan, statistics, options, report).run();
}

}  // namespace quern
