#include "libcore/exec/choose.h"

#include <algorithm>
#include <map>
#include <set>

#include "libcore/base/text.h"
#include "libcore/exec/open_row.h"
#include "libcore/kernels/block_weights.h"
#include "libcore/kernels/stored_weights.h"
#include "libcore/kernels/table/loader.h"
#include "libcore/kernels/table/table.h"

namespace quern {
namespace {

class Chooser {
   public:
    Chooser(const Graph& graph, const CompileOptions& options, const Recorded* recorded)
        : graph_(graph), options_(options), uses_(graph.all_uses()), is_recorded_(recorded != nullptr) {
        if (recorded)
            for (const Recorded::Step& step : recorded->steps)
                if (step.nodes.empty() || !recorded_.emplace(step.nodes[0], &step).second)
                    throw bad_input("a step is there twice or empty");
    }

    std::vector<Group> run() {
        const std::vector<NodeId> order = graph_.topo();
        std::map<const Node*, Group> by_last;
        for (const NodeId id : order) {
            const Node& node = graph_.node(id);
            if (taken_.contains(&node)) continue;
            Group group = is_recorded_ && !is_left_open(node) ? recorded_group(node) : group_from(node);
            group.real = why_real(group);
            taken_.insert(group.nodes.begin(), group.nodes.end());
            give_back(group);
            const Node* last = group.nodes.back();
            by_last.emplace(last, std::move(group));
        }
        std::vector<Group> groups;
        for (const NodeId id : order)
            if (const auto found = by_last.find(&graph_.node(id)); found != by_last.end()) groups.push_back(std::move(found->second));
        return groups;
    }

   private:
    // Pages of files with constants that a kernel has read and will not read again, or only when it packs them.
    void give_back(const Group& group) const {
        if (!group.kernel) return;
        for (const ValueId id : group.kernel->held())
            if (const auto& data = graph_.value(id).data) data->release();
    }

    bool encoded(ValueId id) const { return id != ValueId::none && options_.mode != Mode::floating && graph_.value(id).enc.has_value(); }

    // Kernels compute on real numbers: in integer runs encoded values are left to the integer reference.
    bool fits_mode(const Site& site) const {
        if (options_.mode != Mode::integer) return true;
        return !encoded(site.out()) && std::none_of(site.in.begin(), site.in.end(), [&](ValueId id) { return encoded(id); });
    }

    // Does the record leave the choice to whoever restores it?
    bool is_left_open(const Node& node) const {
        const auto found = recorded_.find(node.name);
        return found != recorded_.end() && found->second->row == open_row;
    }
    bool is_own_step(const Node& node) const { return recorded_.contains(node.name) && !is_left_open(node); }

    static std::span<const Bytes> state_of(const Recorded::Step* step) { return step ? std::span(step->state) : std::span<const Bytes>(); }

    // The one node that reads the site's result, if nobody else sees it.
    const Node* only_reader(const Site& site) const {
        const Use* use = only_use(uses_[index_of(site.out())]);
        if (options_.observable || encoded(site.out()) || !use) return nullptr;
        const Node& next = graph_.node(use->node);
        return next.out.size() == 1 && next.bodies.empty() && !taken_.contains(&next) && !is_own_step(next) ? &next : nullptr;
    }

    Site grown(const KernelRow& row, const Node& node) const {
        Site site{graph_, {&node}, node.in};
        while (row.absorbs) {
            const Node* next = only_reader(site);
            if (!next || !row.absorbs(site, *next)) break;
            for (const ValueId id : site.operands(*next)) site.in.push_back(id);
            site.nodes.push_back(next);
        }
        return site;
    }

    static std::string why_absent(std::string_view row, const Group& group) {
        const KernelLibrary* library = kernel_library(row);
        const std::string& why = library && !library->problem.empty() ? library->problem : group.refusals;
        return why.empty() ? "" : ": " + why;
    }

    // As the record says, if that is what the graph allows.
    Group recorded_group(const Node& node) const {
        return at_place([&] { return fmt::format("step \"{}\"", escape(node.name)); },
                        [&] {
                            const auto found = recorded_.find(node.name);
                            if (found == recorded_.end()) throw bad_input("is not in the plan");
                            const Recorded::Step& step = *found->second;
                            Group group = group_from(node, &step);
                            const std::string_view row = group.lookup ? "lookup" : group.kernel_row;
                            const auto same = [](const Node* a, const std::string& name) { return a->name == name; };
                            if (row != step.row)
                                throw unsupported("is planned for the kernel \"{}\", which is not here{}", escape(step.row),
                                                  why_absent(step.row, group));
                            if (!std::equal(group.nodes.begin(), group.nodes.end(), step.nodes.begin(), step.nodes.end(), same))
                                throw bad_input("the plan joins other nodes than the kernel takes");
                            return group;
                        });
    }

    // A kernel on codes for what was decided, which stays in the group as the reference.
    bool adds_code_kernel(Group& group, const Recorded::Step* recorded) const {
        const Node& node = *group.nodes.front();
        Site site{graph_, group.nodes, node.in, state_of(recorded), group.row, group.unit_out};
        if (!site.result) site.result = graph_.value(group.nodes.back()->out[0]).enc;
        for (const KernelRow& row : code_kernel_rows()) {
            if (!node.is(row.op) || node.out.empty() || node.out.size() > row.max_outputs) continue;
            if (recorded && recorded->row != row.name) continue;
            std::string refusal;
            if ((group.kernel = row.make(site, refusal))) {
                group.kernel_row = row.name;
                return true;
            }
            if (!refusal.empty()) group.refuse(row.name, refusal);
        }
        return false;
    }

    // A table for what was decided or, where nobody sees what is between, for the node and those behind it.
    bool adds_table(Group& group, const Recorded::Step* recorded) const {
        if (options_.mode != Mode::integer || options_.reference || (recorded && recorded->row != "lookup")) return false;
        std::vector<const Node*> nodes = Lookup::nodes_of(graph_, group);
        const auto is_real = [&](const Node* node) {
            return decide_arithmetic(graph_, *node, options_.profile).how == StepArithmetic::real;
        };
        if (nodes.empty()) return false;
        if (!group.eval && nodes.size() > 1 && (options_.observable || !std::ranges::all_of(nodes, is_real))) return false;
        group.lookup = Lookup::make(graph_, group, nodes, state_of(recorded));
        if (!group.lookup || group.eval) return group.lookup != nullptr;
        group.nodes = std::move(nodes);
        group.in = {group.lookup->input()};
        group.how = StepArithmetic::table;
        return true;
    }

    Group group_from(const Node& node, const Recorded::Step* recorded = nullptr) const {
        Group group{options_.mode == Mode::integer ? decide_arithmetic(graph_, node, options_.profile) : StepDecision{{&node}}, node.in};
        const bool may_read_codes = options_.mode == Mode::integer ||
                                    (options_.mode == Mode::floating && (reads_stored_weights(graph_, node) || reads_blocks(graph_, node)));
        if (may_read_codes && !options_.reference && adds_code_kernel(group, recorded)) return group;
        if (adds_table(group, recorded) || group.eval) return group;
        if (options_.reference || node.out.empty() || !node.op->domain.empty()) return group;
        if (recorded && recorded->row.empty()) return group;
        for (const KernelRow& row : kernel_rows(recorded ? std::string_view(recorded->row) : std::string_view())) {
            if (!node.is(row.op)) continue;
            Site site = grown(row, node);
            site.state = state_of(recorded);
            std::string refusal;
            if (!fits_mode(site))
                refusal = "works on codes";
            else if (auto kernel = row.make(site, refusal)) {
                group.nodes = site.nodes;
                group.in = site.in;
                group.kernel = std::move(kernel);
                group.kernel_row = row.name;
                return group;
            }
            if (!refusal.empty()) group.refuse(row.name, refusal);  // a row for what may follow the node has nothing to say of others
        }
        return group;
    }

    bool is_table(const Group& group) const {
        const std::vector<const Node*> nodes = Lookup::nodes_of(graph_, group);
        return !nodes.empty() && Lookup::make(graph_, group, nodes);
    }

    std::string why_real(const Group& group) const {
        const Node& node = *group.nodes[0];
        const bool real = options_.mode == Mode::integer && group.how == StepArithmetic::real;
        return !real || (options_.reference && is_table(group)) ? "" : quern::why_real(graph_, node, options_.profile);
    }

    const Graph& graph_;
    const CompileOptions& options_;
    std::vector<std::vector<Use>> uses_;
    std::set<const Node*> taken_;
    std::map<std::string_view, const Recorded::Step*> recorded_;  // by their first nodes
    bool is_recorded_;
};

}  // namespace

std::vector<Group> choose_kernels(const Graph& graph, const CompileOptions& options, const Recorded* recorded) {
    return Chooser(graph, options, recorded).run();
}

}  // namespace quern
