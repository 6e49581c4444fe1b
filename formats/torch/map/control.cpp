// Control flow: graphs become bodies.
#include <array>

#include "formats/torch/map/map.h"
#include "libcore/graph/op_ids.h"

namespace quern::torch_format {
namespace {

using Kind = Argument::Kind;

Bound operand(Site& site, const Argument& argument) {
    if (argument.kind == Kind::tensor) return {.tensor = site.in(argument)};
    Number number = site.number(argument);
    if (argument.kind == Kind::integer && argument.boolean) number.dtype = DType::boolean;
    return {.number = number};
}

std::vector<Bound> operands(Site& site, const Argument& list) {
    std::vector<Bound> all;
    for (const Argument& item : list.items) all.push_back(operand(site, item));
    return all;
}

// What a value of the graph around is in a body.
ValueId captured(Site& site, Graph& body, ValueId outer) {
    const ValueId here = site.importer().declare(body, site.graph().value(outer).name, site.graph().value(outer).type);
    body.captures.push_back({here, outer});
    return here;
}

std::vector<Bound> captured(Site& site, Graph& body, const std::vector<Bound>& outer) {
    std::vector<Bound> inner;
    for (Bound bound : outer) {
        if (bound.tensor != ValueId::none) bound.tensor = captured(site, body, bound.tensor);
        if (bound.number && !bound.number->known) bound.number->value = captured(site, body, bound.number->value);
        inner.push_back(bound);
    }
    return inner;
}

const ProgramGraph& graph_of(const Site& site, size_t i) {
    const Argument* argument = site.arg(i);
    if (!argument || argument->kind != Kind::graph) throw bad_input("operand {} is not a graph", i);
    return *argument->graph;
}

// Results of a body, of which none may be an input, a capture or a constant of it.
void finish(Site& site, Graph& body, const std::vector<Bound>& results) {
    for (const Bound& result : results) {
        ValueId id = result.tensor;
        if (result.number) id = result.number->known ? body.add_constant("number", known_tensor(*result.number)) : result.number->value;
        if (id == ValueId::none) throw unsupported("a graph of it has a result that is none");
        const ValueId copy = site.importer().declare(body, "result", {});
        body.add_node(need_op(ops::Identity), body.value(copy).name, {id}, {copy});
        body.outputs.push_back(copy);
    }
}

NodeId node_of(Site& site, OpId op, const Values& in, size_t spare = 0, Attrs attrs = {}) {
    Values out(spare, ValueId::none);
    for (size_t i = 0; i < site.out_count(); ++i) out.push_back(site.out_value(i));
    if (out.empty()) throw bad_input("has no result");
    const std::string name = site.graph().value(out.back()).name;
    return site.graph().add_node(need_op(op), name, in, out, std::move(attrs));
}

std::vector<Bound> run(Site& site, Graph& body, size_t graph, const std::vector<Bound>& inputs, const std::string& prefix = "") {
    return site.importer().add_graph(body, graph_of(site, graph), inputs, prefix, site.scope().depth + 1);
}

// (predicate, then, else, [operands])
bool cond(Site& site) {
    const Argument* predicate = site.arg(size_t{0});
    const Argument* list = site.arg(3);
    if (!predicate) throw bad_input("has no predicate");
    const std::vector<Bound> outer = list ? operands(site, *list) : std::vector<Bound>{};
    ValueId condition = site.in_as(*predicate, DType::boolean);
    if (predicate->kind == Kind::tensor && site.meta(*predicate).shape.rank() != 0) condition = site.reshape(condition, {});
    const NodeId id = node_of(site, ops::If, {condition});
    for (const auto& [name, graph] : {std::pair{"then_branch", size_t{1}}, std::pair{"else_branch", size_t{2}}}) {
        Graph& body = site.graph().add_body(id, name);
        finish(site, body, run(site, body, graph, captured(site, body, outer)));
        if (body.outputs.size() != site.out_count())
            throw bad_input("a branch has {} results, need {}", body.outputs.size(), site.out_count());
    }
    return true;
}

ValueId condition_of(Site& site, Graph& graph, const std::vector<Bound>& inputs, const std::string& prefix) {
    const std::vector<Bound> results = run(site, graph, 0, inputs, prefix);
    if (results.size() != 1) throw bad_input("its condition has {} results", results.size());
    if (results[0].number) {
        if (results[0].number->known) return graph.add_constant("condition", Tensor::scalar<bool>(*results[0].number->known != 0));
        return results[0].number->value;
    }
    return results[0].tensor;
}

// The carried values of a loop as tensors, and in its body as what they were.
ValueId as_tensor(Site& site, const Bound& bound) { return bound.number ? site.as_value(*bound.number) : bound.tensor; }

Bound declared(Site& site, Graph& body, const Bound& outer, const std::string& name) {
    const Type type = outer.number ? Type::tensor(outer.number->dtype, Shape::of_dims({})) : Type{};
    const ValueId id = site.importer().declare(body, name, type);
    body.inputs.push_back(id);
    if (outer.number) return {.number = Number{.value = id, .dtype = outer.number->dtype}};
    return {.tensor = id};
}

Type type_in(const ProgramGraph& graph, size_t input) {
    if (input >= graph.inputs.size()) throw bad_input("a graph has {} inputs, need more", graph.inputs.size());
    const auto meta = graph.tensors.find(graph.inputs[input].text);
    return meta == graph.tensors.end() ? Type{} : Type::tensor(meta->second.dtype, meta->second.shape);
}

// (condition, body, [carried], [more operands]): the condition is computed before the loop and again at the end of each round.
bool while_loop(Site& site) {
    if (!site.arg(2)) return false;
    const std::vector<Bound> carried = operands(site, *site.arg(2));
    const std::vector<Bound> more = site.arg(3) ? operands(site, *site.arg(3)) : std::vector<Bound>{};
    const auto with_more = [&](std::vector<Bound> first, const std::vector<Bound>& rest) {
        first.insert(first.end(), rest.begin(), rest.end());
        return first;
    };
    Values in{ValueId::none, condition_of(site, site.graph(), with_more(carried, more), site.fresh("cond/"))};
    for (const Bound& bound : carried) in.push_back(as_tensor(site, bound));
    const NodeId id = node_of(site, ops::Loop, in);
    Graph& body = site.graph().add_body(id, "body");
    Importer& importer = site.importer();
    body.inputs.push_back(importer.declare(body, "round", Type::tensor(DType::i64, Shape::of_dims({}))));
    body.inputs.push_back(importer.declare(body, "goes_on", Type::tensor(DType::boolean, Shape::of_dims({}))));
    std::vector<Bound> now;
    for (size_t i = 0; i < carried.size(); ++i) {
        now.push_back(declared(site, body, carried[i], "carried"));
        if (!carried[i].number) body.value(body.inputs.back()).type = type_in(graph_of(site, 1), i);
    }
    const std::vector<Bound> inner = captured(site, body, more);
    const std::vector<Bound> next = run(site, body, 1, with_more(now, inner));
    if (next.size() != carried.size()) throw bad_input("its body gives {} values, need {}", next.size(), carried.size());
    const ValueId goes_on = condition_of(site, body, with_more(next, inner), "cond/");
    finish(site, body, {Bound{.tensor = goes_on}});
    finish(site, body, next);
    return true;
}

// Scan over the first dim: (body, [carried], [rows], [more]), or without carried ones.
bool scan_over(Site& site, const std::vector<Bound>& carried, const std::vector<Bound>& rows, const std::vector<Bound>& more) {
    Values in;
    for (const auto* list : {&carried, &rows})
        for (const Bound& bound : *list) in.push_back(as_tensor(site, bound));
    const NodeId id = node_of(site, ops::Scan, in, 0, {{"num_scan_inputs", static_cast<int64_t>(rows.size())}});
    Graph& body = site.graph().add_body(id, "body");
    std::vector<Bound> inputs;
    for (size_t i = 0; i < carried.size() + rows.size(); ++i) {
        inputs.push_back(declared(site, body, i < carried.size() ? carried[i] : Bound{}, i < carried.size() ? "carried" : "row"));
        if (body.value(body.inputs.back()).type.dtype == DType::none) body.value(body.inputs.back()).type = type_in(graph_of(site, 0), i);
    }
    for (const Bound& bound : captured(site, body, more)) inputs.push_back(bound);
    finish(site, body, run(site, body, 0, inputs));
    return true;
}

std::vector<Bound> operands_at(Site& site, size_t i) { return site.arg(i) ? operands(site, *site.arg(i)) : std::vector<Bound>{}; }

bool map(Site& site) { return scan_over(site, {}, operands_at(site, 1), operands_at(site, 2)); }
bool scan(Site& site) { return scan_over(site, operands_at(site, 1), operands_at(site, 2), operands_at(site, 3)); }

// A graph that stands for itself, behind flags: its nodes are added where it is.
bool wrapped(Site& site) {
    size_t graph = 0;
    while (site.arg(graph) == nullptr || site.arg(graph)->kind != Kind::graph)
        if (++graph >= site.of().in.size()) throw bad_input("has no graph");
    std::vector<Bound> inputs;
    for (size_t i = graph + 1; i < site.of().in.size(); ++i)
        if (site.arg(i)) inputs.push_back(operand(site, *site.arg(i)));
    const std::vector<Bound> results = run(site, site.graph(), graph, inputs, site.fresh(""));
    if (results.size() != site.out_count()) throw bad_input("its graph has {} results, need {}", results.size(), site.out_count());
    for (size_t i = 0; i < results.size(); ++i)
        if (results[i].number)
            site.bind(*results[i].number, i);
        else if (results[i].tensor != ValueId::none)
            site.bind(results[i].tensor, i);
    return true;
}

constexpr std::array control_table{
    MapRow{"higher_order.cond", "If", cond},
    MapRow{"higher_order.while_loop", "Loop", while_loop},
    MapRow{"higher_order.map_impl", "Scan", map},
    MapRow{"higher_order.scan", "Scan", scan},
    MapRow{"higher_order.wrap_with_set_grad_enabled higher_order.wrap_with_autocast higher_order.wrap", "its nodes", wrapped},
};

}  // namespace

std::span<const MapRow> control_rows() { return control_table; }

}  // namespace quern::torch_format
