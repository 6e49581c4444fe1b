// Nodes whose inputs are constants become constants, and so do shapes and single dims that are known. What a body computes of constants of
// a graph around it becomes a constant there, once for all bodies.
#include <algorithm>

#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/graph/known_numbers.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/eval_node.h"
#include "libcore/ops/shared/work.h"
#include "libcore/os/spool.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

// What one call may take: some for every graph, more for each byte of its constants. A node is bounded by is_small() beside. What is left
// has its turn in the next round of a pipeline, whose number is bounded.
class Allowance {
   public:
    explicit Allowance(Graph& graph) {
        double constants = 0;  // bytes
        for_each_graph(graph, [&](Graph& part, const std::string&) {
            for (size_t i = 0; i < part.value_count(); ++i) {
                const Value& value = part.value(static_cast<ValueId>(i));
                if (!value.erased && value.constant()) constants += static_cast<double>(value.data->size());
            }
        });
        steps_ = small_work.steps + 64 * constants;
        bytes_ = 8.0 * static_cast<double>(small_work.growth) + 32 * constants;
    }
    // Takes what the node needs, or says that it does not have that much. Arithmetic of shapes is never too much.
    bool take(const Node& node, const Work& work, uint64_t bytes_read) {
        constexpr double tiny = 1 << 16;
        if (!is_small(work, bytes_read) || work.steps > std::max(steps_, tiny)) return refuse(node);
        steps_ -= work.steps;
        return true;
    }
    bool keep(const Node& node, uint64_t bytes_made) {
        constexpr double tiny = 1 << 16;
        if (static_cast<double>(bytes_made) > std::max(bytes_, tiny)) return refuse(node);
        bytes_ -= static_cast<double>(bytes_made);
        return true;
    }
    // What was foreseen of results of unknown sizes was too much.
    void give_back(const Work& foreseen, const Work& done) { steps_ += std::max(0.0, foreseen.steps - done.steps); }
    void say() const {
        if (refused_ > 0)
            say_detail(fmt::format("fold_constants: left to the run: {} whose constants would take too much to compute here, first {}",
                                   refused_ == 1 ? "a node" : fmt::format("{} nodes", refused_), first_));
    }

   private:
    bool refuse(const Node& node) {
        ++refused_;
        if (first_.empty()) first_ = fmt::format("{} \"{}\"", node.op->name, escape(node.name));
        return false;
    }

    double steps_ = 0, bytes_ = 0;
    size_t refused_ = 0;
    std::string first_;
};

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

// A graph, and for a body what is around it.
struct Scope {
    Graph& graph;
    const Scope* outer = nullptr;
};

struct Place {
    const Scope* scope;
    ValueId id;
    const Value& value() const { return scope->graph.value(id); }
};

// Where a value is that a body may have captured.
Place origin(const Scope& scope, ValueId id) {
    const auto found = std::ranges::find_if(scope.graph.captures, [&](const Graph::Capture& capture) { return capture.inner == id; });
    if (!scope.outer || found == scope.graph.captures.end()) return {&scope, id};
    return origin(*scope.outer, found->outer);
}

bool is_around(const Scope& scope, const Scope& inner) { return inner.outer && (inner.outer == &scope || is_around(scope, *inner.outer)); }

// The outermost graph with a constant that the node reads.
const Scope& home_of(const Scope& scope, const Node& node) {
    const Scope* home = &scope;
    for (const ValueId in : node.in) {
        if (in == ValueId::none) continue;
        const Place place = origin(scope, in);
        if (place.value().constant() && is_around(*place.scope, *home)) home = place.scope;
    }
    return *home;
}

// The node's inputs if all are known, codes as they are; for an operator that looks only at the shape, a tensor without bytes will do.
std::optional<std::vector<Tensor>> known_inputs(const Scope& scope, const Node& node) {
    const Graph& graph = scope.graph;
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
        const Place place = origin(scope, node.in[i]);
        if (!place.value().constant() || (place.value().enc && !(i == 0 && moves_codes(graph, node)))) return std::nullopt;
        input = *place.scope->graph.constant(place.id);
    }
    return inputs;
}

// A plain constant of the graph with these numbers; one that is there is taken.
ValueId constant_like(Graph& graph, const std::string& name, const Tensor& tensor) {
    const Type type = Type::tensor(tensor.dtype, Shape::of(tensor.dims));
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value(static_cast<ValueId>(i));
        if (!value.erased && value.constant() && !value.enc && value.type == type && value.data->text() == tensor.data.text())
            return static_cast<ValueId>(i);
    }
    return graph.add_constant(graph.unique_name(name), tensor);
}

// The constant of `home` as a value of `scope`, which is that graph or a body below it.
ValueId constant_of(const Scope& scope, const Scope& home, const std::string& name, const Tensor& tensor) {
    if (&scope == &home) return constant_like(home.graph, name, tensor);
    const ValueId outer = constant_of(*scope.outer, home, name, tensor);
    for (const Graph::Capture& capture : scope.graph.captures)
        if (capture.outer == outer) return capture.inner;
    const ValueId inner = scope.graph.add_value(scope.graph.unique_name(name), scope.outer->graph.value(outer).type);
    scope.graph.captures.push_back({inner, outer});
    return inner;
}

// `tensor`: codes if the value is encoded. A result of a body is made by the body itself.
void become_constant(const Scope& scope, const Scope& home, ValueId id, const Tensor& tensor) {
    Value& value = scope.graph.value(id);
    value.type = Type::tensor(value.enc ? value.type.dtype : tensor.dtype, Shape::of(tensor.dims));
    if (&scope == &home || value.enc || scope.graph.is_output(id))
        value.data = tensor.data;
    else
        scope.graph.captures.push_back({id, constant_of(*scope.outer, home, value.name, tensor)});
}

// The results, if they may be computed here and are not an error, which a run would meet, too.
std::optional<std::vector<Tensor>> results_of(const Node& node, const std::vector<Tensor>& inputs, Allowance& allowance) {
    const uint64_t read = bytes_of(inputs), limit = read + small_work.growth;
    try {
        const Work foreseen = work_of(node, inputs, limit);
        if (!allowance.take(node, foreseen, read)) return std::nullopt;
        auto outputs = eval_node(node, inputs, limit);
        const uint64_t made = bytes_of(outputs);
        allowance.give_back(foreseen, work_of(node, inputs, made));
        if (!allowance.keep(node, made)) return std::nullopt;
        return outputs;
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) throw;
        return std::nullopt;
    }
}

// Turns the outputs into constants, unless one is not a tensor.
bool fold(const Scope& scope, NodeId id, Spool& spool, Allowance& allowance) {
    Graph& graph = scope.graph;
    const bool coded = moves_codes(graph, graph.node(id));
    for (const ValueId out : graph.node(id).out)
        if (out != ValueId::none && graph.value(out).type.kind != Type::Kind::tensor) return false;
    const auto inputs = known_inputs(scope, graph.node(id));
    if (!inputs) return false;
    auto results = results_of(graph.node(id), *inputs, allowance);
    if (!results) return false;
    std::vector<Tensor>& outputs = *results;
    for (const Tensor& input : *inputs) input.data.release();
    const std::vector<ValueId> outs = graph.node(id).out;
    for (size_t i = 0; i < outs.size(); ++i)
        if (outs[i] != ValueId::none && (!outputs[i].defined() || graph.value(outs[i]).enc.has_value() != coded)) return false;
    for (Tensor& output : outputs) output.data = spool.put(std::move(output.data));
    const Scope& home = home_of(scope, graph.node(id));
    graph.erase(id);
    for (size_t i = 0; i < outs.size(); ++i)
        if (outs[i] != ValueId::none) become_constant(scope, home, outs[i], outputs[i]);
    return true;
}

int fold_in(const Scope& scope, Spool& spool, Allowance& allowance) {
    int changes = 0;
    for (const NodeId id : scope.graph.topo())
        if (may_fold(scope.graph.node(id)) && fold(scope, id, spool, allowance)) ++changes;
    for (const NodeId id : std::vector<NodeId>(scope.graph.order()))
        for (Graph& body : scope.graph.node(id).bodies) changes += fold_in({body, &scope}, spool, allowance);
    return changes;
}

// Shape arithmetic whose numbers are known although not all dims of the shapes are.
int fold_numbers(Graph& graph, const KnownNumbers& known) {
    int changes = 0;
    for (const auto& [id, numbers] : known) {
        const Value& value = graph.value(id);
        const NodeId maker = value.producer;
        const auto dims = value.type.shape.concrete();
        if (maker == NodeId::none || !may_fold(graph.node(maker)) || graph.node(maker).out.size() != 1 || value.enc || !dims) continue;
        if (!is_integer(value.type.dtype) || static_cast<size_t>(count_of(*dims)) != numbers.size()) continue;
        const Tensor tensor = from_ints(value.type.dtype, *dims, numbers);
        graph.erase(maker);
        graph.value(id).data = tensor.data;
        ++changes;
    }
    return changes;
}

int fold_dims(Graph& graph) {
    int changes = 0;
    const NumbersOfGraphs known = infer_numbers(graph);
    for_each_graph(graph, [&](Graph& part, const std::string&) {
        if (const auto found = known.find(&part); found != known.end()) changes += fold_numbers(part, found->second);
    });
    return changes;
}

int fold_once(Graph& graph, Spool& spool, Allowance& allowance) {
    const int dims = fold_dims(graph);
    return dims + fold_in({graph}, spool, allowance);
}

// What is folded may settle shapes behind it, and they what is made of them.
int fold_all(Graph& graph) {
    Spool spool;  // of a large model only one result is in memory
    Allowance allowance(graph);
    int changes = 0;
    while (const int more = fold_once(graph, spool, allowance)) changes += more;
    allowance.say();
    return changes;
}

}  // namespace

constinit const Pass fold_constants{"fold_constants", "compute what depends on constants and known shapes only", fold_all};

}  // namespace quern
