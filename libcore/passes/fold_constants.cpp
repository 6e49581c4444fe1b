// Nodes whose inputs are constants become constants, and so do shapes that are known.

#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/eval_node.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

constexpr uint64_t growth_limit = uint64_t{16} << 20;  // results may be this much larger than what they are made of

bool may_fold(const Node& node) {
    if (!node.op->eval || !node.bodies.empty() || has(node.op->traits, Trait::random) || has(node.op->traits, Trait::control_flow))
        return false;
    // A constant that is kept in codes stays so.
    return !node.is(ops::DequantizeLinear, ops::microsoft::DequantizeLinear, ops::own::Recode) && !node.out.empty();
}

// Does the node move codes of one encoding, which its result shares?
bool moves_codes(const Graph& graph, const Node& node) {
    if (!has(node.op->traits, Trait::data_movement) || has(node.op->traits, Trait::variadic_in) || node.out.size() != 1) return false;
    if (node.in.empty() || node.in[0] == ValueId::none || node.out[0] == ValueId::none) return false;
    const auto &from = graph.value(node.in[0]).enc, &to = graph.value(node.out[0]).enc;
    return from && from == to && from->is_fixed() && from->per_tensor() && (from->symmetric() || !makes_zeros(node));
}

// The node's inputs if all are known, codes as they are; for an operator that looks only at the shape, a tensor without bytes will do.
std::optional<std::vector<Tensor>> known_inputs(const Graph& graph, const Node& node) {
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < node.in.size(); ++i) {
        Tensor& input = inputs.emplace_back();
        if (node.in[i] == ValueId::none) continue;
        const Value& value = graph.value(node.in[i]);
        if (i == 0 && has(node.op->traits, Trait::shape_only)) {
            const auto dims = value.type.kind == Type::Kind::tensor ? value.type.shape.concrete() : std::nullopt;
            if (!dims || value.type.dtype == DType::none) return std::nullopt;
            input = {value.type.dtype, *dims, Bytes()};
            continue;
        }
        if (!value.constant() || (value.enc && !(i == 0 && moves_codes(graph, node)))) return std::nullopt;
        input = *graph.constant(node.in[i]);
    }
    return inputs;
}

// What the outputs may take at most, in bytes.
uint64_t limit_of(const std::vector<Tensor>& inputs) {
    uint64_t bytes = growth_limit;
    for (const Tensor& tensor : inputs) bytes += tensor.data.size();
    return bytes;
}

// Turns the outputs into constants. A result that is no tensor, or an error that a run would meet, leaves the node as it is.
bool fold(Graph& graph, NodeId id) {
    const bool coded = moves_codes(graph, graph.node(id));
    for (const ValueId out : graph.node(id).out)
        if (out != ValueId::none && graph.value(out).type.kind != Type::Kind::tensor) return false;
    const auto inputs = known_inputs(graph, graph.node(id));
    if (!inputs) return false;
    std::vector<Tensor> outputs;
    try {
        outputs = eval_node(graph.node(id), *inputs, limit_of(*inputs));
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) throw;
        return false;
    }
    for (const Tensor& input : *inputs) input.data.release();
    const std::vector<ValueId> outs = graph.node(id).out;
    for (size_t i = 0; i < outs.size(); ++i)
        if (outs[i] != ValueId::none && (!outputs[i].defined() || graph.value(outs[i]).enc.has_value() != coded)) return false;
    graph.erase(id);
    for (size_t i = 0; i < outs.size(); ++i) {
        if (outs[i] == ValueId::none) continue;
        Value& value = graph.value(outs[i]);
        value.type = Type::tensor(coded ? value.type.dtype : outputs[i].dtype, Shape::of(outputs[i].dims));
        value.data = outputs[i].data;
    }
    return true;
}

int fold_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.topo())
        if (may_fold(graph.node(id)) && fold(graph, id)) ++changes;
    return changes;
}

// What is folded may settle shapes behind it, and they what is made of them.
int fold_all(Graph& graph) {
    int changes = 0;
    while (const int more = on_every_graph(graph, fold_in)) {
        changes += more;
        infer_types(graph);
    }
    return changes;
}

}  // namespace

constinit const Pass fold_constants{"fold_constants", "compute what depends on constants and known shapes only", fold_all};

}  // namespace quern
