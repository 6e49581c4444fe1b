// A graph of the nodes that a function of libcore/passes/decompose adds, run on the reference rows.
#pragma once

#include "libcore/exec/session.h"
#include "libcore/passes/decompose/terms.h"

namespace quern {

class Alone : public Builder {
   public:
    explicit Alone(Graph& graph) : graph_(graph), types_(graph) {}
    Graph& graph() override { return graph_; }

   protected:
    ValueId declare(std::string_view what, Type type) override {
        return graph_.add_value(graph_.unique_name(std::string(what)), std::move(type));
    }
    StepInference& types() override { return types_; }

   private:
    Graph& graph_;
    StepInference types_;
};

// What `make` is of these operands, on the reference rows.
template <class Fn>
Tensor made(const Fn& make, const std::vector<Tensor>& operands) {
    Graph graph;
    Alone builder(graph);
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
