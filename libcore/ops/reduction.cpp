#include "libcore/ops/reduction.h"

#include <algorithm>

#include "libcore/ops/dims.h"
#include "libcore/ops/spatial.h"

namespace quern {

std::vector<bool> reduced_axes(const Node& node, size_t rank, const Tensor* axes) {
    const NodeView view(node);
    if (pools_space(node)) {
        std::vector<bool> flags(rank, true);
        if (rank > 0) flags[0] = false;
        if (rank > 1) flags[channels_last(view) ? rank - 1 : 1] = false;
        return flags;
    }
    const std::vector<int64_t> named = axes ? to_ints(*axes) : std::vector<int64_t>();
    if (named.empty()) return std::vector<bool>(rank, view.integer("noop_with_empty_axes") == 0);
    return axis_flags(named, rank);
}

}  // namespace quern
