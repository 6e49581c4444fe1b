// Partitions that the memory of their device holds: what it does not hold whole is cut, in the order of its nodes, into the longest parts
// that fit; neighbours that fit together are joined again. A cut of a partition in a topological order makes no cycle. A unit that does not
// fit by itself is a part of its own: what places nodes does not put it there (graph_problem.h).
#pragma once

#include <string>
#include <vector>

#include "libcore/place/partition.h"
#include "libcore/place/partition_memory.h"

namespace quern::place {

class MemorySplitter {
   public:
    MemorySplitter(const Graph& graph, const Target& target, const support::Units& units, Ends& ends)
        : graph_(graph), target_(target), units_(units), ends_(ends) {}

    // One partition of the units, in a topological order, or its parts.
    std::vector<Partition> split(const std::vector<size_t>& units, const std::string& device);
    // Why the last one was split.
    MemorySplit told() const { return told_; }

   private:
    using Range = std::pair<size_t, size_t>;
    Partition part_of(const std::vector<size_t>& units, Range range, const std::string& device);
    bool fits(const std::vector<size_t>& units, Range range, const std::string& device);
    size_t longest(const std::vector<size_t>& units, size_t begin, const std::string& device);

    const Graph& graph_;
    const Target& target_;
    const support::Units& units_;
    Ends& ends_;
    MemorySplit told_;
};

// Seconds of values that go from one part of a split partition to another of the same device: they wait on cpu, over the links there and
// back; each goes out once.
double split_seconds(const Graph& graph, const Target& target, const Partitions& partitions);

}  // namespace quern::place
