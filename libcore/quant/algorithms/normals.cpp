#include "libcore/quant/algorithms/normals.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/questions.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

// The standard normal distribution.
double density(double x) { return std::isinf(x) ? 0 : portable::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }
double below(double x) { return portable::erfc(-x / std::numbers::sqrt2) / 2; }
double product(double bound, double share) { return share > 0 ? bound * share : 0; }  // infinity times 0 is 0

// Mean and deviation of a normally distributed number that is limited to [low, high].
std::pair<double, double> limited(double mean, double deviation, double low, double high) {
    if (deviation <= 0) return {std::clamp(mean, low, high), 0};
    const double a = (low - mean) / deviation, b = (high - mean) / deviation;
    const double under = std::isinf(a) ? 0 : below(a), over = std::isinf(b) ? 0 : below(-b), inside = 1 - under - over;
    const double da = density(a), db = density(b);
    const double first = product(low, under) + product(high, over) + mean * inside + deviation * (da - db);
    const double second = product(low * low, under) + product(high * high, over) + (mean * mean + deviation * deviation) * inside +
                          deviation * (product(low + mean, da) - product(high + mean, db));
    return {first, std::sqrt(std::max(second - first * first, 0.0))};
}

Normal limited(Normal normal, const Bounds& bounds) {
    for (size_t c = 0; c < normal.mean.size(); ++c)
        std::tie(normal.mean[c], normal.deviation[c]) =
            limited(normal.mean[c], normal.deviation[c], static_cast<double>(bounds.low), static_cast<double>(bounds.high));
    return normal;
}

std::optional<Normal> normal_of(const Graph& graph, ValueId id, const Normals& normals);

std::optional<Normal> sum_of(const Graph& graph, const Node& add, const Normals& normals) {
    auto sum = normal_of(graph, add.in[0], normals);
    const auto other = sum ? normal_of(graph, add.in[1], normals) : std::nullopt;
    if (!other || other->mean.size() != sum->mean.size()) return std::nullopt;
    for (size_t c = 0; c < sum->mean.size(); ++c) {
        sum->mean[c] += other->mean[c];
        sum->deviation[c] = std::sqrt(sum->deviation[c] * sum->deviation[c] + other->deviation[c] * other->deviation[c]);
    }
    return sum;
}

std::optional<Normal> normal_of(const Graph& graph, ValueId id, const Normals& normals) {
    if (const auto found = normals.find(graph.value(id).name); found != normals.end()) return found->second;
    if (graph.value(id).producer == NodeId::none) return std::nullopt;
    const Node& node = graph.node(graph.value(id).producer);
    if (node.is(ops::Add)) return sum_of(graph, node, normals);
    const auto bounds = clip_bounds(graph, node);
    if (!bounds && !node.is(ops::Identity, ops::AveragePool, ops::GlobalAveragePool, ops::Flatten, ops::Reshape, ops::Squeeze))
        return std::nullopt;
    auto before = normal_of(graph, node.in[0], normals);
    return before && bounds ? limited(std::move(*before), *bounds) : before;
}

}  // namespace

Normals normals_of(const Graph& graph) {
    Normals normals;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (!node.is(ops::BatchNormalization) || node.in.size() < 3) continue;
        const auto scale = graph.constant(node.in[1]), shift = graph.constant(node.in[2]);
        if (!scale || !shift || !is_float(scale->dtype) || !is_float(shift->dtype)) continue;
        Normal normal;
        for (const float number : to_floats(*shift)) normal.mean.push_back(static_cast<double>(number));
        for (const float number : to_floats(*scale)) normal.deviation.push_back(std::abs(static_cast<double>(number)));
        if (normal.mean.size() == normal.deviation.size()) normals.emplace(graph.value(node.out[0]).name, std::move(normal));
    }
    return normals;
}

std::optional<std::vector<double>> expected_means(const Graph& graph, ValueId id, const Normals& normals) {
    const auto normal = normal_of(graph, id, normals);
    return normal ? std::optional(normal->mean) : std::nullopt;
}

}  // namespace quern
