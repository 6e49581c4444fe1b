// What a small tree of Add, Sub, Mul, Div and Pow computes, as a polynomial in two values: so that a formula is recognised whatever
// the order of its operations.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "libcore/graph/op.h"

namespace quern {

// (power of x, power of t) -> coefficient.
using Polynomial = std::map<std::pair<int, int>, double>;

// The polynomial of `id` in `x` and `t`, looking through at most `budget` nodes; nullopt if it is not of degree up to 4.
std::optional<Polynomial> polynomial_of(const Graph& graph, ValueId id, ValueId x, ValueId t, int& budget);

// Equal coefficients within 0.1 percent.
bool agrees(const Polynomial& a, const Polynomial& b);

}  // namespace quern
