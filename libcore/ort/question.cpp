#include "libcore/ort/question.h"

#include <algorithm>
#include <set>

#include "libcore/base/text.h"
#include "libcore/graph/summary.h"
#include "libcore/ort/otherwise.h"
#include "libcore/ort/session.h"
#include "libcore/place/partition.h"

namespace quern::ort {
namespace {

// What cannot go through onnxruntime's tensors, or has no QDQ form.
std::optional<std::string> obstacle(const Value& value, Arithmetic arithmetic) {
    const std::string name = escape(value.name);
    if (value.type.kind != Type::Kind::tensor) return fmt::format("\"{}\" is not a tensor", name);
    if (value.type.dtype == DType::string) return fmt::format("\"{}\" is of texts", name);
    if (arithmetic == Arithmetic::integer && !value.constant() && value.enc && value.enc->is_dynamic())
        return fmt::format("\"{}\" has a dynamic encoding", name);
    return std::nullopt;
}

std::optional<std::string> obstacle(const Graph& graph, const Node& node, Arithmetic arithmetic) {
    std::vector<ValueId> ids(node.in.begin(), node.in.end());
    ids.insert(ids.end(), node.out.begin(), node.out.end());
    for (const ValueId id : ids)
        if (id != ValueId::none)
            if (auto why = obstacle(graph.value(id), arithmetic)) return why;
    return std::nullopt;
}

class Question {
   public:
    Question(const Graph& graph, const std::vector<int>& units, Arithmetic arithmetic, const Settings& settings)
        : graph_(graph), order_(graph.order()), units_(units), arithmetic_(arithmetic), settings_(settings) {}

    std::map<std::string, std::string> run() {
        for (const NodeId id : order_)
            if (auto why = against(graph_.node(id))) refused_.emplace(graph_.node(id).name, *why);
        join_units();
        ask(open());
        return std::move(refused_);
    }

   private:
    // What is known without asking.
    std::optional<std::string> against(const Node& node) const {
        if (auto why = obstacle(graph_, node, arithmetic_)) return why;
        return otherwise(*settings_.provider, graph_, node);
    }

    using Nodes = std::vector<NodeId>;

    // Nodes that nothing is known against.
    Nodes open() const {
        Nodes out;
        for (const NodeId id : order_)
            if (!refused_.contains(graph_.node(id).name)) out.push_back(id);
        return out;
    }

    // All nodes of a unit whose one is refused.
    void join_units() {
        std::map<int, std::string> why;
        for (size_t i = 0; i < order_.size(); ++i)
            if (const auto found = refused_.find(graph_.node(order_[i]).name); units_[i] >= 0 && found != refused_.end())
                why.emplace(units_[i], fmt::format("goes with {}: {}", described(graph_.node(order_[i])), found->second));
        for (size_t i = 0; i < order_.size(); ++i)
            if (const auto found = why.find(units_[i]); units_[i] >= 0 && found != why.end())
                refused_.try_emplace(graph_.node(order_[i]).name, found->second);
    }

    Taken taken(const Nodes& nodes) const {
        place::Partition part;
        part.nodes = nodes;
        place::Ends(graph_).find(part);
        const bool contexts = holds_context(graph_);
        try {
            Taken answer = taken_of(onnx_of(place::extract_partition(graph_, part), arithmetic_), settings_, !contexts);
            if (contexts) leave_linear(answer);
            return answer;
        } catch (const Error& error) {
            Taken none;
            none.failure = error.message();
            return none;
        }
    }

    // Around contexts that others compiled Q and DQ may be the processor's.
    void leave_linear(Taken& answer) const {
        std::erase_if(answer.refused, [&](const auto& entry) {
            const NodeId id = graph_.find_node(entry.first);
            return id != NodeId::none && is_linear(graph_.node(id));
        });
        answer.all = answer.failure.empty() && answer.refused.empty();
    }

    // Those of the nodes that the provider named. False: none.
    bool take_named(const Nodes& nodes, const Taken& answer) {
        const size_t before = refused_.size();
        for (const NodeId id : nodes)
            if (const auto found = answer.refused.find(graph_.node(id).name); found != answer.refused.end()) refused_.insert(*found);
        const bool learned = refused_.size() > before;
        join_units();
        return learned;
    }

    // Asks about all of them, then without those that are refused; where nothing says which they are, one by one.
    void ask(Nodes nodes) {
        while (!nodes.empty()) {
            const Taken answer = taken(nodes);
            if (answer.all) return;
            if (!take_named(nodes, answer)) return ask_each(nodes);
            nodes = open();
        }
    }

    void ask_each(const Nodes& nodes) {
        std::map<int, Nodes> groups;
        int alone = -1;
        for (size_t i = 0; i < order_.size(); ++i)
            if (std::ranges::find(nodes, order_[i]) != nodes.end()) groups[units_[i] >= 0 ? units_[i] : alone--].push_back(order_[i]);
        for (const auto& [unit, group] : groups) {
            const Taken answer = taken(group);
            if (answer.all || take_named(group, answer)) continue;
            const std::string why = !answer.failure.empty() ? answer.failure : answer.refused.begin()->second;  // of what stands around it
            for (const NodeId id : group) refused_.emplace(graph_.node(id).name, why);
        }
    }

    const Graph& graph_;
    const Nodes order_;
    const std::vector<int>& units_;
    Arithmetic arithmetic_;
    const Settings& settings_;
    std::map<std::string, std::string> refused_;
};

}  // namespace

std::map<std::string, std::string> refusals(const Graph& graph, const std::vector<int>& units, Arithmetic arithmetic,
                                            const Settings& settings) {
    return Question(graph, units, arithmetic, settings).run();
}

}  // namespace quern::ort
