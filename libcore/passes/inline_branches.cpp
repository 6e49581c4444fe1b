// If nodes whose condition is known give way to the branch that runs. What was "node/then_branch/x" inside is called that outside, so that
// ranges and rules of the one serve the other.
#include <algorithm>
#include <map>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

class Inliner {
   public:
    Inliner(Graph& graph, NodeId id, size_t body)
        : graph_(graph),
          id_(id),
          body_(graph.node(id).bodies[body]),
          path_(graph.node(id).name + "/" + graph.node(id).body_names[body] + "/") {}

    void run() {
        for (const Graph::Capture& capture : body_.captures) to_[capture.inner] = capture.outer;
        const std::vector<ValueId> results = graph_.node(id_).out;
        for (size_t i = 0; i < results.size(); ++i) take_result(body_.outputs.at(i), results[i]);
        for (const NodeId inner : body_.topo()) move(body_.node(inner));
        for (const auto& [from, result] : copies_)
            graph_.add_node(need_op(ops::Identity), graph_.unique_node_name(graph_.value(result).name), {value(from)}, {result}, {}, id_);
        graph_.erase(id_);
    }

   private:
    // A result that the branch computes is made in place; what it only hands on is copied.
    void take_result(ValueId inner, ValueId result) {
        if (result == ValueId::none) return;
        graph_.value(result).producer = NodeId::none;
        auto& out = graph_.node(id_).out;
        std::replace(out.begin(), out.end(), result, ValueId::none);
        const Value& from = body_.value(inner);
        const bool made = from.producer != NodeId::none && !to_.contains(inner) && from.enc == graph_.value(result).enc;
        if (made)
            to_[inner] = result;
        else
            copies_.emplace_back(inner, result);
    }

    ValueId value(ValueId inner) {
        if (inner == ValueId::none) return inner;
        if (const auto found = to_.find(inner); found != to_.end()) return found->second;
        const Value& from = body_.value(inner);
        const ValueId made = graph_.add_value(graph_.unique_name(path_ + from.name), from.type);
        Value& to = graph_.value(made);
        to.enc = from.enc;
        to.data = from.data;
        to.permutation = from.permutation;
        return to_[inner] = made;
    }

    void move(const Node& from) {
        std::vector<ValueId> in, out;
        for (const ValueId v : from.in) in.push_back(value(v));
        for (const ValueId v : from.out) out.push_back(value(v));
        const NodeId made =
            graph_.add_node(from.op, graph_.unique_node_name(path_ + from.name), std::move(in), std::move(out), from.attrs, id_);
        Node& to = graph_.node(made);
        to.scope = from.scope;
        to.device = from.device;
        to.internal = from.internal;
        for (size_t i = 0; i < from.bodies.size(); ++i) graph_.add_body(made, from.body_names[i], from.bodies[i]);
        for (Graph& part : to.bodies)
            for (Graph::Capture& capture : part.captures) capture.outer = value(capture.outer);
    }

    Graph& graph_;
    NodeId id_;
    const Graph body_;
    std::string path_;
    std::map<ValueId, ValueId> to_;  // what stands for a value of the branch
    std::vector<std::pair<ValueId, ValueId>> copies_;
};

// The branch that runs, or none if that is not known.
std::optional<size_t> known_branch(const Graph& graph, const Node& node) {
    if (!node.is(ops::If) || node.in.empty() || node.in[0] == ValueId::none) return std::nullopt;
    const auto condition = graph.constant(node.in[0]);
    if (!condition || condition->dtype != DType::boolean || condition->count() != 1) return std::nullopt;
    const std::string_view name = condition->data.data()[0] != std::byte{0} ? "then_branch" : "else_branch";
    const auto found = std::find(node.body_names.begin(), node.body_names.end(), name);
    if (found == node.body_names.end()) return std::nullopt;
    const auto body = static_cast<size_t>(found - node.body_names.begin());
    return node.bodies[body].outputs.size() == node.out.size() ? std::optional(body) : std::nullopt;
}

int inline_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : std::vector<NodeId>(graph.order())) {
        const auto body = known_branch(graph, graph.node(id));
        if (!body) continue;
        Inliner(graph, id, *body).run();
        ++changes;
    }
    return changes;
}

// Bodies first: a branch is moved with what was moved into it.
int inline_everywhere(Graph& graph) {
    int changes = 0;
    for (const NodeId id : std::vector<NodeId>(graph.order()))
        for (Graph& body : graph.node(id).bodies) changes += inline_everywhere(body);
    return changes + inline_in(graph);
}

}  // namespace

constinit const Pass inline_branches{"inline_branches", "put the branch that runs in the place of an If whose condition is known",
                                     inline_everywhere};

}  // namespace quern
