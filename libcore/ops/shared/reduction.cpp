#include "libcore/ops/shared/reduction.h"

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {

std::vector<bool> reduced_dims(const NodeView& node, std::span<const int64_t> axes, size_t rank) {
    if (axes.empty()) return std::vector<bool>(rank, node.integer("noop_with_empty_axes") == 0);
    return axis_flags(axes, rank);
}

std::vector<bool> reduced_axes(const Node& node, size_t rank, const Tensor* axes) {
    const NodeView view(node);
    if (pools_space(node)) {
        std::vector<bool> flags(rank, true);
        if (rank > 0) flags[0] = false;
        if (rank > 1) flags[channels_last(view) ? rank - 1 : 1] = false;
        return flags;
    }
    return reduced_dims(view, axes ? to_ints(*axes) : std::vector<int64_t>(), rank);
}

ReductionSteps::ReductionSteps(const Dims& dims, const std::vector<bool>& reduced) {
    const auto strides = strides_of(dims);
    for (size_t i = 0; i < dims.size(); ++i) {
        const bool own = reduced[i];
        if (i > 0 && reduced[i - 1] == own) {
            lengths[own].back() *= dims[i];
            steps[own].back() = strides[i];
        } else {
            lengths[own].push_back(dims[i]);
            steps[own].push_back(strides[i]);
        }
    }
}

}  // namespace quern
