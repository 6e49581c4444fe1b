// Nodes in the place of one that stands for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcore/graph/op.h"

namespace quern {

// Adds nodes before one that they stand for.
class Expansion {
   public:
    Expansion(Graph& graph, NodeId id) : graph_(graph), id_(id), name_(graph.node(id).name) {}
    ValueId add(OpId op, std::vector<ValueId> in, DType dtype, Attrs attrs = {});
    ValueId number(DType dtype, double value);  // a scalar constant
    ValueId integers(std::string_view what, std::vector<int64_t> items);
    // Computes output `i` of the node that goes, from here on.
    ValueId give(size_t i, OpId op, std::vector<ValueId> in, Attrs attrs = {});
    // The last node: computes output 0 of the node that goes.
    void finish(OpId op, std::vector<ValueId> in, Attrs attrs = {});

   private:
    NodeId node(OpId op, std::vector<ValueId> in, ValueId out, Attrs attrs);
    Graph& graph_;
    NodeId id_;
    std::string name_;
};

}  // namespace quern
