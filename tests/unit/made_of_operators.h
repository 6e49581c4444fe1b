// A graph of the nodes that a function of libcore/passes/decompose adds, run on the reference rows.
#pragma once

#include "libcore/exec/session.h"
#include "libcore/graph/appender.h"
#include "libcore/passes/decompose/terms.h"

namespace quern {

// What `make` is of these operands, on the reference rows.
template <class Fn>
Tensor made(const Fn& make, const std::vector<Tensor>& operands) {
    Graph graph;
    Appender builder(graph);
    std::vector<decompose::Term> terms;
    for (const Tensor& x : operands) {
        terms.push_back({&builder, graph.add_value(graph.unique_name("input"), Type::tensor(x.dtype, Shape::of(x.dims)))});
        graph.inputs.push_back(terms.back().id);
    }
    graph.outputs = {make(terms).id};
    verify(graph);
    ThreadPool pool(1);
    CompileOptions options;
    options.reference = true;
    Session session(Program::compile(graph, options), pool);
    return session.run(operands).at(0);
}

}  // namespace quern
