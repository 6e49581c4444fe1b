#include "libcore/passes/recognise/polynomial.h"

#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

Polynomial sum(const Polynomial& a, const Polynomial& b, double sign) {
    Polynomial out = a;
    for (const auto& [power, factor] : b) out[power] += sign * factor;
    return out;
}

std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) {
    Polynomial out;
    for (const auto& [p, f] : a)
        for (const auto& [q, g] : b) {
            const std::pair<int, int> power{p.first + q.first, p.second + q.second};
            if (power.first + power.second > 4) return std::nullopt;
            out[power] += f * g;
        }
    return out;
}

std::optional<double> constant_of(const Polynomial& p) {
    if (p.size() == 1 && p.begin()->first == std::pair{0, 0}) return p.begin()->second;
    return std::nullopt;
}

}  // namespace

std::optional<Polynomial> polynomial_of(const Graph& graph, ValueId id, ValueId x, ValueId t, int& budget) {
    if (id == ValueId::none || --budget < 0) return std::nullopt;
    if (id == x) return Polynomial{{{1, 0}, 1.0}};
    if (id == t) return Polynomial{{{0, 1}, 1.0}};
    if (const auto scalar = scalar_of(graph, id)) return Polynomial{{{0, 0}, *scalar}};
    if (graph.value(id).producer == NodeId::none || graph.value(id).enc) return std::nullopt;
    const Node& node = graph.node(graph.value(id).producer);
    if (!node.op->domain.empty() || (node.in.size() != 2 && !node.is(ops::Neg))) return std::nullopt;
    const auto a = polynomial_of(graph, node.in[0], x, t, budget);
    if (!a) return std::nullopt;
    if (node.is(ops::Neg)) return product(*a, {{{0, 0}, -1}});
    const auto b = polynomial_of(graph, node.in[1], x, t, budget);
    if (!b) return std::nullopt;
    if (node.is(ops::Add)) return sum(*a, *b, 1);
    if (node.is(ops::Sub)) return sum(*a, *b, -1);
    if (node.is(ops::Mul)) return product(*a, *b);
    const auto constant = constant_of(*b);
    if (!constant) return std::nullopt;
    if (node.is(ops::Div) && *constant != 0) return product(*a, {{{0, 0}, 1 / *constant}});
    if (!node.is(ops::Pow) || *constant != std::floor(*constant) || *constant < 1 || *constant > 4) return std::nullopt;
    std::optional<Polynomial> power = a;
    for (int i = 1; power && i < static_cast<int>(*constant); ++i) power = product(*power, *a);
    return power;
}

bool agrees(const Polynomial& a, const Polynomial& b) {
    const auto covered = [](const Polynomial& p, const Polynomial& q) {
        for (const auto& [power, factor] : p) {
            const auto found = q.find(power);
            const double other = found == q.end() ? 0 : found->second;
            if (std::abs(factor - other) > 1e-3 * std::max(std::abs(factor), std::abs(other))) return false;
        }
        return true;
    };
    return covered(a, b) && covered(b, a);
}

}  // namespace quern
