#include "formats/tensorflow/file/flow.h"

#include <algorithm>
#include <array>

#include "libcore/base/text.h"

namespace quern::tensorflow_format {
namespace {

constexpr size_t tag_limit = 64;            // branches and loops that a node is in
constexpr size_t step_limit = 200'000'000;  // of looking for what is outside of branches and loops

constexpr std::array switch_ops{"Switch", "RefSwitch", "_SwitchN"};
constexpr std::array merge_ops{"Merge", "RefMerge"};
constexpr std::array enter_ops{"Enter", "RefEnter"};
constexpr std::array exit_ops{"Exit", "RefExit"};
constexpr std::array next_ops{"NextIteration", "RefNextIteration"};

template <class Names>
bool is_one_of(const Node& node, const Names& names) {
    return std::ranges::find(names, node.op) != names.end();
}

using Tag = Flow::Tag;
using Tags = Flow::Tags;

class Analysis {
   public:
    Analysis(const NodeGraph& graph, Flow& flow) : graph_(graph), flow_(flow) {}

    void run() {
        flow_.tags.resize(graph_.nodes.size());
        for (const size_t node : order()) tag(node);
        for (auto& [merge, join] : flow_.joins) join.needs = outside(join);
        for (auto& [name, loop] : flow_.loops) loop.needs = outside(name, loop);
    }

   private:
    const Node& node(size_t i) const { return graph_.nodes[i]; }
    bool goes_back(size_t from) const { return is_one_of(node(from), next_ops); }

    // Operands before readers, but for those that come from the round before.
    std::vector<size_t> order() const {
        std::vector<Mark> marks(graph_.nodes.size());
        std::vector<size_t> list;
        for (size_t root = 0; root < graph_.nodes.size(); ++root)
            if (marks[root] == Mark::fresh) visit(root, marks, list);
        return list;
    }

    enum class Mark : uint8_t { fresh, begun, done };
    // Lists what `root` needs, and it.
    void visit(size_t root, std::vector<Mark>& marks, std::vector<size_t>& list) const {
        std::vector<std::pair<size_t, size_t>> stack{{root, 0}};
        marks[root] = Mark::begun;
        while (!stack.empty()) {
            auto& [at, next] = stack.back();
            const auto operand = operand_of(at, next++);
            if (!operand) {
                marks[at] = Mark::done;
                list.push_back(at);
                stack.pop_back();
                continue;
            }
            if (goes_back(*operand) && is_one_of(node(at), merge_ops)) continue;
            if (marks[*operand] == Mark::begun) throw bad_input("node \"{}\" is computed of itself", escape(node(*operand).name));
            if (marks[*operand] == Mark::done) continue;
            marks[*operand] = Mark::begun;
            stack.emplace_back(*operand, 0);
        }
    }

    // What a node reads and what it waits for.
    std::optional<size_t> operand_of(size_t at, size_t i) const {
        const auto& inputs = graph_.inputs[at];
        const auto& controls = graph_.controls[at];
        if (i >= inputs.size() + controls.size()) return std::nullopt;
        return i < inputs.size() ? inputs[i].node : controls[i - inputs.size()];
    }

    Ref behind_identities(Ref ref) const { return quern::tensorflow_format::behind_identities(graph_, ref); }
    bool is_branch_switch(size_t i) const {
        return is_one_of(node(i), switch_ops) && graph_.inputs[i].size() == 2 &&
               node(behind_identities(graph_.inputs[i][1]).node).op != "LoopCond";
    }
    Tags tags_of(Ref ref) const {
        Tags tags = flow_.tags[ref.node];
        if (is_branch_switch(ref.node)) tags.insert({.condition = behind_identities(graph_.inputs[ref.node][1]), .side = ref.out});
        return tags;
    }

    void tag(size_t i) {
        Tags& tags = flow_.tags[i];
        const auto& inputs = graph_.inputs[i];
        if (is_one_of(node(i), merge_ops)) {
            const auto back = std::ranges::find_if(inputs, [&](const Ref& ref) { return goes_back(ref.node); });
            if (back == inputs.end()) return join(i);
            for (const Ref& ref : inputs)
                if (!goes_back(ref.node)) tags = tags_of(ref);
            return carry(i, back->node);
        }
        for (const Ref& ref : inputs) tags.merge(tags_of(ref));
        for (const size_t control : graph_.controls[i]) tags.merge(Tags(flow_.tags[control]));
        if (tags.size() > tag_limit)
            throw unsupported("node \"{}\" is in more than {} branches and loops", escape(node(i).name), tag_limit);
        if (is_one_of(node(i), enter_ops)) tags.insert({.loop = frame_of(i)});
        if (node(i).op == "LoopCond" && !inputs.empty()) conditions_[i] = inputs[0];
        if (is_one_of(node(i), exit_ops) && !inputs.empty()) leave(i);
    }

    std::string frame_of(size_t enter) const {
        const auto* name = node(enter).attr<std::string>("frame_name");
        if (!name || name->empty()) throw bad_input("node \"{}\" enters a loop without a name", escape(node(enter).name));
        return *name;
    }

    // ---- branches ----

    void join(size_t merge) {
        const auto& inputs = graph_.inputs[merge];
        std::vector<Tags> all;
        for (const Ref& ref : inputs) all.push_back(tags_of(ref));
        if (all.empty()) return;
        Tags common = all[0];
        for (const Tags& tags : all) std::erase_if(common, [&](const Tag& tag) { return !tags.contains(tag); });
        flow_.tags[merge] = common;
        for (const Tag& tag : all[0])
            if (tag.loop.empty() && !common.contains(tag) && ends(merge, tag.condition, all, common)) return;
    }

    // Does each operand come from another way of Switches on the condition, and from nothing else that the others do not come from?
    bool ends(size_t merge, Ref condition, const std::vector<Tags>& all, const Tags& common) {
        Flow::Join join{.condition = condition};
        for (size_t i = 0; i < all.size(); ++i)
            for (const Tag& tag : all[i]) {
                if (common.contains(tag)) continue;
                if (!tag.loop.empty() || tag.condition != condition) return false;
                if (!join.sides.emplace(tag.side, graph_.inputs[merge][i]).second) return false;
            }
        if (join.sides.size() != all.size()) return false;
        join.ways = std::max<size_t>(2, all.size());
        flow_.joins[merge] = std::move(join);
        return true;
    }

    bool in_branch(size_t i, Ref condition) const {
        return std::ranges::any_of(flow_.tags[i], [&](const Tag& tag) { return tag.loop.empty() && tag.condition == condition; });
    }

    // What is outside is found by going back from the branches' results.
    template <class Inside>
    std::vector<size_t> boundary(std::vector<size_t> from, const Inside& inside) {
        std::set<size_t> seen;
        std::vector<size_t> list;
        while (!from.empty()) {
            const size_t i = from.back();
            from.pop_back();
            if (!seen.insert(i).second) continue;
            if (++steps_ > step_limit) throw unsupported("has too many branches and loops");
            if (!inside(i))
                list.push_back(i);
            else
                for (const Ref& ref : graph_.inputs[i]) from.push_back(ref.node);
        }
        std::ranges::sort(list);
        return list;
    }

    std::vector<size_t> outside(const Flow::Join& join) {
        std::vector<size_t> from{join.condition.node};
        for (const auto& [side, ref] : join.sides) from.push_back(ref.node);
        return boundary(from, [&](size_t i) {
            return in_branch(i, join.condition) || (is_branch_switch(i) && behind_identities(graph_.inputs[i][1]) == join.condition);
        });
    }

    // ---- loops ----

    void carry(size_t merge, size_t next) {
        Flow::Variable variable{.merge = merge};
        for (const Ref& ref : graph_.inputs[merge])
            if (is_one_of(node(ref.node), enter_ops) && !graph_.inputs[ref.node].empty()) {
                variable.first = graph_.inputs[ref.node][0];
                if (graph_.inputs[next].empty()) throw bad_input("node \"{}\" has no input", escape(node(next).name));
                variable.next = graph_.inputs[next][0];
                merges_[merge] = frame_of(ref.node);
                flow_.loops[frame_of(ref.node)].variables.push_back(variable);
                return;
            }
        throw unsupported("node \"{}\" merges what no loop begins with", escape(node(merge).name));
    }

    void leave(size_t exit) {
        const size_t from = graph_.inputs[exit][0].node;
        if (!is_one_of(node(from), switch_ops) || graph_.inputs[from].size() != 2)
            throw unsupported("node \"{}\" leaves a loop elsewhere than at its condition", escape(node(exit).name));
        const auto merge = merges_.find(graph_.inputs[from][0].node);
        const auto condition = conditions_.find(behind_identities(graph_.inputs[from][1]).node);
        if (merge == merges_.end() || condition == conditions_.end())
            throw unsupported("node \"{}\" leaves what is not a loop", escape(node(exit).name));
        Flow::Loop& loop = flow_.loops[merge->second];
        loop.condition = condition->second;
        flow_.exits[exit] = merge->second;
        std::erase_if(flow_.tags[exit], [&](const Tag& tag) { return tag.loop == merge->second; });
    }

    std::vector<size_t> outside(const std::string& name, Flow::Loop& loop) {
        std::vector<size_t> from{loop.condition.node};
        for (Flow::Variable& variable : loop.variables) {
            from.push_back(variable.next.node);
            from.push_back(variable.first.node);
            for (size_t i = 0; i < graph_.nodes.size(); ++i)
                if (is_one_of(node(i), switch_ops) && !graph_.inputs[i].empty() && graph_.inputs[i][0].node == variable.merge)
                    variable.switches.push_back(i);
        }
        return boundary(from, [&](size_t i) { return flow_.tags[i].contains(Tag{.loop = name}); });
    }

    const NodeGraph& graph_;
    Flow& flow_;
    size_t steps_ = 0;
    std::map<size_t, Ref> conditions_;      // by LoopCond
    std::map<size_t, std::string> merges_;  // the loop that a Merge begins
};

}  // namespace

Ref behind_identities(const NodeGraph& graph, Ref ref) {
    for (int steps = 0; steps < 100 && graph.nodes[ref.node].op == "Identity" && !graph.inputs[ref.node].empty(); ++steps)
        ref = graph.inputs[ref.node][0];
    return ref;
}

std::shared_ptr<const Flow> flow_of(const NodeGraph& graph) {
    const bool any = std::ranges::any_of(graph.nodes, [](const Node& node) {
        return is_one_of(node, switch_ops) || is_one_of(node, merge_ops) || is_one_of(node, enter_ops) || is_one_of(node, exit_ops);
    });
    if (!any) return nullptr;
    auto flow = std::make_shared<Flow>();
    Analysis(graph, *flow).run();
    return flow;
}

std::optional<std::vector<size_t>> flow_needs(const NodeGraph& graph, size_t node) {
    if (!graph.flow) return std::nullopt;
    if (const auto join = graph.flow->joins.find(node); join != graph.flow->joins.end()) return join->second.needs;
    if (const auto exit = graph.flow->exits.find(node); exit != graph.flow->exits.end()) return graph.flow->loops.at(exit->second).needs;
    return std::nullopt;
}

}  // namespace quern::tensorflow_format
