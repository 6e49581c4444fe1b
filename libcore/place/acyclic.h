// Cutting a directed acyclic graph whose vertices have labels (devices) into groups: each of one label, connected, and so that no group
// waits for itself through another (the quotient graph is acyclic).
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace quern::place {

struct Grouping {
    std::vector<size_t> group;  // of each vertex, numbered in a topological order of the groups
    size_t groups = 0;
    size_t cyclic = 0;  // connected parts of one label that waited for themselves through others and were split
    size_t splits = 0;  // groups that this made more than there were connected parts
};

// Edges go from what makes to what reads; vertices are numbered in a topological order. Connected parts of one label are the groups, unless
// they lie on a cycle of the quotient graph (R. Tarjan, Depth-first search and linear graph algorithms, 1972): such a part is cut by how
// many changes of label lie on the longest path to a vertex, and pieces are joined again, in order, where that makes no cycle.
Grouping group_acyclically(size_t vertices, std::span<const std::pair<size_t, size_t>> edges, std::span<const size_t> labels);

}  // namespace quern::place
