// What evaluating a node takes at most, told from its inputs before anything is computed: for what is evaluated although nobody asked for
// a run (constants folded, sizes that a reader needs). Files say how much that is, so it has to be bounded.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "libcore/graph/op.h"

namespace quern {

struct Work {
    double steps = 0;    // multiply-adds, or what takes as long
    double scratch = 0;  // bytes beside inputs and outputs, where they do not grow with those alone
};

inline constexpr double untold = std::numeric_limits<double>::infinity();

// `inputs` as eval_node takes them. An output whose size inference does not tell takes `unknown` bytes. Rows whose work depends on their
// numbers in a way that nobody has written down here are `untold`.
Work work_of(const Node& node, std::span<const Tensor> inputs, uint64_t unknown);

// What one evaluation that nobody asked for may take beside some steps and bytes for each that it reads.
struct SmallWork {
    double steps, scratch;
    uint64_t growth;  // bytes of the results beyond those of the inputs
};
inline constexpr SmallWork small_work{1 << 28, 1 << 28, 16 << 20};

uint64_t bytes_of(std::span<const Tensor> tensors);
bool is_small(const Work& work, uint64_t bytes_read);

}  // namespace quern
