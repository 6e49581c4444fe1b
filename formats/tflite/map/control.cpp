// Control flow: subgraphs become bodies.
#include <array>

#include "formats/tflite/map/map.h"
#include "libcore/graph/op_ids.h"

namespace quern::tflite_format {
namespace {

bool if_else(Site& site) {
    const std::array<std::pair<std::string_view, std::string_view>, 2> branches{
        {{"then_branch", "then_subgraph_index"}, {"else_branch", "else_subgraph_index"}}};
    const ValueId condition = site.in(0);
    const Values operands = site.ins(1);
    for (const ValueId id : operands)
        if (id == ValueId::none) throw bad_input("an operand of a branch is absent");
    const NodeId id = site.results(need_op(ops::If), {condition});
    for (const auto& [name, option] : branches) {
        Graph& body = site.graph().add_body(id, std::string(name));
        Values inner;
        for (const ValueId outer : operands) inner.push_back(captured(site, body, outer));
        body.outputs = site.importer().add_subgraph(body, site.integer(option), inner, "", site.scope().depth + 1);
        if (body.outputs.size() != site.out_count())
            throw bad_input("a branch has {} results, need {}", body.outputs.size(), site.out_count());
    }
    site.infer(id);
    return true;
}

ValueId condition_of(Site& site, Graph& graph, const Values& values, const std::string& prefix) {
    const Values outputs = site.importer().add_subgraph(graph, site.integer("cond_subgraph_index"), values, prefix, site.scope().depth + 1);
    if (outputs.size() != 1) throw bad_input("its condition has {} results", outputs.size());
    return outputs[0];
}

// The condition is computed before the loop and again at the end of each round.
bool while_loop(Site& site) {
    const Values operands = site.ins();
    for (const ValueId id : operands)
        if (id == ValueId::none) throw bad_input("a loop value is absent");
    if (operands.size() != site.out_count()) throw bad_input("has {} loop values and {} results", operands.size(), site.out_count());
    Values in{ValueId::none, condition_of(site, site.graph(), operands, site.fresh("cond/"))};
    in.insert(in.end(), operands.begin(), operands.end());
    const NodeId id = site.results(need_op(ops::Loop), in);
    Graph& body = site.graph().add_body(id, "body");
    Importer& importer = site.importer();
    body.inputs.push_back(importer.declare(body, "round", Type::tensor(DType::i64, Shape::of_dims({}))));
    body.inputs.push_back(importer.declare(body, "goes_on", Type::tensor(DType::boolean, Shape::of_dims({}))));
    const Subgraph& from = importer.subgraph(site.integer("body_subgraph_index"));
    if (from.inputs.size() != operands.size()) throw bad_input("its body takes {} values, gets {}", from.inputs.size(), operands.size());
    Values carried;
    for (const int64_t input : from.inputs) {
        const FileTensor& tensor = from.tensors[static_cast<size_t>(input)];
        carried.push_back(importer.declare(body, tensor.name, type_of(tensor)));
        body.value(carried.back()).enc = encoding_of(tensor, from);
        body.inputs.push_back(carried.back());
    }
    const Values next = importer.add_subgraph(body, site.integer("body_subgraph_index"), carried, "", site.scope().depth + 1);
    if (next.size() != operands.size()) throw bad_input("its body gives {} values, need {}", next.size(), operands.size());
    body.outputs.push_back(condition_of(site, body, next, "cond/"));
    body.outputs.insert(body.outputs.end(), next.begin(), next.end());
    site.infer(id);
    return true;
}

constexpr std::array control_table{
    MapRow{Code::IF, "If", if_else},
    MapRow{Code::STABLEHLO_WHILE, "Loop", while_loop},
    MapRow{Code::WHILE, "Loop", while_loop},
};

}  // namespace

ValueId captured(Site& site, Graph& body, ValueId outer) {
    const Value& value = site.graph().value(outer);
    const ValueId inner = site.importer().declare(body, value.name, value.type);
    body.value(inner).enc = value.enc;
    body.captures.push_back({inner, outer});
    return inner;
}

std::span<const MapRow> control_rows() { return control_table; }

}  // namespace quern::tflite_format
