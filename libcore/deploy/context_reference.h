// The partitions of a context in the model that it was made of, on ref: a context has what back ends compiled, and not their graphs.
#pragma once

#include "libcore/deploy/context.h"

namespace quern {

class ContextReference {
   public:
    // Throws Exit::bad_input if the context was made of another model.
    ContextReference(const Model& model, const ContextGraph& graph);
    // The same inputs and outputs as the part's.
    std::shared_ptr<Executable> part(const ContextPart& part) const;

   private:
    place::Partition partition_of(const ContextPart& part) const;
    Graph graph_;
    CompileOptions options_;
};

}  // namespace quern
