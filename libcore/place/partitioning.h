// A placed graph in partitions.
#pragma once

#include "libcore/place/partition.h"

namespace quern::place {

// By Node::device; "" is cpu. An integer unit whose nodes name several devices is cpu's. Nodes named by no output of the graph are kept.
// Throws Exit::bad_input naming a node whose device is not the target's.
Partitions partition_graph(const Graph& graph, const Target& target);
// By a device of the target for each unit.
Partitions partition_units(const Graph& graph, const Target& target, const support::Units& units, const std::vector<size_t>& devices);
inline std::vector<Partition> partition(const Graph& graph, const Target& target) { return partition_graph(graph, target).parts; }

}  // namespace quern::place
