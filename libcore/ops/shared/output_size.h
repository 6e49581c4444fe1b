// What a node would make, before it makes it: sizes come from files.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "libcore/graph/op.h"

namespace quern {

// What inference tells of the outputs of `node` over these inputs (nullptr: absent; `types` as the graph has them, where they are other
// than the tensors'). Nothing of nodes with bodies and of what inference refuses.
std::vector<Type> foreseen_outputs(const Node& node, std::span<const Tensor* const> inputs, std::span<const Type> types);

// Throws Exit::unsupported if output `i` of this type is larger than `limit` bytes; says nothing of shapes that are not known.
void check_output_size(size_t i, const Type& type, uint64_t limit);

// The same for each of them.
void check_output_sizes(const Node& node, std::span<const Tensor* const> inputs, std::span<const Type> types, uint64_t limit);

}  // namespace quern
