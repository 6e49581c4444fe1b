#include "libcore/passes/affine.h"

#include <cmath>

#include "libcore/passes/shared.h"

namespace quern {

Affine affine_of(const NormStatistics& of, float epsilon) {
    Affine affine;
    for (size_t c = 0; c < of.scale.size(); ++c) {
        affine.factor.push_back(of.scale[c] / std::sqrt(of.variance[c] + epsilon));
        affine.offset.push_back(of.shift[c] - of.mean[c] * affine.factor[c]);
    }
    return affine;
}

std::optional<Affine> affine_of(const Graph& graph, const Node& norm) {
    const NodeView view(norm);
    if (view.integer("training_mode") != 0) return std::nullopt;
    NormStatistics statistics;
    size_t i = 1;
    for (std::vector<float>* part : {&statistics.scale, &statistics.shift, &statistics.mean, &statistics.variance}) {
        const ValueId id = input_of(norm, i++);
        if (!is_plain_constant(graph, id)) return std::nullopt;
        *part = to_floats(*graph.constant(id));
        if (part->size() != statistics.scale.size()) return std::nullopt;
    }
    return affine_of(statistics, view.real("epsilon"));
}

}  // namespace quern
