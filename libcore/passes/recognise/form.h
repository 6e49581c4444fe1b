// Forms read backwards: whether a value is what a function of decompose/ makes of another, by the nodes that the function adds.
#pragma once

#include <map>

#include "libcore/graph/graph.h"
#include "libcore/passes/decompose/terms.h"

namespace quern {

class Form {
   public:
    using Function = decompose::Term (*)(const decompose::Term& x);

    // The graph that `function` makes of an operand of this type.
    Form(Function function, DType dtype);

    // The x of which `result` is made: by the same operators, attributes and constants, in the same order; ValueId::none: it is not.
    ValueId argument_of(const Graph& graph, ValueId result) const;

   private:
    using Pairs = std::map<ValueId, ValueId>;  // values of the form, and what they are in the graph
    bool agree(ValueId formed, const Graph& graph, ValueId id, Pairs& pairs) const;
    bool nodes_agree(const Node& formed, const Graph& graph, const Node& node, Pairs& pairs) const;

    Graph form_;
};

}  // namespace quern
