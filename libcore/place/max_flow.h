// MaxFlow: the largest flow from a source to a sink, and with it the cheapest cut between them. Dinic's algorithm (E. A. Dinic, Algorithm
// for solution of a problem of maximum flow in networks with power estimation, 1970): shortest augmenting paths, found level by level.
//
// Capacities are whole numbers, so the result is exact and the same on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quern::place {

class MaxFlow {
   public:
    static constexpr int64_t unbounded = int64_t{1} << 61;  // the sum of all other capacities must stay below it

    explicit MaxFlow(size_t vertices) : first_(vertices, -1) {}

    size_t add_vertex() {
        first_.push_back(-1);
        return first_.size() - 1;
    }
    void add_edge(size_t from, size_t to, int64_t capacity);

    // Call once. The flow equals the capacity of the cheapest cut.
    int64_t run(size_t source, size_t sink);
    // After run(): vertices on the sink's side of the cheapest cut that has the fewest of them.
    std::vector<bool> sink_side() const;

   private:
    struct Edge {
        size_t to;
        int next;
        int64_t left;  // capacity not used; the edge with the last bit flipped is its reverse
    };
    bool find_levels();
    int64_t augment();

    std::vector<Edge> edges_;
    std::vector<int> first_, level_, current_;
    size_t source_ = 0, sink_ = 0;
};

}  // namespace quern::place
