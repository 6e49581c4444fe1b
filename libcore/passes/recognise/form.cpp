#include "libcore/passes/recognise/form.h"

#include "libcore/graph/appender.h"

namespace quern {
namespace {

bool constants_agree(const Value& a, const Value& b) {
    return a.constant() && b.constant() && !b.enc && a.type.dtype == b.type.dtype && stored_dims(a) == stored_dims(b) &&
           a.data->text() == b.data->text();
}

}  // namespace

Form::Form(Function function, DType dtype) {
    Appender builder(form_);
    const ValueId x = form_.add_value("x", Type::tensor(dtype, Shape::of({})));
    form_.inputs.push_back(x);
    form_.outputs.push_back(function({&builder, x}));
}

ValueId Form::argument_of(const Graph& graph, ValueId result) const {
    Pairs pairs;
    if (!agree(form_.outputs[0], graph, result, pairs)) return ValueId::none;
    const ValueId x = pairs.at(form_.inputs[0]);
    return graph.value(x).type.dtype == form_.value(form_.inputs[0]).type.dtype ? x : ValueId::none;
}

bool Form::agree(ValueId formed, const Graph& graph, ValueId id, Pairs& pairs) const {
    if (id == ValueId::none) return false;
    if (const auto [at, fresh] = pairs.try_emplace(formed, id); !fresh) return at->second == id;
    const Value &a = form_.value(formed), &b = graph.value(id);
    if (formed == form_.inputs[0]) return true;
    if (a.constant()) return constants_agree(a, b);
    return b.producer != NodeId::none && nodes_agree(form_.node(a.producer), graph, graph.node(b.producer), pairs);
}

bool Form::nodes_agree(const Node& formed, const Graph& graph, const Node& node, Pairs& pairs) const {
    if (formed.op->name != node.op->name || formed.op->domain != node.op->domain) return false;
    if (formed.in.size() != node.in.size() || !identical(formed.attrs, node.attrs)) return false;
    for (size_t i = 0; i < formed.in.size(); ++i)
        if (!agree(formed.in[i], graph, node.in[i], pairs)) return false;
    return true;
}

}  // namespace quern
