#include "libcore/codegen/c/bodies.h"

#include <algorithm>

#include "libcore/graph/edit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/onnx/control.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/pipelines.h"

namespace quern::cgen {
namespace {

ValueId behind_identities(const Graph& graph, ValueId id) {
    while (true) {
        const NodeId producer = graph.value(id).producer;
        if (producer == NodeId::none) return id;
        const Node& node = graph.node(producer);
        if (!node.is(ops::Identity) || node.in.size() != 1) return id;
        id = node.in[0];
    }
}

bool is_concrete(const Type& type) { return type.kind == Type::Kind::tensor && type.shape.concrete().has_value(); }

bool settle(Type& type, const Type& known) {
    if (is_concrete(type) || !is_concrete(known) || type.kind != Type::Kind::tensor) return false;
    if (type.shape.ranked && type.shape.rank() != known.shape.rank()) return false;
    type.shape = known.shape;
    return true;
}

bool settle_loop(Graph& graph, Node& node) {
    Graph& body = node.bodies.at(body_named(NodeView(node), "body"));
    bool changed = false;
    const size_t carried = node.in.size() < 2 ? 0 : node.in.size() - 2;
    for (size_t i = 0; i < carried && 2 + i < body.inputs.size(); ++i)
        if (node.in[2 + i] != ValueId::none) changed |= settle(body.value(body.inputs[2 + i]).type, graph.value(node.in[2 + i]).type);
    const auto rounds = known_rounds(graph, node);
    for (size_t i = carried; rounds && i < node.out.size(); ++i) {
        if (node.out[i] == ValueId::none) continue;
        Shape& shape = graph.value(node.out[i]).type.shape;
        if (!shape.ranked || shape.rank() == 0 || shape.dims[0].known()) continue;
        shape.dims[0] = Dim::of(*rounds);
        changed = true;
    }
    return changed;
}

// What reads a result of the branch that is taken reads a constant, if it is one.
bool settle_constant(Graph& graph, ValueId result, const Graph& body, ValueId inner) {
    const auto tensor = body.constant(inner);
    if (!tensor || body.value(inner).enc || graph.value(result).enc) return false;
    if (std::ranges::none_of(graph.uses(result), [](const Use& use) { return use.node != NodeId::none; })) return false;
    graph.replace_uses(result, graph.add_constant(graph.value(result).name, *tensor), true);
    return true;
}

bool settle_if(Graph& graph, Node& node) {
    const auto taken = known_truth(graph, node.in.at(0));
    if (!taken) return false;
    const Graph& body = node.bodies.at(body_named(NodeView(node), *taken ? "then_branch" : "else_branch"));
    bool changed = false;
    for (size_t i = 0; i < node.out.size() && i < body.outputs.size(); ++i)
        if (node.out[i] != ValueId::none) {
            changed |= settle(graph.value(node.out[i]).type, body.value(body.outputs[i]).type);
            changed |= settle_constant(graph, node.out[i], body, body.outputs[i]);
        }
    return changed;
}

bool settle_all(Graph& graph) {
    bool changed = false;
    for (const NodeId id : graph.topo()) {
        Node& node = graph.node(id);
        if (node.bodies.empty() || !node.op->domain.empty()) continue;
        if (node.is(ops::Loop)) changed |= settle_loop(graph, node);
        if (node.is(ops::If)) changed |= settle_if(graph, node);
        for (Graph& body : node.bodies) changed |= settle_all(body);
    }
    return changed;
}

bool has_bodies(const Graph& graph) {
    return std::ranges::any_of(graph.order(), [&](NodeId id) { return !graph.node(id).bodies.empty(); });
}

// Shapes may contradict a branch that is never taken: it becomes the other one.
void drop_untaken(Graph& graph) {
    for (const NodeId id : graph.order()) {
        Node& node = graph.node(id);
        const bool branches = node.is(ops::If) && node.bodies.size() == 2;
        if (const auto taken = branches ? known_truth(graph, node.in.at(0)) : std::nullopt) {
            const size_t kept = body_named(NodeView(node), *taken ? "then_branch" : "else_branch");
            node.bodies[1 - kept] = Graph(node.bodies[kept]);
        }
        for (Graph& body : node.bodies) drop_untaken(body);
    }
}

// Constants of bodies, too, also where they capture what has become one.
void infer_and_fold(Graph& graph) {
    do {
        drop_untaken(graph);
        infer_types(graph);
        localize_constants(graph);
    } while (run_pipeline(graph, pipelines::bodies) > 0);
}

}  // namespace

std::optional<bool> known_truth(const Graph& graph, ValueId id) {
    const auto tensor = graph.constant(behind_identities(graph, id));
    if (!tensor || tensor->dtype != DType::boolean || tensor->count() != 1) return std::nullopt;
    return tensor->data.data()[0] != std::byte{0};
}

bool goes_on(const Graph& body) {
    if (body.inputs.size() < 2 || body.outputs.empty()) return false;
    const ValueId out = behind_identities(body, body.outputs[0]);
    return out == body.inputs[1] || known_truth(body, out).value_or(false);
}

std::optional<int64_t> known_rounds(const Graph& graph, const Node& loop) {
    const auto operand = [&](size_t i) { return i < loop.in.size() ? loop.in[i] : ValueId::none; };
    const auto starts = operand(1) == ValueId::none ? std::optional(true) : known_truth(graph, operand(1));
    if (starts == false) return 0;
    if (operand(0) == ValueId::none) return std::nullopt;
    const auto trips = graph.constant(behind_identities(graph, operand(0)));
    if (!trips || trips->count() != 1) return std::nullopt;
    const int64_t rounds = std::max<int64_t>(to_ints(*trips)[0], 0);
    const bool unconditioned = starts == true && goes_on(loop.bodies.at(body_named(NodeView(loop), "body")));
    return rounds == 0 || unconditioned ? std::optional(rounds) : std::nullopt;
}

void settle_bodies(Graph& graph) {
    infer_and_fold(graph);
    if (!has_bodies(graph)) return;
    while (settle_all(graph)) {
        try {
            infer_and_fold(graph);
        } catch (const Error& error) {
            if (error.exit() != Exit::bad_input) throw;
            throw unsupported("a loop whose values do not keep their shapes: {}", error.message());
        }
    }
}

}  // namespace quern::cgen
