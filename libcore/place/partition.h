// Partitions: the parts of a placed graph that back ends compile. Each is connected, on one device, and needs nothing that waits for it: in
// the order given, one after the other, they compute the graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcore/graph/op.h"
#include "libcore/place/target.h"

namespace quern::place {

struct Partition {
    int id = 0;  // its place in the order
    std::string device;
    std::vector<NodeId> nodes;             // in a topological order; nodes of bodies belong to the node that holds them
    std::vector<ValueId> inputs, outputs;  // inputs by first use, outputs as made; constants are part of the partition
};

struct Partitions {
    std::vector<Partition> parts;
    size_t cyclic = 0;  // connected parts that waited for themselves through other devices
    size_t splits = 0;  // partitions that splitting those made more
};

// By Node::device; "" is cpu. An integer unit whose nodes name several devices is cpu's. Nodes named by no output of the graph are kept.
// Throws Exit::bad_input naming a node whose device is not the target's.
Partitions partition_graph(const Graph& graph, const Target& target);
inline std::vector<Partition> partition(const Graph& graph, const Target& target) { return partition_graph(graph, target).parts; }

// A graph of its own: the partition's inputs and outputs are the graph's, by their names and with their encodings; metadata are copied,
// constants share their bytes.
Graph extract_partition(const Graph& graph, const Partition& partition);

// A value that goes from one partition to another, or from or to the model's caller.
struct Boundary {
    ValueId value = ValueId::none;
    int from = -1, to = -1;                   // partitions; -1: the caller
    std::string form;                         // what crosses: "float32", "int8 scale 0.02 zero 3"
    std::string maker_recodes;                // "" or the node that computes real numbers and encodes them here
    std::vector<std::string> reader_recodes;  // nodes that decode what they get, since they compute with real numbers
};

// All boundaries, in the order of the partitions that read. A value has one encoding, so both sides agree on the form. Throws
// Exit::bad_input where that would not hold: a value inside an integer unit, which is never stored.
std::vector<Boundary> boundaries(const Graph& graph, const std::vector<Partition>& parts);

}  // namespace quern::place
