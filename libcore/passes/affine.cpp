#include "libcore/passes/affine.h"

#include <cmath>

#include "libcore/passes/shared.h"

namespace quern {

std::optional<Affine> affine_of(const Graph& graph, const Node& norm) {
    const NodeView view(norm);
    if (view.integer("training_mode") != 0) return std::nullopt;
    std::vector<std::vector<float>> parts;  // scale, shift, mean, variance
    for (size_t i = 1; i < 5; ++i) {
        const ValueId id = input_of(norm, i);
        if (!is_plain_constant(graph, id)) return std::nullopt;
        parts.push_back(to_floats(*graph.constant(id)));
        if (parts.back().size() != parts[0].size()) return std::nullopt;
    }
    const float epsilon = view.real("epsilon");
    Affine affine;
    for (size_t c = 0; c < parts[0].size(); ++c) {
        affine.factor.push_back(parts[0][c] / std::sqrt(parts[3][c] + epsilon));
        affine.offset.push_back(parts[1][c] - parts[2][c] * affine.factor[c]);
    }
    return affine;
}

}  // namespace quern
