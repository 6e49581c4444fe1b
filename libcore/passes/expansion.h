// Nodes in the place of one that stands for them.
#pragma once

#include <string>

#include "libcore/graph/builder.h"

namespace quern {

// Adds nodes before one that they stand for, in its scope and on its device.
class Expansion : public Builder {
   public:
    Expansion(Graph& graph, NodeId id) : graph_(graph), id_(id), name_(graph.node(id).name), types_(graph) {}
    Graph& graph() override { return graph_; }
    ValueId number(DType dtype, double value) { return scalar(value, dtype, "number"); }
    // Computes output `i` of the node that goes, from here on.
    ValueId give(size_t i, OpId op, Values in, Attrs attrs = {});
    // `made` is output `i`, in the output's encoding.
    void hand_over(size_t i, ValueId made);
    // The last node: computes output 0 of the node that goes.
    void finish(OpId op, Values in, Attrs attrs = {});

   private:
    ValueId declare(std::string_view what, Type type) override;
    StepInference& types() override { return types_; }
    NodeId next() const override { return id_; }
    std::string node_name(OpId op, ValueId result) override;
    void place(NodeId node) override;

    Graph& graph_;
    NodeId id_;
    std::string name_;
    StepInference types_;
};

}  // namespace quern
