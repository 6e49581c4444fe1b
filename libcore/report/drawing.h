// Drawing a directed acyclic graph in layers: every edge goes down, few cross (K. Sugiyama, S. Tagawa, M. Toda, Methods for visual
// understanding of hierarchical system structures, 1981). A drawing much taller than wide is folded into columns, read from left to right.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace quern {

struct Point {
    double x = 0, y = 0;
};

struct DrawingRequest {
    size_t vertices = 0;
    std::vector<std::pair<size_t, size_t>> edges;  // from lower to higher numbers
    double width = 120, height = 32;               // of a vertex
    double aspect = 1.5;                           // width to height that the drawing should have, about
};

struct Drawing {
    double width = 0, height = 0;
    std::vector<Point> at;                  // the centre of each vertex
    std::vector<std::vector<Point>> lines;  // of each edge, from the lower side of a vertex to the upper side of another; empty: too long
                                            // to be drawn, to be shown by names at both ends
};

Drawing lay_out(const DrawingRequest& request);

}  // namespace quern
