// Types of a graph while it is being built: each node is inferred as it is added.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "libcore/graph/graph.h"

namespace quern {

class StepInference {
   public:
    explicit StepInference(Graph& graph);
    ~StepInference();

    // Infers the results of a node whose inputs have their types. Errors name the node.
    void add(NodeId id);
    // The numbers of a small integer tensor that shape arithmetic knows, or of such a constant; nullopt: not known.
    std::optional<std::vector<int64_t>> numbers(ValueId id) const;
    // `inner`, a value without producer, has the numbers that `outer` has in another graph.
    void carry(ValueId inner, const StepInference& from, ValueId outer);

   private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace quern
